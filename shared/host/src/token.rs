//! What a worker or an operator authenticates with.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use rand::TryRngCore as _;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

const PREFIX: &str = "gp";
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;
const CHECK_BYTES: usize = 3;

/// Which token: no secret, so that it may stand in logs and lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenId([u8; ID_BYTES]);

/// The part of a token that nobody else may know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; SECRET_BYTES]);

/// An identity and its secret, written `gp.ID.SECRET.CHECK`. The check catches a token that
/// was cut off or mistyped before anybody is asked about it; it proves nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The public part.
    pub id: TokenId,
    /// The part that proves it.
    pub secret: Secret,
}

/// Why a text is no token. The text itself is never part of the words: it may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseTokenError {
    /// It does not look like one at all.
    #[error(
        "this is no token: it should look like gp.ID.SECRET.CHECK, as `gridproof token new` shows it"
    )]
    Form,
    /// It looks like one and does not add up.
    #[error("this token was cut off or mistyped: copy it whole, or make a new one")]
    Check,
    /// Of a [`TokenId`].
    #[error("this is no token's id: `gridproof token list` shows them, 16 digits of 0-9 and a-f")]
    Id,
}

impl Token {
    /// A new one, from the system's randomness.
    #[must_use]
    pub fn random() -> Self {
        Self {
            id: TokenId(random_bytes()),
            secret: Secret(random_bytes()),
        }
    }

    /// The whole token in plain text: for the one time it is shown, and for the wire.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!(
            "{PREFIX}.{}.{}.{}",
            hex(&self.id.0),
            hex(&self.secret.0),
            hex(&self.check())
        )
    }

    fn check(&self) -> [u8; CHECK_BYTES] {
        let mut hasher = blake3::Hasher::new_derive_key("gridproof token check");
        hasher.update(&self.id.0);
        hasher.update(&self.secret.0);
        let mut check = [0; CHECK_BYTES];
        hasher.finalize_xof().fill(&mut check);
        check
    }
}

impl Secret {
    /// For hashing.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    OsRng
        .try_fill_bytes(&mut bytes)
        .expect("a system without randomness cannot keep secrets");
    bytes
}

impl FromStr for Token {
    type Err = ParseTokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.trim().split('.');
        let (Some(PREFIX), Some(id), Some(secret), Some(check), None) = (
            parts.next(),
            parts.next(),
            parts.next(),
            parts.next(),
            parts.next(),
        ) else {
            return Err(ParseTokenError::Form);
        };
        let token = Self {
            id: TokenId(unhex(id).ok_or(ParseTokenError::Check)?),
            secret: Secret(unhex(secret).ok_or(ParseTokenError::Check)?),
        };
        if unhex(check) == Some(token.check()) {
            Ok(token)
        } else {
            Err(ParseTokenError::Check)
        }
    }
}

/// Without the secret, so that a log line cannot leak it.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({})", self.id)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenId({self})")
    }
}

impl FromStr for TokenId {
    type Err = ParseTokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        unhex(text).map(Self).ok_or(ParseTokenError::Id)
    }
}

impl TryFrom<String> for TokenId {
    type Error = ParseTokenError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TokenId> for String {
    fn from(id: TokenId) -> Self {
        id.to_string()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes any text");
        text
    })
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// A client's side of authentication: puts the token on every call, marked so that no layer
/// logs it.
#[derive(Clone, Debug, Default)]
pub struct Credentials(Option<MetadataValue<Ascii>>);

impl Credentials {
    /// For a coordinator that asks for no token.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }
}

impl From<&Token> for Credentials {
    fn from(token: &Token) -> Self {
        let mut value = MetadataValue::try_from(format!("Bearer {}", token.reveal()))
            .expect("a token is hex digits and dots");
        value.set_sensitive(true);
        Self(Some(value))
    }
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", value.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_being_written_down() {
        let token = Token::random();
        assert_eq!(token.reveal().parse(), Ok(token));
        assert_eq!(format!(" {}\n", token.reveal()).parse(), Ok(token));
        assert_eq!(token.id.to_string().parse(), Ok(token.id));
    }

    #[test]
    fn no_two_tokens_are_alike() {
        assert_ne!(Token::random(), Token::random());
    }

    #[test]
    fn a_slip_of_the_pen_is_noticed() {
        let text = Token::random().reveal();
        for i in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[i] = if bytes[i] == b'7' { b'8' } else { b'7' };
            let slipped = String::from_utf8(bytes).unwrap();
            assert!(slipped.parse::<Token>().is_err(), "digit {i}");
        }
        assert_eq!(
            text[..text.len() - 1].parse::<Token>(),
            Err(ParseTokenError::Check)
        );
        assert_eq!("".parse::<Token>(), Err(ParseTokenError::Form));
        assert_eq!("gp.é.é.é".parse::<Token>(), Err(ParseTokenError::Check));
    }

    #[test]
    fn neither_debug_nor_errors_show_the_secret() {
        let token = Token::random();
        let secret = hex(token.secret.as_bytes());
        let credentials = Credentials::from(&token);
        assert!(!format!("{token:?} {:?} {credentials:?}", token.secret).contains(&secret));
        let error = format!("{}x", token.reveal()).parse::<Token>().unwrap_err();
        assert!(!error.to_string().contains(&secret));
    }
}
