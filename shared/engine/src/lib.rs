//! Picks moves of Connect6 and its relatives: wins with their proofs for a proof search, quiet
//! moves where there is no win by threats, and players for whole games.
//!
//! # Suggesting a move
//!
//! An [`Engine`] takes a [`Request`] and a budget of nodes. It answers with a win and its proof,
//! or with the best moves, each with an opinion of how good it is.
//!
//! ```
//! use gridproof_engine::{Engine, Goal, Request, SearchResult};
//! use gridproof_game::{Opening, Rules};
//! use gridproof_solver::Budget;
//!
//! let opening: Opening = "TX-H9".parse()?;
//! let request = Request {
//!     position: &opening.position(),
//!     excluded: &[],
//!     goal: Goal::Moves,
//! };
//! let mut engine = Engine::new(Rules::CONNECT6);
//! match engine.search(&request, &mut Budget::of_nodes(30_000))? {
//!     SearchResult::Won(win) => println!("a win, proved by {} nodes", win.proof.len()),
//!     SearchResult::Moves(moves) => println!("{} looks {:?}", moves[0].mv, moves[0].status),
//!     SearchResult::NoMoves | SearchResult::Unknown => println!("nothing to suggest"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Playing a game
//!
//! A [`players::Player`] chooses moves of a whole game. [`players::PlayerSpec`] makes one from
//! its name, and [`tournament`] lets two of them play.
//!
//! ```
//! use gridproof_engine::players::PlayerSpec;
//! use gridproof_engine::tournament::play_game;
//! use gridproof_game::Rules;
//! use gridproof_game::records::Game;
//!
//! let rules = Rules::CONNECT6;
//! let mut black = "engine:100".parse::<PlayerSpec>()?.player(rules);
//! let mut white = "defensive".parse::<PlayerSpec>()?.player(rules);
//! let played = play_game(Game::new(rules), &mut *black, &mut *white);
//! println!("{} after {} turns", played.outcome, played.game.moves().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Programs of other people play through [`adapter`]; [`protocol`] and [`gomocup`] are the way round, for
//! front ends that want to drive a player of ours.

#![warn(missing_docs)]

pub mod adapter;
mod analysis;
mod best;
mod candidates;
mod engine;
mod evaluate;
mod find_win;
pub mod gomocup;
mod judge;
mod opening_shape;
pub mod players;
pub mod protocol;
mod ranking;
mod request;
mod score;
mod search;
pub mod tournament;
mod weights;

pub use engine::Engine;
pub use evaluate::SIndexWeights;
pub use request::{EngineError, Goal, Request, SearchResult, Status, Suggestion};
pub use score::{Elo, Score, Sprt, Verdict};
pub use search::{Checked, Checker, Line, Thought, tune};
pub use weights::BEAM_BY_HAND;
