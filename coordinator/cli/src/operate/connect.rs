//! The way to a coordinator that runs, here or on another machine, and what it says back.

use std::error::Error;

use gridproof_host::exposure::{Exposed, Guard, Guards, Insecure};
use gridproof_host::files::FileError;
use gridproof_host::tls::{ClientFiles, TlsError};
use gridproof_host::words::of_connection;
use gridproof_host::{Credentials, ParseTokenError, Token, files};
use gridproof_proto::v1::operate_client::OperateClient;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Response, Status};

use super::super::exit::Exit;
use super::super::settings::Connection;

pub(super) type Client = OperateClient<InterceptedService<Channel, Credentials>>;

/// Why a coordinator did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CoordinatorError {
    #[error(
        "\"{0}\" is no coordinator's address: write https://HOST:PORT, or http://127.0.0.1:PORT on the same machine"
    )]
    Address(String),
    #[error("an address with https needs the lab's certificate: give ca.pem with --ca")]
    NoAuthority,
    #[error("{} holds no good token", path.display())]
    Token {
        path: std::path::PathBuf,
        source: ParseTokenError,
    },
    #[error(transparent)]
    Exposed(#[from] Exposed),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("no coordinator answers at {address}: {why}")]
    Unreachable { address: String, why: String },
    #[error("the coordinator does not let us in: {0}")]
    NotAllowed(String),
    #[error("the coordinator does not answer: {0}")]
    Gone(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    BadInput(String),
    #[error("the coordinator's answer makes no sense: {0}. Is it of another version?")]
    BadAnswer(String),
}

impl CoordinatorError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unreachable { .. } | Self::Gone(_) => Exit::Unavailable,
            Self::NotAllowed(_) => Exit::NoPermission,
            Self::Refused(_) => Exit::Failed,
            Self::BadAnswer(_) => Exit::OtherVersion,
            _ => Exit::BadInput,
        }
    }
}

/// In words of ours: a status prints itself for programmers.
impl From<Status> for CoordinatorError {
    fn from(status: Status) -> Self {
        let words = status.message().to_owned();
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Self::NotAllowed(words),
            Code::InvalidArgument | Code::NotFound => Self::BadInput(words),
            Code::Unavailable | Code::Cancelled => Self::Gone(of_connection(&status)),
            Code::Unknown | Code::Internal if status.source().is_some() => {
                Self::Gone(of_connection(&status))
            }
            Code::Unimplemented => Self::BadAnswer("it does not know this order".to_owned()),
            _ => Self::Refused(words),
        }
    }
}

/// The answer to a call.
pub(super) async fn call<T>(
    answer: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, CoordinatorError> {
    Ok(answer.await?.into_inner())
}

impl Connection {
    pub(super) async fn connect(&self) -> Result<Client, super::super::Failure> {
        Ok(self.load()?.open().await?)
    }

    async fn open(&self) -> Result<Client, CoordinatorError> {
        let address = self.coordinator.clone();
        let address = address.unwrap_or_else(Self::usual_address);
        let bad = || CoordinatorError::Address(address.clone());
        let uri: Uri = address.parse().map_err(|_| bad())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(bad());
        };
        let mut endpoint = Endpoint::from(uri.clone());
        let is_tls = scheme == "https";
        if is_tls {
            let authority = self.ca.clone().ok_or(CoordinatorError::NoAuthority)?;
            let files = ClientFiles {
                authority,
                identity: None,
                server_name: self.server_name.clone(),
            };
            let unreachable = |error| CoordinatorError::Unreachable {
                address: address.clone(),
                why: of_connection(&error),
            };
            endpoint = endpoint.tls_config(files.load()?).map_err(unreachable)?;
        }
        let guards = Guards {
            tls: Guard::from(is_tls),
            tokens: Guard::from(self.token_file.is_some()),
        };
        guards.permit_connecting(host, Insecure::from(self.insecure))?;
        let credentials = match &self.token_file {
            Some(path) => {
                let token: Result<Token, _> = files::read_text(path)?.parse();
                let bad = |source| CoordinatorError::Token {
                    path: path.clone(),
                    source,
                };
                Credentials::from(&token.map_err(bad)?)
            }
            None => Credentials::none(),
        };
        let channel = endpoint.connect().await;
        let channel = channel.map_err(|error| CoordinatorError::Unreachable {
            why: of_connection(&error),
            address,
        })?;
        Ok(OperateClient::with_interceptor(channel, credentials))
    }
}
