//! Wins by fours and threes against a defender who answers each three on all squares at once, with
//! one stone a turn.
//!
//! Such a search has no branches but the attacker's own. It is a guide and no proof: it passes over
//! fours with which the defender may break a line.

use std::cmp::Reverse;
use std::rc::Rc;

use gridproof_game::{Colour, Square, zobrist};
use gridproof_threats::windows::{Windows, all_cells, covering, offsets};
use gridproof_threats::{LineRef, Shape, ThreatBoard};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::budget::Budget;
use crate::fours::{Four, doubles, forced_block, fours};

/// Threes in a line that wins, at most.
const DEEPEST: u8 = 8;

/// Positions that a table keeps before it is emptied.
const KEPT: usize = 1 << 20;

/// Finds lines of fours and threes for one side, and remembers what it has tried.
#[derive(Debug, Default)]
pub(crate) struct ThreeSearch {
    /// Positions with the attacker to move, where so many threes do not win.
    failed: FxHashMap<u64, u8>,
    /// What whole searches came to, and what is left of their lines after an answer.
    known: FxHashMap<u64, Option<Rc<[Square]>>>,
}

/// A three, and where the defender may answer it.
struct Three {
    square: Square,
    answers: SmallVec<[Square; 4]>,
}

/// The nodes ran out.
struct Over;

impl ThreeSearch {
    /// The first move of a line that wins for the attacker, who is to move. None if there is none,
    /// or if `nodes` are too few to find it.
    ///
    /// Once an answer stands on the board the rest of the line comes first: it needs none of the
    /// other squares where the defender could have answered, so it wins against all of them.
    pub(crate) fn search<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<Square> {
        if self.failed.len() > KEPT {
            self.failed.clear();
        }
        if self.known.len() > KEPT {
            self.known.clear();
        }
        let key = board.key();
        let line = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = self.line(board, attacker, nodes, budget);
                self.known.insert(key, found.clone());
                found
            }
        }?;
        let first = *line.first()?;
        if !board.is_empty_at(first) {
            return None;
        }
        if line.len() > 1 {
            board.place(first, attacker);
            let answers = match board.threat_empties(attacker) {
                four if !four.is_empty() => four.iter().collect(),
                _ => answers(&fours(board, attacker, None)).unwrap_or_default(),
            };
            let after = board.key();
            board.undo();
            let rest: Rc<[Square]> = line[1..].into();
            for answer in answers {
                let key = after ^ zobrist::stone(attacker.other(), answer);
                self.known
                    .entry(key)
                    .or_insert_with(|| Some(Rc::clone(&rest)));
            }
        }
        Some(first)
    }

    fn line<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<Rc<[Square]>> {
        let mut run = Run {
            failed: &mut self.failed,
            board,
            attacker,
            left: nodes,
            budget,
            line: Vec::new(),
        };
        for threes in 1..=DEEPEST {
            match run.deepen(threes) {
                Ok(true) => return Some(run.line.iter().rev().copied().collect()),
                Ok(false) => {}
                Err(Over) => return None,
            }
        }
        None
    }
}

struct Run<'a, 'b, S: Shape> {
    failed: &'a mut FxHashMap<u64, u8>,
    board: &'a mut ThreatBoard<S>,
    attacker: Colour,
    left: u64,
    budget: &'a mut Budget<'b>,
    /// Last move first.
    line: Vec<Square>,
}

