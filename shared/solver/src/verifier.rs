//! The verifier: does the attacker win whatever the defender does now?
//!
//! It settles the null move first, then what the null move's zone does not excuse: semi-null
//! moves, then full ones, each by a lambda search unless an earlier zone excuses it.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::{Answer, Proof, ProofBuilder, Reply};
use gridproof_game::{Colour, Move, Position, Square};
use gridproof_threats::{Shape, ThreatBoard};

use crate::attacks::{Generator, History};
use crate::coverage::Coverage;
use crate::defence::{Defence, defence};
use crate::limits::{Budget, Order};
use crate::mutation::{Rule, holds};
use crate::proof_zone::proof_zone;
use crate::search::{Lent, SearchOptions, search};
use crate::solver::SolverOptions;
use crate::tree::Tree;
use crate::zone::{Stones, Zone, ZoneOfReply, without};

/// How a verifier run goes about it.
#[derive(Clone, Copy, Debug)]
pub struct VerifierOptions {
    pub coverage: Coverage,
    /// The highest order of the searches that answer replies.
    pub order: Order,
    /// Nodes for the search that answers one reply.
    pub nodes_per_reply: u64,
    /// Stop once so many replies are open, or one that leaves stones out and so stands for
    /// many. Without it a run goes on, to report all of them.
    pub most_open: Option<usize>,
    pub solver: SolverOptions,
}

impl VerifierOptions {
    /// A run's nodes are for so many replies that are hard to answer.
    const REPLIES_PER_BUDGET: u64 = 20;

    /// For a run of so many nodes: they decide both how long it goes on and how hard it tries
    /// at each reply.
    #[must_use]
    pub fn for_budget(nodes: u64) -> Self {
        Self {
            nodes_per_reply: nodes / Self::REPLIES_PER_BUDGET,
            ..Self::default()
        }
    }

    /// A first job stops at so many open replies, and each later one at twice as many. Measured
    /// on a campaign of 130 openings, whose verifier jobs went on until they had spent all:
    /// of those that left 8 or more open, 1 in 100 was proved in the end, and of 1,400 that
    /// did not come to all replies, one; they took a third of all nodes.
    const OPEN_REPLIES: usize = 8;

    /// For a job of the search: it does not go on where the attacker's move looks bad.
    #[must_use]
    pub fn for_job(nodes: u64, level: u8) -> Self {
        Self {
            most_open: Some(Self::OPEN_REPLIES << level.min(16)),
            ..Self::for_budget(nodes)
        }
    }
}

impl Default for VerifierOptions {
    fn default() -> Self {
        Self {
            coverage: Coverage::Segment,
            order: Order::SINGLE_THREATS,
            nodes_per_reply: 20_000,
            most_open: None,
            solver: SolverOptions::default(),
        }
    }
}

/// How one defender's move was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// By a search of its own.
    Searched,
    /// By the zone of an earlier reply, for nothing.
    Excused,
    /// Not: the attacker may or may not win.
    Open,
}

/// What a verifier learns, as soon as it is known.
pub trait Findings {
    fn reply(&mut self, mv: &Move, settled: Settled);
}

/// For those who only want the end result.
impl Findings for () {
    fn reply(&mut self, _: &Move, _: Settled) {}
}

/// Counts of a verifier run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifierCounts {
    pub searched: u64,
    pub excused: u64,
    pub open: u64,
}

/// A defender's move and the proof that the attacker wins after it.
#[derive(Clone, Debug)]
pub struct KnownReply {
    /// Full, semi-null or null.
    pub mv: Move,
    pub proof: Arc<Proof>,
}

pub(crate) struct Verifier<'a, 'b, S: Shape> {
    pub(crate) position: &'a Position,
    pub(crate) board: &'a mut ThreatBoard<S>,
    pub(crate) attacker: Colour,
    pub(crate) options: VerifierOptions,
    pub(crate) budget: &'a mut Budget<'b>,
    /// Replies that need no search, because somebody proved them before.
    pub(crate) known: &'a [KnownReply],
    pub(crate) findings: &'a mut dyn Findings,
    pub(crate) generator: &'a mut Generator,
    pub(crate) history: &'a mut History,
    pub(crate) tree: &'a mut Tree,
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
    /// Like this other reply, which has a proof.
    Reply(u32),
}

/// The end of a verifier run.
pub(crate) enum Verified {
    Proved(Box<(Proof, Zone)>),
    /// The defender completes a line, or fills the board.
    DefenderHolds,
    Open {
        moves: Vec<Move>,
        came_to_all: bool,
    },
}

