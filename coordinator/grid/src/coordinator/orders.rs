//! What operators want.

use super::actor::Actor;
use super::departure::StreamEnd;
use super::effects::Evidence;
use super::grid_event::GridEvent;
use super::handle::Submission;
use super::order_log::order_name;
use super::snapshot::asked_root;
use super::transaction::{Action, Transaction};
use crate::store::Note;
use gridproof_game::{Move, Opening};
use gridproof_search::{Departure, Event, Handled, IgnoreReason, NodeId, Order, SearchId};
use tracing::info;

impl Actor {
    pub(super) fn start_search(
        &mut self,
        submission: Submission,
        tx: &mut Transaction,
    ) -> Result<SearchId, IgnoreReason> {
        let Submission {
            game,
            root,
            attacker,
            share,
            author,
        } = submission;
        let same = self.core.find(&root, attacker).and_then(|(node, _)| {
            let mut running = self.core.searches().filter(|search| !search.stopped);
            running.find(|search| search.root == node)
        });
        if let Some(same) = same {
            return Ok(same.search);
        }
        let last = self.core.searches().map(|search| search.search.0).max();
        let search = SearchId(last.unwrap_or(0) + 1);
        let order = Order::Start {
            search,
            root: Box::new(root),
            attacker,
            share,
        };
        self.searches.opened(search);
        // Before the order is told to people, who know the search by this name.
        let note = Note::Game { search, game };
        self.searches.note(&note);
        self.give(order, &author, tx)?;
        tx.note(note);
        Ok(search)
    }

    /// Carries out an order and tells its number.
    pub(super) fn order(
        &mut self,
        order: Order,
        author: &str,
        tx: &mut Transaction,
    ) -> Result<u64, IgnoreReason> {
        if let Order::Withdraw { worker } = order {
            self.proofs.withdraw(worker);
            // Also if it is away just now: it would come back as if nothing had happened.
            self.roster.ban(worker);
            if let Some(id) = self.roster.of(worker).map(|known| known.id) {
                let words = "an operator withdrew its results".to_owned();
                self.departed(id, StreamEnd::Departed(Departure::Banned, words), tx);
            }
        }
        self.give(order, author, tx)
    }

    /// An order for people. Nodes are named by the numbers that commands take.
    pub(super) fn in_words(&self, order: &Order) -> String {
        let about = match order {
            Order::Start {
                search,
                root,
                attacker,
                ..
            } => {
                let submitted = Some(self.searches.game(*search).to_owned());
                let submitted = submitted.filter(|game| !game.is_empty());
                let opening = || Opening::of(root).map(|opening| opening.to_string());
                let game = submitted.or_else(opening);
                let game = game.or_else(|| crate::position_record(root));
                format!("{search} ({} for {attacker})", game.unwrap_or_default())
            }
            Order::Stop { search } | Order::Share { search, .. } => {
                format!("{search} ({})", self.searches.game(*search))
            }
            Order::Try { node, mv, .. } | Order::Reply { node, mv } => {
                let mv = self.as_asked(*node, mv);
                format!("{mv} at #{}", node.0)
            }
            Order::Run { node, .. }
            | Order::Forget { node }
            | Order::Remember { node }
            | Order::Pause { node }
            | Order::Resume { node }
            | Order::CancelRun { node } => format!("#{}", node.0),
            Order::Withdraw { worker }
            | Order::Quarantine { worker }
            | Order::Release { worker } => self.roster.name_of(*worker),
        };
        format!("{} {about}", order_name(order))
    }

    /// A move of a node as whoever submitted the search sees it: nodes are turned.
    fn as_asked(&self, node: NodeId, mv: &Move) -> Move {
        let Some(position) = self.core.position(node) else {
            return mv.clone();
        };
        let mut searches = self.core.searches();
        let turn = searches.find_map(|view| {
            let root = asked_root(&self.core, &view)?;
            crate::turn_to(&root, &position)
        });
        match turn {
            Some(turn) => mv.map(|square| turn.apply(position.rules(), square)),
            None => mv.clone(),
        }
    }

    /// Those who watch hear of an order before they hear of what follows from it.
    fn give(
        &mut self,
        order: Order,
        author: &str,
        tx: &mut Transaction,
    ) -> Result<u64, IgnoreReason> {
        let told = tx.actions.len();
        let event = Event::Order(order.clone());
        match self.handle(&event, Evidence::default(), tx) {
            Handled::Done => {
                let (given, note) = self.orders.given(&order, author);
                tx.note(note);
                info!("{author} ordered: {}", self.in_words(&order));
                let number = given.number;
                let ordered = Action::Publish(GridEvent::Ordered(given));
                tx.actions.insert(told, ordered);
                Ok(number)
            }
            Handled::Ignored(reason) => Err(reason),
        }
    }
}
