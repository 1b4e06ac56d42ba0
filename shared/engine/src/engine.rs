//! The engine: a request goes in, a win or the best next moves come out.

use std::collections::VecDeque;

use gridproof_certificate::ProofBuilder;
use gridproof_game::{Move, Position, Rules, State};
use gridproof_solver::{Budget, Order, Solver, Win};
use gridproof_threats::{AnyBoard, with_board};
use rustc_hash::FxHashSet;

use crate::find_win::find_win;
use crate::opening_shape::by_opening_shape;
use crate::ranking::{Images, RankedMove, Ranking, rank};
use crate::request::{EngineError, Goal, Request, SearchResult, Suggestion};
use crate::weights;

/// Finds wins and good quiet moves of one game.
#[derive(Debug)]
pub struct Engine {
    rules: Rules,
    board: AnyBoard,
    solver: Solver,
    /// The latest rankings, so that asking for the second-best move costs nothing. A ranking
    /// depends on its key alone, so the answer is the same without it.
    rankings: VecDeque<(RankingKey, Vec<RankedMove>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RankingKey {
    position: Position,
    nodes: u64,
}

const RANKINGS_KEPT: usize = 32;

impl Engine {
    /// Nodes for one search where the caller has no wish of its own: about two seconds. Of nine
    /// hard openings with 34 million nodes six were proved with 700,000, eight with 1,000,000, and
    /// the same eight with 1,500,000, which took an eighth more.
    pub const DEFAULT_NODES: u64 = 1_000_000;

    /// An engine for positions of one game.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            board: AnyBoard::of_rules(rules),
            solver: Solver::new(rules),
            rankings: VecDeque::new(),
        }
    }

    /// Looks for a win or for the best moves. The result depends on the request and the budget's
    /// nodes alone, not on the machine or on earlier requests.
    pub fn search(
        &mut self,
        request: &Request<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<SearchResult, EngineError> {
        self.check(request)?;
        let result = match request.goal {
            Goal::Win => self
                .win(request.position, budget.left(), budget)
                .map_or(SearchResult::Unknown, SearchResult::Won),
            Goal::Moves => self.win_or_moves(request, budget),
        };
        if budget.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        Ok(result)
    }

    fn check(&self, request: &Request<'_>) -> Result<(), EngineError> {
        let position = request.position;
        if *position.rules() != self.rules {
            return Err(EngineError::Rules {
                ours: self.rules,
                theirs: *position.rules(),
            });
        }
        match position.state() {
            State::Won(colour) => return Err(EngineError::Won(colour)),
            State::Drawn => return Err(EngineError::Drawn),
            State::Open => {}
        }
        for mv in request.excluded {
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

    /// The solver first, then the ranking with what it left.
    fn win_or_moves(&mut self, request: &Request<'_>, budget: &mut Budget<'_>) -> SearchResult {
        let position = request.position;
        let key = RankingKey {
            position: position.clone(),
            nodes: budget.left(),
        };
        if let Some((_, moves)) = self.rankings.iter().find(|(known, _)| *known == key) {
            return best_left(request, moves);
        }
        let share = budget.left() / 100 * weights::SOLVER_SHARE;
        if let Some(win) = self.win(position, share, budget) {
            return SearchResult::Won(win);
        }
        self.board.update(position);
        let ranking = with_board!(&mut self.board, |board| {
            rank(&self.solver, position, board, budget)
        });
        match ranking {
            Ranking::Won { mv, win } => {
                SearchResult::Won(Box::new(won_before(position, &mv, *win)))
            }
            Ranking::Moves(moves) => {
                let result = best_left(request, &moves);
                // A ranking that was cut off depends on when that happened.
                if !budget.is_cancelled() {
                    if self.rankings.len() == RANKINGS_KEPT {
                        self.rankings.pop_front();
                    }
                    self.rankings.push_back((key, moves));
                }
                result
            }
        }
    }

    /// A win that the solver finds. With several stones a turn, whoever cannot complete a line in
    /// two turns has nothing to threaten with, so it would find none. With one, quiet moves win
    /// from nearly empty boards, and those that prepare them are of a higher order.
    fn win(&self, position: &Position, nodes: u64, budget: &mut Budget<'_>) -> Option<Box<Win>> {
        let p = self.rules.stones_per_turn();
        let stones = position.stones(position.to_move()).len();
        if p > 1 && stones + 2 * usize::from(p) < usize::from(self.rules.in_a_row()) {
            return None;
        }
        let order = Order(Order::of_quiet_moves(p).0 + u8::from(p == 1));
        find_win(&self.solver, position, order, nodes, budget)
    }
}

/// The first moves of a ranking that are not excluded, nor mirror images of such.
fn best_left(request: &Request<'_>, ranking: &[RankedMove]) -> SearchResult {
    let position = request.position;
    let images = Images::new(position);
    let excluded: FxHashSet<Move> = request
        .excluded
        .iter()
        .flat_map(|mv| images.of(mv))
        .collect();
    // Early in a game no move comes further than this, and then the best of them are good.
    let is_early = matches!(ranking.first(), Some(best) if best.grade.is_semi_null());
    let is_left = |ranked: &&RankedMove| !excluded.contains(&ranked.mv);
    let mut left: Vec<&RankedMove> = ranking.iter().filter(is_left).collect();
    let mut most = weights::SUGGESTIONS;
    if let Some(by_shape) = by_opening_shape(position) {
        left.sort_by_key(|ranked| by_shape(&ranked.mv));
        most = weights::FIRST_SUGGESTIONS;
    }
    if left.is_empty() {
        return SearchResult::NoMoves;
    }
    let best = left.into_iter().take(most);
    let suggestions = best.map(|ranked| Suggestion {
        mv: ranked.mv.clone(),
        status: ranked.grade.status(is_early),
    });
    SearchResult::Moves(suggestions.collect())
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
