//! What operators ordered, and who they were.

use std::time::{SystemTime, UNIX_EPOCH};

use gridproof_search::Order;

use crate::store::Note;

/// An order that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOrder {
    /// Counts from 1.
    pub number: u64,
    /// Milliseconds since 1970; 0 where nobody wrote it down.
    pub at: u64,
    /// Empty where nobody wrote it down.
    pub author: String,
    pub order: Order,
}

/// As the commands are called.
#[must_use]
pub fn order_name(order: &Order) -> &'static str {
    match order {
        Order::Start { .. } => "start",
        Order::Stop { .. } => "stop",
        Order::Share { .. } => "share",
        Order::Try { .. } => "hint",
        Order::Forget { .. } => "forget",
        Order::Remember { .. } => "remember",
        Order::Pause { .. } => "pause",
        Order::Resume { .. } => "resume",
        Order::Withdraw { .. } => "withdraw",
        Order::Reply { .. } => "reply",
        Order::Run { .. } => "run",
        Order::CancelRun { .. } => "abort",
        Order::Quarantine { .. } => "quarantine",
        Order::Release { .. } => "release",
    }
}

/// All orders, oldest first.
#[derive(Debug, Default)]
pub(super) struct OrderLog(Vec<GivenOrder>);

impl OrderLog {
    /// An order as the core's facts tell it.
    pub(super) fn ordered(&mut self, order: &Order) {
        self.0.push(GivenOrder {
            number: self.next_number(),
            at: 0,
            author: String::new(),
            order: order.clone(),
        });
    }

    /// Takes in who gave the last order.
    pub(super) fn note(&mut self, note: &Note) {
        if let (Note::OrderedBy { author, at }, Some(last)) = (note, self.0.last_mut()) {
            last.author.clone_from(author);
            last.at = *at;
        }
    }

    /// An order that was just given, and what is to be written down with it.
    pub(super) fn given(&mut self, order: &Order, author: &str) -> (GivenOrder, Note) {
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let note = Note::OrderedBy {
            author: author.to_owned(),
            at: at.map_or(0, |time| time.as_millis() as u64),
        };
        self.ordered(order);
        self.note(&note);
        let given = self.0.last().expect("it was just pushed").clone();
        (given, note)
    }

    fn next_number(&self) -> u64 {
        self.0.len() as u64 + 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn newest_first(&self) -> impl Iterator<Item = &GivenOrder> {
        self.0.iter().rev()
    }
}
