//! A job that an operator asks for, followed to its end.

use std::time::Duration;

use gridproof_game::{Move, Symmetry};
use gridproof_search::{Core, IgnoreReason, JobEnd, NodeId, Order, SearchId, Status};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::grid_event::GridEvent;
use super::handle::{Coordinator, CoordinatorGone, OrderError};
use super::snapshot::asked_root;

/// How often it is looked whether anybody still waits for the job.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Follows a requested job. Dropping it does not end the job.
#[derive(Debug)]
pub struct RequestedJob {
    coordinator: Coordinator,
    node: NodeId,
    events: broadcast::Receiver<GridEvent>,
    /// Events before this order are about other jobs.
    order: u64,
    is_ordered: bool,
    has_ended: bool,
}

/// What happens to a requested job.
#[derive(Debug)]
pub enum RequestUpdate {
    /// Of the node.
    Event(GridEvent),
    /// Nobody works on it any more, and nobody will.
    Dropped,
    /// So many events were missed.
    Missed(u64),
}

impl Coordinator {
    /// The node of a position that is reached from a search's root by these moves. What is
    /// not in the graph is added: the attacker's moves as hints, and the defender's as replies
    /// to be looked at, which can only make a proof harder to find. Tells how to turn the
    /// caller's moves to the node's orientation, too.
    pub async fn reach(
        &self,
        search: SearchId,
        moves: &[Move],
    ) -> Result<(NodeId, Symmetry), OrderError> {
        let asked = self.ask(move |core| {
            let view = core.searches().find(|view| view.search == search)?;
            Some((view, asked_root(core, &view)?))
        });
        let unknown = OrderError::Ignored(IgnoreReason::UnknownSearch);
        let (view, mut at) = asked.await?.ok_or(unknown)?;
        let attacker = view.attacker;
        let mut here = (view.root, view.symmetry);
        for mv in moves {
            let (node, to_node) = here;
            let rules = *at.rules();
            let order_move = mv.map(|square| to_node.apply(&rules, square));
            let is_attack = at.to_move() == attacker;
            let played = at.play(mv);
            played.map_err(|_| OrderError::Ignored(IgnoreReason::IllegalMove))?;
            let after = at.clone();
            let find = move |core: &Core| core.find(&after, attacker);
            here = match self.ask(find.clone()).await? {
                Some(known) => known,
                None => {
                    let mv = order_move;
                    let status = Status::Strong3;
                    self.order(match is_attack {
                        true => Order::Try { node, mv, status },
                        false => Order::Reply { node, mv },
                    })
                    .await?;
                    let made = self.ask(find).await?;
                    made.ok_or(OrderError::Ignored(IgnoreReason::UnknownNode))?
                }
            };
        }
        Ok(here)
    }

    /// Has a job run at a node before all others, and follows it.
    pub async fn run_job(&self, node: NodeId, budget: u64) -> Result<RequestedJob, OrderError> {
        let events = self.watch();
        let order = self.order(Order::Run { node, budget }).await?;
        Ok(RequestedJob {
            coordinator: self.clone(),
            node,
            events,
            order,
            is_ordered: false,
            has_ended: false,
        })
    }
}

impl RequestedJob {
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The next thing that happens to the job; nothing after its end.
    pub async fn next(&mut self) -> Option<RequestUpdate> {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.reset();
        while !self.has_ended {
            let event = tokio::select! {
                biased;
                event = self.events.recv() => event,
                _ = looks.tick() => {
                    if self.is_over().await.unwrap_or(true) {
                        self.has_ended = true;
                        return Some(RequestUpdate::Dropped);
                    }
                    continue;
                }
            };
            match event {
                Ok(event) if self.is_about_it(&event) => {
                    self.has_ended = self.ends_it(&event).await;
                    return Some(RequestUpdate::Event(event));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => {
                    // The order may have been among them, and is given for sure.
                    self.is_ordered = true;
                    return Some(RequestUpdate::Missed(missed));
                }
                Err(RecvError::Closed) => self.has_ended = true,
            }
        }
        None
    }

    fn is_about_it(&mut self, event: &GridEvent) -> bool {
        if let GridEvent::Ordered(given) = event {
            self.is_ordered |= given.number == self.order;
            return false;
        }
        let (GridEvent::JobStarted { node, .. }
        | GridEvent::JobEnded { node, .. }
        | GridEvent::JobAborted { node, .. }
        | GridEvent::JobProgress { node, .. }
        | GridEvent::Finding { node, .. }
        | GridEvent::Proved { node }) = event
        else {
            return false;
        };
        self.is_ordered && *node == self.node
    }

    async fn ends_it(&self, event: &GridEvent) -> bool {
        match event {
            GridEvent::JobEnded { end, .. } => matches!(end, JobEnd::Answered(_)),
            // A smaller job gave way, or another worker will have it: then it is not over.
            GridEvent::JobAborted { .. } => self.is_over().await.unwrap_or(true),
            _ => false,
        }
    }

    /// Whether nobody works on it or will.
    async fn is_over(&self) -> Result<bool, CoordinatorGone> {
        let node = self.node;
        let is_requested = self.coordinator.ask(move |core| core.is_requested(node));
        Ok(!is_requested.await?)
    }
}
