//! A page over a coordinator in this process, and workers whose answers are made up.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use gridproof_game::{Colour, Move, Position, Square, State, read_game};
use gridproof_grid::coordinator::{
    CheckedResult, Coordinator, CoordinatorOptions, JobAssignment, Join, Outgoing,
};
use gridproof_grid::store::MemoryStore;
use gridproof_page::{Access, App, Reach, Right, Session, SessionKey};
use gridproof_search::{JobKind, JobResult, Status, Suggestion};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub const HOST: &str = "127.0.0.1:4180";

pub struct Page {
    pub coordinator: Coordinator,
    pub router: Router,
    pub key: SessionKey,
    pub access: Access,
}

impl Page {
    /// Of a grid that searches TX-H9.
    pub async fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let options = CoordinatorOptions::default();
        let (coordinator, _) = Coordinator::start(store, &options, |_| {}).unwrap();
        let game = read_game(b"TX-H9").unwrap();
        let root = game.position().clone();
        let submitted = coordinator.submit("TX-H9".to_owned(), root, Colour::Black, 1);
        submitted.await.unwrap();
        let key = SessionKey::random();
        let reach = Reach {
            address: HOST.parse().unwrap(),
            names: Vec::new(),
            is_encrypted: false,
        };
        let access = Access::new(key.clone(), &reach, Box::new(|_| None), Box::new(|_| true));
        let shutdown = CancellationToken::new();
        let app = App::new(coordinator.clone(), access.clone(), None, shutdown);
        Self {
            coordinator,
            router: app.router(),
            key,
            access,
        }
    }

    pub fn cookie(&self, right: Right) -> String {
        let session = Session::begin("ida", right, None);
        format!("gridproof-4180={}", session.sealed(&self.key))
    }

    pub async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub async fn get(&self, path: &str, cookie: Option<&str>) -> Response<Body> {
        let mut request = Request::get(path).header(header::HOST, HOST);
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub async fn order(&self, cookie: &str, site: &str, order: &str) -> Response<Body> {
        let request = Request::post("/order/1")
            .header(header::HOST, HOST)
            .header(header::COOKIE, cookie)
            .header("sec-fetch-site", site)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(Body::from(order.to_owned())).unwrap())
            .await
    }

    pub async fn nodes(&self) -> usize {
        let nodes = self.coordinator.ask(gridproof_search::Core::node_count);
        nodes.await.unwrap()
    }
}

pub async fn text(response: Response<Body>) -> String {
    let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A worker with many slots that answers at once.
pub struct Crowd {
    coordinator: Coordinator,
    connection: gridproof_grid::coordinator::ConnectionId,
    orders: mpsc::UnboundedReceiver<Outgoing>,
    random: SmallRng,
}

impl Crowd {
    pub async fn join(coordinator: &Coordinator, slots: u16) -> Self {
        let (outbox, orders) = mpsc::unbounded_channel();
        let joined = coordinator.join(Join {
            name: "crowd".to_owned(),
            instance: 1,
            version: "0.1.0".to_owned(),
            slots,
            leaves_in: None,
            token: None,
            held: Vec::new(),
            outbox,
        });
        Self {
            coordinator: coordinator.clone(),
            connection: joined.await.unwrap().unwrap().connection,
            orders,
            random: SmallRng::seed_from_u64(6),
        }
    }

    /// Answers one job.
    pub async fn answer(&mut self) {
        loop {
            let told = self.orders.recv().await.expect("the stream is open");
            if let Outgoing::Assign(job) = told {
                let result = CheckedResult::Answer {
                    result: self.result(&job),
                    spent: 1_000,
                    certificate: None,
                    answers: Vec::new(),
                };
                let job = &job.assigned;
                let sent =
                    self.coordinator
                        .finished(self.connection, job.lease, job.id.key, result);
                return sent.await.unwrap();
            }
        }
    }

    /// Nothing ever closes, so that the graph grows as long as anybody likes.
    fn result(&mut self, job: &JobAssignment) -> JobResult {
        let count = match job.assigned.id.kind {
            JobKind::Engine => 4,
            JobKind::Verifier => self.random.random_range(4..=20),
        };
        let mut moves: Vec<Move> = Vec::new();
        while moves.len() < count {
            let mv = self.some_move(&job.assigned.position);
            if !moves.contains(&mv) && !job.known.contains(&mv) {
                moves.push(mv);
            }
        }
        match job.assigned.id.kind {
            JobKind::Engine => {
                let statuses = [Status::Unclear, Status::Strong3, Status::Weak1];
                let suggest = |mv| Suggestion {
                    mv,
                    status: statuses[self.random.random_range(0..statuses.len())],
                };
                JobResult::Moves(moves.into_iter().map(suggest).collect())
            }
            JobKind::Verifier => JobResult::Open(moves),
        }
    }

    fn some_move(&mut self, position: &Position) -> Move {
        loop {
            let mut square = || {
                Square::new(
                    self.random.random_range(0..19),
                    self.random.random_range(0..19),
                )
            };
            let stones = [square(), square()];
            let is_legal =
                stones[0] != stones[1] && stones.iter().all(|stone| position.is_empty_at(*stone));
            if is_legal {
                let mv = Move::full(stones);
                if position.after(&mv).state() == State::Open {
                    return mv;
                }
            }
        }
    }
}

/// Each screen that a graph could make large.
pub const SCREENS: [&str; 8] = [
    "/",
    "/search/1",
    "/search/1?sort=work",
    "/tree/1",
    "/tree/1?only=running",
    "/workers",
    "/orders",
    "/map",
];
