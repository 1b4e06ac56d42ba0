//! What coordinator and worker both need of the machine they run on, and of each other's
//! trust: files that are whole or not there, logs, tokens, TLS, and the rule about what may
//! be reachable from other machines.
//!
//! ```
//! use gridproof_host::Token;
//! use gridproof_host::exposure::{Guards, Insecure};
//! use gridproof_host::files::{self, Access, Existing};
//!
//! // A token is shown once, and kept where its owner alone can read it.
//! let token = Token::random();
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("pc-01.token");
//! files::write(&path, token.reveal().as_bytes(), Access::Owner, Existing::Keep)?;
//! assert_eq!(files::read_text(&path)?.parse(), Ok(token));
//!
//! // Without TLS and tokens, loopback is all that a program may listen on.
//! let listen = |address: &str| {
//!     Guards::NONE.permit_listening(address.parse().unwrap(), Insecure::Forbidden)
//! };
//! assert!(listen("127.0.0.1:4100").is_ok());
//! assert!(listen("0.0.0.0:4100").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod exposure;
pub mod files;
pub mod logs;
mod size;
pub mod tls;
mod token;
pub mod words;

pub use size::{ParseSizeError, Size};
pub use token::{Credentials, ParseTokenError, Secret, Token, TokenId};
