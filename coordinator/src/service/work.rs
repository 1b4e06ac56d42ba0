//! The workers' service: one task a stream.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gridproof_proto::v1::coordinator_message::Message as Say;
use gridproof_proto::v1::work_server::Work;
use gridproof_proto::v1::worker_message::Message as Said;
use gridproof_proto::{PROTOCOL, WireError, v1};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::debug;

use super::convert::{job_name_from_wire, job_name_to_wire};
use super::pace::Pace;
use super::server::ServiceOptions;
use crate::core::{LeaseId, Running};
use crate::security::Holder;
use crate::shell::{
    Assigned, Closing, ConnectionId, Join, JoinRefusal, Outgoing, Push, Refused, Shell, believable,
    check_done,
};

type Out = mpsc::Sender<Result<v1::CoordinatorMessage, Status>>;

/// Accepts workers' streams.
#[derive(Clone, Debug)]
pub(super) struct WorkService {
    pub(super) shell: Shell,
    pub(super) options: Arc<ServiceOptions>,
    /// Checks of certificates that run at the same time.
    pub(super) checkers: Arc<Semaphore>,
}

/// A stranger that says nothing is not waited for.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Of known answers sent along with a job.
const ANSWERS_LIMIT: usize = 8 << 20;
const LONGEST_NAME: usize = 64;

#[tonic::async_trait]
impl Work for WorkService {
    type AttachStream = ReceiverStream<Result<v1::CoordinatorMessage, Status>>;

