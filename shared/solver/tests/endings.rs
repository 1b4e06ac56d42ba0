//! No search goes on for ever: each ends with a verdict or with its budget.

use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use gridproof_solver::{
    Budget, Order, Outcome, Solver, SolverOptions, Value, Verdict, VerifierOptions, value,
};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// What a budget may be overdrawn by: a step counts its nodes when it has looked at them.
const SLACK: u64 = 1_000;

/// Boards up to this area are searched without leaving moves out.
const SMALL: usize = 49;

/// A game of the family, and a position with a few stones of each side, or none.
fn random_game(rng: &mut StdRng, longest: u32) -> Position {
    loop {
        let (m, n) = (rng.random_range(1..=longest), rng.random_range(1..=longest));
        let (k, p, q) = (
            rng.random_range(3..=8),
            rng.random_range(1..=3),
            rng.random_range(1..=3),
        );
        let rules = Rules::new(m, n, k, p, q).expect("small numbers");
        let mut squares: Vec<Square> = rules.squares().collect();
        squares.shuffle(rng);
        let count = rng.random_range(0..=squares.len().min(SMALL) / 2);
        let (black, white) = squares[..count].split_at(count / 2);
        let [black, white] = [black, white].map(|set| set.iter().copied().collect::<SquareSet>());
        let to_move = match count {
            0 => Colour::Black,
            _ => Colour::BOTH[rng.random_range(0..2)],
        };
        if let Ok(position) = Position::of_stones(rules, &black, &white, to_move)
            && position.state() == State::Open
        {
            return position;
        }
    }
}

#[test]
fn every_search_ends_with_a_verdict_or_its_budget() {
    let seed = match std::env::var("GRIDPROOF_SEED") {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => StdRng::from_os_rng().random_range(0..1_000_000),
    };
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    for round in 0..48 {
        let position = random_game(&mut rng, if round % 4 == 0 { 32 } else { 7 });
        let solver = Solver::new(*position.rules());
        let nodes = 3_000;
        for exhaustive in [false, true] {
            if exhaustive && position.rules().area() > SMALL {
                continue;
            }
            let options = SolverOptions {
                exhaustive,
                ..SolverOptions::of_order(Order(4))
            };
            let mut budget = Budget::of_nodes(nodes);
            match solver.win(&position, options, &mut budget) {
                Ok(Outcome::Won(_) | Outcome::NoWin | Outcome::Unknown) | Err(_) => {}
            }
            assert!(budget.spent() < nodes + SLACK, "seed {seed}: {position:?}");
            let options = VerifierOptions {
                solver: options,
                ..VerifierOptions::for_budget(nodes)
            };
            let mut budget = Budget::of_nodes(nodes);
            if let Ok(run) = solver.verify(&position, options, &mut budget, &mut ()) {
                match run.verdict {
                    Verdict::Proved(_) | Verdict::DefenderHolds | Verdict::Open(_) => {}
                }
            }
            assert!(budget.spent() < nodes + SLACK, "seed {seed}: {position:?}");
        }
        let mut budget = Budget::of_nodes(nodes);
        match value(&position, &mut budget) {
            Ok(Value::Unknown(_) | Value::Won { .. } | Value::Drawn { .. }) | Err(_) => {}
        }
        assert!(budget.spent() < nodes + SLACK, "seed {seed}: {position:?}");
    }
}
