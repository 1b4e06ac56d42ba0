//! What goes wrong in a simulation.

use super::grid::{Grid, SimulationError};
use super::hostile::Strategy;
use super::worker::{Fault, LinkState, SimEvent};
use super::world::World;
use gridproof_search::{
    Core, Departure, Event, Generation, LeaseId, NodeId, Order, ReplyState, Revision, SearchId,
    Sender, Settled, Side, Status, Time, WorkerId,
};

impl<W: World> Grid<'_, W> {
    /// Decides what goes wrong, and when.
    pub(super) fn plan_faults(&mut self) {
        let Some(faults) = self.settings.faults else {
            return;
        };
        if self.workers.len() > 1 && self.dice.percent(faults.liars) {
            let liar = self.dice.below(self.workers.len() as u64) as usize;
            self.workers[liar].lies = 10 + self.dice.below(60);
        }
        // Most must be honest, or nobody can tell who is.
        let all_honest = self.workers.iter().all(|worker| worker.lies == 0);
        if self.workers.len() > 2 && all_honest && self.dice.percent(faults.hostile) {
            let hostile = self.dice.below(self.workers.len() as u64) as usize;
            self.workers[hostile].strategy = self.dice.pick(&Strategy::ALL).copied();
        }
        for _ in 0..faults.count {
            let at = self.dice.below(faults.within);
            if let Some(&fault) = self.dice.pick(&Fault::ALL) {
                self.at(Time(at), SimEvent::Fault(fault));
            }
        }
    }

    pub(super) fn fault(&mut self, fault: Fault) -> Result<(), SimulationError> {
        let worker = self.dice.below(self.workers.len() as u64) as usize;
        match fault {
            Fault::Crash => {
                self.lose_jobs(worker);
                self.cut(worker);
            }
            Fault::Break => self.cut(worker),
            Fault::Partition => {
                for worker in 0..self.workers.len() {
                    if self.dice.percent(50) {
                        self.cut(worker);
                    }
                }
            }
            Fault::Leave => self.leave(worker),
            Fault::Restart => self.restart()?,
            Fault::Garble => self.garble()?,
            Fault::Slow => {
                let slow = (self.settings.speed / 10).max(1);
                let speed = &mut self.workers[worker].speed;
                *speed = slow.min(*speed);
            }
            Fault::Order => self.give_order(),
        }
        self.check()
    }

    /// A worker's link breaks; the coordinator notices after a while, or only when the worker
    /// is back.
    fn cut(&mut self, worker: usize) {
        if !self.workers[worker].is_up() {
            return;
        }
        self.workers[worker].link = LinkState::Down;
        let generation = self.workers[worker].generation;
        let noticed = self.dice.below(20_000);
        self.after(noticed, SimEvent::Noticed { worker, generation });
        let back = self.dice.below(180_000);
        self.after(back, SimEvent::Dial { worker });
    }

    fn leave(&mut self, worker: usize) {
        if !self.workers[worker].is_up() {
            return;
        }
        self.workers[worker].link = LinkState::Down;
        self.lose_jobs(worker);
        let (id, generation) = (self.workers[worker].id, self.workers[worker].generation);
        self.tell(Event::Departed {
            worker: id,
            generation,
            how: Departure::Goodbye,
        });
        let back = self.dice.below(60_000);
        self.after(back, SimEvent::Dial { worker });
    }

    /// The coordinator dies and starts again from its facts. Half the time the last message
    /// was handled and stored, and nothing of what followed from it was done.
    fn restart(&mut self) -> Result<(), SimulationError> {
        if self.dice.percent(50)
            && let Some(message) = self.last_message.take()
        {
            let mut effects = Vec::new();
            self.core.handle(self.now, &message, &mut effects);
            for effect in effects {
                if let gridproof_search::Effect::Record(fact) = effect {
                    self.facts.push(fact);
                }
            }
        }
        let facts = self.facts.iter().map(|fact| {
            let stored = fact.encode();
            gridproof_search::Fact::decode(&stored).expect("a fact reads back as it was written")
        });
        let again = Core::replay_with_policy(
            self.settings.options.clone(),
            self.settings.policy,
            facts.collect::<Vec<_>>(),
        )?;
        if again.digest() != self.core.digest() {
            return Err(SimulationError::Replay);
        }
        self.past.add(self.core.stats());
        self.core = again;
        let mut effects = Vec::new();
        self.core.resume(self.now, &mut effects);
        self.carry_out(effects);
        self.answer_questions();
        for worker in 0..self.workers.len() {
            if self.workers[worker].is_up() {
                self.workers[worker].link = LinkState::Down;
                let back = self.dice.below(10_000);
                self.after(back, SimEvent::Dial { worker });
            }
        }
        Ok(())
    }

    /// Messages that make no sense. None may change anything but the counts.
    fn garble(&mut self) -> Result<(), SimulationError> {
        let before = self.core.digest();
        let leases = self.core.leases().count();
        let sender = |key| Sender {
            worker: WorkerId(0),
            generation: Generation(u32::MAX),
            lease: LeaseId::from_bits(u64::MAX),
            key,
        };
        if let Some(Event::Ended { from, end, spent }) = self.last_message.clone() {
            // Once more; then from nobody's connection; then for another position.
            for from in [from, sender(from.key)] {
                let end = end.clone();
                self.tell(Event::Ended { from, end, spent });
            }
        }
        for event in [
            Event::Departed {
                worker: WorkerId(u32::MAX - 1),
                generation: Generation(1),
                how: Departure::Lost,
            },
            Event::Order(Order::Stop {
                search: SearchId(77),
            }),
            Event::Order(Order::Pause {
                node: NodeId(u32::MAX - 5),
            }),
            Event::Settled(Settled {
                node: NodeId(0),
                revision: Revision(u32::MAX),
                excused: Vec::new(),
                needed: Vec::new(),
                closed: true,
            }),
        ] {
            self.tell(event);
        }
        if self.core.digest() == before && self.core.leases().count() == leases {
            Ok(())
        } else {
            Err(SimulationError::IgnoreReason)
        }
    }

    /// An operator meddles; what he breaks he mends later.
    fn give_order(&mut self) {
        if let Some(order) = self.undo.pop() {
            self.tell(Event::Order(order));
            return;
        }
        let node = NodeId(self.dice.below(self.core.node_count() as u64) as u32);
        let Some(view) = self.core.node(node) else {
            return;
        };
        match (view.side, self.dice.below(3)) {
            (Side::Attacker, 0 | 1) => {
                let Some(position) = self.core.position(node) else {
                    return;
                };
                let hints = self.world.hints(&position);
                if let Some(mv) = self.dice.pick(&hints).cloned() {
                    let status = Status::AlmostWon;
                    self.tell(Event::Order(Order::Try { node, mv, status }));
                }
            }
            (Side::Defender, 0) => {
                let is_root = self.core.parents(node).is_empty();
                if !is_root && !view.forgotten {
                    self.tell(Event::Order(Order::Forget { node }));
                    self.mend_later(Order::Remember { node });
                }
            }
            _ => {
                if !view.paused {
                    self.tell(Event::Order(Order::Pause { node }));
                    self.mend_later(Order::Resume { node });
                }
            }
        }
        debug_assert!(
            self.core
                .children(node)
                .iter()
                .all(|child| child.state != ReplyState::Excused || view.side == Side::Defender)
        );
    }

    fn mend_later(&mut self, order: Order) {
        self.undo.push(order);
        let later = 5_000 + self.dice.below(60_000);
        self.after(later, SimEvent::Fault(Fault::Order));
    }
}
