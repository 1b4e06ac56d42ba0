//! The board that searches run on: every line of the board as a pair of bit masks, with the
//! threats of both sides kept up to date as stones come and go.
//!
//! A *segment* is k consecutive squares. It is *open* to a side while the other has no stone
//! on it, and a *threat* of that side when at most p of its squares are empty. All segments of
//! a line are counted at once, in parallel bits, so one stone costs four lines and not
//! twenty-four segments.

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

pub use attack::{Attack, AttackList, TooManyAttacks};
pub use block::{BlockList, Blocks};
pub use board::ThreatBoard;
pub use geometry::{Geometry, LineId, LineRef, LineSet, MAX_LINES, Segment};
pub use lanes::{LANES, Lanes};
pub use shape::{AnyShape, Connect6, Shape};
pub use windows::Windows;
