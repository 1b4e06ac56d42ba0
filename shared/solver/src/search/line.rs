//! Lines of double threats that win against a defender who blocks everywhere at once.
//!
//! They stay lines: what they answer to each real block is played out when a zone or the proof is
//! wanted. Double threats take all stones of the defender, so no reply leaves any over.

use std::rc::Rc;

use gridproof_certificate::{Answer, BuildError, ProofBuilder, ProofId, Reply};
use gridproof_game::{Move, Square};
use gridproof_threats::{BlockList, Shape};

use super::Search;
use crate::defence::{Defence, defence};
use crate::tree::Line;
use crate::zone::{Stones, Zone};

/// What the next move of a line leaves the defender.
enum AfterMove {
    Completed,
    Blocks(BlockList),
}

impl<S: Shape> Search<'_, '_, S> {
    /// The first move of a line, which is on the board from now on, what it leaves the defender,
    /// and the rest of the line.
    fn play_first(&mut self, line: Line) -> (Stones, AfterMove, Line) {
        let (first, rest) = self.tree.split_line(line);
        let stones = self.tree.stones(first);
        self.board.place_all(&stones, self.attacker);
        let after = if self.board.has_completed(self.attacker) {
            AfterMove::Completed
        } else {
            match defence(self.board, self.attacker) {
                Defence::Blocks(blocks) => AfterMove::Blocks(blocks),
                Defence::Holds => unreachable!("what beats all blocks at once beats each of them"),
            }
        };
        (stones, after, rest)
    }

    /// The zone of the board's position, which a line wins.
    pub(super) fn zone_of_line(&mut self, line: Line) -> Rc<Zone> {
        self.budget.spend();
        let (stones, after, rest) = self.play_first(line);
        let mut zone = match after {
            AfterMove::Completed => Zone::completed(self.board, self.defender()),
            AfterMove::Blocks(blocks) => {
                let mut zone = Zone::of_threats(self.board, self.attacker);
                self.add_answers(&mut zone, &blocks, rest);
                zone
            }
        };
        self.board.undo_all(stones.len());
        zone.keep(&stones);
        Rc::new(zone)
    }

    fn add_answers(&mut self, zone: &mut Zone, blocks: &BlockList, line: Line) {
        for block in blocks {
            self.board.place_all(block, self.defender());
            self.add_line(zone, line, block);
            self.board.undo_all(block.len());
        }
    }

    /// Adds what a line needs after a block, which is on the board, to the zone of the position
    /// before it.
    pub(super) fn add_line(&mut self, zone: &mut Zone, line: Line, block: &[Square]) {
        self.budget.spend();
        let (stones, after, rest) = self.play_first(line);
        match after {
            // The limits of the position before the block are lower than those of a completed line.
            AfterMove::Completed => {}
            AfterMove::Blocks(blocks) => {
                zone.add_threats(self.board, self.attacker, block);
                self.add_answers(zone, &blocks, rest);
            }
        }
        self.board.undo_all(stones.len());
        zone.keep(&stones);
    }

    /// Writes the proof of the board's position, which a line wins.
    pub(super) fn write_line(
        &mut self,
        line: Line,
        builder: &mut ProofBuilder,
    ) -> Result<ProofId, BuildError> {
        let (stones, after, rest) = self.play_first(line);
        let then = match after {
            AfterMove::Completed => None,
            AfterMove::Blocks(blocks) => {
                let mut replies = Vec::with_capacity(blocks.len());
                for block in &blocks {
                    self.board.place_all(block, self.defender());
                    let answer = Answer::Proof(self.write_line(rest, builder)?);
                    self.board.undo_all(block.len());
                    let mv = Move::full(block.iter().copied());
                    replies.push(Reply { mv, answer });
                }
                Some(builder.defend(replies)?)
            }
        };
        self.board.undo_all(stones.len());
        builder.attack(Move::full(stones), then)
    }
}
