//! Who does not lose: full searches of small boards against the oracle, and whole games.

use gridproof_certificate::check_hold;
use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use gridproof_oracle::Oracle;
use gridproof_solver::{Budget, Hold, hold};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// (m, n, k, p) and the most empty squares that the oracle can stand.
const VARIANTS: [([u32; 4], usize); 12] = [
    ([3, 3, 3, 1], 8),
    ([4, 3, 3, 1], 11),
    ([4, 4, 3, 1], 12),
    ([4, 4, 4, 1], 13),
    ([5, 4, 4, 1], 13),
    ([6, 3, 4, 1], 13),
    ([5, 5, 4, 1], 12),
    ([5, 5, 5, 1], 13),
    ([7, 3, 5, 1], 13),
    ([4, 4, 4, 2], 11),
    ([5, 4, 4, 2], 11),
    ([4, 4, 4, 3], 10),
];

fn random_position(rules: Rules, most_empty: usize, rng: &mut StdRng) -> Position {
    loop {
        let mut squares: Vec<Square> = rules.squares().collect();
        squares.shuffle(rng);
        let empty = rng.random_range(1..=most_empty.min(rules.area() - 1));
        let black_share = rng.random_range(35..=65);
        let mut sets = [SquareSet::EMPTY; 2];
        for &square in &squares[empty..] {
            let white = rng.random_range(0..100) >= black_share;
            sets[usize::from(white)].insert(square);
        }
        let to_move = Colour::BOTH[rng.random_range(0..2)];
        if let Ok(position) = Position::of_stones(rules, &sets[0], &sets[1], to_move)
            && position.state() == State::Open
        {
            return position;
        }
    }
}

#[test]
fn a_side_holds_exactly_where_the_other_does_not_win() {
    let seed = match std::env::var("GRIDPROOF_SEED") {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => StdRng::from_os_rng().random_range(0..1_000_000),
    };
    let count: usize = match std::env::var("GRIDPROOF_POSITIONS") {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => 100,
    };
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    for ([m, n, k, p], most_empty) in VARIANTS {
        let rules = Rules::new(m, n, k, p, 1).expect("a game");
        let mut oracle = Oracle::new(rules);
        let (mut held, mut lost) = (0, 0);
        for _ in 0..count {
            let position = random_position(rules, most_empty, &mut rng);
            for holder in Colour::BOTH {
                let loses = oracle.wins(&position, holder.other());
                match hold(&position, holder, &mut Budget::of_nodes(200_000)) {
                    Hold::Holds(proof) => {
                        assert!(!loses, "seed {seed}: {holder} loses {position:?}");
                        let checked = check_hold(&proof);
                        assert!(checked.is_ok(), "seed {seed}: {checked:?}");
                        assert_eq!((&proof.start, proof.holder), (&position, holder));
                        held += 1;
                    }
                    Hold::Loses => {
                        assert!(loses, "seed {seed}: {holder} holds {position:?}");
                        lost += 1;
                    }
                    Hold::Unknown => panic!("seed {seed}: too few nodes for {position:?}"),
                }
            }
        }
        println!("{rules}: {held} held, {lost} lost");
        assert!(held > 0);
    }
}

#[test]
fn published_draws_are_held_by_both_sides() {
    for [m, n, k] in [
        [3, 3, 3],
        [4, 4, 4],
        [5, 4, 4],
        [5, 5, 4],
        [5, 5, 5],
        [6, 5, 5],
        [6, 6, 5],
        [9, 9, 9],
    ] {
        let rules = Rules::new(m, n, k, 1, 1).expect("a game");
        for holder in Colour::BOTH {
            let mut budget = Budget::of_nodes(2_000_000);
            let found = hold(&Position::start(rules), holder, &mut budget);
            let Hold::Holds(proof) = found else {
                panic!("{rules} is a draw, and {holder} does not hold it: {found:?}");
            };
            let checked = check_hold(&proof).expect("it holds");
            println!("{rules} {holder}: {} nodes, {checked:?}", budget.spent());
        }
    }
}
