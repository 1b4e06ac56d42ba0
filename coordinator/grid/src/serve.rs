//! A coordinator for workers on other machines, from its start to its end.

use std::sync::Arc;
use std::time::Duration;

use gridproof_game::read_game;
use gridproof_game::records::RecordError;
use gridproof_search::Verdict;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::Connected;
use tracing::{info, warn};

use crate::coordinator::{
    Coordinator, CoordinatorGone, CoordinatorOptions, OrderError, SearchSnapshot, StartError,
};
use crate::default_attacker;
use crate::logs::Monitor;
use crate::security::Authenticator;
use crate::service::{self, ServeError, ServiceOptions, with_keepalive};
use crate::store::{Store, StoreFailure};

/// How a grid is served.
#[derive(Debug)]
pub struct ServeOptions {
    pub service: ServiceOptions,
    /// Keeps the log, the journal and the proofs.
    pub monitor: Monitor,
    pub log_every: Duration,
    /// End when every search has its verdict.
    pub until_done: bool,
}

/// Why a grid cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeFailure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot read the game \"{game}\"")]
    Game { game: String, source: RecordError },
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the coordinator panicked: a bug, please report it")]
    Panicked,
}

/// A coordinator that is about to serve.
#[derive(Debug)]
pub struct ServeRun {
    coordinator: Coordinator,
    task: JoinHandle<()>,
    shutdown: CancellationToken,
}

impl ServeRun {
    /// Starts a coordinator on a store.
    pub fn start(
        store: Arc<dyn Store>,
        options: &CoordinatorOptions,
        on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Result<Self, ServeFailure> {
        let (coordinator, task) = Coordinator::start(store, options, on_failure)?;
        Ok(Self {
            coordinator,
            task,
            shutdown: CancellationToken::new(),
        })
    }

    #[must_use]
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// Cancelled at the end: whatever is served beside the grid ends then.
    #[must_use]
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Starts the search of a game as somebody wrote it, or finds the one that is the same.
    pub async fn submit(&self, game: &str) -> Result<(), ServeFailure> {
        let read = read_game(game.as_bytes()).map_err(|source| ServeFailure::Game {
            game: game.to_owned(),
            source,
        })?;
        let root = read.position().clone();
        let attacker = default_attacker(&root);
        let submitted = self.coordinator.submit(game.to_owned(), root, attacker, 1);
        let search = submitted.await?;
        info!("{search}: {game}, does {attacker} win?");
        Ok(())
    }

    /// Serves workers and operators that come over `incoming` until `leave`, or until all is
    /// decided. All is stored when this returns.
    pub async fn serve<IO, E>(
        self,
        incoming: impl Stream<Item = Result<IO, E>>,
        options: ServeOptions,
        leave: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeFailure>
    where
        IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Self {
            coordinator,
            task,
            shutdown,
        } = self;
        let tokens = options.service.authenticator.clone();
        tokio::spawn(watch_tokens(coordinator.clone(), tokens, shutdown.clone()));
        let is_over = CancellationToken::new();
        let monitoring =
            options
                .monitor
                .run(coordinator.clone(), options.log_every, is_over.clone());
        let monitoring = tokio::spawn(monitoring);
        let ending = {
            let (coordinator, shutdown) = (coordinator.clone(), shutdown.clone());
            async move {
                let all_done = async {
                    match options.until_done {
                        true => all_decided(&coordinator).await,
                        false => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = leave => info!("going down: workers keep their jobs"),
                    () = all_done => info!("every search has its verdict"),
                }
                is_over.cancel();
                // Its last line comes first; without a coordinator there is nothing to tell.
                let _ = monitoring.await;
                shutdown.cancel();
            }
        };
        tokio::spawn(ending);
        let server = with_keepalive(Server::builder());
        service::serve(server, incoming, coordinator, options.service, shutdown).await?;
        task.await.map_err(|_| ServeFailure::Panicked)
    }
}

async fn all_decided(coordinator: &Coordinator) {
    let Ok(snapshot) = coordinator.snapshot().await else {
        return;
    };
    let running = |search: &&SearchSnapshot| !search.view.stopped;
    for search in snapshot.searches.iter().filter(running) {
        let attacker = search.view.attacker;
        match coordinator.verdict(search.view.search).await {
            Ok(Verdict::Proved) => info!("{}: {attacker} wins, proved", search.name()),
            Ok(_) => info!("{}: nothing left to try, not proved", search.name()),
            // The end of the coordinator has its own words.
            Err(CoordinatorGone) => return,
        }
    }
}

/// Reads the tokens again when they have changed, and ends the streams of whose token is
/// revoked.
async fn watch_tokens(
    coordinator: Coordinator,
    authenticator: Authenticator,
    shutdown: CancellationToken,
) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    let mut are_readable = true;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = seconds.tick() => {}
        }
        match authenticator.refresh() {
            Ok(revoked) => {
                are_readable = true;
                for token in revoked {
                    // Gone already is what was wanted.
                    let _ = coordinator.revoke(token).await;
                }
            }
            // Said once, not every second.
            Err(error) if are_readable => {
                are_readable = false;
                warn!("the tokens cannot be read, and those known before stay in force: {error}");
            }
            Err(_) => {}
        }
    }
}
