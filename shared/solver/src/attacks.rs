//! The attacker's candidate moves: those that leave enough threats, best first.

mod history;
mod line_scores;

use gridproof_game::{Colour, Square, SquareSet};
use gridproof_threats::windows::{Windows, all_cells, covering, offsets};
use gridproof_threats::{Attack, AttackList, BlockList, Blocks, LineRef, Shape, ThreatBoard};

pub(crate) use history::History;
use line_scores::LineScores;

use crate::budget::Budget;
use crate::defence::{Defence, defence};
use crate::order::Order;
use crate::zone::Stones;

/// A move of the attacker, not looked at yet: the defender may even complete a line after it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) stones: Stones,
    /// The least number of threats that it leaves.
    pub(crate) threats: u32,
    score: u32,
}

/// What the attacker can do in a position.
#[derive(Debug)]
pub(crate) enum Candidates {
    /// A move that completes a line.
    Complete(Stones),
    /// A move that leaves more threats than the defender has stones.
    Overwhelm(Stones),
    /// Nothing that wins at once. `all` is false where moves of this order were left out.
    Try { moves: Vec<Candidate>, all: bool },
}

/// How many ways to place the stones that an attack leaves free are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Only the best few.
    Narrow(usize),
    /// One way, and of moves that need none so many, the best.
    Best(usize),
    /// All of them: what fails then is no win.
    All,
}

impl Width {
    /// On how many squares free stones are tried, if not on all.
    const fn fillers(self) -> usize {
        match self {
            Self::Narrow(fillers) => fillers,
            Self::Best(_) => 1,
            Self::All => usize::MAX,
        }
    }
}

/// Of moves that leave the defender a free stone, this many are kept for each filler.
const MOVES_PER_FILLER: usize = 3;

/// With one stone a turn a filler is a whole move, and many times as many can be tried.
const FILLERS_OF_ONE_STONE: usize = 8;

/// How many squares are tried for a free stone.
const fn fillers_for(stones_per_turn: u32, width: usize) -> usize {
    match stones_per_turn {
        1 => FILLERS_OF_ONE_STONE * width,
        _ => width,
    }
}

/// Finds moves; holds the buffers it needs, so that a search allocates them once.
#[derive(Debug)]
pub(crate) struct MoveGenerator {
    attacks: AttackList,
    scores: Vec<u32>,
    scored: Vec<Square>,
    lines: LineScores,
}

impl MoveGenerator {
    pub(crate) fn new() -> Self {
        Self {
            attacks: Vec::new(),
            scores: vec![0; Square::COUNT],
            scored: Vec::new(),
            lines: LineScores::new(),
        }
    }

