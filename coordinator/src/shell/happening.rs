use crate::core::{JobKind, LeaseId, NodeId, SearchId, Verdict, Waste};

/// Something that those who watch may want to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
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
        words: &'static str,
    },
    JobAborted {
        lease: LeaseId,
        reason: Waste,
    },
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
