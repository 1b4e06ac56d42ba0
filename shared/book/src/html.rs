//! A book as a folder of pages that works from disk, without a server.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use gridproof_game::{Colour, Move};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::book::{Book, child_of};
use crate::entry::Status;
use crate::file::BookError;
use crate::key::Key;

const PAGE: &str = include_str!("html/index.html");
const SCRIPT: &str = include_str!("html/book.js");
const STYLE: &str = include_str!("html/book.css");

/// Entries in one file: a page from disk may load scripts but not fetch data, so the data come
/// as scripts, and only those are loaded that somebody looks at.
const ENTRIES_A_FILE: usize = 500;

/// An entry as the script reads it.
#[derive(Serialize)]
struct Data {
    /// Black's stones and White's.
    s: [Vec<[u8; 2]>; 2],
    /// `B` or `W`: the side to move.
    t: char,
    /// Black's wins and White's.
    w: [u32; 2],
    /// `played`, `open`, `B` or `W`.
    p: String,
    /// The note.
    #[serde(skip_serializing_if = "String::is_empty")]
    n: String,
    /// The winning move.
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<Vec<[u8; 2]>>,
    /// The moves to other entries.
    c: Vec<MoveData>,
}

/// The stones, the entry's number, the symmetry that leads to its board, the wins there and its
/// status.
type MoveData = (Vec<[u8; 2]>, usize, u8, [u32; 2], String);

/// Writes a book as a folder with `index.html`.
pub fn write_html(book: &Book, folder: &Path) -> Result<(), BookError> {
    let wrap = |source: io::Error| BookError::Write {
        path: folder.to_owned(),
        source,
    };
    fs::create_dir_all(folder.join("data")).map_err(wrap)?;
    let numbers: FxHashMap<&Key, usize> = book.entries().map(|(key, _)| key).zip(0..).collect();
    let mut text = String::new();
    for (number, (key, _)) in book.entries().enumerate() {
        let data = data(book, key, &numbers)?;
        let json = serde_json::to_string(&data).map_err(|error| wrap(error.into()))?;
        writeln!(text, "entry({number},{json});").expect("a string takes all");
        if (number + 1) % ENTRIES_A_FILE == 0 || number + 1 == book.len() {
            let name = format!("data/{}.js", number / ENTRIES_A_FILE);
            fs::write(folder.join(name), &text).map_err(wrap)?;
            text.clear();
        }
    }
    let rules = book.rules();
    let settings = format!(
        "const book = {{columns: {}, rows: {}, perFile: {ENTRIES_A_FILE}, entries: {}, rules: \"{rules}\"}};\n",
        rules.columns(),
        rules.rows(),
        book.len(),
    );
    for (name, content) in [
        ("index.html", PAGE),
        ("book.css", STYLE),
        ("book.js", &format!("{settings}{SCRIPT}")),
    ] {
        fs::write(folder.join(name), content).map_err(wrap)?;
    }
    Ok(())
}

fn data(book: &Book, key: &Key, numbers: &FxHashMap<&Key, usize>) -> Result<Data, BookError> {
    let position = key.position(book.rules())?;
    let entry = book.get(key).expect("the key is of this book");
    let squares = |colour| {
        let stones = position.stones(colour).iter();
        stones
            .map(|square| [square.column(), square.row()])
            .collect()
    };
    let mut children = Vec::new();
    for book_move in &entry.moves {
        let child = child_of(&position, book_move)?;
        if let Some(number) = numbers.get(&child)
            && let Some(below) = book.get(&child)
        {
            children.push((
                stones(&book_move.mv),
                *number,
                book_move.symmetry.index(),
                wins(below),
                status(below),
            ));
        }
    }
    children.sort_by_key(|(_, _, _, [black, white], _)| std::cmp::Reverse(black + white));
    Ok(Data {
        s: Colour::BOTH.map(squares),
        t: position.to_move().letter(),
        w: wins(entry),
        p: status(entry),
        n: entry.note.clone(),
        m: entry
            .proved()
            .and_then(|proved| proved.mv.as_ref())
            .map(stones),
        c: children,
    })
}

fn stones(mv: &Move) -> Vec<[u8; 2]> {
    let stones = mv.stones().iter();
    stones
        .map(|square| [square.column(), square.row()])
        .collect()
}

fn wins(entry: &crate::entry::Entry) -> [u32; 2] {
    let wins = entry.all_wins();
    [wins.black, wins.white]
}

fn status(entry: &crate::entry::Entry) -> String {
    match &entry.status {
        Status::Played => "played".to_owned(),
        Status::Open { .. } => "open".to_owned(),
        Status::Proved(proved) => proved.winner.letter().to_string(),
    }
}
