//! The memory that a tree takes, so that it stays within its limit.

/// Bytes, with their places in tables and vectors that grow by doubling. They are written down
/// and not asked from the compiler: a search gives the same answer on every machine.
pub(super) const BYTES_PER_NODE: usize = 56;
pub(super) const BYTES_PER_MOVE: usize = 12;
pub(super) const BYTES_PER_REPLY: usize = 12;
pub(super) const BYTES_PER_LONG_MOVE: usize = 96;

/// The bytes of a node's many replies.
pub(super) const fn of_wide(replies: usize) -> usize {
    160 + 20 * replies
}

/// Zones may take one part in so many of the memory at first.
const SHARE_FOR_ZONES: usize = 8;

/// Roughly the bytes that a tree takes, and how many it may take.
#[derive(Debug, Default)]
pub(super) struct MemoryUse {
    limit: usize,
    pub(super) tree: usize,
    pub(super) zones: usize,
    zones_may_take: usize,
}

impl MemoryUse {
    pub(super) fn within(memory: usize) -> Self {
        Self {
            limit: memory,
            zones_may_take: memory / SHARE_FOR_ZONES,
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.tree + self.zones_may_take >= self.limit
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
    use super::MemoryUse;

    #[test]
    fn zones_that_are_needed_leave_less_to_the_tree() {
        let mut memory = MemoryUse::within(800);
        memory.zones = 100;
        assert!(memory.has_too_many_zones());
        memory.zones = 90;
        memory.make_room_for_zones();
        assert!(!memory.has_too_many_zones());
        memory.tree = 619;
        assert!(!memory.is_full());
        memory.tree = 620;
        assert!(memory.is_full(), "180 are for zones");
    }
}
