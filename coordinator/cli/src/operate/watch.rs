//! What happens on a grid, line by line.

use std::collections::BTreeMap;

use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::connect::{Client, CoordinatorError, call};
use super::view::{Search, kind_name, node_name};
use crate::{Failure, output};

pub(super) async fn run(mut client: Client) -> Result<(), Failure> {
    let mut stream = call(client.watch(v1::WatchRequest {})).await?;
    let mut names = JobNames::default();
    loop {
        let next = stream.message().await.map_err(CoordinatorError::from)?;
        let Some(event) = next else { return Ok(()) };
        if let Some(line) = names.line(&event) {
            output::print(format!("{line}\n").as_bytes())?;
        }
    }
}

/// Where jobs are at work: their end is told by lease alone.
#[derive(Debug, Default)]
pub(super) struct JobNames(BTreeMap<u64, String>);

impl JobNames {
    /// An event in words, with its time.
    pub(super) fn line(&mut self, event: &v1::GridEvent) -> Option<String> {
        let words = match event.what.as_ref()? {
            What::JobStarted(job) => {
                let job_name = format!("{} job at #{}", kind_name(job.kind()), job.node);
                self.0.insert(job.lease, job_name.clone());
                format!("{} began: {job_name}", job.worker)
            }
            What::JobEnded(job) => {
                self.0.remove(&job.lease);
                format!(
                    "{} ended: {} job at #{}, {}",
                    job.worker,
                    kind_name(job.kind()),
                    job.node,
                    job.words
                )
            }
            What::JobAborted(job) => {
                let name = self.0.remove(&job.lease);
                format!(
                    "dropped: {}, {}",
                    name.as_deref().unwrap_or("a job"),
                    job.words
                )
            }
            What::Proved(node) => format!("proved: {}", node_name(node)),
            What::Verdict(report) => {
                let search = Search::try_from(report).ok()?;
                format!("{}: {}", search.name, search.state_text())
            }
            What::WorkerCame(worker) => format!("{} came: {}", worker.worker, worker.words),
            What::WorkerLeft(worker) => format!("{} left: {}", worker.worker, worker.words),
            What::Finding(job) => {
                format!("{} found an open reply at #{}", job.worker, job.node)
            }
            What::Ordered(order) => format!("{} ordered: {}", order.author, order.order),
            // For those who ask for a job.
            What::JobProgress(_) | What::Queued(_) | What::Dropped(_) => return None,
            What::Missed(count) => format!("({count} events were missed)"),
        };
        let at = i64::try_from(event.at).ok();
        let at = at.and_then(|at| Timestamp::from_millisecond(at).ok())?;
        let clock = at
            .to_zoned(TimeZone::system())
            .strftime("%H:%M:%S")
            .to_string();
        Some(format!("{clock} {words}"))
    }
}
