//! Facts change the graph. Live events and replay both come through here, so a replay cannot
//! come to another graph than the events did.

use super::Core;
use super::effect::{AbortReason, Effect};
use super::fact::{Answer, Child, ChildIndex, Fact, Next};
use super::graph::EdgeId;
use super::ids::{Generation, NodeId, WorkerId};
use super::job::{JobKind, Level};
use super::lease::{Presence, Worker};
use super::node::{EdgeState, Flags, NOBODY};
use super::numbers::Numbers;

/// Why facts do not fit together. Only a damaged or foreign store has such facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("a fact speaks of {0}, which no fact before it made: the store lacks facts")]
    UnknownNode(NodeId),
    #[error("a fact gives {0} an answer of the other kind: the store mixes two searches")]
    WrongKind(NodeId),
    #[error("a fact leads a move from {0} to a position that cannot follow: the store is damaged")]
    WrongMove(NodeId),
    #[error("a fact speaks of search {0}, which no fact before it started: the store lacks facts")]
    UnknownSearch(u32),
}

impl Core {
    /// Has a fact stored and lets it take effect. The fact must come from a checked event.
    pub(super) fn record(&mut self, fact: Fact, effects: &mut Vec<Effect>) {
        self.apply(&fact).expect("the event was checked");
        effects.push(Effect::Record(fact));
    }

    pub(super) fn apply(&mut self, fact: &Fact) -> Result<(), ReplayError> {
        match fact {
            Fact::Started { epoch } => self.epoch = *epoch,
            Fact::Ordered { order, child } => self.apply_order(order, child.as_ref())?,
            Fact::Answered {
                node, by, answer, ..
            } => self.apply_answer(*node, *by, answer)?,
            Fact::Found { node, by, child } => {
                self.check_kind(*node, JobKind::Verifier)?;
                self.lead(*node, child, *by)?;
                self.touch_parents(*node);
            }
            Fact::Settled {
                node,
                excused,
                needed,
                next,
            } => self.apply_settled(*node, excused, needed, *next)?,
            Fact::GivenUp { node } => {
                self.check_node(*node)?;
                self.graph.node_mut(*node).flags.set(Flags::GIVEN_UP);
                self.touch(*node);
            }
            Fact::Banned { worker } => {
                let stranger = Worker::new(Generation(0), Presence::Left);
                self.workers.entry(*worker).or_insert(stranger);
                self.update_worker(*worker, |worker| worker.state = Presence::Banned);
            }
            Fact::RequestEnded { node, .. } => {
                self.check_node(*node)?;
                self.requests.remove(*node);
            }
        }
        Ok(())
    }

    fn apply_answer(
        &mut self,
        id: NodeId,
        by: WorkerId,
        answer: &Answer,
    ) -> Result<(), ReplayError> {
        match answer {
            Answer::Moves(_) | Answer::NoMoreMoves => self.check_kind(id, JobKind::Engine)?,
            Answer::Open(_) | Answer::OpenSoFar(_) | Answer::Refuted => {
                self.check_kind(id, JobKind::Verifier)?;
            }
            Answer::Won | Answer::Unknown => self.check_node(id)?,
        }
        self.requests.remove(id);
        let node = self.graph.node_mut(id);
        node.serial = node.serial.saturating_add(1);
        node.attempts = 0;
        match answer {
            Answer::Won => {
                node.flags.set(Flags::WON);
                node.by = by;
            }
            Answer::Refuted => {
                node.flags.set(Flags::REFUTED);
                node.by = by;
            }
            Answer::NoMoreMoves => self.claim(id, by),
            Answer::Unknown => {
                let highest = self.options.budgets.highest;
                if node.level < highest {
                    let glanced = node.kind() == JobKind::Engine && node.level == Level::GLANCE;
                    self.raise_level(id);
                    if glanced && let Some(next) = self.options.first_numbers.after_glance() {
                        self.graph.node_mut(id).set_job_numbers(next);
                    }
                } else {
                    self.claim(id, by);
                }
            }
            Answer::Moves(children) => {
                if let Some(last) = children.last() {
                    let status = self.options.first_numbers.of(last.status);
                    let next = status.numbers_of_next_ask();
                    node.set_job_numbers(next);
                }
                for child in children {
                    self.lead(id, child, by)?;
                }
            }
            Answer::Open(children) => {
                node.flags.set(Flags::VERIFIED);
                node.by = by;
                let mut open = Vec::with_capacity(children.len());
                for child in children {
                    open.push(self.lead(id, child, by)?);
                }
                open.sort_unstable();
                let is_settled = |edge: &EdgeId| open.binary_search(edge).is_err();
                let settled: Vec<_> = self.graph.live_children(id).filter(is_settled).collect();
                for edge in settled {
                    self.set_edge(edge, EdgeState::Excused, AbortReason::Excused);
                }
                if self.has_proved_reply(id) {
                    self.want_settled(id);
                }
            }
            Answer::OpenSoFar(children) => {
                let highest = self.options.budgets.highest;
                node.level = Level(node.level.0.saturating_add(1)).min(highest);
                if let Some(next) = self.options.first_numbers.after_cut_short(node.level) {
                    node.set_job_numbers(next);
                }
                for child in children {
                    self.lead(id, child, by)?;
                }
            }
        }
        self.touch(id);
        self.touch_parents(id);
        Ok(())
    }

