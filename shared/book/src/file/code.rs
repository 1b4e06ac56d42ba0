//! One entry as bytes, without its key.

use std::sync::Arc;

use gridproof_certificate::ContentHash;
use gridproof_game::{Colour, Move, Rules, Symmetry};

use super::BookError;
use crate::entry::{BookMove, Entry, Proved, Status, Wins};
use crate::key::{Key, put_squares, squares};

const STATUS: u8 = 3;
const NOTE: u8 = 4;
/// The wins: none, one of Black or of White, which is what most positions have, or a list.
const WINS: u8 = 3 << 3;
const ONE_WIN: [u8; 2] = [1 << 3, 2 << 3];
const LIST: u8 = 3 << 3;
/// As many moves share a byte with the first one's symmetry; with more their number follows.
const FEW_MOVES: usize = 31;

/// What the numbers in an entry stand for.
pub(super) trait Tables {
    fn source(&self, number: u64) -> Result<Arc<str>, BookError>;
    fn certificate(&self, number: u64) -> Result<ContentHash, BookError>;
}

pub(super) fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

pub(super) fn get(rest: &mut &[u8]) -> Result<u64, BookError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest
            .split_first()
            .ok_or_else(|| BookError::damaged("a number ends too early"))?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        // The shortest form alone, so that a content has one spelling.
        if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(BookError::damaged("a number is malformed"))
}

fn get_u32(rest: &mut &[u8]) -> Result<u32, BookError> {
    let value = get(rest)?;
    u32::try_from(value).map_err(|_| BookError::damaged("a number is out of range"))
}

/// Takes a length, then as many bytes.
pub(super) fn get_bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], BookError> {
    let length = get(rest)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    take(rest, length)
}

