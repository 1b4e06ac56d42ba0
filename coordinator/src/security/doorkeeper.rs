//! The check at the door: cheap for strangers, cheap for those who are known.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use gridproof_host::{Token, TokenId};

use super::door::{Door, Holder, Refusal};
use super::strangers::Strangers;
use super::tokens::{Record, Role, TokenFile, TokenFileError, in_force};

/// How many secrets are tried against one token between two refreshes. Holders are known
/// after one, so only somebody who has found out an id and guesses gets here.
const TRIES: u32 = 20;

#[derive(Debug)]
struct Known {
    record: Record,
    /// Keyed hash of the secret that was found right, so that it is not put through the
    /// slow hash again.
    right: Option<blake3::Hash>,
    tries: u32,
}

#[derive(Debug, Default)]
struct Book {
    known: BTreeMap<TokenId, Known>,
    changed: Option<Stamp>,
}

/// What tells one state of the file from another. Each change is a new file, so that its
/// number is another even within the clock's grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
    file: u64,
}

/// Knows the tokens in force. A cheap handle; all clones share what they know.
#[derive(Clone, Debug)]
pub struct Doorkeeper(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// None: everyone may come in.
    tokens: Option<TokenFile>,
    /// Made anew at each start, so that the hashes in memory are worth nothing elsewhere.
    key: [u8; 32],
    book: Mutex<Book>,
    strangers: Strangers,
}

impl Doorkeeper {
    /// Asks everyone for a token in this file.
    pub fn new(tokens: TokenFile) -> Result<Self, TokenFileError> {
        let doorkeeper = Self::with(Some(tokens));
        doorkeeper.refresh()?;
        Ok(doorkeeper)
    }

    /// Lets everyone in: for loopback, or where the operator said --insecure.
    #[must_use]
    pub fn open_house() -> Self {
        Self::with(None)
    }

    fn with(tokens: Option<TokenFile>) -> Self {
        Self(Arc::new(Inner {
            tokens,
            key: rand::random(),
            book: Mutex::default(),
            strangers: Strangers::default(),
        }))
    }

    /// For all who turn strangers away, so that all are counted together.
    #[must_use]
    pub fn strangers(&self) -> Strangers {
        self.0.strangers.clone()
    }

    /// An interceptor for a service that is for holders of this role.
    #[must_use]
    pub fn door(&self, role: Role) -> Door {
        Door::new(self.clone(), role)
    }

    /// Reads the file again if it has changed, and says which tokens are no longer in force:
    /// the streams of their holders are to be cut. Call it about once a second.
    pub fn refresh(&self) -> Result<Vec<TokenId>, TokenFileError> {
        let Some(tokens) = &self.0.tokens else {
            return Ok(Vec::new());
        };
        let stamp = stamp(tokens);
        let mut book = self.book();
        for known in book.known.values_mut() {
            known.tries = 0;
        }
        if book.changed == stamp && stamp.is_some() {
            return Ok(Vec::new());
        }
        let records = tokens.load()?;
        let mut old = std::mem::take(&mut book.known);
        for record in in_force(&records) {
            // A secret stays right only for the very record that it was tried against.
            let before = old
                .remove(&record.id)
                .filter(|known| known.record == *record);
            let known = before.unwrap_or_else(|| Known {
                record: record.clone(),
                right: None,
                tries: 0,
            });
            book.known.insert(record.id, known);
        }
        book.changed = stamp;
        Ok(old
            .into_keys()
            .filter(|id| !book.known.contains_key(id))
            .collect())
    }

    /// Judges an `authorization` header. Without a token's id, which no stranger knows,
    /// that is a look into a map; that it is quicker than for a known id gives nothing away,
    /// since an id alone opens nothing.
    pub fn admit(&self, header: Option<&str>, role: Role) -> Result<Holder, Refusal> {
        if self.0.tokens.is_none() {
            return Ok(Holder::Anyone);
        }
        let header = header.ok_or(Refusal::NoToken)?;
        let text = header.strip_prefix("Bearer ").ok_or(Refusal::NotAToken)?;
        let token: Token = text.parse().map_err(|_| Refusal::NotAToken)?;
        let record = self.recognise(&token)?;
        if record.role != role {
            return Err(Refusal::WrongRole);
        }
        Ok(Holder::Known {
            id: record.id,
            name: record.name,
            role,
        })
    }

