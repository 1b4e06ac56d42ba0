//! The engine job, from outside.

use gridproof_engine::{Answer, Engine, EngineError, Suggestion};
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

fn suggest(engine: &mut Engine, position: &Position, excluded: &[Move]) -> Answer {
    let mut budget = Budget::of_nodes(FEW);
    engine.suggest(position, excluded, &mut budget).unwrap()
}

fn suggested(engine: &mut Engine, position: &Position, excluded: &[Move]) -> Move {
    match suggest(engine, position, excluded) {
        Answer::Suggest(moves) => moves[0].mv.clone(),
        other => panic!("{other:?}"),
    }
}

fn refusal(position: &Position, excluded: &[Move]) -> EngineError {
    let mut budget = Budget::of_nodes(FEW);
    let mut engine = Engine::new(Rules::CONNECT6);
    engine
        .suggest(position, excluded, &mut budget)
        .expect_err("it should be refused")
}

#[test]
fn a_won_position_is_answered_with_its_proof() {
    let black: SquareSet = squares("J10 K10 L10 M10").collect();
    let white: SquareSet = squares("A1 B2 C5").collect();
    let position = Position::of_stones(Rules::CONNECT6, &black, &white, Colour::Black).unwrap();
    let answer = suggest(&mut Engine::new(Rules::CONNECT6), &position, &[]);
    let Answer::Won(win) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(win.proof.start(), &position);
    assert_eq!(win.proof.attacker(), Colour::Black);
}

#[test]
fn a_glance_finds_a_win_or_says_nothing() {
    let black: SquareSet = squares("J10 K10 L10 M10").collect();
    let white: SquareSet = squares("A1 B2 C5").collect();
    let won = Position::of_stones(Rules::CONNECT6, &black, &white, Colour::Black).unwrap();
    let mut engine = Engine::new(Rules::CONNECT6);
    let mut job = |position: &Position, level| {
        let mut budget = Budget::of_nodes(FEW);
        engine.job(position, &[], level, &mut budget).unwrap()
    };
    assert!(matches!(job(&won, 0), Some(Answer::Won(_))));
    assert!(job(&opening("TX-H9"), 0).is_none());
    assert!(matches!(
        job(&opening("TX-H9"), 1),
        Some(Answer::Suggest(_))
    ));
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
    while let Answer::Suggest(moves) = suggest(&mut engine, &position, &excluded) {
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
fn a_cancelled_job_says_so() {
    let cancel = Cancel::default();
    cancel.cancel();
    let mut budget = Budget::of_nodes(u64::MAX).cancelled_by(cancel);
    let answer = Engine::new(Rules::CONNECT6).suggest(&opening("TX-H9"), &[], &mut budget);
    assert_eq!(answer.unwrap_err(), EngineError::Cancelled);
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
        let mut budget = Budget::of_nodes(1_000);
        let answer = Engine::new(rules)
            .suggest(&start, &[], &mut budget)
            .unwrap();
        let mv = match answer {
            Answer::Suggest(moves) => moves[0].mv.clone(),
            Answer::Won(win) => win.proof.first_move().unwrap().clone(),
            Answer::NoMove => panic!("{text}: no move"),
        };
        start.clone().play(&mv).unwrap();
    }
}
