//! The opening book: positions that were played and positions that are proved, in one file.
//!
//! A book is a graph of positions. Positions that turn or mirror into each other are one entry,
//! and so are those that several orders of moves lead to. An [`Entry`] counts the games that
//! each side won, by source; it says whether the position is proved, open or only played; and it
//! holds the moves to other entries. A game is kept down to its *win position*, the earliest turn
//! from which a [`Prover`] proves the win ([`branch`]).
//!
//! [`Book`] is a book in memory, to be changed and [written](write). [`BookFile`] reads one
//! without loading it and trusts nothing. [`TrustedBook`] believes a proof once its certificate
//! was checked on this machine, and [chooses](TrustedBook::choose) moves by four rules.
//!
//! ```
//! use gridproof_book::{Book, BookFile, Wins, encode};
//! use gridproof_game::{Colour, Position, Rules, read_game};
//!
//! let mut book = Book::new(Rules::CONNECT6);
//! for stones in ["j10,i8,h9,k11,l10", "j10,k12,l11,i9,h10"] {
//!     let game = read_game(stones.as_bytes())?;
//!     book.add_game(&game, 3, Colour::Black, &"two games".into());
//! }
//! // The second game is the first one turned.
//! let file = BookFile::of(encode(&book).0)?;
//! assert_eq!(file.len(), 4);
//! let (entry, _) = file.find(&Position::start(Rules::CONNECT6))?.expect("it is in the book");
//! assert_eq!(entry.all_wins(), Wins { black: 2, white: 0 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here searches: whoever builds a book or lets it grow brings a prover along.

#![warn(missing_docs)]

mod book;
mod branch;
mod certificates;
mod checked;
mod choose;
mod deduce;
mod editor;
mod entry;
mod explore;
mod file;
mod html;
mod journal;
mod json;
mod key;
mod near;
mod sgf;
mod trusted;

pub use book::{Book, MergeError};
pub use branch::{Branch, Prover, branch, winner};
pub use certificates::{CertificateError, Certificates};
pub use checked::CheckedClaims;
pub use choose::{Candidate, Choice, Reason, SELF_PLAY, Verdict, choose};
pub use deduce::{Deduction, proof_before};
pub use editor::{BookEditor, EditError, Saved};
pub use entry::{BookMove, Entry, Proved, Status, Wins};
pub use explore::{Explorer, NextGame};
pub use file::{BookError, BookFile, FILE_ENDING, ReadAt, VERSION, Verified, encode, write};
pub use html::write_html;
pub use journal::{EntryLine, Journal, JournalError, Record, game_ids};
pub use json::{JsonError, read_json, write_json};
pub use key::Key;
pub use near::{NearProof, near_proofs};
pub use sgf::{SgfError, read_sgf, write_sgf};
pub use trusted::TrustedBook;
