//! Checks tokens against those in force.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use gridproof_host::{Token, TokenId};
use tokio_util::sync::CancellationToken;
use tonic::service::interceptor::InterceptedService;

use super::interceptor::{AuthError, AuthInterceptor};
use super::principal::{Principal, Role};
use super::refusals::RefusalLog;
use super::revocation::EndsWithToken;
use super::tokens::{TokenFile, TokenFileError, TokenRecord};

#[derive(Debug, Default)]
struct Loaded {
    /// Those that were not revoked.
    records: BTreeMap<TokenId, TokenRecord>,
    /// Of tokens whose holders have called: cancelled when the token is revoked.
    callers: BTreeMap<TokenId, CancellationToken>,
    /// Revoked, and not yet told.
    revoked: Vec<TokenId>,
    version: Option<FileVersion>,
    /// One that cannot be read.
    broken: Option<FileVersion>,
}

/// What tells one state of the file from another. Each change is a new file, so that its
/// number is another even within the clock's grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileVersion {
    modified: SystemTime,
    length: u64,
    inode: u64,
}

/// Knows the tokens in force. A cheap handle; all clones share what they know.
#[derive(Clone, Debug)]
pub struct Authenticator(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// None: nobody is asked for a token.
    tokens: Option<TokenFile>,
    loaded: Mutex<Loaded>,
    refusals: RefusalLog,
}

impl Authenticator {
    /// Asks everyone for a token in this file.
    pub fn new(tokens: TokenFile) -> Result<Self, TokenFileError> {
        let authenticator = Self::with(Some(tokens));
        authenticator.refresh()?;
        Ok(authenticator)
    }

    /// Lets everyone in: for loopback, or where the operator said --insecure.
    #[must_use]
    pub fn disabled() -> Self {
        Self::with(None)
    }

    fn with(tokens: Option<TokenFile>) -> Self {
        Self(Arc::new(Inner {
            tokens,
            loaded: Mutex::default(),
            refusals: RefusalLog::default(),
        }))
    }

    /// For all who refuse clients, so that all refusals are counted together.
    #[must_use]
    pub fn refusals(&self) -> RefusalLog {
        self.0.refusals.clone()
    }

    /// An interceptor for a service that is for this role.
    #[must_use]
    pub fn require(&self, role: Role) -> AuthInterceptor {
        AuthInterceptor::new(self.clone(), Some(role))
    }

    /// Puts a service behind the tokens: only holders of the role get through (of any, if none
    /// is named), and their streams end when their token is revoked.
    pub fn guard<S>(
        &self,
        service: S,
        role: Option<Role>,
    ) -> InterceptedService<EndsWithToken<S>, AuthInterceptor> {
        let interceptor = AuthInterceptor::new(self.clone(), role);
        InterceptedService::new(EndsWithToken(service), interceptor)
    }

    /// What is cancelled when the token of who calls is revoked.
    pub(super) fn revocation(&self, principal: &Principal) -> Option<CancellationToken> {
        let Principal::Token { id, .. } = principal else {
            return None;
        };
        let mut loaded = self.loaded();
        if !loaded.records.contains_key(id) {
            // Revoked since it was let in.
            let ended = CancellationToken::new();
            ended.cancel();
            return Some(ended);
        }
        Some(loaded.callers.entry(*id).or_default().clone())
    }

    /// Reads the file again if it has changed, ends the streams of tokens that are no longer in
    /// force, and says which those are. Call it about once a second.
    pub fn refresh(&self) -> Result<Vec<TokenId>, TokenFileError> {
        self.read_changes()?;
        Ok(std::mem::take(&mut self.loaded().revoked))
    }

    fn read_changes(&self) -> Result<(), TokenFileError> {
        let Some(tokens) = &self.0.tokens else {
            return Ok(());
        };
        let version = file_version(tokens);
        let mut loaded = self.loaded();
        if loaded.version == version && version.is_some() {
            return Ok(());
        }
        loaded.broken = version;
        let records = tokens.load()?.into_iter();
        loaded.broken = None;
        let in_force = records.filter(|record| record.revoked.is_none());
        let records = in_force.map(|record| (record.id, record)).collect();
        let old = std::mem::replace(&mut loaded.records, records);
        loaded.version = version;
        warn_of_outdated(&loaded.records, &old);
        let gone = old.into_keys();
        let gone: Vec<_> = gone.filter(|id| !loaded.records.contains_key(id)).collect();
        for id in gone {
            if let Some(caller) = loaded.callers.remove(&id) {
                caller.cancel();
            }
            loaded.revoked.push(id);
        }
        Ok(())
    }

