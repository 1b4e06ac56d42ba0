//! The wire's messages, to and from our own types. No other module knows them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use gridproof_certificate::{FormatError, read_proof};
use gridproof_engine::{Goal, Status as Opinion, Suggestion};
use gridproof_game::{Move, Position, Rules};
use gridproof_host::Credentials;
use gridproof_proto::v1::coordinator_message::Message as Incoming;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Outgoing;
use gridproof_proto::{MESSAGE_LIMIT, MOST_ANSWERS, PROTOCOL, WireError, colour_from_wire, v1};
use gridproof_solver::ProvedReply;
use jiff::Timestamp;
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

use crate::job::{CertifiedReply, Job, JobKind, JobResult, JobSpec, LeaseId, ReplyLimits};
use crate::settings::Settings;

/// What the coordinator calls a job. Handed back as it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobName(v1::JobName);

/// What a worker offers: so many jobs at a time, for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) slots: u16,
    pub(crate) until: Option<Timestamp>,
}

impl Offer {
    fn leaves_in_seconds(self) -> u64 {
        self.until.map_or(0, |until| {
            let left = until.duration_since(Timestamp::now()).as_secs();
            // 0 would mean that it is not known.
            u64::try_from(left).unwrap_or(0).max(1)
        })
    }
}

/// What the coordinator says.
#[derive(Debug)]
pub(crate) enum Instruction {
    Welcome(Welcome),
    Begin(Box<Job>),
    /// A job that this worker cannot do.
    Reject(LeaseId, JobError),
    Cancel {
        lease: LeaseId,
        reason: String,
    },
    /// Go on with a job from before, or deliver its result again.
    Keep(LeaseId),
    /// A result is safely stored.
    Accepted(LeaseId),
    Idle,
}

/// The coordinator lets us in.
#[derive(Debug)]
pub(crate) struct Welcome {
    pub(crate) version: String,
    pub(crate) generation: u32,
    /// The longest time between two signs of life.
    pub(crate) progress_interval: Duration,
    /// Of the largest message that the coordinator takes.
    pub(crate) message_limit: usize,
}

/// The receiving side of a stream.
#[derive(Debug)]
pub(crate) struct Inbox(Streaming<v1::CoordinatorMessage>);

/// The sending side. A stream that is gone is told by the receiving side.
#[derive(Debug)]
pub(crate) struct Outbox {
    out: mpsc::Sender<v1::WorkerMessage>,
    message_limit: usize,
}

/// Opens a stream and says hello.
pub(crate) async fn attach(
    channel: Channel,
    settings: &Settings,
    offer: Offer,
    held: impl Iterator<Item = &Job>,
) -> Result<(Outbox, Inbox), Status> {
    let hello = v1::Hello {
        protocol: PROTOCOL,
        version: concat!("gridproof-worker ", env!("CARGO_PKG_VERSION")).to_owned(),
        name: settings.name.clone(),
        instance: settings.instance,
        slots: offer.slots.into(),
        engines: vec!["gridproof".to_owned()],
        leaves_in_seconds: offer.leaves_in_seconds(),
        held: held
            .map(|job| v1::Held {
                lease: job.lease.0,
                job: Some(job.name.0),
            })
            .collect(),
    };
    let credentials: Credentials = settings.credentials.clone();
    let mut client = WorkClient::with_interceptor(channel, credentials)
        .max_decoding_message_size(MESSAGE_LIMIT)
        .max_encoding_message_size(MESSAGE_LIMIT);
    let (out, messages) = mpsc::channel(256);
    let outbox = Outbox {
        out,
        message_limit: MESSAGE_LIMIT,
    };
    outbox.send(Outgoing::Hello(hello)).await;
    let request = Request::new(ReceiverStream::new(messages));
    let response = client.attach(request).await?;
    Ok((outbox, Inbox(response.into_inner())))
}

impl Inbox {
    /// `None` at the end. Messages that this version does not know are left out.
    pub(crate) async fn next(&mut self) -> Result<Option<Instruction>, Status> {
        while let Some(message) = self.0.message().await? {
            if let Some(message) = message.message {
                return Ok(Some(instruction(message)));
            }
        }
        Ok(None)
    }
}

