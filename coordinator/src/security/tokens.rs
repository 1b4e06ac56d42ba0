//! The file of tokens: who was given one, and its hash. The secret itself is in no file.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use clap::ValueEnum;
use gridproof_host::files::{self, Access, Existing, FileError};
use gridproof_host::{Secret, Token, TokenId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Worker => "worker",
            Self::Operator => "operator",
        })
    }
}

/// Whom a token was made for, such as lab-pc-07. It stands in logs and file names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HolderName(String);

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit"
)]
pub struct ParseNameError;

impl FromStr for HolderName {
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

impl fmt::Display for HolderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for HolderName {
    type Error = ParseNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HolderName> for String {
    fn from(name: HolderName) -> Self {
        name.0
    }
}

/// One token as the file knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: TokenId,
    pub name: HolderName,
    pub role: Role,
    pub made: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Timestamp>,
    hash: String,
}

impl Record {
    fn new(token: &Token, name: HolderName, role: Role, made: Timestamp) -> Self {
        let hash = hasher()
            .hash_password(token.secret.as_bytes())
            .expect("a secret of 32 bytes can be hashed")
            .to_string();
        Self {
            id: token.id,
            name,
            role,
            made,
            revoked: None,
            hash,
        }
    }

    /// Costs some milliseconds, by intent. The comparison takes the same time wherever the
    /// first difference is.
    #[must_use]
    pub fn fits(&self, secret: &Secret) -> bool {
        PasswordHash::new(&self.hash)
            .is_ok_and(|hash| hasher().verify_password(secret.as_bytes(), &hash).is_ok())
    }
}

/// Cheap as password hashes go: the secret is 256 random bits, which nobody guesses however
/// quick each guess is, and a thousand workers may come back at once after a power cut.
fn hasher() -> Argon2<'static> {
    let params = Params::new(4 * 1024, 1, 1, None).expect("argon2 takes these parameters");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Why the tokens cannot be had or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot lock {}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("{} is damaged: mend it by hand, or move it away and make new tokens", path.display())]
    Damaged {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    #[error("{0} has a token already: revoke it first, or choose another name")]
    NameTaken(HolderName),
    #[error("no token in force has the name or id \"{0}\": `gridproof token list` shows them all")]
    NoSuchToken(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Contents {
    #[serde(default)]
    token: Vec<Record>,
}

const HEADING: &str = "# Who may come in, as `gridproof token` wrote it. No secret is in here.\n\n";

/// The file. Whoever changes it holds a lock for that long, so that two commands at once
/// lose nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every token ever made, revoked ones too; none if there is no file yet.
    pub fn load(&self) -> Result<Vec<Record>, TokenFileError> {
        let text = match files::read_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.is_missing() => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let contents: Contents = toml::from_str(&text).map_err(|source| {
            let path = self.path.clone();
            TokenFileError::Damaged {
                path,
                source: Box::new(source),
            }
        })?;
        Ok(contents.token)
    }

    /// Makes a token. What is returned is the only copy of its secret.
    pub fn issue(
        &self,
        name: &HolderName,
        role: Role,
        now: Timestamp,
    ) -> Result<Token, TokenFileError> {
        self.change(|records| {
            if in_force(records).any(|record| record.name == *name) {
                return Err(TokenFileError::NameTaken(name.clone()));
            }
            let token = Token::random();
            records.push(Record::new(&token, name.clone(), role, now));
            Ok(token)
        })
    }

    /// Ends the token with this name or id.
    pub fn revoke(&self, which: &str, now: Timestamp) -> Result<Record, TokenFileError> {
        self.change(|records| {
            let record = records
                .iter_mut()
                .filter(|record| record.revoked.is_none())
                .find(|record| record.name.0 == which || record.id.to_string() == which)
                .ok_or_else(|| TokenFileError::NoSuchToken(which.to_owned()))?;
            record.revoked = Some(now);
            Ok(record.clone())
        })
    }

    fn change<T>(
        &self,
        edit: impl FnOnce(&mut Vec<Record>) -> Result<T, TokenFileError>,
    ) -> Result<T, TokenFileError> {
        let _lock = self.lock()?;
        let mut token = self.load()?;
        let done = edit(&mut token)?;
        let text = toml::to_string(&Contents { token }).expect("records can be written as TOML");
        let bytes = [HEADING.as_bytes(), text.as_bytes()].concat();
        files::write(&self.path, &bytes, Access::Owner, Existing::Replace)?;
        Ok(done)
    }

    /// Held until it is dropped. A file of its own, since the tokens' file is replaced.
    fn lock(&self) -> Result<File, TokenFileError> {
        let path = self.path.with_extension("lock");
        let locked = || {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let file = File::create(&path)?;
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|source| TokenFileError::Lock {
            path: path.clone(),
            source,
        })
    }
}

/// Those that were not revoked.
pub(super) fn in_force(records: &[Record]) -> impl Iterator<Item = &Record> {
    records.iter().filter(|record| record.revoked.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn name(text: &str) -> HolderName {
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
            assert!(records[0].fits(&first.secret));
            assert!(!records[0].fits(&second.secret));
        });
    }

    #[test]
    fn the_secret_is_not_in_the_file_and_the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;

        in_a_folder(|file| {
            let token = file.issue(&name("a"), Role::Worker, NOW).unwrap();
            let text = fs::read_to_string(file.path()).unwrap();
            let secret = token.reveal().split('.').nth(2).unwrap().to_owned();
            assert!(text.contains("$argon2id$") && !text.contains(&secret));
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
            assert!(matches!(error, TokenFileError::Damaged { .. }));
            assert!(fs::read_to_string(file.path()).unwrap().contains("id = 7"));
        });
    }

    #[test]
    fn names_that_could_harm_a_log_or_a_path_are_refused() {
        for bad in ["", "../up", "a b", "a\n", ".hidden", "é", &"x".repeat(65)] {
            assert_eq!(bad.parse::<HolderName>(), Err(ParseNameError), "{bad}");
        }
    }
}
