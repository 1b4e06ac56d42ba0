//! Who calls, and what they may do.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use gridproof_host::TokenId;
use serde::{Deserialize, Serialize};

/// Who calls: in the extensions of every request that an [`AuthInterceptor`](super::AuthInterceptor) let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// Authenticated by a token.
    Token {
        /// Which token.
        id: TokenId,
        /// Whom it was made for.
        name: PrincipalName,
        /// What it allows.
        role: Role,
    },
    /// Nobody was asked.
    Anonymous,
}

/// What a token lets its holder do.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    ValueEnum,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Take jobs and answer them.
    #[default]
    Worker,
    /// Give orders and read everything.
    Operator,
    /// Read everything, and order nothing.
    Reader,
}

impl Role {
    /// Whether a holder of this role may call services that are made for another. Readers may
    /// call the operators' service: it refuses their orders itself.
    #[must_use]
    pub fn may_call(self, service_for: Self) -> bool {
        self == service_for || (self, service_for) == (Self::Reader, Self::Operator)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Worker => "worker",
            Self::Operator => "operator",
            Self::Reader => "reader",
        })
    }
}

/// Whom a token was made for, such as lab-pc-07. It stands in logs and file names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PrincipalName(String);

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit"
)]
pub struct ParseNameError;

impl FromStr for PrincipalName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let first = text.bytes().next().ok_or(ParseNameError)?;
        if text.len() <= 64 && first.is_ascii_alphanumeric() && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseNameError)
        }
    }
}

impl PrincipalName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for PrincipalName {
    type Error = ParseNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PrincipalName> for String {
    fn from(name: PrincipalName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_harm_a_log_or_a_path_are_refused() {
        for bad in ["", "../up", "a b", "a\n", ".hidden", "é", &"x".repeat(65)] {
            assert_eq!(bad.parse::<PrincipalName>(), Err(ParseNameError), "{bad}");
        }
    }
}
