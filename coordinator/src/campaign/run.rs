//! One opening after the other, each within a budget.

use std::time::Duration;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Opening};
use serde::{Deserialize, Serialize};

use crate::core::{Core, Order, Verdict};
use crate::shell::{OrderError, SearchProofError, Shell, ShellGone};

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Search nodes, wasted ones too.
    pub nodes: u64,
    pub jobs: u64,
}

impl Effort {
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            jobs: self.jobs + other.jobs,
        }
    }

    const fn since(self, before: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_sub(before.nodes),
            jobs: self.jobs.saturating_sub(before.jobs),
        }
    }
}

/// What came of one opening.
#[derive(Debug)]
pub enum Outcome {
    Proved(Box<Proof>),
    /// The budget is spent, or nobody knows another move to try.
    Unknown,
}

/// Why a campaign cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    #[error(transparent)]
    Gone(#[from] ShellGone),
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Proof(#[from] SearchProofError),
}

/// How often the effort is looked at. It only decides how far a budget is overdrawn.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Searches one opening until it is settled or the nodes are spent, and stops it then; what
/// it learnt stays in the store. Nothing else must be searched at the same time.
pub async fn solve(
    shell: &Shell,
    opening: Opening,
    attacker: Colour,
    nodes: u64,
) -> Result<(Outcome, Effort), CampaignError> {
    stop_all(shell).await?;
    let before = effort(shell).await?;
    let search = shell
        .submit(opening.to_string(), opening.position(), attacker, 1)
        .await?;
    let verdict = shell.verdict(search);
    tokio::pin!(verdict);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let verdict = loop {
        tokio::select! {
            verdict = &mut verdict => break verdict?,
            _ = looks.tick() => if effort(shell).await?.since(before).nodes >= nodes {
                break Verdict::Open;
            },
        }
    };
    let spent = effort(shell).await?.since(before);
    let outcome = match verdict {
        Verdict::Proved => {
            let proof = shell.proof(search).await?;
            Outcome::Proved(Box::new(proof))
        }
        Verdict::Open | Verdict::Failed => Outcome::Unknown,
    };
    stop_all(shell).await?;
    Ok((outcome, spent))
}

/// Stops whatever an earlier life or the last opening left running.
async fn stop_all(shell: &Shell) -> Result<(), CampaignError> {
    let searches = shell.ask(|core| core.searches().collect::<Vec<_>>());
    for view in searches.await? {
        if !view.stopped && view.verdict == Verdict::Open {
            let search = view.search;
            shell.order(Order::Stop { search }).await?;
        }
    }
    Ok(())
}

async fn effort(shell: &Shell) -> Result<Effort, ShellGone> {
    let of_core = |core: &Core| {
        let stats = core.stats();
        let wasted: u64 = stats.wasted.values().map(|wasted| wasted.nodes).sum();
        Effort {
            nodes: stats.useful_nodes + wasted,
            jobs: stats.answers,
        }
    };
    shell.ask(of_core).await
}
