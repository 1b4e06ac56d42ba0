//! Line patterns: the Connections of the pattern-based incremental model, their twelve types,
//! and what they can become. For evaluation, not for proofs.
//!
//! After Xu, Ma, Yu and Xu, "A Pattern Based Incremental Model in K-in-a-row Games". A board
//! keeps its lines as masks, so a Connection is cut out of them by a few shifts and its type
//! is one look into a table: nothing has to be kept up to date beside the board.
//!
//! ```
//! # use std::sync::Arc;
//! # use gridproof_game::{Colour, Rules};
//! # use gridproof_threats::{Connect6, Geometry, ThreatBoard};
//! use gridproof_threats::patterns::{Catalogue, ConnectionType};
//!
//! let mut board = ThreatBoard::<Connect6>::new(Arc::new(Geometry::new(Rules::CONNECT6))).unwrap();
//! for name in ["H10", "I10", "J10", "K10"] {
//!     board.place(name.parse().unwrap(), Colour::Black);
//! }
//! let [row, ..] = *board.geometry().on_lines("H10".parse().unwrap());
//! let connection = board.connections(row.line, Colour::Black).next().unwrap();
//! assert_eq!(Catalogue::connect6().type_of(&connection), ConnectionType::Live4);
//! ```
//!
//! Adding one own stone leads from each type to these and no others (the paper's Figure 3):
//!
//! | from | to better types      | shapes up to 19 squares |
//! |------|----------------------|------------------------:|
//! | O    | L2 D3 S3             |                   5,239 |
//! | L2   | D3 S3 L3             |                  14,425 |
//! | D3   | S3 L3 D4             |                   4,892 |
//! | S3   | L3 D4 S4             |                  52,379 |
//! | L3   | D4 S4 L4             |                  86,913 |
//! | D4   | S4 L4 D5 DW          |                  31,764 |
//! | S4   | L4 D5 L5 DW          |                 170,036 |
//! | L4   | L5 DW                |                 149,319 |
//! | D5   | L5 DW WIN            |                  45,952 |
//! | L5   | DW WIN               |                 181,781 |
//! | DW   | WIN                  |                 192,916 |
//! | WIN  |                      |                 112,896 |
//!
//! Where the printed algorithms and the definitions in the text differ, the text decides:
//!
//! - Algorithm 1 looks for a five only in segments that it counts as threats, and so calls
//!   `..xxxxx` a four. In the text the number says how many stones are missing, so it is `D5`.
//! - Algorithm 1 calls a single threat `S4` if one stone leads to `L4` or `L5`, the text only
//!   if to a live-(4+1). For 20,989 shapes, like `x...xx..xx`, that is the difference between
//!   `S4` and `D4`. The text agrees with `S3`, which both define by `L5`.
//! - The text's third case of live would make every `S3` an `L3`. Algorithm 2 uses the case
//!   for `L2` alone, and so do we.
//! - Algorithm 2 ends in `O` for two stones that lead to no `L4`. The text would call some of
//!   them dead, but has no `D2`.
//! - Proposition 2 numbers shapes from 2^(length+1) - 2^k on. The entries lie without gaps
//!   from 0 on, as Section 3.1 counts them, if a shape's length is not raised by one.
//!
//! "Leads to a live one" is taken as "to two threats or more"; no shape depends on that.

mod catalogue;
mod connection;
mod kind;

pub use catalogue::{Catalogue, NoConnectionTypes};
pub use connection::Connection;
pub use kind::ConnectionType;
