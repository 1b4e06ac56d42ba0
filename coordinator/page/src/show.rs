//! Small things that several screens show alike.

use std::time::Duration;

use gridproof_game::{Colour, Move, Position};
use gridproof_grid::coordinator::{JobDetails, NodeStatus, SearchSnapshot};
use gridproof_search::{JobKind, Numbers, SearchView, Verdict};
use maud::{Markup, html};

use crate::texts::{self, job as words, state};

/// The style and the word of a state.
#[must_use]
pub const fn status_name(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Running => state::RUNNING,
        NodeStatus::Open => state::OPEN,
        NodeStatus::Proved => state::PROVED,
        NodeStatus::Excused => state::EXCUSED,
        NodeStatus::Failed => state::FAILED,
        NodeStatus::Forgotten => state::FORGOTTEN,
        NodeStatus::Paused => state::PAUSED,
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
pub fn search_state(view: &SearchView) -> Markup {
    let attacker = colour_name(view.attacker);
    let (style, words) = match view.verdict {
        Verdict::Proved => ("proved", format!("{attacker} {}", state::WINS)),
        Verdict::Failed => ("failed", state::NOTHING_LEFT.to_owned()),
        Verdict::Open if view.stopped => ("stopped", state::STOPPED.to_owned()),
        Verdict::Open => (
            "open",
            format!("{}, {attacker} {}", state::OPEN, state::TO_PROVE),
        ),
    };
    html! { span .state .(style) { (words) } }
}

/// The one word of a search's state.
#[must_use]
pub const fn search_state_name(search: &SearchSnapshot) -> &'static str {
    match search.view.verdict {
        Verdict::Proved => state::PROVED,
        Verdict::Failed => state::FAILED,
        Verdict::Open if search.view.stopped => state::STOPPED,
        Verdict::Open if search.view.running_jobs > 0 => state::RUNNING,
        Verdict::Open => state::OPEN,
    }
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
        Colour::Black => texts::BLACK,
        Colour::White => texts::WHITE,
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

/// How many moves led to a position, as far as its stones tell.
#[must_use]
pub fn moves_played(position: &Position) -> usize {
    let (rules, stones) = (position.rules(), position.stone_count());
    let first = usize::from(rules.first_stones());
    match stones {
        0 => 0,
        _ => {
            1 + stones
                .saturating_sub(first)
                .div_ceil(usize::from(rules.stones_per_turn()))
        }
    }
}

/// Twelve seconds, three minutes, two hours: as short as can be.
#[must_use]
pub fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
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

/// A count of which most are nothing.
#[must_use]
pub fn few(count: usize) -> Markup {
    match count {
        0 => html! { span .faint { "–" } },
        count => html! { (count) },
    }
}

/// The kind of a job.
#[must_use]
pub const fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Engine => words::ENGINE,
        JobKind::Verifier => words::VERIFIER,
    }
}

/// Who works on a job, since when, and how far it is.
#[must_use]
pub fn job_words(job: &JobDetails) -> String {
    let kind = kind_name(job.kind);
    let asked = match &job.author {
        Some(author) => format!(", {} {author}", words::ASKED_BY),
        None => String::new(),
    };
    if job.lease.is_none() {
        return format!("{kind} {}{asked}", words::WAITS);
    }
    let done = format!("{} / {}", count(job.spent), count(job.budget));
    format!(
        "{kind} {} {}, {}, {done}{asked}",
        words::ON,
        job.worker,
        age(job.age)
    )
}

#[cfg(test)]
mod tests {
    use gridproof_game::read_game;

    use super::*;

    #[test]
    fn large_counts_are_short() {
        assert_eq!(
            [9_999, 12_345, 1_234_567].map(count),
            ["9999", "12k", "1.2M"]
        );
    }

    #[test]
    fn moves_are_counted_from_the_first_stone() {
        let game = read_game(b"TX-H9 k11,l10").unwrap();
        assert_eq!(moves_played(game.position()), 3);
    }
}
