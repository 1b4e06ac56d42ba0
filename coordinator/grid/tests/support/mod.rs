//! A coordinator in this process, an operator over a line of memory, and workers whose answers
//! the test says.

#![allow(dead_code, reason = "each test file uses its part")]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use gridproof_game::{Colour, Move, Opening, Position, Square};
use gridproof_grid::coordinator::{
    CheckedResult, ConnectionId, Coordinator, CoordinatorOptions, JobAssignment, Join, Outgoing,
};
use gridproof_grid::service::{ServiceOptions, serve};
use gridproof_grid::store::MemoryStore;
use gridproof_proto::v1;
use gridproof_proto::v1::operate_client::OperateClient;
use gridproof_search::{HeldJob, JobResult, LeaseId, Status, Suggestion};
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tower::service_fn;

/// So long that no test waits for it.
pub const HOUR: Duration = Duration::from_secs(3600);

pub struct Grid {
    pub coordinator: Coordinator,
    task: JoinHandle<()>,
    connections: mpsc::UnboundedSender<io::Result<DuplexStream>>,
}

impl Grid {
    /// A coordinator on a store; `reconnect_grace` is an hour.
    pub fn start(store: &Arc<MemoryStore>) -> Self {
        let options = CoordinatorOptions {
            reconnect_grace: HOUR,
            ..CoordinatorOptions::default()
        };
        Self::start_with(store, &options)
    }

    pub fn start_with(store: &Arc<MemoryStore>, options: &CoordinatorOptions) -> Self {
        Self::start_all(store, options, ServiceOptions::default())
    }

    fn start_all(
        store: &Arc<MemoryStore>,
        options: &CoordinatorOptions,
        service: ServiceOptions,
    ) -> Self {
        let store = Arc::clone(store) as _;
        let started = Coordinator::start(store, options, |failure| panic!("{failure}"));
        let (coordinator, task) = started.unwrap();
        let (connections, incoming) = mpsc::unbounded_channel();
        tokio::spawn(serve(
            Server::builder(),
            UnboundedReceiverStream::new(incoming),
            coordinator.clone(),
            service,
            CancellationToken::new(),
        ));
        Self {
            coordinator,
            task,
            connections,
        }
    }

    /// One that searches TX-H9 for Black, who is to move.
    pub async fn with_search() -> Self {
        let grid = Self::start(&Arc::default());
        grid.submit().await;
        grid
    }

    /// The same with another service before it.
    pub async fn with_service(service: ServiceOptions) -> Self {
        let grid = Self::start_all(&Arc::default(), &CoordinatorOptions::default(), service);
        grid.submit().await;
        grid
    }

    pub async fn submit(&self) {
        let root = "TX-H9".parse::<Opening>().unwrap().position();
        let submitted = self
            .coordinator
            .submit("TX-H9".to_owned(), root, Colour::Black, 1);
        submitted.await.unwrap();
    }

    pub async fn stop(self) {
        self.coordinator.shut_down().await;
        self.task.await.unwrap();
    }

    pub async fn operator(&self) -> OperateClient<Channel> {
        OperateClient::new(self.channel().await)
    }

    /// A line of memory to the server.
    pub async fn channel(&self) -> Channel {
        let connections = self.connections.clone();
        let connect = move |_: Uri| {
            let (ours, theirs) = tokio::io::duplex(1 << 18);
            let sent = connections.send(Ok(theirs));
            async move {
                sent.map_err(|_| io::Error::other("closed"))?;
                Ok::<_, io::Error>(TokioIo::new(ours))
            }
        };
        let endpoint = Endpoint::from_static("http://memory.invalid");
        let connected = endpoint.connect_with_connector(service_fn(connect));
        connected.await.unwrap()
    }

    pub async fn worker(&self, name: &str, held: Vec<HeldJob>) -> Worker {
        let (outbox, orders) = mpsc::unbounded_channel();
        let joined = self.coordinator.join(Join {
            name: name.to_owned(),
            instance: 1,
            version: "test".to_owned(),
            slots: 1,
            leaves_in: None,
            token: None,
            held,
            outbox,
        });
        let joined = joined.await.unwrap().unwrap();
        Worker {
            coordinator: self.coordinator.clone(),
            connection: joined.connection,
            orders,
        }
    }
}

pub struct Worker {
    coordinator: Coordinator,
    pub connection: ConnectionId,
    orders: mpsc::UnboundedReceiver<Outgoing>,
}

impl Worker {
    pub async fn next(&mut self) -> Outgoing {
        self.orders.recv().await.expect("the stream is open")
    }

    /// The next job; what comes before it does not matter.
    pub async fn job(&mut self) -> JobAssignment {
        loop {
            if let Outgoing::Assign(job) = self.next().await {
                return *job;
            }
        }
    }

    /// The next job that is taken away.
    pub async fn abort(&mut self) -> LeaseId {
        loop {
            if let Outgoing::Abort { lease, .. } = self.next().await {
                return lease;
            }
        }
    }

    pub async fn answer(&self, job: &JobAssignment, result: JobResult) {
        let id = job.assigned.id;
        let result = CheckedResult::Answer {
            result,
            spent: 1_000,
            certificate: None,
            answers: Vec::new(),
        };
        let lease = job.assigned.lease;
        let finished = self
            .coordinator
            .finished(self.connection, lease, id.key, result);
        finished.await.unwrap();
    }

    pub async fn find(&self, job: &JobAssignment, mv: Move) {
        let (lease, key) = (job.assigned.lease, job.assigned.id.key);
        let found = self.coordinator.finding(self.connection, lease, key, mv);
        found.await.unwrap();
    }
}

pub fn held(job: &JobAssignment) -> HeldJob {
    HeldJob {
        lease: job.assigned.lease,
        job: job.assigned.id,
    }
}

pub fn mv(names: &str) -> Move {
    Move::full(names.split(' ').map(|name| name.parse::<Square>().unwrap()))
}

/// An engine's moves at the root. Workers see it in its canonical orientation.
pub fn suggest(names: &[&str]) -> JobResult {
    let root = "TX-H9".parse::<Opening>().unwrap().position();
    let suggestions = names.iter().map(|names| Suggestion {
        mv: turned(&root, &mv(names)),
        status: Status::Quiet,
    });
    JobResult::Moves(suggestions.collect())
}

/// A move at a position, as the worker that has a job there sees it.
pub fn turned(at: &Position, mv: &Move) -> Move {
    let to_node = at.canonical().1;
    mv.map(|square| to_node.apply(at.rules(), square))
}

pub fn wire(mv: &Move) -> v1::Move {
    let opening = "TX-H9".parse::<Opening>().unwrap();
    v1::Move::of(opening.position().rules(), mv)
}

/// A position by the moves from the root.
pub fn line(moves: &[&str]) -> Option<v1::NodeRequest> {
    let moves = moves.iter().map(|names| wire(&mv(names))).collect();
    let line = v1::Line { search: 0, moves };
    Some(v1::NodeRequest {
        which: Some(v1::node_request::Which::Line(line)),
    })
}
