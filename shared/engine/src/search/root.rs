//! The search at its root, where moves keep their scores from depth to depth.

use gridproof_game::{Colour, Square};
use gridproof_threats::{Blocks, Shape};
use smallvec::SmallVec;

use super::generate::{Width, generate};
use super::pvs::{Searcher, WIN};
use super::table::unpack;

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) stones: Blocks,
    /// When it was last the best.
    pub(super) score: i32,
    pub(super) depth: usize,
    /// The last score of any kind.
    pub(super) bound: i32,
}

impl RootMove {
    pub(super) fn new(stones: Blocks) -> Self {
        Self {
            stones,
            score: -WIN,
            depth: 0,
            bound: -WIN,
        }
    }
}

/// By how much less a move is searched that so many are better than.
fn less(place: usize, depth: usize) -> i32 {
    const FROM: [(usize, usize); 4] = [(4, 3), (12, 4), (30, 5), (60, 5)];
    let is_late = |&&(after, deep): &&(usize, usize)| place >= after && depth >= deep;
    FROM.iter().filter(is_late).count() as i32
}

impl<S: Shape> Searcher<'_, S> {
    /// Scores the root's moves to a depth, best first; what was not searched keeps its place.
    /// Returns the score of the first, or none if the search was stopped before it had one.
    pub(super) fn root(&mut self, us: Colour, moves: &mut [RootMove], depth: usize) -> Option<i32> {
        self.root_depth = depth;
        for table in &mut self.history {
            for count in table.iter_mut() {
                *count /= 2;
            }
        }
        let mut best: Option<i32> = None;
        for i in 0..moves.len() {
            let alpha = best.unwrap_or(-WIN);
            self.state.place_all(&moves[i].stones, us);
            let child = depth as i32 - 1;
            let late = less(i, depth);
            let mut score = -WIN;
            if best.is_none() {
                score = -self.search(us.other(), child, -WIN, WIN, 1, true);
            } else {
                score =
                    score.max(-self.search(us.other(), child - late, -alpha - 1, -alpha, 1, true));
                if score > alpha && !self.stopped {
                    score = -self.search(us.other(), child, -WIN, -alpha, 1, true);
                }
            }
            self.state.undo_all(moves[i].stones.len());
            if self.stopped {
                return best;
            }
            moves[i].bound = score;
            if best.is_none_or(|best| score > best) {
                best = Some(score);
                moves[i].score = score;
                moves[i].depth = depth;
                moves[..=i].rotate_right(1);
            }
        }
        best
    }

    /// The moves of the root: the wider the better, for it is looked at once a depth.
    pub(super) fn root_moves(
        &mut self,
        us: Colour,
        bases: &[Blocks],
        width: Width,
    ) -> Vec<RootMove> {
        let found = generate(&mut self.state, us, bases, self.stones_per_turn, width);
        found
            .into_iter()
            .map(|candidate| RootMove::new(candidate.stones))
            .collect()
    }

    /// How the game goes on from the root's move, as far as is known.
    pub(super) fn line(&mut self, us: Colour, first: &[Square], most: usize) -> Vec<Blocks> {
        let mut line = vec![Blocks::from_slice(first)];
        self.state.place_all(first, us);
        let mut side = us.other();
        while line.len() < most {
            let (key, symmetry) = self.state.keys.lowest(side);
            let Some(entry) = self.table.get(key) else {
                break;
            };
            let stones = self
                .state
                .keys
                .seen(&unpack(entry.best), symmetry.inverse());
            let board = &self.state.board;
            let fits =
                |square: &Square| board.rules().contains(*square) && board.is_empty_at(*square);
            if stones.len() != self.stones_per_turn || !stones.iter().all(fits) {
                break;
            }
            self.state.place_all(&stones, side);
            line.push(stones);
            side = side.other();
        }
        let count = line.iter().map(SmallVec::len).sum();
        self.state.undo_all(count);
        line
    }
}
