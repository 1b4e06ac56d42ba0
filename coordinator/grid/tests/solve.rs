//! A small game from its start to its proof, and one that is left in between.

use std::num::NonZeroU16;
use std::sync::Arc;

use gridproof_certificate::check;
use gridproof_game::{Colour, Position, Rules};
use gridproof_grid::coordinator::CoordinatorOptions;
use gridproof_grid::store::MemoryStore;
use gridproof_grid::{SolveEnd, SolveOptions, solve};

fn options() -> SolveOptions {
    SolveOptions {
        game: "a line of three".to_owned(),
        // Two stones a turn, the first turn one: Black completes three at once.
        root: Position::start(Rules::new(5, 5, 3, 2, 1).unwrap()),
        attacker: Colour::Black,
        threads: NonZeroU16::MIN,
        coordinator: CoordinatorOptions::default(),
    }
}

#[tokio::test]
async fn a_solved_game_comes_with_a_proof_that_the_checker_accepts() {
    let store = Arc::new(MemoryStore::new());
    let never = std::future::pending();
    let fail = |failure| panic!("{failure}");
    let observe = |_, _, over: tokio_util::sync::CancellationToken| over.cancelled_owned();
    let solved = solve(store, options(), fail, never, observe).await.unwrap();
    let SolveEnd::Proved(proof) = solved.end else {
        panic!("{:?}", solved.end);
    };
    let checked = check(&proof).unwrap();
    assert_eq!(checked.claim.attacker, Colour::Black);
    assert!(solved.totals.proved > 0);
}

#[tokio::test]
async fn who_leaves_at_once_has_lost_nothing() {
    let store = Arc::new(MemoryStore::new());
    let fail = |failure| panic!("{failure}");
    let observe = |_, _, _| async {};
    let at_once = std::future::ready(());
    let left = solve(Arc::clone(&store) as _, options(), fail, at_once, observe);
    let left = left.await.unwrap();
    assert!(matches!(left.end, SolveEnd::Left | SolveEnd::Proved(_)));
    let never = std::future::pending();
    let solved = solve(store, options(), fail, never, |_, _, _| async {}).await;
    assert!(matches!(solved.unwrap().end, SolveEnd::Proved(_)));
}
