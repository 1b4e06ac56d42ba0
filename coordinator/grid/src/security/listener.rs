//! Where the coordinator listens, and what it asks of clients.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use gridproof_host::exposure::{Exposed, Guard, Guards, Insecure, read_address};
use gridproof_host::tls::{IdentityFiles, ServerFiles, TlsError};

use super::authenticator::Authenticator;
use super::identity::Identity;
use super::tokens::{TokenFile, TokenFileError};

/// Where the coordinator listens, and what it asks of clients.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Listener")]
pub struct ListenerOptions {
    /// Where to listen. Off loopback there must be a certificate and tokens
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4100", 
        value_parser = read_address)]
    pub listen: SocketAddr,
    /// The certificate that `gridproof cert server` made [default: certs/server.pem in the
    /// data folder, if it is there]
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The private key of --cert
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Ask for certificates that this authority has signed, as well as for tokens
    #[arg(long, value_name = "FILE")]
    pub client_ca: Option<PathBuf>,
    /// The tokens that `gridproof token` made [default: tokens.toml in the data folder, if
    /// it is there]
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// Listen off loopback without certificate or tokens: everyone on the network can give
    /// orders and read everything
    #[arg(long)]
    pub insecure: bool,
}

/// A listener that is safe to open.
#[derive(Clone, Debug)]
pub struct ListenerConfig {
    /// Where to listen.
    pub address: SocketAddr,
    /// None: connections are plain.
    pub tls: Option<Arc<Identity>>,
    /// Who may call what.
    pub authenticator: Authenticator,
}

/// Why the coordinator does not start.
#[derive(Debug, thiserror::Error)]
pub enum ListenerError {
    /// The address needs more protection than there is.
    #[error(transparent)]
    Exposed(#[from] Exposed),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The tokens cannot be used.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    /// The file that was named is not there.
    #[error("there are no tokens at {}; gridproof token new makes the first", .0.display())]
    NoTokens(PathBuf),
    /// Certificates of clients can be asked for over TLS alone.
    #[error(
        "--client-ca needs a certificate of the coordinator's own; gridproof cert server NAME \
         makes one, and --cert and --key name it"
    )]
    ClientsWithoutTls,
}

impl ListenerOptions {
    /// Loads what there is and makes sure that it is enough for the address. Certificates
    /// and tokens that nobody named are looked for in the data folder.
    pub fn load(&self, data: &Path) -> Result<ListenerConfig, ListenerError> {
        let identity = self.identity(data);
        if identity.is_none() && self.client_ca.is_some() {
            return Err(ListenerError::ClientsWithoutTls);
        }
        if let Some(named) = self.tokens.as_ref().filter(|file| !file.exists()) {
            return Err(ListenerError::NoTokens(named.clone()));
        }
        let tls = identity.map(|identity| {
            let client_authority = self.client_ca.clone();
            let files = ServerFiles {
                identity,
                client_authority,
            };
            Identity::load(files)
        });
        let tls = tls.transpose()?.map(Arc::new);
        let tokens = self.token_file(data);
        let guards = Guards {
            tls: Guard::from(tls.is_some()),
            tokens: Guard::from(tokens.is_some()),
        };
        guards.permit_listening(self.listen, Insecure::from(self.insecure))?;
        let authenticator = match tokens {
            Some(file) => Authenticator::new(TokenFile::at(file))?,
            None => Authenticator::disabled(),
        };
        Ok(ListenerConfig {
            address: self.listen,
            tls,
            authenticator,
        })
    }

    /// TLS for the page: browsers are not asked for certificates, and may speak HTTP/1.1.
    pub fn page_tls(&self, data: &Path) -> Result<Option<Arc<Identity>>, ListenerError> {
        let Some(identity) = self.identity(data) else {
            return Ok(None);
        };
        let files = ServerFiles {
            identity,
            client_authority: None,
        };
        Ok(Some(Arc::new(Identity::load(files)?.for_browsers())))
    }

