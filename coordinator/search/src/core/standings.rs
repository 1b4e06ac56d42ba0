//! Workers that do harm are put aside.

use super::Core;
use crate::effect::Effect;
use crate::fact::Fact;
use crate::ids::WorkerId;
use crate::numbers::Policy;
use crate::standings::{Mark, QuarantineReason, Reliability};

impl<P: Policy> Core<P> {
    /// What is on record of a worker.
    #[must_use]
    pub fn reliability(&self, worker: WorkerId) -> Reliability {
        self.standings.of(worker)
    }

    pub(super) fn mark(&mut self, worker: WorkerId, mark: Mark, effects: &mut Vec<Effect>) {
        self.record(Fact::Marked { worker, mark }, effects);
    }

    /// Puts a worker aside if its record says so.
    pub(super) fn judge(&mut self, worker: WorkerId, effects: &mut Vec<Effect>) {
        if let Some(reason) = self.standings.verdict(worker) {
            self.quarantine(worker, reason, effects);
        }
    }

    fn quarantine(
        &mut self,
        worker: WorkerId,
        reason: QuarantineReason,
        effects: &mut Vec<Effect>,
    ) {
        self.lose_leases_of(worker, effects);
        self.record(Fact::Quarantined { worker, reason }, effects);
        effects.push(Effect::Quarantined { worker, reason });
        if reason.takes_back_opinions() {
            self.after_withdrawal(effects);
        }
    }
}
