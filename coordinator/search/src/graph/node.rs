//! Nodes as they lie in memory: small, since there may be ten million of them.

use bitflags::bitflags;

use super::edge::{EdgeId, Link, NOBODY};
use crate::ids::WorkerId;
use crate::job::{Level, Side};
use crate::key::NodeKey;
use crate::numbers::{FailedWork, Number, Numbers, Status};

/// Where the way to the next job leads from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way(u32);

impl Way {
    /// Nowhere: no job is to be had.
    pub(super) const BLOCKED: Self = Self(u32::MAX);
    /// To a job of the node itself.
    pub(super) const OWN_JOB: Self = Self(u32::MAX - 1);

    pub(super) const fn along(edge: EdgeId) -> Self {
        Self(edge.0)
    }

    pub(super) const fn edge(self) -> EdgeId {
        EdgeId(self.0)
    }
}

/// A position with one side as the attacker.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(super) key: NodeKey,
    /// What the facts say.
    pub(super) numbers: Numbers,
    /// What they would say if running jobs ended as the policy assumes.
    pub(super) assumed: Numbers,
    /// The last edge to a child; edges to children form a ring, so the next is the first.
    pub(super) last_child: Link,
    /// An edge from a parent; edges from parents form a chain.
    pub(super) a_parent: Link,
    /// The way from here to the best job.
    pub(super) way: Way,
    /// By how much numbers must change before that job is the best of all under this node.
    pub(super) detour: u16,
    /// Work on what is open here and below.
    pub(super) failed_work: FailedWork,
    /// Edges that count, from parents that matter.
    pub(super) live_parents: u32,
    /// The job that is running here.
    pub(super) job: Link,
    /// Whose word the node's own state is.
    pub(super) by: WorkerId,
    /// Grows along every edge: see [`Node::rank_of_child`].
    pub(super) rank: u16,
    /// Answers on record.
    pub(super) serial: u16,
    pub(super) flags: Flags,
    pub(super) level: Level,
    /// The numbers of the node's own next job.
    job_proof: u8,
    job_disproof: u8,
    /// How often the next job was given to a worker.
    pub(super) attempts: u8,
}

fn side_of(rank: u16) -> Side {
    if rank % 2 == 1 {
        Side::Attacker
    } else {
        Side::Defender
    }
}

impl Node {
    pub(super) fn new(key: NodeKey, rank: u16, status: Status) -> Self {
        let numbers = status.numbers_for(side_of(rank));
        let mut node = Self {
            key,
            numbers,
            assumed: numbers,
            last_child: Link::NONE,
            a_parent: Link::NONE,
            way: Way::BLOCKED,
            detour: 0,
            failed_work: FailedWork::NOTHING,
            live_parents: 0,
            job: Link::NONE,
            by: NOBODY,
            rank,
            serial: 0,
            flags: Flags::empty(),
            level: Level(0),
            job_proof: 0,
            job_disproof: 0,
            attempts: 0,
        };
        node.set_job_numbers(numbers);
        node
    }

    /// Twice the stones, and one more if the attacker is to move. A defender's null move adds
    /// no stone but gives the attacker the move, so along every edge the rank grows: there are
    /// no cycles, and children can be worked out before their parents.
    pub(super) fn rank_of(stones: usize, side: Side) -> u16 {
        let turn = usize::from(side == Side::Attacker);
        u16::try_from(2 * stones + turn).expect("a board has at most 1,024 squares")
    }

    pub(super) fn rank_of_child(&self, stones_in_move: usize) -> u16 {
        let stones = usize::from(self.rank / 2) + stones_in_move;
        Self::rank_of(stones, self.side().other())
    }

    pub(crate) fn side(&self) -> Side {
        side_of(self.rank)
    }

    pub(crate) const fn key(&self) -> NodeKey {
        self.key
    }

    pub(crate) const fn numbers(&self) -> Numbers {
        self.numbers
    }

    pub(crate) const fn serial(&self) -> u16 {
        self.serial
    }

    pub(crate) const fn level(&self) -> Level {
        self.level
    }

    pub(crate) const fn attempts(&self) -> u8 {
        self.attempts
    }

    /// The running job's number.
    pub(crate) const fn job(&self) -> Option<usize> {
        self.job.get()
    }

