use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gridproof_game::{Move, Rules};
use rustc_hash::FxHashSet;

use crate::entry::Proved;
use crate::key::Key;

/// The claims whose certificates were checked on this machine.
///
/// The file belongs to the user and not to a book: a book that a stranger hands over together
/// with such a list must not be believed for it. What is kept is a hash of the whole claim, so a
/// good certificate of one position says nothing of another.
#[derive(Debug, Default)]
pub struct CheckedClaims {
    file: Option<File>,
    known: FxHashSet<Digest>,
}

type Digest = [u8; 32];

impl CheckedClaims {
    /// The list of this user: `gridproof/checked-claims` in the folder for caches. `None` where
    /// the environment names no such folder.
    #[must_use]
    pub fn usual_path() -> Option<PathBuf> {
        let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let cache = folder("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(folder("HOME")?).join(".cache")))?;
        Some(cache.join("gridproof/checked-claims"))
    }

    /// Opens a list, or begins one. Half a record at the end, which a crash leaves, is cut off.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).open(path)?;
        let bytes = fs::read(path)?;
        let (records, torn) = bytes.as_chunks::<32>();
        if !torn.is_empty() {
            file.set_len((bytes.len() - torn.len()) as u64)?;
        }
        Ok(Self {
            file: Some(file),
            known: records.iter().copied().collect(),
        })
    }

    /// Whether the claim was checked before.
    #[must_use]
    pub fn contains(&self, rules: Rules, key: &Key, proved: &Proved) -> bool {
        self.known.contains(&digest(rules, key, proved))
    }

    /// Notes that the checker has accepted the claim.
    pub fn add(&mut self, rules: Rules, key: &Key, proved: &Proved) -> io::Result<()> {
        let digest = digest(rules, key, proved);
        if self.known.insert(digest)
            && let Some(file) = &mut self.file
        {
            file.write_all(&digest)?;
        }
        Ok(())
    }
}

fn digest(rules: Rules, key: &Key, proved: &Proved) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"gridproof checked claim");
    hasher.update(&gridproof_certificate::VERSION.to_le_bytes());
    hasher.update(&rules.numbers());
    hasher.update(&proved.certificate.0);
    hasher.update(&[proved.winner.index() as u8]);
    let stones = proved.mv.iter().flat_map(Move::stones);
    let stones: Vec<u8> = stones
        .flat_map(|square| [square.column(), square.row()])
        .collect();
    hasher.update(&(stones.len() as u64).to_le_bytes());
    hasher.update(&stones);
    hasher.update(key.bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use gridproof_certificate::ContentHash;
    use gridproof_game::{Colour, Opening};

    use super::*;

    #[test]
    fn a_claim_is_known_after_a_restart_and_no_other_claim_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/claims");
        let rules = Rules::CONNECT6;
        let key = |name: &str| Key::of(&name.parse::<Opening>().unwrap().position()).0;
        let proved = Proved {
            winner: Colour::Black,
            certificate: ContentHash([1; 32]),
            mv: Some("K11 L10".parse().unwrap()),
        };
        let mut claims = CheckedClaims::open(&path).unwrap();
        claims.add(rules, &key("TX-H9"), &proved).unwrap();
        fs::write(&path, [fs::read(&path).unwrap(), vec![9; 5]].concat()).unwrap();
        let claims = CheckedClaims::open(&path).unwrap();
        assert!(claims.contains(rules, &key("TX-H9"), &proved));
        assert!(!claims.contains(rules, &key("XX-L8"), &proved));
        for other in [
            Proved {
                winner: Colour::White,
                ..proved.clone()
            },
            Proved {
                mv: None,
                ..proved.clone()
            },
            Proved {
                certificate: ContentHash([2; 32]),
                ..proved.clone()
            },
        ] {
            assert!(!claims.contains(rules, &key("TX-H9"), &other));
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), 32);
    }
}
