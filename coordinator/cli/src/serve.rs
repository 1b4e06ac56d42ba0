use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions};
use gridproof_grid::logs::{Journal, Monitor, ProofFiles, Sample};
use gridproof_grid::metrics::Exporter;
use gridproof_grid::security::{Authenticator, Incoming, ListenerConfig, ListenerOptions};
use gridproof_grid::service::{ServiceOptions, listen};
use gridproof_grid::store::{DiskStore, Durability};
use gridproof_grid::{ServeOptions, ServeRun};
use gridproof_host::exposure::{Guards, Insecure};
use gridproof_host::logs::LogOptions;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::budgets::JobBudgets;
use super::page::PageArgs;
use super::values::{self, Time};
use super::{Failure, position};

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
        let options = self.coordinator_options();
        let run = ServeRun::start(Arc::new(store), &options, super::end_by_store)?;
        for game in &self.submit {
            position::note_rows(game.as_bytes());
            run.submit(game).await?;
        }
        let listener = listen(address).await?;
        self.tell_prometheus(run.coordinator(), run.shutdown())
            .await?;
        // Whoever started us with port 0 wants to know.
        info!("listening at {}", listener.local_addr()?);
        let page = self.page.serve(
            run.coordinator(),
            self.data(),
            &self.listener,
            &authenticator,
            run.shutdown(),
        );
        if let Some(address) = page.await? {
            info!("page at {address}");
        }
        let incoming = Incoming::new(listener, tls, authenticator.refusals());
        let options = self.serve_options(authenticator);
        run.serve(incoming, options, super::asked_to_leave())
            .await?;
        info!("all is stored; bye");
        Ok(())
    }

    fn serve_options(&self, authenticator: Authenticator) -> ServeOptions {
        let journal = Journal::at(self.data().join("journal"));
        let proofs = ProofFiles::in_folder(self.data().join("proofs"));
        let format = self.logs.log_format.unwrap_or_default();
        ServeOptions {
            service: ServiceOptions {
                authenticator,
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
        options
    }

    async fn tell_prometheus(
        &self,
        coordinator: &Coordinator,
        shutdown: &CancellationToken,
    ) -> Result<(), Failure> {
        let Some(address) = self.metrics else {
            return Ok(());
        };
        let exporter = Exporter::install()?;
        let listener = listen(address).await?;
        info!("metrics at http://{}/metrics", listener.local_addr()?);
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
            if let Err(failure) = exporter.serve(listener, take, shutdown).await {
                error!("metrics are no longer told: {failure}");
            }
        });
        Ok(())
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
