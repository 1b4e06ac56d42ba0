//! Each rule that keeps the solver sound is broken in turn, and the tests must notice.

#![cfg(feature = "mutations")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gridproof_certificate::check;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{Budget, Known, Rule, Solver, Verdict, VerifierOptions, break_rule};
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
        .verify(
            &position,
            VerifierOptions::default(),
            Known::default(),
            &mut budget,
            &mut (),
        )
        .expect("the game is on");
    match run.verdict {
        Verdict::Proved(win) => check(&win.proof).err().map(|refusal| refusal.to_string()),
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
    let lie = told(&mut lie_about_connect623).or_else(|| {
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