impl<S: Shape> Verifier<'_, '_, S> {
    pub(crate) fn run(&mut self) -> Verified {
        let p = self.board.shape().stones_per_turn() as usize;
        let Defence::Blocks(bases) = defence(self.board, self.attacker) else {
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
        let answers = self.replies.iter().map(|reply| {
            let (zone, like) = self.settled_by(reply);
            ZoneOfReply {
                zone,
                stones: &reply.stones,
                like: like.map(|like| &like.stones[..]),
            }
        });
        let zone = Zone::of_defence(self.board, self.attacker, answers);
        Verified::Proved(Box::new((self.proof(p), zone)))
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

    /// The zone of the proof that answers a reply, and the other reply it was made for, if any.
    fn settled_by<'r>(&'r self, reply: &'r Answered) -> (&'r Rc<Zone>, Option<&'r Answered>) {
        match &reply.by {
            AnsweredBy::Proof(_, zone) => (zone, None),
            AnsweredBy::Reply(index) => {
                let like = &self.replies[*index as usize];
                let AnsweredBy::Proof(_, zone) = &like.by else {
                    unreachable!("replies are like those that have proofs")
                };
                (zone, Some(like))
            }
        }
    }

    /// The zone of the position after a settled reply.
    fn zone_after(&self, reply: &Answered) -> Rc<Zone> {
        let (zone, like) = self.settled_by(reply);
        match like {
            None => Rc::clone(zone),
            Some(like) => {
                let (shape, geometry) = (self.board.shape(), self.board.geometry());
                let extra = without(&reply.stones, &like.stones);
                Rc::new(zone.with_stones(shape, geometry, &extra))
            }
        }
    }

    /// The whole proof, put together from those of the replies.
    fn proof(&self, p: usize) -> Proof {
        let mut builder = ProofBuilder::new(self.position.clone(), self.attacker);
        let mut replies = Vec::with_capacity(self.replies.len());
        for reply in &self.replies {
            let answer = match &reply.by {
                AnsweredBy::Proof(proof, _) => {
                    Answer::Proof(builder.graft(proof).expect("the same game and attacker"))
                }
                AnsweredBy::Reply(index) => Answer::LikeReply(*index),
            };
            replies.push(Reply {
                mv: whole_move(&reply.stones, p),
                answer,
            });
        }
        builder
            .defend(replies)
            .and_then(|root| builder.finish(root))
            .expect("every reply's proof is in place")
    }

    /// The replies that have proofs of their own.
    pub(crate) fn answered(&self) -> Vec<KnownReply> {
        let p = self.board.shape().stones_per_turn() as usize;
        let own = self.replies.iter().filter_map(|reply| match &reply.by {
            AnsweredBy::Proof(proof, _) => Some(KnownReply {
                mv: whole_move(&reply.stones, p),
                proof: Arc::clone(proof),
            }),
            AnsweredBy::Reply(_) => None,
        });
        own.collect()
    }

    fn wait_for_extensions(&mut self, stones: &Stones, p: usize, waiting: &mut Waiting) {
        let free = p - stones.len();
        if free == 0 || !holds(Rule::Extensions) {
            return;
        }
        let zone = self.zone_after(self.replies.last().expect("it was just settled"));
        let defender = self.attacker.other();
        self.board.place_all(stones, defender);
        let (coverage, known) = (self.options.coverage, self.known);
        coverage.needed(self.board, defender, &zone, free, |set| {
            let mut more: Stones = stones.iter().chain(&set).copied().collect();
            more.sort_unstable();
            let turn = match set.len() {
                2.. if coverage.leaves_sets_to_singles() => Turn::Last,
                _ => Turn::InOrder,
            };
            let sets = waiting.entry((turn, more.len())).or_default();
            // What is proved already comes first: it may excuse the others.
            if known.iter().any(|reply| reply.mv.stones() == &more[..]) {
                sets.push_front(more);
            } else {
                sets.push_back(more);
            }
        });
        self.board.undo_all(stones.len());
    }

    fn settle(&mut self, stones: &Stones, turn: Turn) -> Settled {
        let may_replay = self.options.solver.replay_siblings || turn == Turn::Last;
        let known = self
            .known
            .iter()
            .find(|reply| reply.mv.stones() == &stones[..]);
        let (by, settled) = if let Some(reply) = known {
            let zone = self.after(stones, |verifier| {
                proof_zone(verifier.board, verifier.attacker, &reply.proof)
            });
            let proof = Arc::clone(&reply.proof);
            (AnsweredBy::Proof(proof, zone), Settled::Searched)
        } else if may_replay && let Some(index) = self.excused_by(stones) {
            (AnsweredBy::Reply(index), Settled::Excused)
        } else {
            match self.after(stones, |verifier| verifier.search(stones)) {
                Some((proof, zone)) => {
                    let proof = Arc::new(proof);
                    (AnsweredBy::Proof(proof, zone), Settled::Searched)
                }
                None => return Settled::Open,
            }
        };
        self.replies.push(Answered {
            stones: stones.clone(),
            by,
        });
        settled
    }

    /// Does something with the defender's stones on the board.
    fn after<T>(&mut self, stones: &Stones, run: impl FnOnce(&mut Self) -> T) -> T {
        self.board.place_all(stones, self.attacker.other());
        let outcome = run(self);
        self.board.undo_all(stones.len());
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
        let p = self.board.shape().stones_per_turn() as usize;
        self.findings
            .reply(&whole_move(stones, p), Settled::Excused);
        true
    }

    fn excused_by(&self, stones: &[Square]) -> Option<u32> {
        let (shape, geometry) = (self.board.shape(), self.board.geometry());
        let excuses = |reply: &Answered| match &reply.by {
            AnsweredBy::Proof(_, zone) => {
                zone.excuses(shape, geometry, &without(stones, &reply.stones))
            }
            AnsweredBy::Reply(_) => false,
        };
        let index = self.replies.iter().position(excuses)?;
        Some(index as u32)
    }

    /// Searches the board's position, after these stones of the defender, order by order.
    fn search(&mut self, stones: &Stones) -> Option<(Proof, Rc<Zone>)> {
        if self.options.nodes_per_reply == 0 {
            return None;
        }
        let p = self.board.shape().stones_per_turn() as usize;
        let start = self.position.after(&whole_move(stones, p));
        let solver = self.options.solver;
        for order in (1..=self.options.order.0).map(Order) {
            let options = SearchOptions {
                order,
                width: solver.width(),
                coverage: self.options.coverage,
                replay_siblings: solver.replay_siblings,
            };
            let lent = Lent {
                board: &mut *self.board,
                attacker: self.attacker,
                generator: &mut *self.generator,
                history: &mut *self.history,
                tree: &mut *self.tree,
            };
            let (_, proved) = self.budget.within(self.options.nodes_per_reply, |budget| {
                search(lent, &start, options, budget)
            });
            if proved.is_some() {
                return proved;
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
