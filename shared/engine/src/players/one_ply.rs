//! Threats are solved, not judged, and what is left is chosen among pairs of good half-moves by the
//! Connections they leave. Quiet moves are not searched: a measure for the player that does.

use gridproof_game::records::Game;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{Budget, Order, Solver, Win};
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use super::connection_types::ConnectionTypes;
use super::{Player, PlayerError};
use crate::find_win::find_win;
use crate::judge::best_moves;
use crate::weights::PLAY;

/// Wins by threats where it can, refuses moves that let the opponent do so, and otherwise
/// builds up lines and breaks those of the opponent.
#[derive(Clone, Debug)]
pub(super) struct OnePly {
    board: AnyBoard,
    solver: Solver,
    types: ConnectionTypes,
    nodes: u64,
}

impl OnePly {
    /// Spends about `nodes` nodes on a move; with none it plays by judgement alone.
    pub(super) fn new(rules: Rules, nodes: u64) -> Self {
        Self {
            board: AnyBoard::of_rules(rules),
            solver: Solver::new(rules),
            types: ConnectionTypes::of(&rules),
            nodes,
        }
    }

    /// `board` holds the stones of `position`.
    fn pick<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        position: &Position,
        budget: &mut Budget<'_>,
    ) -> Option<Move> {
        let nodes = budget.left();
        if let Some(mv) = super::completing_move(board, position) {
            return Some(mv);
        }
        let win = self.win(position, nodes / 100 * PLAY.win_share, budget);
        if let Some(mv) = win.and_then(|win| win.proof.first_move().cloned()) {
            return Some(mv);
        }
        let danger = self.danger(position, nodes / 100 * PLAY.danger_share, budget);
        let width = match danger {
            Some(_) => PLAY.width_in_danger,
            None if nodes == 0 => PLAY.width_without_search,
            None => PLAY.width,
        };
        let types = self.types.catalogue();
        let list = best_moves(board, position.to_move(), position.move_len(), types, width);
        let mut fallback = None;
        for mv in list {
            let idle = danger
                .as_ref()
                .is_some_and(|win| win.zone.excuses_in(position.rules(), mv.stones()));
            if !idle {
                let nodes = budget.left() / PLAY.check_fraction;
                if self.win(&position.after(&mv), nodes, budget).is_none() {
                    return Some(mv);
                }
            }
            fallback = fallback.or(Some(mv));
        }
        fallback
    }

    /// A win of the side to move. Without nodes nothing is asked, for setting up a search
    /// takes longer than judging moves.
    fn win(&self, position: &Position, nodes: u64, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        if nodes == 0 {
            return None;
        }
        find_win(&self.solver, position, Order::SINGLE_THREATS, nodes, budget)
    }

    /// The opponent's win if we did nothing. Every move that its zone excuses loses to it.
    fn danger(&self, position: &Position, nodes: u64, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        let passed = position.clone().with_to_move(position.to_move().other());
        self.win(&passed, nodes, budget)
    }
}

impl Player for OnePly {
    fn name(&self) -> String {
        format!("engine-1ply:{}", self.nodes)
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        let position = game.position();
        super::check_open(position)?;
        self.board.update(position);
        let mv = budget.within(self.nodes, |budget| {
            with_board!(&self.board, |board| self.pick(board, position, budget))
        });
        if budget.is_cancelled() {
            return Err(PlayerError::Cancelled);
        }
        mv.ok_or(PlayerError::NoMove)
    }
}
