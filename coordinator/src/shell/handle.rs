//! The door to the task that owns the core.

use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position};
use gridproof_host::TokenId;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::actor::Actor;
use super::check::CheckedDone;
use super::connection::{ConnectionId, Join, JoinRefusal, Joined};
use super::happening::Happening;
use super::proofs::{ProofError, Proofs};
use super::refusals::Refused;
use super::settle::{SettleError, Settlement};
use super::snapshot::{Snapshot, asked_root};
use crate::core::{Core, LeaseId, NodeId, NodeKey, Nonsense, Order, SearchId, Verdict};

/// A cheap handle: clones talk to the same task.
#[derive(Clone, Debug)]
pub struct Shell {
    pub(super) inbox: mpsc::Sender<Message>,
    pub(super) happenings: broadcast::Sender<Happening>,
    pub(super) verdicts: watch::Receiver<Vec<(SearchId, Verdict)>>,
    pub(super) proofs: Arc<Proofs>,
}

/// The task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the coordinator is going down")]
pub struct ShellGone;

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error(transparent)]
    Gone(#[from] ShellGone),
    #[error("the order makes no sense: {}", .0.name())]
    Nonsense(Nonsense),
    #[error("no worker named \"{0}\" was ever here")]
    UnknownWorker(String),
}

/// Why the proof of a search cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SearchProofError {
    #[error(transparent)]
    Gone(#[from] ShellGone),
    #[error("there is no {0}")]
    Unknown(SearchId),
    #[error(transparent)]
    Proof(#[from] ProofError),
}

/// What the task is told.
pub(super) enum Message {
    Join(Join, oneshot::Sender<Result<Joined, JoinRefusal>>),
    Slots(ConnectionId, u16),
    Left(ConnectionId, Leaving),
    Revoke(TokenId),
    Progress { from: From, spent: u64 },
    Finding { from: From, open: Move },
    Done { from: From, done: CheckedDone },
    Refused { from: From, refused: Refused },
    Settled(Box<Result<Settlement, (NodeId, SettleError)>>),
    Submit(Submission, oneshot::Sender<Result<SearchId, Nonsense>>),
    Order(Order, oneshot::Sender<Result<(), Nonsense>>),
    Ask(Box<dyn FnOnce(&Actor) + Send>),
    Tick,
    ShutDown,
}

/// A search that somebody wants.
#[derive(Debug)]
pub(super) struct Submission {
    pub(super) game: String,
    pub(super) root: Position,
    pub(super) attacker: Colour,
    pub(super) share: u32,
}

/// Where a message about a lease came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct From {
    pub(super) connection: ConnectionId,
    pub(super) lease: LeaseId,
    pub(super) key: NodeKey,
}

/// How a stream ended.
#[derive(Clone, Debug)]
pub(super) enum Leaving {
    Goodbye(String),
    Lost(String),
    CutOff(String),
    /// Its token is no longer good.
    Revoked,
}

impl Shell {
    async fn send(&self, message: Message) -> Result<(), ShellGone> {
        self.inbox.send(message).await.map_err(|_| ShellGone)
    }

    async fn request<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, ShellGone> {
        let (reply, answer) = oneshot::channel();
        self.send(message(reply)).await?;
        answer.await.map_err(|_| ShellGone)
    }

    /// Lets a worker in. Everything that it is to be told goes to its outbox, in order.
    pub async fn join(&self, join: Join) -> Result<Result<Joined, JoinRefusal>, ShellGone> {
        self.request(|reply| Message::Join(join, reply)).await
    }

    pub async fn set_slots(&self, by: ConnectionId, slots: u16) -> Result<(), ShellGone> {
        self.send(Message::Slots(by, slots)).await
    }

    /// The worker said that it leaves.
    pub async fn goodbye(&self, by: ConnectionId, words: String) -> Result<(), ShellGone> {
        self.send(Message::Left(by, Leaving::Goodbye(words))).await
    }

    /// The stream broke.
    pub async fn lost(&self, by: ConnectionId, words: String) -> Result<(), ShellGone> {
        self.send(Message::Left(by, Leaving::Lost(words))).await
    }

    /// A token is no longer good: ends the streams that it let in.
    pub async fn revoke(&self, token: TokenId) -> Result<(), ShellGone> {
        self.send(Message::Revoke(token)).await
    }

    pub async fn progress(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        key: NodeKey,
        spent: u64,
    ) -> Result<(), ShellGone> {
        let from = From {
            connection,
            lease,
            key,
        };
        self.send(Message::Progress { from, spent }).await
    }

