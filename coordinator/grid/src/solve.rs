//! One position, solved in this process alone.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use gridproof_game::{Colour, Position};
use gridproof_search::{Order, SearchId, Verdict};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::coordinator::{
    Coordinator, CoordinatorGone, CoordinatorOptions, OrderError, SearchSnapshot, Snapshot,
    StartError,
};
use crate::embedded::LocalGrid;
use crate::logs::{Monitor, ProofFileError, ProofFiles, SavedProof};
use crate::store::{Store, StoreFailure};

/// What is to be solved, and how.
#[derive(Debug)]
pub struct SolveOptions {
    /// As reports call it.
    pub game: String,
    pub root: Position,
    pub attacker: Colour,
    /// Jobs at a time.
    pub threads: NonZeroU16,
    pub coordinator: CoordinatorOptions,
    /// Keeps the log, the journal and the proof.
    pub monitor: Monitor,
    pub log_every: Duration,
}

/// How a solve ended.
#[derive(Debug)]
pub enum SolveEnd {
    Proved(Box<SavedProof>),
    /// Nobody knows another move to try. This proves nothing.
    Failed,
    /// It was told to leave; the same solve goes on from the store.
    Left,
}

/// What a solve came to.
#[derive(Debug)]
pub struct Solved {
    pub end: SolveEnd,
    pub search: SearchSnapshot,
    pub totals: Snapshot,
}

/// Why a position cannot be solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveFailure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Proof(#[from] ProofFileError),
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
}

/// A solve under way.
#[derive(Debug)]
pub struct SolveRun {
    grid: LocalGrid,
    search: SearchId,
    stopped: Vec<String>,
    proofs: ProofFiles,
    is_over: CancellationToken,
    monitoring: JoinHandle<Result<(), CoordinatorGone>>,
}

impl SolveRun {
    /// Starts a coordinator, workers and the search. What an earlier solve left open in the
    /// store would take workers from it, and is stopped.
    pub async fn start(
        store: Arc<dyn Store>,
        options: SolveOptions,
        on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Result<Self, SolveFailure> {
        let SolveOptions {
            game,
            root,
            attacker,
            threads,
            coordinator,
            monitor,
            log_every,
        } = options;
        let grid = LocalGrid::start(store, threads, &coordinator, on_failure)?;
        let coordinator = grid.coordinator().clone();
        let stopped = stop_others(&coordinator, &root, attacker).await?;
        let search = coordinator.submit(game, root, attacker, 1).await?;
        let is_over = CancellationToken::new();
        let proofs = monitor.proofs().clone();
        let monitoring = monitor.run(coordinator, log_every, is_over.clone());
        Ok(Self {
            grid,
            search,
            stopped,
            proofs,
            is_over,
            monitoring: tokio::spawn(monitoring),
        })
    }

    #[must_use]
    pub fn coordinator(&self) -> &Coordinator {
        self.grid.coordinator()
    }

    #[must_use]
    pub fn search(&self) -> SearchId {
        self.search
    }

    /// What was open in the store and is stopped: it is taken up again by asking for it.
    #[must_use]
    pub fn stopped(&self) -> &[String] {
        &self.stopped
    }

    /// Cancelled when the solve is over: whatever is served beside it ends then.
    #[must_use]
    pub fn is_over(&self) -> &CancellationToken {
        &self.is_over
    }

    /// Searches until there is a verdict or `leave`, keeps the proof, and closes the store.
    pub async fn finish(self, leave: impl Future<Output = ()>) -> Result<Solved, SolveFailure> {
        let solved = self.search_until(leave).await;
        self.is_over.cancel();
        // Its last line comes before the end; without a coordinator there is nothing to tell.
        let _ = self.monitoring.await;
        self.grid.stop().await;
        solved
    }

    async fn search_until(&self, leave: impl Future<Output = ()>) -> Result<Solved, SolveFailure> {
        let coordinator = self.coordinator();
        let verdict = tokio::select! {
            verdict = coordinator.verdict(self.search) => Some(verdict?),
            () = leave => None,
        };
        let totals = coordinator.snapshot().await?;
        let search = totals.search(self.search).cloned();
        let search = search.expect("a search that was submitted is there");
        let end = match verdict {
            Some(Verdict::Proved) => {
                let saved = self.proofs.save(coordinator, &search).await?;
                SolveEnd::Proved(Box::new(saved))
            }
            Some(Verdict::Open | Verdict::Failed) => SolveEnd::Failed,
            None => SolveEnd::Left,
        };
        Ok(Solved {
            end,
            search,
            totals,
        })
    }
}

async fn stop_others(
    coordinator: &Coordinator,
    root: &Position,
    attacker: Colour,
) -> Result<Vec<String>, SolveFailure> {
    let mut stopped = Vec::new();
    for search in coordinator.snapshot().await?.searches {
        let view = search.view;
        let is_open = view.verdict == Verdict::Open && !view.stopped;
        if is_open && (search.root != *root || view.attacker != attacker) {
            let search_id = view.search;
            coordinator.order(Order::Stop { search: search_id }).await?;
            stopped.push(search.name());
        }
    }
    Ok(stopped)
}
