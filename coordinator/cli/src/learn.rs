use std::path::PathBuf;

use clap::Args;
use gridproof_grid::learn::{Lessons, Score};
use gridproof_grid::store::{DiskStore, Durability};

use super::{Failure, output};

/// Learn from stores which replies are hard to answer
///
/// Read are the replies to the attacker's second turn, and whether the first look at each won.
/// Openings are split in halves by their keys: one is learnt from, the other measured on. The same
/// stores give the same weights. They order the search, and nothing is proved by them.
#[derive(Debug, Args)]
pub(super) struct Learn {
    /// Folders of stores, such as gridproof-data/openings/store
    #[arg(required = true, value_name = "STORE")]
    stores: Vec<PathBuf>,
    /// Write the weights here [in this project: coordinator/search/weights/replies.txt]
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Learn {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut lessons = Lessons::default();
        for folder in &self.stores {
            let store = DiskStore::open_existing(folder, Durability::PowerFailure)?;
            lessons.read(&store)?;
        }
        let learnt = lessons.learn()?;
        let names = self.stores.iter().map(|path| path.display().to_string());
        let words = format!(
            "learnt from {}\nheld back {}",
            in_words(learnt.learnt),
            in_words(learnt.held_back)
        );
        let command = format!(
            "gridproof learn {} --out {}",
            names.collect::<Vec<_>>().join(" "),
            self.out.display()
        );
        let file = learnt.model.file(&format!("{command}\n{words}"));
        output::write_to(&self.out, file.as_bytes())?;
        output::print(format!("{words}\nwrote {}\n", self.out.display()).as_bytes())
    }
}

fn in_words(score: Score) -> String {
    format!(
        "{} replies, {} of them hard; {:.1} of 100 pairs are told apart",
        score.replies, score.hard, score.right
    )
}
