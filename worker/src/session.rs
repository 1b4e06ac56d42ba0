//! From one connection to the next.

use std::time::Duration;

use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{MESSAGE_LIMIT, PROTOCOL, v1};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Status, Streaming};
use tracing::{debug, info, warn};

use crate::desk::Desk;
use crate::dial::Dial;
use crate::pool::{Pool, Report};
use crate::settings::{Settings, Wish};

/// Why a worker left, all being well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All jobs were finished first.
    Finished,
    /// At once: jobs that were begun are others' now.
    Stopped,
}

/// Why a worker cannot go on: trying again would not help.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error("the coordinator does not take this version: {0}")]
    Version(String),
    #[error("the coordinator does not know this worker: {0}")]
    Unauthenticated(String),
    #[error("the coordinator has cut this worker off: {0}")]
    CutOff(String),
    #[error("the coordinator refuses this worker's words: {0}")]
    Refused(String),
}

/// How a connection ended.
enum Parting {
    Left(Ending),
    Lost(String),
}

/// How long a goodbye may take to get through before the worker leaves without one.
const FAREWELL: Duration = Duration::from_secs(2);

/// How long a worker that is to finish waits for a coordinator that is away, to bring it the
/// answers that it has. Then it leaves without: others will find them again.
const LAST_DELIVERY: Duration = Duration::from_secs(20);

/// Works until the wish says otherwise or the coordinator will not have it.
pub async fn run(
    settings: Settings,
    dial: Dial,
    mut wish: watch::Receiver<Wish>,
) -> Result<Ending, WorkError> {
    let (pool, mut reports) = Pool::start(
        settings.slots.get(),
        settings.priority,
        settings.job_ends.as_ref(),
    );
    let mut desk = Desk::new(pool);
    let mut rng = SmallRng::seed_from_u64(settings.instance);
    let mut failures: u32 = 0;
    let mut offline_since = Instant::now();
    loop {
        let mut session = Session {
            settings: &settings,
            desk: &mut desk,
            reports: &mut reports,
            wish: &mut wish,
            welcomed: false,
            said_slots: None,
        };
        let parting = session.connect(&dial).await;
        if session.welcomed {
            failures = 0;
            offline_since = Instant::now();
        }
        match parting? {
            Parting::Left(ending) => return Ok(ending),
            Parting::Lost(words) => {
                failures = failures.saturating_add(1);
                let wait = settings.backoff.wait(failures, &mut rng);
                if failures == 1 {
                    warn!(
                        "connection lost: {words}; trying again in {} ms",
                        wait.as_millis()
                    );
                } else {
                    debug!(
                        "no connection: {words}; trying again in {} ms",
                        wait.as_millis()
                    );
                }
                let patience = LAST_DELIVERY.saturating_sub(offline_since.elapsed());
                if let Some(ending) = wait_offline(wait, patience, &mut wish, &desk).await {
                    return Ok(ending);
                }
            }
        }
    }
}

/// Waits before the next try. Who wants to leave need not wait for a coordinator that is
/// away, unless there is an answer to bring, and then only for so long.
async fn wait_offline(
    wait: Duration,
    patience: Duration,
    wish: &mut watch::Receiver<Wish>,
    desk: &Desk,
) -> Option<Ending> {
    let leaves = |wish: &Wish| match wish {
        Wish::Stop => true,
        Wish::Finish => desk.is_empty() || patience.is_zero(),
        Wish::Work | Wish::Pause => false,
    };
    tokio::select! {
        () = tokio::time::sleep(wait) => None,
        left = wish.wait_for(leaves) => match left.map(|wish| *wish) {
            Ok(Wish::Finish) if desk.is_empty() => Some(Ending::Finished),
            Ok(Wish::Finish) => {
                warn!("leaving without the coordinator: what was begun is found again by others");
                Some(Ending::Stopped)
            }
            // The owner is gone without a word.
            _ => Some(Ending::Stopped),
        },
    }
}

struct Session<'a> {
    settings: &'a Settings,
    desk: &'a mut Desk,
    reports: &'a mut mpsc::UnboundedReceiver<Report>,
    wish: &'a mut watch::Receiver<Wish>,
    welcomed: bool,
    said_slots: Option<u16>,
}

