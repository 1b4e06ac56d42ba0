use gridproof_game::{Colour, Position, Rules, Square, SquareSet, Symmetry};

use crate::file::BookError;

/// A position as the book sorts it: its stones, turned and mirrored into canonical form, written
/// as bytes. Two positions have the same key only if they turn or mirror into each other; no
/// hash stands between, so nothing collides and nothing can be forged.
///
/// The bytes are numbers: Black's stones and White's are counted, then named, each by its
/// distance from the one before it. A number is as many bytes 255 as fit into it, then the rest.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Box<[u8]>);

/// The canonical form that keys are made of: [`Position::canonical`]. Another way to choose among
/// the images of a position would get another number.
pub(crate) const CANONICAL_FORM: u8 = 1;

impl Key {
    /// The key of a position, and the symmetry that leads from the position to its canonical form.
    #[must_use]
    pub fn of(position: &Position) -> (Self, Symmetry) {
        let (canonical, symmetry) = position.canonical();
        (Self::of_canonical(&canonical), symmetry)
    }

    /// The key of a position that is in canonical form.
    pub(crate) fn of_canonical(position: &Position) -> Self {
        let columns = usize::from(position.rules().columns());
        let mut bytes = Vec::with_capacity(2 + position.stone_count());
        for colour in Colour::BOTH {
            put_number(&mut bytes, position.stones(colour).len());
        }
        for colour in Colour::BOTH {
            put_squares(&mut bytes, columns, position.stones(colour).iter());
        }
        Self(bytes.into())
    }

    /// Bytes that are taken for a key. What they mean is found out by [`Key::position`].
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The position in canonical form.
    pub fn position(&self, rules: Rules) -> Result<Position, BookError> {
        let mut rest = &self.0[..];
        let counts = [number(&mut rest)?, number(&mut rest)?];
        let mut stones = [SquareSet::EMPTY; 2];
        for (set, count) in stones.iter_mut().zip(counts) {
            if count > rules.area() {
                return Err(BookError::damaged("more stones than the board has squares"));
            }
            set.extend(squares(&mut rest, &rules, count)?);
        }
        if !rest.is_empty() {
            return Err(BookError::damaged("a position has bytes left over"));
        }
        // The numbers of stones tell whose turn it is.
        let [black, white] = &stones;
        Position::of_game_stones(rules, black, white, Colour::Black)
            .or_else(|_| Position::of_game_stones(rules, black, white, Colour::White))
            .map_err(BookError::Position)
    }

    /// How many stones the position has, both sides together.
    pub(crate) fn stone_count(&self) -> Result<usize, BookError> {
        let mut rest = &self.0[..];
        Ok(number(&mut rest)? + number(&mut rest)?)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ")")
    }
}

pub(crate) fn put_number(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 255 {
        bytes.push(255);
        value -= 255;
    }
    bytes.push(value as u8);
}

/// A number that counts squares: larger ones are not read to their end.
fn number(rest: &mut &[u8]) -> Result<usize, BookError> {
    let mut value = 0;
    loop {
        let (&byte, after) = rest
            .split_first()
            .ok_or_else(|| BookError::damaged("a number ends too early"))?;
        *rest = after;
        value += usize::from(byte);
        if value > 2 * Square::COUNT {
            return Err(BookError::damaged("a number is out of range"));
        }
        if byte < 255 {
            return Ok(value);
        }
    }
}

/// Squares in ascending order, each by the number of squares between it and the one before.
pub(crate) fn put_squares(
    bytes: &mut Vec<u8>,
    columns: usize,
    squares: impl Iterator<Item = Square>,
) {
    let mut next = 0;
    for square in squares {
        let place = usize::from(square.row()) * columns + usize::from(square.column());
        put_number(bytes, place - next);
        next = place + 1;
    }
}

pub(crate) fn squares(
    rest: &mut &[u8],
    rules: &Rules,
    count: usize,
) -> Result<Vec<Square>, BookError> {
    let columns = usize::from(rules.columns());
    let mut next = 0;
    let mut squares = Vec::with_capacity(count);
    for _ in 0..count {
        let place = next + number(rest)?;
        if place >= rules.area() {
            return Err(BookError::damaged("a stone lies off the board"));
        }
        squares.push(Square::new(
            (place % columns) as u8,
            (place / columns) as u8,
        ));
        next = place + 1;
    }
    Ok(squares)
}