fn instruction(message: Incoming) -> Instruction {
    match message {
        Incoming::Welcome(welcome) => Instruction::Welcome(Welcome {
            version: welcome.version,
            generation: welcome.generation,
            progress_interval: Duration::from_secs(welcome.progress_seconds.clamp(1, 60).into()),
            message_limit: match usize::try_from(welcome.message_limit) {
                Ok(limit @ 1..) => limit.min(MESSAGE_LIMIT),
                _ => MESSAGE_LIMIT,
            },
        }),
        Incoming::Push(push) => match job(&push) {
            Ok(job) => Instruction::Begin(Box::new(job)),
            Err(error) => Instruction::Reject(LeaseId(push.lease), error),
        },
        Incoming::Abort(abort) => Instruction::Cancel {
            lease: LeaseId(abort.lease),
            reason: abort.reason,
        },
        Incoming::Keep(keep) => Instruction::Keep(LeaseId(keep.lease)),
        Incoming::Accepted(accepted) => Instruction::Accepted(LeaseId(accepted.lease)),
        Incoming::Idle(_) => Instruction::Idle,
    }
}

/// Why a pushed job cannot be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("the kind of job is unknown to this worker: update it")]
    Kind,
    #[error("the goal does not fit the kind of job")]
    Goal,
    #[error("the attacker is not the side that this kind of job is for")]
    Side,
    #[error("a known answer cannot be read: {0}")]
    Answer(#[from] FormatError),
}

fn job(push: &v1::Push) -> Result<Job, JobError> {
    let name = push.job.ok_or(WireError::Missing("job"))?;
    let position = push.position.as_ref();
    let position = Position::try_from(position.ok_or(WireError::Missing("position"))?)?;
    let attacker = colour_from_wire(push.attacker)?.ok_or(WireError::Missing("attacker"))?;
    let rules = *position.rules();
    let known = push.known.iter().map(|mv| mv.read(&rules));
    let known = known.collect::<Result<Vec<_>, _>>()?;
    let goal = push.goal.ok_or(WireError::Missing("goal"))?;
    let (kind, to_move) = match (name.kind(), goal) {
        (v1::JobKind::Engine, v1::push::Goal::FindWin(_)) => {
            let goal = Goal::Win;
            (JobKind::Engine { known, goal }, attacker)
        }
        (v1::JobKind::Engine, v1::push::Goal::FindMoves(_)) => {
            let goal = Goal::Moves;
            (JobKind::Engine { known, goal }, attacker)
        }
        (v1::JobKind::Verifier, v1::push::Goal::FindReplies(limits)) => {
            let proved = push
                .answers
                .iter()
                .map(|answer| known_reply(answer, &rules));
            let proved = proved.collect::<Result<_, _>>()?;
            let kind = JobKind::Verifier {
                proved,
                open: known,
                limits: ReplyLimits {
                    nodes_per_reply: limits.nodes_per_reply,
                    times_per_null: limits.times_per_null,
                    most_open: limits.most_open as usize,
                },
            };
            (kind, attacker.other())
        }
        (v1::JobKind::Unspecified, _) => return Err(JobError::Kind),
        (v1::JobKind::Engine | v1::JobKind::Verifier, _) => return Err(JobError::Goal),
    };
    if position.to_move() != to_move {
        return Err(JobError::Side);
    }
    let spec = JobSpec {
        position,
        kind,
        budget: push.budget,
    };
    Ok(Job::new(LeaseId(push.lease), JobName(name), spec))
}

fn known_reply(answer: &v1::Answer, rules: &Rules) -> Result<ProvedReply, JobError> {
    let mv = answer.r#move.as_ref().ok_or(WireError::Missing("move"))?;
    let (proof, _) = read_proof(io::Cursor::new(&answer.certificate))?;
    Ok(ProvedReply {
        mv: mv.read(rules)?,
        proof: Arc::new(proof),
    })
}

impl Outbox {
    /// The coordinator takes no larger messages than this.
    pub(crate) fn limit(&mut self, message_limit: usize) {
        self.message_limit = message_limit;
    }

    pub(crate) async fn progress(&self, running: impl Iterator<Item = &Job>) {
        let jobs = running.map(|job| v1::JobProgress {
            lease: job.lease.0,
            spent: job.spent(),
        });
        let jobs: Vec<_> = jobs.collect();
        if !jobs.is_empty() {
            self.send(Outgoing::Progress(v1::Progress { jobs })).await;
        }
    }

    /// A reply that may hold, before the job has ended.
    pub(crate) async fn open_reply(&self, job: &Job, reply: &Move) {
        let rules = job.spec.position.rules();
        self.send(Outgoing::Finding(v1::Finding {
            lease: job.lease.0,
            open: Some(v1::Move::of(rules, reply)),
        }))
        .await;
    }

