//! From one connection to the next.

use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use gridproof_host::words::of_connection;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tonic::{Code, Status};
use tracing::{debug, info, warn};

use crate::connector::Connector;
use crate::jobs::JobTable;
use crate::pool::{JobEvent, Pool};
use crate::settings::{DesiredState, Settings};
use crate::wire::{self, Inbox, Instruction, Offer, Outbox};

/// Why a worker left, all being well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// All jobs were finished first.
    Finished,
    /// At once: jobs that were begun are others' now.
    Stopped,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Finished => "all jobs finished",
            Self::Stopped => "stopped by its owner",
        })
    }
}

/// Why a worker cannot go on: trying again would not help.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// Install the same on both sides.
    #[error("the coordinator does not take this version: {0}")]
    Version(String),
    /// The token is missing, unknown or revoked.
    #[error("the coordinator does not know this worker: {0}")]
    Unauthenticated(String),
    /// The worker was banned.
    #[error("the coordinator has cut this worker off: {0}")]
    CutOff(String),
    /// A message made no sense to the coordinator.
    #[error("the coordinator refuses this worker's words: {0}")]
    Refused(String),
}

/// How a connection ended.
enum Disconnect {
    Left(Departure),
    Lost(String),
}

/// How long a goodbye may take to get through before the worker leaves without one.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a worker that is to finish waits for a coordinator that is away, to deliver the
/// results that it has. Then it leaves without: others will find them again.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(20);

/// Jobs of a worker that is paused for longer are for others.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Works until its owner wants it to leave or the coordinator will not have it.
pub async fn run(
    settings: Settings,
    connector: Connector,
    mut desired: watch::Receiver<DesiredState>,
) -> Result<Departure, WorkError> {
    let (pool, mut events) = Pool::start(
        settings.slots.get(),
        settings.priority,
        settings.counts.as_ref(),
    );
    let mut jobs = JobTable::new(pool);
    let mut rng = SmallRng::seed_from_u64(settings.instance);
    let mut failures: u32 = 0;
    let mut offline_since = Instant::now();
    loop {
        let mut session = Session {
            settings: &settings,
            jobs: &mut jobs,
            events: &mut events,
            desired: &mut desired,
            welcomed: false,
            offered: None,
            paused: None,
        };
        let disconnect = session.connect(&connector).await;
        let session_began = session.welcomed;
        if session_began {
            failures = 0;
            offline_since = Instant::now();
        }
        match disconnect? {
            Disconnect::Left(departure) => return Ok(departure),
            Disconnect::Lost(reason) => {
                failures = failures.saturating_add(1);
                let wait = settings.backoff.wait(failures, &mut rng);
                let told = if session_began {
                    "connection lost"
                } else {
                    "no connection"
                };
                let seconds = wait.as_secs_f64();
                if failures == 1 {
                    warn!("{told}: {reason}; trying again in {seconds:.1} s");
                } else {
                    debug!("{told}: {reason}; trying again in {seconds:.1} s");
                }
                let patience = DELIVERY_TIMEOUT.saturating_sub(offline_since.elapsed());
                if let Some(departure) = wait_offline(wait, patience, &mut desired, &jobs).await {
                    return Ok(departure);
                }
            }
        }
    }
}

/// Waits before the next try. Who wants to leave need not wait for a coordinator that is
/// away, unless there is a result to deliver, and then only for so long.
async fn wait_offline(
    wait: Duration,
    patience: Duration,
    desired: &mut watch::Receiver<DesiredState>,
    jobs: &JobTable,
) -> Option<Departure> {
    let leaves = |state: &DesiredState| match state {
        DesiredState::Stopped => true,
        DesiredState::Drained => jobs.is_empty() || patience.is_zero(),
        DesiredState::Running { .. } | DesiredState::Paused | DesiredState::Away => false,
    };
    tokio::select! {
        () = tokio::time::sleep(wait) => None,
        left = desired.wait_for(leaves) => match left.map(|state| *state) {
            Ok(DesiredState::Drained) if jobs.is_empty() => Some(Departure::Finished),
            Ok(DesiredState::Drained) => {
                warn!("leaving without the coordinator: what was begun is found again by others");
                Some(Departure::Stopped)
            }
            // The owner is gone without a word.
            _ => Some(Departure::Stopped),
        },
    }
}

struct Session<'a> {
    settings: &'a Settings,
    jobs: &'a mut JobTable,
    events: &'a mut mpsc::UnboundedReceiver<JobEvent>,
    desired: &'a mut watch::Receiver<DesiredState>,
    welcomed: bool,
    /// What the coordinator was told last.
    offered: Option<Offer>,
    /// Since when, if it is.
    paused: Option<Instant>,
}

