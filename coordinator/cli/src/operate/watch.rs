//! What happens on a grid, line by line.

use std::io::{self, IsTerminal as _};

use gridproof_game::{Move, Position};
use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::connect::{Client, CoordinatorError, call};
use super::find;
use super::view::{Search, kind_name, node_name, turn_as_asked};
use crate::{Failure, output};

pub(super) async fn run(mut client: Client) -> Result<(), Failure> {
    let mut stream = call(client.watch(v1::WatchRequest {})).await?;
    let mut searches = find::list(&mut client).await?;
    if io::stderr().is_terminal() && !output::is_quiet() {
        eprintln!("What happens from now on; Ctrl-C ends it.");
    }
    loop {
        let next = stream.message().await.map_err(CoordinatorError::from)?;
        let Some(event) = next else { return Ok(()) };
        if let Some(What::Ordered(_)) = event.what {
            searches = find::list(&mut client).await?;
        }
        if let Some(line) = line(&event, &searches) {
            output::print(format!("{line}\n").as_bytes())?;
        }
    }
}

/// An event in words, with its time.
pub(super) fn line(event: &v1::GridEvent, searches: &[Search]) -> Option<String> {
    let at_node = |node: &v1::NodeReport| node_name(node.node, node.position.as_ref(), searches);
    let at_job = |job: &v1::JobEvent| node_name(job.node, job.position.as_ref(), searches);
    let job_name = |job: &v1::JobEvent| format!("{} job at {}", kind_name(job.kind()), at_job(job));
    let words = match event.what.as_ref()? {
        What::JobStarted(job) => format!("{} began: {}", job.worker, job_name(job)),
        What::JobEnded(job) => format!("{} ended: {}, {}", job.worker, job_name(job), job.words),
        What::JobAborted(job) => {
            format!("{} dropped: {}, {}", job.worker, job_name(job), job.words)
        }
        What::Proved(node) => format!("proved: {}", at_node(node)),
        What::Verdict(report) => {
            let search = Search::try_from(report).ok()?;
            format!("{}: {}", search.name, search.state_text())
        }
        What::WorkerCame(worker) => format!("{} came: {}", worker.worker, worker.words),
        What::WorkerLeft(worker) => format!("{} left: {}", worker.worker, worker.words),
        What::Finding(job) => {
            let reply = reply(job, searches).map_or_else(String::new, |mv| format!(", {mv},"));
            format!(
                "{} found an open reply{reply} at {}",
                job.worker,
                at_job(job)
            )
        }
        What::Ordered(order) => format!("{} ordered: {}", order.author, order.words),
        // For those who ask for a job.
        What::JobProgress(_) | What::Queued(_) | What::Dropped(_) => return None,
        What::Missed(count) => format!("({count} events were missed)"),
    };
    Some(format!("{} {words}", clock(event.at, "%H:%M:%S")?))
}

/// The reply that a verifier could not settle.
fn reply(job: &v1::JobEvent, searches: &[Search]) -> Option<Move> {
    let position = Position::try_from(job.position.as_ref()?).ok()?;
    let rules = position.rules();
    let mv = job.moves.first()?.read(rules).ok()?;
    Some(match turn_as_asked(searches, &position) {
        Some((_, turn)) => mv.map(|square| turn.apply(rules, square)),
        None => mv,
    })
}

/// A time of the wire, in milliseconds since 1970, as clocks here show it.
pub(super) fn clock(at: u64, format: &str) -> Option<String> {
    let at = Timestamp::from_millisecond(i64::try_from(at).ok()?).ok()?;
    let here = at.to_zoned(TimeZone::system());
    Some(here.strftime(format).to_string())
}
