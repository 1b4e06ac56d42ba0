//! The rules of the Connect(m,n,k,p,q) family, and nothing that searches.
//!
//! Two players place stones on a board of m columns and n rows: Black places q stones on
//! the first turn, after that each side places p stones a turn, and k *or more* in a row
//! win. Connect6 is Connect(19,19,6,2,1).

mod colour;
pub mod draw;
mod input;
mod lines;
mod moves;
mod openings;
mod position;
pub mod records;
mod rules;
mod set;
mod square;
mod symmetry;
pub mod zobrist;

pub use colour::Colour;
pub use input::{InputError, PositionInput, read_game};
pub use lines::{Direction, Line, lines};
pub use moves::Move;
pub use openings::{Opening, OpeningError};
pub use position::{PlayError, Position, SetupError, State};
pub use rules::{MAX_SIDE, Rules, RulesError};
pub use set::SquareSet;
pub use square::{ParseSquareError, STRIDE, Square};
pub use symmetry::Symmetry;