    /// A verifier found a defender's move that it cannot settle.
    pub async fn finding(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        key: NodeKey,
        open: Move,
    ) -> Result<(), ShellGone> {
        let from = From {
            connection,
            lease,
            key,
        };
        self.send(Message::Finding { from, open }).await
    }

    /// A job's end, checked. Its acceptance goes to the worker's outbox once it is stored.
    pub async fn done(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        key: NodeKey,
        done: CheckedDone,
    ) -> Result<(), ShellGone> {
        let from = From {
            connection,
            lease,
            key,
        };
        self.send(Message::Done { from, done }).await
    }

    /// A job's end that does not hold.
    pub async fn refused(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        refused: Refused,
    ) -> Result<(), ShellGone> {
        let from = From {
            connection,
            lease,
            key: refused.job.key,
        };
        self.send(Message::Refused { from, refused }).await
    }

    /// Starts a search, or finds the one that is the same.
    pub async fn submit(
        &self,
        game: String,
        root: Position,
        attacker: Colour,
        share: u32,
    ) -> Result<SearchId, OrderError> {
        let submission = Submission {
            game,
            root,
            attacker,
            share,
        };
        let answer = self
            .request(|reply| Message::Submit(submission, reply))
            .await?;
        answer.map_err(OrderError::Nonsense)
    }

    /// Has an order carried out; it is safely stored when this returns.
    pub async fn order(&self, order: Order) -> Result<(), OrderError> {
        let answer = self.request(|reply| Message::Order(order, reply)).await?;
        answer.map_err(OrderError::Nonsense)
    }

    /// Trusts nothing that a worker ever said.
    pub async fn withdraw(&self, name: &str) -> Result<(), OrderError> {
        let wanted = name.to_owned();
        let worker = self
            .ask_actor(move |actor| actor.worker_named(&wanted))
            .await?;
        let worker = worker.ok_or_else(|| OrderError::UnknownWorker(name.to_owned()))?;
        self.order(Order::Withdraw { worker }).await
    }

    async fn ask_actor<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Actor) -> T + Send + 'static,
    ) -> Result<T, ShellGone> {
        self.request(|reply| {
            // Who asked may have gone meanwhile.
            Message::Ask(Box::new(move |actor| drop(reply.send(question(actor)))))
        })
        .await
    }

    /// Looks at the core. The task waits meanwhile, so be quick.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Core) -> T + Send + 'static,
    ) -> Result<T, ShellGone> {
        self.ask_actor(|actor| question(actor.core())).await
    }

    pub async fn snapshot(&self) -> Result<Snapshot, ShellGone> {
        self.ask_actor(Actor::snapshot).await
    }

    /// What happens from now on.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<Happening> {
        self.happenings.subscribe()
    }

    /// Waits until a search is no longer open.
    pub async fn verdict(&self, search: SearchId) -> Result<Verdict, ShellGone> {
        let mut verdicts = self.verdicts.clone();
        let of_search = |verdicts: &Vec<(SearchId, Verdict)>| {
            let found = verdicts.iter().find(|(id, _)| *id == search);
            found
                .map(|(_, verdict)| *verdict)
                .filter(|verdict| *verdict != Verdict::Open)
        };
        let seen = verdicts
            .wait_for(|verdicts| of_search(verdicts).is_some())
            .await;
        let seen = seen.map_err(|_| ShellGone)?;
        of_search(&seen).ok_or(ShellGone)
    }

    /// The proof of a proved search, from the position that was asked for.
    pub async fn proof(&self, search: SearchId) -> Result<Proof, SearchProofError> {
        let asked = self.ask(move |core| {
            let view = core.searches().find(|view| view.search == search)?;
            Some((view, asked_root(core, &view)?))
        });
        let (view, root) = asked.await?.ok_or(SearchProofError::Unknown(search))?;
        let proofs = Arc::clone(&self.proofs);
        let assembled =
            tokio::task::spawn_blocking(move || proofs.assemble(view.root, &root, view.attacker));
        // It is lost only with the runtime, or by a bug, of which its panic tells.
        Ok(assembled.await.map_err(|_| ShellGone)??)
    }

    #[must_use]
    pub fn proofs(&self) -> &Arc<Proofs> {
        &self.proofs
    }

    /// Ends the task once all before it is done; its streams are told.
    pub async fn shut_down(&self) {
        // Gone already is what was wanted.
        let _ = self.send(Message::ShutDown).await;
        self.inbox.closed().await;
    }
}
