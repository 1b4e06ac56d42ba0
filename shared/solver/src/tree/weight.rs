//! What a tree weighs, so that it stays within its memory.

/// What things weigh, with their places in tables and vectors that grow by doubling. It is
/// written down and not asked from the compiler: a job gives the same answer on every machine.
pub(super) const OF_NODE: usize = 128;
pub(super) const OF_MOVE: usize = 48;
pub(super) const OF_REPLY: usize = 48;

/// Zones may take this part of the memory at first.
const PART_FOR_ZONES: usize = 8;

/// Roughly the bytes that a tree takes, and how many it may take.
#[derive(Debug, Default)]
pub(super) struct Weight {
    memory: usize,
    pub(super) tree: usize,
    pub(super) zones: usize,
    zones_may_take: usize,
}

impl Weight {
    pub(super) fn within(memory: usize) -> Self {
        Self {
            memory,
            zones_may_take: memory / PART_FOR_ZONES,
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.tree + self.zones_may_take >= self.memory
    }

    /// Whether it is time to forget zones.
    #[inline]
    pub(super) fn has_too_many_zones(&self) -> bool {
        self.zones >= self.zones_may_take
    }

    /// After the zones that nobody needs were forgotten: as many as are left may come in
    /// addition, and there is less memory for the rest.
    pub(super) fn make_room_for_zones(&mut self) {
        self.zones_may_take = self.zones_may_take.max(2 * self.zones);
    }
}

#[cfg(test)]
mod tests {
    use super::Weight;

    #[test]
    fn zones_that_are_needed_leave_less_to_the_tree() {
        let mut weight = Weight::within(800);
        weight.zones = 100;
        assert!(weight.has_too_many_zones());
        weight.zones = 90;
        weight.make_room_for_zones();
        assert!(!weight.has_too_many_zones());
        weight.tree = 619;
        assert!(!weight.is_full());
        weight.tree = 620;
        assert!(weight.is_full(), "180 are for zones");
    }
}
