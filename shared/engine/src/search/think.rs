//! What to play: proved wins and losses first, then the search over turns. A move that is chosen
//! is checked by the solver before it is played.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position, Square};
use gridproof_solver::{Budget, Order, Solver, Win};
use gridproof_threats::{Blocks, Shape, ThreatBoard};

use super::clock::Clock;
use super::generate::Width;
use super::pvs::{Searcher, Stop, WON};
use super::root::RootMove;
use super::table::Table;
use crate::candidates::blocks_within;
use crate::find_win::find_win;

/// The root's moves.
const ROOT: Width = Width {
    first: 20,
    second: 16,
    moves: 64,
};
/// Where the other side wins if we do nothing.
pub(super) const ROOT_IN_DANGER: Width = Width {
    first: 30,
    second: 30,
    moves: 160,
};
/// Percent of the nodes for a win of ours, and for one of theirs if we did nothing.
const WIN_SHARE: u64 = 15;
const DANGER_SHARE: u64 = 10;
/// Percent of the nodes for the check of the move that is chosen.
const CHECK_SHARE: u64 = 25;
/// Nodes that this check may take however small the effort. It looks for double threats alone then,
/// which is soon told, and small efforts lose games by moves that allow them.
const CHECK_LEAST: u64 = 2_000;
/// With fewer nodes than these in all, wins with single threats are not looked for: that seldom ends
/// in time.
const SINGLE_THREATS_FROM: u64 = 10_000;
/// Nodes in which the moves that are left are searched again after one that is refuted, as a multiple
/// of all,
const MOST_TIMES: u64 = 2;
/// and however small the effort. Beyond these they are checked alone, one after the other,
const MOST_LEAST: u64 = 10_000;
/// in as many times those nodes. A refutation is mostly found soon, so few moves come near.
const LAST_TIMES: u64 = 3;
const DEEPEST: usize = 40;

/// What thinking may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nodes, which give the same move on any machine with one thread. With a clock: how many the
    /// time may be good for.
    pub(crate) nodes: u64,
    /// An end by the clock.
    pub(crate) clock: Option<Clock>,
    /// How many threads search.
    pub(crate) threads: usize,
}

/// One move, and how the game may go on from it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The moves, the first of them to be played.
    pub moves: Vec<Move>,
    /// What it is worth to the side to move.
    pub score: i32,
    /// Turns that were looked ahead.
    pub depth: usize,
}

/// The score, the depth and the moves: `+120  depth 5  K11 L10, J9 K12`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<String> = self.moves.iter().map(ToString::to_string).collect();
        match self.score {
            score if score > WON => f.write_str("wins")?,
            score if score < -WON => f.write_str("loses")?,
            score => write!(f, "{score:+}")?,
        }
        write!(f, "  depth {}  {}", self.depth, moves.join(", "))
    }
}

/// What came of thinking.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The move to play.
    pub best: Line,
    /// Nodes that it took.
    pub nodes: u64,
}

impl Thought {
    /// A move that took no thought.
    pub(crate) fn of(mv: Move) -> Self {
        Self {
            best: Line {
                moves: vec![mv],
                score: 0,
                depth: 0,
            },
            nodes: 0,
        }
    }
}

/// Thinks about one position.
pub(crate) struct Thinker<'a, 'b> {
    pub(crate) solver: &'a Solver,
    pub(crate) position: &'a Position,
    pub(crate) known: &'a [Move],
    pub(crate) limits: Limits,
    pub(crate) budget: &'a mut Budget<'b>,
    /// Nodes that the budget had spent before.
    pub(crate) begun: u64,
    /// Told the best line after each depth.
    pub(crate) report: &'a mut dyn FnMut(&Line, u64),
}

/// A move that loses: how it is refuted.
struct Refuted {
    stones: Blocks,
    /// Turns on the refutation's longest way, then its nodes.
    length: (u32, usize),
}

/// Turns on the longest way of a proof.
fn turns(proof: &Proof) -> u32 {
    let mut turns: Vec<u32> = Vec::with_capacity(proof.len());
    for (_, node) in proof.nodes() {
        let longest = node.children().map(|child| turns[child.index()]).max();
        turns.push(longest.unwrap_or(0) + 1);
    }
    turns[proof.root().index()]
}

