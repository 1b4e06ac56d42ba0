//! The way to a coordinator that runs, here or on another machine.

use std::path::PathBuf;

use clap::Args;
use gridproof_host::exposure::{Guard, Guards, Insecure};
use gridproof_host::tls::ClientFiles;
use gridproof_host::{Credentials, Token, files};
use gridproof_proto::DEFAULT_PORT;
use gridproof_proto::v1::operate_client::OperateClient;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use super::super::Failure;

pub(super) type Client = OperateClient<InterceptedService<Channel, Credentials>>;

/// How to reach the coordinator.
#[derive(Debug, Args)]
pub(super) struct Remote {
    /// The coordinator's address
    #[arg(long, value_name = "URL", global = true, default_value_t = format!("http://127.0.0.1:{DEFAULT_PORT}"))]
    coordinator: String,
    /// The lab's certificate, for an https address
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The file that holds an operator's token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Connect to another machine without TLS or token: whoever is on the way can read and
    /// change everything
    #[arg(long)]
    insecure: bool,
}

impl Remote {
    pub(super) async fn connect(&self) -> Result<Client, Failure> {
        let mut endpoint = Endpoint::from_shared(self.coordinator.clone())?;
        let guards = Guards {
            tls: Guard::from(self.ca.is_some()),
            tokens: Guard::from(self.token_file.is_some()),
        };
        let host = endpoint.uri().host().unwrap_or_default();
        guards.permit_connecting(host, Insecure::from(self.insecure))?;
        if let Some(authority) = self.ca.clone() {
            let files = ClientFiles {
                authority,
                identity: None,
                server_name: None,
            };
            endpoint = endpoint.tls_config(files.load()?)?;
        }
        let credentials = match &self.token_file {
            Some(path) => Credentials::from(&files::read_text(path)?.parse::<Token>()?),
            None => Credentials::none(),
        };
        let channel = endpoint.connect().await?;
        Ok(OperateClient::with_interceptor(channel, credentials))
    }
}
