//! What coordinator and worker both need of the machine they run on, and of each other's
//! trust: files that are whole or not there, logs, tokens, TLS, and the rule about what may
//! be reachable from other machines.

pub mod exposure;
pub mod files;
pub mod logs;
pub mod tls;
mod token;

pub use token::{Credentials, ParseTokenError, Secret, Token, TokenId};
