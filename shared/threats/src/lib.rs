//! The board that searches run on: every line of the board as a pair of bit masks, with the
//! threats of both sides kept up to date as stones come and go.
//!
//! A *segment* is k consecutive squares. It is *open* to a side while the other has no stone
//! on it, and a *threat* of that side when at most p of its squares are empty. All segments of
//! a line are counted at once, in parallel bits, so one stone costs four lines and not
//! twenty-four segments.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gridproof_game::{Colour, Move, Rules};
//! use gridproof_threats::{Connect6, Geometry, ThreatBoard};
//!
//! let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
//! let mut board = ThreatBoard::<Connect6>::new(geometry).expect("the shape of Connect6");
//! let stones: Move = "H10 I10 J10".parse()?;
//! board.place_all(stones.stones(), Colour::Black);
//! assert!(!board.can_complete(Colour::Black));
//!
//! // One more stone in the row makes two threats: White needs two stones to block them.
//! let attacks = board.attacks(Colour::Black, 2);
//! let stone = "K10".parse()?;
//! assert!(attacks.iter().any(|attack| attack.stones[..] == [stone]));
//! board.place(stone, Colour::Black);
//! assert_eq!(board.threat_number(Colour::Black), Some(2));
//! for block in board.minimal_blocks(Colour::Black) {
//!     assert_eq!(block.len(), 2);
//! }
//!
//! board.undo();
//! assert_eq!(board.threat_number(Colour::Black), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A board is generic over its [`Shape`]: with [`Connect6`] the compiler knows k and p, with
//! [`AnyShape`] they are read from the rules. Where the rules are known at run time alone, an
//! [`AnyBoard`] holds either, and [`with_board!`] runs generic code on it.

#![warn(missing_docs)]

mod any_board;
mod attack;
mod block;
mod board;
mod geometry;
mod lanes;
mod line;
mod pairs;
pub mod patterns;
mod pending;
mod shape;
mod unions;
pub mod windows;

pub use any_board::AnyBoard;
pub use attack::{Attack, AttackList, TooManyAttacks};
pub use block::{BlockList, Blocks};
pub use board::ThreatBoard;
pub use geometry::{Geometry, LineId, LineRef, LineSet, MAX_LINES, Segment};
pub use lanes::{LANES, Lanes};
pub use shape::{AnyShape, Connect6, Shape};
pub use windows::Windows;
