//! A store of proofs: what fits is answered without a search, what does not is searched.

use gridproof_certificate::check;
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet, Symmetry};
use gridproof_solver::{
    Budget, Known, Order, Outcome, ProofStore, Solver, SolverOptions, Verdict, VerifierOptions, Win,
};

fn squares(names: &str) -> SquareSet {
    let square = |name: &str| name.parse::<Square>().expect("a square");
    names.split_whitespace().map(square).collect()
}

/// The V of Connect(6,2,3), with White's stones somewhere and Black to move.
fn v_against(white: &str) -> Position {
    let black = squares("J10 K11 L10");
    let position = Position::of_stones(Rules::CONNECT6, &black, &squares(white), Colour::Black);
    position.expect("nobody has won")
}

/// A win that is accepted, and the nodes it took.
fn win(store: &mut ProofStore, position: &Position) -> (Win, u64) {
    let mut budget = Budget::of_nodes(20_000);
    let solver = Solver::new(*position.rules());
    let outcome = solver.remembering(store).win(
        position,
        Order::SINGLE_THREATS,
        SolverOptions::default(),
        &mut budget,
    );
    let Ok(Outcome::Won(win)) = outcome else {
        panic!("Black wins {position:?}")
    };
    assert_eq!(win.proof.start(), position);
    check(&win.proof).expect("a proof of this position");
    (*win, budget.spent())
}

#[test]
fn a_known_position_costs_nothing_however_it_is_turned() {
    let position = v_against("A1 S19");
    let mut store = ProofStore::default();
    assert!(win(&mut store, &position).1 > 0);
    for (turn, number) in Symmetry::all(&Rules::CONNECT6).zip(1..) {
        let turned = position.transformed(turn);
        let (win, nodes) = win(&mut store, &turned);
        assert_eq!(nodes, 0, "{turn:?}");
        assert_eq!(store.counts().same, number);
        // The zone was turned along: it is the one that the checker finds, or a narrower one.
        let checked = check(&win.proof).expect("it was accepted");
        let kept = win.zone.keep_free();
        assert!(checked.zone.must_stay_free().is_subset(kept), "{turn:?}");
    }
}

#[test]
fn stones_that_do_no_harm_and_stones_that_are_gone_change_nothing() {
    let mut store = ProofStore::default();
    win(&mut store, &v_against("A1 S19"));
    for (white, number) in ["A1 S19 A19", "A1", "", "B2 A18 S1 R3"]
        .into_iter()
        .zip(1..)
    {
        let (_, nodes) = win(&mut store, &v_against(white));
        assert_eq!(nodes, 0, "White at {white}");
        assert_eq!(store.counts().fitted, number, "White at {white}");
    }
    assert_eq!(store.counts().failed, 0);
}

#[test]
fn a_stone_where_the_proof_plays_is_searched() {
    let mut store = ProofStore::default();
    let (first, _) = win(&mut store, &v_against("A1 S19"));
    let mv = first.proof.first_move().expect("Black is to move");
    let white = format!("A1 {}", mv.stones()[0]);
    let (_, nodes) = win(&mut store, &v_against(&white));
    assert!(nodes > 0);
    let counts = store.counts();
    assert_eq!((counts.asked, counts.same, counts.fitted), (2, 0, 0));
}

#[test]
fn a_store_forgets_its_oldest_proofs() {
    let positions = ["A1 S19", "A1 I9", "A1 M9"].map(v_against);
    let taken = positions.each_ref().map(|position| {
        let mut alone = ProofStore::default();
        win(&mut alone, position);
        alone.nodes()
    });
    let largest = taken.into_iter().max().expect("there are three");
    let mut store = ProofStore::of_nodes(largest);
    for position in &positions {
        win(&mut store, position);
        assert!(store.nodes() <= largest);
    }
    assert!(store.nodes() > 0);
    assert_eq!(win(&mut store, &positions[2]).1, 0, "the newest is there");
}

/// The V once more, where the board's middle is also its own.
#[test]
fn replies_that_mirror_each_other_are_searched_once() {
    let rules = Rules::CONNECT6.with_first_stones(3);
    let stones = ["I10", "J11", "K10"].map(|name| name.parse().expect("a square"));
    let position = Position::start(rules).after(&Move::full(stones));
    let solver = Solver::new(rules);
    let options = VerifierOptions::default();
    let mut budget = Budget::of_nodes(200_000);
    let plain = solver.verify(&position, options, Known::default(), &mut budget, &mut ());
    let plain = plain.expect("the game is on").counts;
    let nodes = budget.spent();

    let mut store = ProofStore::default();
    let mut verify = || {
        let mut budget = Budget::of_nodes(200_000);
        let run = solver
            .remembering(&mut store)
            .verify(&position, options, Known::default(), &mut budget, &mut ())
            .expect("the game is on");
        let Verdict::Proved(win) = run.verdict else {
            panic!("Black wins")
        };
        check(&win.proof).expect("a proof of this position");
        (run.counts, budget.spent())
    };
    let (counts, fewer) = verify();
    println!("{plain:?} in {nodes} nodes; with a store {counts:?} in {fewer}");
    assert!(counts.recalled > 0 && counts.searched < plain.searched);
    assert!(fewer < nodes);
    assert_eq!(
        verify().1,
        0,
        "the second time the position itself is known"
    );
}