    fn recognise(&self, token: &Token) -> Result<Record, Refusal> {
        let shown = blake3::keyed_hash(&self.0.key, token.secret.as_bytes());
        let record = {
            let mut book = self.book();
            let known = book.known.get_mut(&token.id).ok_or(Refusal::UnknownToken)?;
            // This comparison takes the same time wherever the first difference is.
            if known.right == Some(shown) {
                return Ok(known.record.clone());
            }
            if known.tries >= TRIES {
                return Err(Refusal::TooManyGuesses);
            }
            known.tries += 1;
            known.record.clone()
        };
        // Slow, so the lock is not held meanwhile.
        if !record.fits(&token.secret) {
            return Err(Refusal::WrongSecret);
        }
        match self.book().known.get_mut(&token.id) {
            Some(known) if known.record == record => known.right = Some(shown),
            _ => return Err(Refusal::UnknownToken),
        }
        Ok(record)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(tokens: &TokenFile) -> Option<Stamp> {
    let data = std::fs::metadata(tokens.path()).ok()?;
    Some(Stamp {
        modified: data.modified().ok()?,
        length: data.len(),
        file: file_number(&data),
    })
}

#[cfg(unix)]
fn file_number(data: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(data)
}

#[cfg(not(unix))]
fn file_number(_: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    struct House {
        _folder: tempfile::TempDir,
        file: TokenFile,
        token: Token,
        doorkeeper: Doorkeeper,
    }

    fn house() -> House {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::at(folder.path().join("tokens.toml"));
        let token = file
            .issue(&"pc".parse().unwrap(), Role::Worker, NOW)
            .unwrap();
        let doorkeeper = Doorkeeper::new(file.clone()).unwrap();
        House {
            _folder: folder,
            file,
            token,
            doorkeeper,
        }
    }

    impl House {
        fn admit(&self, token: &Token) -> Result<Holder, Refusal> {
            let header = format!("Bearer {}", token.reveal());
            self.doorkeeper.admit(Some(&header), Role::Worker)
        }
    }

    #[test]
    fn a_holder_is_let_in_by_name() {
        let house = house();
        for _ in 0..2 {
            let Ok(Holder::Known { id, name, role }) = house.admit(&house.token) else {
                panic!("the token is good");
            };
            assert_eq!(
                (id, name.to_string().as_str(), role),
                (house.token.id, "pc", Role::Worker)
            );
        }
    }

    #[test]
    fn strangers_are_turned_away() {
        let house = house();
        let doorkeeper = &house.doorkeeper;
        let forged = Token {
            secret: Token::random().secret,
            ..house.token
        };
        assert_eq!(house.admit(&Token::random()), Err(Refusal::UnknownToken));
        assert_eq!(house.admit(&forged), Err(Refusal::WrongSecret));
        assert_eq!(doorkeeper.admit(None, Role::Worker), Err(Refusal::NoToken));
        for header in ["", "Bearer", "Bearer x", "Basic abc"] {
            assert_eq!(
                doorkeeper.admit(Some(header), Role::Worker),
                Err(Refusal::NotAToken)
            );
        }
    }

    #[test]
    fn a_workers_token_gives_no_orders() {
        let house = house();
        let header = format!("Bearer {}", house.token.reveal());
        let refused = house.doorkeeper.admit(Some(&header), Role::Operator);
        assert_eq!(refused, Err(Refusal::WrongRole));
    }

    #[test]
    fn guesses_at_a_secret_run_out_but_not_for_its_holder() {
        let house = house();
        house.admit(&house.token).unwrap();
        let guess = || {
            house.admit(&Token {
                secret: Token::random().secret,
                ..house.token
            })
        };
        while guess() == Err(Refusal::WrongSecret) {}
        assert_eq!(guess(), Err(Refusal::TooManyGuesses));
        house
            .admit(&house.token)
            .expect("the holder was known before");
        house.doorkeeper.refresh().unwrap();
        assert_eq!(guess(), Err(Refusal::WrongSecret));
    }

    #[test]
    fn a_revoked_token_ends_at_the_next_refresh() {
        let house = house();
        house.admit(&house.token).unwrap();
        assert_eq!(house.doorkeeper.refresh().unwrap(), []);
        house.file.revoke("pc", NOW).unwrap();
        assert_eq!(house.doorkeeper.refresh().unwrap(), [house.token.id]);
        assert_eq!(house.admit(&house.token), Err(Refusal::UnknownToken));
        assert_eq!(house.doorkeeper.refresh().unwrap(), []);
    }

    #[test]
    fn a_new_token_is_good_after_a_refresh() {
        let house = house();
        let late = house
            .file
            .issue(&"late".parse().unwrap(), Role::Worker, NOW)
            .unwrap();
        assert_eq!(house.admit(&late), Err(Refusal::UnknownToken));
        house.doorkeeper.refresh().unwrap();
        house.admit(&late).unwrap();
    }

    #[test]
    fn a_tokens_file_that_breaks_leaves_the_known_ones_in_force() {
        let house = house();
        std::fs::write(house.file.path(), "oh no").unwrap();
        assert!(house.doorkeeper.refresh().is_err());
        house.admit(&house.token).unwrap();
    }

    #[test]
    fn an_open_house_asks_nobody() {
        let passed = Doorkeeper::open_house().admit(None, Role::Operator);
        assert_eq!(passed, Ok(Holder::Anyone));
    }
}
