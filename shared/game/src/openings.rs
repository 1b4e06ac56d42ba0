//! Openings by name: `TX-H9`, `XX-L8`, `I7-G9`, `connect623`.
//!
//! Black stands at the centre, J10, and a name tells White's two stones. The first is `T`
//! (touching, J9), `X` (diagonal, I9), `TT` (J8), `TX` (I8), `XX` (H8), or any square; the
//! second is a square.

use std::fmt;
use std::str::FromStr;

use crate::colour::Colour;
use crate::excerpt;
use crate::moves::Move;
use crate::position::{PlayError, Position};
use crate::records::Game;
use crate::rules::Rules;
use crate::square::{ParseSquareError, Square};
use crate::symmetry::Symmetry;

/// A start of a game that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opening {
    /// Connect6 after Black's centre stone and White's reply, Black to move.
    Reply([Square; 2]),
    /// Connect(6,2,3) after Black's V shape J10 K11 L10, White to move: a known Black win.
    Connect623,
    /// A game of one stone a turn after Black's centre stone and White's reply, Black to move:
    /// `gomoku-H9`.
    OneStone {
        /// The game.
        rules: Rules,
        /// White's stone.
        reply: Square,
    },
}

/// Why a text names no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// It is not of the form of a name.
    #[error("\"{0}\" is no opening: write two stones of White like TX-H9 or I7-G9, or connect623")]
    Name(String),
    /// A square in the name is none.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A stone cannot be there.
    #[error(transparent)]
    Play(#[from] PlayError),
}

const CONNECT623: &str = "connect623";

/// The first stones that have names, by the steps from the centre.
const FIRST_STONES: [(&str, Square); 5] = [
    ("T", Square::new(9, 8)),
    ("X", Square::new(8, 8)),
    ("TT", Square::new(9, 7)),
    ("TX", Square::new(8, 7)),
    ("XX", Square::new(7, 7)),
];

impl Opening {
    /// The openings that the literature names, hard ones among them.
    pub const KNOWN: [&str; 8] = [
        "TX-H9", "TX-H8", "TX-H12", "XX-L8", "T-K12", "XX-J6", "I7-G9", CONNECT623,
    ];

    /// White's replies with both stones at most so many king's steps from the centre: one of
    /// each class that turns or mirrors into each other, nearer ones first.
    #[must_use]
    pub fn replies_within(distance: u8) -> Vec<Self> {
        let rules = Rules::CONNECT6;
        let near = |square: &Square| (1..=distance).contains(&ring(*square).0);
        let squares: Vec<Square> = rules.squares().filter(near).collect();
        let pairs = squares.iter().enumerate().flat_map(|(i, &first)| {
            let seconds = &squares[i + 1..];
            seconds.iter().map(move |&second| [first, second])
        });
        let mut replies: Vec<[Square; 2]> = pairs
            .filter_map(|reply| match Self::of(&Self::Reply(reply).position()) {
                Some(Self::Reply(named)) => Some(named),
                _ => None,
            })
            .collect();
        replies.sort_by_key(|&[first, second]| (ring(second), ring(first), first, second));
        replies.dedup();
        replies.into_iter().map(Self::Reply).collect()
    }

    /// White's replies to Black's centre stone in a game of one stone a turn, at most so many
    /// king's steps away: one of each class that turns or mirrors into each other, nearer ones
    /// first. None in other games.
    #[must_use]
    pub fn one_stone_replies(rules: Rules, distance: u8) -> Vec<Self> {
        let reply = |reply| {
            let Some(Self::OneStone { reply, .. }) = Self::one_stone(rules, reply) else {
                return None;
            };
            (1..=distance)
                .contains(&steps(rules.centre(), reply).0)
                .then_some(reply)
        };
        let mut replies: Vec<Square> = rules.squares().filter_map(reply).collect();
        replies.sort_by_key(|&reply| (steps(rules.centre(), reply), reply));
        replies.dedup();
        let opening = |reply| Self::OneStone { rules, reply };
        replies.into_iter().map(opening).collect()
    }

    /// The opening with White's stone on this square, or where a symmetry of the board that
    /// leaves the centre alone takes it: above the centre rather than below, and right of it.
    fn one_stone(rules: Rules, reply: Square) -> Option<Self> {
        let centre = rules.centre();
        if [rules.stones_per_turn(), rules.first_stones()] != [1, 1] || reply == centre {
            return None;
        }
        let images = Symmetry::all(&rules)
            .filter(|symmetry| symmetry.apply(&rules, centre) == centre)
            .map(|symmetry| symmetry.apply(&rules, reply));
        let reply = images.max_by_key(|image| (image.row(), image.column()))?;
        Some(Self::OneStone { rules, reply })
    }