    /// The attacker's moves of an order, or one that wins at once.
    pub(crate) fn candidates<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        order: Order,
        width: Width,
        history: &History,
        budget: &mut Budget<'_>,
    ) -> Candidates {
        let p = board.shape().stones_per_turn();
        let length = board.empty_count().min(p as usize);
        budget.spend();
        if let Some(stones) = board.completing_stones(attacker) {
            return Candidates::Complete(filled(board, stones.into_iter().collect(), length));
        }
        let least = order.least_threats(p);
        let mut all = true;
        let mut candidates: Vec<Candidate> = Vec::new();
        // Moves with more threats first; each has also the fewer threats that a lower bound asks.
        for threats in (least..=p).rev() {
            let mut sets = self.sets(board, attacker, threats, length);
            let wins = |set: &&Attack| {
                set.threats > p && blocks_after(board, attacker, &set.stones).is_some()
            };
            if let Some(set) = sets.iter().find(wins) {
                let stones = set.stones.clone();
                self.attacks = sets;
                self.forget_scores();
                return Candidates::Overwhelm(filled(board, stones, length));
            }
            if sets.is_empty() {
                self.attacks = sets;
                continue;
            }
            let is_whole = sets.iter().all(|set| set.stones.len() == length);
            if is_whole && threats == least && candidates.is_empty() {
                let squares = sets.iter().flat_map(|set| &set.stones);
                self.score_these(board, attacker, history, squares);
            } else if self.scored.is_empty() {
                self.score(board, attacker, history);
            }
            let mut moves = Vec::new();
            let fillers = match width {
                _ if is_whole => Vec::new(),
                Width::All => board.empties().iter().collect(),
                Width::Narrow(_) | Width::Best(_) => {
                    all = false;
                    self.fillers(board, fillers_for(p, width.fillers()))
                }
            };
            if is_whole && let Width::Best(count) = width {
                let moves = sets.drain(..).map(|set| Candidate {
                    score: self.score_of(&set.stones),
                    stones: set.stones,
                    threats,
                });
                keep_best(moves, count, &mut candidates);
                self.attacks = sets;
                continue;
            }
            for set in sets.drain(..) {
                extend(board, set.stones, length, &fillers, &mut moves);
            }
            self.attacks = sets;
            if p == 1 && threats == 0 && order == Order::of_quiet_moves(1) {
                retain_lasting_threats(board, attacker, &mut moves);
            }
            // Only fillers lead to the same move in several ways.
            if !fillers.is_empty() {
                moves.sort_unstable();
                moves.dedup();
            }
            if threats < p {
                moves.retain(|stones| candidates.iter().all(|known| known.stones != *stones));
            }
            let from = candidates.len();
            candidates.extend(moves.into_iter().map(|stones| Candidate {
                score: self.score_of(&stones),
                stones,
                threats,
            }));
            candidates[from..].sort_by_key(|c| std::cmp::Reverse(c.score));
            if let Width::Narrow(width) = width
                && threats < p
                && candidates.len() - from > MOVES_PER_FILLER * fillers_for(p, width)
            {
                candidates.truncate(from + MOVES_PER_FILLER * fillers_for(p, width));
                all = false;
            }
        }
        self.forget_scores();
        Candidates::Try {
            moves: candidates,
            all,
        }
    }

    /// Sets of stones that leave at least so many threats, each with the number it leaves,
    /// and that answer a defender who is about to complete a line.
    fn sets<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        least: u32,
        length: usize,
    ) -> AttackList {
        let mut found = std::mem::take(&mut self.attacks);
        let blocks = board.minimal_blocks(attacker.other());
        let nothing_to_block = blocks.first().is_some_and(Blocks::is_empty);
        if nothing_to_block && least > 0 {
            board.attacks_of_at_most(length as u32, attacker, least, &mut found);
            return found;
        }
        found.clear();
        let mut more = AttackList::new();
        for block in blocks {
            if block.len() > length {
                continue;
            }
            if least == 0 {
                found.push(Attack {
                    stones: block,
                    threats: 0,
                });
                continue;
            }
            let left = (length - block.len()) as u32;
            board.place_all(&block, attacker);
            board.attacks_of_at_most(left, attacker, least, &mut more);
            board.undo_all(block.len());
            for attack in &more {
                let mut stones = Stones::from_slice(&block);
                stones.extend_from_slice(&attack.stones);
                stones.sort_unstable();
                found.push(Attack {
                    stones,
                    threats: attack.threats,
                });
            }
        }
        found
    }

    fn score_of(&self, stones: &[Square]) -> u32 {
        stones.iter().map(|stone| self.scores[stone.index()]).sum()
    }

    /// Scores every empty square by the attacker's segments through it.
    fn score<S: Shape>(&mut self, board: &ThreatBoard<S>, attacker: Colour, history: &History) {
        self.forget_scores();
        for line in board.geometry().lines() {
            let stones = board.stones_on(line, attacker);
            let open = board.open_on(line, attacker);
            if stones == 0 || open == 0 {
                continue;
            }
            let on_line = self.lines.of(board.shape(), line, stones, open);
            for offset in offsets(on_line.scored & board.empties_on(line)) {
                let square = board.geometry().square(line, offset);
                if self.scores[square.index()] == 0 {
                    self.scored.push(square);
                    self.scores[square.index()] = history.of(square);
                }
                self.scores[square.index()] += on_line.scores[usize::from(offset)];
            }
        }
    }

    /// Scores only these squares, each once: as [`Self::score`] does.
    fn score_these<'s, S: Shape>(
        &mut self,
        board: &ThreatBoard<S>,
        attacker: Colour,
        history: &History,
        squares: impl Iterator<Item = &'s Square>,
    ) {
        self.forget_scores();
        for &square in squares {
            if self.scores[square.index()] != 0 {
                continue;
            }
            let mut score = 0;
            for &LineRef { line, offset } in board.geometry().on_lines(square) {
                let stones = board.stones_on(line, attacker);
                let open = board.open_on(line, attacker);
                if stones != 0 && open & covering(board.shape(), offset) != 0 {
                    let on_line = self.lines.of(board.shape(), line, stones, open);
                    score += on_line.scores[usize::from(offset)];
                }
            }
            if score != 0 {
                self.scored.push(square);
                self.scores[square.index()] = score + history.of(square);
            }
        }
    }

    fn forget_scores(&mut self) {
        for square in self.scored.drain(..) {
            self.scores[square.index()] = 0;
        }
    }

    /// Squares for stones that are free. Where the attacker has nothing yet to add to, those near
    /// the centre.
    fn fillers<S: Shape>(&mut self, board: &ThreatBoard<S>, count: usize) -> Vec<Square> {
        if !self.scored.is_empty() {
            return self.best(count);
        }
        let centre = board.rules().centre();
        let mut squares: Vec<Square> = board.empties().iter().collect();
        squares.sort_by_key(|square| {
            let columns = u32::from(square.column().abs_diff(centre.column()));
            let rows = u32::from(square.row().abs_diff(centre.row()));
            columns * columns + rows * rows
        });
        squares.truncate(count);
        for (square, score) in squares.iter().rev().zip(1..) {
            self.scored.push(*square);
            self.scores[square.index()] = score;
        }
        squares
    }

    /// The squares with the highest scores, best first.
    fn best(&mut self, count: usize) -> Vec<Square> {
        let scores = &self.scores;
        let rank = |square: &Square| (std::cmp::Reverse(scores[square.index()]), *square);
        if count < self.scored.len() {
            self.scored.select_nth_unstable_by_key(count, rank);
        }
        let mut best: Vec<Square> = self.scored.iter().copied().take(count).collect();
        best.sort_unstable_by_key(rank);
        best
    }
}

