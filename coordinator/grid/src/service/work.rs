//! The workers' service: one task a stream.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridproof_proto::v1::coordinator_message::Message as Say;
use gridproof_proto::v1::work_server::Work;
use gridproof_proto::v1::worker_message::Message as Said;
use gridproof_proto::{PROTOCOL, WireError, v1};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};
use tracing::debug;

use super::arrivals::{Arrivals, TooOften};
use super::checkers::{Checkers, Unbelieved};
use super::convert::{
    LONGEST_REASON, MOST_OPEN, claim_from_wire, goal_to_wire, job_id_from_wire, job_id_to_wire,
    stranger_words,
};
use super::freight::{Freight, Load, Share};
use super::pace::Pace;
use super::server::ServiceOptions;
use crate::book::BookClaim;
use crate::coordinator::{
    AssignedJob, Checks, Claim, ConnectionId, Coordinator, CoordinatorGone, JobAssignment, Join,
    JoinRefusal, Outgoing, Refused, StreamEnd, believable, check_book_win,
};
use crate::security::Principal;
use gridproof_search::{Departure, HeldJob, LeaseId};

type Out = mpsc::Sender<Result<v1::CoordinatorMessage, Status>>;

/// Accepts workers' streams.
#[derive(Clone, Debug)]
pub(super) struct WorkService {
    pub(super) coordinator: Coordinator,
    pub(super) options: Arc<ServiceOptions>,
    pub(super) checkers: Arc<Checkers>,
    pub(super) arrivals: Arrivals,
}

/// A stranger that says nothing is not waited for.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Of known answers sent along with a job.
const ANSWERS_LIMIT: usize = 8 << 20;
const LONGEST_NAME: usize = 64;
const LONGEST_VERSION: usize = 100;
/// Jobs that a worker may have at a time: more than any machine has cores.
const MOST_SLOTS: u16 = 1024;
/// Jobs that it may bring along: those that run, and as many that are done.
const MOST_HELD: usize = 2 * MOST_SLOTS as usize;
/// Replies that a job may tell as open before its end.
const MOST_FINDINGS: u32 = MOST_OPEN as u32;

#[tonic::async_trait]
impl Work for WorkService {
    type AttachStream = ReceiverStream<Result<v1::CoordinatorMessage, Status>>;

