//! Who looks at the page, as a sealed cookie.
//!
//! A session is not kept anywhere: the cookie says who it is and since when, and a key of this
//! coordinator seals it. So sessions outlive a restart, and nobody else can make one.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gridproof_host::TokenId;
use serde::{Deserialize, Serialize};

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Right {
    /// Look at everything.
    Read,
    /// Give orders as well.
    Order,
}

/// Somebody who has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// For the journal of orders.
    pub holder: String,
    pub right: Right,
    /// By which it came in; none for who opened the printed address on this machine.
    pub token: Option<TokenId>,
    issued: u64,
}

/// After this long a session must be begun anew.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Seals sessions. Keep it where only this coordinator can read it.
#[derive(Clone)]
pub struct SessionKey([u8; 32]);

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(..)")
    }
}

impl SessionKey {
    /// A key that nobody has had before.
    #[must_use]
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// The key for certain secret bytes.
    #[must_use]
    pub fn from_secret(secret: &[u8]) -> Self {
        Self(blake3::derive_key("gridproof page sessions v1", secret))
    }

    fn seal(&self, words: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.0, words.as_bytes())
    }
}

impl Session {
    /// Begins a session now.
    #[must_use]
    pub fn begin(holder: &str, right: Right, token: Option<TokenId>) -> Self {
        Self {
            holder: holder.to_owned(),
            right,
            token,
            issued: unix_seconds(SystemTime::now()),
        }
    }

    /// What the cookie holds.
    #[must_use]
    pub fn sealed(&self, key: &SessionKey) -> String {
        let right = match self.right {
            Right::Read => "read",
            Right::Order => "order",
        };
        let token = self
            .token
            .map_or_else(|| "-".to_owned(), |token| token.to_string());
        let holder = hex(self.holder.as_bytes());
        let words = format!("{right}.{token}.{}.{holder}", self.issued);
        format!("{words}.{}", key.seal(&words).to_hex())
    }

    /// The session of a cookie that this key has sealed, unless it is too old.
    #[must_use]
    pub fn open(cookie: &str, key: &SessionKey, now: SystemTime) -> Option<Self> {
        let (words, seal) = cookie.rsplit_once('.')?;
        // Comparing hashes takes the same time wherever they differ.
        if blake3::Hash::from_hex(seal).ok()? != key.seal(words) {
            return None;
        }
        let mut parts = words.split('.');
        let right = match parts.next()? {
            "read" => Right::Read,
            "order" => Right::Order,
            _ => return None,
        };
        let token = match parts.next()? {
            "-" => None,
            token => Some(TokenId::from_str(token).ok()?),
        };
        let issued = parts.next()?.parse().ok()?;
        let holder = String::from_utf8(unhex(parts.next()?)?).ok()?;
        let age = unix_seconds(now).saturating_sub(issued);
        (age < LIFETIME.as_secs()).then_some(Self {
            holder,
            right,
            token,
            issued,
        })
    }

    /// Whether it may give orders.
    #[must_use]
    pub fn may_order(&self) -> bool {
        self.right == Right::Order
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_opens_with_its_key_alone() {
        let key = SessionKey::random();
        let session = Session::begin("ida.lab", Right::Read, None);
        let cookie = session.sealed(&key);
        let now = SystemTime::now();
        assert_eq!(Session::open(&cookie, &key, now), Some(session));
        assert_eq!(Session::open(&cookie, &SessionKey::random(), now), None);
        assert_eq!(Session::open(&cookie, &key, now + LIFETIME), None);
    }

    #[test]
    fn no_changed_cookie_opens() {
        let key = SessionKey::random();
        let cookie = Session::begin("ida", Right::Read, None).sealed(&key);
        let grown = cookie.replacen("read", "order", 1);
        assert_eq!(Session::open(&grown, &key, SystemTime::now()), None);
        for at in 0..cookie.len() {
            let mut bytes = cookie.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(
                Session::open(&changed, &key, SystemTime::now()),
                None,
                "{changed}"
            );
        }
    }
}
