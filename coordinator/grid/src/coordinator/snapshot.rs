//! How things stand, for those who look on.

use std::time::Duration;

use gridproof_game::{Move, Position};

use super::tally::{LongJob, Tally};
use super::views::{most_proving, turned_line};
use gridproof_search::{Core, NodeId, Reliability, ReplyState, SearchId, SearchView, Side, Stats};

/// Everything at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub searches: Vec<SearchSnapshot>,
    pub workers: Vec<WorkerSnapshot>,
    pub nodes: usize,
    pub proved: usize,
    pub running_jobs: usize,
    /// Since this start.
    pub stats: Stats,
    /// Jobs that took longest since this start, longest first.
    pub longest: Vec<LongJob>,
    /// Larger with each start of the coordinator.
    pub life: u32,
}

/// A search at one moment.
#[derive(Clone, Debug)]
pub struct SearchSnapshot {
    pub view: SearchView,
    /// As its operator wrote it.
    pub game: String,
    /// As it was asked for.
    pub root: Position,
    /// No new jobs are given out for it, by order.
    pub paused: bool,
    /// What both sides would play as things stand, from the root as it was asked for.
    pub main_line: Vec<Move>,
}

/// A worker at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSnapshot {
    pub name: String,
    pub connected: bool,
    pub banned: bool,
    pub slots: u16,
    pub running: usize,
    /// Since this start.
    pub tally: Tally,
    pub version: String,
    /// What is on record of it, in all lives of the coordinator.
    pub reliability: Reliability,
    /// Since its stream ended; nothing if it is here, or was not here since this start.
    pub away_for: Option<Duration>,
}

impl SearchSnapshot {
    /// What people call it.
    #[must_use]
    pub fn name(&self) -> String {
        crate::search_name(&self.game, &self.root, self.view.attacker)
    }
}

impl Snapshot {
    #[must_use]
    pub fn search(&self, search: SearchId) -> Option<&SearchSnapshot> {
        let mut searches = self.searches.iter();
        searches.find(|other| other.view.search == search)
    }

    #[must_use]
    pub fn slots(&self) -> u32 {
        self.workers
            .iter()
            .map(|worker| u32::from(worker.slots))
            .sum()
    }
}

/// The root of a search as it was asked for.
pub(super) fn asked_root(core: &Core, view: &SearchView) -> Option<Position> {
    let canonical = core.position(view.root)?;
    Some(canonical.transformed(view.symmetry.inverse()))
}

/// What both sides would play as things stand, from the root as it was asked for.
pub(super) fn main_line(core: &Core, view: &SearchView) -> Vec<Move> {
    let root = asked_root(core, view);
    root.map_or_else(Vec::new, |root| {
        turned_line(root, &most_proving(core, view.root))
    })
}

/// The most promising move of a node. Where the defender is to move that is the reply that
/// stands the best chance.
pub(super) fn best_move(core: &Core, node: NodeId) -> Option<(NodeId, Move)> {
    let view = core.node(node)?;
    let children = core.children(node);
    let live = children
        .into_iter()
        .filter(|child| child.state == ReplyState::Live);
    let best = match view.side {
        Side::Attacker => live.min_by_key(|child| (child.numbers.proof, child.node)),
        Side::Defender => live.min_by_key(|child| (child.numbers.disproof, child.node)),
    }?;
    Some((best.node, best.mv))
}
