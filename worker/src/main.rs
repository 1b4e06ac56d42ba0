//! The program that lab machines run.

use std::io::{self, Write as _};
use std::process;
use std::time::{Duration, Instant};

use clap::Parser;
use gridproof_host::Credentials;
use gridproof_host::words::with_causes;
use gridproof_worker::availability::{Availability, AvailabilityMonitor, Reason};
use gridproof_worker::config::{Config, Options};
use gridproof_worker::exit::Exit;
use gridproof_worker::idle::Machine;
use gridproof_worker::memory::machine_memory;
use gridproof_worker::stats::{JobCounts, StatsFile};
use gridproof_worker::{Backoff, Connector, DesiredState, Settings, WorkError};
use jiff::{Timestamp, Zoned};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tonic::transport::Endpoint;
use tracing::{error, info, warn};

/// Searches make and drop many small things: a sixth of their time, with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often hours and the machine's users are looked at.
const CHECK: Duration = Duration::from_secs(5);
const SAVE_STATS: Duration = Duration::from_secs(60);

fn main() -> Exit {
    let said = Options::parse();
    if said.print_config {
        return print_config(&said);
    }
    let options = match said.with_file_and_environment() {
        Ok(options) => options,
        Err(error) => return refuse(&error),
    };
    let config = match options.resolve() {
        Ok(config) => config,
        Err(error) => return refuse(&error),
    };
    // Its error is told once there is a log.
    let prepared = config.memory.prepare();
    let _logs = match config.logs.start() {
        Ok(guard) => guard,
        Err(error) => return refuse(&error),
    };
    let limited = prepared.and_then(|()| match machine_memory() {
        Some(machine) => config.memory.enforce(machine),
        None => Ok(()),
    });
    if let Err(error) = limited {
        warn!("the memory limit cannot be set: {error}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(work(config)),
        Err(error) => {
            error!("the system gives no threads: {error}");
            Exit::Broken
        }
    }
}

fn refuse(error: &dyn std::error::Error) -> Exit {
    eprintln!("error: {}", with_causes(error));
    Exit::BadInput
}

/// Prints the options in force; who reads no more has seen enough.
fn print_config(options: &Options) -> Exit {
    let text = match options.in_force() {
        Ok(text) => text,
        Err(error) => return refuse(&error),
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the options: {error}");
            Exit::Broken
        }
        _ => Exit::Done,
    }
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
    let (counts, counted) = mpsc::unbounded_channel();
    let counting = config.stats_file.map(|path| {
        let file = StatsFile::open(&path, Timestamp::now());
        tokio::spawn(count(file, counted))
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
    settings.counts = counting.is_some().then_some(counts);
    info!(
        name = settings.name,
        cores = settings.slots,
        "working for {}",
        config.coordinator
    );
    let mut schedule = Schedule::new(AvailabilityMonitor::new(config.availability));
    let (owner, desired) = watch::channel(schedule.desired_state().0);
    tokio::spawn(steer(owner, schedule));
    let ended = gridproof_worker::run(settings, Connector::endpoint(endpoint), desired).await;
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
                WorkError::Refused(_) => Exit::BadInput,
            }
        }
    }
}

/// Watches hours and the machine's users.
struct Schedule {
    monitor: AvailabilityMonitor,
    machine: Machine,
    started: Instant,
}

impl Schedule {
    fn new(monitor: AvailabilityMonitor) -> Self {
        Self {
            monitor,
            machine: Machine::default(),
            started: Instant::now(),
        }
    }

    /// What they ask for now, and why if that is to pause.
    fn desired_state(&mut self) -> (DesiredState, Option<Reason>) {
        let (now, seen) = (Zoned::now(), self.machine.observe());
        let age = self.started.elapsed();
        match self.monitor.check(now.datetime(), age, &seen) {
            Availability::Available { until } => {
                let until = until.and_then(|time| time.to_zoned(now.time_zone().clone()).ok());
                let until = until.map(|time| time.timestamp());
                (DesiredState::Running { until }, None)
            }
            // Hours begin again after hours; people go home sooner.
            Availability::Unavailable(reason @ Reason::OutsideHours { .. }) => {
                (DesiredState::Away, Some(reason))
            }
            Availability::Unavailable(reason) => (DesiredState::Paused, Some(reason)),
        }
    }
}

/// Turns signals, hours and the machine's users into what is wanted of the worker. Ctrl-C or
/// a supervisor's stop once: finish; twice: stop at once.
async fn steer(owner: watch::Sender<DesiredState>, mut schedule: Schedule) {
    let mut ticks = tokio::time::interval(CHECK);
    let mut requests = Requests::listen();
    loop {
        tokio::select! {
            () = requests.next() => {
                if *owner.borrow() == DesiredState::Drained {
                    info!("stopping at once");
                    owner.send_replace(DesiredState::Stopped);
                    break;
                }
                info!("finishing the jobs that were begun; again to stop at once");
                owner.send_replace(DesiredState::Drained);
            }
            _ = ticks.tick() => {
                let (next, reason) = schedule.desired_state();
                owner.send_if_modified(|state| {
                    if *state == next || matches!(*state, DesiredState::Drained) {
                        return false;
                    }
                    match reason {
                        Some(reason) => info!("pausing: {reason}"),
                        None if matches!(*state, DesiredState::Paused | DesiredState::Away) => {
                            info!("working again");
                        }
                        None => {}
                    }
                    *state = next;
                    true
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
    mut counted: mpsc::UnboundedReceiver<JobCounts>,
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
            jobs = counted.recv() => match jobs {
                Some(jobs) => {
                    file.add(jobs);
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
