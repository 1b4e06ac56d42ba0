//! Each rule that keeps the solver sound is broken in turn, and the tests must notice.

#![cfg(feature = "mutations")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gridproof_certificate::check;
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use gridproof_solver::{Budget, Rule, Solver, Verdict, VerifierOptions, break_rule};
use support::{Case, VARIANTS};

/// Far more than any broken rule needed when this was written.
const POSITIONS: usize = 500;

/// Connect(6,2,3) proved with a broken rule: does the checker notice?
fn lie_about_connect623() -> Option<String> {
    let rules = Rules::CONNECT6.with_first_stones(3);
    let stones = ["J10", "K11", "L10"].map(|name| name.parse().expect("a square"));
    let position = Position::start(rules).after(&Move::full(stones));
    let mut budget = Budget::of_nodes(200_000);
    let run = Solver::new(rules)
        .verify(&position, VerifierOptions::default(), &mut budget, &mut ())
        .expect("the game is on");
    match run.verdict {
        Verdict::Proved(win) => check(&win.proof).err().map(|refusal| refusal.to_string()),
        _ => None,
    }
}

/// On the left every segment holds black stones, on the right each holds one white stone: Black
/// wins, but not with a white stone more on M2. The checker's tests prove both.
const NULLS_MATTER: [&str; 5] = [
    "..B.W..BB....W...",
    "B.W.BB....W....W.",
    ".B....BB....W....",
    ".B.B.W..BW....W..",
    "BB...BB....W....W",
];

/// A zone that excuses M2 there is false. By chance such positions are met too seldom.
fn lie_about_nulls() -> Option<String> {
    let rules = Rules::new(17, 5, 5, 2, 1).expect("a game");
    let mut stones = [SquareSet::EMPTY; 2];
    for (text, row) in NULLS_MATTER.iter().rev().zip(0..) {
        for (letter, column) in text.chars().zip(0..) {
            if let Some(colour) = Colour::from_letter(letter) {
                stones[colour.index()].insert(Square::new(column, row));
            }
        }
    }
    let [black, white] = stones;
    let position = Position::of_stones(rules, &black, &white, Colour::White).expect("open");
    let mut budget = Budget::of_nodes(200_000);
    let run = Solver::new(rules)
        .verify(&position, VerifierOptions::default(), &mut budget, &mut ())
        .expect("the game is on");
    match run.verdict {
        Verdict::Proved(win) => {
            let stone: Square = "M2".parse().expect("a square");
            let excused = win.zone.excuses_in(&rules, &[stone]);
            excused.then(|| "a zone excuses M2, wrongly".to_owned())
        }
        _ => None,
    }
}

/// The first lie that a search with a broken rule tells.
fn first_lie(rule: Rule) -> Option<String> {
    break_rule(Some(rule));
    let told = |lie: &mut dyn FnMut() -> Option<String>| match catch_unwind(AssertUnwindSafe(lie)) {
        Ok(told) => told,
        Err(_) => Some("an assertion fails".to_owned()),
    };
    let lie = told(&mut lie_about_connect623)
        .or_else(|| told(&mut lie_about_nulls))
        .or_else(|| {
            VARIANTS.into_iter().find_map(|variant| {
                let mut case = Case::new(variant, 1);
                (0..POSITIONS).find_map(|_| told(&mut || case.try_one().err()))
            })
        });
    break_rule(None);
    lie
}

#[test]
fn every_broken_rule_is_noticed() {
    assert_eq!(lie_about_nulls(), None, "the whole rules tell no lie");
    // A block with more stones than needed matters too seldom to be met by chance: the test
    // beside the rule breaks it on a position made for it.
    let by_chance = Rule::ALL
        .into_iter()
        .filter(|&rule| rule != Rule::RelaxedBlocks);
    let missed: Vec<_> = by_chance
        .filter(|&rule| {
            let lie = first_lie(rule);
            match &lie {
                Some(lie) => println!("{rule:?}: {lie}"),
                None => println!("{rule:?}: not noticed"),
            }
            lie.is_none()
        })
        .collect();
    assert!(
        missed.is_empty(),
        "breaking these went unnoticed: {missed:?}"
    );
}
