//! What is done once a batch is safe.

use std::sync::Arc;
use std::time::Instant;

use gridproof_proofs::{Proofs, Question};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, broadcast, mpsc, watch};
use tracing::error;

use super::certificates::StoredCertificates;
use super::grid_event::GridEvent;
use super::handle::Message;
use super::transaction::Action;
use crate::metrics;
use gridproof_search::{SearchId, Verdict};

/// Carries out actions once their batch is safe, on the writer's thread.
#[derive(Clone, Debug)]
pub(super) struct Executor {
    pub(super) runtime: Handle,
    pub(super) inbox: mpsc::WeakSender<Message>,
    pub(super) events: broadcast::Sender<GridEvent>,
    pub(super) verdicts: watch::Sender<Vec<(SearchId, Verdict)>>,
    pub(super) proofs: Arc<Proofs>,
    pub(super) certificates: Arc<StoredCertificates>,
    pub(super) settlers: Arc<Semaphore>,
}

impl Executor {
    pub(super) fn act(&self, action: Action) {
        match action {
            // A stream that is gone has told, or is about to.
            Action::Tell(outbox, what) => drop(outbox.send(what)),
            // Nobody need watch.
            Action::Publish(event) => drop(self.events.send(event)),
            Action::Verdicts(verdicts) => drop(self.verdicts.send(verdicts)),
            Action::Answer(answer) => answer(),
            Action::Settle(question) => {
                let executor = self.clone();
                self.runtime
                    .spawn(async move { executor.settle(*question).await });
            }
        }
    }

    async fn settle(self, question: Question) {
        let Ok(_permit) = self.settlers.acquire().await else {
            return;
        };
        let node = question.node;
        let proofs = Arc::clone(&self.proofs);
        let answer = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let answer = question.answer(&proofs);
            metrics::settle_took(started.elapsed());
            answer
        });
        let answer = answer.await;
        let Ok(answer) = answer else {
            error!("putting together the proof of {node} panicked: a bug, please report it");
            return;
        };
        let answer = answer.map_err(|error| (node, error));
        if let Some(inbox) = self.inbox.upgrade() {
            // If the task has ended, the next start asks again.
            let _ = inbox.send(Message::Settled(Box::new(answer))).await;
        }
    }
}
