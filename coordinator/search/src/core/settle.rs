//! What the shell made of a defender's node.

use std::collections::BTreeSet;

use super::Core;
use super::moves::{Reply, reply};
use crate::effect::Effect;
use crate::event::Settled;
use crate::fact::{ChildIndex, Fact, Next};
use crate::graph::{EdgeState, Flags};
use crate::numbers::Policy;
use crate::stats::IgnoreReason;

impl<P: Policy> Core<P> {
    pub(super) fn settled(
        &mut self,
        settled: &Settled,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let id = settled.node;
        self.known_node(id)?;
        if !self.graph.is_settling(id) || settled.revision != self.revision {
            return Err(IgnoreReason::NotAsked);
        }
        let (next, fact) = self.settled_fact(settled)?;
        let again = self.graph.end_settling(id);
        let node = self.graph.node(id);
        if node.numbers().is_solved() {
            return Ok(());
        }
        let Some(fact) = fact.filter(|_| next != Next::Verify || !again) else {
            return Ok(());
        };
        let hopeless = next == Next::Verify && node.level() >= self.options.budgets.highest;
        self.record(fact, effects);
        if hopeless {
            self.record(Fact::GivenUp { node: id }, effects);
        }
        Ok(())
    }

    /// What becomes of the node, and the fact to record unless nothing changes.
    fn settled_fact(&self, settled: &Settled) -> Result<(Next, Option<Fact>), IgnoreReason> {
        let id = settled.node;
        let attacker = self.graph.attacker(id);
        let children: Vec<_> = self.graph.children(id).collect();
        let index_of = |edge| children.iter().position(|&other| other == edge);
        let mut excused = BTreeSet::new();
        for mv in &settled.excused {
            let edge = self
                .graph
                .child_by_move(id, mv)
                .ok_or(IgnoreReason::IllegalMove)?;
            if self.graph.edge(edge).state() == EdgeState::Live {
                excused.insert(edge);
            }
        }
        // While a verifier has not come to all moves, most that are needed are no work for
        // others: it will settle them itself.
        let is_verified = self.graph.node(id).is(Flags::VERIFIED);
        let mut needed = Vec::new();
        if is_verified && !settled.needed.is_empty() {
            let position = self.graph.position(id);
            for mv in &settled.needed {
                let known = self.graph.child_by_move(id, mv);
                let is_live =
                    known.is_some_and(|edge| self.graph.edge(edge).state() == EdgeState::Live);
                match reply(&position, mv, attacker)? {
                    Reply::EndsTheGame => return Err(IgnoreReason::EndsTheGame),
                    Reply::Leads(child) if !is_live => needed.push(child),
                    Reply::Leads(_) => {}
                }
            }
        }
        let waits = !needed.is_empty()
            || !is_verified
            || self
                .graph
                .open_replies(id)
                .any(|edge| !excused.contains(&edge));
        let next = match (settled.closed, waits) {
            (true, _) => Next::Closed,
            (false, true) => Next::Replies,
            (false, false) => Next::Verify,
        };
        let excused = excused.into_iter().map(|edge| {
            let index = index_of(edge).expect("an edge is among its node's edges");
            ChildIndex(index as u32)
        });
        let excused: Vec<_> = excused.collect();
        let changes = next != Next::Replies || !excused.is_empty() || !needed.is_empty();
        let fact = changes.then_some(Fact::Settled {
            node: id,
            excused,
            needed,
            next,
        });
        Ok((next, fact))
    }
}
