//! Instructions per operation, counted by callgrind: the same on every run, so that a change
//! for the worse shows. `cargo bench -p gridproof-threats --bench instructions` compares with
//! the recorded counts and fails if one is exceeded; `-- --record` records new ones. Another
//! compiler makes other instructions, so the record names its own and says nothing of others.

#[path = "support/positions.rs"]
mod positions;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use gridproof_game::Colour;
use gridproof_threats::AttackList;
use positions::{Fixture, fixtures};

/// More than this over the recorded count is a regression; as much under it calls for a new
/// record, so that the gain is not lost again unseen.
const TOLERANCE: f64 = 0.05;
const RECORD: &str = "benches/data/instructions.csv";

type Workload = fn(&mut [Fixture]) -> usize;

/// Each runs once through the positions and says how many operations that was.
const WORKLOADS: [(&str, Workload); 5] = [
    ("place_and_undo", |fixtures| {
        for Fixture { board, busy, .. } in &mut *fixtures {
            for (i, &square) in busy.iter().enumerate() {
                board.place(square, Colour::BOTH[i % 2]);
                black_box(&board);
                board.undo();
            }
        }
        fixtures.iter().map(|f| f.busy.len()).sum()
    }),
    ("attacks_1", |fixtures| attacks(fixtures, 1)),
    ("attacks_2", |fixtures| attacks(fixtures, 2)),
    ("minimal_blocks", |fixtures| {
        for Fixture { board, to_move, .. } in &*fixtures {
            black_box(board.minimal_blocks(*to_move));
        }
        fixtures.len()
    }),
    ("minimal_blocks_after", |fixtures| {
        for f in &*fixtures {
            black_box(f.board.minimal_blocks_after(f.to_move, &f.winning_pair));
        }
        fixtures.len()
    }),
];

fn attacks(fixtures: &[Fixture], least: u32) -> usize {
    let mut found = AttackList::new();
    for Fixture { board, to_move, .. } in fixtures {
        board.attacks_into(*to_move, least, &mut found);
        black_box(&found);
    }
    fixtures.len()
}

fn prepared(name: &str) -> Vec<Fixture> {
    let mut fixtures = fixtures();
    if name == "minimal_blocks" {
        for f in &mut fixtures {
            f.board.place_all(&f.winning_pair, f.to_move);
        }
    }
    fixtures
}

/// What runs under callgrind: `--workload <name> <rounds>`.
fn run(name: &str, rounds: usize) -> usize {
    let (_, workload) = WORKLOADS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a workload that this program named itself");
    let mut fixtures = prepared(name);
    (0..rounds).map(|_| workload(&mut fixtures)).sum()
}

/// All instructions of a run of this program.
fn instructions(name: &str, rounds: usize) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--workload", name, &rounds.to_string()])
        .output()
        .map_err(|e| format!("valgrind does not start: {e}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let counted = told
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok());
    counted.ok_or_else(|| format!("callgrind counted nothing:\n{told}"))
}

/// Two runs of different length: what both need before and after the work cancels out.
fn per_operation(name: &str) -> Result<f64, String> {
    let (short, long) = (2, 6);
    let operations = run(name, long - short) as f64;
    Ok((instructions(name, long)? - instructions(name, short)?) / operations)
}

fn recorded(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter_map(|line| line.split_once(','))
        .filter_map(|(name, count)| Some((name.to_owned(), count.parse().ok()?)))
        .collect()
}

/// The compiler's own words, like `rustc 1.90.0 (1159e78c4 2025-09-14)`.
fn compiler() -> Result<String, String> {
    let told = Command::new("rustc").arg("--version").output();
    let told = told.map_err(|e| format!("rustc does not tell its version: {e}"))?;
    Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

fn compare(record: bool) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(RECORD);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let before = recorded(&text);
    let header = format!("workload,instructions per operation with {}\n", compiler()?);
    if !record && !text.starts_with(&header) {
        println!(
            "instruction counts: skipped, recorded were \"{}\" and this would be \"{}\"",
            text.lines().next().unwrap_or_default(),
            header.trim_end()
        );
        return Ok(());
    }
    let mut after = header;
    let mut failures = Vec::new();
    println!("{:<20} {:>10} {:>10}", "instructions", "recorded", "now");
    for (name, _) in WORKLOADS {
        let count = per_operation(name)?;
        after.push_str(&format!("{name},{count:.1}\n"));
        let Some(&old) = before.get(name) else {
            println!("{name:<20} {:>10} {count:>10.1}", "none");
            failures.push(format!("{name} has no recorded count"));
            continue;
        };
        println!("{name:<20} {old:>10.1} {count:>10.1}");
        if (count / old - 1.0).abs() > TOLERANCE {
            failures.push(format!("{name} went from {old:.1} to {count:.1}"));
        }
    }
    if record {
        std::fs::write(&path, after).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("recorded in {}", path.display());
        return Ok(());
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}.\nIf that is meant, record it: cargo bench -p gridproof-threats --bench instructions -- --record",
        failures.join("; ")
    ))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, rounds] = arguments.as_slice()
        && flag == "--workload"
    {
        black_box(run(name, rounds.parse().expect("a number of rounds")));
        return ExitCode::SUCCESS;
    }
    let asked_for = |flag| arguments.iter().any(|argument| argument == flag);
    // Cargo says `--bench` where benchmarks and not tests are wanted.
    if !asked_for("--bench") {
        println!("instruction counts: skipped, run them with cargo bench");
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instruction counts: skipped, valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    match compare(asked_for("--record")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("instruction counts: {reason}");
            ExitCode::FAILURE
        }
    }
}
