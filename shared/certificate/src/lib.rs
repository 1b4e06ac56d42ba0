//! Proofs that a position is won, the files that carry them, and the checker that decides
//! whether to believe them.
//!
//! A [`Proof`] is a graph of positions that names moves and nothing else. [`check`] works out
//! the rest and searches for nothing. The crate knows the rules of the game and shares no code
//! with what finds proofs. The theory is in `docs/theory.md`: "Zones", "Guards",
//! "Certificates".
//!
//! ```
//! use gridproof_certificate::{CheckLimits, ProofBuilder, check, check_file, write_proof};
//! use gridproof_game::{Colour, Move, read_game};
//!
//! // Black has five in a row and is to move.
//! let game = read_game(b"j10 a1,a3 k10,l10 c1,c3 m10,n10 e1,e3")?;
//! let mut builder = ProofBuilder::new(game.position().clone(), Colour::Black);
//! let completes = Move::full(["O10".parse()?, "P10".parse()?]);
//! let root = builder.attack(completes, None)?;
//! let proof = builder.finish(root)?;
//!
//! assert_eq!(check(&proof)?.depth, 1);
//!
//! // A file is checked as it is read.
//! let (file, hash) = write_proof(&proof, Vec::new())?;
//! let checked = check_file(&file[..], CheckLimits::default())?;
//! assert_eq!(checked.hash, hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`save`] and [`read_proof`] keep proofs in files, [`Guide`] plays a proof out against any
//! defender, and [`supports`] tells which games can be checked.
#![warn(missing_docs)]

mod builder;
mod check;
mod dedup;
mod event;
mod file;
mod guide;
mod hold;
mod place;
mod proof;
mod prune;
mod stats;
mod supported;
#[cfg(test)]
mod testing;
mod walk;

pub use builder::{BuildError, ProofBuilder};
pub use check::{CheckLimits, Checked, Claim, EventChecker, Reason, Refusal, Zone, check};
pub use event::{Event, GrammarError, SharedId};
pub use file::{
    CheckBudget, CheckedFile, ContentHash, FILE_ENDING, FileRefusal, FileWriter, FormatError,
    IfExists, ProofReader, ProofWriter, SaveError, VERSION, WriteError, check_file,
    check_file_within, read_proof, read_proof_within, save, save_with, write_proof,
};
pub use guide::{CheckedProof, Explanation, Guide, GuideError, ZoneSquares};
pub use hold::{
    HoldChecked, HoldCheckedFile, HoldFileRefusal, HoldLink, HoldNode, HoldProof, HoldRefusal,
    check_hold, check_hold_file, is_hold_file, read_hold, save_hold, write_hold,
};
pub use proof::{Answer, Node, Proof, ProofId, Reply};
pub use prune::{Pruned, check_and_prune};
pub use stats::Stats;
pub use supported::{UnsupportedRules, supports};
