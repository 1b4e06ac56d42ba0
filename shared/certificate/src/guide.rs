//! Plays a proof out against any defender, move by move, and says why each answer wins.
//!
//! The proof's own line of play and the real game part ways when the defender plays what the
//! proof does not list. Then the guide keeps two boards: the one on which the proof is, and
//! the real one. All stones of the attacker on the first are on the second too, and what the
//! defender has on the second alone is excused by the zone; so the attacker goes on with the
//! proof's moves, and where it has one already, or needs fewer stones than the turn has, the
//! rest may lie anywhere.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use gridproof_game::{Colour, Move, PlayError, Position, Square, SquareSet, State};
use smallvec::SmallVec;

use crate::check::{
    Board, CheckError, CheckLimits, Claim, Guards, Refusal, Side, Zone, check_events, check_within,
};
use crate::proof::{Answer, Node, Proof, ProofId, Reply};
use crate::stats::NodeStats;
use crate::walk::Walk;

/// A game against a checked proof, the proof playing the attacker.
#[derive(Clone, Debug)]
pub struct Guide<'a> {
    proof: &'a Proof,
    node_stats: Arc<[NodeStats]>,
    real: Position,
    /// The position of the proof's node.
    imagined: Position,
    place: Place,
}

/// Where in the proof the game is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Node(ProofId),
    /// The defender has left this line open.
    Complete(SquareSet),
}

/// Why a defender's move loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// The proof answers exactly this move.
    Listed,
    /// The proof of this move answers it too.
    Like(Move),
    /// A threat stays open, from one square to another.
    LeavesThreat(Square, Square),
}

/// Why a defender's move could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum GuideError {
    #[error(transparent)]
    Illegal(#[from] PlayError),
    #[error("it is not {0}'s turn")]
    NotTheTurn(Colour),
    #[error(
        "the proof has no answer to {0}, though it was accepted: this is a bug, please report it"
    )]
    NoAnswer(Move),
}

/// A proof that was found to hold, to be played against many times.
#[derive(Clone, Debug)]
pub struct CheckedProof {
    proof: Proof,
    node_stats: Arc<[NodeStats]>,
}

impl CheckedProof {
    /// Checks a proof.
    pub fn new(proof: Proof) -> Result<Self, Box<Refusal>> {
        Self::within(proof, CheckLimits::default())
    }

    /// The same, with limits for the check.
    pub fn within(proof: Proof, limits: CheckLimits) -> Result<Self, Box<Refusal>> {
        check_within(&proof, limits)?;
        let node_stats = proof.node_stats().into();
        Ok(Self { proof, node_stats })
    }

    /// The proof itself.
    #[must_use]
    pub const fn proof(&self) -> &Proof {
        &self.proof
    }

    /// A new game, at the proof's start.
    #[must_use]
    pub fn guide(&self) -> Guide<'_> {
        Guide::at_start(&self.proof, Arc::clone(&self.node_stats))
    }
}

/// Where stones of the defender do harm, as far as a drawing can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneSquares {
    /// Each of these must stay free.
    pub must_stay_free: SquareSet,
    /// By how many stones on one line do harm: its empty squares.
    pub limited: BTreeMap<u8, SquareSet>,
}

impl<'a> Guide<'a> {
    /// Begins at the proof's start, once the proof is found to hold.
    pub fn new(proof: &'a Proof) -> Result<Self, Box<Refusal>> {
        Self::within(proof, CheckLimits::default())
    }

    /// The same, with limits for the check.
    pub fn within(proof: &'a Proof, limits: CheckLimits) -> Result<Self, Box<Refusal>> {
        check_within(proof, limits)?;
        Ok(Self::at_start(proof, proof.node_stats().into()))
    }

    fn at_start(proof: &'a Proof, node_stats: Arc<[NodeStats]>) -> Self {
        Self {
            proof,
            node_stats,
            real: proof.start().clone(),
            imagined: proof.start().clone(),
            place: Place::Node(proof.root()),
        }
    }