    fn identity(&self, data: &Path) -> Option<IdentityFiles> {
        if let (Some(certificate), Some(key)) = (&self.cert, &self.key) {
            return Some(IdentityFiles {
                certificate: certificate.clone(),
                key: key.clone(),
            });
        }
        let usual = IdentityFiles {
            certificate: data.join("certs/server.pem"),
            key: data.join("certs/server.key"),
        };
        usual.certificate.exists().then_some(usual)
    }

    fn token_file(&self, data: &Path) -> Option<PathBuf> {
        let usual = || Some(data.join("tokens.toml")).filter(|file| file.exists());
        self.tokens.clone().or_else(usual)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use gridproof_host::files::Existing;
    use jiff::Timestamp;

    use super::super::authority::Authority;
    use super::super::interceptor::AuthError;
    use super::super::principal::{Principal, Role};
    use super::*;

    fn options(listen: &str) -> ListenerOptions {
        ListenerOptions {
            listen: listen.parse().unwrap(),
            cert: None,
            key: None,
            client_ca: None,
            tokens: None,
            insecure: false,
        }
    }

    fn make_certificate(data: &Path) {
        let (certs, now) = (data.join("certs"), SystemTime::now());
        let authority = Authority::create("Lab", now).unwrap();
        let server = authority.server(&["localhost".to_owned()], now).unwrap();
        server.save(&certs, "server", Existing::Keep).unwrap();
    }

    fn make_token(data: &Path) {
        let file = TokenFile::at(data.join("tokens.toml"));
        let name = "pc".parse().unwrap();
        file.issue(&name, Role::Worker, Timestamp::UNIX_EPOCH)
            .unwrap();
    }

    #[test]
    fn on_loopback_an_empty_folder_asks_nobody() {
        let data = tempfile::tempdir().unwrap();
        let config = options("127.0.0.1:4100").load(data.path()).unwrap();
        assert!(config.tls.is_none());
        assert_eq!(
            config.authenticator.authenticate(None, Role::Operator),
            Ok(Principal::Anonymous)
        );
    }

    #[test]
    fn off_loopback_both_are_needed_and_found_in_the_data_folder() {
        let data = tempfile::tempdir().unwrap();
        let everywhere = options("0.0.0.0:4100");
        let exposed = |options: &ListenerOptions| {
            matches!(options.load(data.path()), Err(ListenerError::Exposed(_)))
        };
        assert!(exposed(&everywhere));
        make_certificate(data.path());
        assert!(exposed(&everywhere));
        make_token(data.path());
        let config = everywhere.load(data.path()).unwrap();
        assert!(config.tls.is_some());
        assert_eq!(
            config.authenticator.authenticate(None, Role::Worker),
            Err(AuthError::NoToken)
        );
    }

    #[test]
    fn insecure_opens_everything_only_when_it_is_said() {
        let data = tempfile::tempdir().unwrap();
        let insecure = ListenerOptions {
            insecure: true,
            ..options("0.0.0.0:4100")
        };
        insecure.load(data.path()).unwrap();
    }

    #[test]
    fn tokens_that_are_there_are_asked_for_on_loopback_too() {
        let data = tempfile::tempdir().unwrap();
        make_token(data.path());
        let config = options("127.0.0.1:4100").load(data.path()).unwrap();
        assert_eq!(
            config.authenticator.authenticate(None, Role::Worker),
            Err(AuthError::NoToken)
        );
    }

    #[test]
    fn what_is_named_must_be_there() {
        let data = tempfile::tempdir().unwrap();
        let (tokens, authority) = (data.path().join("none.toml"), data.path().join("ca.pem"));
        let named = ListenerOptions {
            tokens: Some(tokens.clone()),
            ..options("127.0.0.1:4100")
        };
        let refused = named.load(data.path()).unwrap_err();
        assert!(matches!(refused, ListenerError::NoTokens(file) if file == tokens));
        let named = ListenerOptions {
            client_ca: Some(authority),
            ..options("127.0.0.1:4100")
        };
        let refused = named.load(data.path()).unwrap_err();
        assert!(matches!(refused, ListenerError::ClientsWithoutTls));
    }
}
