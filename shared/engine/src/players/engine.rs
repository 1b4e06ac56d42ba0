//! The player of this project: threats are solved, quiet moves are searched.

use std::time::{Duration, Instant};

use gridproof_game::records::Game;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{Budget, Solver};
use gridproof_threats::{AnyBoard, with_board};

use super::connection_types::ConnectionTypes;
use super::{Effort, Limit, Opinion, Player, PlayerError};
use crate::judge::best_moves;
use crate::search::{Clock, Limits, Line, Thinker, Thought};
use crate::weights::PLAY;

/// Wins by threats where it can, refuses moves that let the opponent do so, and searches among
/// the others.
#[derive(Clone, Debug)]
pub struct EnginePlayer {
    board: AnyBoard,
    solver: Solver,
    types: ConnectionTypes,
    effort: Effort,
    /// Nodes a second, as far as moves by the clock have shown.
    speed: u64,
    opinion: Option<Opinion>,
}

/// Nodes a second before anything is known: few, so that the first move is not late.
const SLOW: u64 = 30_000;

impl EnginePlayer {
    /// Nodes for a move where the caller has no wish of its own.
    pub const DEFAULT_NODES: u64 = 100_000;

    /// Spends about `nodes` nodes on a move; with none it plays by judgement alone. A few thousand
    /// more go into the check of a move that loses.
    #[must_use]
    pub fn new(rules: Rules, nodes: u64) -> Self {
        Self::with_effort(rules, Effort::of_nodes(nodes))
    }

    /// Thinks as hard as it is told.
    #[must_use]
    pub fn with_effort(rules: Rules, effort: Effort) -> Self {
        Self {
            board: AnyBoard::of_rules(rules),
            solver: Solver::new(rules),
            types: ConnectionTypes::of(&rules),
            effort,
            speed: SLOW,
            opinion: None,
        }
    }

    /// A move other than these: the next best for whoever knows the best already. `None` if
    /// the game is over or no other move comes to mind.
    pub fn choose_other(&mut self, position: &Position, known: &[Move]) -> Option<Move> {
        super::check_open(position).ok()?;
        let mut budget = Budget::of_nodes(u64::MAX);
        let thought = self.think(position, known, &mut budget, &mut |_, _| {})?;
        thought.best.moves.into_iter().next()
    }

    /// Thinks about a position, and tells `report` the best line and the nodes now and then.
    pub fn think(
        &mut self,
        position: &Position,
        known: &[Move],
        budget: &mut Budget<'_>,
        report: &mut dyn FnMut(&Line, u64),
    ) -> Option<Thought> {
        self.board.update(position);
        let (nodes, clock) = match self.effort.limit {
            Limit::Nodes(nodes) => (nodes, None),
            Limit::Time(time) => {
                let nodes = self.speed as f64 * time.as_secs_f64();
                (nodes as u64, Some(Clock::new(Instant::now(), time)))
            }
        };
        let limits = Limits {
            nodes: nodes.min(budget.left()),
            clock,
            threads: self.effort.threads,
        };
        let thought = with_board!(&self.board, |board| {
            let is_new = |mv: &Move| !known.contains(mv);
            if let Some(mv) = super::completing_move(board, position).filter(is_new) {
                return Some(Thought::of(mv));
            }
            let first_turn = position.move_len() != usize::from(position.rules().stones_per_turn());
            let searched = limits.nodes > 0 && !first_turn;
            let thought = searched.then(|| {
                let mut thinker = Thinker {
                    solver: &self.solver,
                    position,
                    known,
                    limits,
                    begun: 0,
                    budget: &mut *budget,
                    report: &mut *report,
                };
                thinker.think(board)
            });
            thought.flatten().or_else(|| {
                let (us, length) = (position.to_move(), position.move_len());
                let types = self.types.catalogue();
                let list = best_moves(board, us, length, types, PLAY.width_without_search);
                list.into_iter().find(is_new).map(Thought::of)
            })
        });
        if let (Some(clock), Some(thought)) = (clock, &thought)
            && let Some(speed) = clock.nodes_a_second(thought.nodes)
        {
            self.speed = speed.max(SLOW / 10);
        }
        thought
    }
}

impl Player for EnginePlayer {
    fn name(&self) -> String {
        format!("engine:{}", self.effort)
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        self.choose_telling(game, budget, &mut |_, _| {})
    }

    fn choose_telling(
        &mut self,
        game: &Game,
        budget: &mut Budget<'_>,
        report: &mut dyn FnMut(&Line, u64),
    ) -> Result<Move, PlayerError> {
        let position = game.position();
        super::check_open(position)?;
        let thought = self.think(position, &[], budget, report);
        if budget.is_cancelled() {
            return Err(PlayerError::Cancelled);
        }
        self.opinion = thought.as_ref().map(|thought| Opinion {
            score: thought.best.score,
            depth: thought.best.depth,
        });
        let mv = thought.and_then(|thought| thought.best.moves.into_iter().next());
        mv.ok_or(PlayerError::NoMove)
    }

    fn take_time(&mut self, time: Duration) {
        self.effort.limit = Limit::Time(time);
    }

    fn opinion(&self) -> Option<Opinion> {
        self.opinion.filter(|opinion| opinion.depth > 0)
    }
}
