//! The whole grid in one process: the same coordinator and the same workers, with memory in
//! place of the network.

mod line;
mod memory;

use std::num::NonZeroU16;
use std::sync::Arc;

use gridproof_search::AuditRate;
use gridproof_worker::{DesiredState, Settings};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tracing::error;

pub use line::main_line;

use crate::GridBook;
use crate::coordinator::{Coordinator, CoordinatorOptions, StartError};
use crate::service::{ServeError, ServiceOptions, serve};
use crate::store::{Store, StoreFailure};

/// A grid that runs in this process.
#[derive(Debug)]
pub struct LocalGrid {
    coordinator: Coordinator,
    coordinator_task: JoinHandle<()>,
    server: JoinHandle<Result<(), ServeError>>,
    workers: Vec<JoinHandle<()>>,
    owner: watch::Sender<DesiredState>,
    shutdown: CancellationToken,
}

impl LocalGrid {
    /// Starts a coordinator on a store, and a worker with so many threads.
    pub fn start(
        store: Arc<dyn Store>,
        threads: NonZeroU16,
        options: &CoordinatorOptions,
        on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        Self::start_with_book(store, threads, options, None, on_failure)
    }

    /// The same, and jobs are answered from a book where it can.
    pub fn start_with_book(
        store: Arc<dyn Store>,
        threads: NonZeroU16,
        options: &CoordinatorOptions,
        book: Option<GridBook>,
        on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        let mut options = options.clone();
        // The only worker is our own, so there is nobody to ask again.
        options.core.opinions = 1;
        options.core.audits = AuditRate::Never;
        options.own_workers = true;
        let (coordinator, coordinator_task) = Coordinator::start(store, &options, on_failure)?;
        let (connector, incoming) = memory::line();
        let shutdown = CancellationToken::new();
        let server = tokio::spawn(serve(
            Server::builder(),
            incoming,
            coordinator.clone(),
            ServiceOptions {
                book,
                ..ServiceOptions::default()
            },
            shutdown.clone(),
        ));
        let (owner, desired) = watch::channel(DesiredState::default());
        let settings = Settings::new("here", threads);
        let worker = tokio::spawn(async move {
            if let Err(error) = gridproof_worker::run(settings, connector, desired).await {
                error!("the worker cannot go on: {error}");
            }
        });
        Ok(Self {
            coordinator,
            coordinator_task,
            server,
            workers: vec![worker],
            owner,
            shutdown,
        })
    }

    #[must_use]
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// Stops the searches and closes the store.
    pub async fn stop(self) {
        self.owner.send_replace(DesiredState::Stopped);
        for worker in self.workers {
            if worker.await.is_err() {
                error!("the worker panicked: a bug, please report it");
            }
        }
        self.shutdown.cancel();
        match self.server.await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => error!("the server ended badly: {failure}"),
            Err(_) => error!("the server panicked: a bug, please report it"),
        }
        if self.coordinator_task.await.is_err() {
            error!("the coordinator panicked: a bug, please report it");
        }
    }
}
