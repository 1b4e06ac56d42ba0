//! What the checker accepts is true, and what is true it can be made to accept.

use gridproof_game::{Colour, Position, SquareSet, State};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::prover::Outcome;
use super::{Oracle, Prover, VARIANTS, random, random_position, rules, with_stones};
use crate::check::{Checked, Guards, check};
use crate::proof::{Node, Proof};

const ATTACKER: Colour = Colour::Black;

#[derive(Default, Debug)]
struct Tally {
    positions: usize,
    won: usize,
    out_of_budget: usize,
    stones_added: usize,
}

fn compare_with_the_exact_solver(positions_per_variant: usize, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for variant in VARIANTS {
        let rules = rules(variant);
        let mut random = random(seed);
        let mut oracle = Oracle::new(rules);
        for _ in 0..positions_per_variant {
            let to_move = *[Colour::Black, Colour::White].choose(&mut random).unwrap();
            let position = random_position(rules, 11, to_move, &mut random);
            compare(&position, &mut oracle, &mut random, &mut tally);
        }
    }
    tally
}

fn compare(position: &Position, oracle: &mut Oracle, random: &mut SmallRng, tally: &mut Tally) {
    let wins = oracle.wins(position, ATTACKER);
    tally.positions += 1;
    tally.won += usize::from(wins);
    let seed = random.random();
    match Prover::prove(position, ATTACKER, Guards::default(), super::random(seed)) {
        Outcome::Proof(proof) => {
            assert!(wins, "a false win: {position:?}\n{proof:?}");
            let checked = check(&proof).unwrap();
            assert_eq!(u64::from(checked.depth), u64::from(proof.stats().depth));
            assert_eq!(checked.lambda, proof.stats().lambda);
            add_irrelevant_stones(&proof, &checked, oracle, random, tally);
        }
        Outcome::None => assert!(!wins, "a win without a proof: {position:?}"),
        Outcome::OutOfBudget => tally.out_of_budget += 1,
    }
}

/// The zone says which stones do no harm: put some there, and the attacker must still win,
/// and the same proof must still be accepted.
fn add_irrelevant_stones(
    proof: &Proof,
    checked: &Checked,
    oracle: &mut Oracle,
    random: &mut SmallRng,
    tally: &mut Tally,
) {
    let start = proof.start();
    let mut empties: Vec<_> = start.empties().iter().collect();
    for _ in 0..3 {
        empties.shuffle(random);
        let mut added = SquareSet::EMPTY;
        for &square in &empties {
            let more = added.union(&[square].into_iter().collect());
            if checked.excuses(&more) && random.random_bool(0.8) {
                added = more;
            }
        }
        if added.is_empty() {
            continue;
        }
        tally.stones_added += added.len();
        let position = with_stones(start, ATTACKER.other(), &added);
        assert_eq!(position.state(), State::Open, "{start:?} with {added:?}");
        assert!(
            oracle.wins(&position, ATTACKER),
            "the zone of {start:?} excuses {added:?}, which do harm: {proof:?}"
        );
        if added.intersection(&completing_squares(proof)).is_empty() {
            let moved = Proof {
                start: position,
                ..Proof::clone(proof)
            };
            let again = check(&moved).expect("a proof holds wherever its zone says so");
            assert!(
                again
                    .zone
                    .must_stay_free()
                    .is_subset(checked.zone.must_stay_free())
            );
        }
    }
}

/// A move that completes a line may have to place more stones than the line lacks. The zone
/// does not need their squares, though the move as written does.
fn completing_squares(proof: &Proof) -> SquareSet {
    let mut squares = SquareSet::EMPTY;
    for (_, node) in proof.nodes() {
        if let Node::Attack { mv, then: None } = node {
            squares.extend(mv.stones().iter().copied());
        }
    }
    squares
}

#[test]
fn the_checker_accepts_proofs_of_exactly_the_won_positions_and_zones_are_sound() {
    let tally = compare_with_the_exact_solver(60, 1);
    println!("{tally:?}");
    assert!(tally.won * 5 > tally.positions, "too few wins: {tally:?}");
    assert!(tally.stones_added > 100, "too few stones: {tally:?}");
    assert!(tally.out_of_budget * 20 < tally.positions, "{tally:?}");
}

/// `GRIDPROOF_POSITIONS` positions a variant, from seed `GRIDPROOF_SEED`.
#[test]
#[ignore = "takes minutes; run with --ignored"]
fn long_comparison_with_the_exact_solver() {
    let number = |name, usual| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let seed = number("GRIDPROOF_SEED", 2);
    let tally = compare_with_the_exact_solver(number("GRIDPROOF_POSITIONS", 9_000) as usize, seed);
    println!("seed {seed}: {tally:?}");
}
