//! Openings under way, each within a budget.

use std::time::Duration;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Opening};

use crate::coordinator::{Coordinator, CoordinatorGone, OrderError, SearchProofError};
use gridproof_search::{Core, Effort, Order, SearchId, Verdict};

/// What came of one opening.
#[derive(Debug)]
pub(super) enum Outcome {
    Proved(Box<Proof>),
    /// The budget is spent, or nobody knows another move to try.
    Unknown,
}

/// Why a campaign cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Proof(#[from] SearchProofError),
}

/// How often the effort is looked at. It only decides how far a budget is overdrawn.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// An opening under way. Several may be, and each pays for its own jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    search: SearchId,
    nodes: u64,
}

impl Attempt {
    /// Starts to search an opening with at most so many nodes.
    pub(super) async fn start(
        shell: &Coordinator,
        opening: Opening,
        attacker: Colour,
        nodes: u64,
    ) -> Result<Self, CampaignError> {
        let search = shell
            .submit(opening.to_string(), opening.position(), attacker, 1)
            .await?;
        Ok(Self { search, nodes })
    }

    /// Waits until the opening is settled or the nodes are spent, and stops the search then;
    /// what it learnt stays in the store.
    pub(super) async fn finish(
        self,
        shell: &Coordinator,
    ) -> Result<(Outcome, Effort), CampaignError> {
        let verdict = shell.verdict(self.search);
        tokio::pin!(verdict);
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let verdict = loop {
            tokio::select! {
                verdict = &mut verdict => break verdict?,
                _ = looks.tick() => if self.spent(shell).await?.nodes >= self.nodes {
                    break Verdict::Open;
                },
            }
        };
        let outcome = match verdict {
            Verdict::Proved => Outcome::Proved(Box::new(shell.proof(self.search).await?)),
            Verdict::Open | Verdict::Failed => Outcome::Unknown,
        };
        if verdict == Verdict::Open {
            let search = self.search;
            shell.order(Order::Stop { search }).await?;
        }
        Ok((outcome, self.spent(shell).await?))
    }

    /// What the search has cost so far.
    pub(super) async fn spent(self, shell: &Coordinator) -> Result<Effort, CoordinatorGone> {
        let of_search = move |core: &Core| {
            let mut searches = core.searches();
            searches.find(|view| view.search == self.search)
        };
        let view = shell.ask(of_search).await?;
        Ok(view.map_or_else(Effort::default, |view| view.spent))
    }
}

/// Stops whatever an earlier life left running.
pub(super) async fn stop_all(shell: &Coordinator) -> Result<(), CampaignError> {
    let searches = shell.ask(|core| core.searches().collect::<Vec<_>>());
    for view in searches.await? {
        if !view.stopped && view.verdict == Verdict::Open {
            let search = view.search;
            shell.order(Order::Stop { search }).await?;
        }
    }
    Ok(())
}
