//! The rules of the Connect(m,n,k,p,q) family, and nothing that searches.
//!
//! Two players place stones on a board of m columns and n rows: Black places q stones on
//! the first turn, after that each side places p stones a turn, and k *or more* in a row
//! win. Connect6 is Connect(19,19,6,2,1), Go-Moku is Connect(15,15,5,1,1).
//!
//! This crate holds positions and moves, reads and writes game records, names openings,
//! turns and mirrors boards, and draws them.
//!
//! ```
//! use gridproof_game::records::Format;
//! use gridproof_game::{Colour, Position, Rules, State, read_game};
//!
//! // Play by the rules.
//! let rules: Rules = "tictactoe".parse()?;
//! let mut position = Position::start(rules);
//! for mv in ["B2", "A1", "B3", "C1", "B1"] {
//!     position.play(&mv.parse()?)?;
//! }
//! assert_eq!(position.state(), State::Won(Colour::Black));
//!
//! // Read a position as users write it, and write it as a record.
//! let game = read_game(b"gomoku: h8,i9")?;
//! assert_eq!(game.position().at("I9".parse()?), Some(Colour::White));
//! let record = Format::LittleGolem.write(&game)?;
//! assert_eq!(read_game(&record)?.position(), game.position());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `serde`, the types of a game are written as text for people and as a few
//! bytes for machines.

#![warn(missing_docs)]

mod colour;
pub mod draw;
mod input;
mod lines;
mod moves;
mod openings;
mod position;
pub mod records;
mod rules;
#[cfg(feature = "serde")]
mod serde;
mod set;
mod square;
mod symmetry;
pub mod zobrist;

pub use colour::{Colour, ParseColourError};
pub use input::{InputError, PositionInput, read_game};
pub use lines::{Direction, Line, lines};
pub use moves::{Move, ParseMoveError};
pub use openings::{Opening, OpeningError};
pub use position::{PlayError, Position, SetupError, State};
pub use rules::{MAX_SIDE, Rules, RulesError};
pub use set::SquareSet;
pub use square::{ParseSquareError, STRIDE, Square};
pub use symmetry::Symmetry;

/// The beginning of a text that an error quotes: what was meant as one word can be a book.
fn excerpt(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
