//! The shell of a simulation: it stores facts and does what the core wants.

use super::grid::{Grid, SimulationError};
use super::worker::SimEvent;
use super::world::World;
use gridproof_search::{Core, Effect, Event, Handled, NodeId, Revision, Settled};

impl<W: World> Grid<'_, W> {
    /// Tells the core and does what it wants, until it wants nothing more.
    pub(super) fn tell(&mut self, event: Event) -> Handled {
        let handled = self.tell_one(&event);
        self.answer_questions();
        handled
    }

    /// Plays the shell for all that the core has asked.
    pub(super) fn answer_questions(&mut self) {
        while let Some((node, revision)) = self.questions.pop_front() {
            let settled = self.settled(node, revision);
            self.tell_one(&settled);
        }
    }

    fn tell_one(&mut self, event: &Event) -> Handled {
        let mut effects = Vec::new();
        self.events += 1;
        let handled = self.core.handle(self.now, event, &mut effects);
        debug_assert!(handled == Handled::Done || effects.is_empty());
        self.carry_out(effects);
        let every = self.settings.check_every;
        if every > 0 && self.events.is_multiple_of(every) && self.broken.is_none() {
            self.broken = self.check().err();
        }
        handled
    }

    /// Checks all that must hold at every step.
    pub(super) fn check(&self) -> Result<(), SimulationError> {
        self.core.check_invariants()?;
        let lost = self.proved.iter().find(|&&id| {
            let view = self.core.node(id);
            view.is_none_or(|view| !view.numbers.is_proved())
        });
        if let Some(&node) = lost {
            return Err(SimulationError::Unproved(node));
        }
        if self.settings.keeps_facts {
            let facts = self.facts.iter().cloned();
            let again = Core::replay_with_policy(
                self.settings.options.clone(),
                self.settings.policy,
                facts,
            )?;
            if again.digest() != self.core.digest() {
                return Err(SimulationError::Replay);
            }
        }
        Ok(())
    }

    /// Stores facts, then does the rest, as a shell must. Questions wait their turn.
    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        if self.settings.keeps_facts {
            let facts = effects.iter().filter_map(|effect| match effect {
                Effect::Record(fact) => Some(fact.clone()),
                _ => None,
            });
            self.facts.extend(facts);
        }
        for effect in effects {
            match effect {
                Effect::Record(_) => {}
                Effect::Quarantined { .. } => self.quarantined += 1,
                Effect::Assign {
                    worker, lease, job, ..
                } => self.start(worker, lease, job),
                Effect::Keep { worker, lease, .. } => {
                    let worker = worker.0 as usize;
                    if self.workers[worker]
                        .find(lease)
                        .is_some_and(|job| job.is_done)
                    {
                        self.after(0, SimEvent::JobDone { worker, lease });
                    }
                }
                Effect::Abort { worker, lease, .. } => self.abort(worker, lease),
                Effect::Settle { node, revision } => self.questions.push_back((node, revision)),
                Effect::Verdict { verdict, .. } => self.verdict = verdict,
                Effect::Proved { node, how } => {
                    self.proved.insert(node);
                    if W::WANTS_PROVED
                        && let Some((view, at)) = self.core.node(node).zip(self.core.position(node))
                    {
                        self.world.proved(&view, &at, &how);
                    }
                }
                Effect::Unproved { nodes } => {
                    for node in nodes {
                        self.proved.remove(&node);
                    }
                }
            }
        }
    }

    /// Plays the shell that puts proofs together.
    fn settled(&mut self, node: NodeId, revision: Revision) -> Event {
        let view = self
            .core
            .node(node)
            .expect("the core asks for nodes that it has");
        let position = self.core.position(node).expect("a node has a position");
        let children = self.core.children(node);
        let settlement = self.world.settle(node, &position, view.attacker, &children);
        Event::Settled(Settled {
            node,
            revision,
            excused: settlement.excused,
            needed: settlement.needed,
            closed: settlement.closed,
        })
    }
}
