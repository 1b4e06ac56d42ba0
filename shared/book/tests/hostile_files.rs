//! No bytes make the reader panic or ask for much memory, and none make it believe a proof that
//! nobody checked.
//!
//! GRIDPROOF_FUZZ_INPUTS sets the number of mutated files of each test.

mod common;

use gridproof_book::{
    Book, BookFile, CheckedClaims, Key, encode, read_json, read_sgf, write_json, write_sgf,
};
use gridproof_game::{Position, Rules};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

fn inputs() -> u64 {
    match std::env::var("GRIDPROOF_FUZZ_INPUTS") {
        Ok(text) => text.parse().expect("GRIDPROOF_FUZZ_INPUTS is a number"),
        Err(_) => 20_000,
    }
}

fn mutate(rng: &mut SmallRng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..4) {
        // The header and the index's end are where lengths are.
        let at = match rng.random_range(0..3) {
            0 => rng.random_range(0..bytes.len().min(96)),
            _ => rng.random_range(0..bytes.len()),
        };
        match rng.random_range(0..6) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes[at] = [0, 1, 127, 128, 254, 255][rng.random_range(0..6)],
            3 => bytes.truncate(at.max(1)),
            4 => {
                let end = (at + rng.random_range(1..40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let end = (at + rng.random_range(1..8)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
}

fn small_book() -> Book {
    common::book(12).0
}

#[test]
fn mutated_files_give_errors_and_no_claim_that_was_not_checked() {
    let book = small_book();
    let (bytes, _) = encode(&book);
    let mut claims = CheckedClaims::default();
    let mut questions = vec![Position::start(Rules::CONNECT6)];
    for (key, entry) in book.entries() {
        if let Some(proved) = entry.proved() {
            claims.add(Rules::CONNECT6, key, proved).unwrap();
            questions.push(key.position(Rules::CONNECT6).unwrap());
        }
    }
    let (mut opened, mut whole) = (0, 0);
    for seed in 0..inputs() {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut bytes = bytes.clone();
        mutate(&mut rng, &mut bytes);
        let Ok(file) = BookFile::of(bytes) else {
            continue;
        };
        opened += 1;
        let question = &questions[rng.random_range(0..questions.len())];
        let mut found = Vec::new();
        if let Ok(Some((entry, _))) = file.find(question) {
            found.push((Key::of(question).0, entry));
        }
        found.extend(file.entries().filter_map(Result::ok));
        for (key, entry) in found {
            if let Some(proved) = entry.proved()
                && claims.contains(file.rules(), &key, proved)
            {
                let known = book.get(&key).and_then(|entry| entry.proved());
                assert_eq!(known, Some(proved), "seed {seed}");
            }
        }
        if file.verify().is_ok() {
            whole += 1;
            assert_eq!(
                file.load().unwrap(),
                book,
                "seed {seed}: the hash is the content's"
            );
        }
    }
    assert!(
        opened > inputs() / 10,
        "{opened} of {} were opened",
        inputs()
    );
    assert!(whole < opened, "{whole}");
}

#[test]
fn mutated_json_and_trees_give_errors_or_books() {
    let book = small_book();
    let mut lines = Vec::new();
    write_json(&book, &mut lines).unwrap();
    let tree = write_sgf(&book).unwrap().into_bytes();
    for seed in 0..inputs() / 20 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut text = if seed % 2 == 0 {
            lines.clone()
        } else {
            tree.clone()
        };
        mutate(&mut rng, &mut text);
        let read = if seed % 2 == 0 {
            read_json(&text[..]).ok()
        } else {
            read_sgf(&text).ok()
        };
        if let Some(book) = read {
            let file = BookFile::of(encode(&book).0).unwrap();
            file.verify()
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }
}
