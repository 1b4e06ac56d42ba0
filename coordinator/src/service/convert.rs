//! The core's types on the wire.

use gridproof_proto::{WireError, colour_to_wire, v1};

use crate::core::{JobKind, JobName, NodeId, NodeKey, Numbers, Verdict};
use crate::shell::SearchSnapshot;

pub(super) fn kind_to_wire(kind: JobKind) -> v1::JobKind {
    match kind {
        JobKind::Engine => v1::JobKind::Engine,
        JobKind::Verifier => v1::JobKind::Verifier,
    }
}

pub(super) fn job_name_to_wire(name: JobName) -> v1::JobName {
    v1::JobName {
        node: name.node.0,
        key_high: name.key.0[0],
        key_low: name.key.0[1],
        kind: kind_to_wire(name.kind).into(),
        serial: name.serial.into(),
    }
}

pub(super) fn job_name_from_wire(name: v1::JobName) -> Result<JobName, WireError> {
    let kind = match name.kind() {
        v1::JobKind::Engine => JobKind::Engine,
        v1::JobKind::Verifier => JobKind::Verifier,
        v1::JobKind::Unspecified => return Err(WireError::Missing("kind")),
    };
    Ok(JobName {
        node: NodeId(name.node),
        key: NodeKey([name.key_high, name.key_low]),
        kind,
        serial: u16::try_from(name.serial).map_err(|_| WireError::Missing("serial"))?,
    })
}

pub(super) fn numbers_to_wire(numbers: Numbers) -> v1::Numbers {
    v1::Numbers {
        proof: numbers.proof,
        disproof: numbers.disproof,
    }
}

pub(super) fn verdict_to_wire(verdict: Verdict) -> v1::Verdict {
    match verdict {
        Verdict::Open => v1::Verdict::Open,
        Verdict::Proved => v1::Verdict::Proved,
        Verdict::Failed => v1::Verdict::Failed,
    }
}

pub(super) fn search_to_wire(search: &SearchSnapshot) -> v1::SearchReport {
    let view = &search.view;
    v1::SearchReport {
        search: view.search.0,
        game: search.game.clone(),
        root: Some((&search.root).into()),
        attacker: colour_to_wire(view.attacker).into(),
        share: view.share,
        verdict: verdict_to_wire(view.verdict).into(),
        numbers: Some(numbers_to_wire(view.numbers)),
        stopped: view.stopped,
    }
}
