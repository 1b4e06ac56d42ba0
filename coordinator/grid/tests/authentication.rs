//! Authentication over real sockets: who may connect, and what everyone else gets.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use gridproof_grid::security::{
    Authenticator, Authority, Identity, Incoming, Limits, Role, TokenFile,
};
use gridproof_host::files::Existing;
use gridproof_host::tls::{ClientFiles, IdentityFiles, ServerFiles};
use gridproof_host::{Credentials, Token};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::Code;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Endpoint, Server};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

struct Lab {
    folder: TempDir,
    tokens: TokenFile,
    token: Token,
    authenticator: Authenticator,
    address: SocketAddr,
}

#[derive(Clone, Copy, PartialEq)]
enum Clients {
    NeedNoCertificate,
    NeedACertificate,
}

async fn lab(clients: Clients) -> Lab {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let now = SystemTime::now();
    let authority = Authority::create("Lab", now).unwrap();
    authority.save(here).unwrap();
    let server = authority.server(&["localhost".to_owned()], now).unwrap();
    let [certificate, key] = server.save(here, "server", Existing::Keep).unwrap();
    let worker = authority.worker("pc", now).unwrap();
    worker.save(here, "pc", Existing::Keep).unwrap();

    let tokens = TokenFile::at(here.join("tokens.toml"));
    let token = tokens
        .issue(&"pc".parse().unwrap(), Role::Worker, Timestamp::now())
        .unwrap();
    let authenticator = Authenticator::new(tokens.clone()).unwrap();

    let tls = ServerFiles {
        identity: IdentityFiles { certificate, key },
        client_authority: (clients == Clients::NeedACertificate).then(|| here.join("ca.pem")),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let incoming = Incoming::new(
        listener,
        Some(Arc::new(Identity::load(tls).unwrap())),
        Limits::default(),
        authenticator.refusals(),
    );
    let (_, health) = tonic_health::server::health_reporter();
    let service = InterceptedService::new(health, authenticator.require(Role::Worker));
    tokio::spawn(
        Server::builder()
            .add_service(service)
            .serve_with_incoming(incoming),
    );
    Lab {
        folder,
        tokens,
        token,
        authenticator,
        address,
    }
}

impl Lab {
    fn client(&self) -> ClientFiles {
        ClientFiles {
            authority: self.folder.path().join("ca.pem"),
            identity: None,
            server_name: Some("localhost".to_owned()),
        }
    }

    fn with_certificate(&self) -> ClientFiles {
        let file = |name| self.folder.path().join(name);
        let identity = IdentityFiles {
            certificate: file("pc.pem"),
            key: file("pc.key"),
        };
        ClientFiles {
            identity: Some(identity),
            ..self.client()
        }
    }

    async fn call(&self, files: &ClientFiles, credentials: Credentials) -> Result<(), Code> {
        let endpoint = Endpoint::from_shared(format!("https://{}", self.address)).unwrap();
        let endpoint = endpoint.tls_config(files.load().unwrap()).unwrap();
        let channel = endpoint.connect().await.map_err(|_| Code::Unavailable)?;
        let mut client = HealthClient::with_interceptor(channel, credentials);
        let asked = client.check(HealthCheckRequest::default()).await;
        asked.map(drop).map_err(|status| status.code())
    }

    async fn call_as_worker(&self) -> Result<(), Code> {
        self.call(&self.client(), Credentials::from(&self.token))
            .await
    }
}

fn another_authority(folder: &Path) -> ClientFiles {
    let authority = Authority::create("Impostor", SystemTime::now()).unwrap();
    authority.save(folder).unwrap();
    ClientFiles {
        authority: folder.join("ca.pem"),
        identity: None,
        server_name: Some("localhost".to_owned()),
    }
}

#[tokio::test]
async fn a_worker_with_a_token_comes_in() {
    let lab = lab(Clients::NeedNoCertificate).await;
    assert_eq!(lab.call_as_worker().await, Ok(()));
}

#[tokio::test]
async fn wrong_or_missing_tokens_are_refused_alike() {
    let lab = lab(Clients::NeedNoCertificate).await;
    let forged = Token {
        secret: Token::random().secret,
        ..lab.token
    };
    for credentials in [
        Credentials::none(),
        Credentials::from(&Token::random()),
        Credentials::from(&forged),
    ] {
        let refused = lab.call(&lab.client(), credentials).await;
        assert_eq!(refused, Err(Code::Unauthenticated));
    }
}

#[tokio::test]
async fn a_revoked_token_opens_nothing_any_more() {
    let lab = lab(Clients::NeedNoCertificate).await;
    assert_eq!(lab.call_as_worker().await, Ok(()));
    lab.tokens.revoke("pc", Timestamp::now()).unwrap();
    assert_eq!(lab.authenticator.refresh().unwrap(), [lab.token.id]);
    assert_eq!(lab.call_as_worker().await, Err(Code::Unauthenticated));
}

#[tokio::test]
async fn a_client_does_not_talk_to_a_server_of_another_authority() {
    let lab = lab(Clients::NeedNoCertificate).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let files = another_authority(elsewhere.path());
    let refused = lab.call(&files, Credentials::from(&lab.token)).await;
    assert_eq!(refused, Err(Code::Unavailable));
    assert_eq!(
        lab.call_as_worker().await,
        Ok(()),
        "others are served as before"
    );
}

#[tokio::test]
async fn where_certificates_are_asked_for_a_token_is_not_enough() {
    let lab = lab(Clients::NeedACertificate).await;
    let credentials = || Credentials::from(&lab.token);
    assert_eq!(
        lab.call(&lab.with_certificate(), credentials()).await,
        Ok(())
    );
    assert!(lab.call(&lab.client(), credentials()).await.is_err());
    let no_token = lab.call(&lab.with_certificate(), Credentials::none()).await;
    assert_eq!(no_token, Err(Code::Unauthenticated));
}

#[tokio::test]
async fn plain_text_to_the_tls_port_is_cut_off_and_tells_nothing() {
    let lab = lab(Clients::NeedNoCertificate).await;
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    // The end may come as a reset: either way it is the end.
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.len() < 16, "at most a TLS alert: {answer:?}");
    assert_eq!(
        lab.call_as_worker().await,
        Ok(()),
        "others are served as before"
    );
}

#[tokio::test]
async fn a_key_that_everyone_can_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;

    let lab = lab(Clients::NeedNoCertificate).await;
    let files = lab.with_certificate();
    let key = lab.folder.path().join("pc.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let error = files.load().unwrap_err().to_string();
    assert!(error.contains("chmod 600"), "{error}");
}
