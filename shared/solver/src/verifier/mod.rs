//! The verifier: does the attacker win whatever the defender does now?
//!
//! It settles the null move first, then what the null move's zone does not excuse: semi-null
//! moves, then full ones, each by a lambda search unless an earlier zone excuses it.

mod join;
mod terms;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Move, Position, Square};
use gridproof_threats::Shape;

use crate::defence::{Defence, defence};
use crate::limits::{Budget, Order};
use crate::mutation::{Rule, holds};
use crate::proof_zone::proof_zone;
use crate::proved::Proved;
use crate::search::{Desk, SearchOptions};
use crate::store::ProofStore;
use crate::zone::{Stones, Zone, ZoneOfReply, without};

pub use join::join_replies;
pub use terms::{
    Findings, Known, KnownReply, KnownZone, Left, Listed, Settled, VerifierCounts, VerifierOptions,
};

pub(crate) struct Verifier<'a, 'b, S: Shape> {
    pub(crate) position: &'a Position,
    pub(crate) desk: Desk<S>,
    pub(crate) options: VerifierOptions,
    pub(crate) budget: &'a mut Budget<'b>,
    /// Replies that need no search.
    pub(crate) known: Known<'a>,
    /// Replies that somebody proved before, of which the zones are at hand and the proofs are not.
    pub(crate) zones: &'a [KnownZone],
    /// Asked before a reply is searched.
    pub(crate) store: Option<&'a mut ProofStore>,
    pub(crate) findings: &'a mut dyn Findings,
    pub(crate) counts: VerifierCounts,
    pub(crate) replies: Vec<Answered>,
}

/// A reply and what answers it.
pub(crate) struct Answered {
    stones: Stones,
    by: AnsweredBy,
}

enum AnsweredBy {
    Proof(Arc<Proof>, Rc<Zone>),
    /// A proof that somebody else has, with this zone.
    Zone(Rc<Zone>),
    /// Like this other reply, which has a proof.
    Reply(u32),
}

impl AnsweredBy {
    /// The zone of its own proof, if it has one.
    fn zone(&self) -> Option<&Rc<Zone>> {
        match self {
            Self::Proof(_, zone) | Self::Zone(zone) => Some(zone),
            Self::Reply(_) => None,
        }
    }
}

/// The end of a verifier run.
pub(crate) enum Verified {
    /// Every reply is answered.
    Complete,
    /// The defender completes a line, or fills the board.
    DefenderHolds,
    Open {
        moves: Vec<Move>,
        came_to_all: bool,
    },
}

