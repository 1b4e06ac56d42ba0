//! What came of each opening, as a file.

use std::path::{Path, PathBuf};

use gridproof_game::{Colour, Opening};
use gridproof_host::files::{self, Access, Existing, FileError};
use serde::{Deserialize, Serialize};

use gridproof_search::Effort;

/// All openings of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    version: u32,
    /// `black` or `white`.
    attacker: String,
    pub openings: Vec<Entry>,
}

/// An opening, what was spent on it and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    /// White's reply.
    pub stones: Vec<String>,
    pub effort: Effort,
    pub state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nobody has looked.
    Waiting,
    /// Not settled with the effort spent.
    Unknown,
    Won(Won),
}

/// A proved opening. The file is the proof; this only tells about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Won {
    /// The attacker's winning move, if the attacker is to move.
    pub mv: Option<String>,
    pub lambda: u32,
    pub nodes: u64,
    pub depth: u32,
    /// Relative to the campaign's folder.
    pub file: PathBuf,
    pub hash: String,
}

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} is no index of openings: start again in another folder", path.display())]
    Content {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{} was written by another version ({found}; this one reads {VERSION})", path.display())]
    Version { path: PathBuf, found: u32 },
    #[error(
        "{} is about wins of {found}, not of {wanted}: give each side a folder of its own",
        path.display()
    )]
    Attacker {
        path: PathBuf,
        found: String,
        wanted: Colour,
    },
}

const VERSION: u32 = 1;

impl Index {
    const FILE: &str = "index.json";

    #[must_use]
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(Self::FILE)
    }

    /// The index of a folder, or an empty one if it has none.
    pub fn open(folder: &Path, attacker: Colour) -> Result<Self, IndexError> {
        let path = Self::path(folder);
        let text = match files::read(&path) {
            Ok(text) => text,
            Err(error) if error.is_missing() => {
                return Ok(Self {
                    version: VERSION,
                    attacker: attacker.to_string().to_lowercase(),
                    openings: Vec::new(),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let index = Self::read(path.clone(), &text)?;
        if !index.attacker.eq_ignore_ascii_case(&attacker.to_string()) {
            return Err(IndexError::Attacker {
                path,
                found: index.attacker,
                wanted: attacker,
            });
        }
        Ok(index)
    }

    /// The index of a folder that must have one.
    pub fn load(folder: &Path) -> Result<Self, IndexError> {
        let path = Self::path(folder);
        let text = files::read(&path)?;
        Self::read(path, &text)
    }

    fn read(path: PathBuf, text: &[u8]) -> Result<Self, IndexError> {
        let index: Self = serde_json::from_slice(text).map_err(|source| IndexError::Content {
            path: path.clone(),
            source,
        })?;
        if index.version != VERSION {
            let found = index.version;
            return Err(IndexError::Version { path, found });
        }
        Ok(index)
    }

    /// Adds openings that it does not know yet.
    pub fn add(&mut self, openings: &[Opening]) {
        for opening in openings {
            let stones = opening.reply();
            if stones.is_empty() {
                continue;
            }
            let name = opening.to_string();
            if self.openings.iter().all(|entry| entry.name != name) {
                self.openings.push(Entry {
                    name,
                    stones: stones.iter().map(ToString::to_string).collect(),
                    effort: Effort::default(),
                    state: State::Waiting,
                });
            }
        }
    }

    /// Where an opening stands in [`Index::openings`].
    #[must_use]
    pub fn place_of(&self, opening: Opening) -> Option<usize> {
        let name = opening.to_string();
        self.openings.iter().position(|entry| entry.name == name)
    }

    /// Writes down what came of an opening, and what it cost.
    pub fn note(&mut self, place: usize, state: State, spent: Effort) {
        self.openings[place].state = state;
        self.spend(place, spent);
    }

    /// Writes down what an opening cost on top of what it did.
    pub fn spend(&mut self, place: usize, spent: Effort) {
        let effort = &mut self.openings[place].effort;
        *effort = effort.and(spent);
    }

    /// Replaces the file as a whole, so that a kill leaves the old one or the new one.
    pub fn save(&self, folder: &Path) -> Result<(), IndexError> {
        let mut text = serde_json::to_vec_pretty(self).expect("an index is plain data");
        text.push(b'\n');
        let path = Self::path(folder);
        files::write(&path, &text, Access::Everybody, Existing::Replace)?;
        Ok(())
    }

    #[must_use]
    pub fn attacker(&self) -> &str {
        &self.attacker
    }

    #[must_use]
    pub fn won(&self) -> usize {
        let is_won = |entry: &&Entry| matches!(entry.state, State::Won(_));
        self.openings.iter().filter(is_won).count()
    }

    /// The table that goes into a repository: one line for each opening.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text =
            String::from("opening\twhite\twins\tlambda\tproof_nodes\tdepth\tnodes\tjobs\tblake3\n");
        for entry in &self.openings {
            let reply = entry.stones.join(" ");
            let (found, hash) = match &entry.state {
                State::Won(won) => {
                    let mv = won.mv.as_deref().unwrap_or("any");
                    let found = format!("{mv}\t{}\t{}\t{}", won.lambda, won.nodes, won.depth);
                    (found, &*won.hash)
                }
                State::Unknown => ("unknown\t\t\t".to_owned(), ""),
                State::Waiting => ("untried\t\t\t".to_owned(), ""),
            };
            let Effort { nodes, jobs } = entry.effort;
            text.push_str(&format!(
                "{}\t{reply}\t{found}\t{nodes}\t{jobs}\t{hash}\n",
                entry.name
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_reads_back_and_knows_each_opening_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::open(folder.path(), Colour::Black).unwrap();
        let openings = Opening::replies_within(2);
        index.add(&openings);
        index.add(&openings);
        assert_eq!(index.openings.len(), openings.len());
        index.openings[0].state = State::Unknown;
        index.save(folder.path()).unwrap();
        assert_eq!(Index::open(folder.path(), Colour::Black).unwrap(), index);
        assert_eq!(index.table().lines().count(), openings.len() + 1);
    }

    #[test]
    fn the_other_side_needs_a_folder_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(folder.path(), Colour::White).unwrap();
        index.save(folder.path()).unwrap();
        let error = Index::open(folder.path(), Colour::Black).unwrap_err();
        assert!(error.to_string().contains("of white, not of Black"));
    }

    #[test]
    fn rubbish_is_no_index() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(Index::path(folder.path()), "{").unwrap();
        let error = Index::load(folder.path()).unwrap_err();
        assert!(error.to_string().contains("no index of openings"));
    }
}
