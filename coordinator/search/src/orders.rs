//! What operators want.

use super::effect::{AbortReason, Effect};
use super::event::Order;
use super::fact::{Child, Fact};
use super::ids::{NodeId, SearchId};
use super::job::JobKind;
use super::key::NodeKey;
use super::node::{Flags, NOBODY, OPERATOR};
use super::requests::Request;
use super::results::{Reply, attack, reply};
use super::stats::{Effort, IgnoreReason};
use super::{Core, ReplayError, Search, Verdict};
use gridproof_game::{Move, State};

impl Core {
    pub(super) fn order(
        &mut self,
        order: &Order,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let child = match order {
            Order::Try { node, mv, status } => {
                self.check_attacker_moves_at(*node)?;
                if self.graph.child_by_move(*node, mv).is_some() {
                    return Err(IgnoreReason::NoChange);
                }
                Some(attack(&self.graph.position(*node), mv, *status)?)
            }
            Order::Reply { node, mv } => Some(self.check_reply(*node, mv)?),
            _ => {
                self.check_order(order)?;
                None
            }
        };
        if let Order::Withdraw { worker } = order
            && self.workers.contains_key(worker)
        {
            self.lose_leases_of(*worker, effects);
        }
        match *order {
            Order::Run { node, budget } => {
                self.make_way_for_request(Request { node, budget }, effects);
            }
            Order::CancelRun { node } => self.drop_request(node, effects),
            _ => {}
        }
        let order = order.clone();
        let withdraws = matches!(order, Order::Withdraw { .. });
        self.record(Fact::Ordered { order, child }, effects);
        if withdraws {
            self.after_withdrawal(effects);
        }
        self.pending.roots_changed = true;
        Ok(())
    }

    fn check_order(&self, order: &Order) -> Result<(), IgnoreReason> {
        let flag_changes = |node: NodeId, flag, to: bool| {
            if !self.graph.contains(node) {
                Err(IgnoreReason::UnknownNode)
            } else if self.graph.node(node).flags.has(flag) == to {
                Err(IgnoreReason::NoChange)
            } else {
                Ok(())
            }
        };
        match order {
            Order::Start {
                search,
                root,
                share,
                ..
            } => {
                if self.search_index(*search).is_some() {
                    Err(IgnoreReason::SearchExists)
                } else if root.state() != State::Open || *share == 0 {
                    Err(IgnoreReason::NothingToSearch)
                } else {
                    Ok(())
                }
            }
            Order::Stop { search } => self.check_running(*search),
            Order::Share { search, share } => {
                self.check_running(*search)?;
                if *share == 0 {
                    Err(IgnoreReason::NothingToSearch)
                } else {
                    Ok(())
                }
            }
            Order::Forget { node } | Order::Remember { node } => {
                flag_changes(
                    *node,
                    Flags::FORGOTTEN,
                    matches!(order, Order::Forget { .. }),
                )?;
                if self.graph.node(*node).kind() != JobKind::Verifier {
                    return Err(IgnoreReason::WrongSide);
                }
                Ok(())
            }
            Order::Pause { node } => flag_changes(*node, Flags::PAUSED, true),
            Order::Resume { node } => flag_changes(*node, Flags::PAUSED, false),
            Order::Run { node, budget } => self.check_request(*node, *budget),
            Order::CancelRun { node } if self.is_requested(*node) => Ok(()),
            Order::CancelRun { .. } => Err(IgnoreReason::NoChange),
            Order::Try { .. } | Order::Reply { .. } | Order::Withdraw { .. } => Ok(()),
        }
    }

    fn check_reply(&self, id: NodeId, mv: &Move) -> Result<Child, IgnoreReason> {
        if !self.graph.contains(id) {
            return Err(IgnoreReason::UnknownNode);
        }
        let node = self.graph.node(id);
        if node.kind() != JobKind::Verifier {
            Err(IgnoreReason::WrongSide)
        } else if node.numbers.is_solved() {
            Err(IgnoreReason::Solved)
        } else if self.graph.child_by_move(id, mv).is_some() {
            Err(IgnoreReason::NoChange)
        } else {
            match reply(&self.graph.position(id), mv, self.graph.attacker(id))? {
                Reply::EndsTheGame => Err(IgnoreReason::EndsTheGame),
                Reply::Leads(child) => Ok(child),
            }
        }
    }

