use std::io::{self, Read, Write};

use gridproof_game::{Colour, Position, Rules, SquareSet};

use super::{FormatError, VERSION};
use crate::check::Claim;
use crate::place::{place_of, square_at};

const MAGIC: &[u8; 8] = b"\x89GPROOF\n";

/// What a file says before its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) claim: Claim,
    pub(crate) nodes: u64,
}

impl Header {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_as(MAGIC, out)
    }

    pub(crate) fn write_as(&self, magic: &[u8; 8], out: &mut impl Write) -> io::Result<()> {
        let Claim { start, attacker } = &self.claim;
        let rules = start.rules();
        out.write_all(magic)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[
            rules.columns(),
            rules.rows(),
            rules.in_a_row(),
            rules.stones_per_turn(),
            rules.first_stones(),
            start.to_move().letter() as u8,
            attacker.letter() as u8,
        ])?;
        for colour in Colour::BOTH {
            let stones = start.stones(colour);
            out.write_all(&(stones.len() as u16).to_le_bytes())?;
            for square in stones.iter() {
                out.write_all(&(place_of(rules, square) as u16).to_le_bytes())?;
            }
        }
        out.write_all(&self.nodes.to_le_bytes())
    }

    pub(crate) fn read(from: &mut impl Read) -> Result<Self, FormatError> {
        Self::read_as(MAGIC, from)
    }

    pub(crate) fn read_as(magic: &[u8; 8], from: &mut impl Read) -> Result<Self, FormatError> {
        let found: [u8; 8] = read_bytes(from)?;
        if found != *magic {
            return Err(FormatError::NotAProof);
        }
        let version = u16::from_le_bytes(read_bytes(from)?);
        if version != VERSION {
            return Err(FormatError::Version(version));
        }
        let [m, n, k, p, q, to_move, attacker] = read_bytes(from)?;
        let rules = Rules::new(m.into(), n.into(), k.into(), p.into(), q.into())?;
        let (to_move, attacker) = (colour(to_move)?, colour(attacker)?);
        let black = read_stones(from, &rules)?;
        let white = read_stones(from, &rules)?;
        let start = Position::of_stones(rules, &black, &white, to_move)?;
        let nodes = u64::from_le_bytes(read_bytes(from)?);
        let claim = Claim { start, attacker };
        Ok(Self { claim, nodes })
    }
}

fn read_bytes<const N: usize>(from: &mut impl Read) -> Result<[u8; N], FormatError> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Capital letters only: one spelling for one content.
fn colour(letter: u8) -> Result<Colour, FormatError> {
    let letter = char::from(letter);
    Colour::from_letter(letter)
        .filter(|colour| colour.letter() == letter)
        .ok_or_else(|| FormatError::damaged(format!("{letter:?} is no side")))
}

fn read_stones(from: &mut impl Read, rules: &Rules) -> Result<SquareSet, FormatError> {
    let count = u16::from_le_bytes(read_bytes(from)?);
    let mut stones = SquareSet::EMPTY;
    let mut least = 0;
    for _ in 0..count {
        let place = u16::from_le_bytes(read_bytes(from)?);
        let square = square_at(rules, place.into()).filter(|_| place >= least);
        let square = square.ok_or_else(|| {
            FormatError::damaged(format!("a stone at place {place}, off the board or twice"))
        })?;
        stones.insert(square);
        least = place + 1;
    }
    Ok(stones)
}
