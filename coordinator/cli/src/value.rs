//! What a small position comes to, and the files that prove it.

use std::path::{Path, PathBuf};

use gridproof_certificate::{
    FILE_ENDING, HoldProof, HoldRefusal, IfExists, Proof, Refusal, check, check_hold, save,
    save_hold,
};
use gridproof_game::{Colour, Position};
use gridproof_grid::{file_name, text};
use gridproof_solver::{Budget, Value, value};

use super::{Failure, output};

/// `solve` tries a full search of boards up to this area before anything else,
pub(super) const SMALL_BOARD: usize = 64;
/// with so many nodes.
pub(super) const NODES_BEFORE_SEARCH: u64 = 4_000_000;

/// A bug in us: a proof of our own does not hold. Nothing is claimed then.
#[derive(Debug, thiserror::Error)]
enum OwnProofRefused {
    #[error("a proof of our own was refused, which is a bug worth reporting; nothing is claimed")]
    Win(#[source] Refusal),
    #[error("a proof of our own was refused, which is a bug worth reporting; nothing is claimed")]
    Hold(#[source] HoldRefusal),
}

/// What is known of a position, by proofs that the checkers have accepted.
#[derive(Debug)]
pub(super) struct Found {
    wins: Option<Box<Proof>>,
    holds: Vec<HoldProof>,
}

/// Where certificates go.
#[derive(Clone, Debug)]
pub(super) enum Files {
    /// A folder, each named after game, position and side.
    In(PathBuf),
    /// The one of a win; those of a draw get a name like it.
    Beside(PathBuf),
}

/// Finds out what a position comes to, and checks what proves it.
pub(super) fn find(position: &Position, budget: &mut Budget<'_>) -> Result<Found, Failure> {
    let (wins, holds) = match value(position, budget)? {
        Value::Won { proof, .. } => (Some(proof), Vec::new()),
        Value::Drawn { black, white } => (None, vec![*black, *white]),
        Value::Unknown(holds) => (None, holds),
    };
    if let Some(proof) = &wins {
        check(proof).map_err(|refusal| OwnProofRefused::Win(*refusal))?;
    }
    for proof in &holds {
        check_hold(proof).map_err(OwnProofRefused::Hold)?;
    }
    Ok(Found { wins, holds })
}

impl Found {
    /// Whether it is known who wins, or that nobody does.
    pub(super) fn is_settled(&self) -> bool {
        self.wins.is_some() || self.holds.len() == 2
    }

    pub(super) fn winner(&self) -> Option<Colour> {
        self.wins.as_ref().map(|proof| proof.attacker())
    }

    /// `Black wins`, `draw`, `White does not lose`, `unknown`.
    pub(super) fn in_words(&self) -> String {
        match (&self.wins, &self.holds[..]) {
            (Some(proof), _) => format!("{} wins: proved", proof.attacker()),
            (None, [_, _]) => "A draw: proved for both sides".to_owned(),
            (None, [one]) => format!("{} does not lose: proved", one.holder),
            (None, _) => "Unknown".to_owned(),
        }
    }

    /// The value alone, for tables.
    pub(super) fn short(&self) -> String {
        match (&self.wins, &self.holds[..]) {
            (Some(proof), _) => proof.attacker().to_string(),
            (None, [_, _]) => "draw".to_owned(),
            (None, [one]) => format!("{} does not lose", one.holder),
            (None, _) => "unknown".to_owned(),
        }
    }

    /// Nodes of all certificates.
    pub(super) fn certificate_nodes(&self) -> usize {
        let holds: usize = self.holds.iter().map(|proof| proof.nodes.len()).sum();
        holds + self.wins.as_ref().map_or(0, |proof| proof.len())
    }

    /// Writes the certificates, in place of those of an earlier run.
    pub(super) fn save(&self, files: &Files) -> Result<(), Failure> {
        if let Some(parent) = files.folder() {
            output::make_folder(parent)?;
        }
        if let Some(proof) = &self.wins {
            save(proof, &files.of_win(proof), IfExists::Replace)?;
        }
        for proof in &self.holds {
            save_hold(proof, &files.of_hold(proof), IfExists::Replace)?;
        }
        Ok(())
    }

    /// The certificate of a win.
    pub(super) fn win_file(&self, files: &Files) -> Option<PathBuf> {
        self.wins.as_ref().map(|proof| files.of_win(proof))
    }

    /// A line for each certificate.
    pub(super) fn certificates(&self, files: &Files) -> String {
        let wins = self.wins.iter().map(|proof| {
            let path = files.of_win(proof);
            format!(
                "Certificate: {}, {} nodes, checked.\n",
                path.display(),
                text::count(proof.len() as u64)
            )
        });
        let holds = self.holds.iter().map(|proof| {
            let path = files.of_hold(proof);
            let holder = proof.holder;
            let nodes = text::count(proof.nodes.len() as u64);
            let path = path.display();
            format!("{holder} does not lose: {path}, {nodes} nodes, checked.\n")
        });
        wins.chain(holds).collect()
    }

    /// The names of the certificates.
    pub(super) fn names(&self, files: &Files) -> Vec<String> {
        let wins = self.wins.iter().map(|proof| files.of_win(proof));
        let holds = self.holds.iter().map(|proof| files.of_hold(proof));
        let name = |path: PathBuf| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        wins.chain(holds).filter_map(name).collect()
    }
}

impl Files {
    fn folder(&self) -> Option<&Path> {
        match self {
            Self::In(folder) => Some(folder),
            Self::Beside(path) => path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty()),
        }
    }

    fn of_win(&self, proof: &Proof) -> PathBuf {
        match self {
            Self::In(folder) => {
                let name = file_name(proof.start(), proof.attacker());
                folder.join(format!("{name}.{FILE_ENDING}"))
            }
            Self::Beside(path) => path.clone(),
        }
    }

    fn of_hold(&self, proof: &HoldProof) -> PathBuf {
        match self {
            Self::In(folder) => {
                let name = file_name(&proof.start, proof.holder);
                folder.join(format!("{name}-holds.{FILE_ENDING}"))
            }
            Self::Beside(path) => {
                let holder = proof.holder.to_string().to_lowercase();
                let stem = path.with_extension("");
                let stem = stem.file_name().unwrap_or_default().to_string_lossy();
                path.with_file_name(format!("{stem}-{holder}-holds.{FILE_ENDING}"))
            }
        }
    }
}
