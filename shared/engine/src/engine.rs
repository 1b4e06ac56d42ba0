//! The engine job: a position and excluded moves go in, the best next move comes out.

use std::collections::VecDeque;
use std::sync::Arc;

use gridproof_certificate::ProofBuilder;
use gridproof_game::{Colour, Move, PlayError, Position, Rules, State};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions, Win};
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard};
use rustc_hash::FxHashSet;

use crate::adapter::AdapterError;
use crate::rank::{Ranked, Ranking, Standing, rank, symmetries};
use crate::shapes::by_shape;
use crate::status::{Status, Strength};
use crate::weights;

/// What an engine says of a position.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The side to move wins, and this proves it.
    Won(Box<Win>),
    /// The best moves that are not excluded, best first; at least one.
    Suggest(Vec<Suggestion>),
    /// Every move worth a try is excluded.
    NoMove,
}

/// A move, and what is thought of the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub mv: Move,
    pub status: Status,
}

/// Why an engine has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    #[error("the game is over: {0} has won")]
    Won(Colour),
    #[error("the game is over: the board is full")]
    Drawn,
    #[error("the excluded move {mv} is no legal move here: {reason}")]
    Excluded { mv: Move, reason: PlayError },
    #[error("the excluded move {0} places null stones: name moves that can be played")]
    ExcludedNull(Move),
    #[error("this engine plays {ours}, not {theirs}: start another for that game")]
    Rules { ours: Rules, theirs: Rules },
    #[error("the job was cancelled")]
    Cancelled,
    #[error("the other engine failed: {0}")]
    Other(AdapterError),
}

impl From<AdapterError> for EngineError {
    fn from(error: AdapterError) -> Self {
        match error {
            AdapterError::Cancelled => Self::Cancelled,
            other => Self::Other(other),
        }
    }
}

/// Suggests moves of one game to a proof search.
#[derive(Debug)]
pub struct Engine {
    rules: Rules,
    geometry: Arc<Geometry>,
    solver: Solver,
    /// Rankings of late, so that asking for the second-best move costs nothing. A ranking
    /// depends on its key alone, so the answer is the same without it.
    remembered: VecDeque<(RankingKey, Vec<Ranked>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RankingKey {
    position: Position,
    nodes: u64,
}

const REMEMBERED: usize = 32;

impl Engine {
    /// Nodes for one job where the caller has no wish of its own: about two seconds. Of nine hard
    /// openings with 34 million nodes six were proved with 700,000, eight with 1,000,000, and the
    /// same eight with 1,500,000, which took an eighth more.
    pub const DEFAULT_NODES: u64 = 1_000_000;

    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            geometry: Arc::new(Geometry::new(rules)),
            solver: Solver::new(rules),
            remembered: VecDeque::new(),
        }
    }

