//! Proof-number search for the attacker: depth first, with the whole tree in memory.
//!
//! Attacker's nodes hold all moves of the search's order; for the defender's see `replies`.
//! See `docs/theory.md`, "Lambda orders" and "Which replies must be looked at".

mod replies;
mod searcher;
mod zones;

use gridproof_certificate::{Proof, ProofBuilder};
use gridproof_game::{Colour, Position, zobrist};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::attacks::{Candidate, Candidates, History, MoveGenerator};
use crate::budget::Budget;
use crate::defence::{Defence, defence};
use crate::options::SolverOptions;
use crate::order::Order;
use crate::probe;
use crate::tree::{AttackMove, INFINITE, Kind, Node, NodeId, Number, Successor, Tree, sum};
use crate::zone::Stones;

pub(crate) use searcher::Searcher;

/// One search from one position.
#[derive(Debug)]
struct Search<'a, 'b, S: Shape> {
    board: &'a mut ThreatBoard<S>,
    attacker: Colour,
    options: SolverOptions,
    generator: &'a mut MoveGenerator,
    history: &'a mut History,
    budget: &'a mut Budget<'b>,
    tree: &'a mut Tree,
    /// Some move of the order was left out somewhere.
    narrowed: bool,
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
        self.tree.node(key, || Node::leaf(order))
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
        self.attack(root, INFINITE, INFINITE);
        root
    }

    /// Whether the search must end: its nodes are spent, its memory is full, or somebody
    /// cancelled it.
    fn is_over(&self) -> bool {
        self.budget.is_over() || self.tree.is_full()
    }

    /// The proof of a proved node, whose position is `start`.
    fn proof(&self, root: NodeId, start: &Position) -> Proof {
        let length = self.board.shape().stones_per_turn() as u8;
        let mut builder = ProofBuilder::new(start.clone(), self.attacker);
        self.tree
            .write(root, length, &mut builder, &mut FxHashMap::default())
            .and_then(|root| builder.finish(root))
            .expect("the tree adds children before parents")
    }

    /// Grows the tree under an attacker's node until a number reaches its threshold.
    fn attack(&mut self, id: NodeId, most_proof: Number, most_disproof: Number) {
        if let Kind::Leaf = self.tree.get(id).kind {
            self.expand(id);
        }
        // Nobody waits for a zone here: those who want them make sure of them first.
        self.tree.limit_zones();
        loop {
            let Kind::Attack { moves } = self.tree.get(id).kind else {
                return;
            };
            let mut best: Option<(usize, Number)> = None;
            let mut second = INFINITE;
            let mut disproof = 0;
            for (i, mv) in self.tree.moves(moves).iter().enumerate() {
                let (child_proof, child_disproof) = self.tree.numbers_after(mv.successor);
                disproof = sum([disproof, child_disproof].into_iter());
                match best {
                    Some((_, least)) if child_proof >= least => second = second.min(child_proof),
                    _ => {
                        second = best.map_or(INFINITE, |(_, least)| least);
                        best = Some((i, child_proof));
                    }
                }
            }
            let Some((chosen, proof)) = best else {
                return;
            };
            let AttackMove { stones, successor } = self.tree.moves(moves)[chosen].clone();
            let node = self.tree.get_mut(id);
            (node.proof, node.disproof) = (proof, if proof == 0 { INFINITE } else { disproof });
            if let (0, Successor::LowerOrder(lower)) = (proof, successor) {
                // What wins there wins here.
                self.tree.get_mut(id).kind = self.tree.get(lower).kind.clone();
                return;
            }
            if proof == 0 {
                // Another move may be proved later, by way of another position. The zone is
                // that of this one's proof, and so must be the proof that is written.
                node.kind = Kind::Attack {
                    moves: moves.only(chosen),
                };
                return self.history.reward(&stones);
            }
            if disproof == 0 || proof >= most_proof || disproof >= most_disproof || self.is_over() {
                return;
            }
            let within = |child_disproof: Number| {
                let proof = most_proof.min(second.saturating_add(1 + second / 8));
                let others = most_disproof.saturating_sub(disproof);
                (proof, others.saturating_add(child_disproof))
            };
            self.board.place_all(&stones, self.attacker);
            match successor {
                Successor::Node(child) => {
                    let (proof, disproof) = within(self.tree.get(child).disproof);
                    self.defend(child, proof, disproof);
                }
                Successor::LowerOrder(lower) => {
                    let (proof, disproof) = within(self.tree.get(lower).disproof);
                    self.attack(lower, proof, disproof);
                }
                Successor::Unseen(_) | Successor::Failure => {
                    let successor = self.look_after(id);
                    self.tree.moves_mut(moves)[chosen].successor = successor;
                }
            }
            self.board.undo_all(stones.len());
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
        if self.probe(id) {
            return;
        }
        let order = self.tree.get(id).order;
        let p = self.board.shape().stones_per_turn();
        let found = self.generator.candidates(
            self.board,
            self.attacker,
            order,
            self.options.width(),
            self.history,
            self.budget,
        );
        match found {
            Candidates::Complete(stones) => self.settle_by_rule(id, stones, true),
            Candidates::Overwhelm(stones) => self.settle_by_rule(id, stones, false),
            Candidates::Try { moves, all } => {
                self.narrowed |= !all;
                let lower = self.lower_order(order);
                let has_none = moves.is_empty() && lower.is_none();
                let mut place = 0;
                let unseen = |candidate: Candidate| {
                    place += 1;
                    let proof = first_number(p, order, candidate.threats, place);
                    AttackMove {
                        stones: candidate.stones,
                        successor: Successor::Unseen(proof),
                    }
                };
                let moves = lower.into_iter().chain(moves.into_iter().map(unseen));
                let moves = self.tree.keep_moves(moves);
                let node = self.tree.get_mut(id);
                if has_none {
                    (node.proof, node.disproof) = (INFINITE, 0);
                }
                node.kind = Kind::Attack { moves };
            }
        }
    }

    /// The same position in a search of the next lower order, to be tried like a move. With one
    /// stone a turn the orders are far apart in cost, and most of what wins needs a low one. With
    /// more, the orders below the one asked for are tried before it.
    fn lower_order(&mut self, order: Order) -> Option<AttackMove> {
        if self.board.shape().stones_per_turn() > 1 || order == Order::DOUBLE_THREATS {
            return None;
        }
        let lower = self.attack_node(Order(order.0 - 1));
        Some(AttackMove {
            stones: Stones::new(),
            successor: Successor::LowerOrder(lower),
        })
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
        line.is_some_and(|line| {
            let proved = self.replay(id, &line);
            debug_assert!(proved, "what beats all blocks at once beats each of them");
            proved
        })
    }

    /// Proves a leaf by playing a line of moves against every way to block them.
    fn replay(&mut self, id: NodeId, line: &[Stones]) -> bool {
        if self.tree.get(id).proof == 0 {
            return true;
        }
        let Some((stones, rest)) = line.split_first() else {
            return false;
        };
        self.budget.spend();
        self.board.place_all(stones, self.attacker);
        let proved = self.replay_placed(id, stones, rest);
        self.board.undo_all(stones.len());
        proved
    }

    fn replay_placed(&mut self, id: NodeId, stones: &Stones, rest: &[Stones]) -> bool {
        if self.board.has_completed(self.attacker) {
            self.settle_by_rule(id, stones.clone(), true);
            return true;
        }
        let Defence::Blocks(blocks) = defence(self.board, self.attacker) else {
            return false;
        };
        if blocks.is_empty() {
            self.settle_by_rule(id, stones.clone(), false);
            return true;
        }
        let order = self.tree.get(id).order;
        let child = self.defend_node(order, &blocks);
        if self.tree.get(child).proof != 0 {
            for block in &blocks {
                self.board.place_all(block, self.defender());
                let order = self.order_of_answer(order, block.len());
                let node = self.attack_node(order);
                let proved = self.replay(node, rest);
                self.board.undo_all(block.len());
                if !proved {
                    return false;
                }
            }
            if !self.refresh_defence(child) {
                return false;
            }
        }
        let moves = self.tree.keep_moves([AttackMove {
            stones: stones.clone(),
            successor: Successor::Node(child),
        }]);
        let node = self.tree.get_mut(id);
        node.kind = Kind::Attack { moves };
        (node.proof, node.disproof) = (0, INFINITE);
        self.history.reward(stones);
        true
    }

    /// Marks a node won by a move that needs no answer.
    fn settle_by_rule(&mut self, id: NodeId, stones: Stones, completes: bool) {
        self.history.reward(&stones);
        let node = self.tree.get_mut(id);
        (node.proof, node.disproof) = (0, INFINITE);
        node.kind = Kind::Won { stones, completes };
    }
}

/// A guess at the proof number after a move that nobody has looked at, the so-manieth in the order
/// of the generator. With several stones a turn, as tuned for Connect6: a threat less is worth a
/// hundred leaves. With one stone a turn nearly all that wins has quiet moves in it, so these cost
/// little more, by their place and by how high the order is. Of eighteen positions of one-stone
/// games this solved ten within 300,000 nodes, and other numbers seven to ten with more nodes.
fn first_number(p: u32, order: Order, threats: u32, place: u32) -> Number {
    match (p, threats) {
        (1, 0) => 5 + 2 * u32::from(order.0.saturating_sub(2)) + place,
        (1, _) => 2,
        _ => 2 + 100 * p.saturating_sub(threats),
    }
}

/// Tells nodes of different orders apart in the tree.
const fn order_key(order: Order) -> u64 {
    (order.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