    pub(crate) async fn result(&self, job: &Job, result: &JobResult) {
        let done = v1::Done {
            lease: job.lease.0,
            spent: job.spent(),
            outcome: Some(outcome(&job.spec.position, result)),
        };
        self.send(Outgoing::Done(within(self.message_limit, done)))
            .await;
    }

    /// The answer to a job that was not begun.
    pub(crate) async fn reject(&self, lease: LeaseId, error: &JobError) {
        self.send(Outgoing::Done(v1::Done {
            lease: lease.0,
            spent: 0,
            outcome: Some(broken(error.to_string())),
        }))
        .await;
    }

    /// Somebody else is to do a job that was begun.
    pub(crate) async fn hand_back(&self, job: &Job, reason: &str) {
        let reason = reason.to_owned();
        self.send(Outgoing::Done(v1::Done {
            lease: job.lease.0,
            spent: job.spent(),
            outcome: Some(Outcome::HandedBack(v1::HandedBack { reason })),
        }))
        .await;
    }

    pub(crate) async fn offer(&self, offer: Offer) {
        self.send(Outgoing::Slots(v1::Slots {
            slots: offer.slots.into(),
            leaves_in_seconds: offer.leaves_in_seconds(),
        }))
        .await;
    }

    pub(crate) async fn goodbye(&self, reason: String) {
        self.send(Outgoing::Goodbye(v1::Goodbye { reason })).await;
    }

    async fn send(&self, message: Outgoing) {
        let message = Some(message);
        // Nobody listens on a stream that is gone.
        let _ = self.out.send(v1::WorkerMessage { message }).await;
    }
}

fn outcome(position: &Position, result: &JobResult) -> Outcome {
    let rules = position.rules();
    match result {
        JobResult::Won { certificate } => Outcome::Won(v1::Won {
            certificate: certificate.clone().into(),
        }),
        JobResult::Moves(moves) => {
            let suggestion = |Suggestion { mv, status }: &Suggestion| v1::Suggestion {
                r#move: Some(v1::Move::of(rules, mv)),
                status: status_to_wire(*status).into(),
            };
            let moves = moves.iter().map(suggestion).collect();
            Outcome::Suggestions(v1::Suggestions { moves })
        }
        JobResult::NoMove => Outcome::NoMove(v1::NoMove {}),
        JobResult::OpenReplies {
            open,
            proved,
            complete,
        } => {
            let answer = |CertifiedReply { mv, certificate }: &CertifiedReply| v1::Answer {
                r#move: Some(v1::Move::of(rules, mv)),
                certificate: certificate.clone().into(),
            };
            Outcome::Open(v1::Open {
                moves: open.iter().map(|mv| v1::Move::of(rules, mv)).collect(),
                answers: proved.iter().map(answer).collect(),
                cut_short: !complete,
            })
        }
        JobResult::Refuted => Outcome::Refuted(v1::Refuted {}),
        JobResult::Unknown => Outcome::Unknown(v1::Unknown {}),
        JobResult::Failed { reason } => broken(reason.clone()),
    }
}

fn broken(reason: String) -> Outcome {
    Outcome::Broken(v1::Broken { reason })
}

/// Cuts a result to what the coordinator takes: proofs of single replies can be left out,
/// they will be found again; that of the whole cannot.
fn within(limit: usize, mut done: v1::Done) -> v1::Done {
    // The message around it takes a little, too.
    let limit = limit.saturating_sub(1024);
    if let Some(Outcome::Open(open)) = &mut done.outcome {
        let mut left = limit / 2;
        open.answers.truncate(MOST_ANSWERS);
        open.answers.retain(|answer| {
            let fits = answer.encoded_len() + 8 <= left;
            left -= if fits { answer.encoded_len() + 8 } else { 0 };
            fits
        });
    }
    if done.encoded_len() > limit {
        let reason = format!("the answer is larger than the {limit} bytes that may be sent");
        done.outcome = Some(broken(reason));
    }
    done
}

/// The engine moved for the attacker, so its opinion is the attacker's.
const fn status_to_wire(status: Opinion) -> v1::Status {
    match status {
        Opinion::AlmostWon => v1::Status::AlmostWon,
        Opinion::Strong3 => v1::Status::Strong3,
        Opinion::Strong2 => v1::Status::Strong2,
        Opinion::Strong1 => v1::Status::Strong1,
        Opinion::Quiet => v1::Status::Quiet,
        Opinion::Unclear => v1::Status::Unclear,
        Opinion::AlmostLost => v1::Status::AlmostLost,
    }
}
