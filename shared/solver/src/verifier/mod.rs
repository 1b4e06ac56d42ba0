//! The verifier: does the attacker win whatever the defender does now?
//!
//! It settles the null move first, then what the null move's zone does not excuse: semi-null
//! moves, then full ones, each by a lambda search unless an earlier zone excuses it.

mod join;
mod options;
mod reply;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Move, Position, Square};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::defence::{Defence, defence};
use crate::mutation::{Rule, holds};
use crate::options::SolverOptions;
use crate::order::Order;
use crate::outcome::{Outcome, Verdict, Win};
use crate::proof_zone::proof_zone;
use crate::search::Searcher;
use crate::tree::Number;
use crate::zone::{Stones, Zone, ZoneOfReply, without};

pub use join::join_replies;
pub use options::{Leftover, VerifierOptions};
pub use reply::{
    Findings, KnownReplies, ListedReply, ProvedReply, ReplyStatus, ReplyZone, VerifierCounts,
};

/// One run on one position.
pub(crate) struct Verifier<'a, 'b, S: Shape> {
    position: &'a Position,
    searcher: Searcher<S>,
    options: VerifierOptions<'a>,
    budget: &'a mut Budget<'b>,
    /// Zones of replies whose proofs somebody else has.
    pub(crate) zones: &'a [ReplyZone],
    findings: &'a mut dyn Findings,
    pub(crate) counts: VerifierCounts,
    /// The run ended before every reply was looked at.
    pub(crate) stopped_early: bool,
    replies: Vec<Answered>,
    /// How much the first search left to prove of replies that stayed open.
    left_to_prove: FxHashMap<Stones, Number>,
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

impl<'a, 'b, S: Shape> Verifier<'a, 'b, S> {
    /// A verifier of the position, which stands on the board.
    pub(crate) fn new(
        position: &'a Position,
        board: ThreatBoard<S>,
        options: VerifierOptions<'a>,
        budget: &'a mut Budget<'b>,
        findings: &'a mut dyn Findings,
    ) -> Self {
        Self {
            position,
            searcher: Searcher::new(board, position.to_move().other()),
            options,
            budget,
            zones: &[],
            findings,
            counts: VerifierCounts::default(),
            stopped_early: false,
            replies: Vec::new(),
            left_to_prove: FxHashMap::default(),
        }
    }

    pub(crate) fn run(&mut self) -> Verdict<()> {
        let Defence::Blocks(bases) = defence(&self.searcher.board, self.searcher.attacker) else {
            return Verdict::DefenderHolds;
        };
        let mut queue = Queue::default();
        for base in bases {
            queue.of(Priority::Usual, base.len()).push_back(base);
        }
        let mut open: Vec<Stones> = Vec::new();
        self.settle_queue(&mut queue, &mut open);
        if self.options.leftover == Leftover::ToOpenReplies {
            while let Some(stones) = self.settle_leftover(&mut open) {
                self.queue_extensions(&stones, &mut queue);
                self.settle_queue(&mut queue, &mut open);
            }
        }
        if open.is_empty() && !self.stopped_early {
            return Verdict::Proved(());
        }
        Verdict::Open(open.iter().map(|stones| self.whole_move(stones)).collect())
    }

    /// Settles what is queued, and what the answers queue.
    fn settle_queue(&mut self, queue: &mut Queue, open: &mut Vec<Stones>) {
        while let Some((priority, stones)) = queue.pop() {
            if self.stopped_early {
                return;
            }
            if self.replies.iter().any(|reply| reply.stones == stones) {
                continue;
            }
            if open
                .iter()
                .any(|fewer| fewer.iter().all(|stone| stones.contains(stone)))
            {
                continue;
            }
            let mv = self.whole_move(&stones);
            let status = self.settle(&stones, priority);
            self.findings.reply(&mv, status);
            match status {
                ReplyStatus::Searched => self.counts.searched += 1,
                ReplyStatus::Excused => self.counts.excused += 1,
                ReplyStatus::Open => {
                    self.counts.open += 1;
                    open.push(stones);
                    if self.has_seen_enough(open) {
                        self.stopped_early = true;
                    }
                    continue;
                }
            }
            self.queue_extensions(&stones, queue);
        }
        self.excuse_open(open);
    }

