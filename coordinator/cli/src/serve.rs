use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gridproof_grid::GridBook;
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions, SearchSnapshot};
use gridproof_grid::logs::{Journal, Monitor, ProofFiles, Sample};
use gridproof_grid::metrics::Exporter;
use gridproof_grid::security::{
    Authenticator, Identity, Incoming, Limits, ListenerConfig, ListenerOptions,
};
use gridproof_grid::service::{ServiceOptions, listen};
use gridproof_grid::store::{DiskStore, Durability, Space};
use gridproof_grid::{ServeOptions, ServeRun, WantedSearch};
use gridproof_host::Size;
use gridproof_host::exposure::{Guards, Insecure, read_address};
use gridproof_host::files::{self, Access, Existing};
use gridproof_host::logs::LogOptions;
use gridproof_page::PageAddress;
use gridproof_search::{AuditRate, Verdict};
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::page::PageArgs;
use super::values::{self, Time};
use super::{Failure, position};

/// Beside the store, for its owner alone: the address that lets one visitor of the page in.
const PAGE_ADDRESS: &str = "page.address";

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
    /// How large the folder may grow, such as 20GiB. The log warns at four fifths of that, and
    /// when the disk is nearly full; at the limit the program ends, with nothing lost
    #[arg(long, value_name = "SIZE", value_parser = Size::or_mebibytes)]
    store_limit: Option<Size>,
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
    /// Have some jobs done again by another worker, and put aside whose answers differ. All
    /// workers need the same --memory, since a search that runs out of it ends earlier
    #[arg(long)]
    audit: bool,
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
    #[arg(long, value_name = "ADDRESS", help_heading = "Logs", value_parser = read_address)]
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
        // Whatever is wrong with what was asked is told before anything is begun.
        let searches = self.submit.iter().map(|game| {
            position::note_rows(game.as_bytes());
            WantedSearch::read(game)
        });
        let searches = searches.collect::<Result<Vec<_>, _>>()?;
        let runtime = super::runtime()?;
        let listener = runtime.block_on(listen(config.address))?;
        let durability = match self.no_sync {
            true => Durability::Crash,
            false => Durability::PowerFailure,
        };
        let store = DiskStore::open(&self.store, durability)?;
        if let Some(limit) = self.store_limit() {
            store.limit(limit);
        }
        runtime.block_on(self.coordinate(config, listener, searches, store))
    }

    /// In bytes.
    fn store_limit(&self) -> Option<u64> {
        self.store_limit.map(Size::bytes)
    }

    /// The folder that the store is in.
    fn data(&self) -> &Path {
        match self.store.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    async fn coordinate(
        &self,
        config: ListenerConfig,
        listener: TcpListener,
        searches: Vec<WantedSearch>,
        store: DiskStore,
    ) -> Result<(), Failure> {
        let ListenerConfig {
            tls, authenticator, ..
        } = config;
        let book = self.book.open()?;
        let options = self.coordinator_options();
        let run = ServeRun::start(Arc::new(store), &options, super::end_by_store)?;
        tell_what_goes_on(run.coordinator()).await?;
        for search in searches {
            run.submit(search).await?;
        }
        self.tell_prometheus(run.coordinator(), &authenticator, run.shutdown())
            .await?;
        // Whoever started us with port 0 wants to know.
        info!("listening at {}", listener.local_addr()?);
        let page = self.page.serve(
            run.coordinator(),
            self.data(),
            &self.listener,
            &authenticator,
            book.as_ref(),
            run.shutdown(),
        );
        if let Some(address) = page.await? {
            self.tell_page(&address)?;
        }
        let limits = Limits::of_this_process();
        let incoming = Incoming::new(listener, tls.clone(), limits, authenticator.refusals());
        tokio::spawn(read_again_at_hangup(tls));
        tokio::spawn(watch_space(self.store.clone(), self.store_limit()));
        let options = self.serve_options(authenticator, book);
        run.serve(incoming, options, super::asked_to_leave())
            .await?;
        info!("all is stored; bye");
        Ok(())
    }

    /// More people read logs than may give orders, so the key is in a file of its own.
    fn tell_page(&self, address: &PageAddress) -> Result<(), Failure> {
        if !address.has_key() {
            info!("page at {address}");
            return Ok(());
        }
        let (file, entry) = (self.data().join(PAGE_ADDRESS), address.entry());
        let line = format!("{entry}\n");
        files::write(&file, line.as_bytes(), Access::Owner, Existing::Replace)?;
        let file = file.display();
        info!("page at {address} (the address in {file} lets one visitor in)");
        if io::stderr().is_terminal() {
            eprintln!("Page: {entry}");
        }
        Ok(())
    }

    fn serve_options(&self, authenticator: Authenticator, book: Option<GridBook>) -> ServeOptions {
        let journal = Journal::at(self.data().join("journal"));
        let proofs = ProofFiles::in_folder(self.data().join("proofs")).with_book(book.clone());
        let format = self.logs.log_format.unwrap_or_default();
        ServeOptions {
            service: ServiceOptions {
                authenticator,
                book,
                ..ServiceOptions::default()
            },
            monitor: Monitor::new(journal, proofs, format),
            log_every: self.log_every.0,
            until_done: self.until_done,
        }
    }

    fn coordinator_options(&self) -> CoordinatorOptions {
        let mut options = CoordinatorOptions {
            reconnect_grace: self.reconnect_grace.0,
            ..CoordinatorOptions::default()
        };
        options.core.grace = self.grace.0;
        options.core.budgets = self.budgets.into();
        if self.audit {
            options.core.audits = AuditRate::NowAndThen;
        }
        options
    }

    async fn tell_prometheus(
        &self,
        coordinator: &Coordinator,
        authenticator: &Authenticator,
        shutdown: &CancellationToken,
    ) -> Result<(), Failure> {
        let Some(address) = self.metrics else {
            return Ok(());
        };
        let exporter = Exporter::install()?;
        let listener = listen(address).await?;
        info!("metrics at http://{}/metrics", listener.local_addr()?);
        let limits = Limits::of_this_process().for_metrics();
        let incoming = Incoming::new(listener, None, limits, authenticator.refusals());
        let coordinator = coordinator.clone();
        let take = move || {
            let coordinator = coordinator.clone();
            async move {
                let snapshot = coordinator.snapshot().await.ok()?;
                Some(Sample::of(&snapshot, Timestamp::now()))
            }
        };
        let shutdown = shutdown.clone().cancelled_owned();
        tokio::spawn(async move {
            if let Err(failure) = exporter.serve(incoming, take, shutdown).await {
                error!("metrics are no longer told: {failure}");
            }
        });
        Ok(())
    }
}

