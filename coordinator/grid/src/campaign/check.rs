//! The certificates of a campaign, checked again.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use gridproof_certificate::{CheckLimits, FileRefusal, check_file};
use gridproof_game::Opening;

use super::index::{Index, State, Won};

/// Why a certificate is not what the index says.
#[derive(Debug, thiserror::Error)]
pub enum NotAsIndexed {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Refused(#[from] FileRefusal),
    #[error("it proves something else")]
    OtherClaim,
    #[error("it is another file than the index tells of")]
    OtherFile,
}

/// Checks the certificates of a campaign from scratch, one after the other: the name of each
/// opening that the index says is won, and the nodes of its proof.
pub fn check_certificates<'a>(
    folder: &'a Path,
    index: &'a Index,
) -> impl Iterator<Item = (&'a str, Result<u64, NotAsIndexed>)> {
    index.openings.iter().filter_map(move |entry| {
        let State::Won(won) = &entry.state else {
            return None;
        };
        let checked = check_certificate(folder, &entry.name, index.attacker(), won);
        Some((entry.name.as_str(), checked))
    })
}

/// The file proves what the index says of the opening, and nothing else will do.
fn check_certificate(
    folder: &Path,
    name: &str,
    attacker: &str,
    won: &Won,
) -> Result<u64, NotAsIndexed> {
    let path = folder.join(&won.file);
    let file = File::open(&path).map_err(|source| NotAsIndexed::Read { path, source })?;
    let checked = check_file(BufReader::new(file), CheckLimits::default())?;
    let claim = &checked.checked.claim;
    let opening = name.parse::<Opening>().ok();
    let is_meant = opening.is_some_and(|opening| claim.start == opening.position());
    if !is_meant || !claim.attacker.to_string().eq_ignore_ascii_case(attacker) {
        return Err(NotAsIndexed::OtherClaim);
    }
    if checked.hash.to_string() != won.hash {
        return Err(NotAsIndexed::OtherFile);
    }
    Ok(checked.checked.nodes)
}