    /// Spends what is left on the open replies, each once, until one of them is settled: it is
    /// returned.
    fn settle_leftover(&mut self, open: &mut Vec<Stones>) -> Option<Stones> {
        let others = self.options.known.open;
        loop {
            let is_ours = |stones: &Stones| others.iter().all(|mv| mv.stones() != &stones[..]);
            let mut untried: Vec<(Number, Stones)> = Vec::new();
            for stones in open.iter().filter(|stones| is_ours(stones)) {
                if let Some(&left) = self.left_to_prove.get(stones) {
                    untried.push((left, stones.clone()));
                }
            }
            if self.stopped_early || self.budget.is_over() {
                return None;
            }
            let count = untried.len() as u64;
            let (_, stones) = untried.into_iter().min()?;
            self.left_to_prove.remove(&stones);
            let start = self.position.after(&self.whole_move(&stones));
            let nodes = self.budget.left() / count;
            let solver = self.options.solver;
            let outcome = self.after(&stones, |verifier| {
                let searcher = &mut verifier.searcher;
                verifier
                    .budget
                    .within(nodes, |budget| searcher.win(&start, solver, budget))
            });
            if let Outcome::Won(win) = outcome {
                let Win { proof, zone, .. } = *win;
                open.retain(|other| *other != stones);
                self.counts.open -= 1;
                self.counts.searched += 1;
                let mv = self.whole_move(&stones);
                self.findings.reply(&mv, ReplyStatus::Searched);
                self.replies.push(Answered {
                    stones: stones.clone(),
                    by: AnsweredBy::Proof(Arc::new(proof), Rc::new(zone)),
                });
                self.excuse_open(open);
                return Some(stones);
            }
        }
    }

    fn stones_per_turn(&self) -> usize {
        self.searcher.board.shape().stones_per_turn() as usize
    }

    /// A defender's move of these stones, and null stones for the rest.
    fn whole_move(&self, stones: &[Square]) -> Move {
        let nulls = self.stones_per_turn() - stones.len();
        Move::new(stones.iter().copied(), nulls as u8)
    }

    /// Nodes for the search that answers a reply of these stones.
    fn nodes_for(&self, stones: &[Square]) -> u64 {
        let times = if stones.len() < self.stones_per_turn() {
            self.options.times_per_null
        } else {
            1
        };
        self.options.nodes_per_reply.saturating_mul(times)
    }

    /// The zone of the position, once every reply is answered.
    pub(crate) fn zone(&self) -> Zone {
        let answers = self.replies.iter().map(|reply| self.zone_of_reply(reply));
        Zone::of_defence(&self.searcher.board, self.searcher.attacker, answers)
    }

    /// All that was answered, and how.
    pub(crate) fn listed(&self) -> Vec<ListedReply> {
        let listed = self.replies.iter().map(|reply| ListedReply {
            mv: self.whole_move(&reply.stones),
            like: match reply.by {
                AnsweredBy::Reply(index) => Some(index),
                AnsweredBy::Proof(..) | AnsweredBy::Zone(_) => None,
            },
        });
        listed.collect()
    }

    /// Whether it is no use to go on: too much is open, or the nodes are spent.
    fn has_seen_enough(&mut self, open: &mut Vec<Stones>) -> bool {
        if self.budget.is_over() {
            return true;
        }
        let Some(most) = self.options.most_open else {
            return false;
        };
        if open
            .last()
            .is_some_and(|stones| stones.len() < self.stones_per_turn())
        {
            return true;
        }
        if open.len() >= most {
            self.excuse_open(open);
        }
        open.len() >= most
    }

    /// What was settled later may excuse whole moves that could not be settled then.
    fn excuse_open(&mut self, open: &mut Vec<Stones>) {
        let p = self.stones_per_turn();
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
        let proof_of = |place: usize, _: &ListedReply| match &self.replies[place].by {
            AnsweredBy::Proof(proof, _) => Cow::Borrowed(&**proof),
            AnsweredBy::Zone(_) => unreachable!("whoever brings zones joins the proofs"),
            AnsweredBy::Reply(_) => unreachable!("it is listed as like another"),
        };
        join_replies(self.position, &self.listed(), proof_of)
            .expect("every reply's proof is in place, of the same game and attacker")
    }

    /// The replies that have proofs of their own.
    pub(crate) fn answered(&self) -> Vec<ProvedReply> {
        let own = self.replies.iter().filter_map(|reply| match &reply.by {
            AnsweredBy::Proof(proof, _) => Some(ProvedReply {
                mv: self.whole_move(&reply.stones),
                proof: Arc::clone(proof),
            }),
            AnsweredBy::Zone(_) | AnsweredBy::Reply(_) => None,
        });
        own.collect()
    }

    /// Queues the replies with more stones that the zone of this one does not excuse.
    fn queue_extensions(&mut self, stones: &Stones, queue: &mut Queue) {
        let free = self.stones_per_turn() - stones.len();
        if free == 0 || !holds(Rule::Extensions) {
            return;
        }
        let settled = self.replies.last().expect("it was just settled");
        let zone = self.zone_of_reply(settled).after(&self.searcher.board);
        let defender = self.searcher.attacker.other();
        self.searcher.board.place_all(stones, defender);
        let coverage = self.options.solver.coverage;
        let known = |stones: &[Square]| {
            self.known_proof(stones).is_some() || self.known_zone(stones).is_some()
        };
        coverage.needed(&self.searcher.board, defender, &zone, free, |set| {
            let mut more: Stones = stones.iter().chain(&set).copied().collect();
            more.sort_unstable();
            let priority = match set.len() {
                2.. if coverage.leaves_sets_to_singles() => Priority::Last,
                _ => Priority::Usual,
            };
            let sets = queue.of(priority, more.len());
            // What is proved already comes first: it may excuse the others.
            if known(&more) {
                sets.push_front(more);
            } else {
                sets.push_back(more);
            }
        });
        self.searcher.board.undo_all(stones.len());
    }

