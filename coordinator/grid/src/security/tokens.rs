//! The file of tokens: who was given one, and its hash. The secret itself is in no file.

use std::path::{Path, PathBuf};

use gridproof_host::files::{self, Access, Existing, FileError};
use gridproof_host::{Secret, Token, TokenId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::interceptor::AuthError;
use super::principal::{PrincipalName, Role};

/// One token as the file knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// The public part of the token.
    pub id: TokenId,
    /// Whom it was made for.
    pub name: PrincipalName,
    /// What it allows.
    pub role: Role,
    /// When it was made.
    pub made: Timestamp,
    /// Since when it is not accepted, if it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Timestamp>,
    hash: SecretHash,
}

/// What the file keeps of a secret.
///
/// A plain hash is enough: the secret is 256 random bits, which nobody guesses however quick
/// each guess is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
enum SecretHash {
    Blake3(blake3::Hash),
    /// Of another version. Kept as it is; no secret matches it.
    Other(String),
}

const BLAKE3: &str = "blake3:";

impl SecretHash {
    fn of(secret: &Secret) -> Self {
        let hash = blake3::derive_key("gridproof token secret", secret.as_bytes());
        Self::Blake3(hash.into())
    }
}

impl From<String> for SecretHash {
    fn from(text: String) -> Self {
        let hash = text.strip_prefix(BLAKE3);
        match hash.and_then(|hex| blake3::Hash::from_hex(hex).ok()) {
            Some(hash) => Self::Blake3(hash),
            None => Self::Other(text),
        }
    }
}

impl From<SecretHash> for String {
    fn from(hash: SecretHash) -> Self {
        match hash {
            SecretHash::Blake3(hash) => format!("{BLAKE3}{hash}"),
            SecretHash::Other(text) => text,
        }
    }
}

impl TokenRecord {
    fn new(token: &Token, name: PrincipalName, role: Role, made: Timestamp) -> Self {
        Self {
            id: token.id,
            name,
            role,
            made,
            revoked: None,
            hash: SecretHash::of(&token.secret),
        }
    }

    /// Whether another version made it, so that its holder needs a new one.
    #[must_use]
    pub const fn is_outdated(&self) -> bool {
        matches!(self.hash, SecretHash::Other(_))
    }

    /// Whether this is the token's secret. Hashes of blake3 compare in constant time.
    pub fn verify(&self, secret: &Secret) -> Result<(), AuthError> {
        if self.is_outdated() {
            Err(AuthError::OutdatedToken)
        } else if self.hash == SecretHash::of(secret) {
            Ok(())
        } else {
            Err(AuthError::WrongSecret)
        }
    }
}