/// What a connection is made of once it stands.
struct Line {
    out: mpsc::Sender<v1::WorkerMessage>,
    limit: usize,
}

impl Line {
    /// An error means that the stream is gone, which the receiving side will tell.
    async fn say(&self, message: Say) -> bool {
        let message = v1::WorkerMessage {
            message: Some(message),
        };
        self.out.send(message).await.is_ok()
    }
}

impl Session<'_> {
    async fn connect(&mut self, dial: &Dial) -> Result<Parting, WorkError> {
        if *self.wish.borrow() == Wish::Stop {
            self.desk.drop_all();
            return Ok(Parting::Left(Ending::Stopped));
        }
        let channel = match dial.connect().await {
            Ok(channel) => channel,
            Err(error) => return Ok(Parting::Lost(with_causes(&error))),
        };
        let credentials = self.settings.credentials.clone();
        let mut client = WorkClient::with_interceptor(channel, credentials)
            .max_decoding_message_size(MESSAGE_LIMIT)
            .max_encoding_message_size(MESSAGE_LIMIT);
        self.take_in_what_waits();
        let (out, outbox) = mpsc::channel(256);
        let mut line = Line {
            out,
            limit: MESSAGE_LIMIT,
        };
        line.say(Say::Hello(self.hello())).await;
        let request = Request::new(ReceiverStream::new(outbox));
        let mut incoming = match client.attach(request).await {
            Ok(response) => response.into_inner(),
            Err(status) => return parting(&status),
        };
        self.converse(&mut line, &mut incoming).await
    }

    async fn converse(
        &mut self,
        line: &mut Line,
        incoming: &mut Streaming<v1::CoordinatorMessage>,
    ) -> Result<Parting, WorkError> {
        let mut ticks = tokio::time::interval(Duration::from_secs(5));
        ticks.reset();
        loop {
            if self.welcomed
                && let Some(ending) = self.follow_wish(line).await
            {
                return Ok(self.leave(line, incoming, ending).await);
            }
            // Aborts come first: what they stop is wasted work.
            tokio::select! {
                biased;
                message = incoming.message() => match message {
                    Ok(Some(message)) => {
                        if let Some(period) = self.hear(line, message).await {
                            ticks = tokio::time::interval(period);
                            ticks.reset();
                        }
                    }
                    Ok(None) => return Ok(Parting::Lost("the coordinator hung up".to_owned())),
                    Err(status) => return parting(&status),
                },
                changed = self.wish.changed() => if changed.is_err() {
                    return Ok(self.leave(line, incoming, Ending::Stopped).await);
                },
                Some(report) = self.reports.recv(), if self.welcomed => {
                    self.tell(line, report).await;
                }
                _ = ticks.tick(), if self.welcomed => {
                    let progress = self.desk.progress();
                    if !progress.jobs.is_empty() {
                        line.say(Say::Progress(progress)).await;
                    }
                }
            }
        }
    }

    fn hello(&self) -> v1::Hello {
        v1::Hello {
            protocol: PROTOCOL,
            version: concat!("gridproof-worker ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: self.settings.name.clone(),
            instance: self.settings.instance,
            slots: wanted_slots(self.settings, *self.wish.borrow()).into(),
            engines: vec!["gridproof".to_owned()],
            leaves_in_seconds: 0,
            held: self.desk.brought_along(),
        }
    }

    /// Answers that came while nobody was connected: the hello must tell of them as held.
    fn take_in_what_waits(&mut self) {
        while let Ok(report) = self.reports.try_recv() {
            // Findings of that time are lost; the job's end names the same moves.
            if let Report::Done(done) = report {
                self.desk.finish(done, MESSAGE_LIMIT);
            }
        }
    }

    /// Takes in what the coordinator says; gives the time between signs of life if that
    /// is what it was about.
    async fn hear(&mut self, line: &mut Line, message: v1::CoordinatorMessage) -> Option<Duration> {
        match message.message? {
            Said::Welcome(welcome) => {
                info!(
                    "welcomed by {}, connection {}",
                    welcome.version, welcome.generation
                );
                self.welcomed = true;
                if let Ok(limit @ 1..) = usize::try_from(welcome.message_limit) {
                    line.limit = limit.min(MESSAGE_LIMIT);
                }
                let seconds = welcome.progress_seconds.clamp(1, 60);
                return Some(Duration::from_secs(seconds.into()));
            }
            Said::Push(push) => {
                debug!(lease = push.lease, "job begun");
                if let Some(done) = self.desk.begin(&push) {
                    line.say(Say::Done(done)).await;
                }
            }
            Said::Abort(abort) => {
                debug!(lease = abort.lease, reason = abort.reason, "job dropped");
                self.desk.drop_job(abort.lease);
            }
            Said::Keep(keep) => {
                if let Some(done) = self.desk.answer(keep.lease) {
                    line.say(Say::Done(done)).await;
                }
            }
            Said::Accepted(accepted) => self.desk.accepted(accepted.lease),
            Said::Idle(_) => debug!("no work at the moment"),
        }
        None
    }

    async fn tell(&mut self, line: &Line, report: Report) {
        match report {
            Report::Finding(finding) if self.desk.holds(finding.lease) => {
                line.say(Say::Finding(finding)).await;
            }
            Report::Done(done) => {
                if let Some(done) = self.desk.finish(done, line.limit) {
                    line.say(Say::Done(done)).await;
                }
            }
            Report::Finding(_) | Report::Dropped => {}
        }
    }

    /// Does what the owner wants; tells if that is to leave.
    async fn follow_wish(&mut self, line: &Line) -> Option<Ending> {
        let wish = *self.wish.borrow_and_update();
        self.desk.pause(wish == Wish::Pause);
        let slots = wanted_slots(self.settings, wish);
        if self
            .said_slots
            .replace(slots)
            .is_some_and(|before| before != slots)
        {
            let slots = v1::Slots {
                slots: slots.into(),
            };
            line.say(Say::Slots(slots)).await;
        }
        match wish {
            Wish::Stop => Some(Ending::Stopped),
            Wish::Finish if self.desk.is_empty() => Some(Ending::Finished),
            Wish::Finish | Wish::Work | Wish::Pause => None,
        }
    }

    /// Says goodbye, and waits a moment for the coordinator to hang up: only then has it
    /// been heard.
    async fn leave(
        &mut self,
        line: &mut Line,
        incoming: &mut Streaming<v1::CoordinatorMessage>,
        ending: Ending,
    ) -> Parting {
        self.desk.drop_all();
        let reason = match ending {
            Ending::Finished => "all jobs finished",
            Ending::Stopped => "stopped by its owner",
        };
        let goodbye = v1::Goodbye {
            reason: reason.to_owned(),
        };
        let farewell = async {
            line.say(Say::Goodbye(goodbye)).await;
            while let Ok(Some(_)) = incoming.message().await {}
        };
        if tokio::time::timeout(FAREWELL, farewell).await.is_err() {
            debug!("the coordinator did not answer the goodbye");
        }
        info!("left: {reason}, {} jobs in all", self.desk.finished);
        Parting::Left(ending)
    }
}

fn wanted_slots(settings: &Settings, wish: Wish) -> u16 {
    match wish {
        Wish::Work => settings.slots.get(),
        Wish::Pause | Wish::Finish | Wish::Stop => 0,
    }
}

/// What a refusal means: some are for good.
fn parting(status: &Status) -> Result<Parting, WorkError> {
    let words = status.message().to_owned();
    match status.code() {
        Code::FailedPrecondition => Err(WorkError::Version(words)),
        Code::Unauthenticated => Err(WorkError::Unauthenticated(words)),
        Code::PermissionDenied => Err(WorkError::CutOff(words)),
        Code::InvalidArgument => Err(WorkError::Refused(words)),
        _ => Ok(Parting::Lost(with_causes(status))),
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    std::iter::once(error.to_string())
        .chain(causes.map(ToString::to_string))
        .collect::<Vec<_>>()
        .join(": ")
}
