//! Positions as addresses: a search and the moves from its root, so that a link can be mailed.

use std::fmt;

use gridproof_game::{Move, Position};
use gridproof_search::SearchId;

/// A position of a search: `/search/3/k11-l10/j8-k8`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub search: SearchId,
    pub moves: Vec<Move>,
}

/// Why an address leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("there is no {0}: it was never started, or the address is mistyped")]
    UnknownSearch(SearchId),
    #[error("\"{0}\" is no move: write squares like k11 l10, or pass for a stone left out")]
    NoMove(String),
    #[error("{0} cannot be played there: {1}")]
    Illegal(String, String),
    #[error("it is one stone too many or too few: {0} stones make a move here")]
    Stones(usize),
}

/// The word for a stone that is left out.
const PASS: &str = "pass";

impl Place {
    /// Reads the part of an address behind the search.
    pub fn read(search: SearchId, path: &str) -> Result<Self, PlaceError> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let moves = parts.map(read_move).collect::<Result<_, _>>()?;
        Ok(Self { search, moves })
    }

    /// The position, from that of the search's root.
    pub fn position(&self, root: &Position) -> Result<Position, PlaceError> {
        let mut at = root.clone();
        for mv in &self.moves {
            if mv.len() != at.move_len() {
                return Err(PlaceError::Stones(at.move_len()));
            }
            let played = at.play(mv);
            played.map_err(|why| PlaceError::Illegal(mv.to_string(), why.to_string()))?;
        }
        Ok(at)
    }

    /// The place after one more move.
    #[must_use]
    pub fn then(&self, mv: &Move) -> Self {
        let mut next = self.clone();
        next.moves.push(mv.clone());
        next
    }

    /// The place after the first so many moves.
    #[must_use]
    pub fn at_turn(&self, turns: usize) -> Self {
        Self {
            search: self.search,
            moves: self.moves[..turns].to_vec(),
        }
    }

    /// The place after several more moves.
    #[must_use]
    pub fn then_all(&self, moves: &[Move]) -> Self {
        let mut next = self.clone();
        next.moves.extend_from_slice(moves);
        next
    }

    /// The moves as they stand in an address.
    #[must_use]
    pub fn path(&self) -> String {
        moves_path(&self.moves, "/")
    }

    /// The same position in the tree.
    #[must_use]
    pub fn in_tree(&self) -> String {
        format!("/tree/{}", self.behind_screen())
    }

    /// What follows the screen's name in an address.
    #[must_use]
    pub fn behind_screen(&self) -> String {
        match self.moves.is_empty() {
            true => self.search.0.to_string(),
            false => format!("{}/{}", self.search.0, self.path()),
        }
    }

    /// The name of the position's proof: the search and the moves, in one part of an address.
    #[must_use]
    pub fn proof_name(&self) -> String {
        match self.moves.is_empty() {
            true => self.search.0.to_string(),
            false => format!("{}_{}", self.search.0, moves_path(&self.moves, "_")),
        }
    }

    /// Reads the name of a proof.
    #[must_use]
    pub fn of_proof(name: &str) -> Option<Self> {
        let (search, moves) = name.split_once('_').unwrap_or((name, ""));
        Self::read(SearchId(search.parse().ok()?), &moves.replace('_', "/")).ok()
    }
}

/// Moves as they stand in an address.
#[must_use]
pub fn moves_path(moves: &[Move], between: &str) -> String {
    let moves: Vec<_> = moves.iter().map(move_path).collect();
    moves.join(between)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/search/{}", self.search.0)?;
        self.moves
            .iter()
            .try_for_each(|mv| write!(f, "/{}", move_path(mv)))
    }
}

/// One move as it stands in an address.
#[must_use]
pub fn move_path(mv: &Move) -> String {
    let squares = mv
        .stones()
        .iter()
        .map(|square| square.to_string().to_lowercase());
    let passes = (0..mv.nulls()).map(|_| PASS.to_owned());
    squares.chain(passes).collect::<Vec<_>>().join("-")
}

/// Reads `k11-l10`, `k11 l10` or `k11,l10`.
pub fn read_move(text: &str) -> Result<Move, PlaceError> {
    let bad = || PlaceError::NoMove(text.chars().take(40).collect());
    let mut squares = Vec::new();
    let mut nulls = 0;
    let words = text
        .split(['-', ' ', ',', '+'])
        .filter(|word| !word.is_empty());
    for word in words {
        if word.eq_ignore_ascii_case(PASS) {
            nulls += 1;
        } else {
            squares.push(word.parse().map_err(|_| bad())?);
        }
    }
    if squares.is_empty() && nulls == 0 {
        return Err(bad());
    }
    Move::try_new(squares, nulls).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_position_again() {
        let text = "l10-k11/j8-pass/pass-pass";
        let place = Place::read(SearchId(3), text).unwrap();
        assert_eq!(place.to_string(), format!("/search/3/{text}"));
        assert_eq!(Place::read(SearchId(3), &place.path()), Ok(place.clone()));
        assert_eq!(Place::of_proof(&place.proof_name()), Some(place));
    }

    #[test]
    fn a_move_is_read_however_people_write_it() {
        for text in ["K11 L10", "k11,l10", "k11-l10", " k11  l10 "] {
            assert_eq!(move_path(&read_move(text).unwrap()), "l10-k11");
        }
        for text in ["", "k", "k11 k11", "<script>", "k11 99"] {
            assert!(read_move(text).is_err(), "{text}");
        }
    }
}
