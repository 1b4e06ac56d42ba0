//! A worker of the tests' own, which sends what it likes.

use std::time::Duration;

use gridproof_game::{Move, Position};
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{PROTOCOL, v1};
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use crate::Cluster;

/// Nothing that is waited for here takes longer, however slow the machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A stream to the coordinator that a test speaks over by hand.
#[derive(Debug)]
pub struct FakeWorker {
    out: mpsc::Sender<v1::WorkerMessage>,
    incoming: Streaming<v1::CoordinatorMessage>,
}

impl FakeWorker {
    pub async fn connect(cluster: &Cluster) -> Self {
        Self::attach(cluster, tonic::Request::new).await
    }

    async fn attach(
        cluster: &Cluster,
        request: impl FnOnce(
            ReceiverStream<v1::WorkerMessage>,
        ) -> tonic::Request<ReceiverStream<v1::WorkerMessage>>,
    ) -> Self {
        let mut client = WorkClient::new(cluster.channel().await)
            .max_encoding_message_size(64 << 20)
            .max_decoding_message_size(64 << 20);
        let (out, outbox) = mpsc::channel(64);
        let attached = client.attach(request(ReceiverStream::new(outbox))).await;
        let incoming = attached.expect("the coordinator is there").into_inner();
        Self { out, incoming }
    }

    /// One that takes one job at a time.
    pub async fn hello(cluster: &Cluster, name: &str) -> Self {
        Self::with_slots(cluster, name, 1).await
    }

    pub async fn with_slots(cluster: &Cluster, name: &str, slots: u32) -> Self {
        let hello = v1::Hello {
            slots,
            ..Self::usual_hello(name)
        };
        Self::with_hello(cluster, hello).await
    }

    /// What a worker with one slot says first.
    #[must_use]
    pub fn usual_hello(name: &str) -> v1::Hello {
        v1::Hello {
            protocol: PROTOCOL,
            name: name.to_owned(),
            instance: 1,
            slots: 1,
            ..v1::Hello::default()
        }
    }

    /// One that says this first, with the token of its name.
    pub async fn with_hello(cluster: &Cluster, hello: v1::Hello) -> Self {
        let request = |stream| cluster.request(&hello.name, stream);
        let worker = Self::attach(cluster, request).await;
        worker.send(Say::Hello(hello)).await;
        worker
    }

    pub async fn send(&self, message: Say) {
        let message = Some(message);
        let _ = self.out.send(v1::WorkerMessage { message }).await;
    }

    /// A coordinator that says nothing fails the test instead of hanging it.
    pub async fn next(&mut self) -> Result<Said, Status> {
        loop {
            let message = tokio::time::timeout(TIMEOUT, self.incoming.message()).await;
            match message.expect("the coordinator says something")? {
                Some(message) => {
                    if let Some(message) = message.message {
                        return Ok(message);
                    }
                }
                None => return Err(Status::unknown("hung up")),
            }
        }
    }

    pub async fn next_job(&mut self) -> v1::Push {
        loop {
            if let Said::Push(push) = self.next().await.expect("the coordinator is there") {
                return push;
            }
        }
    }

    /// What the coordinator hangs up with.
    pub async fn closing_code(mut self) -> Code {
        loop {
            if let Err(status) = self.next().await {
                return status.code();
            }
        }
    }

    pub async fn claim_win(&self, lease: u64, certificate: Vec<u8>) {
        let certificate = certificate.into();
        let outcome = Some(Outcome::Won(v1::Won { certificate }));
        let spent = 1;
        self.send(Say::Done(v1::Done {
            lease,
            spent,
            outcome,
        }))
        .await;
    }
}

/// An answer without a search, which leads the coordinator on and on.
#[must_use]
pub fn random_outcome(push: &v1::Push, rng: &mut SmallRng) -> Outcome {
    let position = push.position.as_ref().expect("a job has a position");
    let position = Position::try_from(position).expect("a job's position makes sense");
    let mut any_move = || {
        loop {
            let stones = position
                .empties()
                .iter()
                .choose_multiple(rng, position.move_len());
            let r#move = v1::Move::of(position.rules(), &Move::full(stones));
            // An answer that names a known move is nonsense, which nobody stores.
            if !push.known.contains(&r#move) {
                break r#move;
            }
        }
    };
    if push.job.expect("a job has a name").kind() == v1::JobKind::Engine {
        let r#move = Some(any_move());
        let status = v1::Status::Unclear.into();
        let moves = vec![v1::Suggestion { r#move, status }];
        Outcome::Suggestions(v1::Suggestions { moves })
    } else {
        // Enough for everybody to have something to do.
        let moves = (0..8).map(|_| any_move()).collect();
        let answers = Vec::new();
        Outcome::Open(v1::Open {
            moves,
            answers,
            cut_short: false,
        })
    }
}
