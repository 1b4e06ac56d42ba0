//! How early the engine suggests a move that wins, over quiet positions that are won.
//!
//! The positions are White's replies to Black's centre stone with both stones three to five
//! away. A suggestion counts as winning when a verifier run proves it. Positions in which none of the first suggestions can be proved
//! are counted apart: whether they are won is not known.
//!
//! `cargo run --release -p gridproof-engine --example positions [POSITIONS [NODES]]`

use std::collections::BTreeMap;
use std::time::Instant;

use gridproof_engine::{Answer, Engine};
use gridproof_game::{Move, Opening, Position, Rules, Square};
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};

/// Suggestions tried in each position.
const TRIED: usize = 12;
const VERIFIER_NODES: u64 = 600_000;
const NODES_PER_REPLY: u64 = 5_000;

fn main() {
    let argument = |n, default| {
        let text = std::env::args().nth(n);
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let wanted = argument(1, 60) as usize;
    let nodes = argument(2, Engine::DEFAULT_NODES);
    let solver = Solver::new(Rules::CONNECT6);
    let positions = quiet_positions(wanted);
    println!("{} positions, {nodes} nodes each", positions.len());
    let mut engine = Engine::new(Rules::CONNECT6);
    let (mut places, mut by_threats, mut unknown) = (Vec::new(), 0, 0);
    let start = Instant::now();
    for (name, position) in &positions {
        match place(&mut engine, &solver, position, nodes) {
            Place::Won => {
                println!("{name}: proved by the engine itself");
                by_threats += 1;
            }
            Place::At(place, mv) => {
                println!("{name}: number {place}, {mv}");
                places.push(place);
            }
            Place::Unknown => {
                println!("{name}: none of the first {TRIED} proved");
                unknown += 1;
            }
        }
    }
    let within = |most| places.iter().filter(|place| **place <= most).count();
    let share = |most| 100.0 * within(most) as f64 / places.len().max(1) as f64;
    println!(
        "{} positions with a proved suggestion: first {:.0}%, first 3 {:.0}%, first 10 {:.0}%; \
         {by_threats} the engine proved itself; {unknown} without; {:.0?}",
        places.len(),
        share(1),
        share(3),
        share(10),
        start.elapsed()
    );
}

enum Place {
    Won,
    At(usize, Move),
    Unknown,
}

fn place(engine: &mut Engine, solver: &Solver, position: &Position, nodes: u64) -> Place {
    let mut excluded = Vec::new();
    for place in 1..=TRIED {
        let mut budget = Budget::of_nodes(nodes);
        let answer = engine.suggest(position, &excluded, &mut budget);
        match answer.expect("an open game") {
            Answer::Won(_) => return Place::Won,
            Answer::NoMove => return Place::Unknown,
            Answer::Suggest(mut moves) => {
                let mv = moves.swap_remove(0).mv;
                if matches!(verify(solver, &position.after(&mv)), Verdict::Proved(_)) {
                    return Place::At(place, mv);
                }
                excluded.push(mv);
            }
        }
    }
    Place::Unknown
}

/// White's replies with both stones at distance 3 to 5 from the centre, spread evenly.
fn quiet_positions(wanted: usize) -> Vec<(String, Position)> {
    let centre = Rules::CONNECT6.centre();
    let distance = |square: Square| {
        let columns = square.column().abs_diff(centre.column());
        columns.max(square.row().abs_diff(centre.row()))
    };
    let far: Vec<Square> = Rules::CONNECT6
        .squares()
        .filter(|&square| (3..=5).contains(&distance(square)))
        .collect();
    let mut found = BTreeMap::new();
    for (i, &a) in far.iter().enumerate() {
        for &b in &far[..i] {
            if let Some(opening) = Opening::of(&Opening::Reply([a, b]).position()) {
                found.insert(opening.to_string(), opening.position());
            }
        }
    }
    let step = (found.len() / wanted.max(1)).max(1);
    found.into_iter().step_by(step).take(wanted).collect()
}

fn verify(solver: &Solver, position: &Position) -> Verdict {
    let options = VerifierOptions {
        nodes_per_reply: NODES_PER_REPLY,
        ..VerifierOptions::default()
    };
    let mut budget = Budget::of_nodes(VERIFIER_NODES);
    solver
        .verify(position, options, &[], &mut budget, &mut ())
        .expect("an open game")
        .verdict
}
