//! Authentication of every call to a service.

use std::fmt;

use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::authenticator::Authenticator;
use super::connection::Peer;
use super::principal::Role;
use super::revocation::Revocation;

/// Why a call was refused. Logs tell it; the peer gets the same words for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthError {
    /// The call carries no token.
    NoToken,
    /// What it carries is not a token.
    NotAToken,
    /// Nobody was given this token, or it was revoked.
    UnknownToken,
    /// The id is known and the secret is not its own.
    WrongSecret,
    /// An earlier version made it, with a hash that is not accepted.
    OutdatedToken,
    /// It is in force, for another role.
    WrongRole,
}

impl AuthError {
    /// For the log and the metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoToken => "no token",
            Self::NotAToken => "not a token",
            Self::UnknownToken => "an unknown or revoked token",
            Self::WrongSecret => "a token with a wrong secret",
            Self::OutdatedToken => "a token of an earlier version: make a new one",
            Self::WrongRole => "a token for another role",
        }
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<AuthError> for Status {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::WrongRole => Self::permission_denied(
                "this token is for another role: see `gridproof token new --role`",
            ),
            _ => Self::unauthenticated(
                "not admitted: ask the operator for a token, made by `gridproof token new`",
            ),
        }
    }
}

/// Stands before a service: lets holders of its role pass and tells the service who they
/// are, and refuses everyone else before their message is even read.
#[derive(Clone, Debug)]
pub struct AuthInterceptor {
    authenticator: Authenticator,
    /// None: any.
    role: Option<Role>,
}

impl AuthInterceptor {
    pub(super) const fn new(authenticator: Authenticator, role: Option<Role>) -> Self {
        Self {
            authenticator,
            role,
        }
    }
}

impl Interceptor for AuthInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let header = request.metadata().get("authorization");
        // Bytes that are no text count as a token that is none.
        let header = header.map(|value| value.to_str().unwrap_or_default());
        match self.authenticator.authenticate(header, self.role) {
            Ok(principal) => {
                request.metadata_mut().remove("authorization");
                if let Some(peer) = request.extensions().get::<Peer>() {
                    peer.admit();
                }
                if let Some(revocation) = self.authenticator.revocation(&principal) {
                    request.extensions_mut().insert(Revocation(revocation));
                }
                request.extensions_mut().insert(principal);
                Ok(request)
            }
            Err(error) => {
                let peer = request.extensions().get::<Peer>();
                let peer = peer.map(|peer| peer.address.ip());
                self.authenticator.refusals().record(peer, error.as_str());
                Err(error.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::principal::Principal;
    use super::super::tokens::TokenFile;
    use super::*;

    #[test]
    fn the_service_learns_who_calls_and_never_sees_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::at(folder.path().join("tokens.toml"));
        let name = "pc".parse().unwrap();
        let token = file
            .issue(&name, Role::Worker, Timestamp::UNIX_EPOCH)
            .unwrap();
        let mut interceptor = Authenticator::new(file).unwrap().require(Role::Worker);
        let mut request = Request::new(());
        let header = format!("Bearer {}", token.reveal()).parse().unwrap();
        request.metadata_mut().insert("authorization", header);
        let passed = interceptor.call(request).unwrap();
        assert!(matches!(
            passed.extensions().get(),
            Some(Principal::Token { .. })
        ));
        assert!(passed.metadata().get("authorization").is_none());
        let refused = interceptor.call(Request::new(())).unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unauthenticated);
    }
}
