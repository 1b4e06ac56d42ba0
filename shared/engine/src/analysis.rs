//! Tests that tell a winning quiet move from the others, cheapest first: does the attacker win
//! if the defender plays the null move, if he plays a semi-null move, and how many of his real
//! moves can be settled with little effort?

use std::sync::Arc;

use gridproof_game::{Colour, Move, Position, Square, State};
use gridproof_solver::{
    Budget, Findings, KnownReplies, Order, ProvedReply, ReplyStatus, Solver, Verdict,
    VerifierOptions, Win, Zone,
};
use gridproof_threats::{Blocks, Shape, ThreatBoard};

use crate::find_win::find_win;

/// A least reply of the defender, and how it loses: the null move, or what blocks every threat.
#[derive(Debug)]
struct LosingReply {
    stones: Blocks,
    zone: Zone,
    known: ProvedReply,
}

/// The attacker wins against all least replies.
#[derive(Debug)]
pub(crate) struct NullMoveWin {
    replies: Vec<LosingReply>,
    /// Squares where one more stone of the defender matters.
    pub(crate) zone_size: u32,
}

/// What a verifier with little to spend said.
#[derive(Debug)]
pub(crate) enum QuickVerdict {
    Proved(Box<Win>),
    Open {
        /// Replies with a null stone in them: each stands for many.
        partial: u32,
        full: u32,
    },
    /// The nodes ran out before the replies did.
    OutOfNodes,
}

/// Tests moves of one position.
#[derive(Debug)]
pub(crate) struct Analysis<'a, S: Shape> {
    solver: &'a Solver,
    position: &'a Position,
    board: &'a mut ThreatBoard<S>,
}

impl<'a, S: Shape> Analysis<'a, S> {
    /// `board` holds the stones of `position`.
    pub(crate) const fn new(
        solver: &'a Solver,
        position: &'a Position,
        board: &'a mut ThreatBoard<S>,
    ) -> Self {
        Self {
            solver,
            position,
            board,
        }
    }

    const fn attacker(&self) -> Colour {
        self.position.to_move()
    }

    fn stones_per_turn(&self) -> usize {
        self.board.shape().stones_per_turn() as usize
    }

    /// Whether the defender wins by double threats after a move.
    pub(crate) fn is_refuted(&self, mv: &Move, nodes: u64, budget: &mut Budget<'_>) -> bool {
        let after = self.position.after(mv);
        find_win(self.solver, &after, Order::DOUBLE_THREATS, nodes, budget).is_some()
    }

    /// How the attacker beats every least reply to a move, each with at most `nodes`, by moves of
    /// an order.
    pub(crate) fn null_move_win(
        &mut self,
        mv: &Move,
        order: Order,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<NullMoveWin> {
        let after = self.position.after(mv);
        let (attacker, p) = (self.attacker(), self.stones_per_turn());
        if after.state() != State::Open || self.board.empty_count() <= mv.stones().len() + p {
            return None;
        }
        self.board.place_all(mv.stones(), attacker);
        let blocks = (!self.board.can_complete(attacker.other()))
            .then(|| self.board.minimal_blocks(attacker));
        self.board.undo_all(mv.stones().len());
        let mut replies = Vec::new();
        let mut zone_size = 0;
        for stones in blocks? {
            let win = self.beats(&after, &stones, order, nodes, budget)?;
            let Win { proof, zone, .. } = *win;
            zone_size += self.relevant(mv, &stones, &zone).len() as u32;
            let known = ProvedReply {
                mv: self.reply(&stones),
                proof: Arc::new(proof),
            };
            replies.push(LosingReply {
                stones,
                zone,
                known,
            });
        }
        Some(NullMoveWin { replies, zone_size })
    }

    /// How many semi-null moves are not beaten with `nodes` each: those that add to a least
    /// reply one stone that matters there. Stops when they are more than `most`.
    pub(crate) fn open_semi_nulls(
        &mut self,
        mv: &Move,
        null: &NullMoveWin,
        nodes: u64,
        most: u32,
        budget: &mut Budget<'_>,
    ) -> u32 {
        let after = self.position.after(mv);
        let mut open = 0;
        for least in &null.replies {
            if least.stones.len() >= self.stones_per_turn() {
                continue;
            }
            let mut zones: Vec<Zone> = Vec::new();
            for square in self.relevant(mv, &least.stones, &least.zone) {
                let (shape, geometry) = (self.board.shape(), self.board.geometry());
                if zones
                    .iter()
                    .any(|zone| zone.excuses(shape, geometry, &[square]))
                {
                    continue;
                }
                let mut stones = least.stones.clone();
                stones.push(square);
                stones.sort_unstable();
                match self.beats(&after, &stones, Order::SINGLE_THREATS, nodes, budget) {
                    Some(win) => zones.push(win.zone),
                    None => open += 1,
                }
                if open > most || budget.is_over() {
                    return open;
                }
            }
        }
        open
    }

    /// A whole verifier run with few nodes for each reply.
    pub(crate) fn verify(
        &self,
        mv: &Move,
        null: &NullMoveWin,
        nodes_per_reply: u64,
        budget: &mut Budget<'_>,
    ) -> QuickVerdict {
        let after = self.position.after(mv);
        let answered: Vec<ProvedReply> = null
            .replies
            .iter()
            .map(|reply| reply.known.clone())
            .collect();
        let options = VerifierOptions {
            known: KnownReplies {
                answered: &answered,
                open: &[],
            },
            nodes_per_reply,
            ..VerifierOptions::default()
        };
        let mut open = OpenReplies::default();
        let verified = self.solver.verify(&after, options, budget, &mut open);
        match verified.map(|verification| verification.verdict) {
            Ok(Verdict::Proved(win)) => QuickVerdict::Proved(win),
            _ if budget.is_over() => QuickVerdict::OutOfNodes,
            _ => QuickVerdict::Open {
                partial: open.partial,
                full: open.full,
            },
        }
    }

    /// Empty squares where one more stone may spoil a win against some stones.
    fn relevant(&mut self, mv: &Move, stones: &[Square], zone: &Zone) -> Vec<Square> {
        let attacker = self.attacker();
        self.board.place_all(mv.stones(), attacker);
        self.board.place_all(stones, attacker.other());
        let squares = zone.squares(self.board, 1);
        let squares = squares.intersection(&self.board.empties()).iter().collect();
        self.board.undo_all(mv.stones().len() + stones.len());
        squares
    }

    fn beats(
        &self,
        after: &Position,
        stones: &[Square],
        order: Order,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<Box<Win>> {
        let replied = after.after(&self.reply(stones));
        find_win(self.solver, &replied, order, nodes, budget)
    }

    /// The defender's move of these stones, filled up with null stones.
    fn reply(&self, stones: &[Square]) -> Move {
        let nulls = self.stones_per_turn() - stones.len();
        Move::new(stones.iter().copied(), nulls as u8)
    }
}

#[derive(Default)]
struct OpenReplies {
    partial: u32,
    full: u32,
}

impl Findings for OpenReplies {
    fn reply(&mut self, mv: &Move, status: ReplyStatus) {
        if status == ReplyStatus::Open {
            if mv.is_full() {
                self.full += 1;
            } else {
                self.partial += 1;
            }
        }
    }
}
