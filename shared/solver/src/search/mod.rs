//! Proof-number search for the attacker: depth first, with the whole tree in memory.
//!
//! Attacker's nodes hold all moves of the search's order; for the defender's see `replies`.
//! See `docs/theory.md`, "Lambda orders" and "Which replies must be looked at".

mod line;
mod one_stone;
mod orders;
mod replies;
mod searcher;
mod write;
mod zones;

use gridproof_game::{Colour, Square, zobrist};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::attacks::{Candidates, History, MoveGenerator};
use crate::budget::Budget;
use crate::defence::{Defence, defence};
use crate::fours::FourSearch;
use crate::options::SolverOptions;
use crate::order::Order;
use crate::probe;
use crate::threes::ThreeSearch;
use crate::tree::{AttackMove, INFINITE, Kind, NodeId, Number, Successor, Tree, sum};
use crate::zone::Stones;

use one_stone::first_number;
pub(crate) use searcher::Searcher;

/// One search from one position.
#[derive(Debug)]
struct Search<'a, 'b, S: Shape> {
    board: &'a mut ThreatBoard<S>,
    attacker: Colour,
    options: SolverOptions,
    generator: &'a mut MoveGenerator,
    history: &'a mut History,
    fours: &'a mut FourSearch,
    threes: &'a mut ThreeSearch,
    /// What has won, by the key of the board.
    wins: &'a mut FxHashMap<u64, Square>,
    budget: &'a mut Budget<'b>,
    tree: &'a mut Tree,
    /// Some move of the order was left out somewhere.
    narrowed: bool,
    /// How many quiet moves lead to the board's position.
    quiet_moves: u32,
    root: Option<NodeId>,
    turn: Turn,
}

/// The search of one move of the root, until another gets its turn.
#[derive(Debug, Default)]
struct Turn {
    /// The budget's count of nodes at which it ends.
    ends: u64,
    /// Nodes spent on each of the root's moves.
    spent: Vec<u64>,
}

/// A turn has so many nodes.
const TURN: u64 = 4096;

/// So many nodes spent on a move of the root count as one leaf more that must be settled. A move
/// that looks well can else swallow all: its numbers grow less than the work behind them.
const NODES_PER_LEAF: u64 = 256;

impl Turn {
    fn add(&mut self, index: usize, nodes: u64) {
        if self.spent.len() <= index {
            self.spent.resize(index + 1, 0);
        }
        self.spent[index] += nodes;
    }
}

impl<S: Shape> Search<'_, '_, S> {
    fn defender(&self) -> Colour {
        self.attacker.other()
    }

    /// The key of the board's position.
    fn position_key(&self, to_move: Colour) -> u64 {
        let side = if to_move == Colour::White {
            zobrist::WHITE_TO_MOVE
        } else {
            0
        };
        self.board.key() ^ side
    }

    /// The same position is another node in a search of another order.
    fn node_key(&self, to_move: Colour, order: Order) -> u64 {
        self.position_key(to_move) ^ order_key(order)
    }

    /// The node of the board's position with the attacker to move.
    fn attack_node(&mut self, order: Order) -> NodeId {
        let key = self.node_key(self.attacker, order);
        self.tree.node(key, order)
    }

    /// The order of the search that answers a reply of so many stones: the next lower one if some
    /// are left out. With several stones a turn, a quiet move that does not threaten to win by
    /// double threats is not worth a longer look. With one stone a turn that would leave out
    /// most moves of nearly empty boards.
    fn order_of_answer(&mut self, order: Order, stones: usize) -> Order {
        let p = self.board.shape().stones_per_turn() as usize;
        if self.options.exhaustive || stones == p || order == Order::DOUBLE_THREATS {
            return order;
        }
        self.narrowed = true;
        if stones == 0 && p > 1 && self.is_quiet(order) {
            return Order::DOUBLE_THREATS;
        }
        Order(order.0 - 1)
    }

    /// Whether moves of an order need not threaten anything.
    pub(super) fn is_quiet(&self, order: Order) -> bool {
        order.least_threats(self.board.shape().stones_per_turn()) == 0
    }

