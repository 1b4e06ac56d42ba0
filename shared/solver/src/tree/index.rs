//! Finds nodes by the keys of their positions.

use super::Node;

/// No node.
const EMPTY: u32 = u32::MAX;
const SMALLEST: usize = 1 << 8;

/// Places in the list of nodes, by the keys that the nodes hold: open addressing, at most three
/// quarters full. A table of keys and places takes more than twice the memory.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// A power of two, or none.
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    pub(super) fn clear(&mut self) {
        self.slots.fill(EMPTY);
        self.used = 0;
    }

    /// The slot of a key: it holds a node with it, or none.
    #[inline]
    fn slot(&self, nodes: &[Node], key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Keys differ in all bits alike, but for those of orders, which are in the upper half too.
        let mut slot = (key ^ key >> 32) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return slot,
                node if nodes[node as usize].key == key => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[inline]
    pub(super) fn find(&self, nodes: &[Node], key: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let node = self.slots[self.slot(nodes, key)];
        (node != EMPTY).then_some(node)
    }

    /// The node with a key, or the one that is added with it as the next.
    #[inline]
    pub(super) fn find_or_add(
        &mut self,
        nodes: &mut Vec<Node>,
        new: impl FnOnce() -> Node,
        key: u64,
    ) -> u32 {
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            self.grow(nodes);
        }
        let slot = self.slot(nodes, key);
        if self.slots[slot] == EMPTY {
            self.slots[slot] = nodes.len() as u32;
            self.used += 1;
            nodes.push(new());
            debug_assert_eq!(nodes[self.slots[slot] as usize].key, key);
        }
        self.slots[slot]
    }

    #[cold]
    fn grow(&mut self, nodes: &[Node]) {
        let larger = (2 * self.slots.len()).max(SMALLEST);
        self.slots.clear();
        self.slots.resize(larger, EMPTY);
        for (place, node) in nodes.iter().enumerate() {
            let slot = self.slot(nodes, node.key);
            self.slots[slot] = place as u32;
        }
    }
}
