//! How early the engine suggests a move that is known to win.
//!
//! `cargo bench -p gridproof-engine --bench winning_moves [-- NODES [POSITIONS FOLDER]]`
//!
//! The first part asks for the third moves of known openings. With a folder of certificates, the
//! second part asks in quiet positions of their proofs: those where the attacker's move threatens
//! nothing and no win by threats is found. There a suggestion counts when it is the proof's own
//! move or when a verifier run proves it; so does a win that the engine proves itself.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use gridproof_certificate::{Answer, FILE_ENDING, Node, Proof, ProofId, read_proof};
use gridproof_engine::{Engine, Goal, Request, SearchResult};
use gridproof_game::{Move, Opening, Position, Rules, Symmetry};
use gridproof_solver::{Budget, Outcome, Solver, SolverOptions, Verdict, VerifierOptions};

const OPENINGS: [(&str, &str); 5] = [
    ("TX-H9", "K11 L10"),
    ("TX-H8", "L10 K9"),
    ("TX-H12", "L10 K11"),
    ("XX-L8", "J9 K10"),
    ("T-K12", "K9 L8"),
];
/// Suggestions tried in each position.
const TRIED: usize = 10;
const VERIFIER_NODES: u64 = 600_000;
const NODES_PER_REPLY: u64 = 5_000;
/// For the win by threats that a quiet position must not have.
const THREAT_NODES: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let nodes = arguments
        .next()
        .map_or(Ok(Engine::DEFAULT_NODES), |text| text.parse())?;
    for (name, known) in OPENINGS {
        let position = name.parse::<Opening>()?.position();
        let squares = known.split(' ').map(str::parse);
        let known = Move::full(squares.collect::<Result<Vec<_>, _>>()?);
        let images: Vec<Move> = Symmetry::all(position.rules())
            .filter(|&symmetry| position.transformed(symmetry) == position)
            .map(|symmetry| known.map(|square| symmetry.apply(position.rules(), square)))
            .collect();
        let place = place(&position, nodes, |mv| images.contains(mv))?;
        println!("{name}: {known} is {place}");
    }
    if let Some(positions) = arguments.next() {
        let folder = arguments.next().ok_or("name a folder of certificates")?;
        quiet_positions_of(Path::new(&folder), positions.parse()?, nodes)?;
    }
    Ok(())
}

/// Where a winning move came.
enum Place {
    /// The engine proved a win itself.
    Proved,
    Number(usize, Move),
    NotFound,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Proved => f.write_str("proved by the engine itself"),
            Self::Number(number, mv) => write!(f, "number {number}: {mv}"),
            Self::NotFound => write!(f, "not among the first {TRIED}"),
        }
    }
}

fn place(
    position: &Position,
    nodes: u64,
    is_winning: impl Fn(&Move) -> bool,
) -> Result<Place, Box<dyn Error>> {
    let mut engine = Engine::new(*position.rules());
    let mut excluded = Vec::new();
    while excluded.len() < TRIED {
        let request = Request {
            position,
            excluded: &excluded,
            goal: Goal::Moves,
        };
        let moves = match engine.search(&request, &mut Budget::of_nodes(nodes))? {
            SearchResult::Won(_) => return Ok(Place::Proved),
            SearchResult::NoMoves | SearchResult::Unknown => break,
            SearchResult::Moves(moves) => moves,
        };
        for suggestion in moves.into_iter().take(TRIED - excluded.len()) {
            if is_winning(&suggestion.mv) {
                return Ok(Place::Number(excluded.len() + 1, suggestion.mv));
            }
            excluded.push(suggestion.mv);
        }
    }
    Ok(Place::NotFound)
}

fn quiet_positions_of(folder: &Path, wanted: usize, nodes: u64) -> Result<(), Box<dyn Error>> {
    let solver = Solver::new(Rules::CONNECT6);
    let positions = quiet_positions(folder, wanted, &solver)?;
    println!("{} positions, {nodes} nodes each", positions.len());
    let (mut places, mut proved, mut none) = (Vec::new(), 0, 0);
    for (name, position, proof_move) in &positions {
        let place = place(position, nodes, |mv| {
            mv == proof_move || is_proved(&solver, &position.after(mv))
        })?;
        println!("{name}, {} stones: {place}", position.stone_count());
        match place {
            Place::Proved => {
                proved += 1;
                places.push(1);
            }
            Place::Number(number, _) => places.push(number),
            Place::NotFound => none += 1,
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

type QuietPosition = (String, Position, Move);

/// Quiet positions of all certificates in a folder, spread evenly.
fn quiet_positions(
    folder: &Path,
    wanted: usize,
    solver: &Solver,
) -> Result<Vec<QuietPosition>, Box<dyn Error>> {
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
                if let Answer::Proof(then) = reply.answer {
                    collect(proof, then, &position.after(&reply.mv), seen, found);
                }
            }
        }
    }
}

fn is_won_by_threats(solver: &Solver, position: &Position) -> bool {
    let mut budget = Budget::of_nodes(THREAT_NODES);
    let options = SolverOptions::default();
    let outcome = solver.win(position, options, &mut budget);
    matches!(outcome, Ok(Outcome::Won(_)))
}

fn is_proved(solver: &Solver, position: &Position) -> bool {
    let options = VerifierOptions {
        nodes_per_reply: NODES_PER_REPLY,
        most_open: Some(1),
        ..VerifierOptions::default()
    };
    let mut budget = Budget::of_nodes(VERIFIER_NODES);
    let verified = solver.verify(position, options, &mut budget, &mut ());
    matches!(verified, Ok(done) if matches!(done.verdict, Verdict::Proved(_)))
}
