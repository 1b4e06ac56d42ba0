//! The engine, from outside.

use gridproof_engine::{Engine, EngineError, Goal, Request, SearchResult, Suggestion};
use gridproof_game::{Colour, Move, Opening, PlayError, Position, Rules, Square, SquareSet};
use gridproof_solver::{Budget, Cancel};

const FEW: u64 = 30_000;

fn squares(text: &str) -> impl Iterator<Item = Square> + '_ {
    text.split(' ').map(|name| name.parse().unwrap())
}

fn mv(text: &str) -> Move {
    Move::full(squares(text))
}

fn opening(name: &str) -> Position {
    name.parse::<Opening>().unwrap().position()
}

fn search(
    engine: &mut Engine,
    position: &Position,
    excluded: &[Move],
    goal: Goal,
    mut budget: Budget<'_>,
) -> Result<SearchResult, EngineError> {
    let request = Request {
        position,
        excluded,
        goal,
    };
    engine.search(&request, &mut budget)
}

fn suggest(engine: &mut Engine, position: &Position, excluded: &[Move]) -> SearchResult {
    let budget = Budget::of_nodes(FEW);
    search(engine, position, excluded, Goal::Moves, budget).unwrap()
}

fn suggested(engine: &mut Engine, position: &Position, excluded: &[Move]) -> Move {
    match suggest(engine, position, excluded) {
        SearchResult::Moves(moves) => moves[0].mv.clone(),
        other => panic!("{other:?}"),
    }
}

fn refusal(position: &Position, excluded: &[Move]) -> EngineError {
    let mut engine = Engine::new(Rules::CONNECT6);
    let budget = Budget::of_nodes(FEW);
    search(&mut engine, position, excluded, Goal::Moves, budget).expect_err("it should be refused")
}

/// Four in a row, Black to move.
fn won() -> Position {
    let black: SquareSet = squares("J10 K10 L10 M10").collect();
    let white: SquareSet = squares("A1 B2 C5").collect();
    Position::of_stones(Rules::CONNECT6, &black, &white, Colour::Black).unwrap()
}

#[test]
fn a_won_position_is_answered_with_its_proof() {
    let position = won();
    let answer = suggest(&mut Engine::new(Rules::CONNECT6), &position, &[]);
    let SearchResult::Won(win) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(win.proof.start(), &position);
    assert_eq!(win.proof.attacker(), Colour::Black);
}

#[test]
fn a_search_for_a_win_finds_one_or_says_nothing() {
    let mut engine = Engine::new(Rules::CONNECT6);
    let mut find = |position: &Position, goal| {
        let budget = Budget::of_nodes(FEW);
        search(&mut engine, position, &[], goal, budget).unwrap()
    };
    let quiet = opening("TX-H9");
    assert!(matches!(find(&won(), Goal::Win), SearchResult::Won(_)));
    assert!(matches!(find(&quiet, Goal::Win), SearchResult::Unknown));
    assert!(matches!(find(&quiet, Goal::Moves), SearchResult::Moves(_)));
}

#[test]
fn a_known_winning_third_move_is_among_the_first() {
    let mut engine = Engine::new(Rules::CONNECT6);
    for (name, known) in [("TX-H9", "K11 L10"), ("TX-H8", "L10 K9")] {
        let mut excluded = Vec::new();
        let found = (0..10).any(|_| {
            let next = suggested(&mut engine, &opening(name), &excluded);
            excluded.push(next.clone());
            next == mv(known)
        });
        assert!(found, "{name}: {known} is not among {excluded:?}");
    }
}

#[test]
fn no_move_is_suggested_twice_and_in_the_end_there_is_none() {
    let rules = Rules::new(5, 5, 5, 2, 2).unwrap();
    let mut engine = Engine::new(rules);
    let position = Position::start(rules).after(&mv("C3 B2"));
    let mut excluded = Vec::new();
    while let SearchResult::Moves(moves) = suggest(&mut engine, &position, &excluded) {
        for Suggestion { mv, .. } in moves {
            assert!(!excluded.contains(&mv), "{mv} comes twice");
            position.clone().play(&mv).unwrap();
            excluded.push(mv);
        }
    }
    assert!(!excluded.is_empty());
}

#[test]
fn the_answer_does_not_depend_on_what_was_asked_before() {
    let position = opening("TX-H12");
    let mut used = Engine::new(Rules::CONNECT6);
    let first = suggested(&mut used, &position, &[]);
    let second = suggested(&mut used, &position, std::slice::from_ref(&first));
    let mut fresh = Engine::new(Rules::CONNECT6);
    assert_eq!(suggested(&mut fresh, &position, &[first]), second);
}

#[test]
fn of_two_mirror_images_only_one_is_suggested() {
    let position = opening("XX-L8");
    let mut engine = Engine::new(Rules::CONNECT6);
    let first = suggested(&mut engine, &position, &[]);
    let mirror = |square: Square| Square::new(18 - square.column(), square.row());
    let second = suggested(&mut engine, &position, std::slice::from_ref(&first));
    assert_ne!(second, first.map(mirror));
    assert_eq!(
        suggested(&mut engine, &position, &[first.map(mirror)]),
        second
    );
}

#[test]
fn an_excluded_move_must_be_legal() {
    let position = opening("TX-H9");
    assert!(matches!(
        refusal(&position, &[mv("J10 K11")]),
        EngineError::Excluded {
            reason: PlayError::Taken(..),
            ..
        }
    ));
    assert!(matches!(
        refusal(&position, &[mv("K11")]),
        EngineError::Excluded {
            reason: PlayError::Count { .. },
            ..
        }
    ));
    assert_eq!(
        refusal(&position, &[Move::null(2)]),
        EngineError::ExcludedNull(Move::null(2))
    );
}

#[test]
fn a_finished_game_and_another_game_are_refused() {
    let black: SquareSet = squares("A1 B1 C1 D1 E1 F1").collect();
    let over =
        Position::of_stones(Rules::CONNECT6, &black, &SquareSet::EMPTY, Colour::White).unwrap();
    assert_eq!(refusal(&over, &[]), EngineError::Won(Colour::Black));
    let other = Position::start(Rules::new(9, 9, 5, 1, 1).unwrap());
    assert!(matches!(refusal(&other, &[]), EngineError::Rules { .. }));
}

#[test]
fn a_cancelled_search_says_so() {
    let cancel = Cancel::default();
    cancel.cancel();
    let mut engine = Engine::new(Rules::CONNECT6);
    for goal in [Goal::Win, Goal::Moves] {
        let budget = Budget::of_nodes(u64::MAX).cancelled_by(cancel.clone());
        let answer = search(&mut engine, &opening("TX-H9"), &[], goal, budget);
        assert_eq!(answer.unwrap_err(), EngineError::Cancelled);
    }
}

#[test]
fn games_of_any_shape_get_a_legal_first_move() {
    for text in [
        "19,19,6,2,1",
        "3,3,3,1,1",
        "9,4,4,3,2",
        "32,32,6,2,3",
        "1,1,1,1,1",
        "5,1,6,2,1",
    ] {
        let rules: Rules = text.parse().unwrap();
        let start = Position::start(rules);
        let (mut engine, budget) = (Engine::new(rules), Budget::of_nodes(1_000));
        let mv = match search(&mut engine, &start, &[], Goal::Moves, budget).unwrap() {
            SearchResult::Moves(moves) => moves[0].mv.clone(),
            SearchResult::Won(win) => win.proof.first_move().unwrap().clone(),
            SearchResult::NoMoves | SearchResult::Unknown => panic!("{text}: no move"),
        };
        start.clone().play(&mv).unwrap();
    }
}
