//! Five in a row on 15x15: what a plain search for fours and threes wins, the solver wins too.

#[path = "support/plain.rs"]
mod plain;

use gridproof_certificate::check;
use gridproof_game::Rules;
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const POSITIONS: u32 = 6;
const NODES: u64 = 400;

#[test]
fn what_fours_and_threes_win_is_found() {
    let seed = match std::env::var("GRIDPROOF_SEED") {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => StdRng::from_os_rng().random_range(0..1_000_000),
    };
    println!("seed {seed}");
    let rules = Rules::new(15, 15, 5, 1, 1).expect("five in a row");
    let solver = Solver::new(rules);
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut found, mut plain_nodes, mut nodes) = (0, 0, 0);
    while found < POSITIONS {
        let position = plain::random_position(rules, &mut rng);
        let mut search = plain::Plain::new(&position, NODES);
        if !search.wins(6) || search.nodes < 5 {
            continue;
        }
        found += 1;
        plain_nodes += search.nodes;
        // Some of what wins by threes alone is found later by a search that knows more moves.
        let mut budget = Budget::of_nodes(20 * NODES);
        let options = SolverOptions::of_order(Order::of_quiet_moves(1));
        match solver.win(&position, options, &mut budget) {
            Ok(Outcome::Won(win)) => {
                check(&win.proof).expect("a true win");
            }
            other => panic!("seed {seed}: {other:?} of {position:?}"),
        }
        nodes += budget.spent();
    }
    // A node of the plain search looks at the whole board several times, and easy positions end
    // by luck; the bench compares times.
    assert!(
        nodes < 4 * plain_nodes,
        "seed {seed}: {nodes}, plain {plain_nodes}"
    );
}