    /// The game that it is an opening of.
    #[must_use]
    pub const fn rules(self) -> Rules {
        match self {
            Self::Reply(_) => Rules::CONNECT6,
            Self::Connect623 => Rules::CONNECT6.with_first_stones(3),
            Self::OneStone { rules, .. } => rules,
        }
    }

    /// White's stones.
    #[must_use]
    pub fn reply(self) -> Vec<Square> {
        match self {
            Self::Reply(stones) => stones.to_vec(),
            Self::Connect623 => Vec::new(),
            Self::OneStone { reply, .. } => vec![reply],
        }
    }

    /// How many king's steps from the centre White's stones are at most.
    #[must_use]
    pub fn reach(self) -> u8 {
        match self {
            Self::OneStone { rules, reply } => steps(rules.centre(), reply).0,
            Self::Reply([first, second]) => ring(first).max(ring(second)).0,
            Self::Connect623 => 0,
        }
    }

    /// The game up to the opening's position.
    #[must_use]
    pub fn game(self) -> Game {
        let (rules, moves) = match self {
            Self::Reply(reply) => (
                Rules::CONNECT6,
                vec![Move::full([Rules::CONNECT6.centre()]), Move::full(reply)],
            ),
            Self::Connect623 => {
                let shape = [(9, 9), (10, 10), (11, 9)].map(|(c, r)| Square::new(c, r));
                (
                    Rules::CONNECT6.with_first_stones(3),
                    vec![Move::full(shape)],
                )
            }
            Self::OneStone { rules, reply } => {
                let stones = [rules.centre(), reply];
                (rules, stones.map(|stone| Move::full([stone])).to_vec())
            }
        };
        let mut game = Game::new(rules);
        for mv in moves {
            game.play(mv).expect("an opening's stones are legal");
        }
        game
    }

    /// The position that the opening leads to.
    #[must_use]
    pub fn position(self) -> Position {
        self.game().position().clone()
    }

    /// The opening that a position is, turned and mirrored as names have it: so all eight
    /// images of a reply get one name.
    #[must_use]
    pub fn of(position: &Position) -> Option<Self> {
        if position.canonical().0 == Self::Connect623.position().canonical().0 {
            return Some(Self::Connect623);
        }
        let rules = *position.rules();
        let black: Vec<_> = position.stones(Colour::Black).iter().collect();
        let white: Vec<_> = position.stones(Colour::White).iter().collect();
        if let (&[centre], &[reply], Colour::Black) = (&black[..], &white[..], position.to_move()) {
            let opening = Self::one_stone(rules, reply);
            return opening.filter(|_| centre == rules.centre());
        }
        let (&[centre], &[a, b]) = (&black[..], &white[..]) else {
            return None;
        };
        if rules != Rules::CONNECT6
            || centre != rules.centre()
            || position.to_move() != Colour::Black
        {
            return None;
        }
        let images = Symmetry::all(&rules).flat_map(|symmetry| {
            let [a, b] = [a, b].map(|square| symmetry.apply(&rules, square));
            [[a, b], [b, a]]
        });
        let reply = images
            .filter(|&[first, second]| faces_the_reader(first) && ring(first) <= ring(second))
            .max_by_key(|[_, second]| (second.column(), second.row()))?;
        Some(Self::Reply(reply))
    }
}

/// How far from the centre: by king's steps, then by rook's steps. This is the order of the
/// names T, X, TT, TX, XX, and the nearer stone comes first in a name.
fn ring(square: Square) -> (u8, u8) {
    steps(Rules::CONNECT6.centre(), square)
}

/// How far two squares are apart: by king's steps, then by rook's steps.
const fn steps(from: Square, to: Square) -> (u8, u8) {
    let columns = from.column().abs_diff(to.column());
    let rows = from.row().abs_diff(to.row());
    let king = if columns > rows { columns } else { rows };
    (king, columns + rows)
}

/// Whether a first stone is in the eighth of the board that names use: below the centre and
/// left of it, nearer to the centre's column than to its row.
fn faces_the_reader(first: Square) -> bool {
    let (columns, rows) = from_centre(first);
    rows <= columns && columns <= 0
}