    async fn attach(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let holder = request.extensions().get::<Holder>().cloned();
        let holder = holder.unwrap_or(Holder::Anyone);
        let incoming = request.into_inner();
        let (out, outgoing) = mpsc::channel(16);
        let service = self.clone();
        tokio::spawn(async move {
            if let Err(status) = service.talk(holder, incoming, &out).await {
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
        holder: Holder,
        mut incoming: Streaming<v1::WorkerMessage>,
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
        let join = read_hello(hello, &holder, outbox)?;
        let joined = self.shell.join(join).await.map_err(gone)?;
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
        let shell = self.shell.clone();
        let stream = Stream {
            service: self,
            connection: joined.connection,
            jobs: HashMap::new(),
            pace: Pace::new(Instant::now()),
            out,
        };
        let (ended, status) = match stream.serve(incoming, orders).await {
            Ended::Closed(status) => return Err(status),
            Ended::Hung => return Ok(()),
            Ended::Lost(words) => (words, None),
            Ended::Nonsense(error) => {
                let words = error.to_string();
                (words.clone(), Some(Status::invalid_argument(words)))
            }
        };
        let _ = shell.lost(joined.connection, ended).await;
        status.map_or(Ok(()), Err)
    }
}

fn read_hello(
    hello: v1::Hello,
    holder: &Holder,
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
    if let Holder::Known { name, .. } = holder
        && name.to_string() != hello.name
    {
        return Err(Status::permission_denied(
            "the token is another worker's: use the name that it was made for",
        ));
    }
    let held = hello.held.into_iter().map(|held| {
        let job = held.job.ok_or(WireError::Missing("job"))?;
        Ok(Running {
            lease: LeaseId::from_bits(held.lease),
            job: job_name_from_wire(job)?,
        })
    });
    let held: Result<Vec<_>, WireError> = held.collect();
    Ok(Join {
        name: hello.name,
        instance: hello.instance,
        version: hello.version.chars().take(100).collect(),
        slots: u16::try_from(hello.slots).unwrap_or(u16::MAX),
        leaves_in: (hello.leaves_in_seconds > 0)
            .then(|| Duration::from_secs(hello.leaves_in_seconds)),
        token: match holder {
            Holder::Known { id, .. } => Some(*id),
            Holder::Anyone => None,
        },
        held: held.map_err(|error| Status::invalid_argument(error.to_string()))?,
        outbox,
    })
}

/// A stream whose worker is in.
struct Stream<'a> {
    service: WorkService,
    connection: ConnectionId,
    jobs: HashMap<LeaseId, Arc<Assigned>>,
    pace: Pace,
    out: &'a Out,
}

enum Ended {
    /// By the shell, which knows.
    Closed(Status),
    /// By the shell after a goodbye: the stream just ends.
    Hung,
    Lost(String),
    /// The worker said what makes no sense.
    Nonsense(WireError),
}

impl Stream<'_> {
    async fn serve(
        mut self,
        mut incoming: Streaming<v1::WorkerMessage>,
        mut orders: mpsc::UnboundedReceiver<Outgoing>,
    ) -> Ended {
        loop {
            let may_read = self.pace.next();
            let is_too_fast = may_read > Instant::now();
            // Orders first: among them are aborts, and what they stop is wasted work.
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some(order) => if let Some(ended) = self.pass_on(order).await {
                        return ended;
                    },
                    None => return Ended::Closed(going_down()),
                },
                () = tokio::time::sleep_until(may_read), if is_too_fast => {}
                message = incoming.message(), if !is_too_fast => match message {
                    Ok(Some(message)) => {
                        self.pace.count(Instant::now());
                        let Some(message) = message.message else {
                            // A newer worker's message that we do not know.
                            continue;
                        };
                        if let Err(error) = self.hear(message).await {
                            return Ended::Nonsense(error);
                        }
                    }
                    Ok(None) => return Ended::Lost("it hung up without a goodbye".to_owned()),
                    Err(status) => return Ended::Lost(status.message().to_owned()),
                },
            }
        }
    }

    async fn pass_on(&mut self, order: Outgoing) -> Option<Ended> {
        let message = match order {
            Outgoing::Push(push) => {
                let message = self.push(&push).await;
                self.jobs.insert(push.assigned.lease, push.assigned);
                Say::Push(message)
            }
            Outgoing::Keep(assigned) => {
                let lease = assigned.lease.to_bits();
                self.jobs.insert(assigned.lease, assigned);
                Say::Keep(v1::Keep { lease })
            }
            Outgoing::Abort { lease, reason } => {
                self.jobs.remove(&lease);
                Say::Abort(v1::Abort {
                    lease: lease.to_bits(),
                    reason: reason.name().to_owned(),
                })
            }
            Outgoing::Accepted { lease } => Say::Accepted(v1::Accepted {
                lease: lease.to_bits(),
            }),
            Outgoing::Idle => Say::Idle(v1::Idle {}),
            Outgoing::Close(closing) => {
                return Some(match closing {
                    Closing::Goodbye => Ended::Hung,
                    Closing::CutOff(words) => Ended::Closed(Status::permission_denied(words)),
                    Closing::Replaced => Ended::Closed(Status::aborted(
                        "the same worker has come back over another stream",
                    )),
                    Closing::GoingDown => Ended::Closed(going_down()),
                });
            }
        };
        say(self.out, message).await;
        None
    }

    async fn push(&self, push: &Push) -> v1::Push {
        let assigned = &push.assigned;
        let rules = *assigned.position.rules();
        let known = push.known.iter().map(|mv| v1::Move::of(&rules, mv));
        v1::Push {
            lease: assigned.lease.to_bits(),
            job: Some(job_name_to_wire(assigned.name)),
            position: Some((&assigned.position).into()),
            attacker: gridproof_proto::colour_to_wire(assigned.attacker).into(),
            budget: push.budget,
            level: push.level.0.into(),
            known: known.collect(),
            answers: self.answers(push).await,
        }
    }

    /// Reads the certificates of known answers, as many as fit.
    async fn answers(&self, push: &Push) -> Vec<v1::Answer> {
        if push.answers.is_empty() {
            return Vec::new();
        }
        let proofs = Arc::clone(self.service.shell.proofs());
        let rules = *push.assigned.position.rules();
        let wanted = push.answers.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut left = ANSWERS_LIMIT;
            let answers = wanted.into_iter().map_while(|(mv, hash)| {
                // Without it the worker searches that reply again: no harm done.
                let certificate = proofs.certificate(hash).ok()?;
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

    async fn hear(&mut self, message: Said) -> Result<(), WireError> {
        let shell = &self.service.shell;
        let connection = self.connection;
        // If the shell is gone, the orders' channel is closed, and the stream ends by that.
        match message {
            Said::Hello(_) => return Err(WireError::Missing("anything but a second hello")),
            Said::Progress(progress) => {
                for job in progress.jobs {
                    let lease = LeaseId::from_bits(job.lease);
                    if let Some(known) = self.jobs.get(&lease) {
                        let key = known.name.key;
                        let spent = believable(job.spent);
                        let _ = shell.progress(connection, lease, key, spent).await;
                    }
                }
            }
            Said::Finding(finding) => {
                let lease = LeaseId::from_bits(finding.lease);
                if let Some(known) = self.jobs.get(&lease) {
                    let open = finding.open.ok_or(WireError::Missing("open"))?;
                    let open = open.read(known.position.rules())?;
                    let _ = shell.finding(connection, lease, known.name.key, open).await;
                }
            }
            Said::Done(done) => self.done(done),
            Said::Slots(slots) => {
                let slots = u16::try_from(slots.slots).unwrap_or(u16::MAX);
                let _ = shell.set_slots(connection, slots).await;
            }
            Said::Goodbye(goodbye) => {
                let words = goodbye.reason.chars().take(200).collect();
                let _ = shell.goodbye(connection, words).await;
            }
        }
        Ok(())
    }

    /// Has a job's end checked on another thread, so that this stream's aborts need not wait.
    fn done(&mut self, done: v1::Done) {
        let lease = LeaseId::from_bits(done.lease);
        // Aborted, or said twice: nobody waits for it.
        let Some(job) = self.jobs.remove(&lease) else {
            debug!("a done for {lease}, which is not this worker's");
            return;
        };
        let (shell, connection) = (self.service.shell.clone(), self.connection);
        let checkers = Arc::clone(&self.service.checkers);
        tokio::spawn(async move {
            let Ok(_permit) = checkers.acquire().await else {
                return;
            };
            let name = job.name;
            let said = done.clone();
            let checked = if is_quick(&done) {
                Ok(check_done(&job, done))
            } else {
                tokio::task::spawn_blocking(move || check_done(&job, done)).await
            };
            let words = match checked {
                Ok(Ok(done)) => {
                    let _ = shell.done(connection, lease, name.key, done).await;
                    return;
                }
                Ok(Err(rejection)) => rejection.to_string(),
                Err(_) => "its certificate broke the checker".to_owned(),
            };
            let refused = Refused {
                job: name,
                outcome: said.outcome,
                spent: believable(said.spent),
                words,
            };
            let _ = shell.refused(connection, lease, refused).await;
        });
    }
}

/// Whether there is nothing in it whose check takes time.
fn is_quick(done: &v1::Done) -> bool {
    use v1::done::Outcome as O;
    match &done.outcome {
        Some(O::Won(_) | O::Refuted(_)) => false,
        Some(O::Open(open)) => open.answers.is_empty(),
        _ => true,
    }
}

async fn say(out: &Out, message: Say) {
    let message = v1::CoordinatorMessage {
        message: Some(message),
    };
    // A stream that is gone tells so on its other side.
    let _ = out.send(Ok(message)).await;
}

fn gone(error: crate::shell::ShellGone) -> Status {
    Status::unavailable(error.to_string())
}

fn going_down() -> Status {
    Status::unavailable("the coordinator is going down: come back later")
}
