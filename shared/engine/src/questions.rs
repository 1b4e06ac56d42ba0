//! The questions that tell a winning quiet move from the others, cheapest first: does the
//! attacker win if the defender does nothing, if he places one stone less than he may, and
//! how many of his real moves can be settled with little effort?

use std::sync::Arc;

use gridproof_game::{Colour, Move, Position, Square, State};
use gridproof_solver::{
    Budget, Findings, Known, KnownReply, Order, Outcome, Settled, Solver, SolverOptions, Verdict,
    VerifierOptions, Win, Zone,
};
use gridproof_threats::{Blocks, Shape, ThreatBoard};

/// A least answer of the defender that loses: the null move, or what blocks every threat.
#[derive(Debug)]
pub(crate) struct Beaten {
    stones: Blocks,
    zone: Zone,
    known: KnownReply,
}

/// The attacker wins against all least answers.
#[derive(Debug)]
pub(crate) struct NullWin {
    beaten: Vec<Beaten>,
    /// Squares where one more stone of the defender matters.
    pub(crate) zone_size: u32,
}

/// How the defender's answers with one stone more came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OneStone {
    pub(crate) asked: u32,
    /// Those that could not be beaten with the nodes that were allowed.
    pub(crate) open: u32,
}

/// What a verifier with little to spend said.
#[derive(Debug)]
pub(crate) enum Sampled {
    Proved(Box<Win>),
    Open {
        /// Replies with a null stone in them: each stands for many.
        partial: u32,
        full: u32,
    },
    /// The nodes ran out before the replies did.
    CutShort,
}

/// Asks about moves of one position.
#[derive(Debug)]
pub(crate) struct Questions<'a, S: Shape> {
    solver: &'a Solver,
    position: &'a Position,
    board: ThreatBoard<S>,
}

impl<'a, S: Shape> Questions<'a, S> {
    /// `board` holds the stones of `position`.
    pub(crate) const fn new(
        solver: &'a Solver,
        position: &'a Position,
        board: ThreatBoard<S>,
    ) -> Self {
        Self {
            solver,
            position,
            board,
        }
    }

    pub(crate) const fn board(&mut self) -> &mut ThreatBoard<S> {
        &mut self.board
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
        self.won_by(&after, Order::DOUBLE_THREATS, nodes, budget)
            .is_some()
    }

    /// Whether the attacker beats every least answer to a move, each with at most `nodes`.
    pub(crate) fn null(
        &mut self,
        mv: &Move,
        order: Order,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<NullWin> {
        let after = self.position.after(mv);
        let (attacker, p) = (self.attacker(), self.stones_per_turn());
        if after.state() != State::Open || self.board.empty_count() <= mv.stones().len() + p {
            return None;
        }
        self.board.place_all(mv.stones(), attacker);
        let blocks = (!self.board.can_complete(attacker.other()))
            .then(|| self.board.minimal_blocks(attacker));
        self.board.undo_all(mv.stones().len());
        let mut beaten = Vec::new();
        let mut zone_size = 0;
        for stones in blocks? {
            let Win { proof, zone, .. } = *self.beats(&after, &stones, order, nodes, budget)?;
            zone_size += self.minded(mv, &stones, &zone).len() as u32;
            let known = KnownReply {
                mv: self.reply(&stones),
                proof: Arc::new(proof),
            };
            beaten.push(Beaten {
                stones,
                zone,
                known,
            });
        }
        Some(NullWin { beaten, zone_size })
    }

    /// Adds each single stone that a null win minds. Stops when more than `most_open` answers
    /// could not be beaten.
    pub(crate) fn one_stone(
        &mut self,
        mv: &Move,
        null: &NullWin,
        nodes: u64,
        most_open: u32,
        budget: &mut Budget<'_>,
    ) -> OneStone {
        let after = self.position.after(mv);
        let mut counts = OneStone { asked: 0, open: 0 };
        for base in &null.beaten {
            if base.stones.len() >= self.stones_per_turn() {
                continue;
            }
            let mut zones: Vec<Zone> = Vec::new();
            for square in self.minded(mv, &base.stones, &base.zone) {
                counts.asked += 1;
                let (shape, geometry) = (self.board.shape(), self.board.geometry());
                if zones
                    .iter()
                    .any(|zone| zone.excuses(shape, geometry, &[square]))
                {
                    continue;
                }
                let mut stones = base.stones.clone();
                stones.push(square);
                stones.sort_unstable();
                match self.beats(&after, &stones, Order::SINGLE_THREATS, nodes, budget) {
                    Some(win) => zones.push(win.zone),
                    None => counts.open += 1,
                }
                if counts.open > most_open || budget.is_over() {
                    return counts;
                }
            }
        }
        counts
    }

    /// A whole verifier run with few nodes for each reply.
    pub(crate) fn sample(
        &self,
        mv: &Move,
        null: &NullWin,
        nodes_per_reply: u64,
        budget: &mut Budget<'_>,
    ) -> Sampled {
        let after = self.position.after(mv);
        let options = VerifierOptions {
            nodes_per_reply,
            ..VerifierOptions::default()
        };
        let answered: Vec<KnownReply> = null.beaten.iter().map(|one| one.known.clone()).collect();
        let known = Known {
            answered: &answered,
            open: &[],
        };
        let mut open = OpenReplies::default();
        let verified = self
            .solver
            .verify(&after, options, known, budget, &mut open);
        match verified.map(|verification| verification.verdict) {
            Ok(Verdict::Proved(win)) => Sampled::Proved(win),
            _ if budget.is_over() => Sampled::CutShort,
            _ => Sampled::Open {
                partial: open.partial,
                full: open.full,
            },
        }
    }

    /// Empty squares where one more stone may spoil a win against some stones.
    fn minded(&mut self, mv: &Move, stones: &[Square], zone: &Zone) -> Vec<Square> {
        let attacker = self.attacker();
        self.board.place_all(mv.stones(), attacker);
        self.board.place_all(stones, attacker.other());
        let squares = zone.squares(&self.board, 1);
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
        self.won_by(&after.after(&self.reply(stones)), order, nodes, budget)
    }

    /// The defender's move of these stones, filled up with null stones.
    fn reply(&self, stones: &[Square]) -> Move {
        let nulls = self.stones_per_turn() - stones.len();
        Move::new(stones.iter().copied(), nulls as u8)
    }

    /// A quick win of the side to move.
    fn won_by(
        &self,
        position: &Position,
        order: Order,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Option<Box<Win>> {
        let outcome = budget.within(nodes, |budget| {
            self.solver
                .win(position, order, SolverOptions::default(), budget)
        });
        match outcome {
            Ok(Outcome::Won(win)) => Some(win),
            _ => None,
        }
    }
}

#[derive(Default)]
struct OpenReplies {
    partial: u32,
    full: u32,
}

impl Findings for OpenReplies {
    fn reply(&mut self, mv: &Move, settled: Settled) {
        if settled == Settled::Open {
            if mv.is_full() {
                self.full += 1;
            } else {
                self.partial += 1;
            }
        }
    }
}
