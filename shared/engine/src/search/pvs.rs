//! Principal variation search over turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gridproof_game::{Colour, Square};
use gridproof_solver::Cancel;
use gridproof_threats::{BlockList, Blocks, Shape, ThreatBoard};
use smallvec::SmallVec;

use super::generate::{Candidate, Width, generate};
use super::state::State;
use super::table::{Bound, Entry, Table, pack, unpack};
use super::tactics::{Tactics, ThreatWin};

/// A win in no turns.
pub(super) const WIN: i32 = 30_000;
/// Scores beyond this are wins whose every step is sure.
const SURE: i32 = 28_000;
/// How much less a win is that only the replies looked at allow.
const UNSURE: i32 = 8_000;
/// Scores beyond this are wins.
pub(super) const WON: i32 = 18_000;
/// Turns that a line may be longer than the depth, where replies are forced.
const EXTENSION: usize = 10;

/// Nodes for a win by threats, by the depth that is left.
const EFFORTS: [u64; 6] = [16, 40, 90, 180, 360, 720];
/// Moves by the depth that is left, from 1 on.
const WIDTHS: [Width; 4] = [
    Width {
        first: 7,
        second: 7,
        moves: 10,
    },
    Width {
        first: 9,
        second: 9,
        moves: 16,
    },
    Width {
        first: 11,
        second: 11,
        moves: 22,
    },
    Width {
        first: 12,
        second: 12,
        moves: 28,
    },
];
/// When the other side wins if we do nothing: squares that may matter, and moves of them.
const SAVING_SQUARES: usize = 9;
const SAVING: Width = Width {
    first: 5,
    second: 5,
    moves: 24,
};

/// What ends a search before its depth.
#[derive(Clone, Debug)]
pub(super) struct Stop<'a> {
    pub(super) nodes: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: Cancel,
    /// Another thread's sign that all is over.
    pub(super) flag: &'a AtomicBool,
}

/// Where moves are tried.
#[derive(Clone, Copy, Debug)]
struct Node {
    us: Colour,
    depth: i32,
    /// Few moves block what the other side threatens.
    forced: bool,
    ply: usize,
}

/// One thread's search.
#[derive(Debug)]
pub(super) struct Searcher<'a, S: Shape> {
    pub(super) state: State<S>,
    pub(super) table: &'a Table,
    tactics: Tactics,
    stop: Stop<'a>,
    pub(super) stopped: bool,
    turns: u64,
    killers: Vec<[Blocks; 2]>,
    /// By side and square: how often a stone there was best.
    pub(super) history: [Box<[i32]>; 2],
    pub(super) root_depth: usize,
    pub(super) stones_per_turn: usize,
}

impl<'a, S: Shape> Searcher<'a, S> {
    pub(super) fn new(board: ThreatBoard<S>, table: &'a Table, stop: Stop<'a>) -> Self {
        let none = || vec![0; Square::COUNT].into_boxed_slice();
        Self {
            stones_per_turn: board.shape().stones_per_turn() as usize,
            state: State::new(board),
            table,
            tactics: Tactics::default(),
            stop,
            stopped: false,
            turns: 0,
            killers: vec![<[Blocks; 2]>::default(); 128],
            history: [none(), none()],
            root_depth: 0,
        }
    }

    /// All nodes so far, those of the tactics with them.
    pub(super) fn nodes(&self) -> u64 {
        self.turns + self.tactics.nodes
    }

    pub(super) fn allow(&mut self, nodes: u64) {
        self.stop.nodes = nodes;
        self.stopped = false;
    }

    pub(super) fn end_at(&mut self, deadline: Instant) {
        self.stop.deadline = Some(deadline);
    }

    fn should_stop(&mut self) -> bool {
        if self.turns.is_multiple_of(32) {
            let late = self
                .stop
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
            let told = self.stop.flag.load(Ordering::Relaxed) || self.stop.cancel.is_cancelled();
            self.stopped |= late || told;
        }
        self.stopped |= self.nodes() >= self.stop.nodes;
        self.stopped
    }

