//! Numbers for Prometheus, at an address of their own. Off unless asked for.
//!
//! # How to use it
//! ```text
//! let exporter = Exporter::install()?;                       // once a process
//! // behind a door with Limits::for_metrics; `take` gives the sample of this moment whenever somebody asks:
//! tokio::spawn(exporter.serve(incoming, take, shutdown));
//! // where they happen; without an exporter these cost next to nothing:
//! metrics::job_took(kind, duration);
//! metrics::flush_took(duration);
//! ```

use std::io;
use std::time::Duration;

use axum::Router;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::routing::get;
use gridproof_search::JobKind;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use crate::logs::{Sample, SearchStatus};
use crate::security::Incoming;

const SEARCHES: &str = "gridproof_searches";
const ROOT_PROOF: &str = "gridproof_root_proof_number";
const ROOT_DISPROOF: &str = "gridproof_root_disproof_number";
const NODES: &str = "gridproof_nodes";
const WORKERS: &str = "gridproof_workers";
const SLOTS: &str = "gridproof_slots";
const JOBS_RUNNING: &str = "gridproof_jobs_running";
const JOBS: &str = "gridproof_jobs_total";
const SPENT: &str = "gridproof_solver_nodes_total";
const WASTED: &str = "gridproof_wasted_solver_nodes_total";
const STRANGERS: &str = "gridproof_strangers_total";
const JOB_SECONDS: &str = "gridproof_job_seconds";
const FLUSH_SECONDS: &str = "gridproof_store_flush_seconds";
const SETTLE_SECONDS: &str = "gridproof_settle_seconds";
const READ_SECONDS: &str = "gridproof_certificate_read_seconds";

/// From a millisecond to an hour.
const JOB_BUCKETS: [f64; 10] = [0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0, 3600.0];
const FLUSH_BUCKETS: [f64; 8] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.25, 1.0, 10.0];

/// Takes what is measured and tells it to whoever asks.
#[derive(Clone, Debug)]
pub struct Exporter(PrometheusHandle);

/// Why there are no numbers.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    #[error("cannot set up the metrics")]
    Build(#[from] BuildError),
    #[error("metrics are set up already")]
    Twice,
}

impl Exporter {
    /// For the whole process: once.
    pub fn install() -> Result<Self, MetricsError> {
        let recorder = builder()?.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(|_| MetricsError::Twice)?;
        describe();
        Ok(Self(handle))
    }

    /// The page that Prometheus reads.
    #[must_use]
    pub fn page(&self) -> String {
        // Histograms would grow without this.
        self.0.run_upkeep();
        self.0.render()
    }

    /// Answers at /metrics until the future is done. Each answer tells what `take` finds at
    /// that moment; if it finds nothing, the numbers of the time before stay. Everybody is a
    /// stranger there, so a connection has one answer and ends.
    pub async fn serve<F>(
        self,
        incoming: Incoming,
        take: impl Fn() -> F + Clone + Send + Sync + 'static,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()>
    where
        F: Future<Output = Option<Sample>> + Send + 'static,
    {
        const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
        let answer = move || {
            let (exporter, taking) = (self.clone(), take());
            async move {
                if let Some(sample) = taking.await {
                    publish(&sample);
                }
                (
                    [(CONTENT_TYPE, FORMAT), (CONNECTION, "close")],
                    exporter.page(),
                )
            }
        };
        let router = Router::new().route("/metrics", get(answer));
        axum::serve(incoming, router)
            .with_graceful_shutdown(shutdown)
            .await
    }
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(JOB_SECONDS.to_owned()), &JOB_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(FLUSH_SECONDS.to_owned()), &FLUSH_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(SETTLE_SECONDS.to_owned()), &JOB_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(READ_SECONDS.to_owned()), &FLUSH_BUCKETS)
}

fn describe() {
    describe_gauge!(SEARCHES, "Searches by how they stand");
    describe_gauge!(ROOT_PROOF, "Proof number of each search");
    describe_gauge!(ROOT_DISPROOF, "Disproof number of each search");
    describe_gauge!(NODES, "Nodes of the search graph, solved and open");
    describe_gauge!(WORKERS, "Workers that are connected");
    describe_gauge!(SLOTS, "Jobs that the connected workers can run at once");
    describe_gauge!(JOBS_RUNNING, "Jobs that are running");
    describe_counter!(JOBS, "Jobs that came to their end");
    describe_counter!(SPENT, "Solver nodes that workers spent");
    describe_counter!(WASTED, "Solver nodes that were thrown away, by reason");
    describe_counter!(
        STRANGERS,
        "Connections and calls that were turned away, by reason"
    );
    describe_histogram!(JOB_SECONDS, "How long jobs took, by kind");
    describe_histogram!(FLUSH_SECONDS, "How long the store took to be safe on disk");
    describe_histogram!(
        SETTLE_SECONDS,
        "How long it took to join the proofs of a node's replies"
    );
    describe_histogram!(
        READ_SECONDS,
        "How long it took to read a proof from the store"
    );
}

