//! A book as JSON lines: the game first, then a line for each entry.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use gridproof_certificate::ContentHash;
use gridproof_game::{Colour, Move, Position, Rules, SquareSet, State};
use serde::{Deserialize, Serialize};

use crate::book::{Book, MergeError, canonical_move, least_move};
use crate::entry::{Entry, Proved, Status, Wins};
use crate::key::Key;

/// Why lines are no book.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The system could not read or write.
    #[error("the lines cannot be read")]
    Io(#[from] io::Error),
    /// A line is no entry.
    #[error("line {line}: {reason}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    gridproof_book: u16,
    rules: String,
}

/// The first line's number: of the way to write entries as JSON.
const JSON_VERSION: u16 = 1;

/// An entry with its position, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    black: String,
    white: String,
    #[serde(flatten)]
    facts: Facts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
}

/// What an entry says beside its position and its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// Black's wins and White's, by source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    wins: BTreeMap<String, [u32; 2]>,
    /// The proof number and the disproof number of an open position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<[u32; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proved: Option<ProvedText>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ProvedText {
    winner: char,
    certificate: String,
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
}

impl Facts {
    /// `image` takes moves of the entry to the board that they are written for.
    pub(crate) fn of(entry: &Entry, image: impl Fn(&Move) -> Move) -> Self {
        let wins = entry.wins.iter();
        let wins = wins.map(|(source, wins)| (source.to_string(), [wins.black, wins.white]));
        Self {
            wins: wins.collect(),
            open: match entry.status {
                Status::Open { proof, disproof } => Some([proof, disproof]),
                _ => None,
            },
            proved: entry.proved().map(|proved| ProvedText {
                winner: proved.winner.letter(),
                certificate: proved.certificate.to_string(),
                mv: proved.mv.as_ref().map(|mv| image(mv).to_string()),
            }),
            note: entry.note.clone(),
        }
    }

    /// The entry without its moves, in canonical form. Proofs are claims: nothing is checked.
    pub(crate) fn entry(self, position: &Position) -> Result<Entry, String> {
        let mut entry = Entry {
            note: self.note,
            ..Entry::default()
        };
        for (source, [black, white]) in self.wins {
            *entry.wins_of(&source.into()) = Wins { black, white };
        }
        entry.status = match (self.proved, self.open) {
            (Some(proved), _) => Status::Proved(proved.claim(position)?),
            (None, Some([proof, disproof])) => Status::Open { proof, disproof },
            (None, None) => Status::Played,
        };
        Ok(entry)
    }
}

impl ProvedText {
    fn claim(&self, position: &Position) -> Result<Proved, String> {
        let mv = self.mv.as_deref().map(|text| legal(position, text));
        let winner = Colour::from_letter(self.winner);
        Ok(Proved {
            winner: winner.ok_or_else(|| format!("{:?} is no side", self.winner))?,
            certificate: hash_of(&self.certificate)
                .ok_or_else(|| format!("{:?} is no hash", self.certificate))?,
            mv: mv.transpose()?.map(|mv| least_move(position, &mv).1),
        })
    }
}

fn hash_of(text: &str) -> Option<ContentHash> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(pairs) {
        let digit = |letter: u8| char::from(letter).to_digit(16);
        *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
    }
    Some(ContentHash(hash))
}

/// A move of full stones that can be played and does not end the game.
pub(crate) fn quiet(position: &Position, text: &str) -> Result<Move, String> {
    let mv = legal(position, text)?;
    match position.after(&mv).state() {
        State::Open => Ok(mv),
        _ => Err(format!("the move {mv} ends the game")),
    }
}

fn legal(position: &Position, text: &str) -> Result<Move, String> {
    let mv: Move = text.parse().map_err(|error| format!("{error}"))?;
    let played = position.clone().play(&mv);
    played.map_err(|error| error.to_string())?;
    if mv.is_full() {
        Ok(mv)
    } else {
        Err(format!("the move {mv} has null stones"))
    }
}

impl Line {
    pub(crate) fn of(rules: Rules, key: &Key, entry: &Entry) -> Result<Self, crate::BookError> {
        let position = key.position(rules)?;
        let stones = |colour| {
            let squares = position.stones(colour).iter();
            Move::full(squares).to_string()
        };
        Ok(Self {
            black: stones(Colour::Black),
            white: stones(Colour::White),
            facts: Facts::of(entry, Move::clone),
            moves: entry.moves.iter().map(|one| one.mv.to_string()).collect(),
        })
    }

    /// The entry that the line tells of, in canonical form.
    pub(crate) fn read(self, rules: Rules) -> Result<(Key, Entry), String> {
        let stones = |text: &str| -> Result<SquareSet, String> {
            let squares: Move = text.parse().map_err(|error| format!("{error}"))?;
            Ok(squares.stones().iter().copied().collect())
        };
        let (black, white) = (stones(&self.black)?, stones(&self.white)?);
        let position = Position::of_game_stones(rules, &black, &white, Colour::Black)
            .or_else(|_| Position::of_game_stones(rules, &black, &white, Colour::White))
            .map_err(|error| error.to_string())?;
        if position.state() != State::Open {
            return Err("the game is over in this position".to_owned());
        }
        let mut entry = self.facts.entry(&position)?;
        for text in &self.moves {
            let (_, book_move, _) = canonical_move(&position, &quiet(&position, text)?);
            entry.add_move(book_move);
        }
        Ok((Key::of(&position).0, entry))
    }
}

/// Writes a book as JSON lines.
pub fn write_json(book: &Book, mut out: impl Write) -> Result<(), JsonError> {
    let head = Head {
        gridproof_book: JSON_VERSION,
        rules: book.rules().to_string(),
    };
    let mut put = |text: serde_json::Result<String>| {
        let text = text.map_err(io::Error::from)?;
        writeln!(out, "{text}")
    };
    put(serde_json::to_string(&head))?;
    for (key, entry) in book.entries() {
        let line = Line::of(book.rules(), key, entry).map_err(io::Error::other)?;
        put(serde_json::to_string(&line))?;
    }
    Ok(out.flush()?)
}

/// Reads a book from JSON lines. Proofs are claims: nothing is checked.
pub fn read_json(from: impl BufRead) -> Result<Book, JsonError> {
    let mut lines = from.lines().zip(1..);
    let refuse = |line| move |reason: String| JsonError::Line { line, reason };
    let Some((first, _)) = lines.next() else {
        return Err(refuse(1)("there is nothing to read".to_owned()));
    };
    let head: Head =
        serde_json::from_str(&first?).map_err(|error| refuse(1)(format!("no book: {error}")))?;
    if head.gridproof_book != JSON_VERSION {
        let version = head.gridproof_book;
        return Err(refuse(1)(format!(
            "a book of version {version}, and this program reads version {JSON_VERSION}"
        )));
    }
    let rules: Rules = head
        .rules
        .parse()
        .map_err(|error| refuse(1)(format!("{error}")))?;
    let mut book = Book::new(rules);
    for (text, number) in lines {
        let text = text?;
        if text.trim().is_empty() {
            continue;
        }
        let line: Line =
            serde_json::from_str(&text).map_err(|error| refuse(number)(error.to_string()))?;
        let (key, entry) = line.read(rules).map_err(refuse(number))?;
        book.merge_entry(key, entry)
            .map_err(|error: MergeError| refuse(number)(error.to_string()))?;
    }
    Ok(book)
}
