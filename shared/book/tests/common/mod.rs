//! Real games, and a book of them.

#![allow(dead_code, reason = "each test uses its part")]

use std::path::Path;

use gridproof_book::{Book, Prover, Status, branch, winner};
use gridproof_certificate::{ContentHash, Proof, check, write_proof};
use gridproof_game::records::{Format, Game, Outcome};
use gridproof_game::{Colour, Position, Rules};
use gridproof_solver::{Budget, Order, Outcome as Found, Solver, SolverOptions};

/// Two hundred games that somebody won or drew.
pub fn games() -> Vec<Game> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/games_sample.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let games = text.lines().skip(1).map(|line| {
        let cells: Vec<_> = line.splitn(4, ',').collect();
        let mut game = Format::Stones
            .read(cells[3].trim_matches('"').as_bytes())
            .unwrap();
        let colour = Colour::from_letter(cells[1].chars().next().unwrap());
        game.headers.result = colour.map(Outcome::Won);
        game
    });
    games.collect()
}

/// Wins by double threats of the side to move.
#[derive(Debug)]
pub struct Threats(Solver);

impl Threats {
    pub fn new() -> Self {
        Self(Solver::new(Rules::CONNECT6))
    }
}

impl Prover for Threats {
    fn prove(&mut self, position: &Position, attacker: Colour) -> Option<Proof> {
        if position.to_move() != attacker || position.stone_count() == 0 {
            return None;
        }
        let mut budget = Budget::of_nodes(300);
        let options = SolverOptions::of_order(Order::DOUBLE_THREATS);
        match self.0.win(position, options, &mut budget) {
            Ok(Found::Won(win)) => Some(win.proof),
            _ => None,
        }
    }
}

/// A proof's hash, without a file.
pub fn hash_of(proof: &Proof) -> ContentHash {
    write_proof(proof, Vec::new()).unwrap().1
}

/// A book of the first games with their proofs, some notes and some open positions.
pub fn book(count: usize) -> (Book, Vec<Proof>) {
    let mut book = Book::new(Rules::CONNECT6);
    let mut prover = Threats::new();
    let mut proofs = Vec::new();
    for (number, game) in games().iter().take(count).enumerate() {
        let Some(winner) = winner(game) else { continue };
        let branch = branch(game, winner, &mut prover);
        let source = ["experts", "programs"][number % 2].into();
        book.add_game(game, branch.turns, winner, &source);
        if let Some(proof) = branch.proof {
            check(&proof).unwrap();
            book.add_proof(&proof, hash_of(&proof)).unwrap();
            proofs.push(proof);
        }
    }
    book.prune().unwrap();
    let keys: Vec<_> = book.entries().map(|(key, _)| key.clone()).collect();
    for (number, key) in keys.into_iter().enumerate() {
        let entry = book.entry(key);
        if number % 7 == 0 {
            entry.note = format!("note {number}: a\\b]c \"quoted\"\nsecond line");
        }
        if number % 5 == 0 && entry.status == Status::Played {
            entry.status = Status::Open {
                proof: number as u32,
                disproof: 3,
            };
        }
    }
    (book, proofs)
}
