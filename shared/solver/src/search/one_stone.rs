//! What is different with one stone a turn: fours are searched apart, threes have a generator and a
//! guide of their own, and orders lie far apart in cost.

use std::cmp::Reverse;

use gridproof_game::{Square, SquareSet, zobrist};
use gridproof_threats::Shape;
use gridproof_threats::windows::{Windows, all_cells, covering, offsets};

use smallvec::SmallVec;

use super::Search;
use crate::attacks::Candidate;
use crate::fours::Fours;
use crate::order::Order;
use crate::tree::{AttackMove, INFINITE, Kind, NodeId, Number, PackedStones, Successor};

/// Nodes for the search of fours at a position. Few need more than a hundred.
const NODES_FOR_FOURS: u64 = 1_000;

/// Nodes for the search of fours and threes at a position.
const NODES_FOR_THREES: u64 = 300;

/// Proof numbers of one stone a turn, before anybody has looked.
mod first {
    use crate::order::Order;
    use crate::tree::Number;

    /// After a four, the so-manieth of a position, where no line wins.
    pub(super) const fn of_four(place: u32) -> Number {
        2 + place / 4
    }

    /// The same after a three.
    pub(super) const fn of_three(place: u32) -> Number {
        2 + place / 2
    }

    /// From here on moves that need not threaten anything are looked at.
    pub(super) const QUIET: Number = 6;

    /// After a quiet move: the higher the order the longer it takes to know.
    pub(super) fn of_quiet(order: Order, place: u32) -> Number {
        QUIET + 2 * Number::from(order.0.saturating_sub(3)) + place
    }
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
            // What wins by fours and threes needs no other moves, and where the defender has a
            // stone less the same move has often won.
            Fours::NoWin if order > Order::of_quiet_moves(1) && !self.options.exhaustive => {
                let mut moves: Vec<AttackMove> = self.lower_order(order).into_iter().collect();
                if !self.board.can_complete(self.defender()) {
                    for square in self.wins_elsewhere() {
                        moves.push(self.unseen(square, 1));
                    }
                }
                let more = self.tree.pack(&[]);
                moves.push(AttackMove::new(more, Successor::Unseen(first::QUIET)));
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

    /// Fours and threes if a line of them seems to win, its own first, or the only square where the
    /// defender does not complete a line. A three is a stone on a segment that is then two short of being complete: nearly all
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
        let Some(best) = self.first_of_line() else {
            return Vec::new();
        };
        let (scored, fours) = self.scored_threes();
        let (mut of_four, mut of_three) = (0, 0);
        let moves = scored.into_iter().map(|(square, _)| {
            let number = if best == square {
                1
            } else if fours.contains(square) {
                of_four += 1;
                first::of_four(of_four)
            } else {
                of_three += 1;
                first::of_three(of_three)
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

    /// Whether this is no move yet: all moves are to be made once its turn comes.
    pub(super) fn stands_for_others(&self, mv: AttackMove) -> bool {
        matches!(mv.successor(), Successor::Unseen(_)) && self.is_no_stone(mv.stones)
    }

    /// Whether nothing is placed, which is no move with one stone a turn: on a full board, where a
    /// test has broken the rule that nobody moves there.
    pub(super) fn is_no_stone(&self, stones: PackedStones) -> bool {
        self.board.shape().stones_per_turn() == 1 && self.tree.count(stones) == 0
    }

    /// The moves that a node has, without the one that stands for all others.
    pub(super) fn moves_so_far(&mut self, id: NodeId) -> Vec<AttackMove> {
        let node = *self.tree.get(id);
        let Kind::Attack(moves) = node.kind else {
            return self.lower_order(node.order).into_iter().collect();
        };
        let moves = self.tree.moves(moves).iter().copied();
        moves.filter(|&mv| !self.stands_for_others(mv)).collect()
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

    /// The first move of a line of fours and threes that seems to win.
    fn first_of_line(&mut self) -> Option<Square> {
        self.threes
            .search(self.board, self.attacker, NODES_FOR_THREES, self.budget)
    }

    /// Sorts moves with one stone a turn, those that promise most first.
    pub(super) fn sort_by_promise(&self, moves: &mut [Candidate]) {
        if self.board.shape().stones_per_turn() > 1 || self.options.exhaustive {
            return;
        }
        moves.sort_by_cached_key(|candidate| {
            let square = candidate.stones.first();
            let promise = square.map_or(0, |&square| self.promise(square));
            (Reverse(candidate.threats), Reverse(promise))
        });
    }

    /// Remembers what wins the board's position.
    pub(super) fn note_win(&mut self, order: Order, stones: &[Square]) {
        if let [square] = *stones
            && self.board.shape().stones_per_turn() == 1
            && order > Order::of_quiet_moves(1)
        {
            self.wins.insert(self.board.key(), square);
        }
    }

    /// What wins where the defender has one stone less.
    fn wins_elsewhere(&self) -> SmallVec<[Square; 4]> {
        let defender = self.defender();
        let mut found: SmallVec<[Square; 4]> = SmallVec::new();
        for stone in self.board.stones(defender).iter() {
            let key = self.board.key() ^ zobrist::stone(defender, stone);
            if let Some(&square) = self.wins.get(&key)
                && self.board.is_empty_at(square)
                && !found.contains(&square)
            {
                found.push(square);
            }
        }
        found
    }

    /// What a stone on an empty square would bring: by the stones on the segments through it, the
    /// defender's for a quarter.
    fn promise(&self, square: Square) -> u32 {
        let shape = self.board.shape();
        let mut promise = 0;
        for at in self.board.geometry().on_lines(square) {
            let through = covering(shape, at.offset);
            for (side, weight) in [(self.attacker, 4), (self.defender(), 1)] {
                let open = self.board.open_on(at.line, side) & through;
                if open == 0 {
                    continue;
                }
                let windows = Windows::count(shape, self.board.stones_on(at.line, side));
                let with = |least| (windows.at_least(least) & open).count_ones();
                promise += weight * (open.count_ones() + 6 * with(1) + 20 * (with(2) + with(3)));
            }
        }
        promise
    }
}

/// A guess at the proof number after a move that nobody has looked at, the so-manieth in the order
/// of the generator. With several stones a turn, as tuned for Connect6: a threat less is worth a
/// hundred leaves, but the first quiet move of a path less than that, as else none would be looked
/// at while there are single threats, and each further one more. With one stone a turn nearly all
/// that wins has quiet moves in it, so these cost little more.
pub(super) fn first_number(
    p: u32,
    order: Order,
    candidate: &Candidate,
    place: u32,
    quiet_moves: u32,
) -> Number {
    match (p, candidate.threats) {
        (1, 0) => first::of_quiet(order, place),
        (1, _) => first::of_four(place),
        (_, 0) if quiet_moves == 0 => 62,
        (_, 0) => 2 + 100 * p + 200 * quiet_moves,
        (_, threats) => 2 + 100 * p.saturating_sub(threats),
    }
}
