//! Who wants to know of what. One receiver takes in all events of the grid, and wakes only the
//! tabs that an event concerns: a busy grid has thousands of events a second, and hardly one of
//! them is about the position that somebody looks at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gridproof_grid::coordinator::{Coordinator, GridEvent};
use gridproof_search::NodeId;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Events that may wait for one tab. What does not fit is in the tab's next look.
const WAITING: usize = 64;

/// Hands events to the tabs that they concern.
#[derive(Clone, Debug, Default)]
pub struct Subscriptions {
    tabs: Arc<Mutex<Tabs>>,
}

#[derive(Debug, Default)]
struct Tabs {
    next: u64,
    open: HashMap<u64, mpsc::Sender<GridEvent>>,
    by_node: HashMap<NodeId, Vec<u64>>,
}

impl Subscriptions {
    /// Takes in the events of a coordinator until it or the page ends.
    pub fn follow(&self, coordinator: &Coordinator, shutdown: CancellationToken) {
        let mut events = coordinator.watch();
        let subscriptions = self.clone();
        tokio::spawn(async move {
            loop {
                let event = tokio::select! {
                    () = shutdown.cancelled() => return,
                    event = events.recv() => event,
                };
                match event {
                    Ok(event) => subscriptions.hand_out(&event),
                    // What was missed is in the next look of each tab.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    /// A tab that wants to know of orders and verdicts, and later of a node.
    pub fn subscribe(&self) -> Subscription {
        let (out, events) = mpsc::channel(WAITING);
        let mut tabs = self.lock();
        let tab = tabs.next;
        tabs.next += 1;
        tabs.open.insert(tab, out);
        Subscription {
            tab,
            node: None,
            events,
            subscriptions: self.clone(),
        }
    }

    fn hand_out(&self, event: &GridEvent) {
        let tabs = self.lock();
        // A tab whose queue is full misses nothing: see `WAITING`.
        match Reach::of(event) {
            Reach::All => tabs.open.values().for_each(|tab| {
                let _ = tab.try_send(event.clone());
            }),
            Reach::Node(node) => {
                for tab in tabs.by_node.get(&node).into_iter().flatten() {
                    let _ = tabs.open[tab].try_send(event.clone());
                }
            }
            Reach::Nobody => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tabs> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose screen an event changes.
enum Reach {
    All,
    Node(NodeId),
    Nobody,
}

impl Reach {
    fn of(event: &GridEvent) -> Self {
        match event {
            GridEvent::Ordered(_) | GridEvent::Verdict { .. } => Self::All,
            GridEvent::JobStarted { node, .. }
            | GridEvent::JobEnded { node, .. }
            | GridEvent::JobAborted { node, .. }
            | GridEvent::Finding { node, .. }
            | GridEvent::Proved { node } => Self::Node(*node),
            GridEvent::JobProgress { .. }
            | GridEvent::WorkerCame { .. }
            | GridEvent::WorkerLeft { .. } => Self::Nobody,
        }
    }
}

/// The events of one tab. Dropped with it.
#[derive(Debug)]
pub struct Subscription {
    tab: u64,
    node: Option<NodeId>,
    events: mpsc::Receiver<GridEvent>,
    subscriptions: Subscriptions,
}

impl Subscription {
    /// The node on the screen from now on.
    pub fn look_at(&mut self, node: Option<NodeId>) {
        if self.node != node {
            let mut tabs = self.subscriptions.lock();
            tabs.leave(self.tab, self.node);
            if let Some(node) = node {
                tabs.by_node.entry(node).or_default().push(self.tab);
            }
            self.node = node;
        }
    }

    /// The next event that concerns this tab.
    pub async fn next(&mut self) -> GridEvent {
        let event = self.events.recv().await;
        event.expect("the sender is kept until this is dropped")
    }

    /// An event that came meanwhile.
    pub fn waiting(&mut self) -> Option<GridEvent> {
        self.events.try_recv().ok()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut tabs = self.subscriptions.lock();
        tabs.leave(self.tab, self.node);
        tabs.open.remove(&self.tab);
    }
}

impl Tabs {
    fn leave(&mut self, tab: u64, node: Option<NodeId>) {
        let Some(node) = node else { return };
        if let Some(tabs) = self.by_node.get_mut(&node) {
            tabs.retain(|other| *other != tab);
            if tabs.is_empty() {
                self.by_node.remove(&node);
            }
        }
    }
}