pub(super) fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], BookError> {
    let (taken, after) = rest
        .split_at_checked(length)
        .ok_or_else(|| BookError::damaged("something is longer than its block"))?;
    *rest = after;
    Ok(taken)
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, BookError> {
    std::str::from_utf8(bytes).map_err(|_| BookError::damaged("a text is not UTF-8"))
}

pub(super) fn put_entry(
    bytes: &mut Vec<u8>,
    rules: &Rules,
    entry: &Entry,
    source: impl Fn(&Arc<str>) -> u64,
    certificate: impl Fn(&ContentHash) -> u64,
) {
    let columns = usize::from(rules.columns());
    let note = if entry.note.is_empty() { 0 } else { NOTE };
    let status = match &entry.status {
        Status::Played => 0,
        Status::Open { .. } => 1,
        Status::Proved(proved) => match proved.winner {
            Colour::Black => 2,
            Colour::White => 3,
        },
    };
    let form = wins_form(&entry.wins);
    bytes.push(status | note | form);
    if form == LIST {
        put(bytes, entry.wins.len() as u64);
    }
    for (name, wins) in &entry.wins {
        put(bytes, source(name));
        if form == LIST {
            put(bytes, wins.black.into());
            put(bytes, wins.white.into());
        }
    }
    match &entry.status {
        Status::Played => {}
        Status::Open { proof, disproof } => {
            put(bytes, (*proof).into());
            put(bytes, (*disproof).into());
        }
        Status::Proved(proved) => {
            put(bytes, certificate(&proved.certificate));
            let stones = proved.mv.as_ref().map_or(&[][..], Move::stones);
            put(bytes, stones.len() as u64);
            put_squares(bytes, columns, stones.iter().copied());
        }
    }
    let few = entry.moves.len().min(FEW_MOVES);
    let first = entry.moves.first().map_or(0, |one| one.symmetry.index());
    bytes.push((few as u8) << 3 | first);
    if few == FEW_MOVES {
        put(bytes, (entry.moves.len() - FEW_MOVES) as u64);
    }
    for (number, BookMove { mv, symmetry }) in entry.moves.iter().enumerate() {
        if number > 0 {
            bytes.push(symmetry.index());
        }
        put_squares(bytes, columns, mv.stones().iter().copied());
    }
    bytes.extend_from_slice(entry.note.as_bytes());
}

fn wins_form(wins: &[(Arc<str>, Wins)]) -> u8 {
    match wins {
        [] => 0,
        [(_, Wins { black: 1, white: 0 })] => ONE_WIN[0],
        [(_, Wins { black: 0, white: 1 })] => ONE_WIN[1],
        _ => LIST,
    }
}

fn get_wins(
    rest: &mut &[u8],
    form: u8,
    tables: &impl Tables,
) -> Result<Vec<(Arc<str>, Wins)>, BookError> {
    if let Some(side) = ONE_WIN.iter().position(|one| *one == form) {
        let source = tables.source(get(rest)?)?;
        return Ok(vec![(source, Wins::one(Colour::BOTH[side]))]);
    }
    let mut wins: Vec<(Arc<str>, Wins)> = Vec::new();
    let count = if form == LIST { get(rest)? } else { 0 };
    for _ in 0..count {
        let source = tables.source(get(rest)?)?;
        if wins.last().is_some_and(|(before, _)| *before >= source) {
            return Err(BookError::damaged("sources are not in order"));
        }
        let (black, white) = (get_u32(rest)?, get_u32(rest)?);
        wins.push((source, Wins { black, white }));
    }
    if wins_form(&wins) == form {
        Ok(wins)
    } else {
        Err(BookError::damaged("wins are not in their shortest form"))
    }
}

/// Whether the bytes mean moves that can be played is not looked at here.
pub(super) fn get_entry(
    mut rest: &[u8],
    key: &Key,
    rules: &Rules,
    tables: &impl Tables,
) -> Result<Entry, BookError> {
    let rest = &mut rest;
    let [tag] = *take(rest, 1)? else {
        unreachable!("one byte was taken")
    };
    let wins = get_wins(rest, tag & WINS, tables)?;
    let status = match tag & STATUS {
        0 => Status::Played,
        1 => Status::Open {
            proof: get_u32(rest)?,
            disproof: get_u32(rest)?,
        },
        winner => Status::Proved(Proved {
            winner: Colour::BOTH[usize::from(winner) - 2],
            certificate: tables.certificate(get(rest)?)?,
            mv: {
                let count = usize::try_from(get(rest)?).unwrap_or(usize::MAX);
                if count > usize::from(rules.stones_per_turn().max(rules.first_stones())) {
                    return Err(BookError::damaged("a move has too many stones"));
                }
                let stones = squares(rest, rules, count)?;
                (count > 0).then(|| Move::full(stones))
            },
        }),
    };
    let stones = key.stone_count()?;
    let length = usize::from(if stones == 0 {
        rules.first_stones()
    } else {
        rules.stones_per_turn()
    });
    let length = length.min(rules.area().saturating_sub(stones));
    let head = take(rest, 1)?[0];
    let few = usize::from(head >> 3);
    let more = if few == FEW_MOVES { get(rest)? } else { 0 };
    let mut moves: Vec<BookMove> = Vec::new();
    for number in 0..more.saturating_add(few as u64) {
        let index = match number {
            0 => head & 7,
            _ => take(rest, 1)?[0],
        };
        let symmetry = Symmetry::from_index(rules, index)
            .ok_or_else(|| BookError::damaged("a move has a symmetry that the board has not"))?;
        let mv = Move::full(squares(rest, rules, length)?);
        let book_move = BookMove { mv, symmetry };
        if moves.last().is_some_and(|before| *before >= book_move) {
            return Err(BookError::damaged("moves are not in order"));
        }
        moves.push(book_move);
    }
    let has_note = tag & NOTE != 0;
    let means_nothing = tag > STATUS | NOTE | WINS || (few == 0 && head != 0);
    if means_nothing || rest.is_empty() == has_note {
        return Err(BookError::damaged("an entry has bytes that mean nothing"));
    }
    Ok(Entry {
        wins,
        status,
        note: text(rest)?.to_owned(),
        moves,
    })
}
