//! A coordinator for workers on other machines, from its start to its end.

use std::sync::Arc;
use std::time::Duration;

use gridproof_game::read_game;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::Connected;
use tracing::{info, warn};

use crate::coordinator::{Coordinator, CoordinatorOptions, OrderError, StartError};
use crate::default_attacker;
use crate::security::Authenticator;
use crate::service::{self, ServeError, ServiceOptions, with_keepalive};
use crate::store::{Store, StoreFailure};

/// How a grid is served.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    pub coordinator: CoordinatorOptions,
    pub service: ServiceOptions,
    /// Searches to start unless the store holds them already.
    pub submit: Vec<String>,
    /// End when every search has its verdict.
    pub until_done: bool,
}

/// Why a grid cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeFailure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot read the game {game}: {words}")]
    Game { game: String, words: String },
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the coordinator panicked: a bug, please report it")]
    Panicked,
}

/// Serves workers and operators that come over `incoming` until `leave`, or until all is
/// decided. All is stored when this returns. `observe` runs beside it, and is waited for after
/// its token is cancelled: it keeps logs and metrics.
pub async fn serve<IO, E, O>(
    store: Arc<dyn Store>,
    incoming: impl Stream<Item = Result<IO, E>>,
    options: ServeOptions,
    on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    leave: impl Future<Output = ()> + Send + 'static,
    observe: impl FnOnce(Coordinator, CancellationToken) -> O,
) -> Result<(), ServeFailure>
where
    IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
    O: Future<Output = ()> + Send + 'static,
{
    let (coordinator, task) = Coordinator::start(store, &options.coordinator, on_failure)?;
    for game in &options.submit {
        submit(&coordinator, game).await?;
    }
    let shutdown = CancellationToken::new();
    let tokens = options.service.authenticator.clone();
    tokio::spawn(watch_tokens(coordinator.clone(), tokens, shutdown.clone()));
    let is_over = CancellationToken::new();
    let observed = tokio::spawn(observe(coordinator.clone(), is_over.clone()));
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
            // Its last line comes first; its panic has been told by the panic hook.
            let _ = observed.await;
            shutdown.cancel();
        }
    };
    tokio::spawn(ending);
    let server = with_keepalive(Server::builder());
    service::serve(server, incoming, coordinator, options.service, shutdown).await?;
    task.await.map_err(|_| ServeFailure::Panicked)
}

/// Starts the search of a game as somebody wrote it, or finds the one that is the same.
pub async fn submit(coordinator: &Coordinator, game: &str) -> Result<(), ServeFailure> {
    let read = read_game(game.as_bytes()).map_err(|error| ServeFailure::Game {
        game: game.to_owned(),
        words: error.to_string(),
    })?;
    let root = read.position().clone();
    let attacker = default_attacker(&root);
    let search = coordinator
        .submit(game.to_owned(), root, attacker, 1)
        .await?;
    info!("{search}: {game}, does {attacker} win?");
    Ok(())
}

async fn all_decided(coordinator: &Coordinator) {
    let Ok(snapshot) = coordinator.snapshot().await else {
        return;
    };
    let running = snapshot.searches.iter();
    for search in running.filter(|search| !search.view.stopped) {
        if let Ok(verdict) = coordinator.verdict(search.view.search).await {
            info!("{}: {verdict:?}", search.view.search);
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