    pub(crate) const fn is(&self, flag: Flags) -> bool {
        self.flags.contains(flag)
    }

    /// How many ways its board turns and mirrors onto itself.
    pub(super) fn symmetries(&self) -> u8 {
        if self.is(Flags::OBLONG) { 4 } else { 8 }
    }

    pub(crate) fn job_numbers(&self) -> Numbers {
        Numbers::new(
            Number::from(self.job_proof),
            Number::from(self.job_disproof),
        )
    }

    pub(super) fn set_job_numbers(&mut self, numbers: Numbers) {
        let small = |n: Number| n.clamp(1, Number::from(u8::MAX)) as u8;
        self.job_proof = small(numbers.proof);
        self.job_disproof = small(numbers.disproof);
    }

    /// What was known of the node is no longer: who is at its job was asked something else.
    pub(super) fn next_serial(&mut self) {
        self.serial = self.serial.saturating_add(1);
    }

    /// Something is known of the node beyond what led to it.
    pub(super) fn is_expanded(&self) -> bool {
        self.serial > 0 || !self.last_child.is_none()
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.job.is_none() || self.is(Flags::HELD)
    }

    /// Somebody waits for an answer to this node.
    pub(crate) fn matters(&self) -> bool {
        (self.live_parents > 0 || self.is(Flags::ROOT))
            && !self.numbers.is_solved()
            && !self.is(Flags::FORGOTTEN)
    }

    /// The facts leave something to ask at this node itself.
    pub(crate) fn is_incomplete(&self) -> bool {
        match self.side() {
            Side::Attacker => !self.is(Flags::GIVEN_UP),
            Side::Defender => !self.is(Flags::VERIFIED),
        }
    }
}

bitflags! {
    /// Marks on a node.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) struct Flags: u16 {
        /// A job brought a certificate.
        const WON = 1;
        /// The shell put a certificate together from those of the replies.
        const CLOSED = 1 << 1;
        /// The defender completes a line.
        const REFUTED = 1 << 2;
        /// A verifier has told which replies are open.
        const VERIFIED = 1 << 3;
        /// Enough workers say that there is nothing more to try.
        const GIVEN_UP = 1 << 4;
        /// By an operator.
        const FORGOTTEN = 1 << 5;
        const PAUSED = 1 << 6;
        /// A running search starts here.
        const ROOT = 1 << 7;
        /// The graph keeps this node's position.
        const KNOWN_POSITION = 1 << 8;
        const WHITE_ATTACKS = 1 << 9;
        /// The shell was asked to settle it.
        const SETTLING = 1 << 10;
        /// A reply was proved since the shell was asked.
        const SETTLE_AGAIN = 1 << 11;
        /// Waits to be worked out again.
        const QUEUED = 1 << 12;
        /// Passed over for the moment: the worker in question cannot have it.
        const HELD = 1 << 13;
        /// Its edges are counted in its children's `live_parents`.
        const COUNTED = 1 << 14;
        /// The board is longer than wide, or wider than long: it has 4 symmetries, not 8.
        const OBLONG = 1 << 15;

        /// What a child has in common with its parent.
        const INHERITED = Self::WHITE_ATTACKS.bits() | Self::OBLONG.bits();
        /// Those that come from facts.
        const DURABLE = 0b1000_0011_1111_1111;
    }
}

#[cfg(test)]
mod tests {
    use super::super::edge::Edge;
    use super::*;

    #[test]
    fn a_node_with_its_edge_takes_a_hundred_bytes_at_most() {
        assert!(size_of::<Node>() + size_of::<Edge>() <= 100);
    }

    #[test]
    fn rank_grows_along_every_edge_even_a_null_move() {
        let defender = Node::new(
            NodeKey([0; 2]),
            Node::rank_of(7, Side::Defender),
            Status::Quiet,
        );
        assert_eq!(defender.side(), Side::Defender);
        let attacker = defender.rank_of_child(0);
        assert!(attacker > defender.rank);
        assert_eq!(attacker, Node::rank_of(7, Side::Attacker));
        assert_eq!(defender.rank_of_child(2), Node::rank_of(9, Side::Attacker));
    }
}