    /// What the position is worth to the side to move.
    pub(super) fn search(
        &mut self,
        us: Colour,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: usize,
        may_pass: bool,
    ) -> i32 {
        self.turns += 1;
        if self.should_stop() {
            return 0;
        }
        let them = us.other();
        if self.state.board.can_complete(us) {
            return WIN - (ply as i32 + 1);
        }
        if self.state.board.empty_count() < self.stones_per_turn {
            return 0;
        }
        let blocks = self.state.board.minimal_blocks(them);
        let Some(must_block) = blocks.iter().map(SmallVec::len).min() else {
            return -(WIN - (ply as i32 + 2));
        };
        let (key, symmetry) = self.state.keys.lowest(us);
        let known = self.table.get(key);
        let mut first = Blocks::new();
        if let Some(entry) = known {
            let score = from_table(i32::from(entry.score), ply);
            let enough = i32::from(entry.depth) >= depth.max(0) || entry.depth == i8::MAX;
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => score >= beta,
                Bound::AtMost => score <= alpha,
            };
            if enough && cuts {
                return score;
            }
            first = self
                .state
                .keys
                .seen(&unpack(entry.best), symmetry.inverse());
            let is_open = |square: &Square| {
                self.state.board.rules().contains(*square) && self.state.board.is_empty_at(*square)
            };
            if !first.iter().all(is_open) {
                first.clear();
            }
        }
        let forced = must_block >= self.stones_per_turn;
        let worth = self.state.worth(us, must_block);
        if depth <= 0 && !forced && worth >= beta {
            // A win by threats could only be better still.
            let effort = known.map_or(0, |entry| entry.effort);
            self.keep(key, worth, 0, Bound::AtLeast, effort, &first, ply);
            return worth;
        }
        let effort = depth.clamp(0, EFFORTS.len() as i32 - 1) as usize;
        let looked = known.map_or(0, |entry| usize::from(entry.effort));
        if looked <= effort
            && let Some(win) = self.tactics.win(&mut self.state.board, us, EFFORTS[effort])
        {
            let score = WIN - (ply as i32 + win.turns);
            let stones = self.state.keys.seen(&win.first, symmetry);
            self.keep(key, score, i8::MAX, Bound::Exact, 0, &stones, ply);
            return score;
        }
        let effort = (looked.max(effort + 1)) as u8;
        let mut depth = depth;
        if depth <= 0 {
            if !forced || ply > self.root_depth + EXTENSION {
                self.keep(key, worth, 0, Bound::Exact, effort, &first, ply);
                return worth;
            }
            depth = 0;
        }
        let node = Node {
            us,
            depth,
            forced,
            ply,
        };
        let before = alpha;
        let (mut best, mut best_stones) = (-WIN, Blocks::new());
        let mut tried = 0;
        if first.len() == self.stones_per_turn {
            // Often good enough to spare the others' making.
            let score = self.follow(node, &first, 0, alpha, beta);
            if self.stopped {
                return 0;
            }
            tried = 1;
            best = score;
            best_stones = first.clone();
            alpha = alpha.max(score);
        }
        if tried == 0 || best < beta {
            let mut danger = None;
            if must_block == 0 {
                let nodes = EFFORTS[(depth as usize).min(EFFORTS.len()) - 1];
                danger = self.tactics.win(&mut self.state.board, them, nodes);
                if danger.is_none() && may_pass && depth >= 2 && worth >= beta && beta.abs() < WON {
                    let score = -self.search(them, depth - 2, -beta, -beta + 1, ply + 1, false);
                    if self.stopped {
                        return 0;
                    }
                    if score >= beta {
                        return score.min(WON);
                    }
                }
            }
            let mut moves = self.moves(us, &blocks, danger.as_ref(), depth);
            moves.retain(|candidate| candidate.stones != first);
            self.order(us, &mut moves, ply);
            for candidate in &moves {
                let score = self.follow(node, &candidate.stones, tried, alpha, beta);
                if self.stopped {
                    return 0;
                }
                tried += 1;
                if score > best {
                    best = score;
                    best_stones = candidate.stones.clone();
                    alpha = alpha.max(score);
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if best >= beta && tried > 0 {
            self.reward(us, &best_stones, depth, ply);
        }
        if tried == 0 {
            return worth;
        }
        if best < -SURE && !forced {
            // Moves that nobody looked at may be better.
            best += UNSURE;
        }
        let bound = if best >= beta {
            Bound::AtLeast
        } else if best > before {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        let stones = self.state.keys.seen(&best_stones, symmetry);
        self.keep(key, best, depth.min(100) as i8, bound, effort, &stones, ply);
        best
    }

    /// What a move is worth, with as much search as its place in the order deserves.
    fn follow(&mut self, node: Node, stones: &Blocks, place: usize, alpha: i32, beta: i32) -> i32 {
        let Node {
            us,
            depth,
            forced,
            ply,
        } = node;
        let them = us.other();
        self.state.place_all(stones, us);
        let child = if forced { depth.max(1) - 1 } else { depth - 1 };
        let late = match place {
            _ if depth < 2 || forced => 0,
            0..3 => 0,
            3..9 => 1,
            _ => 1 + i32::from(depth >= 4),
        };
        let mut score;
        if place == 0 {
            score = -self.search(them, child, -beta, -alpha, ply + 1, true);
        } else {
            score = -self.search(them, child - late, -alpha - 1, -alpha, ply + 1, true);
            if score > alpha && (late > 0 || score < beta) && !self.stopped {
                score = -self.search(them, child, -beta, -alpha, ply + 1, true);
            }
        }
        self.state.undo_all(stones.len());
        score
    }

    /// The moves to look at.
    fn moves(
        &mut self,
        us: Colour,
        blocks: &BlockList,
        danger: Option<&ThreatWin>,
        depth: i32,
    ) -> Vec<Candidate> {
        let p = self.stones_per_turn;
        let width = WIDTHS[(depth.max(1) as usize).min(WIDTHS.len()) - 1];
        let Some(win) = danger else {
            return generate(&mut self.state, us, blocks, p, width);
        };
        let mut squares: Vec<(i32, Square)> = Vec::new();
        for square in win
            .relevant
            .iter()
            .filter(|&square| self.state.board.is_empty_at(square))
        {
            squares.push((self.state.cells.half_move(square, us), square));
        }
        squares.sort_unstable_by_key(|&(worth, square)| (-worth, square));
        squares.truncate(SAVING_SQUARES);
        let bases: Vec<Blocks> = squares
            .iter()
            .map(|&(_, square)| Blocks::from_slice(&[square]))
            .collect();
        let mut moves = generate(&mut self.state, us, &bases, p, SAVING);
        // A threat of ours gains a turn.
        let width = WIDTHS[(depth.max(1) as usize).min(3) - 1];
        let mut others = generate(&mut self.state, us, blocks, p, width);
        others.retain(|other| {
            let is_new = !moves.iter().any(|known| known.stones == other.stones);
            is_new && self.state.board.threats_after(us, &other.stones) > 0
        });
        moves.extend(others);
        moves
    }

    fn order(&self, us: Colour, moves: &mut [Candidate], ply: usize) {
        let history = &self.history[us.index()];
        let killers = &self.killers[ply.min(self.killers.len() - 1)];
        for candidate in moves.iter_mut() {
            let past: i32 = candidate
                .stones
                .iter()
                .map(|stone| history[stone.index()])
                .sum();
            candidate.worth += past.min(150);
            if killers.contains(&candidate.stones) {
                candidate.worth += 200;
            }
        }
        moves.sort_by_key(|candidate| -candidate.worth);
    }

    fn reward(&mut self, us: Colour, stones: &Blocks, depth: i32, ply: usize) {
        for stone in stones {
            let count = &mut self.history[us.index()][stone.index()];
            *count = (*count + depth * depth).min(600);
        }
        let at = ply.min(self.killers.len() - 1);
        let killers = &mut self.killers[at];
        if killers[0] != *stones {
            killers.swap(0, 1);
            killers[0] = stones.clone();
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn keep(
        &self,
        key: u64,
        score: i32,
        depth: i8,
        bound: Bound,
        effort: u8,
        best: &[Square],
        ply: usize,
    ) {
        let entry = Entry {
            score: to_table(score, ply) as i16,
            depth,
            bound,
            effort,
            best: pack(best),
        };
        self.table.put(key, entry);
    }
}

/// Wins are kept with the turns from the position on, not from the root.
fn to_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > WON => s + ply as i32,
        s if s < -WON => s - ply as i32,
        s => s,
    }
}

fn from_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > WON => s - ply as i32,
        s if s < -WON => s + ply as i32,
        s => s,
    }
}