/// What a store brings along takes workers from what is asked for now: that is said.
async fn tell_what_goes_on(coordinator: &Coordinator) -> Result<(), Failure> {
    let searches = coordinator.snapshot().await?.searches;
    let open = searches.iter().filter(|search| {
        let view = &search.view;
        view.verdict == Verdict::Open && !view.stopped
    });
    let names: Vec<_> = open.map(SearchSnapshot::name).collect();
    if !names.is_empty() {
        info!(
            "going on with what was open in this folder, and gets its share of the workers: {} \
             (`gridproof stop NAME` ends one)",
            names.join(", ")
        );
    }
    Ok(())
}

/// Speaks up before there is no room left: at once, and once an hour after that.
async fn watch_space(store: PathBuf, limit: Option<u64>) {
    let mut minutes = tokio::time::interval(Duration::from_secs(60));
    let mut spoken: Option<tokio::time::Instant> = None;
    loop {
        minutes.tick().await;
        // A folder that cannot be looked at is told by whoever writes to it.
        let Ok(space) = Space::of(&store, limit) else {
            continue;
        };
        let is_news = spoken.is_none_or(|then| then.elapsed() >= Duration::from_secs(3600));
        match space.alarm() {
            Some(alarm) if is_news => {
                warn!("{alarm}");
                spoken = Some(tokio::time::Instant::now());
            }
            Some(_) => {}
            None => spoken = None,
        }
    }
}

/// Certificates and tokens are read again when they change; who wants to be sure sends SIGHUP,
/// as to other servers.
async fn read_again_at_hangup(tls: Option<Arc<Identity>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangups) = signal(SignalKind::hangup()) else {
        return;
    };
    while hangups.recv().await.is_some() {
        info!("SIGHUP: certificates and tokens are read again if they have changed");
        if let Some(tls) = &tls {
            tls.look();
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;
    use gridproof_worker::Backoff;

    use super::*;

    #[test]
    fn a_worker_that_waits_longest_is_back_before_its_jobs_are_given_away() {
        let command = Serve::augment_args(clap::Command::new("serve"));
        let matches = command.get_matches_from(["serve"]);
        let serve = Serve::from_arg_matches(&matches).unwrap();
        let longest = Backoff::default().longest;
        assert!(serve.reconnect_grace.0 > longest);
        assert!(serve.grace.0 > longest);
    }
}