impl<'a, S: Shape> Verifier<'a, '_, S> {
    pub(crate) fn run(&mut self) -> Verified {
        let p = self.desk.board.shape().stones_per_turn() as usize;
        let Defence::Blocks(bases) = defence(&self.desk.board, self.desk.attacker) else {
            return Verified::DefenderHolds;
        };
        let mut waiting = Waiting::new();
        for base in bases {
            waiting
                .entry((Turn::InOrder, base.len()))
                .or_default()
                .push_back(base);
        }
        let mut open: Vec<Stones> = Vec::new();
        let mut came_to_all = true;
        while let Some((turn, stones)) = next(&mut waiting) {
            if self.replies.iter().any(|reply| reply.stones == stones) {
                continue;
            }
            if open
                .iter()
                .any(|fewer| fewer.iter().all(|stone| stones.contains(stone)))
            {
                continue;
            }
            let mv = whole_move(&stones, p);
            let settled = self.settle(&stones, turn);
            self.findings.reply(&mv, settled);
            match settled {
                Settled::Searched => self.counts.searched += 1,
                Settled::Excused => self.counts.excused += 1,
                Settled::Recalled => self.counts.recalled += 1,
                Settled::Open => {
                    self.counts.open += 1;
                    open.push(stones);
                    if self.has_seen_enough(&mut open, p) {
                        came_to_all = false;
                        break;
                    }
                    continue;
                }
            }
            self.wait_for_extensions(&stones, p, &mut waiting);
        }
        self.excuse_open(&mut open, p);
        if !open.is_empty() || !came_to_all {
            let moves = open.iter().map(|stones| whole_move(stones, p)).collect();
            return Verified::Open { moves, came_to_all };
        }
        Verified::Complete
    }

    /// The zone of the position, once every reply is answered.
    pub(crate) fn zone(&self) -> Zone {
        let answers = self.replies.iter().map(|reply| self.zone_of_reply(reply));
        Zone::of_defence(&self.desk.board, self.desk.attacker, answers)
    }

    /// All that was answered, and how.
    pub(crate) fn listed(&self) -> Vec<Listed> {
        let p = self.desk.board.shape().stones_per_turn() as usize;
        let listed = self.replies.iter().map(|reply| Listed {
            mv: whole_move(&reply.stones, p),
            like: match reply.by {
                AnsweredBy::Reply(index) => Some(index),
                AnsweredBy::Proof(..) | AnsweredBy::Zone(_) => None,
            },
        });
        listed.collect()
    }

    /// Whether it is no use to go on: too much is open, or the nodes are spent.
    fn has_seen_enough(&mut self, open: &mut Vec<Stones>, p: usize) -> bool {
        if self.budget.is_over() {
            return true;
        }
        let Some(most) = self.options.most_open else {
            return false;
        };
        if open.last().is_some_and(|stones| stones.len() < p) {
            return true;
        }
        if open.len() >= most {
            self.excuse_open(open, p);
        }
        open.len() >= most
    }

    /// What was settled later may excuse whole moves that could not be settled then.
    fn excuse_open(&mut self, open: &mut Vec<Stones>, p: usize) {
        open.retain(|stones| stones.len() < p || !self.excuse_now(stones));
    }

    /// What answers a settled reply.
    fn zone_of_reply<'r>(&'r self, reply: &'r Answered) -> ZoneOfReply<'r> {
        let (by, like) = match &reply.by {
            AnsweredBy::Reply(index) => {
                let like = &self.replies[*index as usize];
                (&like.by, Some(&like.stones[..]))
            }
            own => (own, None),
        };
        ZoneOfReply {
            zone: by.zone().expect("replies are like those that have proofs"),
            stones: &reply.stones,
            like,
        }
    }

    /// The whole proof, put together from those of the replies.
    pub(crate) fn proof(&self) -> Proof {
        let proof_of = |place: usize, _: &Listed| match &self.replies[place].by {
            AnsweredBy::Proof(proof, _) => Cow::Borrowed(&**proof),
            AnsweredBy::Zone(_) => unreachable!("whoever brings zones joins the proofs"),
            AnsweredBy::Reply(_) => unreachable!("it is listed as like another"),
        };
        join_replies(self.position, &self.listed(), proof_of)
            .expect("every reply's proof is in place, of the same game and attacker")
    }

    /// The replies that have proofs of their own.
    pub(crate) fn answered(&self) -> Vec<KnownReply> {
        let p = self.desk.board.shape().stones_per_turn() as usize;
        let own = self.replies.iter().filter_map(|reply| match &reply.by {
            AnsweredBy::Proof(proof, _) => Some(KnownReply {
                mv: whole_move(&reply.stones, p),
                proof: Arc::clone(proof),
            }),
            AnsweredBy::Zone(_) | AnsweredBy::Reply(_) => None,
        });
        own.collect()
    }

    fn wait_for_extensions(&mut self, stones: &Stones, p: usize, waiting: &mut Waiting) {
        let free = p - stones.len();
        if free == 0 || !holds(Rule::Extensions) {
            return;
        }
        let settled = self.replies.last().expect("it was just settled");
        let zone = self.zone_of_reply(settled).after(&self.desk.board);
        let defender = self.desk.attacker.other();
        self.desk.board.place_all(stones, defender);
        let coverage = self.options.coverage;
        let known = |stones: &[Square]| {
            self.known_proof(stones).is_some() || self.known_zone(stones).is_some()
        };
        coverage.needed(&self.desk.board, defender, &zone, free, |set| {
            let mut more: Stones = stones.iter().chain(&set).copied().collect();
            more.sort_unstable();
            let turn = match set.len() {
                2.. if coverage.leaves_sets_to_singles() => Turn::Last,
                _ => Turn::InOrder,
            };
            let sets = waiting.entry((turn, more.len())).or_default();
            // What is proved already comes first: it may excuse the others.
            if known(&more) {
                sets.push_front(more);
            } else {
                sets.push_back(more);
            }
        });
        self.desk.board.undo_all(stones.len());
    }

    fn settle(&mut self, stones: &Stones, turn: Turn) -> Settled {
        let may_replay = self.options.solver.replay_siblings || turn == Turn::Last;
        let (by, settled) = if let Some(zone) = self.known_zone(stones) {
            (AnsweredBy::Zone(Rc::new(zone.clone())), Settled::Searched)
        } else if let Some(reply) = self.known_proof(stones) {
            let zone = self.after(stones, |verifier| {
                proof_zone(
                    &mut verifier.desk.board,
                    verifier.desk.attacker,
                    &reply.proof,
                )
            });
            let proof = Arc::clone(&reply.proof);
            (AnsweredBy::Proof(proof, zone), Settled::Searched)
        } else if may_replay && let Some(index) = self.excused_by(stones) {
            (AnsweredBy::Reply(index), Settled::Excused)
        } else if self.known.open.iter().any(|mv| mv.stones() == &stones[..]) {
            return Settled::Open;
        } else {
            let answer = |verifier: &mut Self| verifier.recall_or_search(stones);
            match self.after(stones, answer) {
                Some((proved, settled)) => (AnsweredBy::Proof(proved.proof, proved.zone), settled),
                None => return Settled::Open,
            }
        };
        self.replies.push(Answered {
            stones: stones.clone(),
            by,
        });
        settled
    }

    fn known_proof(&self, stones: &[Square]) -> Option<&'a KnownReply> {
        let mut answered = self.known.answered.iter();
        answered.find(|reply| reply.mv.stones() == stones)
    }

    fn known_zone(&self, stones: &[Square]) -> Option<&'a Zone> {
        let mut zones = self.zones.iter();
        let known = zones.find(|reply| reply.mv.stones() == stones)?;
        Some(&known.zone)
    }

    /// Does something with the defender's stones on the board.
    fn after<T>(&mut self, stones: &Stones, run: impl FnOnce(&mut Self) -> T) -> T {
        self.desk
            .board
            .place_all(stones, self.desk.attacker.other());
        let outcome = run(self);
        self.desk.board.undo_all(stones.len());
        outcome
    }

    /// Settles a reply that was left open, if any zone excuses it by now.
    fn excuse_now(&mut self, stones: &Stones) -> bool {
        if !self.options.solver.replay_siblings {
            return false;
        }
        let Some(index) = self.excused_by(stones) else {
            return false;
        };
        self.replies.push(Answered {
            stones: stones.clone(),
            by: AnsweredBy::Reply(index),
        });
        self.counts.excused += 1;
        self.counts.open -= 1;
        let p = self.desk.board.shape().stones_per_turn() as usize;
        self.findings
            .reply(&whole_move(stones, p), Settled::Excused);
        true
    }

    fn excused_by(&self, stones: &[Square]) -> Option<u32> {
        let (shape, geometry) = (self.desk.board.shape(), self.desk.board.geometry());
        let excuses = |reply: &Answered| {
            let zone = reply.by.zone();
            zone.is_some_and(|zone| zone.excuses(shape, geometry, &without(stones, &reply.stones)))
        };
        let index = self.replies.iter().position(excuses)?;
        Some(index as u32)
    }

    /// Answers the board's position, after these stones of the defender.
    fn recall_or_search(&mut self, stones: &Stones) -> Option<(Proved, Settled)> {
        let p = self.desk.board.shape().stones_per_turn() as usize;
        let times = if stones.len() < p {
            self.options.times_per_null
        } else {
            1
        };
        let nodes = self.options.nodes_per_reply.saturating_mul(times);
        if nodes == 0 {
            return None;
        }
        let start = self.position.after(&whole_move(stones, p));
        let Some(store) = self.store.take() else {
            return Some((self.search(&start, nodes)?, Settled::Searched));
        };
        let Desk {
            board, attacker, ..
        } = &mut self.desk;
        let known = store.recall(board, &start, *attacker, self.budget.cancel());
        let answer = match known {
            Some(known) => Some((known, Settled::Recalled)),
            None => {
                let found = self.search(&start, nodes);
                if let Some(proved) = &found {
                    store.keep(proved);
                }
                found.map(|proved| (proved, Settled::Searched))
            }
        };
        self.store = Some(store);
        answer
    }

    /// Searches the board's position order by order.
    fn search(&mut self, start: &Position, nodes: u64) -> Option<Proved> {
        let solver = self.options.solver;
        for order in (1..=self.options.order.0).map(Order) {
            let options = SearchOptions {
                order,
                width: solver.width(),
                coverage: self.options.coverage,
                replay_siblings: solver.replay_siblings,
                memory: solver.memory,
            };
            let (_, won) = self.desk.search(start, options, nodes, self.budget);
            if let Some((proof, zone)) = won {
                return Some(Proved::new(proof, zone, order));
            }
        }
        None
    }
}

/// A defender's move of these stones, and null stones for the rest.
fn whole_move(stones: &[Square], p: usize) -> Move {
    Move::new(stones.iter().copied(), (p - stones.len()) as u8)
}

/// Moves that wait to be settled. Smaller sets come first: their zones excuse larger ones.
type Waiting = BTreeMap<(Turn, usize), VecDeque<Stones>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    InOrder,
    /// After all others, whose zones are known to excuse it.
    Last,
}

fn next(waiting: &mut Waiting) -> Option<(Turn, Stones)> {
    waiting
        .iter_mut()
        .find_map(|((turn, _), sets)| sets.pop_front().map(|stones| (*turn, stones)))
}
