//! The book and its file against a naive twin: a hash map of lists.

mod common;

use std::collections::HashMap;

use gridproof_book::{Book, BookFile, Branch, Key, Prover, branch, encode, winner};
use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position, Rules, Square, State, Symmetry};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// A position as people would write it: the least of eight sorted lists of stones.
type Stones = Vec<(Colour, u8, u8)>;

fn naive_form(position: &Position) -> Stones {
    let side = Rules::CONNECT6.columns() - 1;
    let images = (0..8).map(|image| {
        let mut stones: Stones = Vec::new();
        for colour in Colour::BOTH {
            for square in position.stones(colour).iter() {
                let (mut c, mut r) = (square.column(), square.row());
                for turn in 0..image {
                    (c, r) = if turn == 3 { (r, c) } else { (r, side - c) };
                }
                stones.push((colour, c, r));
            }
        }
        stones.sort();
        stones
    });
    images.min().unwrap()
}

#[derive(Debug, Default)]
struct Twin {
    winners: HashMap<Stones, Vec<Colour>>,
    children: HashMap<Stones, Vec<Stones>>,
}

struct NoProof;

impl Prover for NoProof {
    fn prove(&mut self, _: &Position, _: Colour) -> Option<Proof> {
        None
    }
}

#[test]
fn every_position_has_the_wins_and_moves_of_the_twin() {
    let mut book = Book::new(Rules::CONNECT6);
    let mut twin = Twin::default();
    for game in &common::games() {
        let Some(winner) = winner(game) else { continue };
        let Branch { turns, .. } = branch(game, winner, &mut NoProof);
        book.add_game(game, turns, winner, &"games".into());
        let positions: Vec<_> = game.positions().take(turns + 1).collect();
        assert!(positions.iter().all(|p| p.state() == State::Open));
        for position in &positions {
            twin.winners
                .entry(naive_form(position))
                .or_default()
                .push(winner);
        }
        for pair in positions.windows(2) {
            let children = twin.children.entry(naive_form(&pair[0])).or_default();
            let child = naive_form(&pair[1]);
            if !children.contains(&child) {
                children.push(child);
            }
        }
    }
    let file = BookFile::of(encode(&book).0).unwrap();
    assert_eq!(file.len() as usize, twin.winners.len());
    assert_eq!(file.verify().unwrap().entries as usize, twin.winners.len());
    let mut rng = SmallRng::seed_from_u64(22);
    for next in file.entries() {
        let (key, entry) = next.unwrap();
        let position = key.position(Rules::CONNECT6).unwrap();
        let form = naive_form(&position);
        let won = |colour| twin.winners[&form].iter().filter(|w| **w == colour).count();
        let wins = entry.all_wins();
        assert_eq!(wins.black as usize, won(Colour::Black));
        assert_eq!(wins.white as usize, won(Colour::White));
        let mut after: Vec<_> = entry
            .moves
            .iter()
            .map(|one| naive_form(&position.after(&one.mv)))
            .collect();
        after.sort();
        after.dedup();
        let mut expected = twin.children.get(&form).cloned().unwrap_or_default();
        expected.sort();
        assert_eq!(after, expected);
        // However the board lies, the entry is found and its moves fit the board.
        let turn = Symmetry::from_index(&Rules::CONNECT6, rng.random_range(0..8)).unwrap();
        let image = position.transformed(turn);
        let (found, symmetry) = file.find(&image).unwrap().unwrap();
        assert_eq!(found, entry);
        let there = found.transformed(&Rules::CONNECT6, symmetry.inverse());
        for one in &there.moves {
            let child = image.after(&one.mv).transformed(one.symmetry);
            let (key, _) = Key::of(&image.after(&one.mv));
            assert_eq!(key.position(Rules::CONNECT6).unwrap(), child);
            assert!(file.get(&key).unwrap().is_some());
        }
    }
}

#[test]
fn what_the_twin_does_not_know_is_not_found() {
    let (book, _) = common::book(40);
    let file = BookFile::of(encode(&book).0).unwrap();
    let mut rng = SmallRng::seed_from_u64(23);
    for _ in 0..2_000 {
        let mut position = Position::start(Rules::CONNECT6);
        for _ in 0..rng.random_range(1..6) {
            let mut stones: Vec<Square> = Vec::new();
            while stones.len() < position.move_len() {
                let near = |rng: &mut SmallRng| rng.random_range(6..13);
                let square = Square::new(near(&mut rng), near(&mut rng));
                if position.is_empty_at(square) && !stones.contains(&square) {
                    stones.push(square);
                }
            }
            position = position.after(&Move::full(stones));
        }
        let known = book.get(&Key::of(&position).0);
        let found = file.find(&position).unwrap().map(|(entry, _)| entry);
        assert_eq!(found.as_ref(), known);
    }
}