    fn settle(&mut self, stones: &Stones, priority: Priority) -> ReplyStatus {
        let may_replay = self.options.solver.replay_siblings || priority == Priority::Last;
        let (by, status) = if let Some(zone) = self.known_zone(stones) {
            (
                AnsweredBy::Zone(Rc::new(zone.clone())),
                ReplyStatus::Searched,
            )
        } else if let Some(reply) = self.known_proof(stones) {
            let zone = self.after(stones, |verifier| {
                proof_zone(
                    &mut verifier.searcher.board,
                    verifier.searcher.attacker,
                    &reply.proof,
                )
            });
            let proof = Arc::clone(&reply.proof);
            (AnsweredBy::Proof(proof, zone), ReplyStatus::Searched)
        } else if may_replay && let Some(index) = self.excused_by(stones) {
            (AnsweredBy::Reply(index), ReplyStatus::Excused)
        } else if self
            .options
            .known
            .open
            .iter()
            .any(|mv| mv.stones() == &stones[..])
        {
            return ReplyStatus::Open;
        } else {
            let nodes = self.nodes_for(stones);
            if nodes == 0 {
                return ReplyStatus::Open;
            }
            let start = self.position.after(&self.whole_move(stones));
            match self.after(stones, |verifier| verifier.search(&start, nodes)) {
                Some(Win { proof, zone, .. }) => (
                    AnsweredBy::Proof(Arc::new(proof), Rc::new(zone)),
                    ReplyStatus::Searched,
                ),
                None => {
                    let left = self.searcher.last.proof;
                    self.left_to_prove.insert(stones.clone(), left);
                    return ReplyStatus::Open;
                }
            }
        };
        self.replies.push(Answered {
            stones: stones.clone(),
            by,
        });
        status
    }

    fn known_proof(&self, stones: &[Square]) -> Option<&'a ProvedReply> {
        let mut answered = self.options.known.answered.iter();
        answered.find(|reply| reply.mv.stones() == stones)
    }

    fn known_zone(&self, stones: &[Square]) -> Option<&'a Zone> {
        let mut zones = self.zones.iter();
        let known = zones.find(|reply| reply.mv.stones() == stones)?;
        Some(&known.zone)
    }

    /// Does something with the defender's stones on the board.
    fn after<T>(&mut self, stones: &Stones, run: impl FnOnce(&mut Self) -> T) -> T {
        self.searcher
            .board
            .place_all(stones, self.searcher.attacker.other());
        let outcome = run(self);
        self.searcher.board.undo_all(stones.len());
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
        let mv = self.whole_move(stones);
        self.findings.reply(&mv, ReplyStatus::Excused);
        true
    }

    fn excused_by(&self, stones: &[Square]) -> Option<u32> {
        let (shape, geometry) = (self.searcher.board.shape(), self.searcher.board.geometry());
        let excuses = |reply: &Answered| {
            let zone = reply.by.zone();
            zone.is_some_and(|zone| zone.excuses(shape, geometry, &without(stones, &reply.stones)))
        };
        let index = self.replies.iter().position(excuses)?;
        Some(index as u32)
    }

    /// Searches the board's position order by order.
    fn search(&mut self, start: &Position, nodes: u64) -> Option<Win> {
        let solver = self.options.solver;
        Order::up_to(solver.order).find_map(|order| {
            let options = SolverOptions { order, ..solver };
            match self.searcher.search(start, options, nodes, self.budget) {
                Outcome::Won(win) => Some(*win),
                Outcome::NoWin | Outcome::Unknown => None,
            }
        })
    }
}

/// Replies that wait to be settled. Smaller sets of stones come first: their zones excuse
/// larger ones.
#[derive(Default)]
struct Queue(BTreeMap<(Priority, usize), VecDeque<Stones>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    Usual,
    /// After all others, whose zones are known to excuse it.
    Last,
}

impl Queue {
    fn of(&mut self, priority: Priority, stones: usize) -> &mut VecDeque<Stones> {
        self.0.entry((priority, stones)).or_default()
    }

    fn pop(&mut self) -> Option<(Priority, Stones)> {
        let mut sets = self.0.iter_mut();
        sets.find_map(|((priority, _), sets)| Some((*priority, sets.pop_front()?)))
    }
}