    fn check_attacker_moves_at(&self, id: NodeId) -> Result<(), IgnoreReason> {
        if !self.graph.contains(id) {
            return Err(IgnoreReason::UnknownNode);
        }
        let node = self.graph.node(id);
        if node.kind() != JobKind::Engine {
            Err(IgnoreReason::WrongSide)
        } else if node.numbers.is_proved() {
            Err(IgnoreReason::Solved)
        } else {
            Ok(())
        }
    }

    fn check_running(&self, search: SearchId) -> Result<(), IgnoreReason> {
        let index = self
            .search_index(search)
            .ok_or(IgnoreReason::UnknownSearch)?;
        if self.searches[index].stopped {
            Err(IgnoreReason::UnknownSearch)
        } else {
            Ok(())
        }
    }

    pub(super) fn search_index(&self, id: SearchId) -> Option<usize> {
        self.searches.iter().position(|search| search.id == id)
    }

    pub(super) fn apply_order(
        &mut self,
        order: &Order,
        child: Option<&Child>,
    ) -> Result<(), ReplayError> {
        match order {
            Order::Start {
                search,
                root,
                attacker,
                share,
            } => {
                let (key, canonical, symmetry) = NodeKey::of(root, *attacker);
                let root = self.graph.plant(key, canonical, *attacker);
                self.graph.node_mut(root).flags.set(Flags::ROOT);
                self.searches.push(Search {
                    id: *search,
                    root,
                    symmetry,
                    share: *share,
                    in_flight: 0,
                    spent: Effort::default(),
                    verdict: Verdict::Open,
                    stopped: false,
                });
                self.recount(root, AbortReason::Ordered);
                self.touch(root);
            }
            Order::Stop { search } => {
                let index = self.known_search(*search)?;
                self.searches[index].stopped = true;
                let root = self.searches[index].root;
                let still_wanted = self.searches.iter().any(|s| s.root == root && !s.stopped);
                if !still_wanted {
                    self.graph.node_mut(root).flags.clear(Flags::ROOT);
                    self.recount(root, AbortReason::Ordered);
                }
            }
            Order::Share { search, share } => {
                let index = self.known_search(*search)?;
                self.searches[index].share = *share;
            }
            Order::Try { node, .. } => {
                let child = child.ok_or(ReplayError::WrongMove(*node))?;
                let edge = self.lead(*node, child, NOBODY)?;
                let child = self.graph.child_of(edge);
                self.set_forgotten(child, false);
            }
            Order::Forget { node } => {
                self.check_node(*node)?;
                self.set_forgotten(*node, true);
            }
            Order::Remember { node } => {
                self.check_node(*node)?;
                self.set_forgotten(*node, false);
            }
            Order::Pause { node } => {
                self.check_node(*node)?;
                self.graph.node_mut(*node).flags.set(Flags::PAUSED);
                self.touch(*node);
            }
            Order::Resume { node } => {
                self.check_node(*node)?;
                self.graph.node_mut(*node).flags.clear(Flags::PAUSED);
                self.touch(*node);
            }
            Order::Withdraw { worker } => self.withdraw(*worker),
            Order::Reply { node, .. } => {
                let child = child.ok_or(ReplayError::WrongMove(*node))?;
                self.lead(*node, child, OPERATOR)?;
                self.touch_parents(*node);
                if self.has_proved_reply(*node) {
                    self.want_settled(*node);
                }
            }
            Order::Run { node, budget } => {
                self.check_node(*node)?;
                let (node, budget) = (*node, *budget);
                self.requests.insert(Request { node, budget });
            }
            Order::CancelRun { node } => self.requests.remove(*node),
        }
        Ok(())
    }

    fn known_search(&self, search: SearchId) -> Result<usize, ReplayError> {
        self.search_index(search)
            .ok_or(ReplayError::UnknownSearch(search.0))
    }

    fn set_forgotten(&mut self, id: NodeId, forgotten: bool) {
        let flags = &mut self.graph.node_mut(id).flags;
        if forgotten {
            flags.set(Flags::FORGOTTEN);
        } else {
            flags.clear(Flags::FORGOTTEN);
        }
        self.recount(id, AbortReason::Ordered);
        self.touch(id);
        self.touch_parents(id);
    }
}