fn from_centre(square: Square) -> (i8, i8) {
    let centre = Rules::CONNECT6.centre();
    let difference = |a: u8, b: u8| a.cast_signed() - b.cast_signed();
    (
        difference(square.column(), centre.column()),
        difference(square.row(), centre.row()),
    )
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect623 => f.pad(CONNECT623),
            Self::OneStone { rules, reply } => f.pad(&format!("{}-{reply}", rules.short_name())),
            Self::Reply([first, second]) => {
                let named = FIRST_STONES.iter().find(|(_, square)| square == first);
                let first = named.map_or_else(|| first.to_string(), |(name, _)| (*name).to_owned());
                f.pad(&format!("{first}-{second}"))
            }
        }
    }
}

impl FromStr for Opening {
    type Err = OpeningError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(text).map_err(|(_, error)| error)
    }
}

impl Opening {
    /// Reads a name; where it fails, from which byte on.
    pub(crate) fn read(text: &str) -> Result<Self, (usize, OpeningError)> {
        if text.eq_ignore_ascii_case(CONNECT623) {
            return Ok(Self::Connect623);
        }
        if let Some((game, reply)) = text.split_once('-')
            && let Ok(rules) = game.parse::<Rules>()
            && rules.stones_per_turn() == 1
            && Square::is_meant_by(reply)
        {
            return Self::read_one_stone(rules, reply).map_err(|error| (game.len() + 1, error));
        }
        let (first, second) = text
            .split_once('-')
            .filter(|(first, second)| {
                (named_first_stone(first).is_some() || Square::is_meant_by(first))
                    && Square::is_meant_by(second)
            })
            .ok_or_else(|| (0, OpeningError::Name(excerpt(text, 20))))?;
        let second_at = first.len() + 1;
        let first = match named_first_stone(first) {
            Some(square) => square,
            None => first
                .parse()
                .map_err(|error| (0, OpeningError::Square(error)))?,
        };
        let second = second
            .parse()
            .map_err(|error| (second_at, OpeningError::Square(error)))?;
        let rules = Rules::CONNECT6;
        let mut position = Position::start(rules);
        position
            .play(&Move::full([rules.centre()]))
            .expect("the centre is free at the start");
        let refuse = |at| move |error| (at, OpeningError::Play(error));
        position.check_empty(first).map_err(refuse(0))?;
        position.check_empty(second).map_err(refuse(second_at))?;
        if first == second {
            return Err(refuse(second_at)(PlayError::Taken(second, Colour::White)));
        }
        Ok(Self::Reply([first, second]))
    }
}

impl Opening {
    fn read_one_stone(rules: Rules, reply: &str) -> Result<Self, OpeningError> {
        let reply: Square = reply.parse()?;
        let mut position = Position::start(rules);
        position.play(&Move::full([rules.centre()]))?;
        position.check_empty(reply)?;
        Self::one_stone(rules, reply).ok_or_else(|| OpeningError::Name(rules.short_name()))
    }
}

