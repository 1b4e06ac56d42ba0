//! Defender's nodes of which the shell is to put the proof together.

use super::{Flags, Graph};
use crate::ids::NodeId;
use crate::job::Side;
use crate::numbers::Policy;

impl<P: Policy> Graph<P> {
    /// A reply of this defender's node is proved: the shell must hear of it.
    pub(super) fn want_settled(&mut self, id: NodeId) {
        if !self.pending.replaying {
            self.pending.to_settle.push(id);
        }
    }

    /// Has the shell look at every open defender's node that has a proved reply.
    pub(crate) fn want_all_settled(&mut self) {
        for id in self.ids() {
            let node = self.node(id);
            if node.side() == Side::Defender && !node.numbers.is_solved() {
                self.want_settled_if_proved(id);
            }
        }
    }

    /// Has the shell look at a node if one of its replies is proved.
    pub(super) fn want_settled_if_proved(&mut self, id: NodeId) {
        let has_proved_reply = self.live_children(id).any(|edge| {
            let child = self.node(self.child_of(edge));
            child.numbers.is_proved()
        });
        if has_proved_reply {
            self.want_settled(id);
        }
    }

    /// The nodes about which the shell is to be asked now. One answer is awaited per node.
    pub(crate) fn take_questions(&mut self) -> Vec<NodeId> {
        let mut wanted = std::mem::take(&mut self.pending.to_settle);
        wanted.retain(|&id| {
            let node = self.node_mut(id);
            if node.numbers.is_solved() {
                return false;
            }
            let is_asked = node.is(Flags::SETTLING);
            let flag = if is_asked {
                Flags::SETTLE_AGAIN
            } else {
                Flags::SETTLING
            };
            node.flags.insert(flag);
            !is_asked
        });
        wanted
    }

    /// Whether the shell's answer about a node is awaited.
    pub(crate) fn is_settling(&self, id: NodeId) -> bool {
        self.node(id).is(Flags::SETTLING)
    }

    /// The shell has answered. True if it is asked again, since another reply was proved
    /// meanwhile.
    pub(crate) fn end_settling(&mut self, id: NodeId) -> bool {
        let node = self.node_mut(id);
        let again = node.is(Flags::SETTLE_AGAIN) && !node.numbers.is_solved();
        node.flags.remove(Flags::SETTLING | Flags::SETTLE_AGAIN);
        if again {
            self.want_settled(id);
        }
        again
    }

    /// Forgets what the shell was asked.
    pub(super) fn forget_questions(&mut self) {
        for node in &mut self.nodes {
            node.flags.remove(Flags::SETTLING | Flags::SETTLE_AGAIN);
        }
    }
}
