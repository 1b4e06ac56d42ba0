//! A campaign from its start to its end.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gridproof_certificate::FILE_ENDING;
use gridproof_game::{Colour, Opening};
use gridproof_host::files::{self, Access, Existing, FileError};
use gridproof_search::Effort;
use tokio::task::{JoinError, JoinSet};

use super::attempt::{Attempt, CampaignError, Outcome, stop_all};
use super::index::{Index, IndexError, State, Won};
use super::map::svg_map;
use crate::coordinator::Coordinator;
use crate::logs::{ProofFileError, save_and_check};

const CERTIFICATES: &str = "certificates";

/// Openings, the folder that keeps what comes of them, and what each may cost.
#[derive(Debug)]
pub struct Campaign {
    folder: PathBuf,
    attacker: Colour,
    openings: Vec<Opening>,
    /// Search nodes of each opening, in all rounds together.
    nodes: u64,
    index: Index,
}

/// An opening that was tried, and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    pub opening: Opening,
    pub state: State,
    pub spent: Effort,
    pub took: Duration,
}

/// Why a campaign ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum CampaignFailure {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Grid(#[from] CampaignError),
    #[error(transparent)]
    Proof(#[from] ProofFileError),
    #[error("an opening's task panicked: a bug, please report it")]
    Task(#[from] JoinError),
}

impl Campaign {
    /// Begins a campaign in a folder, or goes on with the one that is there.
    pub fn open(
        folder: PathBuf,
        attacker: Colour,
        openings: Vec<Opening>,
        nodes: u64,
    ) -> Result<Self, CampaignFailure> {
        let mut index = Index::open(&folder, attacker)?;
        index.add(&openings);
        Ok(Self {
            folder,
            attacker,
            openings,
            nodes,
            index,
        })
    }

    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many openings are not won and have nodes left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.unsettled().len()
    }

    /// Solves what is left until `leave`, as many openings at a time as there are workers. With
    /// one job of each in flight, nobody does work that depends on what others are still finding
    /// out. The folder is brought up to date after each opening, and `told` hears of it.
    pub async fn run(
        &mut self,
        coordinator: &Coordinator,
        at_a_time: NonZeroU16,
        leave: impl Future<Output = ()>,
        mut told: impl FnMut(&Tried),
    ) -> Result<(), CampaignFailure> {
        stop_all(coordinator).await?;
        let mut waiting = self.unsettled().into_iter();
        let mut running = JoinSet::new();
        let mut attempts = BTreeMap::new();
        tokio::pin!(leave);
        loop {
            while running.len() < usize::from(at_a_time.get())
                && let Some((place, opening, left)) = waiting.next()
            {
                let attempt = Attempt::start(coordinator, opening, self.attacker, left).await?;
                attempts.insert(place, attempt);
                let (coordinator, begun) = (coordinator.clone(), Instant::now());
                running.spawn(async move {
                    let ended = attempt.finish(&coordinator).await;
                    (place, opening, ended, begun.elapsed())
                });
            }
            tokio::select! {
                ended = running.join_next() => {
                    let Some(ended) = ended else { break };
                    let (place, opening, ended, took) = ended?;
                    attempts.remove(&place);
                    let (outcome, spent) = ended?;
                    let state = self.keep(opening, outcome).await?;
                    told(&Tried { opening, state: state.clone(), spent, took });
                    self.index.note(place, state, spent);
                    self.write()?;
                }
                () = &mut leave => break,
            }
        }
        for (place, attempt) in attempts {
            let spent = attempt.spent(coordinator).await;
            self.index.spend(place, spent.map_err(CampaignError::from)?);
        }
        self.write()
    }

    /// The openings that are not won and have nodes left: their places in the index and these
    /// nodes.
    fn unsettled(&self) -> Vec<(usize, Opening, u64)> {
        let with_place = self.openings.iter().filter_map(|&opening| {
            let place = self.index.place_of(opening)?;
            let entry = &self.index.openings[place];
            let left = self.nodes.saturating_sub(entry.effort.nodes);
            let is_won = matches!(entry.state, State::Won(_));
            (left > 0 && !is_won).then_some((place, opening, left))
        });
        with_place.collect()
    }

    /// Writes the certificate of a solved opening, and checks it.
    async fn keep(&self, opening: Opening, outcome: Outcome) -> Result<State, CampaignFailure> {
        let Outcome::Proved(proof) = outcome else {
            return Ok(State::Unknown);
        };
        let file = Path::new(CERTIFICATES).join(format!("{opening}.{FILE_ENDING}"));
        let path = self.folder.join(&file);
        let saved = tokio::task::spawn_blocking(move || save_and_check(&proof, &path));
        let saved = saved.await??;
        Ok(State::Won(Won {
            mv: saved.checked.first_move.as_ref().map(ToString::to_string),
            lambda: saved.checked.lambda,
            nodes: saved.checked.nodes,
            depth: saved.checked.depth,
            file,
            hash: saved.hash.to_string(),
        }))
    }

    fn write(&self) -> Result<(), CampaignFailure> {
        self.index.save(&self.folder)?;
        for (name, text) in [
            ("openings.tsv", self.index.table()),
            ("map.svg", svg_map(&self.index)),
        ] {
            let path = self.folder.join(name);
            files::write(&path, text.as_bytes(), Access::Everybody, Existing::Replace)?;
        }
        Ok(())
    }
}