    /// Searches the board's position, with the attacker to move.
    fn run(&mut self) -> NodeId {
        let root = self.attack_node(self.options.order);
        self.root = Some(root);
        let takes_turns = self.board.shape().stones_per_turn() > 1;
        loop {
            let turn = if takes_turns { TURN } else { u64::MAX };
            self.turn.ends = self.budget.spent().saturating_add(turn);
            self.attack(root, INFINITE, INFINITE);
            let node = self.tree.get(root);
            if node.proof == 0 || node.disproof == 0 || self.is_over() {
                return root;
            }
        }
    }

    /// Whether the search must end: its nodes are spent, its memory is full, or somebody
    /// cancelled it.
    fn is_over(&self) -> bool {
        self.budget.is_over() || self.tree.is_full()
    }

    /// Whether the search is over, or the root's next move may have its turn.
    fn pauses(&self) -> bool {
        self.budget.spent() >= self.turn.ends || self.is_over()
    }

    /// What a move of the root counts more for what was spent on it. With one stone a turn numbers
    /// are kept as they are.
    fn weariness(&self, is_root: bool, index: usize) -> Number {
        if !is_root || self.board.shape().stones_per_turn() == 1 {
            return 0;
        }
        let spent = self.turn.spent.get(index).copied().unwrap_or(0);
        Number::try_from(spent / NODES_PER_LEAF).unwrap_or(INFINITE)
    }

    /// Grows the tree under an attacker's node until a number reaches its threshold.
    fn attack(&mut self, id: NodeId, most_proof: Number, most_disproof: Number) {
        if let Kind::Leaf = self.tree.get(id).kind {
            self.expand(id);
        }
        // Nobody waits for a zone here: those who want them make sure of them first.
        self.tree.limit_zones();
        let is_root = self.root == Some(id);
        loop {
            let Kind::Attack(moves) = self.tree.get(id).kind else {
                return;
            };
            let mut best: Option<(usize, Number)> = None;
            let mut second = INFINITE;
            let mut disproof = 0;
            for (i, mv) in self.tree.moves(moves).iter().enumerate() {
                let (child_proof, child_disproof) = self.tree.numbers_after(mv.successor());
                disproof = sum([disproof, child_disproof].into_iter());
                let counts_for = match child_proof {
                    0 | INFINITE => child_proof,
                    _ => sum([child_proof, self.weariness(is_root, i)].into_iter()),
                };
                match best {
                    Some((_, least)) if counts_for >= least => second = second.min(counts_for),
                    _ => {
                        second = best.map_or(INFINITE, |(_, least)| least);
                        best = Some((i, counts_for));
                    }
                }
            }
            let Some((chosen, proof)) = best else {
                return;
            };
            let mv = self.tree.moves(moves)[chosen];
            if self.stands_for_others(mv) {
                self.expand_fully(id);
                continue;
            }
            let (stones, successor) = (self.tree.stones(mv.stones), mv.successor());
            let node = self.tree.get_mut(id);
            (node.proof, node.disproof) = (proof, if proof == 0 { INFINITE } else { disproof });
            if proof == 0 {
                match successor {
                    // What wins there wins here.
                    Successor::LowerOrder(lower) => {
                        self.tree.get_mut(id).kind = self.tree.get(lower).kind;
                    }
                    // Another move may be proved later, by way of another position. The zone is
                    // that of this one's proof, and so must be the proof that is written.
                    Successor::Node(then) => {
                        node.kind = Kind::Proved {
                            stones: mv.stones,
                            then,
                        };
                        let order = node.order;
                        self.history.reward(&stones);
                        self.note_win(order, &stones);
                    }
                    Successor::Unseen(_) | Successor::Failure => {
                        unreachable!("nobody has proved it")
                    }
                }
                return;
            }
            if disproof == 0 || proof >= most_proof || disproof >= most_disproof || self.pauses() {
                return;
            }
            let weariness = self.weariness(is_root, chosen);
            let within = |child_disproof: Number| {
                let proof = most_proof.min(second.saturating_add(1 + second / 8));
                let proof = proof.saturating_sub(weariness);
                let others = most_disproof.saturating_sub(disproof);
                (proof, others.saturating_add(child_disproof))
            };
            let before = self.budget.spent();
            self.board.place_all(&stones, self.attacker);
            match successor {
                Successor::Node(child) => {
                    let (proof, disproof) = within(self.tree.get(child).disproof);
                    let is_quiet = !self.board.can_complete(self.attacker);
                    self.quiet_moves += u32::from(is_quiet);
                    self.defend(child, proof, disproof);
                    self.quiet_moves -= u32::from(is_quiet);
                }
                Successor::LowerOrder(lower) => {
                    let (proof, disproof) = within(self.tree.get(lower).disproof);
                    self.attack(lower, proof, disproof);
                }
                Successor::Unseen(_) | Successor::Failure => {
                    let successor = self.look_after(id);
                    self.tree.moves_mut(moves)[chosen].set_successor(successor);
                }
            }
            self.board.undo_all(stones.len());
            if is_root {
                self.turn.add(chosen, self.budget.spent() - before);
            }
        }
    }

