//! The player of this project: threats are solved, not judged. What is left is chosen among
//! pairs of good half-moves by the Connections they leave. Looking a ply further by worth
//! alone, or a bonus for moves after which doing nothing loses, did not pay in matches.

use std::cmp::Reverse;
use std::sync::Arc;

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions, Win};
use gridproof_threats::patterns::Catalogue;
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard};

use super::{Player, PlayerError};
use crate::candidates::{Candidate, candidates};
use crate::evaluate::{connection_worth, side_worth};
use crate::questions::Questions;
use crate::weights::PLAY;

/// Wins by threats where it can, refuses moves that let the opponent do so, and otherwise
/// builds up lines and breaks those of the opponent.
#[derive(Clone, Debug)]
pub struct Strong {
    geometry: Arc<Geometry>,
    solver: Solver,
    /// Games with other than two stones a turn have none, and are judged by segments.
    catalogue: Option<Arc<Catalogue>>,
    nodes: u64,
}

impl Strong {
    /// Nodes for a move where the caller has no wish of its own.
    pub const DEFAULT_NODES: u64 = 100_000;

    /// Spends about `nodes` nodes on a move.
    #[must_use]
    pub fn new(rules: Rules, nodes: u64) -> Self {
        Self {
            geometry: Arc::new(Geometry::new(rules)),
            solver: Solver::new(rules),
            catalogue: Catalogue::new(&rules).ok().map(Arc::new),
            nodes,
        }
    }

    fn pick<S: Shape>(&self, position: &Position, budget: &mut Budget<'_>) -> Option<Move> {
        let us = position.to_move();
        let nodes = budget.left();
        if let Some(win) = self.win(position, nodes / 100 * PLAY.win_share, budget) {
            return win.proof.first_move().cloned();
        }
        let board = ThreatBoard::<S>::of_position(Arc::clone(&self.geometry), position)
            .expect("the shape was chosen by the rules");
        let mut questions = Questions::new(&self.solver, position, board);
        let danger = self.danger(position, nodes / 100 * PLAY.danger_share, budget);
        let width = match danger {
            Some(_) => PLAY.width_in_danger,
            None => PLAY.width,
        };
        let list = candidates(
            questions.board(),
            us,
            position.move_len(),
            PLAY.potential,
            width,
        );
        let fallback = list.first().map(|candidate| candidate.mv.clone());
        let most = (nodes / PLAY.nodes_per_judged).clamp(PLAY.judged.0, PLAY.judged.1) as usize;
        let mut judged: Vec<(i64, Move)> = Vec::new();
        budget.within(nodes / 100 * PLAY.judge_share, |budget| {
            for candidate in list {
                if judged.len() >= most || budget.is_over() {
                    break;
                }
                let stones = candidate.mv.stones();
                let idle = danger
                    .as_ref()
                    .is_some_and(|win| win.zone.excuses_in(position.rules(), stones));
                if !idle && !questions.is_refuted(&candidate.mv, PLAY.refute_nodes, budget) {
                    let worth = self.judge(&mut questions, position, &candidate);
                    judged.push((worth, candidate.mv));
                }
            }
        });
        judged.sort_by_key(|(worth, _)| Reverse(*worth));
        let best = judged.first().map(|(_, mv)| mv.clone());
        let safe = judged.into_iter().find(|(_, mv)| {
            let nodes = budget.left() / PLAY.check_fraction;
            self.win(&position.after(mv), nodes, budget).is_none()
        });
        safe.map(|(_, mv)| mv).or(best).or(fallback)
    }

    /// What a move is worth by the lines it leaves.
    fn judge<S: Shape>(
        &self,
        questions: &mut Questions<'_, S>,
        position: &Position,
        candidate: &Candidate,
    ) -> i64 {
        let us = position.to_move();
        let board = questions.board();
        board.place_all(candidate.mv.stones(), us);
        let worth = match &self.catalogue {
            Some(catalogue) => connection_worth(board, us, catalogue),
            None => i64::from(balance(board, us)),
        };
        board.undo_all(candidate.mv.stones().len());
        worth
    }

    fn win(&self, position: &Position, nodes: u64, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        let options = SolverOptions::default();
        let outcome = budget.within(nodes, |budget| {
            self.solver
                .win(position, Order::SINGLE_THREATS, options, budget)
        });
        match outcome {
            Ok(Outcome::Won(win)) => Some(win),
            _ => None,
        }
    }

    /// The opponent's win if we did nothing. Every move that its zone excuses loses to it.
    fn danger(&self, position: &Position, nodes: u64, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        let passed = position.clone().with_to_move(position.to_move().other());
        self.win(&passed, nodes, budget)
    }
}

/// How much more our segments are worth than theirs, with us to move.
fn balance<S: Shape>(board: &ThreatBoard<S>, us: Colour) -> i32 {
    side_worth(board, us, &PLAY.ours) - side_worth(board, us.other(), &PLAY.theirs)
}

impl Player for Strong {
    fn name(&self) -> String {
        format!("engine:{}", self.nodes)
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        let position = game.position();
        super::check_open(position)?;
        let mv = budget.within(self.nodes, |budget| {
            if Connect6::of(position.rules()).is_some() {
                self.pick::<Connect6>(position, budget)
            } else {
                self.pick::<AnyShape>(position, budget)
            }
        });
        if budget.is_cancelled() {
            return Err(PlayerError::Cancelled);
        }
        mv.ok_or(PlayerError::NoMove)
    }
}