    fn is_known_to_be_broken(&self) -> bool {
        let broken = self.loaded().broken;
        let tokens = self.0.tokens.as_ref();
        broken.is_some() && broken == tokens.and_then(file_version)
    }

    /// Judges an `authorization` header. That an unknown id is refused sooner than a wrong
    /// secret gives nothing away, since an id alone opens nothing.
    pub fn authenticate(
        &self,
        header: Option<&str>,
        role: impl Into<Option<Role>>,
    ) -> Result<Principal, AuthError> {
        if self.0.tokens.is_none() {
            return Ok(Principal::Anonymous);
        }
        let header = header.ok_or(AuthError::NoToken)?;
        let text = header.strip_prefix("Bearer ").ok_or(AuthError::NotAToken)?;
        let record = self.identify(text)?;
        let is_for = |role: Role| record.role.may_call(role);
        if !role.into().is_none_or(is_for) {
            return Err(AuthError::WrongRole);
        }
        Ok(Principal::Token {
            id: record.id,
            name: record.name,
            role: record.role,
        })
    }

    /// Whose a token is, whatever it is for. One that is not known may have been made a moment
    /// ago.
    pub fn identify(&self, token: &str) -> Result<TokenRecord, AuthError> {
        let token: Token = token.parse().map_err(|_| AuthError::NotAToken)?;
        let known = || self.loaded().records.get(&token.id).cloned();
        let record = known().or_else(|| {
            // Who refreshes every second tells of a file that cannot be read. Strangers' tokens
            // are no reason to read such a file again and again.
            let may_be_news = !self.is_known_to_be_broken();
            let news = may_be_news.then(|| self.read_changes().ok()).flatten();
            news.and_then(|()| known())
        });
        let record = record.ok_or(AuthError::UnknownToken)?;
        record.verify(&token.secret)?;
        Ok(record)
    }

    /// Whether a token was not revoked.
    #[must_use]
    pub fn is_in_force(&self, token: TokenId) -> bool {
        self.loaded().records.contains_key(&token)
    }

