//! Instructions for a fixed set of tasks, by which changes of the search are judged: open replies
//! to good third moves, Connect(6,2,3), and real positions, won or resigned.
//!
//! `cargo bench -p gridproof-solver --bench fixed_set` compares with the recorded counts, and
//! `-- --record` records new ones. `-- --plain` only runs the tasks, without callgrind, and tells
//! what was solved with how many nodes.

#[path = "../../threats/benches/support/callgrind.rs"]
mod callgrind;

use std::path::Path;
use std::process::ExitCode;

use callgrind::{Bench, instructions};
use gridproof_certificate::check;
use gridproof_game::records::Format;
use gridproof_game::{Move, Position, Rules, read_game};
use gridproof_solver::{
    Budget, Leftover, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions, Win,
};

/// One line each: opening, third move and reply. Black is to move.
const OPEN_REPLIES: &str = include_str!("data/open_replies.txt");
/// One line each: the question, and the stones of a real game.
const REAL_POSITIONS: &str = include_str!("data/real_positions.txt");

const NODES_FOR_A_REPLY: u64 = 10_000;
const NODES_FOR_A_POSITION: u64 = 5_000;

/// A name and what is done.
type Workload = (&'static str, fn() -> Told);

const WORKLOADS: [Workload; 3] = [
    ("open_replies", open_replies),
    ("connect623", connect623),
    ("real_positions", real_positions),
];

/// What became of some tasks.
#[derive(Default)]
struct Told {
    tasks: u64,
    nodes: u64,
    wins: Vec<Win>,
}

impl Told {
    fn win(&mut self, position: &Position, options: SolverOptions, nodes: u64) {
        let mut budget = Budget::of_nodes(nodes);
        let solver = Solver::new(*position.rules());
        let outcome = solver.win(position, options, &mut budget);
        if let Outcome::Won(win) = outcome.expect("the game is on") {
            self.wins.push(*win);
        }
        self.count(&budget);
    }

    fn verify(&mut self, position: &Position, options: VerifierOptions<'_>, nodes: u64) {
        let mut budget = Budget::of_nodes(nodes);
        let solver = Solver::new(*position.rules());
        let run = solver.verify(position, options, &mut budget, &mut ());
        if let Verdict::Proved(win) = run.expect("the game is on").verdict {
            self.wins.push(*win);
        }
        self.count(&budget);
    }

    fn count(&mut self, budget: &Budget<'_>) {
        self.tasks += 1;
        self.nodes += budget.spent();
    }
}

fn open_replies() -> Told {
    let mut told = Told::default();
    for line in OPEN_REPLIES.lines() {
        let game = read_game(line.as_bytes()).expect("an opening and two moves");
        let options = SolverOptions::of_order(Order(3));
        told.win(game.position(), options, NODES_FOR_A_REPLY);
    }
    told
}

fn connect623() -> Told {
    let rules = Rules::CONNECT6.with_first_stones(3);
    let stones = ["J10", "K11", "L10"].map(|name| name.parse().expect("a square"));
    let position = Position::start(rules).after(&Move::full(stones));
    let mut told = Told::default();
    let nodes = 2_000_000;
    told.verify(&position, VerifierOptions::for_budget(nodes), nodes);
    told
}

fn real_positions() -> Told {
    let mut told = Told::default();
    for line in REAL_POSITIONS.lines() {
        let (question, stones) = line.split_once(' ').expect("two fields");
        let game = Format::Stones.read(stones.as_bytes());
        let game = game.expect("stones that can be played");
        match question {
            "win" => {
                let options = SolverOptions::of_order(Order::DOUBLE_THREATS);
                told.win(game.position(), options, NODES_FOR_A_POSITION);
            }
            _ => {
                let options = VerifierOptions {
                    leftover: Leftover::Kept,
                    ..VerifierOptions::for_budget(NODES_FOR_A_POSITION)
                };
                told.verify(game.position(), options, NODES_FOR_A_POSITION);
            }
        }
    }
    told
}

fn run(name: &str) -> Told {
    let mut workloads = WORKLOADS.iter();
    let (_, workload) = workloads
        .find(|(known, _)| *known == name)
        .expect("a workload that this program named itself");
    workload()
}

fn tell() {
    for (name, _) in WORKLOADS {
        let told = run(name);
        for win in &told.wins {
            check(&win.proof).expect("every proof holds");
        }
        println!(
            "{name:<16} {} of {} solved and checked, {} nodes",
            told.wins.len(),
            told.tasks,
            told.nodes
        );
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = arguments.as_slice()
        && flag == "--workload"
    {
        run(name);
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--plain") {
        tell();
        return ExitCode::SUCCESS;
    }
    let names = WORKLOADS.map(|(name, _)| name);
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data/instructions.csv");
    let bench = Bench {
        package: "gridproof-solver",
        name: "fixed_set",
        per: "for all tasks",
        workloads: &names,
        record: &record,
    };
    bench.run(&arguments, |name| instructions(&["--workload", name]))
}