/// With one stone a turn and the lowest order of quiet moves, keeps those after which a further
/// stone can threaten something: others do not win against the null move, for that win begins
/// with a threat.
fn retain_lasting_threats<S: Shape>(
    board: &ThreatBoard<S>,
    attacker: Colour,
    moves: &mut Vec<Stones>,
) {
    let shape = board.shape();
    let k = shape.in_a_row() as i32;
    let mut useful = SquareSet::EMPTY;
    for line in board.geometry().lines() {
        let stones = board.stones_on(line, attacker);
        let open = board.open_on(line, attacker);
        let windows = Windows::count(shape, stones);
        if windows.at_least(k - 2) & open != 0 {
            return;
        }
        let near = windows.at_least(k - 3) & open;
        if near != 0 {
            let cells = all_cells(shape, near) & board.empties_on(line);
            useful.extend(board.geometry().squares_of(line, cells));
        }
    }
    moves.retain(|stones| stones.iter().any(|stone| useful.contains(*stone)));
}

/// Adds so many of some moves, those with the highest scores first.
fn keep_best(moves: impl Iterator<Item = Candidate>, count: usize, best: &mut Vec<Candidate>) {
    let from = best.len();
    for candidate in moves {
        let place = best[from..]
            .iter()
            .position(|other| other.score < candidate.score);
        match place {
            Some(place) => best.insert(from + place, candidate),
            None if best.len() < from + count => best.push(candidate),
            None => {}
        }
        best.truncate(from + count);
    }
}

/// Fills up an attack to whole moves with each of some squares.
fn extend<S: Shape>(
    board: &ThreatBoard<S>,
    stones: Stones,
    length: usize,
    fillers: &[Square],
    moves: &mut Vec<Stones>,
) {
    if stones.len() == length {
        moves.push(stones);
        return;
    }
    let mut grown = false;
    for &square in fillers {
        if board.is_empty_at(square) && !stones.contains(&square) {
            let mut more = Stones::from_slice(&stones);
            more.push(square);
            more.sort_unstable();
            extend(board, more, length, fillers, moves);
            grown = true;
        }
    }
    if !grown {
        moves.push(filled(board, stones, length));
    }
}

/// How the defender can block after a move; `None` if the move lets him hold.
pub(crate) fn blocks_after<S: Shape>(
    board: &mut ThreatBoard<S>,
    attacker: Colour,
    stones: &[Square],
) -> Option<BlockList> {
    board.place_all(stones, attacker);
    let defence = defence(board, attacker);
    board.undo_all(stones.len());
    match defence {
        Defence::Holds => None,
        Defence::Blocks(blocks) => Some(blocks),
    }
}

/// A whole move: the stones that matter, and any others to make up the number. The fillers
/// become part of the proof's zone, so they go where the defender has least use for them.
fn filled<S: Shape>(board: &ThreatBoard<S>, mut stones: Stones, length: usize) -> Stones {
    if stones.len() < length {
        let taken: SquareSet = stones.iter().copied().collect();
        let free = board.empties().difference(&taken);
        stones.extend(free.iter().take(length - stones.len()));
        stones.sort_unstable();
    }
    stones
}
