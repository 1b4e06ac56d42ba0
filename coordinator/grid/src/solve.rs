//! One position, solved in this process alone.

use std::num::NonZeroU16;
use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Position};
use gridproof_search::{SearchId, Verdict};
use tokio_util::sync::CancellationToken;

use crate::coordinator::{
    Coordinator, CoordinatorGone, CoordinatorOptions, OrderError, SearchProofError, Snapshot,
    StartError,
};
use crate::embedded::LocalGrid;
use crate::store::{Store, StoreFailure};

/// What is to be solved, and how.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// As reports call it.
    pub game: String,
    pub root: Position,
    pub attacker: Colour,
    /// Jobs at a time.
    pub threads: NonZeroU16,
    pub coordinator: CoordinatorOptions,
}

/// How a solve ended.
#[derive(Debug)]
pub enum SolveEnd {
    Proved(Box<Proof>),
    /// Nobody knows another move to try. This proves nothing.
    Failed,
    /// It was told to leave; the same solve goes on from the store.
    Left,
}

/// What a solve came to.
#[derive(Debug)]
pub struct Solved {
    pub end: SolveEnd,
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
    Proof(#[from] SearchProofError),
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
}

/// Searches a position until it has a verdict or `leave`. `observe` runs beside it, and is waited
/// for after its token is cancelled: it shows how it goes.
pub async fn solve<O>(
    store: Arc<dyn Store>,
    options: SolveOptions,
    on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    leave: impl Future<Output = ()>,
    observe: impl FnOnce(Coordinator, SearchId, CancellationToken) -> O,
) -> Result<Solved, SolveFailure>
where
    O: Future<Output = ()> + Send + 'static,
{
    let SolveOptions {
        game,
        root,
        attacker,
        threads,
        coordinator,
    } = options;
    let grid = LocalGrid::start(store, threads, &coordinator, on_failure)?;
    let solved = search(&grid, game, root, attacker, leave, observe).await;
    grid.stop().await;
    solved
}

async fn search<O>(
    grid: &LocalGrid,
    game: String,
    root: Position,
    attacker: Colour,
    leave: impl Future<Output = ()>,
    observe: impl FnOnce(Coordinator, SearchId, CancellationToken) -> O,
) -> Result<Solved, SolveFailure>
where
    O: Future<Output = ()> + Send + 'static,
{
    let coordinator = grid.coordinator();
    let search = coordinator.submit(game, root, attacker, 1).await?;
    let is_over = CancellationToken::new();
    let observed = tokio::spawn(observe(coordinator.clone(), search, is_over.clone()));
    let verdict = tokio::select! {
        verdict = coordinator.verdict(search) => Some(verdict?),
        () = leave => None,
    };
    is_over.cancel();
    // Its last line comes before the end; its panic has been told by the panic hook.
    let _ = observed.await;
    let totals = coordinator.snapshot().await?;
    let end = match verdict {
        Some(Verdict::Proved) => SolveEnd::Proved(Box::new(coordinator.proof(search).await?)),
        Some(Verdict::Open | Verdict::Failed) => SolveEnd::Failed,
        None => SolveEnd::Left,
    };
    Ok(Solved { end, totals })
}
