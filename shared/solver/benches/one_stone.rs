//! Five in a row: the solver against a plain search for fours and threes.
//!
//! `cargo bench -p gridproof-solver --bench one_stone -- POSITIONS NODES`: random positions of four
//! stones of either side on 15x15. The plain search gets 3,000 nodes, the solver NODES.

#[path = "../tests/support/plain.rs"]
mod plain;

use std::time::{Duration, Instant};

use gridproof_game::Rules;
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// What one search made of all positions, or of those that the plain search wins.
#[derive(Default)]
struct Sum {
    won: u32,
    nodes: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, won: bool, nodes: u64, time: Duration) {
        self.won += u32::from(won);
        self.nodes += nodes;
        self.time += time;
    }

    fn show(&self, name: &str) {
        let Self { won, nodes, time } = self;
        println!("{name}: {won} won, {nodes} nodes, {time:.2?}");
    }
}

fn main() {
    let mut numbers = std::env::args().filter_map(|text| text.parse::<u64>().ok());
    let (positions, nodes) = (
        numbers.next().unwrap_or(40),
        numbers.next().unwrap_or(100_000),
    );
    let rules = Rules::new(15, 15, 5, 1, 1).expect("five in a row");
    let solver = Solver::new(rules);
    let mut rng = StdRng::seed_from_u64(15);
    let [mut plain, mut ours, mut of_known] = [Sum::default(), Sum::default(), Sum::default()];
    let mut missed = 0;
    for _ in 0..positions {
        let position = plain::random_position(rules, &mut rng);
        let begun = Instant::now();
        let mut search = plain::Plain::new(&position, 3_000);
        let known = search.wins(8);
        plain.add(known, search.nodes, begun.elapsed());
        let begun = Instant::now();
        let mut budget = Budget::of_nodes(nodes);
        let options = SolverOptions::of_order(Order::of_quiet_moves(1));
        let outcome = solver.win(&position, options, &mut budget);
        let won = matches!(outcome, Ok(Outcome::Won(_)));
        ours.add(won, budget.spent(), begun.elapsed());
        if known {
            of_known.add(won, budget.spent(), begun.elapsed());
            missed += u32::from(!won);
        }
    }
    plain.show("plain search");
    ours.show("solver");
    of_known.show("solver, where the plain search wins");
    println!("{missed} missed");
}
