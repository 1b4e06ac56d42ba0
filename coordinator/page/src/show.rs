//! Small things that several screens show alike.

use std::time::Duration;

use gridproof_game::{Colour, Move};
use gridproof_grid::coordinator::{JobDetails, NodeStatus};
use gridproof_search::{JobKind, Numbers, Verdict};
use maud::{Markup, html};

use crate::look::SearchRoot;

/// The style and the word of a state.
#[must_use]
pub const fn status_name(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Running => "running",
        NodeStatus::Open => "open",
        NodeStatus::Proved => "proved",
        NodeStatus::Excused => "excused",
        NodeStatus::Failed => "failed",
        NodeStatus::Forgotten => "forgotten",
        NodeStatus::Paused => "paused",
    }
}

/// A state with its sign.
#[must_use]
pub fn status(status: NodeStatus) -> Markup {
    let name = status_name(status);
    html! { span .state .(name) { (name) } }
}

/// How a search stands, in a sentence.
#[must_use]
pub fn search_state(root: &SearchRoot) -> Markup {
    let attacker = colour_name(root.view.attacker);
    let (style, words) = match root.view.verdict {
        Verdict::Proved => ("proved", format!("{attacker} wins")),
        Verdict::Failed => ("failed", "nothing left to try".to_owned()),
        Verdict::Open if root.view.stopped => ("stopped", "stopped".to_owned()),
        Verdict::Open => ("open", format!("open, {attacker} to prove")),
    };
    html! { span .state .(style) { (words) } }
}

/// Proof and disproof number.
#[must_use]
pub fn numbers(numbers: Numbers) -> String {
    numbers.to_string()
}

/// What a person calls a colour.
#[must_use]
pub const fn colour_name(colour: Colour) -> &'static str {
    match colour {
        Colour::Black => "Black",
        Colour::White => "White",
    }
}

/// A move as people write it.
#[must_use]
pub fn move_name(mv: &Move) -> String {
    let squares = mv
        .stones()
        .iter()
        .map(|square| square.to_string().to_uppercase());
    let passes = (0..mv.nulls()).map(|_| "pass".to_owned());
    squares.chain(passes).collect::<Vec<_>>().join(" ")
}

/// Twelve seconds, three minutes, two hours: as short as can be.
#[must_use]
pub fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// 1,234,567 as 1.2M.
#[must_use]
pub fn count(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", count / 1000),
        1_000_000..1_000_000_000 => format!("{:.1}M", count as f64 / 1e6),
        _ => format!("{:.1}G", count as f64 / 1e9),
    }
}

/// The kind of a job.
#[must_use]
pub const fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Engine => "engine",
        JobKind::Verifier => "verifier",
    }
}

/// Who works on a job, since when, and how far it is.
#[must_use]
pub fn job_words(job: &JobDetails) -> String {
    let kind = kind_name(job.kind);
    let done = format!("{} of {} nodes", count(job.spent), count(job.budget));
    let asked = job
        .author
        .as_ref()
        .map_or_else(String::new, |author| format!(", asked by {author}"));
    if job.lease.is_none() {
        format!("{kind} job waits for a worker{asked}")
    } else {
        format!(
            "{kind} job on {}, {}, {done}{asked}",
            job.worker,
            age(job.age)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_short() {
        assert_eq!(
            [9_999, 12_345, 1_234_567].map(count),
            ["9999", "12k", "1.2M"]
        );
    }
}
