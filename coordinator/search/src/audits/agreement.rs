//! Whether two answers to the same job say the same.

use gridproof_game::Move;

use crate::job::{JobResult, Suggestion};
use crate::numbers::Status;

/// How far opinions of the same move may lie apart, on the scale of [`Status::ALL`].
const TOLERANCE: usize = 2;

/// Whether two answers to the same job say about the same. A job gives the same answer on any
/// machine, but engines come in versions: what matters is that neither leads the search astray.
pub(super) fn agree(one: &JobResult, other: &JobResult) -> bool {
    match (one, other) {
        (JobResult::Moves(one), JobResult::Moves(other)) => agree_on_moves(one, other),
        (
            JobResult::Open(one) | JobResult::OpenSoFar(one),
            JobResult::Open(other) | JobResult::OpenSoFar(other),
        ) => is_mostly_shared(one, other),
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Half of the longer list, at least, is in the other too.
fn is_mostly_shared(one: &[Move], other: &[Move]) -> bool {
    let shared = one.iter().filter(|mv| other.contains(mv)).count();
    2 * shared >= one.len().max(other.len())
}

/// Half of the longer list is in the other too, and is thought of alike.
fn agree_on_moves(one: &[Suggestion], other: &[Suggestion]) -> bool {
    let alike = one.iter().filter(|ours| {
        let theirs = other.iter().find(|theirs| theirs.mv == ours.mv);
        theirs.is_some_and(|theirs| is_near(ours.status, theirs.status))
    });
    2 * alike.count() >= one.len().max(other.len())
}

fn is_near(one: Status, other: Status) -> bool {
    let place = |status| Status::ALL.iter().position(|&known| known == status);
    match (place(one), place(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) <= TOLERANCE,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::Square;

    use super::*;

    fn mv(index: usize) -> Move {
        Move::full([Square::from_index(index)])
    }

    fn moves(count: usize, status: Status) -> JobResult {
        let suggestions = (0..count).map(|index| Suggestion {
            mv: mv(index),
            status,
        });
        JobResult::Moves(suggestions.collect())
    }

    fn open(count: usize) -> JobResult {
        JobResult::Open((0..count).map(mv).collect())
    }

    #[test]
    fn small_differences_are_none() {
        assert!(agree(
            &moves(8, Status::Strong1),
            &moves(6, Status::Strong3)
        ));
        assert!(agree(&open(8), &open(12)));
        assert!(agree(&JobResult::NoMoreMoves, &JobResult::NoMoreMoves));
    }

    #[test]
    fn opinions_that_lead_astray_do_not_agree() {
        let honest = moves(8, Status::Quiet);
        assert!(!agree(&honest, &moves(32, Status::Quiet)), "padded");
        assert!(!agree(&honest, &moves(8, Status::Won)), "praised");
        assert!(!agree(&honest, &moves(8, Status::Lost)), "run down");
        assert!(!agree(&honest, &JobResult::NoMoreMoves));
        assert!(!agree(&honest, &JobResult::Unknown));
        assert!(!agree(&open(4), &open(200)), "all open");
        assert!(!agree(&open(9), &open(1)), "hardly any open");
        assert!(!agree(&JobResult::Won, &JobResult::Unknown));
    }
}