    /// Looks for the first time at the position after an attacker's move, which is on the board.
    fn look_after(&mut self, attack: NodeId) -> Successor {
        self.budget.spend();
        match defence(self.board, self.attacker) {
            Defence::Holds => Successor::Failure,
            Defence::Blocks(blocks) => {
                let order = self.tree.get(attack).order;
                let child = self.defend_node(order, &blocks);
                if blocks.is_empty() {
                    self.refresh_defence(child);
                }
                Successor::Node(child)
            }
        }
    }

    /// Gives a leaf its moves.
    fn expand(&mut self, id: NodeId) {
        let p = self.board.shape().stones_per_turn();
        let is_done = if p == 1 {
            self.expand_with_one_stone(id)
        } else {
            self.probe(id)
        };
        if !is_done {
            self.expand_fully(id);
        }
    }

    /// Gives a node all its moves.
    fn expand_fully(&mut self, id: NodeId) {
        let p = self.board.shape().stones_per_turn();
        let order = self.tree.get(id).order;
        let found = self.generator.candidates(
            self.board,
            self.attacker,
            order,
            self.options.width(),
            self.history,
            self.budget,
        );
        match found {
            Candidates::Complete(stones) => self.settle_by_rule(id, &stones, true),
            Candidates::Overwhelm(stones) => self.settle_by_rule(id, &stones, false),
            Candidates::Try { mut moves, all } => {
                self.sort_by_promise(&mut moves);
                self.narrowed |= !all;
                let mut kept = self.moves_so_far(id);
                let tried: Vec<_> = kept.iter().map(|mv| mv.stones).collect();
                for (candidate, place) in moves.iter().zip(1..) {
                    let quiet = self.quiet_moves;
                    let proof = first_number(p, order, candidate, place, quiet);
                    let stones = self.tree.pack(&candidate.stones);
                    if tried.contains(&stones) || self.is_no_stone(stones) {
                        continue;
                    }
                    kept.push(AttackMove::new(stones, Successor::Unseen(proof)));
                }
                let has_none = kept.is_empty();
                let moves = self.tree.keep_moves(kept);
                let node = self.tree.get_mut(id);
                if has_none {
                    (node.proof, node.disproof) = (INFINITE, 0);
                }
                node.kind = Kind::Attack(moves);
            }
        }
    }

    /// A quick try along one line; most easy wins need no more.
    fn probe(&mut self, id: NodeId) -> bool {
        let line = probe::line(
            self.board,
            self.attacker,
            self.generator,
            self.history,
            self.budget,
        );
        let Some(line) = line else {
            return false;
        };
        self.settle_by_line(id, &line);
        true
    }

    /// Marks a node won by moves that win one after the other, whatever blocks there are.
    fn settle_by_line(&mut self, id: NodeId, line: &[Stones]) {
        for stones in line {
            self.history.reward(stones);
        }
        let line = self.tree.keep_line(line);
        self.tree.settle(id, Kind::Line(line));
    }

    /// Marks a node won by a move that needs no answer.
    fn settle_by_rule(&mut self, id: NodeId, stones: &Stones, completes: bool) {
        self.history.reward(stones);
        let stones = self.tree.pack(stones);
        self.tree.settle(id, Kind::Won { stones, completes });
    }
}

/// Tells nodes of different orders apart in the tree.
const fn order_key(order: Order) -> u64 {
    (order.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
