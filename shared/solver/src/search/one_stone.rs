//! What is different with one stone a turn: fours are searched apart, threes have a generator of
//! their own, and orders lie far apart in cost.

use std::cmp::Reverse;

use gridproof_game::{Square, SquareSet};
use gridproof_threats::Shape;
use gridproof_threats::windows::{Windows, all_cells, covering, offsets};

use super::Search;
use crate::attacks::Candidate;
use crate::fours::Fours;
use crate::order::Order;
use crate::tree::{AttackMove, INFINITE, Kind, NodeId, Number, Successor};

/// Nodes for the search of fours at a position. Few need more than a hundred.
const NODES_FOR_FOURS: u64 = 1_000;

/// A guess at the proof number after a four, the so-manieth of a position.
const fn number_of_four(place: u32) -> Number {
    2 + place / 4
}

/// The same after a three. Of 80 random positions of four stones of either side on 15x15, 49 are
/// won so within 100,000 nodes each, 922,000 in all; with 3 and 5 for 2 fewer with more.
const fn number_of_three(place: u32) -> Number {
    2 + place / 2
}

/// The same after a quiet move of a higher order: whether it threatens anything is not known yet.
fn number_of_quiet(order: Order, place: u32) -> Number {
    5 + 2 * Number::from(order.0.saturating_sub(2)) + place
}

impl<S: Shape> Search<'_, '_, S> {
    /// Gives a leaf its moves where this file knows how to, or settles it by fours alone.
    pub(super) fn expand_with_one_stone(&mut self, id: NodeId) -> bool {
        let found = self
            .fours
            .search(self.board, self.attacker, NODES_FOR_FOURS, self.budget);
        let order = self.tree.get(id).order;
        match found {
            Fours::Won(line) => {
                self.settle_by_line(id, &line);
                true
            }
            Fours::NoWin if order == Order::DOUBLE_THREATS => {
                self.give_moves(id, Vec::new());
                true
            }
            Fours::NoWin if order == Order::of_quiet_moves(1) && !self.options.exhaustive => {
                self.narrowed = true;
                let moves = self.threes();
                self.give_moves(id, moves);
                true
            }
            Fours::NoWin | Fours::Unknown => false,
        }
    }

    /// These are all moves of a node; without any it is refuted.
    fn give_moves(&mut self, id: NodeId, moves: Vec<AttackMove>) {
        let has_none = moves.is_empty();
        let moves = self.tree.keep_moves(moves);
        let node = self.tree.get_mut(id);
        if has_none {
            (node.proof, node.disproof) = (INFINITE, 0);
        }
        node.kind = Kind::Attack(moves);
    }

    /// Fours and threes, best first, or the only square where the defender does not complete a
    /// line. A three is a stone on a segment that is then two short of being complete: nearly all
    /// that threatens to win by fours is one.
    fn threes(&mut self) -> Vec<AttackMove> {
        let defender = self.defender();
        if self.board.can_complete(defender) {
            let squares = self.board.threat_empties(defender);
            let mut squares = squares.iter();
            return match (squares.next(), squares.next()) {
                (Some(block), None) => vec![self.unseen(block, 1)],
                _ => Vec::new(),
            };
        }
        let (scored, fours) = self.scored_threes();
        let (mut of_four, mut of_three) = (0, 0);
        let moves = scored.into_iter().map(|(square, _)| {
            let number = if fours.contains(square) {
                of_four += 1;
                number_of_four(of_four)
            } else {
                of_three += 1;
                number_of_three(of_three)
            };
            self.unseen(square, number)
        });
        moves.collect()
    }

    fn unseen(&mut self, square: Square, number: Number) -> AttackMove {
        AttackMove::new(self.tree.pack(&[square]), Successor::Unseen(number))
    }

    /// The squares of fours and threes with what they are worth, best first, and those of fours.
    fn scored_threes(&self) -> (Vec<(Square, u32)>, SquareSet) {
        let (shape, geometry) = (self.board.shape(), self.board.geometry());
        let least = shape.in_a_row() as i32 - 3;
        let mut scored: Vec<(Square, u32)> = Vec::with_capacity(48);
        let mut fours = SquareSet::EMPTY;
        for line in geometry.lines() {
            let stones = self.board.stones_on(line, self.attacker);
            let open = self.board.open_on(line, self.attacker);
            if open == 0 || (stones == 0 && least > 0) {
                continue;
            }
            let windows = Windows::count(shape, stones);
            let threes = windows.at_least(least) & open;
            if threes == 0 {
                continue;
            }
            let of_fours = windows.at_least(least + 1) & open;
            for offset in offsets(all_cells(shape, threes) & self.board.empties_on(line)) {
                let square = geometry.square(line, offset);
                let through = covering(shape, offset);
                if of_fours & through != 0 {
                    fours.insert(square);
                }
                let worth = (threes & through).count_ones() + 4 * (of_fours & through).count_ones();
                match scored.iter_mut().find(|(known, _)| *known == square) {
                    Some((_, known)) => *known += worth,
                    None => scored.push((square, worth)),
                }
            }
        }
        for (square, worth) in &mut scored {
            *worth += self.history.of(*square) / 8;
        }
        scored.sort_unstable_by_key(|&(square, worth)| (Reverse(worth), square));
        (scored, fours)
    }

    /// The same position in a search of the next lower order, to be tried like a move. With one
    /// stone a turn the orders are far apart in cost, and most of what wins needs a low one. With
    /// more, the orders below the one asked for are tried before it.
    pub(super) fn lower_order(&mut self, order: Order) -> Option<AttackMove> {
        if self.board.shape().stones_per_turn() > 1 || order == Order::DOUBLE_THREATS {
            return None;
        }
        let lower = self.attack_node(Order(order.0 - 1));
        let none = self.tree.pack(&[]);
        Some(AttackMove::new(none, Successor::LowerOrder(lower)))
    }
}

/// A guess at the proof number after a move that nobody has looked at, the so-manieth in the order
/// of the generator. With several stones a turn, as tuned for Connect6: a threat less is worth a
/// hundred leaves, but the first quiet move of a path less than that, as else none would be looked
/// at while there are single threats, and each further one more. With one stone a turn nearly all
/// that wins has quiet moves in it, so these cost little more, by their place and by how high the
/// order is.
pub(super) fn first_number(
    p: u32,
    order: Order,
    candidate: &Candidate,
    place: u32,
    quiet_moves: u32,
) -> Number {
    match (p, candidate.threats) {
        (1, 0) => number_of_quiet(order, place),
        (1, _) => number_of_four(place),
        (_, 0) if quiet_moves == 0 => 62,
        (_, 0) => 2 + 100 * p + 200 * quiet_moves,
        (_, threats) => 2 + 100 * p.saturating_sub(threats),
    }
}
