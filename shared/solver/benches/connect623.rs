//! Connect(6,2,3) proved, checked and written, each part by itself, without a program around it.
//!
//! `cargo bench -p gridproof-solver --bench connect623`: the best and the median of some runs.

use std::time::{Duration, Instant};

use gridproof_certificate::{Proof, check, write_proof};
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};

const RUNS: usize = 21;

fn start() -> Position {
    let rules = Rules::CONNECT6.with_first_stones(3);
    let stones = ["J10", "K11", "L10"].map(|name| name.parse().expect("a square"));
    Position::start(rules).after(&Move::full(stones))
}

fn prove(position: &Position) -> (Proof, String) {
    let mut budget = Budget::of_nodes(2_000_000);
    let run = Solver::new(*position.rules())
        .verify(
            position,
            VerifierOptions::for_budget(2_000_000),
            &mut budget,
            &mut (),
        )
        .expect("the game is on");
    let Verdict::Proved(win) = run.verdict else {
        panic!("Connect(6,2,3) is a win for Black")
    };
    let told = format!("{} nodes, {:?}", budget.spent(), run.counts);
    (win.proof, told)
}

/// Does something again and again, and tells how long it takes.
fn time<T>(name: &str, mut run: impl FnMut() -> T) -> T {
    let mut times: Vec<Duration> = Vec::new();
    loop {
        let begin = Instant::now();
        let outcome = run();
        times.push(begin.elapsed());
        if times.len() == RUNS {
            times.sort_unstable();
            println!("{name}: best {:?}, median {:?}", times[0], times[RUNS / 2]);
            return outcome;
        }
    }
}

fn main() {
    let position = start();
    let (proof, told) = time("prove", || prove(&position));
    println!("{told}, a proof of {} nodes", proof.len());
    let checked = time("check", || check(&proof));
    assert!(checked.is_ok(), "the checker refuses: {checked:?}");
    let bytes = time("write", || {
        let mut bytes = Vec::new();
        write_proof(&proof, &mut bytes).expect("a vector takes all");
        bytes.len()
    });
    println!("{bytes} bytes");
}
