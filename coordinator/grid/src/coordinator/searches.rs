use std::collections::BTreeMap;

use gridproof_search::{SearchId, Verdict};
use tracing::{info, warn};

use crate::store::Note;

/// What the searches are called, and how they stand.
#[derive(Debug, Default)]
pub(super) struct Searches {
    games: BTreeMap<SearchId, String>,
    verdicts: BTreeMap<SearchId, Verdict>,
}

impl Searches {
    /// Takes in what was written down.
    pub(super) fn note(&mut self, note: &Note) {
        if let Note::Game { search, game } = note {
            self.games.insert(*search, game.clone());
        }
    }

    pub(super) fn game(&self, search: SearchId) -> &str {
        self.games.get(&search).map_or("", String::as_str)
    }

    pub(super) fn opened(&mut self, search: SearchId) {
        self.verdicts.insert(search, Verdict::Open);
    }

    /// Takes in a verdict, and tells all.
    pub(super) fn decided(
        &mut self,
        search: SearchId,
        verdict: Verdict,
    ) -> Vec<(SearchId, Verdict)> {
        let before = self.verdicts.insert(search, verdict);
        let game = self.game(search);
        match verdict {
            _ if before == Some(verdict) => {}
            Verdict::Proved => info!("{search} ({game}) is proved"),
            Verdict::Failed => warn!("{search} ({game}): nobody knows another move to try"),
            Verdict::Open => {}
        }
        self.verdicts.iter().map(|(id, v)| (*id, *v)).collect()
    }
}
