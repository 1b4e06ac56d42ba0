//! A lab's own certificate authority: one file that all its machines believe.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gridproof_host::files::{self, Access, Existing, FileError};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The machines of a lab outlive many certificates, and their authority should not.
const AUTHORITY_LASTS: Duration = Duration::from_secs(3650 * 24 * 60 * 60);
const CERTIFICATE_LASTS: Duration = Duration::from_secs(730 * 24 * 60 * 60);

/// A machine whose clock is behind believes a new certificate all the same.
const BACKDATED: Duration = DAY;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} is there already: all certificates that it signed would be worthless; move it away if that is what you want", .0.display())]
    AuthorityExists(PathBuf),
    #[error("{} is there already: say --replace to make a new one", .0.display())]
    CertificateExists(PathBuf),
    #[error("there is no authority in {}: run `gridproof cert ca` first", .0.display())]
    NoAuthority(PathBuf),
    #[error("cannot make a certificate")]
    Making(#[from] rcgen::Error),
}

/// A certificate and its key, as PEM.
#[derive(Clone)]
pub struct Certified {
    pub certificate: String,
    pub key: String,
}

/// Signs the certificates of a lab.
pub struct Authority {
    certificate: String,
    key: String,
    issuer: Issuer<'static, KeyPair>,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authority(key hidden)")
    }
}

impl std::fmt::Debug for Certified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Certified(key hidden)")
    }
}

impl Authority {
    /// A new one, by this name.
    pub fn create(name: &str, now: SystemTime) -> Result<Self, AuthorityError> {
        let mut params = params(name, &[], now, AUTHORITY_LASTS)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?.pem();
        Self::from_pem(certificate, key.serialize_pem())
    }

    fn from_pem(certificate: String, key: String) -> Result<Self, AuthorityError> {
        let issuer = Issuer::from_ca_cert_pem(&certificate, KeyPair::from_pem(&key)?)?;
        Ok(Self {
            certificate,
            key,
            issuer,
        })
    }

    /// From the files that [`save`](Self::save) wrote into a folder.
    pub fn load(folder: &Path) -> Result<Self, AuthorityError> {
        let read = |path: PathBuf| match files::read_text(&path) {
            Err(error) if error.is_missing() => Err(AuthorityError::NoAuthority(folder.to_owned())),
            read => Ok(read?),
        };
        Self::from_pem(read(certificate_file(folder))?, read(key_file(folder))?)
    }

    /// Writes `ca.pem`, for everybody, and `ca.key`, for this user alone. Never over others.
    pub fn save(&self, folder: &Path) -> Result<(), AuthorityError> {
        let keep = |path: PathBuf, text: &str, access| match files::write(
            &path,
            text.as_bytes(),
            access,
            Existing::Keep,
        ) {
            Err(error) if error.is_there_already() => Err(AuthorityError::AuthorityExists(path)),
            written => Ok(written?),
        };
        keep(key_file(folder), &self.key, Access::Owner)?;
        keep(
            certificate_file(folder),
            &self.certificate,
            Access::Everybody,
        )
    }

    /// For a coordinator that is reached by these names and addresses.
    pub fn server(&self, names: &[String], now: SystemTime) -> Result<Certified, AuthorityError> {
        let common = names.first().map_or("gridproof", String::as_str);
        self.sign(common, names, ExtendedKeyUsagePurpose::ServerAuth, now)
    }

    /// For a worker, where the coordinator asks for certificates as well as tokens.
    pub fn worker(&self, name: &str, now: SystemTime) -> Result<Certified, AuthorityError> {
        self.sign(name, &[], ExtendedKeyUsagePurpose::ClientAuth, now)
    }

    fn sign(
        &self,
        name: &str,
        reached_by: &[String],
        purpose: ExtendedKeyUsagePurpose,
        now: SystemTime,
    ) -> Result<Certified, AuthorityError> {
        let mut params = params(name, reached_by, now, CERTIFICATE_LASTS)?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![purpose];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Certified {
            certificate,
            key: key.serialize_pem(),
        })
    }
}

fn params(
    name: &str,
    reached_by: &[String],
    now: SystemTime,
    lasts: Duration,
) -> Result<CertificateParams, AuthorityError> {
    let mut params = CertificateParams::new(reached_by)?;
    params.not_before = (now - BACKDATED).into();
    params.not_after = (now + lasts).into();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params
        .distinguished_name
        .push(DnType::OrganizationName, "Gridproof");
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}

impl Certified {
    /// Writes `NAME.pem`, for everybody, and `NAME.key`, for this user alone. Gives back
    /// their paths.
    pub fn save(
        &self,
        folder: &Path,
        name: &str,
        old: Existing,
    ) -> Result<[PathBuf; 2], AuthorityError> {
        let certificate = folder.join(format!("{name}.pem"));
        let key = folder.join(format!("{name}.key"));
        for (path, text, access) in [
            (&key, &self.key, Access::Owner),
            (&certificate, &self.certificate, Access::Everybody),
        ] {
            match files::write(path, text.as_bytes(), access, old) {
                Err(error) if error.is_there_already() => {
                    return Err(AuthorityError::CertificateExists(path.clone()));
                }
                written => written?,
            }
        }
        Ok([certificate, key])
    }
}

fn certificate_file(folder: &Path) -> PathBuf {
    folder.join("ca.pem")
}

fn key_file(folder: &Path) -> PathBuf {
    folder.join("ca.key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_is_the_same_after_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let authority = Authority::create("Lab", now).unwrap();
        authority.save(folder.path()).unwrap();
        let loaded = Authority::load(folder.path()).unwrap();
        assert_eq!(loaded.certificate, authority.certificate);
        loaded.server(&["localhost".to_owned()], now).unwrap();
    }

    #[test]
    fn an_authority_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let make = || {
            Authority::create("Lab", SystemTime::now())
                .unwrap()
                .save(folder.path())
        };
        make().unwrap();
        let before = files::read(&key_file(folder.path())).unwrap();
        assert!(matches!(make(), Err(AuthorityError::AuthorityExists(_))));
        assert_eq!(files::read(&key_file(folder.path())).unwrap(), before);
    }

    #[test]
    fn without_an_authority_the_error_says_what_to_do() {
        let error = Authority::load(Path::new("/nowhere")).unwrap_err();
        assert!(error.to_string().contains("gridproof cert ca"));
    }
}
