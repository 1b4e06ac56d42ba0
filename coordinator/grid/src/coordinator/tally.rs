//! What workers did in this life of the coordinator, for those who read reports.

use std::collections::BTreeMap;
use std::time::Duration;

use gridproof_game::Position;

use gridproof_search::{JobEnd, JobKind, NodeId, WorkerId};

/// What one worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Jobs that it answered.
    pub jobs: u64,
    /// Those that ended in a win with a good certificate.
    pub won: u64,
    /// Solver nodes, thrown away or not.
    pub spent: u64,
    pub wasted: u64,
    /// How often its connection was lost.
    pub losses: u64,
}

/// A job that took long.
#[derive(Clone, Debug)]
pub struct LongJob {
    pub node: NodeId,
    pub position: Position,
    pub kind: JobKind,
    pub worker: String,
    pub took: Duration,
    pub spent: u64,
    pub end: JobEnd,
}

/// How many long jobs are remembered.
const LONGEST: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Tallies {
    workers: BTreeMap<WorkerId, Tally>,
    /// Longest first.
    longest: Vec<LongJob>,
}

impl Tallies {
    pub(super) fn of(&self, worker: WorkerId) -> Tally {
        self.workers.get(&worker).copied().unwrap_or_default()
    }

    pub(super) fn of_mut(&mut self, worker: WorkerId) -> &mut Tally {
        self.workers.entry(worker).or_default()
    }

    pub(super) fn longest(&self) -> &[LongJob] {
        &self.longest
    }

    /// Whether a job that took so long is among the longest: asked first, because telling
    /// all about a job costs a position.
    pub(super) fn is_long(&self, took: Duration) -> bool {
        self.longest.len() < LONGEST || self.longest.last().is_some_and(|last| last.took < took)
    }

    pub(super) fn remember(&mut self, job: LongJob) {
        let at = self.longest.partition_point(|other| other.took >= job.took);
        self.longest.insert(at, job);
        self.longest.truncate(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::Opening;
    use gridproof_search::JobResult;

    use super::*;

    #[test]
    fn the_longest_jobs_are_remembered_longest_first() {
        let mut tallies = Tallies::default();
        for seconds in [5, 40, 1, 7, 3, 2, 9, 11, 6, 8, 4, 10, 12] {
            let took = Duration::from_secs(seconds);
            if tallies.is_long(took) {
                tallies.remember(LongJob {
                    node: NodeId(0),
                    position: Opening::Connect623.position(),
                    kind: JobKind::Engine,
                    worker: "pc".to_owned(),
                    took,
                    spent: 0,
                    end: JobEnd::Answered(JobResult::Won),
                });
            }
        }
        let seconds: Vec<_> = tallies
            .longest()
            .iter()
            .map(|job| job.took.as_secs())
            .collect();
        assert_eq!(seconds, [40, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
    }
}
