//! The core's types on the wire.

use gridproof_game::{Move, Rules};
use gridproof_host::words::printable;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::{MOST_ANSWERS, WireError, colour_to_wire, v1};
use gridproof_search::{
    Goal, JobEnd, JobId, JobKind, MOST_SUGGESTIONS, NodeId, NodeKey, Numbers, Status, Suggestion,
    Verdict,
};

use crate::coordinator::{Claim, SearchSnapshot, Snapshot, WorkerSnapshot};

/// Of longer lists of open replies only the beginning counts, and of lists longer than the job allows.
/// An honest verifier stops at 48 at the attacker's second turn, and elsewhere at 8, twice as many at
/// each level: at most 2,048.
pub(super) const MOST_OPEN: usize = 2048;
pub(super) const LONGEST_REASON: usize = 200;

pub(super) fn kind_to_wire(kind: JobKind) -> v1::JobKind {
    match kind {
        JobKind::Engine => v1::JobKind::Engine,
        JobKind::Verifier => v1::JobKind::Verifier,
    }
}

pub(super) fn job_id_to_wire(id: JobId) -> v1::JobName {
    v1::JobName {
        node: id.node.0,
        key_high: id.key.0[0],
        key_low: id.key.0[1],
        kind: kind_to_wire(id.kind).into(),
        serial: id.serial.into(),
    }
}

pub(super) fn job_id_from_wire(name: v1::JobName) -> Result<JobId, WireError> {
    let kind = match name.kind() {
        v1::JobKind::Engine => JobKind::Engine,
        v1::JobKind::Verifier => JobKind::Verifier,
        v1::JobKind::Unspecified => return Err(WireError::Missing("kind")),
    };
    Ok(JobId {
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
        paused: search.paused,
    }
}

/// What a worker says at a job's end.
pub(super) fn claim_from_wire(
    rules: &Rules,
    done: v1::Done,
    most_open: usize,
) -> Result<Claim, WireError> {
    let read = |mv: Option<&v1::Move>| -> Result<Move, WireError> {
        mv.ok_or(WireError::Missing("move"))?.read(rules)
    };
    Ok(match done.outcome.ok_or(WireError::Missing("outcome"))? {
        Outcome::Won(won) => Claim::Won {
            certificate: won.certificate.into(),
        },
        Outcome::Suggestions(suggestions) => {
            let best = suggestions.moves.iter().take(MOST_SUGGESTIONS);
            let moves = best.map(|suggestion| {
                let mv = read(suggestion.r#move.as_ref())?;
                let status = status_from_wire(suggestion.status)?;
                Ok(Suggestion { mv, status })
            });
            let moves = moves.collect::<Result<Vec<_>, WireError>>()?;
            if moves.is_empty() {
                return Err(WireError::Missing("suggestion"));
            }
            Claim::Moves(moves)
        }
        Outcome::NoMove(_) => Claim::NoMoreMoves,
        Outcome::Open(open) => {
            let is_cut = open.moves.len() > most_open;
            let answers = open.answers.into_iter().take(MOST_ANSWERS).map(|answer| {
                let mv = read(answer.r#move.as_ref())?;
                Ok((mv, answer.certificate.into()))
            });
            let answers = answers.collect::<Result<_, WireError>>()?;
            let moves = open.moves.iter().take(most_open).map(|mv| mv.read(rules));
            Claim::Open {
                moves: moves.collect::<Result<_, _>>()?,
                answers,
                came_to_all: !open.cut_short && !is_cut,
            }
        }
        Outcome::Refuted(_) => Claim::Refuted,
        Outcome::Unknown(_) => Claim::Unknown,
        Outcome::Broken(v1::Broken { reason }) => unanswered(JobEnd::Broken, &reason),
        Outcome::HandedBack(v1::HandedBack { reason }) => unanswered(JobEnd::HandedBack, &reason),
    })
}

fn unanswered(end: JobEnd, reason: &str) -> Claim {
    let reason = stranger_words(reason, LONGEST_REASON);
    Claim::Unanswered { end, reason }
}

/// What a worker wrote, for logs and tables.
pub(super) fn stranger_words(text: &str, longest: usize) -> String {
    printable(&text.chars().take(longest).collect::<String>())
}

/// What a job is to find.
pub(super) fn goal_to_wire(goal: Goal) -> v1::push::Goal {
    match goal {
        Goal::Win => v1::push::Goal::FindWin(v1::FindWin {}),
        Goal::Moves => v1::push::Goal::FindMoves(v1::FindMoves {}),
        Goal::Replies(limits) => v1::push::Goal::FindReplies(v1::ReplyLimits {
            nodes_per_reply: limits.nodes_per_reply,
            times_per_null: limits.times_per_null,
            most_open: limits.most_open,
        }),
    }
}

pub(super) fn status_from_wire(status: i32) -> Result<Status, WireError> {
    Ok(match v1::Status::try_from(status) {
        Ok(v1::Status::Won) => Status::Won,
        Ok(v1::Status::AlmostWon) => Status::AlmostWon,
        Ok(v1::Status::Strong3) => Status::Strong3,
        Ok(v1::Status::Strong2) => Status::Strong2,
        Ok(v1::Status::Strong1) => Status::Strong1,
        Ok(v1::Status::Quiet) => Status::Quiet,
        Ok(v1::Status::Unclear | v1::Status::Unspecified) => Status::Unclear,
        Ok(v1::Status::Weak1) => Status::Weak1,
        Ok(v1::Status::Weak2) => Status::Weak2,
        Ok(v1::Status::Weak3) => Status::Weak3,
        Ok(v1::Status::AlmostLost) => Status::AlmostLost,
        Ok(v1::Status::Lost) => Status::Lost,
        Err(_) => return Err(WireError::Status(status)),
    })
}

pub(super) fn totals_to_wire(snapshot: &Snapshot) -> v1::Totals {
    let stats = &snapshot.stats;
    let wasted = stats.wasted.values();
    let has_failed = |search: &&SearchSnapshot| search.view.verdict == Verdict::Failed;
    v1::Totals {
        nodes: snapshot.nodes as u64,
        proved: snapshot.proved as u64,
        failed: snapshot.searches.iter().filter(has_failed).count() as u64,
        jobs_running: snapshot.running_jobs as u64,
        jobs_done: stats.answers,
        jobs_wasted: wasted.map(|wasted| wasted.leases).sum(),
        spent: stats.useful_nodes,
        workers: snapshot
            .workers
            .iter()
            .filter(|worker| worker.connected)
            .count() as u32,
        slots: snapshot.slots(),
    }
}

pub(super) fn worker_to_wire(worker: WorkerSnapshot) -> v1::WorkerReport {
    let record = worker.reliability;
    let quarantine = record.quarantine.map(|reason| reason.to_string());
    v1::WorkerReport {
        name: worker.name,
        connected: worker.connected,
        banned: worker.banned,
        slots: worker.slots.into(),
        running: u32::try_from(worker.running).unwrap_or(u32::MAX),
        version: worker.version,
        reliability: Some(v1::Reliability {
            answers: record.answers,
            wins: record.wins,
            refused: record.refused,
            late: record.late,
            confirmed: record.confirmed,
            contradicted: record.contradicted,
            quarantine: quarantine.unwrap_or_default(),
        }),
    }
}