impl Session<'_> {
    async fn connect(&mut self, connector: &Connector) -> Result<Disconnect, WorkError> {
        if *self.desired.borrow() == DesiredState::Stopped {
            self.jobs.cancel_all();
            return Ok(Disconnect::Left(Departure::Stopped));
        }
        let channel = match connector.connect().await {
            Ok(channel) => channel,
            Err(error) => return Ok(Disconnect::Lost(of_connection(&error))),
        };
        self.collect_results();
        let offer = offer(self.settings, *self.desired.borrow());
        self.offered = Some(offer);
        let attached = wire::attach(channel, self.settings, offer, self.jobs.all()).await;
        match attached {
            Ok((mut out, mut incoming)) => self.serve(&mut out, &mut incoming).await,
            Err(status) => disconnect(&status),
        }
    }

    async fn serve(
        &mut self,
        out: &mut Outbox,
        incoming: &mut Inbox,
    ) -> Result<Disconnect, WorkError> {
        let mut ticks = tokio::time::interval(Duration::from_secs(5));
        ticks.reset();
        loop {
            if self.welcomed
                && let Some(departure) = self.follow_owner(out).await
            {
                return Ok(self.leave(out, incoming, departure).await);
            }
            // Cancelled jobs come first: to go on with them is wasted work.
            tokio::select! {
                biased;
                message = incoming.next() => match message {
                    Ok(Some(instruction)) => {
                        if let Some(period) = self.follow(out, instruction).await {
                            ticks = tokio::time::interval(period);
                            ticks.reset();
                        }
                    }
                    Ok(None) => return Ok(Disconnect::Lost("the coordinator hung up".to_owned())),
                    Err(status) => return disconnect(&status),
                },
                changed = self.desired.changed() => if changed.is_err() {
                    return Ok(self.leave(out, incoming, Departure::Stopped).await);
                },
                Some(event) = self.events.recv(), if self.welcomed => {
                    self.report(out, event).await;
                }
                _ = ticks.tick(), if self.welcomed => out.progress(self.jobs.running()).await,
            }
        }
    }

    /// Results that came while nobody was connected: the hello must tell of them as held.
    fn collect_results(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            // Open replies of that time are lost; the job's end names the same moves.
            if let JobEvent::Finished(lease, result) = event {
                self.jobs.finish(lease, result);
            }
        }
    }

    /// Does what the coordinator says; gives the time between signs of life if that is what
    /// it was about.
    async fn follow(&mut self, out: &mut Outbox, instruction: Instruction) -> Option<Duration> {
        match instruction {
            Instruction::Welcome(welcome) => {
                info!(
                    "welcomed by {}, connection {}",
                    welcome.version, welcome.generation
                );
                self.welcomed = true;
                out.limit(welcome.message_limit);
                return Some(welcome.progress_interval);
            }
            Instruction::Begin(job) => {
                debug!(lease = %job.lease, "job begun");
                self.jobs.begin(*job);
            }
            Instruction::Reject(lease, error) => {
                warn!(%lease, "job refused: {error}");
                out.reject(lease, &error).await;
            }
            Instruction::Cancel { lease, reason } => {
                debug!(%lease, reason, "job cancelled");
                self.jobs.cancel(lease);
            }
            Instruction::Keep(lease) => {
                if let Some((job, result)) = self.jobs.finished(lease) {
                    out.result(job, result).await;
                }
            }
            Instruction::Accepted(lease) => self.jobs.accept(lease),
            Instruction::Idle => debug!("no work at the moment"),
        }
        None
    }

    /// Tells the coordinator what a job thread has found.
    async fn report(&mut self, out: &Outbox, event: JobEvent) {
        match event {
            JobEvent::OpenReply(lease, mv) => {
                if let Some(job) = self.jobs.get(lease) {
                    out.open_reply(job, &mv).await;
                }
            }
            JobEvent::Finished(lease, result) => {
                self.jobs.finish(lease, result);
                if let Some((job, result)) = self.jobs.finished(lease) {
                    out.result(job, result).await;
                }
            }
        }
    }

    /// Does what the owner wants; tells if that is to leave.
    async fn follow_owner(&mut self, out: &Outbox) -> Option<Departure> {
        let state = *self.desired.borrow_and_update();
        self.jobs.pause(state == DesiredState::Paused);
        self.paused =
            (state == DesiredState::Paused).then(|| self.paused.unwrap_or_else(Instant::now));
        let offer = offer(self.settings, state);
        if self.offered.replace(offer) != Some(offer) {
            out.offer(offer).await;
        }
        let paused_for_long = self
            .paused
            .is_some_and(|since| since.elapsed() > LONGEST_PAUSE);
        if state == DesiredState::Away || paused_for_long {
            for job in self.jobs.hand_back() {
                out.hand_back(&job, "the machine is wanted for something else")
                    .await;
            }
        }
        match state {
            DesiredState::Stopped => Some(Departure::Stopped),
            DesiredState::Drained if self.jobs.is_empty() => Some(Departure::Finished),
            _ => None,
        }
    }

    /// Says goodbye, and waits a moment for the coordinator to hang up: only then has it
    /// been heard.
    async fn leave(
        &mut self,
        out: &Outbox,
        incoming: &mut Inbox,
        departure: Departure,
    ) -> Disconnect {
        self.jobs.cancel_all();
        let goodbye = async {
            out.goodbye(departure.to_string()).await;
            while let Ok(Some(_)) = incoming.next().await {}
        };
        if tokio::time::timeout(GOODBYE_TIMEOUT, goodbye)
            .await
            .is_err()
        {
            debug!("the coordinator did not answer the goodbye");
        }
        info!("left: {departure}, {} jobs in all", self.jobs.accepted());
        Disconnect::Left(departure)
    }
}

fn offer(settings: &Settings, state: DesiredState) -> Offer {
    match state {
        DesiredState::Running { until } => Offer {
            slots: settings.slots.get(),
            until,
        },
        DesiredState::Paused
        | DesiredState::Away
        | DesiredState::Drained
        | DesiredState::Stopped => Offer {
            slots: 0,
            until: None,
        },
    }
}

/// What a refusal means: some are for good.
fn disconnect(status: &Status) -> Result<Disconnect, WorkError> {
    let words = status.message().to_owned();
    match status.code() {
        Code::FailedPrecondition => Err(WorkError::Version(words)),
        Code::Unauthenticated => Err(WorkError::Unauthenticated(words)),
        Code::PermissionDenied => Err(WorkError::CutOff(words)),
        Code::InvalidArgument => Err(WorkError::Refused(words)),
        _ if status.source().is_some() => Ok(Disconnect::Lost(of_connection(status))),
        _ => Ok(Disconnect::Lost(words)),
    }
}
