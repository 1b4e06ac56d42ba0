//! The searches, and how they share the workers.
//!
//! Each search has a virtual time: the nodes spent on it over its share. The one that is furthest
//! behind gets the next job, as in fair queueing. What is running counts with its whole budget
//! until it ends. A search that comes, or that had nothing to do, starts from the time of the
//! others: it is owed nothing of the past.

use std::hash::{Hash, Hasher};

use gridproof_game::Symmetry;

use crate::effect::Verdict;
use crate::ids::{NodeId, SearchId};
use crate::stats::Effort;

/// Which search, in the order in which they came.
pub(crate) type SearchIndex = usize;

/// All searches that ever were.
#[derive(Debug, Default)]
pub(crate) struct Searches {
    all: Vec<Search>,
    /// The virtual time of the last search that got a job.
    time: u64,
    /// Jobs given out so far.
    turn: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) id: SearchId,
    pub(crate) root: NodeId,
    /// From the position that was asked for to the root's orientation.
    pub(crate) symmetry: Symmetry,
    share: u32,
    jobs: u32,
    /// The budgets of its running jobs.
    in_flight: u64,
    /// Since the coordinator started.
    spent: Effort,
    /// Virtual time of what has ended.
    time: u64,
    /// It had a job running, or to be had, when jobs were last given out.
    was_active: bool,
    /// When it last got a job: those that stand alike take turns.
    turn: u64,
    verdict: Verdict,
    stopped: bool,
}

/// A node of the virtual time of a search with share 1.
const NODE: u64 = 1 << 10;

impl Search {
    pub(crate) fn is_running(&self) -> bool {
        !self.stopped
    }

    pub(crate) const fn share(&self) -> u32 {
        self.share
    }

    pub(crate) const fn jobs(&self) -> u32 {
        self.jobs
    }

    pub(crate) const fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub(crate) const fn spent(&self) -> Effort {
        self.spent
    }

    pub(crate) const fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn time_for(&self, nodes: u64) -> u64 {
        nodes.saturating_mul(NODE) / u64::from(self.share.max(1))
    }

    /// Its virtual time, were all that is running spent.
    fn expected_time(&self) -> u64 {
        self.time.saturating_add(self.time_for(self.in_flight))
    }
}

impl Searches {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Search> {
        self.all.iter()
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = &Search> {
        self.all.iter().filter(|search| search.is_running())
    }

    pub(crate) fn index(&self, id: SearchId) -> Option<SearchIndex> {
        self.all.iter().position(|search| search.id == id)
    }

    pub(crate) fn get(&self, index: SearchIndex) -> &Search {
        &self.all[index]
    }

    /// The running search that starts at a node.
    pub(crate) fn from_root(&self, root: NodeId) -> Option<SearchIndex> {
        let starts_here = |search: &Search| search.root == root && search.is_running();
        self.all.iter().position(starts_here)
    }

    pub(crate) fn start(&mut self, id: SearchId, root: NodeId, symmetry: Symmetry, share: u32) {
        self.all.push(Search {
            id,
            root,
            symmetry,
            share,
            jobs: 0,
            in_flight: 0,
            spent: Effort::default(),
            time: self.time,
            was_active: false,
            turn: 0,
            verdict: Verdict::Open,
            stopped: false,
        });
    }

    pub(crate) fn stop(&mut self, index: SearchIndex) {
        self.all[index].stopped = true;
    }

    pub(crate) fn set_share(&mut self, index: SearchIndex, share: u32) {
        self.all[index].share = share;
    }

    /// Of the searches that have work, the one furthest behind; of such that stand alike, the one
    /// that has waited longest.
    pub(crate) fn next(&mut self, has_work: impl Fn(NodeId) -> bool) -> Option<SearchIndex> {
        let mut next: Option<(u64, u64, SearchIndex)> = None;
        for (index, search) in self.all.iter_mut().enumerate() {
            let has_work = search.is_running() && has_work(search.root);
            let is_active = has_work || search.jobs > 0;
            if is_active && !search.was_active {
                search.time = search.time.max(self.time);
            }
            search.was_active = is_active;
            if has_work {
                let candidate = (search.expected_time(), search.turn, index);
                next = next.map_or(Some(candidate), |best| Some(best.min(candidate)));
            }
        }
        next.map(|(_, _, index)| index)
    }

    /// A job of this budget begins for a search.
    pub(crate) fn begin_job(&mut self, index: SearchIndex, budget: u64) {
        self.turn += 1;
        let search = &mut self.all[index];
        self.time = self.time.max(search.expected_time());
        search.turn = self.turn;
        search.jobs += 1;
        search.in_flight = search.in_flight.saturating_add(budget);
    }

    /// A job of this budget has ended, however it did.
    pub(crate) fn end_job(&mut self, index: SearchIndex, budget: u64) {
        let search = &mut self.all[index];
        search.jobs -= 1;
        search.in_flight = search.in_flight.saturating_sub(budget);
    }

    /// Somebody has worked for a search.
    pub(crate) fn spend(&mut self, index: SearchIndex, effort: Effort) {
        let search = &mut self.all[index];
        search.spent = search.spent.and(effort);
        search.time = search.time.saturating_add(search.time_for(effort.nodes));
    }

    /// Takes in how the searches stand, and tells which stand otherwise than before.
    pub(crate) fn judge(
        &mut self,
        verdict_of: impl Fn(NodeId) -> Verdict,
    ) -> Vec<(SearchId, Verdict)> {
        let changed = self.all.iter_mut().filter_map(|search| {
            let verdict = verdict_of(search.root);
            let before = std::mem::replace(&mut search.verdict, verdict);
            (before != verdict).then_some((search.id, verdict))
        });
        changed.collect()
    }

    /// Adds all that the facts determine to a fingerprint.
    pub(crate) fn digest(&self, hash: &mut impl Hasher) {
        for search in &self.all {
            (search.id, search.root, search.share, search.stopped).hash(hash);
        }
    }
}
