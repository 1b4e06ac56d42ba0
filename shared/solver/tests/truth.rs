//! Never a false win: everything the solver and the verifier claim, against the oracle.
//!
//! `GRIDPROOF_POSITIONS` sets how many positions each variant gets (the night run uses
//! thousands) and `GRIDPROOF_SEED` the seed, which a failure prints.

use gridproof_certificate::check;
use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use gridproof_oracle::Oracle;
use gridproof_solver::{
    Budget, Coverage, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions, Win,
};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

/// (m, n, k, p) and the most empty squares that the oracle can stand.
const VARIANTS: [([u32; 4], usize); 12] = [
    ([4, 4, 3, 1], 12),
    ([5, 4, 4, 1], 12),
    ([4, 3, 3, 2], 12),
    ([4, 4, 4, 2], 11),
    ([5, 4, 4, 2], 11),
    ([6, 3, 4, 2], 11),
    ([5, 5, 5, 2], 10),
    ([7, 3, 5, 2], 11),
    ([6, 4, 5, 2], 10),
    ([8, 3, 6, 2], 11),
    ([7, 4, 6, 2], 10),
    ([4, 4, 4, 3], 10),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .map_or(default, |text| text.parse().expect("a number"))
}

/// A position that is still open, with few enough empty squares.
fn random_position(rules: Rules, most_empty: usize, rng: &mut StdRng) -> Position {
    loop {
        let mut squares: Vec<Square> = rules.squares().collect();
        squares.shuffle(rng);
        let empty = rng.random_range(2..=most_empty.min(rules.area() - 1));
        let stones = &squares[empty..];
        let black_share = rng.random_range(30..=70);
        let mut sets = [SquareSet::EMPTY; 2];
        for &square in stones {
            sets[usize::from(rng.random_range(0..100) >= black_share)].insert(square);
        }
        let to_move = *Colour::BOTH.choose(rng).expect("two colours");
        if let Ok(position) = Position::of_stones(rules, &sets[0], &sets[1], to_move)
            && position.state() == State::Open
        {
            return position;
        }
    }
}

struct Case<'a> {
    rules: Rules,
    oracle: &'a mut Oracle,
    rng: &'a mut StdRng,
    seed: u64,
}

impl Case<'_> {
    /// A claimed win is true, and stays true with extra defender stones that its zone excuses.
    fn check_win(&mut self, position: &Position, attacker: Colour, win: &Win, how: &str) {
        let (rules, seed) = (self.rules, self.seed);
        let told = || format!("{how} for {attacker} in {rules}, seed {seed}: {position:?}");
        assert!(
            self.oracle.wins(position, attacker),
            "a false win by {}",
            told()
        );
        if let Err(refusal) = check(&win.proof) {
            panic!("the checker says {refusal} to {}", told());
        }
        let mut free: Vec<Square> = position.empties().iter().collect();
        for _ in 0..6 {
            free.shuffle(self.rng);
            let mut extra = SquareSet::EMPTY;
            let mut chosen = Vec::new();
            for &square in free.iter().take(self.rng.random_range(1..=6)) {
                chosen.push(square);
                if win.zone.excuses_in(&self.rules, &chosen) {
                    extra.insert(square);
                } else {
                    chosen.pop();
                }
            }
            let defender = attacker.other();
            let stones = |colour: Colour| {
                let own = position.stones(colour);
                if colour == defender {
                    own.union(&extra)
                } else {
                    *own
                }
            };
            let more = Position::of_stones(
                self.rules,
                &stones(Colour::Black),
                &stones(Colour::White),
                position.to_move(),
            )
            .expect("the zone lets nobody complete a line");
            assert!(
                self.oracle.wins(&more, attacker),
                "the zone excuses {chosen:?}, which is no win any more, by {}",
                told()
            );
        }
    }
}

#[test]
fn no_claim_is_false_and_no_zone_excuses_too_much() {
    let count = number("GRIDPROOF_POSITIONS", 250);
    let seed = number(
        "GRIDPROOF_SEED",
        StdRng::from_os_rng().random_range(0..1_000_000),
    );
    println!(
        "seed {seed}, {count} positions for each of {} variants",
        VARIANTS.len()
    );
    let mut wins = 0;
    for ([m, n, k, p], most_empty) in VARIANTS {
        let rules = Rules::new(m, n, k, p, 1).expect("a legal variant");
        let solver = Solver::new(rules);
        let mut oracle = Oracle::new(rules);
        let mut rng = StdRng::seed_from_u64(seed);
        let mut case = Case {
            rules,
            oracle: &mut oracle,
            rng: &mut rng,
            seed,
        };
        for _ in 0..count {
            let position = random_position(rules, most_empty, case.rng);
            wins += check_solver(&solver, &position, &mut case);
            wins += check_verifiers(&solver, &position, &mut case);
        }
        println!("{rules}: {wins} wins so far");
    }
    println!("{wins} wins claimed, all true");
    assert!(wins > 100, "too few wins to mean anything");
}

fn check_solver(solver: &Solver, position: &Position, case: &mut Case<'_>) -> u32 {
    let attacker = position.to_move();
    let mut wins = 0;
    let highest = case.rules.stones_per_turn() + 1;
    for exhaustive in [false, true] {
        let options = SolverOptions {
            exhaustive,
            ..SolverOptions::default()
        };
        for order in 1..=highest {
            let mut budget = Budget::of_nodes(20_000);
            let outcome = solver.win(position, Order(order), options, &mut budget);
            match outcome.expect("the position is open") {
                Outcome::Won(win) => {
                    case.check_win(position, attacker, &win, &format!("order {order}"));
                    wins += 1;
                }
                Outcome::NoWin if order == highest && exhaustive => {
                    assert!(
                        !case.oracle.wins(position, attacker),
                        "a win of {attacker} denied in {}, seed {}: {position:?}",
                        case.rules,
                        case.seed
                    );
                }
                Outcome::NoWin | Outcome::Unknown => {}
            }
        }
    }
    wins
}

fn check_verifiers(solver: &Solver, position: &Position, case: &mut Case<'_>) -> u32 {
    let attacker = position.to_move().other();
    let mut wins = 0;
    for coverage in Coverage::ALL {
        for replay_siblings in [false, true] {
            let solver_options = SolverOptions {
                exhaustive: true,
                replay_siblings,
                ..SolverOptions::default()
            };
            let options = VerifierOptions {
                coverage,
                order: Order(if coverage == Coverage::Wu { 1 } else { 3 }),
                nodes_per_reply: 5_000,
                solver: solver_options,
                ..VerifierOptions::default()
            };
            let mut budget = Budget::of_nodes(50_000);
            let verdict = solver.verify(position, options, &[], &mut budget, &mut ());
            if let Verdict::Proved(win) = verdict.expect("the position is open").verdict {
                case.check_win(position, attacker, &win, &format!("verifier {coverage}"));
                wins += 1;
            }
        }
    }
    wins
}