fn named_first_stone(name: &str) -> Option<Square> {
    let mut named = FIRST_STONES.into_iter();
    named
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, square)| square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_counted_once_for_all_their_images() {
        let counts = [1, 2, 3, 4].map(|distance| Opening::replies_within(distance).len());
        assert_eq!(counts[2], 162);
        assert!(counts.is_sorted());
        let near = Opening::replies_within(2);
        assert!(near.iter().all(|o| Opening::of(&o.position()) == Some(*o)));
        assert!(near.iter().all(|o| (1..=2).contains(&o.reach())));
    }

    #[test]
    fn the_published_names_mean_the_published_stones() {
        for (name, stones) in [
            ("TX-H9", ["I8", "H9"]),
            ("TX-H8", ["I8", "H8"]),
            ("TX-H12", ["I8", "H12"]),
            ("XX-L8", ["H8", "L8"]),
            ("T-K12", ["J9", "K12"]),
            ("XX-J6", ["H8", "J6"]),
            ("I7-G9", ["I7", "G9"]),
            ("X-J11", ["I9", "J11"]),
            ("TT-J12", ["J8", "J12"]),
        ] {
            let reply = stones.map(|square| square.parse().unwrap());
            let opening: Opening = name.parse().unwrap();
            assert_eq!(opening, Opening::Reply(reply));
            assert_eq!(opening.to_string(), name);
            let position = opening.position();
            assert_eq!(position.to_move(), Colour::Black);
            assert_eq!(position.at("J10".parse().unwrap()), Some(Colour::Black));
            assert_eq!(position.stones(Colour::White).len(), 2);
        }
    }

    #[test]
    fn openings_of_one_stone_games_are_named_after_the_game_and_the_reply() {
        let gomoku: Rules = "gomoku".parse().unwrap();
        let names = |distance| -> Vec<String> {
            let replies = Opening::one_stone_replies(gomoku, distance);
            replies.iter().map(ToString::to_string).collect()
        };
        assert_eq!(names(1), ["gomoku-H9", "gomoku-I9"]);
        assert_eq!(names(7).len(), 35);
        for opening in Opening::one_stone_replies(gomoku, 7) {
            let position = opening.position();
            assert_eq!(opening.to_string().parse(), Ok(opening));
            for symmetry in Symmetry::all(&gomoku) {
                assert_eq!(Opening::of(&position.transformed(symmetry)), Some(opening));
            }
        }
        assert_eq!("gomoku-G8".parse(), "gomoku-h9".parse::<Opening>());
        assert_eq!(
            "9,9,5,1,1-E6".parse::<Opening>().unwrap().to_string(),
            "9,9,5,1,1-E6"
        );
        assert!(
            "gomoku-H8".parse::<Opening>().is_err(),
            "the centre is taken"
        );
        assert!("gomoku-S19".parse::<Opening>().is_err(), "off the board");
        // The centre of an even board is moved by most symmetries.
        let even: Rules = "6,6,4,1,1".parse().unwrap();
        assert_eq!(Opening::one_stone_replies(even, 1).len(), 5);
    }

    #[test]
    fn known_openings_get_their_names_back_however_they_are_turned() {
        for name in Opening::KNOWN {
            let position = name.parse::<Opening>().unwrap().position();
            for symmetry in Symmetry::all(position.rules()) {
                let image = position.transformed(symmetry);
                assert_eq!(Opening::of(&image).unwrap().to_string(), name);
            }
        }
    }

    #[test]
    fn every_reply_has_one_name_that_leads_back_to_it() {
        let centre = Rules::CONNECT6.centre();
        let near: Vec<_> = Rules::CONNECT6
            .squares()
            .filter(|square| *square != centre && ring(*square).0 <= 3)
            .collect();
        let mut names = std::collections::BTreeSet::new();
        for (i, &a) in near.iter().enumerate() {
            for &b in &near[..i] {
                let position = Opening::Reply([a, b]).position();
                let name = Opening::of(&position).unwrap().to_string();
                let again = name.parse::<Opening>().unwrap();
                assert_eq!(again.position().canonical().0, position.canonical().0);
                assert_eq!(Opening::of(&again.position()), Some(again));
                names.insert(name);
            }
        }
        assert_eq!(names.len(), 162, "as THEORY.md counts them");
    }

    #[test]
    fn connect623_has_three_black_stones_and_white_to_move() {
        let position = "Connect623".parse::<Opening>().unwrap().position();
        assert_eq!(position.rules().to_string(), "Connect(19,19,6,2,3)");
        assert_eq!(position.stones(Colour::Black).len(), 3);
        assert_eq!(position.to_move(), Colour::White);
    }

    #[test]
    fn a_stone_that_cannot_be_is_refused_where_it_stands_with_the_rule() {
        for (name, at, rule) in [
            ("TX-J10", 3, "J10 is taken: Black has a stone there"),
            ("J10-K11", 0, "J10 is taken: Black has a stone there"),
            ("X-i9", 2, "I9 is taken: White has a stone there"),
            ("TX-Z9", 3, "Z9 is not on the board: it has columns A to S"),
            (
                "T20-H9",
                0,
                "T20 is not on the board: it has columns A to S",
            ),
            ("TX-H99", 3, "\"H99\" is no square"),
        ] {
            let (place, error) = Opening::read(name).unwrap_err();
            assert_eq!(place, at, "{name}");
            assert!(error.to_string().starts_with(rule), "{name}: {error}");
        }
    }

    #[test]
    fn what_is_no_opening_is_refused_and_has_no_name() {
        for text in [
            "", "TX", "TX-", "TY-H9", "TX-I8", "J10-H9", "TX-J10", "TX-T20", "j10,k11",
        ] {
            assert!(text.parse::<Opening>().is_err(), "{text}");
        }
        assert_eq!(Opening::of(&Position::start(Rules::CONNECT6)), None);
    }
}
