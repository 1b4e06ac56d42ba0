//! A campaign: many openings, some at a time, over one store of facts.
//!
//! The store keeps what was found out, the index what came of each opening. Both survive a
//! kill at any moment: the index is replaced as a whole after each opening, and what it does
//! not know yet the store does.

mod attempt;
mod check;
mod index;
mod map;
mod run;

pub use attempt::CampaignError;
pub use check::{NotAsIndexed, check_certificates};
pub use index::{Entry, Index, IndexError, State, Won};
pub use map::{svg_map, terminal_map};
pub use run::{Campaign, CampaignFailure, Tried};