    async fn attach(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let principal = request.extensions().get::<Principal>().cloned();
        let principal = principal.unwrap_or(Principal::Anonymous);
        let share = request.extensions().get::<Arc<Share>>().cloned();
        let share = share.unwrap_or_else(|| Freight::default().share());
        let incoming = request.into_inner();
        let (out, outgoing) = mpsc::channel(16);
        let service = self.clone();
        tokio::spawn(async move {
            if let Err(status) = service.talk(principal, incoming, share, &out).await {
                // If nobody hears it, the stream is gone, and that is all the same.
                let _ = out.send(Err(status)).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(outgoing)))
    }
}

impl WorkService {
    /// Lets a worker in and serves its stream. An error is what the worker is told.
    async fn talk(
        self,
        principal: Principal,
        mut incoming: Streaming<v1::WorkerMessage>,
        share: Arc<Share>,
        out: &Out,
    ) -> Result<(), Status> {
        let first = tokio::time::timeout(HELLO_WITHIN, incoming.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no hello came"))??;
        let Some(Said::Hello(hello)) = first.and_then(|message| message.message) else {
            return Err(Status::invalid_argument(
                "the first message must be a hello",
            ));
        };
        let (outbox, orders) = mpsc::unbounded_channel();
        let join = read_hello(hello, &principal, outbox)?;
        drop(share.take_up());
        let when = self.arrivals.when(&join.name, Instant::now());
        let when = when.map_err(|TooOften| {
            Status::resource_exhausted("this worker comes too often: try again in ten seconds")
        })?;
        tokio::time::sleep_until(when).await;
        let joined = self.coordinator.join(join).await.map_err(gone)?;
        let joined = joined.map_err(|refusal| match refusal {
            JoinRefusal::NameInUse(_) => Status::already_exists(refusal.to_string()),
            JoinRefusal::CutOff(_) => Status::permission_denied(refusal.to_string()),
        })?;
        let welcome = v1::Welcome {
            protocol: PROTOCOL,
            version: concat!("gridproof ", env!("CARGO_PKG_VERSION")).to_owned(),
            generation: joined.generation.0,
            progress_seconds: self.options.progress_seconds,
            message_limit: self.options.message_limit as u64,
        };
        say(out, Say::Welcome(welcome)).await;
        let coordinator = self.coordinator.clone();
        let stream = Stream {
            service: self,
            connection: joined.connection,
            jobs: HashMap::new(),
            checks: Arc::new(Semaphore::new(1)),
            has_ended: Arc::default(),
            pace: Pace::new(Instant::now()),
            share,
            out,
        };
        let status = match stream.serve(incoming, orders).await {
            Ok(StreamEnd::Departed(Departure::Lost, words)) => {
                let _ = coordinator.lost(joined.connection, words).await;
                return Ok(());
            }
            // The coordinator has ended it, and knows.
            Ok(StreamEnd::Departed(Departure::Goodbye, _)) => return Ok(()),
            Ok(end @ (StreamEnd::Departed(Departure::Banned, _) | StreamEnd::Revoked)) => {
                Status::permission_denied(end.to_string())
            }
            Ok(end @ StreamEnd::Replaced) => Status::aborted(end.to_string()),
            Ok(end @ StreamEnd::GoingDown) => Status::unavailable(end.to_string()),
            Err(status) => {
                let words = status.message().to_owned();
                let _ = coordinator.lost(joined.connection, words).await;
                status
            }
        };
        Err(status)
    }
}

fn read_hello(
    hello: v1::Hello,
    principal: &Principal,
    outbox: mpsc::UnboundedSender<Outgoing>,
) -> Result<Join, Status> {
    if hello.protocol != PROTOCOL {
        return Err(Status::failed_precondition(format!(
            "this coordinator, gridproof {}, speaks protocol {PROTOCOL}, and the worker {}: \
             install gridproof-worker {0}",
            env!("CARGO_PKG_VERSION"),
            hello.protocol,
        )));
    }
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "._-@".contains(c);
    let length_is_fine = (1..=LONGEST_NAME).contains(&hello.name.len());
    if !length_is_fine || !hello.name.chars().all(is_fine) {
        return Err(Status::invalid_argument(
            "a worker's name has 1 to 64 letters, digits or any of . _ - @",
        ));
    }
    if let Principal::Token { name, .. } = principal
        && name.to_string() != hello.name
    {
        return Err(Status::permission_denied(
            "the token is another worker's: use the name that it was made for",
        ));
    }
    if hello.held.len() > MOST_HELD {
        return Err(Status::invalid_argument(format!(
            "a worker brings {MOST_HELD} jobs along at most"
        )));
    }
    let held = hello.held.into_iter().map(|held| {
        let job = held.job.ok_or(WireError::Missing("job"))?;
        Ok(HeldJob {
            lease: LeaseId::from_bits(held.lease),
            job: job_id_from_wire(job)?,
        })
    });
    let held: Result<Vec<_>, WireError> = held.collect();
    Ok(Join {
        name: hello.name,
        instance: hello.instance,
        version: stranger_words(&hello.version, LONGEST_VERSION),
        slots: slots_of(hello.slots),
        leaves_in: leaves_in(hello.leaves_in_seconds),
        token: match principal {
            Principal::Token { id, .. } => Some(*id),
            Principal::Anonymous => None,
        },
        held: held.map_err(|error| Status::invalid_argument(error.to_string()))?,
        outbox,
    })
}

fn slots_of(slots: u32) -> u16 {
    u16::try_from(slots).unwrap_or(MOST_SLOTS).min(MOST_SLOTS)
}

/// 0 where the worker does not know.
fn leaves_in(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// A stream whose worker is in.
struct Stream<'a> {
    service: WorkService,
    connection: ConnectionId,
    jobs: HashMap<LeaseId, StreamJob>,
    /// This worker's own turn to check.
    checks: Arc<Semaphore>,
    /// What it has sent and is not dealt with.
    share: Arc<Share>,
    /// Ends its checks with it.
    has_ended: Arc<AtomicBool>,
    pace: Pace,
    out: &'a Out,
}

/// A job that the worker has.
struct StreamJob {
    assigned: Arc<AssignedJob>,
    /// Open replies that it told of.
    findings: u32,
}

impl From<Arc<AssignedJob>> for StreamJob {
    fn from(assigned: Arc<AssignedJob>) -> Self {
        Self {
            assigned,
            findings: 0,
        }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

impl Stream<'_> {
    /// Until the stream ends; an error if the worker said what makes no sense, or too much.
    async fn serve(
        mut self,
        mut incoming: Streaming<v1::WorkerMessage>,
        mut orders: mpsc::UnboundedReceiver<Outgoing>,
    ) -> Result<StreamEnd, Status> {
        let share = Arc::clone(&self.share);
        loop {
            let may_read = self.pace.next();
            let is_too_fast = may_read > Instant::now();
            let next = async {
                share.room().await;
                incoming.message().await
            };
            // Orders first: among them are aborts, and what they stop is wasted work.
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some(Outgoing::Close(end)) => return Ok(end),
                    Some(order) => self.pass_on(order).await,
                    None => return Ok(StreamEnd::GoingDown),
                },
                () = share.over() => return Err(Status::resource_exhausted(
                    "all workers together have too much under way: send it again later",
                )),
                () = tokio::time::sleep_until(may_read), if is_too_fast => {}
                message = next, if !is_too_fast => match message {
                    Ok(Some(message)) => {
                        let load = share.take_up();
                        self.pace.count(1, Instant::now());
                        // A newer worker may say what we do not know.
                        if let Some(message) = message.message {
                            let heard = self.hear(message, load).await;
                            heard.map_err(|error| Status::invalid_argument(error.to_string()))?;
                        }
                    }
                    Err(status) if is_about_a_message(&status) => return Err(status),
                    Ok(None) => {
                        return Ok(StreamEnd::Departed(Departure::Lost, "it hung up without a goodbye".to_owned()));
                    }
                    Err(status) => return Ok(StreamEnd::Departed(Departure::Lost, status.message().to_owned())),
                },
            }
        }
    }

