//! Of the ways on from a node, the one to the best job that is to be had.

use super::edge::EdgeId;
use super::node::{Node, Way};
use crate::numbers::{INFINITE, Number, Numbers, Policy};

/// The best way so far, of those that were offered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best<P> {
    policy: P,
    /// What a difference between two ways counts for.
    weight: Number,
    /// The least number of all ways, also of those on which every job is running.
    aim: Number,
    /// The number of the best way, with its detour, once there is one.
    least: Option<Number>,
    way: Way,
}

/// A defender's other reply has to be answered some time if the attacker's move wins, and then
/// work on it is not lost; an attacker's other move may never be needed. So a difference between
/// moves counts for more than one between replies. On four recorded trees with 64 workers: 4 to 1
/// proved 44 times as fast as one worker, 1 to 1 40 times, 1 to 3 39 times. Later, on twelve, 2, 8
/// and 16 to 1 were as fast as 4 to 1.
const BETWEEN_MOVES: Number = 4;
const BETWEEN_REPLIES: Number = 1;

impl<P: Policy> Best<P> {
    pub(super) fn of_attacker(policy: P) -> Self {
        Self::new(policy, BETWEEN_MOVES)
    }

    pub(super) fn of_defender(policy: P) -> Self {
        Self::new(policy, BETWEEN_REPLIES)
    }

    fn new(policy: P, weight: Number) -> Self {
        Self {
            policy,
            weight,
            aim: INFINITE,
            least: None,
            way: Way::BLOCKED,
        }
    }

    /// Offers the way to a child, by the number that the side to move wants small.
    pub(super) fn offer(&mut self, number: Number, child: &Node, edge: EdgeId) {
        let way = match child.way {
            Way::BLOCKED => Way::BLOCKED,
            _ => Way::along(edge),
        };
        self.take(number, child.detour, child.assumed, way);
    }

    /// Offers a node's own job.
    pub(super) fn offer_own(&mut self, number: Number, assumed: Numbers, node: &Node) {
        let way = if node.is_busy() {
            Way::BLOCKED
        } else {
            Way::OWN_JOB
        };
        self.take(number, 0, assumed, way);
    }

    fn take(&mut self, number: Number, detour: u16, assumed: Numbers, way: Way) {
        let number = number.saturating_mul(self.weight);
        self.aim = self.aim.min(number);
        let has_free_job = way != Way::BLOCKED;
        let is_candidate = self.policy.may_enter(has_free_job, assumed);
        let least = number.saturating_add(Number::from(detour));
        if is_candidate && self.least.is_none_or(|best| least < best) {
            (self.least, self.way) = (Some(least), way);
        }
    }

    pub(super) fn way(&self) -> Way {
        self.way
    }

    /// By how much numbers must change before the way found is the best of all.
    pub(super) fn detour(&self) -> u16 {
        self.least
            .map_or(0, |least| self.policy.detour(least - self.aim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Side;
    use crate::key::NodeKey;
    use crate::numbers::{Detour, Status};

    fn child(way: Way, detour: u16) -> Node {
        let rank = Node::rank_of(5, Side::Defender);
        let mut node = Node::new(NodeKey([0; 2]), rank, Status::Quiet);
        (node.way, node.detour) = (way, detour);
        node
    }

    #[test]
    fn a_way_past_what_is_running_is_a_detour() {
        let mut best = Best::of_attacker(Detour);
        best.offer(20, &child(Way::BLOCKED, 0), EdgeId(0));
        best.offer(90, &child(Way::OWN_JOB, 0), EdgeId(1));
        assert_eq!(best.way(), Way::along(EdgeId(1)));
        assert_eq!(best.detour(), 70 * 4);
    }

    #[test]
    fn a_worse_move_comes_before_a_long_detour_under_a_better_one() {
        let mut best = Best::of_attacker(Detour);
        best.offer(20, &child(Way::OWN_JOB, 300), EdgeId(0));
        best.offer(30, &child(Way::OWN_JOB, 0), EdgeId(1));
        assert_eq!(best.way(), Way::along(EdgeId(1)));
        assert_eq!(best.detour(), 10 * 4);
    }

    #[test]
    fn a_detour_between_replies_counts_for_less_than_one_between_moves() {
        let detour = |mut best: Best<Detour>| {
            best.offer(3, &child(Way::BLOCKED, 0), EdgeId(0));
            best.offer(50, &child(Way::OWN_JOB, 0), EdgeId(1));
            best.detour()
        };
        let (replies, moves) = (
            detour(Best::of_defender(Detour)),
            detour(Best::of_attacker(Detour)),
        );
        assert!(0 < replies && replies < moves);
    }

    #[test]
    fn where_all_is_running_there_is_no_way() {
        let mut best = Best::of_defender(Detour);
        best.offer(3, &child(Way::BLOCKED, 0), EdgeId(0));
        assert_eq!((best.way(), best.detour()), (Way::BLOCKED, 0));
    }
}
