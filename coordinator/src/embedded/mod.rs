//! The whole grid in one process: the same coordinator and the same workers, with memory in
//! place of the network.

mod line;
mod memory;

use std::num::NonZeroU16;
use std::sync::Arc;

use gridproof_worker::{Settings, Wish};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tracing::error;

pub use line::main_line;

use crate::service::{ServeError, ServiceOptions, serve};
use crate::shell::{Shell, ShellError, ShellOptions};
use crate::store::{Fate, Store};

/// A grid that runs in this process.
#[derive(Debug)]
pub struct Grid {
    shell: Shell,
    shell_task: JoinHandle<()>,
    server: JoinHandle<Result<(), ServeError>>,
    workers: Vec<JoinHandle<()>>,
    wish: watch::Sender<Wish>,
    shutdown: CancellationToken,
}

impl Grid {
    /// Starts a coordinator on a store, and a worker with so many threads.
    pub fn start(
        store: Arc<dyn Store>,
        threads: NonZeroU16,
        options: &ShellOptions,
        on_fate: impl Fn(Fate) + Send + Sync + 'static,
    ) -> Result<Self, ShellError> {
        let mut options = options.clone();
        // The only worker is our own, so there is nobody to ask again.
        options.core.opinions = 1;
        options.own_workers = true;
        let (shell, shell_task) = Shell::start(store, &options, on_fate)?;
        let (dial, incoming) = memory::line();
        let shutdown = CancellationToken::new();
        let server = tokio::spawn(serve(
            Server::builder(),
            incoming,
            shell.clone(),
            ServiceOptions::default(),
            shutdown.clone(),
        ));
        let (wish, wishes) = watch::channel(Wish::Work);
        let settings = Settings::new("here", threads);
        let worker = tokio::spawn(async move {
            if let Err(error) = gridproof_worker::run(settings, dial, wishes).await {
                error!("the worker cannot go on: {error}");
            }
        });
        Ok(Self {
            shell,
            shell_task,
            server,
            workers: vec![worker],
            wish,
            shutdown,
        })
    }

    #[must_use]
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// Stops the searches and closes the store.
    pub async fn stop(self) {
        self.wish.send_replace(Wish::Stop);
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
        if self.shell_task.await.is_err() {
            error!("the shell panicked: a bug, please report it");
        }
    }
}