/// Tells everything that is in a sample.
pub fn publish(sample: &Sample) {
    for (name, status) in [
        ("open", SearchStatus::Open),
        ("proved", SearchStatus::Proved),
        ("failed", SearchStatus::Failed),
    ] {
        let all = sample.searches.iter();
        let count = all.filter(|search| search.status == status).count();
        gauge!(SEARCHES, "verdict" => name).set(count as f64);
    }
    for search in &sample.searches {
        let number = |number: Option<u32>| number.map_or(f64::INFINITY, f64::from);
        gauge!(ROOT_PROOF, "search" => search.name.clone()).set(number(search.root.proof));
        gauge!(ROOT_DISPROOF, "search" => search.name.clone()).set(number(search.root.disproof));
    }
    gauge!(NODES, "state" => "solved").set(sample.nodes.solved as f64);
    gauge!(NODES, "state" => "open").set(sample.nodes.open as f64);
    gauge!(WORKERS).set(sample.connected().count() as f64);
    gauge!(SLOTS).set(
        sample
            .connected()
            .map(|worker| f64::from(worker.slots))
            .sum::<f64>(),
    );
    gauge!(JOBS_RUNNING).set(sample.jobs_running as f64);
    counter!(JOBS).absolute(sample.jobs_done);
    counter!(SPENT).absolute(sample.spent);
    for (reason, &part) in &sample.wasted {
        counter!(WASTED, "reason" => reason.clone()).absolute(part);
    }
}

/// A job of this kind came to its end.
pub fn job_took(kind: JobKind, took: Duration) {
    histogram!(JOB_SECONDS, "kind" => kind.to_string()).record(took);
}

/// The store is safe on disk.
pub fn flush_took(took: Duration) {
    histogram!(FLUSH_SECONDS).record(took);
}

/// The proofs of a node's replies were joined, or as many as there are.
pub(crate) fn settle_took(took: Duration) {
    histogram!(SETTLE_SECONDS).record(took);
}

/// A proof was read from the store.
pub(crate) fn read_took(took: Duration) {
    histogram!(READ_SECONDS).record(took);
}

/// Somebody was turned away.
pub(crate) fn turned_away(why: &'static str) {
    counter!(STRANGERS, "why" => why).increment(1);
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::logs::{RootNumbers, SearchState};
    use crate::security::{Limits, RefusalLog};

    #[test]
    fn a_sample_is_told_in_prometheus_words() {
        let recorder = builder().unwrap().build_recorder();
        let exporter = Exporter(recorder.handle());
        metrics::with_local_recorder(&recorder, || {
            describe();
            publish(&Sample {
                jobs_done: 42,
                searches: vec![SearchState {
                    name: "TX-H9".to_owned(),
                    root: RootNumbers::new(12, u32::MAX),
                    ..SearchState::default()
                }],
                wasted: [("worker lost".to_owned(), 7)].into(),
                ..Sample::default()
            });
            job_took(JobKind::Verifier, Duration::from_millis(50));
        });
        let page = exporter.page();
        for line in [
            "# HELP gridproof_jobs_total Jobs that came to their end",
            "gridproof_jobs_total 42",
            "gridproof_searches{verdict=\"open\"} 1",
            "gridproof_root_proof_number{search=\"TX-H9\"} 12",
            "gridproof_root_disproof_number{search=\"TX-H9\"} inf",
            "gridproof_wasted_solver_nodes_total{reason=\"worker lost\"} 7",
            "gridproof_job_seconds_bucket{kind=\"verifier\",le=\"0.1\"} 1",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
        }
    }

    /// A door at this address, whose guests have that long.
    async fn door(introduction: Duration) -> (SocketAddr, Incoming) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits {
            introduction,
            ..Limits::default().for_metrics()
        };
        let incoming = Incoming::new(listener, None, limits, RefusalLog::default());
        (address, incoming)
    }

    #[tokio::test]
    async fn each_connection_has_one_answer_until_it_is_enough() {
        let exporter = Exporter(builder().unwrap().build_recorder().handle());
        let (address, incoming) = door(Duration::from_secs(3600)).await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { stopped.await.unwrap() };
        let serving = tokio::spawn(exporter.serve(incoming, async || None, stopped));
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("version=0.0.4"));
        stop.send(()).unwrap();
        serving.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn who_asks_for_nothing_is_dropped() {
        let exporter = Exporter(builder().unwrap().build_recorder().handle());
        let (address, incoming) = door(Duration::from_millis(20)).await;
        tokio::spawn(exporter.serve(incoming, async || None, std::future::pending()));
        let mut silent = TcpStream::connect(address).await.unwrap();
        assert_eq!(silent.read(&mut [0]).await.unwrap_or(0), 0);
    }
}