impl Thinker<'_, '_> {
    fn us(&self) -> Colour {
        self.position.to_move()
    }

    fn find_win(&mut self, position: &Position, nodes: u64) -> Option<Box<Win>> {
        if nodes == 0 {
            return None;
        }
        let order = if self.limits.nodes < SINGLE_THREATS_FROM {
            Order::DOUBLE_THREATS
        } else {
            Order::SINGLE_THREATS
        };
        find_win(self.solver, position, order, nodes, self.budget)
    }

    /// A move of ours that wins, proved.
    fn win(&mut self) -> Option<Line> {
        let position = self.position;
        let win = self.find_win(position, self.limits.nodes / 100 * WIN_SHARE)?;
        let first = win.proof.first_move().cloned()?;
        (!self.known.contains(&first)).then(|| Line {
            moves: vec![first],
            score: super::pvs::WIN - 1,
            depth: 1,
        })
    }

    /// `board` holds the stones of the position, where the side to move places a whole turn.
    pub(crate) fn think<S: Shape>(&mut self, board: &ThreatBoard<S>) -> Option<Thought> {
        self.begun = self.budget.spent();
        let start = self.begun;
        if let Some(line) = self.win() {
            (self.report)(&line, self.budget.spent() - start);
            return Some(Thought {
                best: line,
                nodes: self.budget.spent() - start,
            });
        }
        let passed = self.position.clone().with_to_move(self.us().other());
        let danger = self.find_win(&passed, self.limits.nodes / 100 * DANGER_SHARE);
        let nodes = self
            .limits
            .nodes
            .saturating_sub(self.budget.spent() - start)
            .max(200);
        let table = Table::for_nodes(nodes.saturating_mul(self.limits.threads as u64));
        let over = AtomicBool::new(false);
        let stop = Stop {
            nodes,
            deadline: self.limits.clock.as_ref().map(Clock::search_end),
            cancel: self.budget.cancel().clone(),
            flag: &over,
        };
        let mut searcher = Searcher::new(board.clone(), &table, stop.clone());
        let mut moves = self.root_moves(&mut searcher, board, danger.as_deref());
        if moves.is_empty() {
            return None;
        }
        let us = self.us();
        let line = std::thread::scope(|scope| {
            for number in 1..self.limits.threads {
                let mut helper = Searcher::new(
                    board.clone(),
                    &table,
                    Stop {
                        nodes: u64::MAX,
                        ..stop.clone()
                    },
                );
                let mut moves = moves.clone();
                scope.spawn(move || {
                    for depth in 1 + number % 2..DEEPEST {
                        helper.root(us, &mut moves, depth);
                        if helper.stopped {
                            break;
                        }
                    }
                });
            }
            let line = self.choose(&mut searcher, &mut moves);
            over.store(true, Ordering::Relaxed);
            line
        });
        for _ in 0..searcher.nodes() {
            self.budget.spend();
        }
        Some(Thought {
            best: line,
            nodes: self.budget.spent() - start,
        })
    }

    /// What the zone of the other side's win excuses is not looked at: it loses.
    fn root_moves<S: Shape>(
        &self,
        searcher: &mut Searcher<'_, S>,
        board: &ThreatBoard<S>,
        danger: Option<&Win>,
    ) -> Vec<RootMove> {
        let (us, length) = (self.us(), self.position.move_len());
        let bases = blocks_within(board, us, length);
        let is_new = |stones: &[Square]| !self.known.iter().any(|mv| mv.stones() == stones);
        let width = if danger.is_some() {
            ROOT_IN_DANGER
        } else {
            ROOT
        };
        let mut moves = searcher.root_moves(us, &bases, width);
        moves.retain(|candidate| is_new(&candidate.stones));
        if let Some(win) = danger {
            let all = moves.clone();
            moves.retain(|candidate| {
                let stones = &candidate.stones;
                !win.zone.excuses(board.shape(), board.geometry(), stones)
            });
            if moves.is_empty() {
                moves = all;
            }
        }
        moves
    }

