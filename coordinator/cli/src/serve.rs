use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gridproof_grid::GridBook;
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions};
use gridproof_grid::logs::{Journal, Monitor, ProofFiles, Sample};
use gridproof_grid::metrics::Exporter;
use gridproof_grid::security::{Authenticator, Incoming, ListenerConfig, ListenerOptions};
use gridproof_grid::service::{ServiceOptions, listen, serve, with_keepalive};
use gridproof_grid::store::{DiskStore, Durability};
use gridproof_host::exposure::{Guards, Insecure};
use gridproof_host::logs::LogOptions;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tracing::{error, info, warn};

use super::Failure;
use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::page::PageArgs;
use super::values::{self, Time};

/// Coordinate a grid of workers: give out jobs, check what comes back, and keep it
///
/// Goes on from what the folder holds. Ctrl-C or SIGTERM ends it in order; after a crash
/// nothing that was acknowledged is lost, and workers go on with what they have.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The folder that keeps everything. Certificates, tokens, the proofs as files and the
    /// journal for `gridproof report` are beside it
    #[arg(long, value_name = "DIR", default_value = "gridproof-data/store")]
    store: PathBuf,
    /// Do not wait for the disk: safe against crashes of the program, not of the machine
    #[arg(long)]
    no_sync: bool,
    /// Start this search unless the folder holds it already; may be said several times
    #[arg(long, value_name = "GAME")]
    submit: Vec<String>,
    /// End when every search has its verdict
    #[arg(long)]
    until_done: bool,
    /// How long the jobs of a worker that was lost wait for it to come back
    #[arg(long, value_name = "TIME", default_value = "60s")]
    grace: Time,
    /// How long workers have to come back after a restart of the coordinator before
    /// new jobs are given out, so that what they hold is not begun twice. Ends as soon as all
    /// that were connected are back
    #[arg(long, value_name = "TIME", default_value = "40s", alias = "homecoming")]
    reconnect_grace: Time,
    #[command(flatten)]
    budgets: JobBudgets,
    #[command(flatten)]
    book: SearchBook,

    #[command(flatten)]
    listener: ListenerOptions,
    #[command(flatten)]
    page: PageArgs,

    /// Say how it goes this often
    #[arg(long, value_name = "TIME", default_value = "60s", help_heading = "Logs",
        value_parser = values::positive_time)]
    log_every: Time,
    /// Tell Prometheus the same at http://ADDRESS/metrics; off loopback it needs --insecure,
    /// since whoever can reach it can read it
    #[arg(long, value_name = "ADDRESS", help_heading = "Logs")]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    logs: LogOptions,
}

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let _logs = self.logs.start()?;
        let config = self.listener.load(self.data())?;
        if let Some(address) = self.metrics {
            let insecure = Insecure::from(self.listener.insecure);
            Guards::NONE.permit_listening(address, insecure)?;
        }
        let durability = match self.no_sync {
            true => Durability::Crash,
            false => Durability::PowerFailure,
        };
        let store = DiskStore::open(&self.store, durability)?;
        let runtime = super::runtime()?;
        runtime.block_on(self.coordinate(config, store))
    }

    /// The folder that the store is in.
    fn data(&self) -> &Path {
        match self.store.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    async fn coordinate(&self, config: ListenerConfig, store: DiskStore) -> Result<(), Failure> {
        let ListenerConfig {
            address,
            tls,
            authenticator,
        } = config;
        let book = self.book.open()?;
        let options = self.shell_options();
        let (shell, task) = Coordinator::start(Arc::new(store), &options, super::end_by_store)?;
        self.submit_all(&shell).await?;
        let listener = listen(address).await?;
        let shutdown = CancellationToken::new();
        self.tell_prometheus(&shell, &shutdown).await?;
        // Whoever started us with port 0 wants to know.
        info!("listening at {}", listener.local_addr()?);
        let page = self.page.serve(
            &shell,
            self.data(),
            &self.listener,
            &authenticator,
            book.as_ref(),
            &shutdown,
        );
        if let Some(address) = page.await? {
            info!("page at {address}");
        }
        let incoming = Incoming::new(listener, tls, authenticator.refusals());
        tokio::spawn(watch_tokens(
            shell.clone(),
            authenticator.clone(),
            shutdown.clone(),
        ));
        tokio::spawn(self.ending(shell.clone(), book.clone(), shutdown.clone()));
        let options = ServiceOptions {
            authenticator,
            book,
            ..ServiceOptions::default()
        };
        let server = with_keepalive(Server::builder());
        serve(server, incoming, shell, options, shutdown).await?;
        task.await?;
        info!("all is stored; bye");
        Ok(())
    }

    fn shell_options(&self) -> CoordinatorOptions {
        let mut options = CoordinatorOptions {
            reconnect_grace: self.reconnect_grace.0,
            ..CoordinatorOptions::default()
        };
        options.core.grace = self.grace.0;
        options.core.budgets = self.budgets.into();
        options
    }

    async fn submit_all(&self, shell: &Coordinator) -> Result<(), Failure> {
        for game in &self.submit {
            let root = gridproof_game::read_game(game.as_bytes())?;
            let root = root.position().clone();
            let attacker = gridproof_grid::default_attacker(&root);
            let search = shell.submit(game.clone(), root, attacker, 1).await?;
            info!("{search}: {game}, does {attacker} win?");
        }
        Ok(())
    }

    async fn tell_prometheus(
        &self,
        shell: &Coordinator,
        shutdown: &CancellationToken,
    ) -> Result<(), Failure> {
        let Some(address) = self.metrics else {
            return Ok(());
        };
        let exporter = Exporter::install()?;
        let listener = listen(address).await?;
        info!("metrics at http://{}/metrics", listener.local_addr()?);
        let shell = shell.clone();
        let take = move || {
            let shell = shell.clone();
            async move {
                let snapshot = shell.snapshot().await.ok()?;
                Some(Sample::of(&snapshot, Timestamp::now()))
            }
        };
        let shutdown = shutdown.clone().cancelled_owned();
        tokio::spawn(async move {
            if let Err(failure) = exporter.serve(listener, take, shutdown).await {
                error!("metrics are no longer told: {failure}");
            }
        });
        Ok(())
    }

    /// Tells how it goes, and ends the server when it is asked to, or when there is nothing
    /// left to do.
    fn ending(
        &self,
        shell: Coordinator,
        book: Option<GridBook>,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let until_done = self.until_done;
        let every = self.log_every.0;
        let journal = Journal::at(self.data().join("journal"));
        let proofs = ProofFiles::in_folder(self.data().join("proofs")).with_book(book);
        let format = self.logs.log_format.unwrap_or_default();
        let monitor = Monitor::new(journal, proofs, format);
        async move {
            let is_over = CancellationToken::new();
            let monitoring = tokio::spawn(monitor.run(shell.clone(), every, is_over.clone()));
            let all_done = async {
                if until_done {
                    all_decided(&shell).await;
                } else {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = super::asked_to_leave() => info!("going down: workers keep their jobs"),
                () = all_done => info!("every search has its verdict"),
            }
            is_over.cancel();
            // Its last line comes first; without a shell there is nothing left to tell.
            let _ = monitoring.await;
            shutdown.cancel();
        }
    }
}

async fn all_decided(shell: &Coordinator) {
    let Ok(snapshot) = shell.snapshot().await else {
        return;
    };
    for search in snapshot
        .searches
        .iter()
        .filter(|search| !search.view.stopped)
    {
        if let Ok(verdict) = shell.verdict(search.view.search).await {
            info!("{}: {verdict:?}", search.view.search);
        }
    }
}

/// Reads the tokens again when they have changed, and cuts off whose token is revoked.
async fn watch_tokens(
    shell: Coordinator,
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
                    let _ = shell.revoke(token).await;
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
