use gridproof_game::{Colour, Move, Position, Square, SquareSet};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rustc_hash::FxHashMap;

use crate::builder::ProofBuilder;
use crate::check::testing::{CheckedReply, Defence, ReplyZone, take_back_completion, zone_before};
use crate::check::{Board, Guards, Reason, Side, Zone};
use crate::proof::{Answer, Proof, ProofId, Reply};
use crate::stats::NodeStats;

/// Looks for a proof that the checker would accept, with all its guards or all but one. It
/// tries every attacking move, in an order by chance, and lists only those replies which
/// the checker asks for. So it finds what the rules allow and not what is true.
pub(crate) struct Prover {
    board: Board,
    guards: Guards,
    builder: ProofBuilder,
    random: SmallRng,
    known: FxHashMap<(SquareSet, SquareSet, bool), Option<ProofId>>,
    zones: Vec<(Zone, NodeStats)>,
    /// Positions that may still be looked at.
    budget: usize,
    /// How many attacking moves to try in a position, those with the most threats first.
    width: usize,
}

/// What came of it.
pub(crate) enum Outcome {
    Proof(Box<Proof>),
    /// No move of the attacker leads to a proof.
    None,
    OutOfBudget,
}

impl Prover {
    pub(crate) fn prove(
        start: &Position,
        attacker: Colour,
        guards: Guards,
        random: SmallRng,
    ) -> Outcome {
        Self::prove_within(start, attacker, guards, random, usize::MAX)
    }

    /// Tries the most threatening `width` moves alone, for boards too large to try them all.
    pub(crate) fn prove_within(
        start: &Position,
        attacker: Colour,
        guards: Guards,
        random: SmallRng,
        width: usize,
    ) -> Outcome {
        let mut prover = Self {
            width,
            board: Board::new(start, attacker),
            guards,
            builder: ProofBuilder::new(start.clone(), attacker),
            random,
            known: FxHashMap::default(),
            zones: Vec::new(),
            budget: 20_000,
        };
        let to_move = match start.to_move() == attacker {
            true => Side::Attacker,
            false => Side::Defender,
        };
        let root = prover.node(to_move);
        match root {
            Some(root) => Outcome::Proof(Box::new(prover.builder.finish(root).unwrap())),
            None if prover.budget == 0 => Outcome::OutOfBudget,
            None => Outcome::None,
        }
    }

    fn node(&mut self, to_move: Side) -> Option<ProofId> {
        let [own, other] = [Side::Attacker, Side::Defender].map(|side| *self.board.stones(side));
        let key = (own, other, to_move == Side::Attacker);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        self.budget = self.budget.checked_sub(1)?;
        if self.board.empty_count() == 0 {
            return None;
        }
        let found = match to_move {
            Side::Attacker => self.attack(),
            Side::Defender => self.defend(),
        };
        if found.is_some() || self.budget > 0 {
            self.known.insert(key, found);
        }
        found
    }

    fn attack(&mut self) -> Option<ProofId> {
        let length = self
            .board
            .turn_length(Side::Attacker)
            .min(self.board.empty_count());
        let mut moves = Vec::new();
        subsets(&self.empties(), length, &mut Vec::new(), &mut moves);
        moves.shuffle(&mut self.random);
        let completes = |prover: &mut Self, mv: &Move| {
            prover.board.play(Side::Attacker, mv);
            let completes = prover.board.has_completed(Side::Attacker);
            prover.board.take_back(Side::Attacker, mv);
            completes
        };
        if let Some(i) = (0..moves.len()).find(|i| completes(self, &moves[*i])) {
            let mv = moves.swap_remove(i);
            self.board.play(Side::Attacker, &mv);
            let zone = take_back_completion(&mut self.board, &mv, self.guards);
            let id = self.builder.attack(mv, None).unwrap();
            return Some(self.keep(id, zone, NodeStats::COMPLETION));
        }
        if self.width < moves.len() {
            let reach = self.board.rules().stones_per_turn().into();
            moves.sort_by_cached_key(|mv| {
                self.board.play(Side::Attacker, mv);
                let threats = self.board.within_reach(Side::Attacker, reach).len();
                self.board.take_back(Side::Attacker, mv);
                std::cmp::Reverse(threats)
            });
        }
        moves.into_iter().take(self.width).find_map(|mv| {
            self.board.play(Side::Attacker, &mv);
            let then = self.node(Side::Defender);
            self.board.take_back(Side::Attacker, &mv);
            let then = then?;
            let (zone, stats) = self.zones[then.index()].clone();
            let zone = zone_before(&mv, zone, self.guards);
            let id = self.builder.attack(mv, Some(then)).unwrap();
            Some(self.keep(id, zone, NodeStats::attack(stats)))
        })
    }

    fn defend(&mut self) -> Option<ProofId> {
        let defence = Defence::new(&self.board, self.guards).ok()?;
        let mut replies: Vec<Reply> = Vec::new();
        let mut settled: Vec<CheckedReply> = Vec::new();
        loop {
            let mv = match defence.zone(&self.board, &settled, self.guards) {
                Ok((zone, _)) => {
                    let id = self.builder.defend(replies).unwrap();
                    let mut stats = NodeStats::DEFENCE;
                    for reply in &settled {
                        let nulls = defence.turn() - reply.stones.len() as u8;
                        stats.count_reply(nulls, reply.stats);
                    }
                    return Some(self.keep(id, zone, stats));
                }
                Err(Reason::Unanswered(mv)) => mv,
                Err(other) => panic!("{other}"),
            };
            let (answer, reply) = self.replay(&mv, &settled).or_else(|| self.answer(&mv))?;
            replies.push(Reply { mv, answer });
            settled.push(reply);
        }
    }

    /// Answers a reply like an earlier one, if that goes and chance wills it.
    fn replay(&mut self, mv: &Move, settled: &[CheckedReply]) -> Option<(Answer, CheckedReply)> {
        let mut order: Vec<u32> = (0..settled.len() as u32).collect();
        order.shuffle(&mut self.random);
        if self.random.random_bool(0.1) {
            return None;
        }
        order.into_iter().find_map(|like| {
            CheckedReply::replayed(&self.board, settled, mv, like, self.guards)
                .ok()
                .map(|reply| (Answer::LikeReply(like), reply))
        })
    }

    fn answer(&mut self, mv: &Move) -> Option<(Answer, CheckedReply)> {
        self.board.play(Side::Defender, mv);
        let id = self.node(Side::Attacker);
        self.board.take_back(Side::Defender, mv);
        let id = id?;
        let (zone, stats) = self.zones[id.index()].clone();
        let reply = CheckedReply {
            stones: mv.stones().into(),
            zone: ReplyZone::Own(zone),
            stats,
        };
        Some((Answer::Proof(id), reply))
    }

    fn keep(&mut self, id: ProofId, zone: Zone, stats: NodeStats) -> ProofId {
        assert_eq!(id.index(), self.zones.len());
        self.zones.push((zone, stats));
        id
    }

    fn empties(&self) -> Vec<Square> {
        let empty = |square: &Square| self.board.is_empty_at(*square);
        self.board.rules().squares().filter(empty).collect()
    }
}

fn subsets(squares: &[Square], size: usize, chosen: &mut Vec<Square>, found: &mut Vec<Move>) {
    if chosen.len() == size {
        found.push(Move::full(chosen.iter().copied()));
        return;
    }
    for (i, &square) in squares.iter().enumerate() {
        chosen.push(square);
        subsets(&squares[i + 1..], size, chosen, found);
        chosen.pop();
    }
}
