//! What operators want.

use gridproof_game::{Move, State};

use super::Core;
use super::moves::{Reply, attack, reply};
use crate::effect::{AbortReason, Effect};
use crate::event::Order;
use crate::fact::{Child, Fact};
use crate::graph::{Flags, NOBODY, Node};
use crate::ids::{NodeId, Revision, SearchId, WorkerId};
use crate::job::Side;
use crate::numbers::Policy;
use crate::requests::Request;
use crate::stats::IgnoreReason;

impl<P: Policy> Core<P> {
    pub(super) fn order(
        &mut self,
        order: &Order,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let child = match order {
            Order::Try { node, mv, status } => {
                self.check_attacker_moves_at(*node)?;
                self.check_hint(*node, mv)?;
                Some(attack(&self.graph.position(*node), mv, *status)?)
            }
            Order::Reply { node, mv } => Some(self.check_reply(*node, mv)?),
            _ => {
                self.check_order(order)?;
                None
            }
        };
        match *order {
            Order::Withdraw { worker } => self.lose_leases_of(worker, effects),
            Order::Run { node, budget } => {
                self.make_way_for_request(Request { node, budget }, effects);
            }
            Order::CancelRun { node } => self.drop_request(node, effects),
            Order::Quarantine { worker } => self.lose_leases_of(worker, effects),
            _ => {}
        }
        let order = order.clone();
        let withdraws = matches!(order, Order::Withdraw { .. } | Order::Quarantine { .. });
        self.record(Fact::Ordered { order, child }, effects);
        if withdraws {
            self.after_withdrawal(effects);
        }
        Ok(())
    }

    fn check_order(&self, order: &Order) -> Result<(), IgnoreReason> {
        let flag_changes = |node: NodeId, flag, to: bool| {
            if self.known_node(node)?.is(flag) == to {
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
                if self.searches.index(*search).is_some() {
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
                if self.graph.node(*node).side() != Side::Defender {
                    return Err(IgnoreReason::WrongSide);
                }
                Ok(())
            }
            Order::Pause { node } => flag_changes(*node, Flags::PAUSED, true),
            Order::Resume { node } => flag_changes(*node, Flags::PAUSED, false),
            Order::Run { node, budget } => self.check_request(*node, *budget),
            Order::CancelRun { node } if self.is_requested(*node) => Ok(()),
            Order::CancelRun { .. } => Err(IgnoreReason::NoChange),
            Order::Quarantine { worker } => self.check_quarantine(*worker, true),
            Order::Release { worker } => self.check_quarantine(*worker, false),
            Order::Try { .. } | Order::Reply { .. } | Order::Withdraw { .. } => Ok(()),
        }
    }

    fn check_reply(&self, id: NodeId, mv: &Move) -> Result<Child, IgnoreReason> {
        let node = self.known_node(id)?;
        if node.side() != Side::Defender {
            Err(IgnoreReason::WrongSide)
        } else if node.numbers().is_solved() {
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

    /// A move that an engine has named, or that was forgotten, can be hinted too.
    fn check_hint(&self, id: NodeId, mv: &Move) -> Result<(), IgnoreReason> {
        let Some(edge) = self.graph.child_by_move(id, mv) else {
            return Ok(());
        };
        let child = self.graph.node(self.graph.child_of(edge));
        if child.numbers().is_solved() {
            Err(IgnoreReason::Solved)
        } else if self.graph.edge(edge).by() == NOBODY && !child.is(Flags::FORGOTTEN) {
            Err(IgnoreReason::NoChange)
        } else {
            Ok(())
        }
    }

    fn check_attacker_moves_at(&self, id: NodeId) -> Result<(), IgnoreReason> {
        let node = self.known_node(id)?;
        if node.side() != Side::Attacker {
            Err(IgnoreReason::WrongSide)
        } else if node.numbers().is_proved() {
            Err(IgnoreReason::Solved)
        } else {
            Ok(())
        }
    }

    fn check_running(&self, search: SearchId) -> Result<(), IgnoreReason> {
        let index = self.searches.index(search);
        let running = index.filter(|&index| self.searches.get(index).is_running());
        running.map(|_| ()).ok_or(IgnoreReason::UnknownSearch)
    }

    pub(super) fn known_node(&self, id: NodeId) -> Result<&Node, IgnoreReason> {
        let is_known = self.graph.contains(id);
        let node = is_known.then(|| self.graph.node(id));
        node.ok_or(IgnoreReason::UnknownNode)
    }

    /// Whether an order can put a worker into quarantine, or let it out.
    fn check_quarantine(&self, worker: WorkerId, to: bool) -> Result<(), IgnoreReason> {
        if self.roster.get(worker).is_none() {
            Err(IgnoreReason::UnknownWorker)
        } else if self.standings.is_quarantined(worker) == to {
            Err(IgnoreReason::NoChange)
        } else {
            Ok(())
        }
    }

    /// Brings everything that is not on record in line with the graph after a withdrawal.
    pub(super) fn after_withdrawal(&mut self, effects: &mut Vec<Effect>) {
        self.revision = Revision(self.revision.0 + 1);
        self.graph.after_withdrawal();
        self.unpark_all();
        let nodes = self.graph.take_unproved();
        if !nodes.is_empty() {
            effects.push(Effect::Unproved { nodes });
        }
        // Nobody waits for these any more, or the question is no longer the same.
        let searching = self.jobs.running().filter(|(_, job)| job.audit.is_none());
        let unwanted = searching.filter(|(_, job)| {
            let node = self.graph.node(job.spec.id.node);
            !node.matters() || node.serial() != job.spec.id.serial
        });
        let unwanted: Vec<_> = unwanted.map(|(job, _)| job).collect();
        for job in unwanted {
            self.drop_job(job, AbortReason::Withdrawn, effects);
        }
        self.graph.want_all_settled();
    }
}
