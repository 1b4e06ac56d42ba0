//! The door to the task that owns the core.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position};
use gridproof_host::TokenId;
use gridproof_proofs::{ProofError, Proofs, SettleError, Settlement, Telling};
use gridproof_solver::{SolveError, Solver};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::actor::Actor;
use super::certificates::StoredCertificates;
use super::checked_result::CheckedResult;
use super::connection::{ConnectionId, Join, JoinRefusal, Joined, LeaseRef};
use super::departure::StreamEnd;
use super::grid_event::GridEvent;
use super::order_log::GivenOrder;
use super::refusals::Refused;
use super::snapshot::{SearchSnapshot, Snapshot, asked_root};
use super::views::{ChildFilter, ChildOrder, JobsPage, NodeDetails, Page};
use gridproof_search::{
    Core, Departure, IgnoreReason, LeaseId, NodeId, NodeKey, Order, SearchId, Verdict, WorkerId,
};

/// A cheap handle: clones talk to the same task.
#[derive(Clone, Debug)]
pub struct Coordinator {
    pub(super) inbox: mpsc::Sender<Message>,
    pub(super) events: broadcast::Sender<GridEvent>,
    pub(super) verdicts: watch::Receiver<Vec<(SearchId, Verdict)>>,
    pub(super) proofs: Arc<Proofs>,
    pub(super) certificates: Arc<StoredCertificates>,
    /// Whose orders this handle gives.
    pub(super) author: Arc<str>,
}

/// The author of orders that nobody showed a token for.
pub(super) const LOCAL: &str = "local";

/// The task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the coordinator is going down")]
pub struct CoordinatorGone;

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
    #[error("{}", why_not(*.0))]
    Ignored(IgnoreReason),
    #[error(transparent)]
    Unsupported(#[from] SolveError),
    #[error(transparent)]
    GameOver(#[from] crate::GameOver),
    #[error("no worker named \"{0}\" was ever here")]
    UnknownWorker(String),
}

/// Why the core did nothing, for whoever gave the order.
fn why_not(reason: IgnoreReason) -> Cow<'static, str> {
    let words = match reason {
        IgnoreReason::IllegalMove => "this move cannot be played there",
        IgnoreReason::EndsTheGame => "this move ends the game: there is nothing to search after it",
        IgnoreReason::UnknownNode => "there is no such position in the search",
        IgnoreReason::UnknownSearch => "there is no such search, or it has ended",
        IgnoreReason::SearchExists => "there is a search with this number",
        IgnoreReason::NothingToSearch => "there is nothing to search: a share must be 1 or more",
        IgnoreReason::Solved => "this position is decided: nothing can be tried there",
        IgnoreReason::WrongSide => {
            "it is the other side's turn there: only moves of the attacker are tried or forgotten"
        }
        IgnoreReason::NoChange => "it is so already: nothing was changed",
        other => return other.to_string().into(),
    };
    words.into()
}

/// Why the proof of a search cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SearchProofError {
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
    #[error("there is no {0}")]
    Unknown(SearchId),
    #[error(transparent)]
    Proof(#[from] ProofError),
}

/// What the task is told.
pub(super) enum Message {
    Join(Join, oneshot::Sender<Result<Joined, JoinRefusal>>),
    Slots(ConnectionId, u16, Option<Duration>),
    Departed(ConnectionId, StreamEnd),
    Revoke(TokenId),
    Progress {
        from: LeaseRef,
        spent: u64,
    },
    Finding {
        from: LeaseRef,
        open: Move,
    },
    Finished {
        from: LeaseRef,
        result: CheckedResult,
    },
    Refused {
        from: LeaseRef,
        refused: Refused,
    },
    Settled(Box<Result<Settlement, (NodeId, SettleError)>>),
    Submit(Submission, oneshot::Sender<Result<SearchId, IgnoreReason>>),
    Order(Order, Arc<str>, oneshot::Sender<Result<u64, IgnoreReason>>),
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
    pub(super) author: Arc<str>,
}

impl Coordinator {
    async fn send(&self, message: Message) -> Result<(), CoordinatorGone> {
        self.inbox.send(message).await.map_err(|_| CoordinatorGone)
    }

    async fn request<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, CoordinatorGone> {
        let (reply, answer) = oneshot::channel();
        self.send(message(reply)).await?;
        answer.await.map_err(|_| CoordinatorGone)
    }

