//! Certificates and keys from files to what rustls and tonic want, with errors that name the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::files::{self, FileError};

/// A client that opens a connection and says nothing is not waited for any longer.
pub const HANDSHAKE: Duration = Duration::from_secs(10);

/// A certificate chain and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// In PEM.
    pub certificate: PathBuf,
    /// In PEM, readable by its owner alone.
    pub key: PathBuf,
}

/// What a server shows, and what it asks of clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFiles {
    /// Its own certificate.
    pub identity: IdentityFiles,
    /// If given, only holders of a certificate signed by this authority get as far as
    /// showing a token.
    pub client_authority: Option<PathBuf>,
}

/// Whom a client believes, and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFiles {
    /// The lab's authority: the only one whose signature counts.
    pub authority: PathBuf,
    /// Its own certificate, for a server that asks for one.
    pub identity: Option<IdentityFiles>,
    /// The name in the server's certificate, where it is not the one that is connected to.
    pub server_name: Option<String>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not a certificate in PEM.
    #[error("{} holds no certificate: it must be a PEM file as `gridproof cert` writes it", .0.display())]
    NoCertificate(PathBuf),
    /// Not a key in PEM.
    #[error("{} holds no private key: it must be a PEM file as `gridproof cert` writes it", .0.display())]
    NoKey(PathBuf),
    /// A secret that is none.
    #[error("everyone on this machine can read the private key {path}: run `chmod 600 {path}`", path = .0.display())]
    KeyForEverybody(PathBuf),
    /// They do not belong together.
    #[error(
        "the certificate and its key cannot be used together: make them anew with `gridproof cert server --replace`"
    )]
    Refused(#[source] rustls::Error),
}

impl ServerFiles {
    /// Reads and checks them all.
    pub fn load(&self) -> Result<Arc<ServerConfig>, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Refused)?;
        let builder = match &self.client_authority {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(certificates(path)?);
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                        .build()
                        .map_err(|_| TlsError::NoCertificate(path.clone()))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let key = self.identity.key()?;
        let mut config = builder
            .with_single_cert(certificates(&self.identity.certificate)?, key)
            .map_err(TlsError::Refused)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

impl ClientFiles {
    /// Reads and checks them all.
    pub fn load(&self) -> Result<ClientTlsConfig, TlsError> {
        certificates(&self.authority)?;
        let authority = Certificate::from_pem(files::read(&self.authority)?);
        let mut config = ClientTlsConfig::new().ca_certificate(authority);
        if let Some(identity) = &self.identity {
            config = config.identity(identity.load()?);
        }
        if let Some(name) = &self.server_name {
            config = config.domain_name(name);
        }
        Ok(config)
    }
}

impl IdentityFiles {
    fn key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        let pem = files::read(&self.key)?;
        if readable_by_everybody(&self.key) {
            return Err(TlsError::KeyForEverybody(self.key.clone()));
        }
        PrivateKeyDer::from_pem_slice(&pem).map_err(|_| TlsError::NoKey(self.key.clone()))
    }

    fn load(&self) -> Result<Identity, TlsError> {
        certificates(&self.certificate)?;
        self.key()?;
        Ok(Identity::from_pem(
            files::read(&self.certificate)?,
            files::read(&self.key)?,
        ))
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let pem = files::read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(TlsError::NoCertificate(path.to_owned())),
    }
}

#[cfg(unix)]
fn readable_by_everybody(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o004 != 0)
}

#[cfg(not(unix))]
fn readable_by_everybody(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let missing = ClientFiles {
            authority: path.clone(),
            identity: None,
            server_name: None,
        };
        assert!(
            missing
                .load()
                .unwrap_err()
                .to_string()
                .starts_with("cannot read")
        );
        std::fs::write(&path, "hello").unwrap();
        let error = missing.load().unwrap_err().to_string();
        assert!(error.contains("ca.pem holds no certificate"), "{error}");
    }
}
