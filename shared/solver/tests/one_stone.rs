//! Five in a row on 15x15: what a plain search for fours and threes wins, the solver wins too.

#[path = "support/plain.rs"]
mod plain;

use gridproof_certificate::check;
use gridproof_game::{Position, Rules, read_game};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};
use rand::SeedableRng;
use rand::rngs::StdRng;

const NODES: u64 = 400;

/// GRIDPROOF_POSITIONS and GRIDPROOF_SEED ask for more and for others.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn what_fours_and_threes_win_is_found() {
    let (positions, seed) = (
        setting("GRIDPROOF_POSITIONS", 12),
        setting("GRIDPROOF_SEED", 1),
    );
    let rules = Rules::new(15, 15, 5, 1, 1).expect("five in a row");
    let solver = Solver::new(rules);
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut won, mut missed, mut plain_nodes, mut nodes) = (0, Vec::new(), 0, 0);
    while won + (missed.len() as u64) < positions {
        let position = plain::random_position(rules, &mut rng);
        let mut search = plain::Plain::new(&position, NODES);
        if !search.wins(6) || search.nodes < 5 {
            continue;
        }
        plain_nodes += search.nodes;
        // Some of what wins by threes alone is found later by a search that knows more moves; a
        // node of the plain search looks at the whole board several times.
        let mut budget = Budget::of_nodes(200 * NODES);
        let options = SolverOptions::of_order(Order::of_quiet_moves(1));
        match solver.win(&position, options, &mut budget).expect("a game") {
            Outcome::Won(win) => {
                check(&win.proof).expect("a true win");
                won += 1;
            }
            Outcome::Unknown => missed.push(position),
            Outcome::NoWin => panic!("there is a win: {position:?}"),
        }
        nodes += budget.spent();
    }
    println!("{won} won, missed {missed:?}; {nodes} nodes, plain search {plain_nodes}");
    assert!(missed.is_empty(), "missed {missed:?}");
}

fn gomoku(record: &str) -> Position {
    let text = format!("15,15,5,1,1: {record}");
    let game = read_game(text.as_bytes()).expect("a record of Gomoku");
    game.position().clone()
}

/// White's stones are far away, and two of Black's are enough.
#[test]
fn a_free_move_wins_with_two_stones() {
    let position = gomoku("h8,b1,h9,o3");
    let solver = Solver::new(*position.rules());
    let mut budget = Budget::of_nodes(400_000);
    let options = SolverOptions::of_order(Order(3));
    let outcome = solver.win(&position, options, &mut budget);
    let Ok(Outcome::Won(win)) = outcome else {
        panic!("not found within {} nodes", budget.spent());
    };
    check(&win.proof).expect("a true win");
}

#[test]
fn where_nothing_is_near_the_budget_is_used_all_the_same() {
    let position = gomoku("h8,a1");
    let solver = Solver::new(*position.rules());
    let mut budget = Budget::of_nodes(30_000);
    let outcome = solver.win(&position, SolverOptions::default(), &mut budget);
    assert!(matches!(outcome, Ok(Outcome::Unknown)));
    assert!(budget.is_over(), "{} nodes", budget.spent());
}