    /// Lets a worker in. Everything that it is to be told goes to its outbox, in order.
    pub async fn join(&self, join: Join) -> Result<Result<Joined, JoinRefusal>, CoordinatorGone> {
        self.request(|reply| Message::Join(join, reply)).await
    }

    /// How many jobs a worker wants from now on, and when it will leave if it knows.
    pub async fn set_slots(
        &self,
        by: ConnectionId,
        slots: u16,
        leaves_in: Option<Duration>,
    ) -> Result<(), CoordinatorGone> {
        self.send(Message::Slots(by, slots, leaves_in)).await
    }

    /// The worker said that it leaves.
    pub async fn goodbye(&self, by: ConnectionId, words: String) -> Result<(), CoordinatorGone> {
        self.send(Message::Departed(
            by,
            StreamEnd::Departed(Departure::Goodbye, words),
        ))
        .await
    }

    /// The stream broke.
    pub async fn lost(&self, by: ConnectionId, words: String) -> Result<(), CoordinatorGone> {
        self.send(Message::Departed(
            by,
            StreamEnd::Departed(Departure::Lost, words),
        ))
        .await
    }

    /// A token is no longer good: ends the streams that it let in.
    pub async fn revoke(&self, token: TokenId) -> Result<(), CoordinatorGone> {
        self.send(Message::Revoke(token)).await
    }

