//! The certificate that the coordinator shows, read again when its files change.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gridproof_host::files;
use gridproof_host::tls::{ServerFiles, TlsError};
use jiff::Timestamp;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long before its end a certificate is spoken of, and how often.
const SPEAK_BEFORE: Duration = Duration::from_secs(30 * 24 * 3600);
const SPEAK_EVERY: Duration = Duration::from_secs(24 * 3600);

/// A certificate and its key. New connections get what the files hold; open ones go on.
#[derive(Debug)]
pub struct Identity {
    config: Arc<ServerConfig>,
    current: Arc<Current>,
}

#[derive(Debug)]
struct Current {
    files: ServerFiles,
    // A std Mutex: held while two small files are read, at most.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    config: Arc<ServerConfig>,
    version: Version,
    looked: Instant,
    spoken: Option<Instant>,
}

/// What tells one state of the files from another.
type Version = [Option<(SystemTime, u64)>; 2];

impl Identity {
    /// Reads the files, which must be good.
    pub fn load(files: ServerFiles) -> Result<Self, TlsError> {
        let version = version(&files);
        let loaded = files.load()?;
        let mut config = ServerConfig::clone(&loaded);
        let current = Arc::new(Current {
            files,
            state: Mutex::new(State {
                config: loaded,
                version,
                looked: Instant::now(),
                spoken: None,
            }),
        });
        config.cert_resolver = Arc::clone(&current) as _;
        Ok(Self {
            config: Arc::new(config),
            current,
        })
    }

    /// The same for browsers, which may speak HTTP/1.1 as well.
    #[must_use]
    pub fn for_browsers(self) -> Self {
        let mut config = ServerConfig::clone(&self.config);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self {
            config: Arc::new(config),
            ..self
        }
    }

    /// For connections, also for those that come after the files have changed.
    #[must_use]
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    /// Reads the files again if they have changed, and speaks of a certificate that will end
    /// soon. Call it now and then.
    pub fn look(&self) {
        let mut state = self.current.state();
        self.current.refresh(&mut state);
        if state
            .spoken
            .is_some_and(|then| then.elapsed() < SPEAK_EVERY)
        {
            return;
        }
        let path = &self.current.files.identity.certificate;
        if let Some(words) = ending(path, Timestamp::now()) {
            state.spoken = Some(Instant::now());
            tracing::warn!("{words}");
        }
    }
}

/// What there is to say about a certificate's end.
fn ending(path: &Path, now: Timestamp) -> Option<String> {
    let end = end_of(path)?;
    let left = end.as_second() - now.as_second();
    if left > SPEAK_BEFORE.as_secs().cast_signed() {
        return None;
    }
    let how = "make a new one with `gridproof cert server --replace`; it is read without a restart";
    Some(match left {
        ..0 => format!(
            "the certificate {} ended on {end:.0}, and nobody new is let in by it: {how}",
            path.display()
        ),
        _ => format!(
            "the certificate {} ends in {} days, on {end:.0}: {how}",
            path.display(),
            left / (24 * 3600)
        ),
    })
}

/// When a certificate ends, if it can be read.
fn end_of(path: &Path) -> Option<Timestamp> {
    let pem = files::read(path).ok()?;
    let leaf = CertificateDer::pem_slice_iter(&pem).next()?.ok()?;
    let (_, parsed) = x509_parser::parse_x509_certificate(&leaf).ok()?;
    Timestamp::from_second(parsed.validity().not_after.timestamp()).ok()
}

impl Current {
    fn state(&self) -> MutexGuard<'_, State> {
        // Replaced field by field, each of which is good by itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh(&self, state: &mut State) {
        state.looked = Instant::now();
        let version = version(&self.files);
        if version == state.version {
            return;
        }
        state.version = version;
        match self.files.load() {
            Ok(config) => {
                state.config = config;
                state.spoken = None;
                tracing::info!("the certificate has changed and was read again");
            }
            // The key may follow in a moment, and that is another change.
            Err(error) => tracing::warn!(
                "the certificate has changed and cannot be used, the one before stays: {error}"
            ),
        }
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut state = self.state();
        if state.looked.elapsed() >= LOOK_EVERY {
            self.refresh(&mut state);
        }
        let config = Arc::clone(&state.config);
        drop(state);
        config.cert_resolver.resolve(hello)
    }
}

fn version(files: &ServerFiles) -> Version {
    [&files.identity.certificate, &files.identity.key].map(|path| {
        let data = std::fs::metadata(path).ok()?;
        Some((data.modified().ok()?, data.len()))
    })
}

#[cfg(test)]
mod tests {
    use gridproof_host::files::Existing;
    use gridproof_host::tls::IdentityFiles;

    use super::super::authority::Authority;
    use super::*;

    fn files(folder: &Path) -> ServerFiles {
        ServerFiles {
            identity: IdentityFiles {
                certificate: folder.join("server.pem"),
                key: folder.join("server.key"),
            },
            client_authority: None,
        }
    }

    fn write(folder: &Path, name: &str) {
        let now = SystemTime::now();
        let authority = Authority::create("Lab", now).unwrap();
        let server = authority.server(&[name.to_owned()], now).unwrap();
        server.save(folder, "server", Existing::Replace).unwrap();
    }

    #[test]
    fn a_certificate_that_is_replaced_is_shown_without_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "localhost");
        let identity = Identity::load(files(folder.path())).unwrap();
        let shown = || Arc::as_ptr(&identity.current.state().config);
        let first = shown();
        identity.look();
        assert_eq!(shown(), first);
        write(folder.path(), "a-name-of-another-length");
        identity.look();
        let second = shown();
        assert_ne!(second, first);
        std::fs::write(folder.path().join("server.key"), "half of a key").unwrap();
        identity.look();
        assert_eq!(shown(), second, "what cannot be used leaves the one before");
    }

    #[test]
    fn the_end_of_a_certificate_is_spoken_of_weeks_ahead() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "localhost");
        let path = folder.path().join("server.pem");
        let end = end_of(&path).unwrap();
        let before = |days: i64| Timestamp::from_second(end.as_second() - days * 86_400).unwrap();
        assert_eq!(ending(&path, before(40)), None);
        assert!(
            ending(&path, before(20))
                .unwrap()
                .contains("ends in 20 days")
        );
        assert!(ending(&path, before(-1)).unwrap().contains("ended on"));
    }
}
