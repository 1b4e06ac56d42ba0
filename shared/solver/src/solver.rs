//! The door to the searches: a position goes in, and out comes a proof, or unknown.

use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position, Rules, State};
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard, TooManyAttacks};

use crate::attacks::Width;
use crate::coverage::Coverage;
use crate::limits::{Budget, Order};
use crate::proof_zone::proof_zone;
use crate::proved::Proved;
use crate::search::{Desk, Found, SearchOptions};
use crate::store::ProofStore;
use crate::verifier::{
    Findings, Known, KnownReply, KnownZone, Left, Verified, Verifier, VerifierCounts,
    VerifierOptions,
};
use crate::zone::Zone;

/// How searches go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOptions {
    /// Try every way to place free stones, so that failing means there is no win of the
    /// order. For small boards only.
    pub exhaustive: bool,
    /// Of the ways to place a free stone, how many are tried otherwise.
    pub fillers: usize,
    /// Let the zone of any reply excuse another.
    pub replay_siblings: bool,
    /// The bytes that a search's tree may take, roughly: with more it says "unknown", however
    /// many nodes are left.
    pub memory: usize,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            exhaustive: false,
            fillers: 8,
            replay_siblings: true,
            memory: Self::DEFAULT_MEMORY,
        }
    }
}

impl SolverOptions {
    /// A machine of some gigabytes can then search with as many cores as it has.
    pub const DEFAULT_MEMORY: usize = 1 << 30;

    pub(crate) fn width(&self) -> Width {
        if self.exhaustive {
            Width::All
        } else {
            Width::Narrow(self.fillers)
        }
    }
}

/// A won position.
#[derive(Clone, Debug)]
pub struct Win {
    pub proof: Proof,
    pub zone: Zone,
    /// The order of the search that found it.
    pub order: Order,
}

impl From<Proved> for Win {
    fn from(Proved { proof, zone, order }: Proved) -> Self {
        Self {
            proof: Arc::unwrap_or_clone(proof),
            zone: Rc::unwrap_or_clone(zone),
            order,
        }
    }
}

/// What a search says of a position.
#[derive(Clone, Debug)]
pub enum Outcome {
    Won(Box<Win>),
    /// The attacker has no win of the order asked for.
    NoWin,
    /// Not known within the budget.
    Unknown,
}

/// What a verifier says of a position.
#[derive(Clone, Debug)]
pub enum Verdict {
    Proved(Box<Win>),
    /// The defender completes a line at once, or fills the board.
    DefenderHolds,
    /// The defender's moves that could not be settled: null, semi-null or full.
    Open(Vec<Move>),
}

/// The end of a verifier run.
#[derive(Clone, Debug)]
pub struct Verification {
    pub verdict: Verdict,
    pub counts: VerifierCounts,
    /// Whether every reply was looked at. If not, some that are not settled are not listed.
    pub came_to_all: bool,
    /// The replies that were answered by proofs of their own, whatever the verdict.
    pub answered: Vec<KnownReply>,
}

/// Why a position cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    #[error("the game is over: {0} has won")]
    Won(Colour),
    #[error("the game is over: the board is full")]
    Drawn,
    #[error("{rules} has {expected} stones in its first turn: searches start after it")]
    FirstTurn { rules: Rules, expected: u8 },
    #[error("the proof given for the reply {0} is of another position")]
    OtherPosition(Move),
    #[error(transparent)]
    TooManyAttacks(#[from] TooManyAttacks),
}

/// Percent of what is left that an order between the first and the last may spend. The higher
/// order knows all its moves too, but finds them later.
const SHARE_BETWEEN: u64 = 40;

/// Solves positions of one game.
#[derive(Clone, Debug)]
pub struct Solver {
    geometry: Arc<Geometry>,
}

