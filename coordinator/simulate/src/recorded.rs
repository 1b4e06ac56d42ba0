//! A world that plays a tape.
//!
//! The first schedule on a tape plays back to the letter: the same jobs, the same settlements.
//! A later one may have proved the same replies in another way; then the first one's settlement
//! stands, and the playback may leave the recording. Where it asks what nobody has answered,
//! - a job that is not on the tape costs what some recorded job of its kind cost, drawn by its
//!   position, and learns nothing. It never helps the proof, so the time to proof comes out too
//!   long rather than too short;
//! - a node that is to be settled at a moment that is not on the tape is settled as at the
//!   latest moment before, less the replies that were proved since. That may be too kind: the
//!   new proofs may have asked for further replies.
//!
//! Both are counted, and the tables show the counts.

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position};

use super::dice::{Dice, mix};
use super::tape::{Moment, Still, Tape};
use super::world::{Run, Settlement, World};
use gridproof_search::{ChildView, JobKind, JobResult, JobSpec, NodeId, NodeKey, ReplyState};

/// Plays a tape.
#[derive(Debug)]
pub struct Recorded<'a> {
    tape: &'a Tape,
    costs: BTreeMap<JobKind, Vec<u64>>,
    /// How many verifiers have told what they could settle of a node.
    verified: BTreeMap<NodeKey, u16>,
    guesses: Guesses,
}

/// What a tape was asked and did not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guesses {
    pub jobs: u64,
    pub settlements: u64,
}

impl<'a> Recorded<'a> {
    #[must_use]
    pub fn new(tape: &'a Tape) -> Self {
        let costs = JobKind::ALL.map(|kind| (kind, tape.costs(kind)));
        Self {
            tape,
            costs: BTreeMap::from(costs),
            verified: BTreeMap::new(),
            guesses: Guesses::default(),
        }
    }

    fn guess_job(&mut self, job: &JobSpec) -> Run {
        self.guesses.jobs += 1;
        let key = job.id.key;
        let mut dice = Dice::of(mix(key.0[0]) ^ key.0[1], job.known.len() as u64);
        let spent = dice.pick(&self.costs[&job.id.kind]).copied();
        Run::of_end(JobResult::Unknown, spent.unwrap_or(job.budget))
    }

    fn guess_still(&mut self, node: NodeKey, when: Moment, children: &[ChildView]) -> Still {
        self.guesses.settlements += 1;
        let is_proved = |mv: &Move| {
            let mut proved = children.iter().filter(|child| child.numbers.is_proved());
            proved.any(|child| child.mv == *mv)
        };
        match self.tape.find_earlier_still(node, when) {
            None => Still::Silence,
            Some(Still::Needed(mut needed)) => {
                needed.retain(|mv| !is_proved(mv));
                if needed.is_empty() {
                    Still::Nothing
                } else {
                    Still::Needed(needed)
                }
            }
            Some(still) => still,
        }
    }
}

impl World for Recorded<'_> {
    fn root(&self) -> (Position, Colour) {
        (Position::clone(&self.tape.root), self.tape.attacker)
    }

    fn run(&mut self, job: &JobSpec) -> Run {
        match self.tape.find(job) {
            Some(run) => run,
            None => self.guess_job(job),
        }
    }

    fn delivered(&mut self, job: &JobSpec, result: &JobResult) {
        if result.is_open() {
            *self.verified.entry(job.id.key).or_default() += 1;
        }
    }

    fn settle(
        &mut self,
        _: NodeId,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let verified = self.verified.get(&key).copied().unwrap_or(0);
        let when = Moment::of(verified, children);
        let still = match self.tape.find_still(key, when) {
            Some(still) => still,
            None => self.guess_still(key, when, children),
        };
        settlement(still, children)
    }

    fn is_won(&mut self, _: &JobSpec) -> bool {
        true
    }

    fn is_refuted(&mut self, _: &JobSpec) -> bool {
        true
    }

    fn guesses(&self) -> Guesses {
        self.guesses
    }
}

/// What the shell tells the core.
pub(super) fn settlement(still: Still, children: &[ChildView]) -> Settlement {
    let open = children
        .iter()
        .filter(|child| child.state == ReplyState::Live && !child.numbers.is_proved())
        .map(|child| &child.mv);
    match still {
        Still::Silence => Settlement::default(),
        Still::Nothing => Settlement {
            excused: open.cloned().collect(),
            needed: Vec::new(),
            closed: true,
        },
        Still::Needed(needed) => {
            let is_needed = |mv: &Move| {
                let mut needed = needed.iter();
                needed.any(|open| open.stones().iter().all(|stone| mv.contains(*stone)))
            };
            Settlement {
                excused: open.filter(|mv| !is_needed(mv)).cloned().collect(),
                needed,
                closed: false,
            }
        }
    }
}