    /// Whether anybody is asked for a token.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.0.tokens.is_some()
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Said when such tokens are first seen. Their hash cannot be made anew without the secret,
/// which only the holder has.
fn warn_of_outdated(
    records: &BTreeMap<TokenId, TokenRecord>,
    old: &BTreeMap<TokenId, TokenRecord>,
) {
    let is_news = |record: &&TokenRecord| record.is_outdated() && !old.contains_key(&record.id);
    let names: Vec<_> = records
        .values()
        .filter(is_news)
        .map(|record| record.name.to_string())
        .collect();
    if !names.is_empty() {
        let names = names.join(" ");
        tracing::warn!(
            "an earlier version made the tokens of {names}, and they are not accepted: \
             run `gridproof token new {names}` (operators: with --role operator) and hand out \
             the new ones"
        );
    }
}

fn file_version(tokens: &TokenFile) -> Option<FileVersion> {
    let data = std::fs::metadata(tokens.path()).ok()?;
    Some(FileVersion {
        modified: data.modified().ok()?,
        length: data.len(),
        inode: inode(&data),
    })
}

#[cfg(unix)]
fn inode(data: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(data)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    struct Fixture {
        _folder: tempfile::TempDir,
        file: TokenFile,
        token: Token,
        authenticator: Authenticator,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::at(folder.path().join("tokens.toml"));
        let token = file
            .issue(&"pc".parse().unwrap(), Role::Worker, NOW)
            .unwrap();
        let authenticator = Authenticator::new(file.clone()).unwrap();
        Fixture {
            _folder: folder,
            file,
            token,
            authenticator,
        }
    }

    impl Fixture {
        fn authenticate(&self, token: &Token) -> Result<Principal, AuthError> {
            let header = format!("Bearer {}", token.reveal());
            self.authenticator.authenticate(Some(&header), Role::Worker)
        }

        /// The right id with a wrong secret.
        fn forged(&self) -> Token {
            Token {
                secret: Token::random().secret,
                ..self.token
            }
        }
    }

    #[test]
    fn a_holder_is_let_in_by_name() {
        let fixture = fixture();
        let Ok(Principal::Token { id, name, role }) = fixture.authenticate(&fixture.token) else {
            panic!("the token is good");
        };
        assert_eq!(
            (id, name.to_string().as_str(), role),
            (fixture.token.id, "pc", Role::Worker)
        );
    }

    #[test]
    fn everyone_else_is_refused() {
        let fixture = fixture();
        let unknown = fixture.authenticate(&Token::random());
        assert_eq!(unknown, Err(AuthError::UnknownToken));
        let forged = fixture.authenticate(&fixture.forged());
        assert_eq!(forged, Err(AuthError::WrongSecret));
        let with_header = |header| fixture.authenticator.authenticate(header, Role::Worker);
        assert_eq!(with_header(None), Err(AuthError::NoToken));
        for header in ["", "Bearer", "Bearer x", "Basic abc"] {
            assert_eq!(with_header(Some(header)), Err(AuthError::NotAToken));
        }
    }

    #[test]
    fn a_workers_token_gives_no_orders() {
        let fixture = fixture();
        let header = format!("Bearer {}", fixture.token.reveal());
        let refused = fixture
            .authenticator
            .authenticate(Some(&header), Role::Operator);
        assert_eq!(refused, Err(AuthError::WrongRole));
    }

    #[test]
    fn who_knows_an_id_alone_cannot_lock_its_holder_out() {
        let fixture = fixture();
        for _ in 0..1000 {
            let guess = fixture.authenticate(&fixture.forged());
            assert_eq!(guess, Err(AuthError::WrongSecret));
        }
        fixture.authenticate(&fixture.token).unwrap();
    }

    #[test]
    fn a_revoked_token_ends_at_the_next_refresh() {
        let fixture = fixture();
        fixture.authenticate(&fixture.token).unwrap();
        assert_eq!(fixture.authenticator.refresh().unwrap(), []);
        fixture.file.revoke("pc", NOW).unwrap();
        let revoked = fixture.authenticator.refresh().unwrap();
        assert_eq!(revoked, [fixture.token.id]);
        assert_eq!(
            fixture.authenticate(&fixture.token),
            Err(AuthError::UnknownToken)
        );
        assert_eq!(fixture.authenticator.refresh().unwrap(), []);
    }

    #[test]
    fn a_new_token_is_good_at_once_and_what_was_revoked_meanwhile_is_told() {
        let fixture = fixture();
        fixture.file.revoke("pc", NOW).unwrap();
        let late = fixture
            .file
            .issue(&"late".parse().unwrap(), Role::Worker, NOW)
            .unwrap();
        fixture.authenticate(&late).unwrap();
        let revoked = fixture.authenticator.refresh().unwrap();
        assert_eq!(revoked, [fixture.token.id]);
    }

    #[test]
    fn a_tokens_file_that_breaks_leaves_the_known_ones_in_force() {
        let fixture = fixture();
        std::fs::write(fixture.file.path(), "oh no").unwrap();
        assert!(fixture.authenticator.refresh().is_err());
        fixture.authenticate(&fixture.token).unwrap();
    }

    #[test]
    fn a_broken_tokens_file_is_not_read_again_for_each_unknown_token() {
        let fixture = fixture();
        let (path, good) = (
            fixture.file.path(),
            std::fs::read(fixture.file.path()).unwrap(),
        );
        std::fs::write(path, vec![b'x'; good.len()]).unwrap();
        let modified = || std::fs::metadata(path).unwrap().modified().unwrap();
        let broken = modified();
        let unknown = || fixture.authenticate(&Token::random());
        assert_eq!(unknown(), Err(AuthError::UnknownToken));
        // As good as before, and to be told from the broken one by reading it alone.
        let late = fixture.file.path().with_extension("late");
        let late = TokenFile::at(late);
        let token = late
            .issue(&"pc".parse().unwrap(), Role::Worker, NOW)
            .unwrap();
        std::fs::write(path, std::fs::read(late.path()).unwrap()).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(broken).unwrap();
        let length = file.metadata().unwrap().len();
        assert_eq!(length, good.len() as u64, "a token of the same name");
        assert_eq!(fixture.authenticate(&token), Err(AuthError::UnknownToken));
        fixture.authenticator.refresh().unwrap();
        fixture.authenticate(&token).unwrap();
    }

    #[test]
    fn without_tokens_nobody_is_asked() {
        let passed = Authenticator::disabled().authenticate(None, Role::Operator);
        assert_eq!(passed, Ok(Principal::Anonymous));
    }
}
