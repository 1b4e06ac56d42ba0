use gridproof_game::Move;
use gridproof_search::{AbortReason, JobEnd, JobKind, LeaseId, NodeId, SearchId, Verdict};

use super::order_log::GivenOrder;

/// Something that those who watch may want to know.
#[derive(Clone, Debug, PartialEq)]
pub enum GridEvent {
    JobStarted {
        lease: LeaseId,
        node: NodeId,
        kind: JobKind,
        worker: String,
    },
    JobEnded {
        lease: LeaseId,
        node: NodeId,
        kind: JobKind,
        worker: String,
        end: JobEnd,
        spent: u64,
    },
    JobAborted {
        lease: LeaseId,
        node: NodeId,
        kind: JobKind,
        worker: String,
        reason: AbortReason,
    },
    JobProgress {
        lease: LeaseId,
        node: NodeId,
        kind: JobKind,
        worker: String,
        spent: u64,
    },
    /// A verifier found a reply that it cannot settle.
    Finding {
        lease: LeaseId,
        node: NodeId,
        worker: String,
        mv: Move,
    },
    Ordered(GivenOrder),
    Proved {
        node: NodeId,
    },
    Verdict {
        search: SearchId,
        verdict: Verdict,
    },
    WorkerCame {
        worker: String,
        slots: u16,
    },
    WorkerLeft {
        worker: String,
        words: String,
    },
}
