//! Nodes and edges as they lie in memory: small, since there may be ten million of them.

use super::failed_work::FailedWork;
use super::ids::WorkerId;
use super::job::{JobKind, Level};
use super::key::NodeKey;
use super::numbers::{Number, Numbers, Status};
use super::packed::PackedMove;

/// An index into a list, or nothing, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Link(u32);

impl Link {
    pub(super) const NONE: Self = Self(u32::MAX);

    pub(super) fn to(index: usize) -> Self {
        let index = u32::try_from(index).expect("memory ends before the numbers do");
        assert!(index < u32::MAX - 1, "memory ends before the numbers do");
        Self(index)
    }

    pub(super) const fn get(self) -> Option<usize> {
        if self.0 == u32::MAX {
            None
        } else {
            Some(self.0 as usize)
        }
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

/// Where the way to the next job leads from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way(u32);

impl Way {
    /// Nowhere: no job is to be had.
    pub(super) const BLOCKED: Self = Self(u32::MAX);
    /// To a job of the node itself.
    pub(super) const OWN_JOB: Self = Self(u32::MAX - 1);

    pub(super) fn along(edge: usize) -> Self {
        Self(Link::to(edge).0)
    }

    pub(super) const fn edge(self) -> usize {
        self.0 as usize
    }
}

/// A position with one side as the attacker.
#[derive(Clone, Debug)]
pub(super) struct Node {
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

/// Facts of the shell and of operators are nobody's word.
pub(super) const NOBODY: WorkerId = WorkerId(u32::MAX);
/// A reply that an operator wants looked at.
pub(super) const OPERATOR: WorkerId = WorkerId(u32::MAX - 1);

fn kind_of(rank: u16) -> JobKind {
    if rank % 2 == 1 {
        JobKind::Engine
    } else {
        JobKind::Verifier
    }
}

impl Node {
    pub(super) fn new(key: NodeKey, rank: u16, status: Status) -> Self {
        let numbers = status.numbers_for(kind_of(rank));
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
            flags: Flags::default(),
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
    pub(super) fn rank_of(stones: usize, kind: JobKind) -> u16 {
        let turn = usize::from(kind == JobKind::Engine);
        u16::try_from(2 * stones + turn).expect("a board has at most 1,024 squares")
    }

    pub(super) fn rank_of_child(&self, stones_in_move: usize) -> u16 {
        let stones = usize::from(self.rank / 2) + stones_in_move;
        let kind = match self.kind() {
            JobKind::Engine => JobKind::Verifier,
            JobKind::Verifier => JobKind::Engine,
        };
        Self::rank_of(stones, kind)
    }

    pub(super) fn kind(&self) -> JobKind {
        kind_of(self.rank)
    }

    /// How many ways its board turns and mirrors onto itself.
    pub(super) fn symmetries(&self) -> u8 {
        if self.flags.has(Flags::OBLONG) { 4 } else { 8 }
    }

    pub(super) fn job_numbers(&self) -> Numbers {
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

    /// Something is known of the node beyond what led to it.
    pub(super) fn is_expanded(&self) -> bool {
        self.serial > 0 || !self.last_child.is_none()
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.job.is_none() || self.flags.has(Flags::HELD)
    }

    /// Somebody waits for an answer to this node.
    pub(super) fn matters(&self) -> bool {
        (self.live_parents > 0 || self.flags.has(Flags::ROOT))
            && !self.numbers.is_solved()
            && !self.flags.has(Flags::FORGOTTEN)
    }
}

/// A move from one node to another.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) parent: Link,
    pub(super) child: Link,
    pub(super) next_child: Link,
    pub(super) next_parent: Link,
    pub(super) mv: PackedMove,
    /// Whose word it is that the move is worth looking at.
    pub(super) by: WorkerId,
    pub(super) symmetry: u8,
    pub(super) state: EdgeState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeState {
    Live,
    /// A zone answers this reply.
    Excused,
    /// Withdrawn.
    Dead,
}

/// Marks on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Flags(u16);

impl Flags {
    /// A job brought a certificate.
    pub(super) const WON: Self = Self(1);
    /// The shell put a certificate together from those of the replies.
    pub(super) const CLOSED: Self = Self(1 << 1);
    /// The defender completes a line.
    pub(super) const REFUTED: Self = Self(1 << 2);
    /// A verifier has told which replies are open.
    pub(super) const VERIFIED: Self = Self(1 << 3);
    /// Enough workers say that there is nothing more to try.
    pub(super) const GIVEN_UP: Self = Self(1 << 4);
    /// By an operator.
    pub(super) const FORGOTTEN: Self = Self(1 << 5);
    pub(super) const PAUSED: Self = Self(1 << 6);
    /// A running search starts here.
    pub(super) const ROOT: Self = Self(1 << 7);
    /// The graph keeps this node's position.
    pub(super) const KNOWN_POSITION: Self = Self(1 << 8);
    pub(super) const WHITE_ATTACKS: Self = Self(1 << 9);
    /// The shell was asked to settle it.
    pub(super) const SETTLING: Self = Self(1 << 10);
    /// A reply was proved since the shell was asked.
    pub(super) const SETTLE_AGAIN: Self = Self(1 << 11);
    /// Waits to be worked out again.
    pub(super) const QUEUED: Self = Self(1 << 12);
    /// Passed over for the moment: the worker in question cannot have it.
    pub(super) const HELD: Self = Self(1 << 13);
    /// Its edges are counted in its children's `live_parents`.
    pub(super) const COUNTED: Self = Self(1 << 14);
    /// The board is longer than wide, or wider than long: it has 4 symmetries, not 8.
    pub(super) const OBLONG: Self = Self(1 << 15);
    /// What a child has in common with its parent.
    pub(super) const INHERITED: Self = Self(Self::WHITE_ATTACKS.0 | Self::OBLONG.0);

    /// Those that come from facts.
    pub(super) const DURABLE: Self = Self(0b1000_0011_1111_1111);

    pub(super) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    pub(super) fn set(&mut self, flag: Self) {
        self.0 |= flag.0;
    }

    pub(super) fn clear(&mut self, flag: Self) {
        self.0 &= !flag.0;
    }

    pub(super) const fn only(self, mask: Self) -> Self {
        Self(self.0 & mask.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_with_its_edge_takes_a_hundred_bytes_at_most() {
        assert!(size_of::<Node>() + size_of::<Edge>() <= 100);
    }

    #[test]
    fn rank_grows_along_every_edge_even_a_null_move() {
        let defender = Node::new(
            NodeKey([0; 2]),
            Node::rank_of(7, JobKind::Verifier),
            Status::Quiet,
        );
        assert_eq!(defender.kind(), JobKind::Verifier);
        let attacker = defender.rank_of_child(0);
        assert!(attacker > defender.rank);
        assert_eq!(attacker, Node::rank_of(7, JobKind::Engine));
        assert_eq!(defender.rank_of_child(2), Node::rank_of(9, JobKind::Engine));
    }
}
