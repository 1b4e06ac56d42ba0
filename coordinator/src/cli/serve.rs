use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gridproof::core::Budgets;
use gridproof::security::{Doorkeeper, Incoming, TokenFile};
use gridproof::service::{ServiceOptions, listen, serve, with_keepalive};
use gridproof::shell::{Shell, ShellOptions, Snapshot};
use gridproof::store::{DiskStore, Durability};
use gridproof_host::exposure::{Guard, Guards, Insecure};
use gridproof_host::logs::LogOptions;
use gridproof_host::tls::{IdentityFiles, ServerFiles};
use gridproof_proto::DEFAULT_PORT;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tracing::{info, warn};

use super::Failure;

/// Coordinate a grid of workers: give out jobs, check what comes back, and keep it
///
/// Goes on from what the folder holds. Ctrl-C or SIGTERM ends it in order; after a crash
/// nothing that was acknowledged is lost, and workers go on with what they have.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where workers and operators connect
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT)))]
    listen: SocketAddr,
    /// The folder that keeps everything
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
    /// How many seconds the jobs of a worker that was lost wait for it to come back
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    grace: u64,
    /// Search nodes for a first look at a position with the attacker to move
    #[arg(long, value_name = "NODES", default_value_t = Budgets::default().engine)]
    engine_budget: u64,
    /// Search nodes for a first look at a position with the defender to move
    #[arg(long, value_name = "NODES", default_value_t = Budgets::default().verifier)]
    verifier_budget: u64,

    /// The coordinator's certificate, as `gridproof cert server` wrote it
    #[arg(long, value_name = "FILE", requires = "key", help_heading = "Security")]
    cert: Option<PathBuf>,
    /// The private key of --cert
    #[arg(
        long,
        value_name = "FILE",
        requires = "cert",
        help_heading = "Security"
    )]
    key: Option<PathBuf>,
    /// Ask workers for certificates of this authority
    #[arg(
        long,
        value_name = "FILE",
        requires = "cert",
        help_heading = "Security"
    )]
    client_ca: Option<PathBuf>,
    /// The file of tokens, as `gridproof token new` wrote it
    #[arg(long, value_name = "FILE", help_heading = "Security")]
    tokens: Option<PathBuf>,
    /// Let other machines connect without TLS or tokens
    #[arg(long, help_heading = "Security")]
    insecure: bool,

    #[command(flatten)]
    logs: LogOptions,
}

/// A line about how it goes, this often.
const REPORT: Duration = Duration::from_secs(60);

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let _logs = self.logs.start()?;
        let tls = self.tls_files().map(|files| files.load()).transpose()?;
        let guards = Guards {
            tls: Guard::from(tls.is_some()),
            tokens: Guard::from(self.tokens.is_some()),
        };
        guards.permit_listening(self.listen, Insecure::from(self.insecure))?;
        let doorkeeper = match &self.tokens {
            Some(path) => Doorkeeper::new(TokenFile::at(path))?,
            None => Doorkeeper::open_house(),
        };
        let durability = match self.no_sync {
            true => Durability::Crash,
            false => Durability::PowerFailure,
        };
        let store = DiskStore::open(&self.store, durability)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut options = ShellOptions::default();
            options.core.grace = Duration::from_secs(self.grace);
            options.core.budgets.engine = self.engine_budget;
            options.core.budgets.verifier = self.verifier_budget;
            let (shell, task) = Shell::start(Arc::new(store), &options, super::end_by_store)?;
            self.submit_all(&shell).await?;
            let listener = listen(self.listen).await?;
            // Whoever started us with port 0 wants to know.
            info!("listening at {}", listener.local_addr()?);
            let incoming = Incoming::new(listener, tls, doorkeeper.strangers());
            let shutdown = CancellationToken::new();
            tokio::spawn(watch_over(
                shell.clone(),
                doorkeeper.clone(),
                shutdown.clone(),
            ));
            tokio::spawn(self.ending(shell.clone(), shutdown.clone()));
            let options = ServiceOptions {
                doorkeeper,
                ..ServiceOptions::default()
            };
            let server = with_keepalive(Server::builder());
            serve(server, incoming, shell, options, shutdown).await?;
            task.await?;
            info!("all is stored; bye");
            Ok(())
        })
    }

    fn tls_files(&self) -> Option<ServerFiles> {
        let identity = IdentityFiles {
            certificate: self.cert.clone()?,
            key: self.key.clone()?,
        };
        Some(ServerFiles {
            identity,
            client_authority: self.client_ca.clone(),
        })
    }

    async fn submit_all(&self, shell: &Shell) -> Result<(), Failure> {
        for game in &self.submit {
            let root = gridproof_game::read_game(game.as_bytes())?;
            let root = root.position().clone();
            let attacker = gridproof::default_attacker(&root);
            let search = shell.submit(game.clone(), root, attacker, 1).await?;
            info!("{search}: {game}, does {attacker} win?");
        }
        Ok(())
    }

    /// Ends the server when it is asked to, or when there is nothing left to do.
    fn ending(
        &self,
        shell: Shell,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let until_done = self.until_done;
        async move {
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
            shutdown.cancel();
        }
    }
}

async fn all_decided(shell: &Shell) {
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

/// Reads the tokens again when they have changed, and says now and then how it goes.
async fn watch_over(shell: Shell, doorkeeper: Doorkeeper, shutdown: CancellationToken) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    let mut reports = tokio::time::interval(REPORT);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = seconds.tick() => match doorkeeper.refresh() {
                Ok(revoked) => for token in revoked {
                    // Gone already is what was wanted.
                    let _ = shell.revoke(token).await;
                },
                Err(error) => warn!("the tokens cannot be read: {error}"),
            },
            _ = reports.tick() => match shell.snapshot().await {
                Ok(snapshot) => report(&snapshot),
                Err(_) => return,
            },
        }
    }
}

fn report(snapshot: &Snapshot) {
    for search in &snapshot.searches {
        info!(
            "{} ({}): root {}, {} jobs running",
            search.view.search, search.game, search.view.numbers, search.view.running_jobs,
        );
    }
    let workers = snapshot.workers.iter().filter(|worker| worker.connected);
    info!(
        "{} workers with {} slots; {} positions, {} proved; {} jobs done",
        workers.count(),
        snapshot.slots(),
        snapshot.nodes,
        snapshot.proved,
        snapshot.stats.answers,
    );
}