    async fn pass_on(&mut self, order: Outgoing) {
        let message = match order {
            Outgoing::Assign(job) => {
                let message = self.push(&job).await;
                self.jobs
                    .insert(job.assigned.lease, Arc::clone(&job.assigned).into());
                match self.book_claim(&job.assigned) {
                    Some(claim) => return self.ask_book(claim, job.assigned, message),
                    None => Say::Push(message),
                }
            }
            Outgoing::Keep(assigned) => {
                let lease = assigned.lease.to_bits();
                self.jobs.insert(assigned.lease, assigned.into());
                Say::Keep(v1::Keep { lease })
            }
            Outgoing::Abort { lease, reason } => {
                self.jobs.remove(&lease);
                Say::Abort(v1::Abort {
                    lease: lease.to_bits(),
                    reason: reason.to_string(),
                })
            }
            Outgoing::Accepted { lease } => Say::Accepted(v1::Accepted {
                lease: lease.to_bits(),
            }),
            Outgoing::Idle => Say::Idle(v1::Idle {}),
            Outgoing::Close(_) => return,
        };
        say(self.out, message).await;
    }

    /// What a book says that the job asks for.
    fn book_claim(&self, job: &AssignedJob) -> Option<BookClaim> {
        let book = self.service.options.book.as_ref()?;
        book.claim(&job.position, job.attacker)
    }

    /// Answers a job from the book, once the certificate is found to hold. The worker hears of
    /// the job only if it does not.
    fn ask_book(&self, claim: BookClaim, job: Arc<AssignedJob>, push: v1::Push) {
        let (coordinator, connection) = (self.service.coordinator.clone(), self.connection);
        let (out, book) = (self.out.clone(), self.service.options.book.clone());
        let checkers = Arc::clone(&self.service.checkers);
        let stop = Arc::clone(&self.has_ended);
        tokio::spawn(async move {
            let _turn = checkers.turn().await;
            let (lease, key) = (job.lease, job.id.key);
            let answer = tokio::task::spawn_blocking(move || {
                let certificate = claim.certificate()?;
                check_book_win(&job, certificate, &stop).ok()
            });
            match answer.await {
                Ok(Some(result)) => {
                    if let Some(book) = book {
                        book.count_answer();
                    }
                    let _ = coordinator.finished(connection, lease, key, result).await;
                }
                _ => say(&out, Say::Push(push)).await,
            }
        });
    }

    async fn push(&self, job: &JobAssignment) -> v1::Push {
        let assigned = &job.assigned;
        let rules = *assigned.position.rules();
        let known = job.known.iter().map(|mv| v1::Move::of(&rules, mv));
        v1::Push {
            lease: assigned.lease.to_bits(),
            job: Some(job_id_to_wire(assigned.id)),
            position: Some((&assigned.position).into()),
            attacker: gridproof_proto::colour_to_wire(assigned.attacker).into(),
            budget: job.budget,
            known: known.collect(),
            answers: self.answers(job).await,
            goal: Some(goal_to_wire(job.goal)),
        }
    }

