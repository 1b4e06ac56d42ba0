//! Writes what a search has proved.

use gridproof_certificate::{HoldLink, HoldNode, HoldProof};
use gridproof_game::{Move, Position};
use rustc_hash::FxHashMap;

use super::board::{Stones, Turn};
use super::{Search, pairing};

/// Nodes that are written, by their positions' least images.
#[derive(Default)]
struct Written {
    nodes: Vec<HoldNode>,
    by_stones: FxHashMap<(Stones, Turn), u32>,
}

impl Search<'_, '_, '_> {
    /// The proof of a position that was proved.
    pub(super) fn write(&self, start: &Position, stones: Stones, turn: Turn) -> HoldProof {
        let mut written = Written::default();
        let root = self.node(stones, turn, &mut written);
        written.nodes.push(root);
        HoldProof {
            start: start.clone(),
            holder: self.holder,
            nodes: written.nodes,
        }
    }

    /// What to do in a proved position; what it rests on is written before.
    fn node(&self, stones: Stones, turn: Turn, written: &mut Written) -> HoldNode {
        let geometry = self.geometry;
        let mv = |bits| Move::full(geometry.squares(bits));
        let length = geometry.turn_length(stones, turn.colour(self.holder));
        let no_pairing = HoldNode::Pairing { groups: Vec::new() };
        if length == 0 {
            return no_pairing;
        }
        match turn {
            Turn::Holder => {
                if let Some(squares) = geometry.completing(stones.holder, stones.opponent, length) {
                    let filled = fill(squares, geometry.empties(stones), length);
                    return HoldNode::Hold {
                        mv: mv(filled),
                        then: None,
                    };
                }
                let p = geometry.stones_per_turn();
                let threats = geometry.threats(stones.opponent, stones.holder, p);
                let moves = geometry.blocking_moves(stones, length, &threats);
                let proved = moves.into_iter().find(|&bits| {
                    let after = stones.with(turn, bits);
                    self.numbers(after, turn.other()).proof == 0
                });
                let bits = proved.expect("a proved position has a proved move");
                HoldNode::Hold {
                    mv: mv(bits),
                    then: Some(self.link(stones.with(turn, bits), turn.other(), written)),
                }
            }
            Turn::Opponent => {
                if let Some(groups) = pairing::find(geometry, stones) {
                    let squares = |group: u128| geometry.squares(group).collect();
                    let groups = groups.into_iter().map(squares).collect();
                    return HoldNode::Pairing { groups };
                }
                let p = geometry.stones_per_turn();
                let threats = geometry.threats(stones.holder, stones.opponent, p);
                let moves = geometry.blocking_moves(stones, length, &threats);
                let replies = moves.into_iter().map(|bits| {
                    let after = stones.with(turn, bits);
                    (mv(bits), self.link(after, turn.other(), written))
                });
                HoldNode::Oppose {
                    replies: replies.collect(),
                }
            }
        }
    }

    fn link(&self, stones: Stones, turn: Turn, written: &mut Written) -> HoldLink {
        let (image, symmetry) = self.geometry.canonical(stones);
        if let Some(&node) = written.by_stones.get(&(image, turn)) {
            return HoldLink { node, symmetry };
        }
        let node = self.node(image, turn, written);
        written.nodes.push(node);
        let node = written.nodes.len() as u32 - 1;
        written.by_stones.insert((image, turn), node);
        HoldLink { node, symmetry }
    }
}

/// Some squares, and any others to make up a turn.
fn fill(squares: u128, empties: u128, length: u32) -> u128 {
    let mut filled = squares;
    let mut rest = empties & !squares;
    while filled.count_ones() < length {
        filled |= rest & rest.wrapping_neg();
        rest &= rest - 1;
    }
    filled
}
