//! What a simulated grid works on.

use gridproof_game::{Colour, Move, Position};

use super::dice::Dice;
use super::hostile::random_moves;
use super::recorded::Guesses;
use gridproof_search::{ChildView, JobResult, JobSpec, NodeId, NodeView, ProvedBy};

/// A search whose jobs need no solving: somebody knows their answers.
pub trait World {
    /// It wants to hear of every node that is proved.
    const WANTS_PROVED: bool = false;

    /// The position to search and who attacks.
    fn root(&self) -> (Position, Colour);

    /// What a job would come to.
    fn run(&mut self, job: &JobSpec) -> Run;

    /// The same where these replies are answered already: a verifier has more nodes left for the
    /// others.
    fn run_knowing(&mut self, job: &JobSpec, _answered: &[Move]) -> Run {
        self.run(job)
    }

    /// What the shell would make of a defender's node: the replies that are excused, further
    /// moves to look at, and whether its certificate is complete.
    fn settle(
        &mut self,
        node: NodeId,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement;

    /// A job's answer has reached the core.
    fn delivered(&mut self, _job: &JobSpec, _result: &JobResult) {}

    /// The core says that a node is proved.
    fn proved(&mut self, _node: &NodeView, _position: &Position, _how: &ProvedBy) {}

    /// Whether a certificate for this job's position can pass the checker.
    fn is_won(&mut self, job: &JobSpec) -> bool;

    /// Whether the board shows that the defender holds this job's position.
    fn is_refuted(&mut self, job: &JobSpec) -> bool;

    /// What a liar might say, if this world knows how to lie.
    fn lie(&mut self, _job: &JobSpec, honest: &Run, _dice: &mut Dice) -> Run {
        honest.clone()
    }

    /// Moves that change nothing for who wins: attacker's that do not win, and defender's that do
    /// not hold. A hostile worker names them.
    fn pointless(&mut self, job: &JobSpec, count: usize, dice: &mut Dice) -> Vec<Move> {
        random_moves(job, count, dice)
    }

    /// What it had to guess so far.
    fn guesses(&self) -> Guesses {
        Guesses::default()
    }

    /// The moves that an operator might give as a hint for an attacker's position.
    fn hints(&mut self, _position: &Position) -> Vec<Move> {
        Vec::new()
    }
}

/// A job's course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub result: JobResult,
    /// Solver nodes.
    pub spent: u64,
    /// What a verifier finds on the way, and after how many nodes.
    pub findings: Vec<(u64, Move)>,
    /// Replies that a verifier answered, if its world tells.
    pub answered: Vec<Move>,
}

impl Run {
    /// A verifier's run that finds what stays open at even steps on its way.
    pub(super) fn of_open(moves: Vec<Move>, spent: u64) -> Self {
        let step = |number: u64| spent * number / (moves.len() as u64 + 1);
        let found = moves.iter().zip(1..);
        Self {
            findings: found
                .map(|(mv, number)| (step(number), mv.clone()))
                .collect(),
            result: JobResult::Open(moves),
            spent,
            answered: Vec::new(),
        }
    }

    /// A run that tells nothing before its end.
    #[must_use]
    pub const fn of_end(result: JobResult, spent: u64) -> Self {
        Self {
            result,
            spent,
            findings: Vec::new(),
            answered: Vec::new(),
        }
    }
}

/// As in [`Settled`](gridproof_search::Settled).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    pub excused: Vec<Move>,
    pub needed: Vec<Move>,
    pub closed: bool,
}
