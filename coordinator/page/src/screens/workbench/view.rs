use gridproof_grid::coordinator::{ChildFilter, ChildOrder, NodeStatus};
use serde::Deserialize;

use crate::look::Selection;
use crate::query_text;

/// How the table is to be shown, and what to say above it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    pub sort: String,
    pub only: String,
    pub from: usize,
    /// Whether the zone of a proved position is drawn.
    pub zone: bool,
    /// The answer to an order.
    pub said: String,
    pub failed: bool,
}

impl View {
    /// What is to be shown of the moves.
    #[must_use]
    pub fn selection(&self) -> Selection {
        Selection {
            order: match self.sort.as_str() {
                "disproof" => ChildOrder::Disproof,
                "move" => ChildOrder::Move,
                "status" => ChildOrder::Status,
                "work" => ChildOrder::Work,
                "came" => ChildOrder::AsTheyCame,
                _ => ChildOrder::Proof,
            },
            filter: filter(&self.only),
            offset: self.from,
        }
    }

    /// The same view as an address's query, from another row on.
    #[must_use]
    pub fn query(&self, from: usize) -> String {
        let (sort, only) = (query_text(&self.sort), query_text(&self.only));
        format!("?sort={sort}&only={only}&from={from}")
    }
}

/// A filter by its name in an address.
fn filter(only: &str) -> ChildFilter {
    let statuses = match only {
        "proved" => vec![NodeStatus::Proved],
        "open" => vec![NodeStatus::Open, NodeStatus::Running, NodeStatus::Paused],
        "running" => vec![NodeStatus::Running],
        _ => Vec::new(),
    };
    ChildFilter {
        statuses,
        hinted: only == "hinted",
    }
}
