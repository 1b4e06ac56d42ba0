//! How early the engine suggests a move that wins, over quiet positions of our own proofs.
//!
//! The positions are those of the certificates in a folder where the attacker's move threatens
//! nothing and no win by threats is found. A suggestion counts as winning when it is the proof's
//! own move or when a verifier run proves it; so does a win that the engine proves itself.
//!
//! `cargo run --release -p gridproof-engine --example positions FOLDER [POSITIONS [NODES]]`

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use gridproof_certificate::{Answer as Answered, FILE_ENDING, Node, Proof, ProofId, read_proof};
use gridproof_engine::{Answer, Engine};
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{
    Budget, Known, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions,
};

/// Suggestions tried in each position.
const TRIED: usize = 10;
const VERIFIER_NODES: u64 = 600_000;
const NODES_PER_REPLY: u64 = 5_000;
/// For the win by threats that a quiet position must not have.
const THREAT_NODES: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder of certificates")?;
    let wanted: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let nodes = arguments
        .next()
        .map_or(Ok(Engine::DEFAULT_NODES), |text| text.parse())?;
    let solver = Solver::new(Rules::CONNECT6);
    let positions = quiet_positions(Path::new(&folder), wanted, &solver)?;
    println!("{} positions, {nodes} nodes each", positions.len());
    let (mut places, mut proved, mut none) = (Vec::new(), 0, 0);
    for (name, position, mv) in &positions {
        let stones = position.stone_count();
        match place(&solver, position, mv, nodes) {
            Place::Won => {
                println!("{name}, {stones} stones: proved by the engine itself");
                proved += 1;
                places.push(1);
            }
            Place::At(place, mv) => {
                println!("{name}, {stones} stones: number {place}, {mv}");
                places.push(place);
            }
            Place::Unknown => {
                println!("{name}, {stones} stones: not among the first {TRIED}");
                none += 1;
            }
        }
    }
    let share = |most| {
        let within = places.iter().filter(|place| **place <= most).count();
        100.0 * within as f64 / positions.len().max(1) as f64
    };
    println!(
        "first {:.0}%, first 3 {:.0}%, first 10 {:.0}%; {proved} the engine proved itself; \
         {none} not found",
        share(1),
        share(3),
        share(10),
    );
    Ok(())
}

enum Place {
    Won,
    At(usize, Move),
    Unknown,
}

fn place(solver: &Solver, position: &Position, proved: &Move, nodes: u64) -> Place {
    let mut engine = Engine::new(Rules::CONNECT6);
    let mut excluded = Vec::new();
    while excluded.len() < TRIED {
        let mut budget = Budget::of_nodes(nodes);
        let answer = engine.suggest(position, &excluded, &mut budget);
        match answer.expect("an open game") {
            Answer::Won(_) => return Place::Won,
            Answer::NoMove => break,
            Answer::Suggest(moves) => {
                for suggestion in moves.into_iter().take(TRIED - excluded.len()) {
                    let mv = suggestion.mv;
                    if mv == *proved || is_proved(solver, &position.after(&mv)) {
                        return Place::At(excluded.len() + 1, mv);
                    }
                    excluded.push(mv);
                }
            }
        }
    }
    Place::Unknown
}

type Found = (String, Position, Move);

/// Quiet positions of all certificates in a folder, spread evenly.
fn quiet_positions(
    folder: &Path,
    wanted: usize,
    solver: &Solver,
) -> Result<Vec<Found>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut files: Vec<_> = folder.read_dir()?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::path);
    for file in files {
        let path = file.path();
        if path
            .extension()
            .is_none_or(|extension| extension != FILE_ENDING)
        {
            continue;
        }
        let (proof, _) = read_proof(BufReader::new(File::open(&path)?))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut seen = vec![false; proof.len()];
        let start = proof.start().clone();
        collect(
            &proof,
            proof.root(),
            &start,
            &mut seen,
            &mut |position, mv| {
                found.push((name.to_string(), position.clone(), mv.clone()));
            },
        );
    }
    println!("{} quiet moves in all proofs", found.len());
    found.retain(|(_, position, _)| !is_won_by_threats(solver, position));
    println!(
        "{} of them in positions without a win by threats",
        found.len()
    );
    let step = (found.len() / wanted.max(1)).max(1);
    Ok(found.into_iter().step_by(step).take(wanted).collect())
}

/// Finds the attacker's quiet moves that can come up in a game, each node once.
fn collect(
    proof: &Proof,
    id: ProofId,
    position: &Position,
    seen: &mut [bool],
    found: &mut impl FnMut(&Position, &Move),
) {
    if std::mem::replace(&mut seen[id.index()], true) {
        return;
    }
    match proof.node(id) {
        Node::Attack { mv, then } => {
            let Some(then) = *then else { return };
            if let Node::Defend { replies } = proof.node(then)
                && replies.iter().any(|reply| reply.mv.is_null())
            {
                found(position, mv);
            }
            collect(proof, then, &position.after(mv), seen, found);
        }
        Node::Defend { replies } => {
            for reply in replies.iter().filter(|reply| reply.mv.is_full()) {
                if let Answered::Proof(then) = reply.answer {
                    collect(proof, then, &position.after(&reply.mv), seen, found);
                }
            }
        }
    }
}

fn is_won_by_threats(solver: &Solver, position: &Position) -> bool {
    let mut budget = Budget::of_nodes(THREAT_NODES);
    let options = SolverOptions::default();
    let outcome = solver.win(position, Order::SINGLE_THREATS, options, &mut budget);
    matches!(outcome, Ok(Outcome::Won(_)))
}

fn is_proved(solver: &Solver, position: &Position) -> bool {
    let options = VerifierOptions {
        nodes_per_reply: NODES_PER_REPLY,
        most_open: Some(1),
        ..VerifierOptions::default()
    };
    let mut budget = Budget::of_nodes(VERIFIER_NODES);
    let verified = solver.verify(position, options, Known::default(), &mut budget, &mut ());
    matches!(verified, Ok(done) if matches!(done.verdict, Verdict::Proved(_)))
}