    /// Reads the certificates of known answers, as many as fit.
    async fn answers(&self, job: &JobAssignment) -> Vec<v1::Answer> {
        if job.answers.is_empty() {
            return Vec::new();
        }
        let certificates = Arc::clone(self.service.coordinator.certificates());
        let rules = *job.assigned.position.rules();
        let wanted = job.answers.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut left = ANSWERS_LIMIT;
            let answers = wanted.into_iter().map_while(|(mv, hash)| {
                // Without it the worker searches that reply again: no harm done.
                let certificate = certificates.bytes(hash).ok()?;
                left = left.checked_sub(certificate.len())?;
                Some(v1::Answer {
                    r#move: Some(v1::Move::of(&rules, &mv)),
                    certificate: certificate.into(),
                })
            });
            answers.collect()
        });
        read.await.unwrap_or_default()
    }

    async fn hear(&mut self, message: Said, load: Load) -> Result<(), WireError> {
        let coordinator = &self.service.coordinator;
        let connection = self.connection;
        // If the coordinator is gone, the orders' channel is closed, and the stream ends by that.
        match message {
            Said::Hello(_) => return Err(WireError::Missing("anything but a second hello")),
            Said::Progress(progress) => {
                for job in progress.jobs.into_iter().take(MOST_HELD) {
                    let lease = LeaseId::from_bits(job.lease);
                    if let Some(known) = self.jobs.get(&lease) {
                        let key = known.assigned.id.key;
                        let spent = believable(job.spent);
                        let _ = coordinator.progress(connection, lease, key, spent).await;
                    }
                }
            }
            Said::Finding(finding) => {
                let lease = LeaseId::from_bits(finding.lease);
                if let Some(known) = self.jobs.get_mut(&lease)
                    && known.findings < MOST_FINDINGS
                {
                    known.findings += 1;
                    let job = &known.assigned;
                    let open = finding.open.ok_or(WireError::Missing("open"))?;
                    let open = open.read(job.position.rules())?;
                    let key = job.id.key;
                    let _ = coordinator.finding(connection, lease, key, open).await;
                }
            }
            Said::Done(done) => self.done(done, load),
            Said::Slots(slots) => {
                let leaves_in = leaves_in(slots.leaves_in_seconds);
                let slots = slots_of(slots.slots);
                let _ = coordinator.set_slots(connection, slots, leaves_in).await;
            }
            Said::Goodbye(goodbye) => {
                let words = stranger_words(&goodbye.reason, LONGEST_REASON);
                let _ = coordinator.goodbye(connection, words).await;
            }
        }
        Ok(())
    }

    /// Has a job's end checked on another thread, so that this stream's aborts need not wait.
    fn done(&mut self, done: v1::Done, load: Load) {
        let lease = LeaseId::from_bits(done.lease);
        // Aborted, or said twice: nobody waits for it.
        let Some(StreamJob { assigned: job, .. }) = self.jobs.remove(&lease) else {
            debug!("a done for {lease}, which is not this worker's");
            return;
        };
        let (coordinator, connection) = (self.service.coordinator.clone(), self.connection);
        let checkers = Arc::clone(&self.service.checkers);
        let (turn, has_ended) = (Arc::clone(&self.checks), Arc::clone(&self.has_ended));
        let (id, spent) = (job.id, believable(done.spent));
        let most_open = job.most_open.map_or(MOST_OPEN, |most| most as usize);
        let claim = claim_from_wire(job.position.rules(), done, most_open.min(MOST_OPEN));
        let nodes = claim.as_ref().map_or(0, Claim::new_moves);
        self.pace.count(nodes, Instant::now());
        tokio::spawn(async move {
            // Until all of it is dealt with.
            let _load = load;
            let checks = match claim {
                Err(error) => Err(format!("the message makes no sense: {error}")),
                Ok(claim) => Checks::new(job, claim, spent).map_err(|error| error.to_string()),
            };
            let checked = match checks {
                Err(words) => Err(Unbelieved::because(words)),
                // Nobody waits for other people's checks without need.
                Ok(checks) if checks.next_size().is_none() => Ok(checks.finish()),
                Ok(checks) => {
                    let Ok(_turn) = turn.acquire().await else {
                        return;
                    };
                    checkers.run(checks, &has_ended).await
                }
            };
            if has_ended.load(Ordering::Relaxed) {
                // The worker brings it along when it comes back.
                return;
            }
            // If the coordinator is gone, the stream ends by that.
            match checked {
                Ok(result) => {
                    let _ = coordinator
                        .finished(connection, lease, id.key, result)
                        .await;
                }
                Err(Unbelieved { words, certificate }) => {
                    let refused = Refused {
                        job: id,
                        certificate,
                        spent,
                        words,
                    };
                    let _ = coordinator.refused(connection, lease, refused).await;
                }
            }
        });
    }
}

/// Whether a stream ends because of what came over it.
fn is_about_a_message(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::ResourceExhausted | Code::InvalidArgument | Code::OutOfRange
    )
}

async fn say(out: &Out, message: Say) {
    let message = v1::CoordinatorMessage {
        message: Some(message),
    };
    // A stream that is gone tells so on its other side.
    let _ = out.send(Ok(message)).await;
}

fn gone(error: CoordinatorGone) -> Status {
    Status::unavailable(error.to_string())
}
