//! How long a question to a book takes: `GRIDPROOF_BOOK=FILE cargo bench -p gridproof-book`.
//! Every entry is asked for once in random order, turned at random, and so is as much that the
//! book does not know.

use std::path::Path;
use std::time::Instant;

use gridproof_book::BookFile;
use gridproof_game::{Position, Symmetry};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};

fn main() {
    let Ok(path) = std::env::var("GRIDPROOF_BOOK") else {
        println!("set GRIDPROOF_BOOK to a book's file");
        return;
    };
    let begun = Instant::now();
    let file = BookFile::open(Path::new(&path)).expect("a book");
    println!("opened in {:.2} ms", begun.elapsed().as_secs_f64() * 1e3);
    let rules = file.rules();
    let mut rng = SmallRng::seed_from_u64(1);
    let symmetries: Vec<_> = Symmetry::all(&rules).collect();
    let mut known: Vec<Position> = Vec::new();
    let mut unknown: Vec<Position> = Vec::new();
    for next in file.entries() {
        let (key, _) = next.expect("an entry");
        let position = key.position(rules).expect("a position");
        let turn = symmetries[rng.random_range(0..symmetries.len())];
        let position = position.transformed(turn);
        unknown.push(position.clone().with_to_move(position.to_move().other()));
        known.push(position);
    }
    known.shuffle(&mut rng);
    // One stone elsewhere: as likely in the book as any position that nobody played.
    let unknown: Vec<Position> = unknown
        .iter()
        .filter_map(|position| {
            let mv: Vec<_> = position
                .empties()
                .iter()
                .take(position.move_len())
                .collect();
            let mut after = position.clone();
            after.play(&gridproof_game::Move::full(mv)).ok()?;
            Some(after)
        })
        .collect();
    for (name, positions) in [("known", &known), ("not known", &unknown)] {
        for round in ["cold", "warm", "warm"] {
            let begun = Instant::now();
            let found = positions
                .iter()
                .filter(|position| file.find(position).expect("a sound book").is_some())
                .count();
            let each = begun.elapsed().as_secs_f64() * 1e6 / positions.len().max(1) as f64;
            println!(
                "{name}, {round}: {each:.2} microseconds each, {found} of {} found",
                positions.len()
            );
        }
    }
    let begun = Instant::now();
    let forms = known.iter().map(|position| position.canonical().0.key());
    let sum = forms.fold(0, u64::wrapping_add);
    let each = begun.elapsed().as_secs_f64() * 1e6 / known.len().max(1) as f64;
    println!("of this the canonical form: {each:.2} microseconds ({sum:x})");
}