impl Solver {
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            geometry: Arc::new(Geometry::new(rules)),
        }
    }

    /// Looks for a win of the side to move: order by order up to `order`.
    pub fn win(
        &self,
        position: &Position,
        order: Order,
        options: SolverOptions,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, SolveError> {
        self.win_with_store(position, order, options, None, budget)
    }

    pub(crate) fn win_with_store(
        &self,
        position: &Position,
        order: Order,
        options: SolverOptions,
        store: Option<&mut ProofStore>,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, SolveError> {
        check(position)?;
        if Connect6::of(position.rules()).is_some() {
            Ok(self.win_with::<Connect6>(position, order, options, store, budget))
        } else {
            Ok(self.win_with::<AnyShape>(position, order, options, store, budget))
        }
    }

    fn win_with<S: Shape>(
        &self,
        position: &Position,
        order: Order,
        options: SolverOptions,
        mut store: Option<&mut ProofStore>,
        budget: &mut Budget<'_>,
    ) -> Outcome {
        let attacker = position.to_move();
        let mut desk = Desk::new(self.board::<S>(position), attacker);
        if let Some(store) = &mut store
            && let Some(known) = store.recall(&mut desk.board, position, attacker, budget.cancel())
        {
            return Outcome::Won(Box::new(known.into()));
        }
        let mut last = Found::Unknown;
        // Double threats leave few stones free, so if the best ways to place them fail, all are
        // tried before the next order.
        let again = (Order::DOUBLE_THREATS, Width::All);
        let mut tries: Vec<_> = (1..=order.0).map(|r| (Order(r), options.width())).collect();
        tries.insert(tries.len().min(1), again);
        let highest = order;
        for (order, width) in tries {
            if (order, width) == again && last == Found::NoWin {
                continue;
            }
            let is_between = order > Order::DOUBLE_THREATS && order < highest;
            let share = if is_between { SHARE_BETWEEN } else { 100 };
            let nodes = budget.left().div_ceil(100).saturating_mul(share);
            let options = SearchOptions {
                order,
                width,
                coverage: Coverage::Segment,
                replay_siblings: options.replay_siblings,
                memory: options.memory,
            };
            let (found, won) = desk.search(position, options, nodes, budget);
            if let Some((proof, zone)) = won {
                let won = Proved::new(proof, zone, order);
                if let Some(store) = store {
                    store.keep(&won);
                }
                return Outcome::Won(Box::new(won.into()));
            }
            last = found;
        }
        match last {
            Found::NoWin => Outcome::NoWin,
            _ => Outcome::Unknown,
        }
    }

    /// Whether the side that is not to move wins whatever the other does. Replies whose proofs
    /// are `known` are not searched again.
    pub fn verify(
        &self,
        position: &Position,
        options: VerifierOptions,
        known: Known<'_>,
        budget: &mut Budget<'_>,
        findings: &mut dyn Findings,
    ) -> Result<Verification, SolveError> {
        self.verify_with_store(position, options, known, None, budget, findings)
    }

    pub(crate) fn verify_with_store(
        &self,
        position: &Position,
        options: VerifierOptions,
        known: Known<'_>,
        store: Option<&mut ProofStore>,
        budget: &mut Budget<'_>,
        findings: &mut dyn Findings,
    ) -> Result<Verification, SolveError> {
        check(position)?;
        let attacker = position.to_move().other();
        for KnownReply { mv, proof } in known.answered {
            let mut after = position.clone();
            if after.play(mv).is_err() || after != *proof.start() || attacker != proof.attacker() {
                return Err(SolveError::OtherPosition(mv.clone()));
            }
        }
        if Connect6::of(position.rules()).is_some() {
            Ok(self.verify_with::<Connect6>(position, options, known, store, budget, findings))
        } else {
            Ok(self.verify_with::<AnyShape>(position, options, known, store, budget, findings))
        }
    }

    /// The zone of a proof, worked out from its moves. Whether the proof holds is the checker's
    /// to say.
    #[must_use]
    pub fn zone(&self, proof: &Proof) -> Zone {
        let zone = if Connect6::of(proof.start().rules()).is_some() {
            proof_zone(
                &mut self.board::<Connect6>(proof.start()),
                proof.attacker(),
                proof,
            )
        } else {
            proof_zone(
                &mut self.board::<AnyShape>(proof.start()),
                proof.attacker(),
                proof,
            )
        };
        Rc::unwrap_or_clone(zone)
    }

    /// What the proofs of some replies are worth together, without any search.
    pub fn settle(&self, position: &Position, known: &[KnownZone]) -> Result<Left, SolveError> {
        check(position)?;
        Ok(if Connect6::of(position.rules()).is_some() {
            self.settle_with::<Connect6>(position, known)
        } else {
            self.settle_with::<AnyShape>(position, known)
        })
    }

    fn settle_with<S: Shape>(&self, position: &Position, zones: &[KnownZone]) -> Left {
        let mut verifier = Verifier {
            position,
            desk: Desk::new(self.board::<S>(position), position.to_move().other()),
            options: VerifierOptions {
                nodes_per_reply: 0,
                ..VerifierOptions::default()
            },
            budget: &mut Budget::of_nodes(u64::MAX),
            known: Known::default(),
            zones,
            store: None,
            findings: &mut (),
            counts: VerifierCounts::default(),
            replies: Vec::new(),
        };
        match verifier.run() {
            Verified::Complete => Left::Nothing(verifier.listed()),
            Verified::DefenderHolds => Left::DefenderHolds,
            Verified::Open { moves, .. } => Left::Replies(moves),
        }
    }

    fn verify_with<S: Shape>(
        &self,
        position: &Position,
        options: VerifierOptions,
        known: Known<'_>,
        mut store: Option<&mut ProofStore>,
        budget: &mut Budget<'_>,
        findings: &mut dyn Findings,
    ) -> Verification {
        let attacker = position.to_move().other();
        let mut desk = Desk::new(self.board::<S>(position), attacker);
        if let Some(store) = &mut store
            && let Some(known) = store.recall(&mut desk.board, position, attacker, budget.cancel())
        {
            return Verification {
                verdict: Verdict::Proved(Box::new(known.into())),
                came_to_all: true,
                counts: VerifierCounts::default(),
                answered: Vec::new(),
            };
        }
        let mut verifier = Verifier {
            position,
            desk,
            options,
            budget,
            known,
            zones: &[],
            store,
            findings,
            counts: VerifierCounts::default(),
            replies: Vec::new(),
        };
        let mut came_to_all = true;
        let verdict = match verifier.run() {
            Verified::Complete => {
                let order = Order(options.order.0 + 1);
                let proved = Proved::new(verifier.proof(), Rc::new(verifier.zone()), order);
                if let Some(store) = &mut verifier.store {
                    store.keep(&proved);
                }
                Verdict::Proved(Box::new(proved.into()))
            }
            Verified::DefenderHolds => Verdict::DefenderHolds,
            Verified::Open {
                moves,
                came_to_all: all,
            } => {
                came_to_all = all;
                Verdict::Open(moves)
            }
        };
        Verification {
            verdict,
            counts: verifier.counts,
            came_to_all,
            answered: verifier.answered(),
        }
    }

    fn board<S: Shape>(&self, position: &Position) -> ThreatBoard<S> {
        ThreatBoard::of_position(Arc::clone(&self.geometry), position)
            .expect("the caller chose the shape by the rules")
    }
}

fn check(position: &Position) -> Result<(), SolveError> {
    match position.state() {
        State::Won(colour) => return Err(SolveError::Won(colour)),
        State::Drawn => return Err(SolveError::Drawn),
        State::Open => {}
    }
    let rules = *position.rules();
    TooManyAttacks::check(&rules)?;
    let first_turn = position.stone_count() == 0 && position.to_move() == Colour::Black;
    if first_turn && rules.first_stones() != rules.stones_per_turn() {
        return Err(SolveError::FirstTurn {
            rules,
            expected: rules.first_stones(),
        });
    }
    Ok(())
}
