//! The door of a service: who comes in, and who does not.

use std::net::IpAddr;

use gridproof_host::TokenId;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::doorkeeper::Doorkeeper;
use super::tokens::{HolderName, Role};

/// Who came in: in the extensions of every request that a [`Door`] let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Shown by a token.
    Known {
        id: TokenId,
        name: HolderName,
        role: Role,
    },
    /// Nobody was asked.
    Anyone,
}

/// Why somebody did not come in. Logs tell it; the peer gets the same words for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NoToken,
    NotAToken,
    UnknownToken,
    WrongSecret,
    TooManyGuesses,
    WrongRole,
}

impl Refusal {
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoToken => "no token",
            Self::NotAToken => "not a token",
            Self::UnknownToken => "an unknown or revoked token",
            Self::WrongSecret => "a token with a wrong secret",
            Self::TooManyGuesses => "too many guesses at a token's secret",
            Self::WrongRole => "a token for another role",
        }
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::WrongRole => Self::permission_denied(
                "this token is for another role: see `gridproof token new --role`",
            ),
            _ => Self::unauthenticated(
                "not admitted: ask the operator for a token, made by `gridproof token new`",
            ),
        }
    }
}

/// Stands before a service: lets holders of its role pass and tells the service who they
/// are, and turns everyone else away before their message is even read.
#[derive(Clone, Debug)]
pub struct Door {
    doorkeeper: Doorkeeper,
    role: Role,
}

impl Door {
    pub(super) const fn new(doorkeeper: Doorkeeper, role: Role) -> Self {
        Self { doorkeeper, role }
    }
}

impl Interceptor for Door {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let header = request.metadata().get("authorization");
        // Bytes that are no text count as a token that is none.
        let header = header.map(|value| value.to_str().unwrap_or_default());
        match self.doorkeeper.admit(header, self.role) {
            Ok(holder) => {
                request.metadata_mut().remove("authorization");
                request.extensions_mut().insert(holder);
                Ok(request)
            }
            Err(refusal) => {
                let from: Option<IpAddr> = request.remote_addr().map(|address| address.ip());
                let strangers = self.doorkeeper.strangers();
                strangers.turned_away(from, refusal.words());
                Err(refusal.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::tokens::TokenFile;
    use super::*;

    #[test]
    fn the_service_learns_who_is_there_and_never_sees_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::at(folder.path().join("tokens.toml"));
        let name = "pc".parse().unwrap();
        let token = file
            .issue(&name, Role::Worker, Timestamp::UNIX_EPOCH)
            .unwrap();
        let mut door = Doorkeeper::new(file).unwrap().door(Role::Worker);
        let mut request = Request::new(());
        let header = format!("Bearer {}", token.reveal()).parse().unwrap();
        request.metadata_mut().insert("authorization", header);
        let passed = door.call(request).unwrap();
        assert!(matches!(
            passed.extensions().get(),
            Some(Holder::Known { .. })
        ));
        assert!(passed.metadata().get("authorization").is_none());
        let refused = door.call(Request::new(())).unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unauthenticated);
    }
}
