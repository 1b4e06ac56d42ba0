//! What happens, told to those who watch.

use std::time::{SystemTime, UNIX_EPOCH};

use gridproof_game::Move;
use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use gridproof_search::{JobEnd, JobKind, JobResult, LeaseId, NodeId};
use tokio::sync::{broadcast, mpsc};
use tonic::Status;

use super::convert::{kind_to_wire, search_to_wire};
use super::operate::{OperateService, choose, node_report};
use crate::coordinator::GridEvent;

/// Tells a watcher until it hangs up.
pub(super) async fn tell(
    service: OperateService,
    mut events: broadcast::Receiver<GridEvent>,
    out: mpsc::Sender<Result<v1::GridEvent, Status>>,
) {
    loop {
        let next = tokio::select! {
            next = events.recv() => next,
            () = service.shutdown.cancelled() => return,
            () = out.closed() => return,
        };
        let what = match next {
            Ok(event) => match event_to_wire(&service, event).await {
                Some(what) => what,
                None => continue,
            },
            Err(broadcast::error::RecvError::Lagged(missed)) => What::Missed(missed),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if out.send(Ok(grid_event(what))).await.is_err() {
            return;
        }
    }
}

/// An event that happens now.
pub(super) fn grid_event(what: What) -> v1::GridEvent {
    let at = SystemTime::now().duration_since(UNIX_EPOCH);
    v1::GridEvent {
        at: at.map_or(0, |time| time.as_millis() as u64),
        what: Some(what),
    }
}

/// A job and where it is.
async fn job_event(
    service: &OperateService,
    lease: LeaseId,
    node: NodeId,
    kind: JobKind,
    worker: String,
) -> v1::JobEvent {
    let position = service.position(node).await.ok();
    v1::JobEvent {
        lease: lease.to_bits(),
        node: node.0,
        kind: kind_to_wire(kind).into(),
        worker,
        position: position.as_ref().map(Into::into),
        ..v1::JobEvent::default()
    }
}

/// Nothing if what it speaks of is gone.
pub(super) async fn event_to_wire(service: &OperateService, event: GridEvent) -> Option<What> {
    let worker_event = |worker, words| v1::WorkerEvent { worker, words };
    Some(match event {
        GridEvent::JobStarted {
            lease,
            node,
            kind,
            worker,
        } => What::JobStarted(job_event(service, lease, node, kind, worker).await),
        GridEvent::JobEnded {
            lease,
            node,
            kind,
            worker,
            end,
            spent,
        } => What::JobEnded(v1::JobEvent {
            words: end.to_string(),
            spent,
            moves: moves_to_wire(service, node, moves_of(end)).await,
            ..job_event(service, lease, node, kind, worker).await
        }),
        GridEvent::JobAborted {
            lease,
            node,
            kind,
            worker,
            reason,
        } => What::JobAborted(v1::JobEvent {
            words: reason.to_string(),
            ..job_event(service, lease, node, kind, worker).await
        }),
        GridEvent::JobProgress {
            lease,
            node,
            kind,
            worker,
            spent,
        } => What::JobProgress(v1::JobEvent {
            spent,
            ..job_event(service, lease, node, kind, worker).await
        }),
        GridEvent::Finding {
            lease,
            node,
            worker,
            mv,
        } => What::Finding(v1::JobEvent {
            moves: moves_to_wire(service, node, vec![mv]).await,
            ..job_event(service, lease, node, JobKind::Verifier, worker).await
        }),
        GridEvent::Ordered(given) => What::Ordered(service.order_report(given).await.ok()?),
        GridEvent::Proved { node } => {
            let report = service.coordinator.ask(move |core| node_report(core, node));
            What::Proved(report.await.ok()??)
        }
        GridEvent::Verdict { search, .. } => {
            let snapshot = service.coordinator.snapshot().await.ok()?;
            What::Verdict(search_to_wire(choose(&snapshot, search.0).ok()?))
        }
        GridEvent::WorkerCame { worker, slots } => {
            What::WorkerCame(worker_event(worker, format!("{slots} jobs at a time")))
        }
        GridEvent::WorkerLeft { worker, words } => What::WorkerLeft(worker_event(worker, words)),
    })
}

/// The moves that an answer names.
fn moves_of(end: JobEnd) -> Vec<Move> {
    match end {
        JobEnd::Answered(JobResult::Open(moves) | JobResult::OpenSoFar(moves)) => moves,
        JobEnd::Answered(JobResult::Moves(moves)) => {
            moves.into_iter().map(|suggestion| suggestion.mv).collect()
        }
        _ => Vec::new(),
    }
}

async fn moves_to_wire(service: &OperateService, node: NodeId, moves: Vec<Move>) -> Vec<v1::Move> {
    if moves.is_empty() {
        return Vec::new();
    }
    match service.position(node).await {
        Ok(position) => {
            let rules = *position.rules();
            moves.iter().map(|mv| v1::Move::of(&rules, mv)).collect()
        }
        Err(_) => Vec::new(),
    }
}
