//! What a store tells when the coordinator starts.

use gridproof_proofs::{KnownAnswer, Proofs};
use gridproof_search::{Fact, Order};

use super::order_log::OrderLog;
use super::roster::Roster;
use super::searches::Searches;
use crate::store::{Note, Record, Store, StoreError};

/// What a store tells.
pub(super) struct Remembered {
    pub(super) facts: Vec<Fact>,
    pub(super) roster: Roster,
    pub(super) searches: Searches,
    pub(super) orders: OrderLog,
    pub(super) proofs: Proofs,
}

impl Remembered {
    pub(super) fn read(store: &dyn Store, proofs: Proofs) -> Result<Self, StoreError> {
        let mut remembered = Self {
            facts: Vec::new(),
            roster: Roster::default(),
            searches: Searches::default(),
            orders: OrderLog::default(),
            proofs,
        };
        for record in store.records() {
            match record? {
                Record::Fact(fact) => remembered.fact(fact),
                Record::Note(note) => remembered.note(&note),
            }
        }
        Ok(remembered)
    }

    fn fact(&mut self, fact: Fact) {
        if let Fact::Banned { worker }
        | Fact::Ordered {
            order: Order::Withdraw { worker },
            ..
        } = fact
        {
            self.roster.ban(worker);
        }
        if let Fact::Ordered { order, .. } = &fact {
            self.orders.ordered(order);
        }
        self.facts.push(fact);
    }

    fn note(&mut self, note: &Note) {
        self.roster.note(note);
        self.searches.note(note);
        self.orders.note(note);
        // All that is stored is known to whatever job comes next.
        note_proof(&self.proofs, note, 0);
    }
}

/// Takes in what a note tells about proofs, and the serial of the job that brought them.
pub(super) fn note_proof(proofs: &Proofs, note: &Note, serial: u16) {
    match note {
        Note::Proof { node, source } => proofs.proved(*node, source.clone()),
        Note::Unproved { nodes } => proofs.unproved(nodes),
        Note::Answer {
            node,
            by,
            mv,
            certificate,
        } => {
            let (mv, by, certificate) = (mv.clone(), *by, *certificate);
            let answer = KnownAnswer {
                mv,
                by,
                certificate,
                serial,
            };
            proofs.answered(*node, answer);
        }
        _ => {}
    }
}