/// Why the tokens cannot be had or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// It cannot be read, written or locked.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no file of tokens.
    #[error(
        "{} is damaged in line {line} ({why}): mend it by hand, or move it away and make new tokens",
        path.display()
    )]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where it is, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A name has one token at a time.
    #[error("{0} has a token already: revoke it first, or choose another name")]
    NameTaken(PrincipalName),
    /// Neither a name nor an id.
    #[error("no token in force has the name or id \"{0}\": `gridproof token list` shows them all")]
    NoSuchToken(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Contents {
    #[serde(default)]
    token: Vec<TokenRecord>,
}

const HEADING: &str = "# Who may connect, as `gridproof token` wrote it. No secret is in here.\n\n";

/// The file. Whoever changes it holds a lock for that long, so that two commands at once
/// lose nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    /// The file at this path, whether it is there or not.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every token ever made, revoked ones too; none if there is no file yet.
    pub fn load(&self) -> Result<Vec<TokenRecord>, TokenFileError> {
        let text = match files::read_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.is_missing() => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let contents: Contents = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            TokenFileError::Damaged {
                path: self.path.clone(),
                line: text
                    .bytes()
                    .take(start)
                    .filter(|byte| *byte == b'\n')
                    .count()
                    + 1,
                why: error.message().to_owned(),
            }
        })?;
        Ok(contents.token)
    }

    /// Makes a token, also in the place of an outdated one. What is returned is the only copy
    /// of its secret.
    pub fn issue(
        &self,
        name: &PrincipalName,
        role: Role,
        now: Timestamp,
    ) -> Result<Token, TokenFileError> {
        self.change(|records| {
            let same_name = |record: &&mut TokenRecord| record.name == *name;
            let not_revoked = records.iter_mut().filter(|record| record.revoked.is_none());
            for record in not_revoked.filter(same_name) {
                if !record.is_outdated() {
                    return Err(TokenFileError::NameTaken(name.clone()));
                }
                record.revoked = Some(now);
            }
            let token = Token::random();
            records.push(TokenRecord::new(&token, name.clone(), role, now));
            Ok(token)
        })
    }

    /// Ends the token with this name or id.
    pub fn revoke(&self, which: &str, now: Timestamp) -> Result<TokenRecord, TokenFileError> {
        self.change(|records| {
            let record = records
                .iter_mut()
                .filter(|record| record.revoked.is_none())
                .find(|record| record.name.as_str() == which || record.id.to_string() == which)
                .ok_or_else(|| TokenFileError::NoSuchToken(which.to_owned()))?;
            record.revoked = Some(now);
            Ok(record.clone())
        })
    }

    fn change<T>(
        &self,
        edit: impl FnOnce(&mut Vec<TokenRecord>) -> Result<T, TokenFileError>,
    ) -> Result<T, TokenFileError> {
        // A file of its own, since the tokens' file is replaced.
        let _lock = files::lock(&self.path.with_extension("lock"))?;
        let mut token = self.load()?;
        let done = edit(&mut token)?;
        let text = toml::to_string(&Contents { token }).expect("records can be written as TOML");
        let bytes = [HEADING.as_bytes(), text.as_bytes()].concat();
        files::write(&self.path, &bytes, Access::Owner, Existing::Replace)?;
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn name(text: &str) -> PrincipalName {
        text.parse().unwrap()
    }

    fn in_a_folder(test: impl FnOnce(&TokenFile)) {
        let folder = tempfile::tempdir().unwrap();
        test(&TokenFile::at(folder.path().join("tokens.toml")));
    }

    #[test]
    fn no_file_means_no_tokens() {
        in_a_folder(|file| assert_eq!(file.load().unwrap(), []));
    }

    #[test]
    fn a_token_fits_its_own_record_alone() {
        in_a_folder(|file| {
            let first = file.issue(&name("a"), Role::Worker, NOW).unwrap();
            let second = file.issue(&name("b"), Role::Operator, NOW).unwrap();
            let records = file.load().unwrap();
            assert_eq!(records[0].id, first.id);
            assert_eq!(records[1].role, Role::Operator);
            assert_eq!(records[0].verify(&first.secret), Ok(()));
            let wrong = records[0].verify(&second.secret);
            assert_eq!(wrong, Err(AuthError::WrongSecret));
        });
    }

    #[test]
    fn the_secret_is_not_in_the_file_and_the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;

        in_a_folder(|file| {
            let token = file.issue(&name("a"), Role::Worker, NOW).unwrap();
            let text = fs::read_to_string(file.path()).unwrap();
            let secret = token.reveal().split('.').nth(2).unwrap().to_owned();
            assert!(text.contains("blake3:") && !text.contains(&secret));
            let mode = fs::metadata(file.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        });
    }

    #[test]
    fn a_name_has_one_token_until_it_is_revoked() {
        in_a_folder(|file| {
            file.issue(&name("pc"), Role::Worker, NOW).unwrap();
            let error = file.issue(&name("pc"), Role::Worker, NOW).unwrap_err();
            assert!(matches!(error, TokenFileError::NameTaken(_)));
            file.revoke("pc", NOW).unwrap();
            let again = file.issue(&name("pc"), Role::Worker, NOW).unwrap();
            assert_eq!(
                file.revoke(&again.id.to_string(), NOW).unwrap().id,
                again.id
            );
            let gone = file.revoke("pc", NOW).unwrap_err();
            assert!(matches!(gone, TokenFileError::NoSuchToken(_)));
            assert_eq!(file.load().unwrap().len(), 2);
        });
    }

    #[test]
    fn commands_at_the_same_time_lose_nothing() {
        in_a_folder(|file| {
            std::thread::scope(|scope| {
                for i in 0..8 {
                    let name = name(&format!("pc-{i}"));
                    scope.spawn(move || file.issue(&name, Role::Worker, NOW).unwrap());
                }
            });
            assert_eq!(file.load().unwrap().len(), 8);
        });
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays_as_it_is() {
        in_a_folder(|file| {
            fs::write(file.path(), "[[token]]\nid = 7\n").unwrap();
            let error = file.issue(&name("a"), Role::Worker, NOW).unwrap_err();
            assert!(matches!(error, TokenFileError::Damaged { line: 2, .. }));
            assert!(fs::read_to_string(file.path()).unwrap().contains("id = 7"));
        });
    }

    /// As version 0.1.0 wrote it.
    const OUTDATED: &str = r#"
[[token]]
id = "00112233445566aa"
name = "pc-01"
role = "worker"
made = "2026-11-01T12:00:00Z"
hash = "$argon2id$v=19$m=4096,t=1,p=1$ZgP2cTmYzLkYfEKZkWfFJw$0q2vJ1yCkB5yRZ4Yxw7pCw8JtQ0vHk7mYx1cXo3hU4E"
"#;

    #[test]
    fn a_token_of_an_earlier_version_is_refused_and_can_be_replaced() {
        in_a_folder(|file| {
            fs::write(file.path(), OUTDATED).unwrap();
            let old = file.load().unwrap().remove(0);
            assert!(old.is_outdated());
            let refused = old.verify(&Token::random().secret);
            assert_eq!(refused, Err(AuthError::OutdatedToken));

            let new = file.issue(&name("pc-01"), Role::Worker, NOW).unwrap();
            let records = file.load().unwrap();
            assert_eq!(records[0].revoked, Some(NOW));
            assert_eq!(records[1].verify(&new.secret), Ok(()));
            let text = fs::read_to_string(file.path()).unwrap();
            assert!(text.contains("$argon2id$v=19"), "nothing is lost: {text}");
        });
    }

    #[test]
    fn the_lock_does_not_follow_a_link() {
        in_a_folder(|file| {
            let victim = file.path().with_extension("victim");
            fs::write(&victim, "precious").unwrap();
            std::os::unix::fs::symlink(&victim, file.path().with_extension("lock")).unwrap();
            assert!(file.issue(&name("a"), Role::Worker, NOW).is_err());
            assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        });
    }
}
