//! The solver of double threats against a straightforward one, in one run.
//!
//! `GRIDPROOF_WINS=proved_wins.csv cargo bench -p gridproof-solver --bench reference`: a file of
//! won positions, stones in the last column as `"j10,i11,..."`. The other solver deepens step by
//! step and tries every double threat in the board's order against every way to block it; it
//! knows no zones, makes no proof and remembers nothing, and gives up after a number of nodes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gridproof_game::records::Format;
use gridproof_game::{Colour, Position, Rules};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};
use gridproof_threats::{Connect6, Geometry, ThreatBoard};

const DEEPEST: u32 = 12;
const NODES: u64 = 100_000;

struct Reference {
    board: ThreatBoard<Connect6>,
    attacker: Colour,
    nodes: u64,
}

impl Reference {
    fn wins(&mut self) -> bool {
        (1..=DEEPEST).any(|depth| self.nodes < NODES && self.wins_within(depth))
    }

    fn wins_within(&mut self, depth: u32) -> bool {
        if self.board.can_complete(self.attacker) {
            return true;
        }
        if depth == 0 || self.nodes >= NODES {
            return false;
        }
        let attacks = self.board.attacks(self.attacker, 2);
        attacks.iter().any(|attack| {
            let mut stones = attack.stones.to_vec();
            if stones.len() < 2 {
                let empties = self.board.empties();
                stones.extend(empties.iter().find(|square| !stones.contains(square)));
            }
            self.nodes += 1;
            self.board.place_all(&stones, self.attacker);
            let won = self.beats_all_blocks(depth);
            self.board.undo_all(stones.len());
            won
        })
    }

    fn beats_all_blocks(&mut self, depth: u32) -> bool {
        let defender = self.attacker.other();
        if self.board.can_complete(defender) {
            return false;
        }
        let blocks = self.board.minimal_blocks(self.attacker);
        blocks.iter().all(|block| {
            self.board.place_all(block, defender);
            let won = self.wins_within(depth - 1);
            self.board.undo_all(block.len());
            won
        })
    }
}

fn positions(text: &str) -> Vec<Position> {
    let stones = text.lines().filter_map(|line| line.rsplit('"').nth(1));
    let position = |stones: &str| {
        let game = Format::Stones.read(stones.as_bytes());
        let game = game.expect("a list of stones that can be played");
        game.position().clone()
    };
    stones.map(position).collect()
}

fn main() {
    let Ok(path) = std::env::var("GRIDPROOF_WINS") else {
        println!("set GRIDPROOF_WINS to a file of won positions: skipped");
        return;
    };
    let text = std::fs::read_to_string(path).expect("GRIDPROOF_WINS names a readable file");
    let positions = positions(&text);
    let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
    let solver = Solver::new(Rules::CONNECT6);
    let mut ours = (0u32, Duration::ZERO, 0u64);
    let mut theirs = (0u32, Duration::ZERO, 0u64);
    for position in &positions {
        let begin = Instant::now();
        let mut budget = Budget::of_nodes(2_000_000);
        let options = SolverOptions::of_order(Order::DOUBLE_THREATS);
        let outcome = solver.win(position, options, &mut budget);
        ours.0 += u32::from(matches!(outcome, Ok(Outcome::Won(_))));
        ours.1 += begin.elapsed();
        ours.2 += budget.spent();

        let begin = Instant::now();
        let mut reference = Reference {
            board: ThreatBoard::of_position(Arc::clone(&geometry), position)
                .expect("the rules of Connect6"),
            attacker: position.to_move(),
            nodes: 0,
        };
        theirs.0 += u32::from(reference.wins());
        theirs.1 += begin.elapsed();
        theirs.2 += reference.nodes;
    }
    for (name, (won, time, nodes)) in [("solver, with proofs", ours), ("reference", theirs)] {
        println!(
            "{name:20} won {won} of {}, {nodes} nodes, {:.2} s",
            positions.len(),
            time.as_secs_f64()
        );
    }
    let ratio = ours.1.as_secs_f64() / theirs.1.as_secs_f64();
    println!("the solver takes {ratio:.3} of the reference's time");
}
