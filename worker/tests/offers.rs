//! A worker tells the coordinator how many jobs it wants, and when its hours end.

use std::num::NonZeroU16;
use std::time::Duration;

use gridproof_game::{Move, Opening, Square};
use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Say;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::work_server::{Work, WorkServer};
use gridproof_proto::v1::worker_message::Message as Heard;
use gridproof_worker::{Connector, Departure, DesiredState, Settings, WorkError};
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::transport::{Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

/// Welcomes a worker, gives it a job, passes on all that it says, and hangs up at its goodbye.
struct Recorder {
    heard: mpsc::UnboundedSender<Heard>,
    job: Option<v1::Push>,
}

#[tonic::async_trait]
impl Work for Recorder {
    type AttachStream = ReceiverStream<Result<v1::CoordinatorMessage, Status>>;

    async fn attach(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let (out, stream) = mpsc::channel(1);
        let (heard, job) = (self.heard.clone(), self.job.clone());
        let mut incoming = request.into_inner();
        tokio::spawn(async move {
            let welcome = Say::Welcome(v1::Welcome::default());
            for message in [Some(welcome), job.map(Say::Push)].into_iter().flatten() {
                let message = Some(message);
                let _ = out.send(Ok(v1::CoordinatorMessage { message })).await;
            }
            while let Some(Ok(message)) = incoming.next().await {
                let message = message.message.expect("a worker says something");
                let is_last = matches!(message, Heard::Goodbye(_));
                let _ = heard.send(message);
                if is_last {
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

fn running_for(seconds: u64) -> DesiredState {
    let until = Timestamp::now() + Duration::from_secs(seconds);
    DesiredState::Running { until: Some(until) }
}

/// A worker under test, what it says, and who tells it what to do.
struct Tested {
    heard: mpsc::UnboundedReceiver<Heard>,
    owner: watch::Sender<DesiredState>,
    working: JoinHandle<Result<Departure, WorkError>>,
}

async fn start(job: Option<v1::Push>, state: DesiredState) -> Tested {
    let (sender, heard) = mpsc::unbounded_channel();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let recorder = Recorder { heard: sender, job };
    let server = Server::builder().add_service(WorkServer::new(recorder));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let settings = Settings::new("tested", NonZeroU16::new(2).unwrap());
    let (owner, desired) = watch::channel(state);
    let connector = Connector::endpoint(endpoint);
    let working = tokio::spawn(gridproof_worker::run(settings, connector, desired));
    Tested {
        heard,
        owner,
        working,
    }
}

#[tokio::test]
async fn a_worker_hands_its_jobs_back_when_its_hours_end() {
    let opening = "TX-H9".parse::<Opening>().unwrap().position();
    let squares = ["K11", "L10"].map(|name| name.parse::<Square>().unwrap());
    let position = opening.after(&Move::full(squares));
    // To answer a null move here takes longer than any test.
    let limits = v1::ReplyLimits {
        nodes_per_reply: u64::MAX,
        times_per_null: 1,
        most_open: u32::MAX,
    };
    let job = v1::Push {
        lease: 7,
        job: Some(v1::JobName {
            kind: v1::JobKind::Verifier.into(),
            ..v1::JobName::default()
        }),
        position: Some((&position).into()),
        attacker: v1::Colour::Black.into(),
        budget: u64::MAX,
        goal: Some(v1::push::Goal::FindReplies(limits)),
        ..v1::Push::default()
    };
    let mut tested = start(Some(job), DesiredState::default()).await;
    // It says that the job is running before its hours end.
    loop {
        match tested.heard.recv().await {
            Some(Heard::Progress(_)) => break,
            Some(Heard::Hello(_) | Heard::Finding(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    tested.owner.send_replace(DesiredState::Away);
    loop {
        match tested.heard.recv().await {
            Some(Heard::Progress(_) | Heard::Finding(_)) => {}
            Some(Heard::Slots(slots)) => assert_eq!(slots, v1::Slots::default()),
            Some(Heard::Done(done)) => {
                assert_eq!(done.lease, 7);
                let handed_back = matches!(done.outcome, Some(Outcome::HandedBack(_)));
                assert!(handed_back, "{done:?}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    tested.owner.send_replace(DesiredState::Drained);
    let left = tested.working.await.unwrap().unwrap();
    assert_eq!(left, Departure::Finished);
}

#[tokio::test]
async fn a_worker_says_when_its_hours_end() {
    let Tested {
        mut heard,
        owner,
        working,
    } = start(None, running_for(3600)).await;

    let Some(Heard::Hello(hello)) = heard.recv().await else {
        panic!("a worker says hello first");
    };
    assert_eq!(hello.slots, 2);
    assert!(
        (3000..=3600).contains(&hello.leaves_in_seconds),
        "{hello:?}"
    );

    owner.send_replace(DesiredState::Paused);
    let paused = heard.recv().await;
    assert_eq!(paused, Some(Heard::Slots(v1::Slots::default())));

    owner.send_replace(running_for(7200));
    let Some(Heard::Slots(slots)) = heard.recv().await else {
        panic!("a worker says that it works again");
    };
    assert_eq!(slots.slots, 2);
    assert!(
        (6600..=7200).contains(&slots.leaves_in_seconds),
        "{slots:?}"
    );

    owner.send_replace(DesiredState::default());
    let unlimited = Heard::Slots(v1::Slots {
        slots: 2,
        leaves_in_seconds: 0,
    });
    assert_eq!(heard.recv().await, Some(unlimited));

    owner.send_replace(DesiredState::Drained);
    assert_eq!(working.await.unwrap().unwrap(), Departure::Finished);
}
