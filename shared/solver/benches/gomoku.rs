//! Gomoku: what proofs of positions with few stones cost.
//!
//! `cargo bench -p gridproof-solver --bench gomoku -- NODES ORDER POSITION...`: each position is
//! like "h8,h9,i9,a1", and the side to move is to win.

use std::time::Instant;

use gridproof_certificate::check;
use gridproof_game::read_game;
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};

/// Black's third stone is to come, or his fourth; some of White's are far away.
const POSITIONS: [&str; 5] = [
    "h8,h9,i9,a1",
    "h8,i9,i7,a1",
    "h8,b1,h9,o3",
    "h8,b1,i9,o3",
    "h8,h9,i9,o15,i7,o1",
];

fn main() {
    let words = std::env::args().skip(1);
    let mut words = words.filter(|word| !word.starts_with("--"));
    let mut number = |usual: u64| {
        let word = words.next();
        word.map_or(usual, |word| word.parse().expect("a number"))
    };
    let (nodes, order) = (number(2_000_000), number(3));
    let named: Vec<String> = words.collect();
    let positions = if named.is_empty() {
        POSITIONS.map(str::to_owned).to_vec()
    } else {
        named
    };
    for record in positions {
        let text = format!("15,15,5,1,1: {record}");
        let game = read_game(text.as_bytes()).expect("a record of Gomoku");
        let position = game.position();
        let solver = Solver::new(*position.rules());
        let mut budget = Budget::of_nodes(nodes);
        let options = SolverOptions::of_order(Order(order as u8));
        let begun = Instant::now();
        let outcome = solver.win(position, options, &mut budget);
        let (spent, time) = (budget.spent(), begun.elapsed());
        let outcome = match outcome.expect("a position that can be searched") {
            Outcome::Won(win) => {
                let checked = check(&win.proof);
                let verdict = if checked.is_ok() {
                    "checked"
                } else {
                    "refused"
                };
                format!(
                    "won, order {}, proof of {}, {verdict}",
                    win.order.0,
                    win.proof.len()
                )
            }
            Outcome::NoWin => "no win".to_owned(),
            Outcome::Unknown => "unknown".to_owned(),
        };
        println!("{record}: {outcome}; {spent} nodes, {time:.2?}");
    }
}