impl<S: Shape> Run<'_, '_, S> {
    /// Whether a line with at most so many threes wins.
    fn deepen(&mut self, threes: u8) -> Result<bool, Over> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if let Some(square) = self.board.threat_empties(attacker).iter().next() {
            self.line.push(square);
            return Ok(true);
        }
        let key = self.board.key();
        if self.failed.get(&key).is_some_and(|&tried| tried >= threes) {
            return Ok(false);
        }
        if self.left == 0 || self.budget.is_over() {
            return Err(Over);
        }
        self.left -= 1;
        self.budget.spend();
        let Ok(forced) = forced_block(self.board, defender) else {
            return Ok(false);
        };
        let fours = fours(self.board, attacker, forced);
        if let Some(square) = doubles(&fours).next() {
            self.line.push(square);
            return Ok(true);
        }
        for &(square, reply) in &fours {
            if self.wins_after(square, &[reply], threes)? {
                self.line.push(square);
                return Ok(true);
            }
        }
        if threes > 0 {
            for Three { square, answers } in self.threes(forced) {
                if answers.is_empty() || self.wins_after(square, &answers, threes - 1)? {
                    self.line.push(square);
                    return Ok(true);
                }
            }
        }
        self.failed.insert(key, threes);
        Ok(false)
    }

    fn wins_after(&mut self, square: Square, answers: &[Square], threes: u8) -> Result<bool, Over> {
        let defender = self.attacker.other();
        self.board.place(square, self.attacker);
        self.board.place_all(answers, defender);
        // Stones that he could not all place may make a line that he could not make.
        let won = match self.board.has_completed(defender) {
            true => Ok(false),
            false => self.deepen(threes),
        };
        self.board.undo_all(1 + answers.len());
        won
    }

    /// Moves after which the next four would leave two squares, those with the fewest answers
    /// first; only one square if that is forced.
    fn threes(&mut self, forced: Option<Square>) -> Vec<Three> {
        let mut squares = self.squares_of_threes();
        squares.retain(|(square, _)| forced.is_none_or(|forced| forced == *square));
        squares.sort_unstable_by_key(|&(square, worth)| (Reverse(worth), square));
        let mut found = Vec::with_capacity(squares.len());
        for (square, _) in squares {
            self.board.place(square, self.attacker);
            let fours = fours(self.board, self.attacker, None);
            self.board.undo();
            if let Some(answers) = answers(&fours) {
                found.push(Three { square, answers });
            }
        }
        found.sort_by_key(|three| three.answers.len());
        found
    }

    /// Empty squares on segments that are then two short, with what they are worth.
    fn squares_of_threes(&self) -> SmallVec<[(Square, u32); 32]> {
        let (shape, geometry) = (self.board.shape(), self.board.geometry());
        let least = shape.in_a_row() as i32 - 3;
        let mut found: SmallVec<[(Square, u32); 32]> = SmallVec::new();
        for line in geometry.lines() {
            let stones = self.board.stones_on(line, self.attacker);
            let open = self.board.open_on(line, self.attacker);
            if open == 0 || (stones.count_ones() as i32) < least {
                continue;
            }
            let threes = Windows::count(shape, stones).at_least(least) & open;
            // A four that leaves two squares lies on two segments.
            if threes & (threes - u32::from(threes != 0)) == 0 {
                continue;
            }
            for offset in offsets(all_cells(shape, threes) & self.board.empties_on(line)) {
                if (threes & covering(shape, offset)).count_ones() < 2 {
                    continue;
                }
                let square = geometry.square(line, offset);
                if found.iter().all(|&(known, _)| known != square) {
                    found.push((square, self.worth(square)));
                }
            }
        }
        found
    }

    /// How many of the attacker's stones stand on open segments through a square.
    fn worth(&self, square: Square) -> u32 {
        let shape = self.board.shape();
        let on_lines = self.board.geometry().on_lines(square);
        let worth = on_lines.iter().map(|&LineRef { line, offset }| {
            let open = self.board.open_on(line, self.attacker) & covering(shape, offset);
            (self.board.stones_on(line, self.attacker) & all_cells(shape, open)).count_ones()
        });
        worth.sum()
    }
}

/// The squares each of which takes from the attacker all fours that leave two squares; `None` if
/// there are no such fours.
fn answers(fours: &[Four]) -> Option<SmallVec<[Square; 4]>> {
    let mut common: Option<SmallVec<[Square; 4]>> = None;
    for square in doubles(fours) {
        let replies = || fours.iter().filter(|four| four.0 == square);
        // Two squares are left: either of them stops it, as does the four's own. Of more, none.
        let mut left: SmallVec<[Square; 4]> = replies().map(|four| four.1).collect();
        left.sort_unstable();
        left.dedup();
        if left.len() > 2 {
            left.clear();
        }
        left.push(square);
        match &mut common {
            None => common = Some(left),
            Some(common) => common.retain(|known| left.contains(known)),
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Rules, read_game};
    use gridproof_threats::{AnyBoard, Geometry, with_board};
    use std::sync::Arc;

    use super::*;

    /// The first move that is found, with Black to move.
    fn first_move(record: &str) -> Option<String> {
        let rules = Rules::new(15, 15, 5, 1, 1).expect("five in a row");
        let game = read_game(format!("15,15,5,1,1: {record}").as_bytes()).expect("a record");
        let position = game.position();
        assert_eq!(position.to_move(), Colour::Black);
        let board = AnyBoard::of_position(Arc::new(Geometry::new(rules)), position);
        let mut budget = Budget::of_nodes(10_000);
        with_board!(board, |board| {
            let mut board = board;
            let mut search = ThreeSearch::default();
            let found = search.search(&mut board, Colour::Black, 1_000, &mut budget);
            found.map(|square| square.to_string())
        })
    }

    #[test]
    fn two_open_threes_at_once_win() {
        assert_eq!(
            first_move("h8 a1 i8 a15 j9 o1 j10 o15"),
            Some("J8".to_owned())
        );
    }

    #[test]
    fn two_stones_far_from_each_other_win_nothing() {
        assert_eq!(first_move("c3 a1 m12 o1"), None);
    }
}
