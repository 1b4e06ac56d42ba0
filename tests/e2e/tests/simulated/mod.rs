//! A coordinator, two workers and an operator on four simulated hosts.

mod wire;

use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use gridproof_certificate::{CheckLimits, check_file};
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions};
use gridproof_grid::service::{ServiceOptions, serve, with_keepalive};
use gridproof_grid::store::{MemoryStore, Store};
use gridproof_proto::v1;
use gridproof_proto::v1::operate_client::OperateClient;
use gridproof_worker::{DesiredState, Settings};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::transport::{Channel, Server};
use turmoil::{Builder, Sim};

/// With these budgets it takes hundreds of jobs.
const GAME: &str = "H7-M13";
const ENGINE_BUDGET: u64 = 800;
const VERIFIER_BUDGET: u64 = 1200;

/// What the operator saw last.
#[derive(Clone, Debug, Default)]
pub struct StatusSample {
    /// The coordinator answered.
    pub answers: bool,
    pub workers: u32,
    pub jobs_done: u64,
    pub positions: u64,
    pub proved: u64,
}

/// What the operator has found out.
#[derive(Default)]
struct Observations {
    status: Mutex<StatusSample>,
    certificate: OnceLock<Vec<u8>>,
}

pub struct Lab {
    pub sim: Sim<'static>,
    observed: Arc<Observations>,
}

impl Lab {
    pub fn new() -> Self {
        let mut sim = Builder::new()
            .simulation_duration(Duration::from_secs(100_000))
            // Slow lines: the search takes a minute of their time, and faults are noticed in ten
            // seconds of it.
            .min_message_latency(Duration::from_millis(100))
            .max_message_latency(Duration::from_millis(500))
            .tick_duration(Duration::from_millis(20))
            .tcp_capacity(4096)
            .build();
        // What is on the coordinator's disk outlives its crashes.
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        sim.host("coordinator", move || coordinate(Arc::clone(&store)));
        for name in ["a", "b"] {
            sim.host(name, move || work(name));
        }
        let observed = Arc::new(Observations::default());
        sim.client("operator", operate(Arc::clone(&observed)));
        Self { sim, observed }
    }

    pub fn status(&self) -> StatusSample {
        self.observed.status.lock().unwrap().clone()
    }

    fn step(&mut self) -> bool {
        // A moment of real time for the threads that search.
        thread::yield_now();
        self.sim.step().unwrap()
    }

    /// Runs on until the operator has seen this.
    pub fn run_until(&mut self, is_so: impl Fn(&StatusSample) -> bool) {
        while !is_so(&self.status()) {
            assert!(!self.step(), "proved too early: {:?}", self.status());
        }
    }

    pub fn run_for(&mut self, time: Duration) {
        let end = self.sim.elapsed() + time;
        while self.sim.elapsed() < end {
            assert!(!self.step(), "proved too early: {:?}", self.status());
        }
    }

    /// Runs to the verdict, and has its certificate checked.
    pub fn finish(mut self) {
        while !self.step() {}
        let status = self.status();
        println!("after {:?}: {} jobs", self.sim.elapsed(), status.jobs_done);
        let certificate = self.observed.certificate.get();
        let certificate = certificate.expect("the operator has fetched it");
        let checked = check_file(&certificate[..], CheckLimits::default()).unwrap();
        let game = gridproof_game::read_game(GAME.as_bytes()).unwrap();
        assert_eq!(&checked.checked.claim.start, game.position());
    }
}

async fn coordinate(store: Arc<dyn Store>) -> turmoil::Result {
    let mut options = CoordinatorOptions {
        reconnect_grace: Duration::from_secs(5),
        ..CoordinatorOptions::default()
    };
    options.core.budgets.engine = ENGINE_BUDGET;
    options.core.budgets.verifier = VERIFIER_BUDGET;
    let (coordinator, _task) =
        Coordinator::start(store, &options, |failure| panic!("{failure:?}"))?;
    let server = with_keepalive(Server::builder());
    let incoming = wire::listen().await?;
    let never = CancellationToken::new();
    serve(
        server,
        incoming,
        coordinator,
        ServiceOptions::default(),
        never,
    )
    .await?;
    Ok(())
}

async fn work(name: &'static str) -> turmoil::Result {
    let (_owner, desired) = watch::channel(DesiredState::default());
    let settings = Settings::new(name, NonZeroU16::MIN);
    gridproof_worker::run(settings, wire::connector(), desired).await?;
    Ok(())
}

/// Submits the game, looks every second how it stands, and fetches the certificate.
async fn operate(observed: Arc<Observations>) -> turmoil::Result {
    loop {
        match watch_over(&observed.status).await {
            Ok(certificate) => {
                observed.certificate.set(certificate).expect("it ends here");
                return Ok(());
            }
            Err(_) => observed.status.lock().unwrap().answers = false,
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn watch_over(sample: &Mutex<StatusSample>) -> Result<Vec<u8>, Status> {
    let channel = wire::connect().await;
    let channel = channel.map_err(|error| Status::unavailable(error.to_string()))?;
    let mut client = OperateClient::new(channel);
    let game = GAME.to_owned();
    let request = v1::SubmitRequest {
        game,
        ..v1::SubmitRequest::default()
    };
    let search = client.submit(request).await?.into_inner().search;
    loop {
        let status = client.get_status(v1::StatusRequest { search }).await?;
        let status = status.into_inner();
        let totals = status.totals.unwrap_or_default();
        let verdict = status.search.unwrap_or_default().verdict();
        *sample.lock().unwrap() = StatusSample {
            answers: true,
            workers: totals.workers,
            jobs_done: totals.jobs_done,
            positions: totals.nodes,
            proved: totals.proved,
        };
        if verdict == v1::Verdict::Proved {
            return fetch(&mut client, search).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn fetch(client: &mut OperateClient<Channel>, search: u32) -> Result<Vec<u8>, Status> {
    let pieces = client.export(v1::ExportRequest { search }).await?;
    let mut pieces = pieces.into_inner();
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.message().await? {
        bytes.extend_from_slice(&piece.bytes);
    }
    Ok(bytes)
}