    /// The zone of the position, up to a limit of three stones on a line. Nothing once the
    /// defender has left a line open: then nothing helps any more.
    #[must_use]
    pub fn zone_squares(&self) -> Option<ZoneSquares> {
        let Place::Node(id) = self.place else {
            return None;
        };
        let zone = self.zone(id, self.imagined.clone()).ok()?;
        let board = Board::new(&self.imagined, self.proof.attacker());
        let of_limit = |limit| {
            let segments = zone.segments_with_limit(limit);
            segments
                .flat_map(|segment| board.empties_of(segment))
                .collect()
        };
        Some(ZoneSquares {
            must_stay_free: *zone.must_stay_free(),
            limited: (1..=3).map(|limit| (limit, of_limit(limit))).collect(),
        })
    }

    /// The real game's position.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.real
    }

    /// Whether somebody has won, or the board is full.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.real.state() != State::Open
    }

    /// Whether [`attack`](Self::attack) comes next.
    #[must_use]
    pub fn attacker_to_move(&self) -> bool {
        !self.is_over() && self.real.to_move() == self.proof.attacker()
    }

    /// The moves that the proof lists for the defender here.
    #[must_use]
    pub fn listed(&self) -> Vec<&'a Move> {
        self.replies().iter().map(|reply| &reply.mv).collect()
    }

    /// The listed move that holds out longest, a full one if it can be; the null move where
    /// none is listed, for then all lose alike.
    #[must_use]
    pub fn hardest_reply(&self) -> Option<Move> {
        if self.is_over() || self.attacker_to_move() {
            return None;
        }
        let depth = |reply: &Reply| match reply.answer {
            Answer::Proof(id) => Some(self.node_stats[id.index()].depth),
            Answer::LikeReply(_) => None,
        };
        let hardest = self
            .replies()
            .iter()
            .filter_map(|reply| Some((depth(reply)?, &reply.mv)))
            // The first of equals, which is the one the prover thought of first.
            .min_by_key(|(depth, mv)| (mv.nulls(), std::cmp::Reverse(*depth)));
        let null = || Move::null(self.real.move_len() as u8);
        Some(hardest.map_or_else(null, |(_, mv)| mv.clone()))
    }

    /// Plays the attacker's move.
    pub fn attack(&mut self) -> Result<Move, GuideError> {
        if !self.attacker_to_move() {
            return Err(GuideError::NotTheTurn(self.proof.attacker()));
        }
        let (wanted, fillers, next) = match &self.place {
            Place::Complete(line) => (*line, SquareSet::EMPTY, None),
            Place::Node(id) => match self.proof.node(*id) {
                Node::Attack { mv, then } => {
                    self.imagined.play(mv)?;
                    let stones: SquareSet = mv.stones().iter().copied().collect();
                    match then {
                        Some(_) => (stones, SquareSet::EMPTY, *then),
                        None => (self.completed_line(mv), stones, None),
                    }
                }
                Node::Defend { .. } => unreachable!("it is the attacker's turn"),
            },
        };
        if let Some(next) = next {
            self.place = Place::Node(next);
        }
        let mv = self.real_move(&wanted, &fillers);
        self.real.play(&mv)?;
        Ok(mv)
    }

    /// Plays any move of the defender; null stones are allowed.
    pub fn defend(&mut self, mv: &Move) -> Result<Explanation, GuideError> {
        if self.is_over() || self.attacker_to_move() {
            return Err(GuideError::NotTheTurn(self.proof.attacker().other()));
        }
        let mut next = self.clone();
        next.real.play(mv)?;
        let why = next.find_answer(mv)?;
        *self = next;
        Ok(why)
    }

    fn replies(&self) -> &'a [Reply] {
        match &self.place {
            Place::Node(id) => match self.proof.node(*id) {
                Node::Defend { replies } => replies,
                Node::Attack { .. } => &[],
            },
            Place::Complete(_) => &[],
        }
    }

    fn find_answer(&mut self, mv: &Move) -> Result<Explanation, GuideError> {
        let board = Board::new(&self.imagined, self.proof.attacker());
        // Where the proof imagines a stone of the defender's already, a real one is no news.
        let is_news = |square: &Square| self.imagined.is_empty_at(*square);
        let stones: SmallVec<[Square; 4]> = mv.stones().iter().copied().filter(is_news).collect();
        let reach = usize::from(board.rules().stones_per_turn());
        for line in board.within_reach(Side::Attacker, reach) {
            let squares = board.squares_of(line);
            if !stones.iter().any(|stone| squares.contains(stone)) {
                self.place = Place::Complete(squares.iter().copied().collect());
                return Ok(Explanation::LeavesThreat(
                    squares[0],
                    squares[squares.len() - 1],
                ));
            }
        }
        let replies = self.replies();
        if let Some(exact) = replies
            .iter()
            .find(|reply| reply.mv.stones() == &stones[..])
            && let Some(id) = exact.proof_among(replies)
        {
            let (model, why) = match exact.answer {
                Answer::Proof(_) => (&exact.mv, Explanation::Listed),
                Answer::LikeReply(like) => {
                    let model = &replies[like as usize].mv;
                    (model, Explanation::Like(model.clone()))
                }
            };
            return self.follow(id, model).map(|()| why);
        }
        // Part of the move first: those are the replies whose zones were made for it.
        let mut models: Vec<&Reply> = replies.iter().collect();
        models.sort_by_key(|reply| !reply.mv.stones().iter().all(|s| stones.contains(s)));
        for model in models {
            if let Answer::Proof(id) = model.answer
                && self.excuses(&board, id, &model.mv, &stones)
            {
                let why = Explanation::Like(model.mv.clone());
                return self.follow(id, &model.mv).map(|()| why);
            }
        }
        Err(GuideError::NoAnswer(mv.clone()))
    }

    /// Goes on with the proof as if the defender had played `model`.
    fn follow(&mut self, id: ProofId, model: &Move) -> Result<(), GuideError> {
        self.imagined.play(model)?;
        self.place = Place::Node(id);
        Ok(())
    }

    /// Whether the proof of `model` stands the stones that `model` has not.
    fn excuses(&self, board: &Board, id: ProofId, model: &Move, stones: &[Square]) -> bool {
        let zone = self.zone(id, self.imagined.after(model));
        let is_extra = |square: &Square| !model.contains(*square);
        let extra: SmallVec<[Square; 4]> = stones.iter().copied().filter(is_extra).collect();
        zone.is_ok_and(|zone| zone.excuses(board, &extra).is_ok())
    }

    fn zone(&self, id: ProofId, start: Position) -> Result<Zone, CheckError<Infallible>> {
        let claim = Claim {
            start,
            attacker: self.proof.attacker(),
        };
        let limits = CheckLimits::default();
        let mut walk = Walk::under(self.proof, id);
        check_events(claim, &mut walk, limits, Guards::default()).map(|checked| checked.zone)
    }

    /// The whole line that a move has completed on the board of the proof.
    fn completed_line(&self, mv: &Move) -> SquareSet {
        let board = Board::new(&self.imagined, self.proof.attacker());
        let mut stones = mv.stones().iter();
        let line = stones.find_map(|s| board.completed_through(Side::Attacker, *s).next());
        line.map(|line| board.squares_of(line).iter().copied().collect())
            .unwrap_or(SquareSet::EMPTY)
    }

    /// A legal move with all the wanted stones that are not there yet. What is left of the
    /// turn goes on the fillers, where it blocks the defender, or anywhere.
    fn real_move(&self, wanted: &SquareSet, fillers: &SquareSet) -> Move {
        let imagined = self.imagined.stones(self.proof.attacker().other());
        let mut left = self.real.empties();
        let mut stones: SmallVec<[Square; 4]> = SmallVec::new();
        for group in [wanted, fillers, imagined, &self.real.empties()] {
            let group = left.intersection(group);
            stones.extend(group.iter());
            left = left.difference(&group);
        }
        Move::full(stones.into_iter().take(self.real.move_len()))
    }
}
