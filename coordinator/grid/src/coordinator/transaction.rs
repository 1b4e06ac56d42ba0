//! What a group of messages comes to: what is stored, and what is done afterwards.

use std::fmt;

use gridproof_proofs::Question;
use tokio::sync::{mpsc, oneshot};

use super::connection::Outgoing;
use super::grid_event::GridEvent;
use crate::store::{Batch, Note, Record};
use gridproof_search::{SearchId, Verdict};

/// Gathered while the core handles a group of messages.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    pub(super) batch: Batch,
    /// In order, and not before the batch is safe.
    pub(super) actions: Vec<Action>,
}

pub(super) enum Action {
    Tell(mpsc::UnboundedSender<Outgoing>, Outgoing),
    Settle(Box<Question>),
    Publish(GridEvent),
    Verdicts(Vec<(SearchId, Verdict)>),
    /// Answers somebody who waits.
    Answer(Box<dyn FnOnce() + Send>),
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tell(..) => "Tell",
            Self::Settle(_) => "Settle",
            Self::Publish(_) => "Publish",
            Self::Verdicts(_) => "Verdicts",
            Self::Answer(_) => "Answer",
        })
    }
}

impl Transaction {
    pub(super) fn note(&mut self, note: Note) {
        self.batch.records.push(Record::Note(note));
    }

    pub(super) fn note_all(&mut self, notes: impl IntoIterator<Item = Note>) {
        let notes = notes.into_iter().map(Record::Note);
        self.batch.records.extend(notes);
    }

    pub(super) fn tell(&mut self, outbox: &mpsc::UnboundedSender<Outgoing>, what: Outgoing) {
        self.actions.push(Action::Tell(outbox.clone(), what));
    }

    pub(super) fn publish(&mut self, event: GridEvent) {
        self.actions.push(Action::Publish(event));
    }

    /// Answers somebody who waits, if they still do.
    pub(super) fn reply<T: Send + 'static>(&mut self, to: oneshot::Sender<T>, answer: T) {
        let send = move || {
            let _ = to.send(answer);
        };
        self.actions.push(Action::Answer(Box::new(send)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batch.is_empty() && self.actions.is_empty()
    }
}