    /// What a job of the search asks for. The first one at a position, of level 0, is a glance:
    /// a win is found or nothing is said. Of 1,950 positions that fell to the solver nine tenths
    /// did so with a third of the nodes; and of 1,970 that resisted it, and were not proved later,
    /// 1,530 were never returned to, so that ranking their moves was for nothing.
    pub fn job(
        &mut self,
        position: &Position,
        excluded: &[Move],
        level: u8,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Answer>, EngineError> {
        if level > 0 {
            return self.suggest(position, excluded, budget).map(Some);
        }
        self.check(position)?;
        check_excluded(position, excluded)?;
        let win = self.win(position, budget);
        if budget.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        Ok(win.map(Answer::Won))
    }

    /// The best move for the side to move that is not among the excluded ones, or a win.
    pub fn suggest(
        &mut self,
        position: &Position,
        excluded: &[Move],
        budget: &mut Budget<'_>,
    ) -> Result<Answer, EngineError> {
        self.check(position)?;
        check_excluded(position, excluded)?;
        let key = RankingKey {
            position: position.clone(),
            nodes: budget.left(),
        };
        if let Some((_, moves)) = self.remembered.iter().find(|(known, _)| *known == key) {
            return Ok(first_left(position, moves, excluded));
        }
        let answer = match self.ranking(position, budget)? {
            Ranking::Won { win, .. } => Answer::Won(win),
            Ranking::Moves(moves) => {
                let answer = first_left(position, &moves, excluded);
                if self.remembered.len() == REMEMBERED {
                    self.remembered.pop_front();
                }
                self.remembered.push_back((key, moves));
                answer
            }
        };
        Ok(answer)
    }

    /// All moves worth a try, best first, with what was found out about each; empty if a win
    /// was found instead. For measuring.
    pub fn ranked(
        &self,
        position: &Position,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Ranked>, EngineError> {
        self.check(position)?;
        Ok(match self.ranking(position, budget)? {
            Ranking::Won { .. } => Vec::new(),
            Ranking::Moves(moves) => moves,
        })
    }

    fn check(&self, position: &Position) -> Result<(), EngineError> {
        if *position.rules() != self.rules {
            return Err(EngineError::Rules {
                ours: self.rules,
                theirs: *position.rules(),
            });
        }
        check_open(position)
    }

    /// The solver first, then the ranking with what it left. A win is that of `position`.
    fn ranking(
        &self,
        position: &Position,
        budget: &mut Budget<'_>,
    ) -> Result<Ranking, EngineError> {
        let share = budget.left() / 100 * weights::SOLVER_SHARE;
        if let Some(win) = budget.within(share, |budget| self.win(position, budget)) {
            let mv = win.proof.first_move().cloned().unwrap_or_default();
            return Ok(Ranking::Won { mv, win });
        }
        let ranking = if Connect6::of(&self.rules).is_some() {
            self.rank_with::<Connect6>(position, budget)
        } else {
            self.rank_with::<AnyShape>(position, budget)
        };
        if budget.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        Ok(match ranking {
            Ranking::Won { mv, win } => Ranking::Won {
                win: Box::new(won_before(position, &mv, *win)),
                mv,
            },
            moves => moves,
        })
    }

    /// A win that the solver finds. Whoever cannot complete a line in two turns has nothing to
    /// threaten with, so it would find none.
    fn win(&self, position: &Position, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        let p = self.rules.stones_per_turn();
        let stones = position.stones(position.to_move()).len();
        if stones + 2 * usize::from(p) < usize::from(self.rules.in_a_row()) {
            return None;
        }
        let (order, options) = (Order::of_quiet_moves(p), SolverOptions::default());
        match self.solver.win(position, order, options, budget) {
            Ok(Outcome::Won(win)) => Some(win),
            _ => None,
        }
    }

    fn rank_with<S: Shape>(&self, position: &Position, budget: &mut Budget<'_>) -> Ranking {
        let board = ThreatBoard::<S>::of_position(Arc::clone(&self.geometry), position)
            .expect("the shape was chosen by the rules");
        rank(&self.solver, position, board, budget)
    }
}

pub(crate) fn check_open(position: &Position) -> Result<(), EngineError> {
    match position.state() {
        State::Won(colour) => Err(EngineError::Won(colour)),
        State::Drawn => Err(EngineError::Drawn),
        State::Open => Ok(()),
    }
}

pub(crate) fn check_excluded(position: &Position, excluded: &[Move]) -> Result<(), EngineError> {
    for mv in excluded {
        if !mv.is_full() {
            return Err(EngineError::ExcludedNull(mv.clone()));
        }
        if let Err(reason) = position.clone().play(mv) {
            let mv = mv.clone();
            return Err(EngineError::Excluded { mv, reason });
        }
    }
    Ok(())
}

/// The first move of a ranking that is not excluded, and no mirror image of one that is.
fn first_left(position: &Position, moves: &[Ranked], excluded: &[Move]) -> Answer {
    let rules = *position.rules();
    let mut gone: FxHashSet<Move> = excluded.iter().cloned().collect();
    for symmetry in symmetries(position) {
        gone.extend(
            excluded
                .iter()
                .map(|mv| mv.map(|square| symmetry.apply(&rules, square))),
        );
    }
    // Early in a game no move comes further than this, and then the best of them are good.
    let is_early = matches!(moves.first(), Some(best) if best.standing.is_one_stone());
    let is_left = |ranked: &&Ranked| !gone.contains(&ranked.mv);
    let mut left: Vec<&Ranked> = moves.iter().filter(is_left).collect();
    let mut most = weights::SUGGESTIONS;
    if let Some(by_shape) = by_shape(position) {
        left.sort_by_key(|ranked| by_shape(&ranked.mv));
        most = weights::FIRST_SUGGESTIONS;
    }
    let suggestions: Vec<Suggestion> = left
        .into_iter()
        .take(most)
        .map(|ranked| Suggestion {
            mv: ranked.mv.clone(),
            status: status(ranked.standing, is_early, position.to_move()),
        })
        .collect();
    if suggestions.is_empty() {
        Answer::NoMove
    } else {
        Answer::Suggest(suggestions)
    }
}

fn status(standing: Standing, is_early: bool, attacker: Colour) -> Status {
    match standing {
        Standing::Sampled { open, .. } => match open {
            0..=20 => Status::AlmostWon(attacker),
            21..=60 => Status::Strong(attacker, Strength::Three),
            61..=110 => Status::Strong(attacker, Strength::Two),
            _ => Status::Strong(attacker, Strength::One),
        },
        Standing::OneStone { .. } if is_early => Status::Strong(attacker, Strength::Three),
        Standing::OneStone { .. } => Status::Strong(attacker, Strength::One),
        Standing::Null { .. } => Status::Unclear,
        Standing::Idle => Status::Quiet,
        Standing::Refuted => Status::AlmostWon(attacker.other()),
    }
}

/// The win of a position from the win after a move of its side.
fn won_before(position: &Position, mv: &Move, after: Win) -> Win {
    let mut builder = ProofBuilder::new(position.clone(), position.to_move());
    let proof = builder
        .graft(&after.proof)
        .and_then(|then| builder.attack(mv.clone(), Some(then)))
        .and_then(|root| builder.finish(root))
        .expect("a proof of the same game for the same side");
    let mut zone = after.zone;
    zone.keep(mv.stones());
    Win {
        proof,
        zone,
        order: after.order,
    }
}
