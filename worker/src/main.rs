//! The program that lab machines run.

use std::process;
use std::time::{Duration, Instant};

use clap::Parser;
use gridproof_host::Credentials;
use gridproof_worker::config::{Config, Options};
use gridproof_worker::exit::Exit;
use gridproof_worker::gate::{Gate, Permission};
use gridproof_worker::idle::Machine;
use gridproof_worker::memory::machine_memory;
use gridproof_worker::stats::StatsFile;
use gridproof_worker::{Backoff, Dial, JobReport, Settings, Wish, WorkError};
use jiff::{Timestamp, Zoned};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tonic::transport::Endpoint;
use tracing::{error, info, warn};

/// Searches make and drop many small things: a sixth of their time, with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often hours and the machine's users are looked at.
const LOOK: Duration = Duration::from_secs(5);
const SAVE_STATS: Duration = Duration::from_secs(60);

fn main() -> Exit {
    let options = match Options::parse().with_file_and_environment() {
        Ok(options) => options,
        Err(error) => return refuse(&error),
    };
    if options.print_config {
        print!("{}", options.to_toml());
        return Exit::Done;
    }
    let config = match options.resolve() {
        Ok(config) => config,
        Err(error) => return refuse(&error),
    };
    let _logs = match config.logs.start() {
        Ok(guard) => guard,
        Err(error) => return refuse(&error),
    };
    if let Some(machine) = machine_memory()
        && let Err(error) = config.memory.enforce(machine)
    {
        warn!("the memory cap cannot be set: {error}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(work(config)),
        Err(error) => {
            error!("the system gives no threads: {error}");
            Exit::NoResources
        }
    }
}

fn refuse(error: &dyn std::error::Error) -> Exit {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let words: Vec<_> = causes.map(ToString::to_string).collect();
    let words = [&[error.to_string()][..], &words].concat().join(": ");
    eprintln!("error: {words}");
    Exit::Config
}

async fn work(config: Config) -> Exit {
    let endpoint = Endpoint::from(config.coordinator.clone());
    let endpoint = match config.tls {
        Some(tls) => match endpoint.tls_config(tls) {
            Ok(endpoint) => endpoint,
            Err(error) => return refuse(&error),
        },
        None => endpoint,
    };
    let (job_ends, ended) = mpsc::unbounded_channel();
    let counting = config.stats_file.map(|path| {
        let file = StatsFile::open(&path, Timestamp::now());
        tokio::spawn(count(file, ended))
    });
    let mut settings = Settings::new(config.name, config.cores.here());
    settings.credentials = config
        .token
        .as_ref()
        .map_or_else(Credentials::none, Into::into);
    settings.priority = config.priority;
    settings.backoff = Backoff {
        longest: config.max_backoff.get(),
        ..Backoff::default()
    };
    settings.job_ends = counting.is_some().then_some(job_ends);
    info!(
        name = settings.name,
        cores = settings.slots,
        "working for {}",
        config.coordinator
    );
    let (wish, wishes) = watch::channel(Wish::Work);
    tokio::spawn(steer(wish, Gate::new(config.manners)));
    let ended = gridproof_worker::run(settings, Dial::endpoint(endpoint), wishes).await;
    if let Some(counting) = counting
        && counting.await.is_err()
    {
        error!("counting jobs panicked: a bug, please report it");
    }
    match ended {
        Ok(_) => Exit::Done,
        Err(error) => {
            error!("{error}");
            match error {
                WorkError::Version(_) => Exit::Version,
                WorkError::Unauthenticated(_) | WorkError::CutOff(_) => Exit::Refused,
                WorkError::Refused(_) => Exit::Config,
            }
        }
    }
}

/// Turns signals, hours and the machine's users into wishes. Ctrl-C or a supervisor's stop
/// once: finish; twice: stop at once.
async fn steer(wish: watch::Sender<Wish>, mut gate: Gate) {
    let machine = Machine::default();
    let born = Instant::now();
    let mut ticks = tokio::time::interval(LOOK);
    let mut requests = Requests::listen();
    loop {
        tokio::select! {
            () = requests.next() => {
                let next = match *wish.borrow() {
                    Wish::Finish => Wish::Stop,
                    Wish::Work | Wish::Pause | Wish::Stop => Wish::Finish,
                };
                match next {
                    Wish::Finish => info!("finishing the jobs that were begun; again to stop at once"),
                    _ => info!("stopping at once"),
                }
                wish.send_replace(next);
                if next == Wish::Stop {
                    break;
                }
            }
            _ = ticks.tick() => {
                let permission = gate.judge(Zoned::now().datetime(), born.elapsed(), &machine.observe());
                let next = match &permission {
                    Permission::Work => Wish::Work,
                    Permission::Rest(_) => Wish::Pause,
                };
                wish.send_if_modified(|wish| {
                    let leaving = matches!(*wish, Wish::Finish | Wish::Stop);
                    let changed = !leaving && *wish != next;
                    if changed {
                        match &permission {
                            Permission::Work => info!("working again"),
                            Permission::Rest(reason) => info!("pausing: {reason}"),
                        }
                        *wish = next;
                    }
                    changed
                });
            }
        }
    }
    // Whoever is still impatient gets what they want.
    requests.next().await;
    process::exit(Exit::Done.code().into());
}

/// Ctrl-C, and a supervisor's stop. Listened for all the time: one that comes while nobody
/// waits is kept.
struct Requests {
    interrupts: Option<Signal>,
    terms: Option<Signal>,
}

impl Requests {
    fn listen() -> Self {
        let listen = |kind| match signal(kind) {
            Ok(signals) => Some(signals),
            Err(error) => {
                warn!("signals cannot be heard, only killing ends this worker: {error}");
                None
            }
        };
        Self {
            interrupts: listen(SignalKind::interrupt()),
            terms: listen(SignalKind::terminate()),
        }
    }

    async fn next(&mut self) {
        async fn one(signals: Option<&mut Signal>) {
            match signals {
                Some(signals) => drop(signals.recv().await),
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = one(self.interrupts.as_mut()) => {}
            () = one(self.terms.as_mut()) => {}
        }
    }
}

/// Keeps the file of counts until no job can end any more.
async fn count(
    file: Result<StatsFile, gridproof_host::files::FileError>,
    mut ended: mpsc::UnboundedReceiver<JobReport>,
) {
    let mut file = match file {
        Ok(file) => file,
        Err(error) => {
            warn!("no counts are kept: {error}");
            return;
        }
    };
    let mut ticks = tokio::time::interval(SAVE_STATS);
    loop {
        let over = tokio::select! {
            report = ended.recv() => match report {
                Some(JobReport { end, nodes, took }) => {
                    file.count(end, nodes, took);
                    continue;
                }
                None => true,
            },
            _ = ticks.tick() => false,
        };
        if let Err(error) = file.save(Timestamp::now()) {
            warn!("counts cannot be written: {error}");
        }
        if over {
            return;
        }
    }
}