    /// Searches, checks what is best, and searches on without it if it is refuted.
    fn choose<S: Shape>(
        &mut self,
        searcher: &mut Searcher<'_, S>,
        moves: &mut Vec<RootMove>,
    ) -> Line {
        let us = self.us();
        let all = self.limits.nodes;
        let start = self.budget.spent();
        let check = all / 100 * CHECK_SHARE;
        let check_most = check.max(CHECK_LEAST);
        let most = (MOST_TIMES * all).max(MOST_LEAST);
        let mut refuted: Vec<Refuted> = Vec::new();
        let mut left = all
            .saturating_sub(start - self.begun)
            .saturating_sub(check)
            .max(all / 10);
        let clock = self.limits.clock;
        if clock.is_some() {
            left = u64::MAX / 2;
        }
        let mut depths = 1..DEEPEST;
        loop {
            searcher.allow(searcher.nodes() + left);
            for depth in depths {
                let score = searcher.root(us, moves, depth);
                if let Some(score) = score.filter(|_| moves[0].depth == depth) {
                    let line = self.line(searcher, &moves[0], score, depth);
                    (self.report)(&line, searcher.nodes());
                }
                if searcher.stopped || score.is_some_and(|score| score.abs() > WON) && depth > 2 {
                    break;
                }
            }
            let best = moves[0].clone();
            let mv = Move::full(best.stones.iter().copied());
            let after = self.position.after(&mv);
            let refutation = match after.state() {
                gridproof_game::State::Open => {
                    let spent = self.budget.spent() - self.begun + searcher.nodes();
                    let left = clock.map_or(u64::MAX, |clock| clock.nodes_left(spent));
                    self.find_win(&after, left.min(check_most))
                }
                _ => None,
            };
            let Some(win) = refutation else {
                return self.line(searcher, &best, best.score, best.depth);
            };
            refuted.push(Refuted {
                stones: best.stones.clone(),
                length: (turns(&win.proof), win.proof.len()),
            });
            let board = &searcher.state.board;
            moves.retain(|candidate| {
                let stones = &candidate.stones;
                *stones != best.stones && !win.zone.excuses(board.shape(), board.geometry(), stones)
            });
            if moves.is_empty() || self.budget.is_cancelled() {
                let longest = refuted
                    .iter()
                    .max_by_key(|refuted| refuted.length)
                    .expect("one at least");
                return Line {
                    moves: vec![Move::full(longest.stones.iter().copied())],
                    score: -WON - 1,
                    depth: 1,
                };
            }
            let spent = self.budget.spent() - self.begun + searcher.nodes();
            let is_over = match &clock {
                Some(clock) => clock.is_over(),
                None => spent > LAST_TIMES * most,
            };
            if is_over {
                return self.line(searcher, &moves[0].clone(), moves[0].score, moves[0].depth);
            }
            match &clock {
                Some(clock) => searcher.end_at(clock.another_end()),
                None => left = all / 25 + 100,
            }
            depths = match clock {
                None if spent > most => 0..0,
                _ => best.depth.saturating_sub(1).max(1)..DEEPEST,
            };
        }
    }

    fn line<S: Shape>(
        &self,
        searcher: &mut Searcher<'_, S>,
        best: &RootMove,
        score: i32,
        depth: usize,
    ) -> Line {
        let moves = searcher.line(self.us(), &best.stones, depth.max(1));
        Line {
            moves: moves.into_iter().map(Move::full).collect(),
            score,
            depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Rules, read_game};

    use super::*;

    #[test]
    fn a_refutation_is_as_long_as_its_longest_way() {
        let solver = Solver::new(Rules::CONNECT6);
        let length = |record: &str| {
            let game = read_game(record.as_bytes()).expect("a record");
            let order = Order::SINGLE_THREATS;
            let mut budget = Budget::of_nodes(1_000);
            let win = find_win(&solver, game.position(), order, 1_000, &mut budget);
            turns(&win.expect("a win by threats").proof)
        };
        // Six can be completed at once, or after threats that are too many to block.
        assert_eq!(length("j10 a1,a3 k10,l10 c1,c3 m10,e5 e1,e3"), 1);
        assert!(length("j10 a1,a3 k10,l10 q3,q5 j11,k11 s1,s3 l11,j12 s17,s19") > 1);
    }
}