    pub async fn progress(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        key: NodeKey,
        spent: u64,
    ) -> Result<(), CoordinatorGone> {
        let from = LeaseRef {
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
    ) -> Result<(), CoordinatorGone> {
        let from = LeaseRef {
            connection,
            lease,
            key,
        };
        self.send(Message::Finding { from, open }).await
    }

    /// A job's end, checked. Its acceptance goes to the worker's outbox once it is stored.
    pub async fn finished(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        key: NodeKey,
        result: CheckedResult,
    ) -> Result<(), CoordinatorGone> {
        let from = LeaseRef {
            connection,
            lease,
            key,
        };
        self.send(Message::Finished { from, result }).await
    }

    /// A job's end that does not hold.
    pub async fn refused(
        &self,
        connection: ConnectionId,
        lease: LeaseId,
        refused: Refused,
    ) -> Result<(), CoordinatorGone> {
        let from = LeaseRef {
            connection,
            lease,
            key: refused.job.key,
        };
        self.send(Message::Refused { from, refused }).await
    }

    /// Starts a search, or finds the one that is the same. Games whose proofs nobody could check
    /// are refused.
    pub async fn submit(
        &self,
        game: String,
        root: Position,
        attacker: Colour,
        share: u32,
    ) -> Result<SearchId, OrderError> {
        Solver::supports(root.rules())?;
        crate::check_open(&root)?;
        let submission = Submission {
            game,
            root,
            attacker,
            share,
            author: Arc::clone(&self.author),
        };
        let answer = self
            .request(|reply| Message::Submit(submission, reply))
            .await?;
        answer.map_err(OrderError::Ignored)
    }

    /// The same coordinator for somebody whose orders go under this name.
    #[must_use]
    pub fn acting_for(&self, author: &str) -> Self {
        Self {
            author: author.into(),
            ..self.clone()
        }
    }

    /// Has an order carried out and tells its number; it is safely stored when this returns.
    pub async fn order(&self, order: Order) -> Result<u64, OrderError> {
        let author = Arc::clone(&self.author);
        let answer = self
            .request(|reply| Message::Order(order, author, reply))
            .await?;
        answer.map_err(OrderError::Ignored)
    }

    /// Trusts nothing that a worker ever said.
    pub async fn withdraw(&self, name: &str) -> Result<u64, OrderError> {
        let worker = self.worker_named(name).await?;
        self.order(Order::Withdraw { worker }).await
    }

    /// Gives a worker no jobs, and counts what it thought of positions no longer.
    pub async fn quarantine(&self, name: &str) -> Result<u64, OrderError> {
        let worker = self.worker_named(name).await?;
        self.order(Order::Quarantine { worker }).await
    }

    /// Lets a worker out of quarantine.
    pub async fn release(&self, name: &str) -> Result<u64, OrderError> {
        let worker = self.worker_named(name).await?;
        self.order(Order::Release { worker }).await
    }

    async fn worker_named(&self, name: &str) -> Result<WorkerId, OrderError> {
        let wanted = name.to_owned();
        let worker = self
            .ask_actor(move |actor| actor.roster.worker_named(&wanted))
            .await?;
        worker.ok_or_else(|| OrderError::UnknownWorker(name.to_owned()))
    }

    pub(super) async fn ask_actor<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Actor) -> T + Send + 'static,
    ) -> Result<T, CoordinatorGone> {
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
    ) -> Result<T, CoordinatorGone> {
        self.ask_actor(|actor| question(actor.core())).await
    }

    /// A node with a page of its children; nothing if there is no such node.
    pub async fn node(
        &self,
        node: NodeId,
        order: ChildOrder,
        filter: ChildFilter,
        page: Page,
    ) -> Result<Option<NodeDetails>, CoordinatorGone> {
        self.ask_actor(move |actor| actor.node_details(node, order, &filter, page))
            .await
    }

    pub async fn jobs(&self, page: Page) -> Result<JobsPage, CoordinatorGone> {
        self.ask_actor(move |actor| actor.jobs(page)).await
    }

    /// Orders, newest first, and how many there are.
    pub async fn orders(&self, page: Page) -> Result<(Vec<GivenOrder>, usize), CoordinatorGone> {
        self.ask_actor(move |actor| actor.orders(page)).await
    }

    /// An order for people.
    pub async fn order_in_words(&self, order: Order) -> Result<String, CoordinatorGone> {
        self.ask_actor(move |actor| actor.in_words(&order)).await
    }

    /// The name of a worker.
    pub async fn worker_name(&self, worker: WorkerId) -> Result<String, CoordinatorGone> {
        self.ask_actor(move |actor| actor.roster.name_of(worker))
            .await
    }

    /// One search at this moment; nothing if there is no such search.
    pub async fn search(
        &self,
        search: SearchId,
    ) -> Result<Option<SearchSnapshot>, CoordinatorGone> {
        self.ask_actor(move |actor| actor.search_snapshot(search))
            .await
    }

    pub async fn snapshot(&self) -> Result<Snapshot, CoordinatorGone> {
        self.ask_actor(Actor::snapshot).await
    }

    /// What happens from now on.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<GridEvent> {
        self.events.subscribe()
    }

    /// Which searches have ended, and how: what it holds changes with each verdict.
    #[must_use]
    pub fn verdicts(&self) -> watch::Receiver<Vec<(SearchId, Verdict)>> {
        self.verdicts.clone()
    }

    /// Waits until a search is no longer open.
    pub async fn verdict(&self, search: SearchId) -> Result<Verdict, CoordinatorGone> {
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
        let seen = seen.map_err(|_| CoordinatorGone)?;
        of_search(&seen).ok_or(CoordinatorGone)
    }

    /// The proof of a proved search, from the position that was asked for.
    pub async fn proof(&self, search: SearchId) -> Result<Proof, SearchProofError> {
        let assembled = self.with_proof(search, |proof| proof.assemble()).await?;
        Ok(assembled?)
    }

    /// Does something with the proof of a search, off the async threads. The proof need not fit in
    /// memory.
    pub async fn with_proof<T: Send + 'static>(
        &self,
        search: SearchId,
        work: impl FnOnce(Telling<'_>) -> T + Send + 'static,
    ) -> Result<T, SearchProofError> {
        let asked = self.ask(move |core| {
            let view = core.searches().find(|view| view.search == search)?;
            Some((view, asked_root(core, &view)?))
        });
        let (view, root) = asked.await?.ok_or(SearchProofError::Unknown(search))?;
        let proofs = Arc::clone(&self.proofs);
        let done = tokio::task::spawn_blocking(move || {
            let proof = proofs.telling(view.root, &root, view.attacker)?;
            Ok::<_, ProofError>(work(proof))
        });
        // It is lost only with the runtime, or by a bug, of which its panic tells.
        Ok(done.await.map_err(|_| CoordinatorGone)??)
    }

    #[must_use]
    pub fn proofs(&self) -> &Arc<Proofs> {
        &self.proofs
    }

    #[must_use]
    pub fn certificates(&self) -> &Arc<StoredCertificates> {
        &self.certificates
    }

    /// Ends the task once all before it is done; its streams are told.
    pub async fn shut_down(&self) {
        // Gone already is what was wanted.
        let _ = self.send(Message::ShutDown).await;
        self.inbox.closed().await;
    }
}
