//! Instructions per operation of the board. `cargo bench -p gridproof-threats --bench
//! instructions` compares with the recorded counts and fails if one is exceeded; `-- --record`
//! records new ones.

#[path = "support/callgrind.rs"]
mod callgrind;
#[path = "support/positions.rs"]
mod positions;

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use callgrind::{Bench, instructions};
use gridproof_game::Colour;
use gridproof_threats::AttackList;
use positions::{Fixture, fixtures};

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

/// Two runs of different length: what both need before and after the work cancels out.
fn per_operation(name: &str) -> Result<f64, String> {
    let (short, long) = (2, 6);
    let operations = run(name, long - short) as f64;
    let counted = |rounds: usize| instructions(&["--workload", name, &rounds.to_string()]);
    Ok((counted(long)? - counted(short)?) / operations)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, rounds] = arguments.as_slice()
        && flag == "--workload"
    {
        black_box(run(name, rounds.parse().expect("a number of rounds")));
        return ExitCode::SUCCESS;
    }
    let names = WORKLOADS.map(|(name, _)| name);
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data/instructions.csv");
    let bench = Bench {
        package: "gridproof-threats",
        name: "instructions",
        per: "per operation",
        workloads: &names,
        record: &record,
    };
    bench.run(&arguments, per_operation)
}