    fn apply_settled(
        &mut self,
        id: NodeId,
        excused: &[ChildIndex],
        needed: &[Child],
        next: Next,
    ) -> Result<(), ReplayError> {
        self.check_kind(id, JobKind::Verifier)?;
        let children: Vec<_> = self.graph.children(id).collect();
        for index in excused {
            let edge = children.get(index.0 as usize);
            let edge = *edge.ok_or(ReplayError::WrongMove(id))?;
            self.set_edge(edge, EdgeState::Excused, AbortReason::Excused);
        }
        for child in needed {
            self.lead(id, child, NOBODY)?;
        }
        match next {
            Next::Closed => self.graph.node_mut(id).flags.set(Flags::CLOSED),
            Next::Replies => {}
            Next::Verify => {
                self.graph.node_mut(id).flags.clear(Flags::VERIFIED);
                self.raise_level(id);
            }
        }
        self.touch(id);
        Ok(())
    }

    /// Leads a move to a child: a new edge, or the old one counts again.
    pub(super) fn lead(
        &mut self,
        id: NodeId,
        child: &Child,
        by: WorkerId,
    ) -> Result<EdgeId, ReplayError> {
        self.check_node(id)?;
        let edge = match self.graph.child_by_move(id, &child.mv) {
            Some(edge) => {
                self.set_edge(edge, EdgeState::Live, AbortReason::Excused);
                edge
            }
            None => {
                let rank = self.graph.node(id).rank_of_child(child.mv.stones().len());
                let known = self.graph.by_key(child.key);
                let fits = known.is_none_or(|known| self.graph.node(known).rank == rank);
                if !fits || child.symmetry >= self.graph.node(id).symmetries() {
                    return Err(ReplayError::WrongMove(id));
                }
                let Child {
                    mv,
                    key,
                    symmetry,
                    status,
                } = child;
                let status = self.options.first_numbers.of(*status);
                let edge = self.graph.link(id, mv, *key, *symmetry, status, by);
                self.start_counting(edge);
                edge
            }
        };
        let to = self.graph.child_of(edge);
        if self.graph.node(id).kind() == JobKind::Verifier
            && self.graph.node(to).numbers.is_proved()
        {
            self.want_settled(id);
        }
        self.touch(id);
        Ok(edge)
    }

    fn start_counting(&mut self, edge: EdgeId) {
        if self.pending.replaying {
            return;
        }
        let (parent, child) = (self.graph.parent_of(edge), self.graph.child_of(edge));
        if self.graph.node(parent).flags.has(Flags::COUNTED) {
            self.graph.node_mut(child).live_parents += 1;
            self.recount(child, AbortReason::AncestorSettled);
        }
        self.touch(child);
    }

    /// A worker says that nothing is left to try. It counts once enough say so.
    fn claim(&mut self, id: NodeId, by: WorkerId) {
        let claims = self.claims.entry(id).or_default();
        if !claims.contains(&by) {
            claims.push(by);
        }
    }

    fn raise_level(&mut self, id: NodeId) {
        let highest = self.options.budgets.highest;
        let node = self.graph.node_mut(id);
        node.level = Level(node.level.0.saturating_add(1)).min(highest);
        let Numbers { proof, disproof } = node.job_numbers();
        node.set_job_numbers(Numbers::new(proof.saturating_mul(2), disproof));
    }

    pub(super) fn check_node(&self, id: NodeId) -> Result<(), ReplayError> {
        if self.graph.contains(id) {
            Ok(())
        } else {
            Err(ReplayError::UnknownNode(id))
        }
    }

    fn check_kind(&self, id: NodeId, kind: JobKind) -> Result<(), ReplayError> {
        self.check_node(id)?;
        if self.graph.node(id).kind() == kind {
            Ok(())
        } else {
            Err(ReplayError::WrongKind(id))
        }
    }
}
