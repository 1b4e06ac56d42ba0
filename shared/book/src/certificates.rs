use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use gridproof_certificate::{
    CheckLimits, ContentHash, FileRefusal, FormatError, Proof, WriteError, check_file, read_proof,
    write_proof,
};
use gridproof_game::{Move, Position};

use crate::book::least_move;
use crate::entry::Proved;
use crate::file::replace;

/// The folder beside a book that holds its certificates, each named by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    folder: PathBuf,
}

/// Why a claim is not believed.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// There is no such certificate.
    #[error("certificate {hash} cannot be read")]
    Missing {
        /// Its content hash.
        hash: ContentHash,
        /// Why.
        source: io::Error,
    },
    /// The checker does not accept it.
    #[error("certificate {hash} is refused")]
    Refused {
        /// Its content hash.
        hash: ContentHash,
        /// Why.
        source: FileRefusal,
    },
    /// It cannot be read into memory.
    #[error("certificate {hash} cannot be read")]
    Unreadable {
        /// Its content hash.
        hash: ContentHash,
        /// Why.
        source: FormatError,
    },
    /// It is a good proof, but not of what the book says.
    #[error("certificate {0} proves something else than the book says")]
    OtherClaim(ContentHash),
    /// It could not be saved.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It could not be written as bytes.
    #[error("the certificate cannot be written")]
    Encode(#[from] WriteError),
}

impl Certificates {
    /// The folder of a book's file.
    #[must_use]
    pub fn beside(book: &Path) -> Self {
        let mut name = book.as_os_str().to_owned();
        name.push(".certificates");
        Self {
            folder: name.into(),
        }
    }

    /// Where a certificate lies. Its first letters choose a folder, for many thousand files in
    /// one are slow on some systems.
    #[must_use]
    pub fn path(&self, hash: ContentHash) -> PathBuf {
        let name = hash.to_string();
        self.folder
            .join(&name[..2])
            .join(format!("{name}.{}", gridproof_certificate::FILE_ENDING))
    }

    /// Keeps a proof: the whole of it or nothing.
    pub fn save(&self, proof: &Proof) -> Result<ContentHash, CertificateError> {
        let (bytes, hash) = write_proof(proof, Vec::new())?;
        let path = self.path(hash);
        if !path.exists() {
            replace(&path, &bytes).map_err(|source| CertificateError::Write { path, source })?;
        }
        Ok(hash)
    }

    /// Keeps a certificate of another folder, whatever it is worth.
    pub fn copy_from(&self, other: &Self, hash: ContentHash) -> Result<(), CertificateError> {
        let path = self.path(hash);
        if path.exists() {
            return Ok(());
        }
        let bytes = fs::read(other.path(hash))
            .map_err(|source| CertificateError::Missing { hash, source })?;
        replace(&path, &bytes).map_err(|source| CertificateError::Write { path, source })
    }

    /// Reads a proof without checking it.
    pub fn load(&self, hash: ContentHash) -> Result<Proof, CertificateError> {
        let (proof, found) = read_proof(self.open(hash)?)
            .map_err(|source| CertificateError::Unreadable { hash, source })?;
        if found == hash {
            Ok(proof)
        } else {
            Err(CertificateError::OtherClaim(hash))
        }
    }

    /// Checks that a certificate proves a claim about a position in canonical form, believing
    /// nobody.
    pub fn check(&self, position: &Position, proved: &Proved) -> Result<(), CertificateError> {
        let hash = proved.certificate;
        let file = check_file(self.open(hash)?, CheckLimits::default())
            .map_err(|source| CertificateError::Refused { hash, source })?;
        let claim = &file.checked.claim;
        let least = |mv: &Option<Move>| mv.as_ref().map(|mv| least_move(position, mv).1);
        if file.hash == hash
            && claim.start == *position
            && claim.attacker == proved.winner
            && least(&file.checked.first_move) == least(&proved.mv)
        {
            Ok(())
        } else {
            Err(CertificateError::OtherClaim(hash))
        }
    }

    fn open(&self, hash: ContentHash) -> Result<BufReader<File>, CertificateError> {
        let file = File::open(self.path(hash));
        let file = file.map_err(|source| CertificateError::Missing { hash, source })?;
        Ok(BufReader::new(file))
    }
}
