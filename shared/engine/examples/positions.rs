//! How early the engine suggests a move that wins, over quiet positions of proved lines.
//!
//! The positions are what a verifier leaves open after the known third moves: the attacker is
//! to move and has no win by threats that the solver finds. A suggestion counts as winning when
//! a verifier run proves it. Positions in which none of the first suggestions can be proved are
//! counted apart: whether they are won is not known.
//!
//! `cargo run --release -p gridproof-engine --example positions [POSITIONS [NODES]]`

use std::time::Instant;

use gridproof_engine::{Answer, Engine};
use gridproof_game::{Move, Opening, Position, Rules};
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};

const KNOWN: [(&str, &str); 6] = [
    ("TX-H9", "K11 L10"),
    ("TX-H8", "L10 K9"),
    ("TX-H12", "L10 K11"),
    ("XX-L8", "J9 K10"),
    ("T-K12", "K9 L8"),
    ("XX-J6", "I11 J12"),
];
/// Suggestions tried in each position.
const TRIED: usize = 16;
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
    let positions = quiet_positions(&solver, wanted);
    println!("{} positions, {nodes} nodes each", positions.len());
    let mut engine = Engine::new(Rules::CONNECT6);
    let (mut places, mut by_threats, mut unknown) = (Vec::new(), 0, 0);
    let start = Instant::now();
    for (name, position) in &positions {
        match place(&mut engine, &solver, position, nodes) {
            Place::Won => by_threats += 1,
            Place::At(place, mv) => {
                println!("{name}: number {place}, {mv}");
                places.push(place);
            }
            Place::Unknown => unknown += 1,
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
            Answer::Suggest { mv, .. } => {
                if matches!(verify(solver, &position.after(&mv)), Verdict::Proved(_)) {
                    return Place::At(place, mv);
                }
                excluded.push(mv);
            }
        }
    }
    Place::Unknown
}

/// Full replies to known third moves that a verifier could not settle.
fn quiet_positions(solver: &Solver, wanted: usize) -> Vec<(String, Position)> {
    let each = wanted.div_ceil(KNOWN.len());
    let mut found = Vec::new();
    for (name, third) in KNOWN {
        let opening: Opening = name.parse().expect("a known opening");
        let third = third
            .split(' ')
            .map(|square| square.parse().expect("a square"));
        let position = opening.position().after(&Move::full(third));
        if let Verdict::Open(open) = verify(solver, &position) {
            let full: Vec<_> = open.into_iter().filter(Move::is_full).collect();
            let step = full.len().div_ceil(each).max(1);
            let chosen = full.into_iter().step_by(step);
            found.extend(chosen.map(|reply| (format!("{name} {reply}"), position.after(&reply))));
        }
    }
    found
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
