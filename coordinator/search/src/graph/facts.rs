//! Facts change the graph. Live events and replay both come through here, so a replay cannot
//! come to another graph than the events did.

use gridproof_game::{Colour, Position};

use super::{EdgeId, EdgeState, Flags, Graph, NOBODY, OPERATOR};
use crate::effect::AbortReason;
use crate::fact::{Child, ChildIndex, Next, StoredResult};
use crate::ids::{NodeId, SearchId, WorkerId};
use crate::job::{JobResult, Level, Side};
use crate::key::NodeKey;
use crate::numbers::{Numbers, Policy};

/// Why facts do not fit together. Only a damaged or foreign store has such facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("a fact speaks of {0}, which no fact before it made: the store lacks facts")]
    UnknownNode(NodeId),
    #[error("a fact gives {0} an answer of the other kind: the store mixes two searches")]
    WrongKind(NodeId),
    #[error("a fact leads a move from {0} to a position that cannot follow: the store is damaged")]
    WrongMove(NodeId),
    #[error("a fact speaks of {0}, which no fact before it started: the store lacks facts")]
    UnknownSearch(SearchId),
}

/// What an answer leaves to say about its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Nothing,
    /// The worker says that nothing is left to try here.
    NothingLeft,
}

impl<P: Policy> Graph<P> {
    /// A search starts at a position.
    pub(crate) fn add_root(
        &mut self,
        key: NodeKey,
        canonical: Position,
        attacker: Colour,
    ) -> NodeId {
        let root = self.plant(key, canonical, attacker);
        self.node_mut(root).flags.insert(Flags::ROOT);
        self.recount(root, AbortReason::Ordered);
        self.touch(root);
        root
    }

    /// No search starts here any more.
    pub(crate) fn drop_root(&mut self, root: NodeId) {
        self.node_mut(root).flags.remove(Flags::ROOT);
        self.recount(root, AbortReason::Ordered);
    }

    /// A job was answered.
    pub(crate) fn answer(
        &mut self,
        id: NodeId,
        by: WorkerId,
        answer: &StoredResult,
    ) -> Result<Claim, ReplayError> {
        match answer {
            JobResult::Moves(_) | JobResult::NoMoreMoves => self.check_side(id, Side::Attacker)?,
            JobResult::Open(_) | JobResult::OpenSoFar(_) | JobResult::Refuted => {
                self.check_side(id, Side::Defender)?;
            }
            JobResult::Won | JobResult::Unknown => self.check_node(id)?,
        }
        let (highest, first_numbers) = (self.highest, self.arithmetic.first_numbers());
        let node = self.node_mut(id);
        node.next_serial();
        node.attempts = 0;
        let mut claim = Claim::Nothing;
        match answer {
            JobResult::Won => {
                node.flags.insert(Flags::WON);
                node.by = by;
            }
            JobResult::Refuted => {
                node.flags.insert(Flags::REFUTED);
                node.by = by;
            }
            JobResult::NoMoreMoves => claim = Claim::NothingLeft,
            JobResult::Unknown if node.level >= highest => claim = Claim::NothingLeft,
            JobResult::Unknown => {
                let glanced = node.side() == Side::Attacker && node.level == Level::GLANCE;
                self.raise_level(id);
                if glanced && let Some(next) = first_numbers.after_glance() {
                    self.node_mut(id).set_job_numbers(next);
                }
            }
            JobResult::Moves(children) => {
                if let Some(last) = children.last() {
                    let status = first_numbers.of(last.status);
                    node.set_job_numbers(status.numbers_of_next_ask());
                }
                self.lead_all(id, children, by)?;
            }
            JobResult::Open(children) => {
                node.flags.insert(Flags::VERIFIED);
                node.by = by;
                let mut open = self.lead_all(id, children, by)?;
                open.sort_unstable();
                let is_settled = |edge: &EdgeId| open.binary_search(edge).is_err();
                let settled: Vec<_> = self.live_children(id).filter(is_settled).collect();
                for edge in settled {
                    self.set_edge(edge, EdgeState::Excused, AbortReason::Excused);
                }
                self.want_settled_if_proved(id);
            }
            JobResult::OpenSoFar(children) => {
                node.level = node.level.next(highest);
                if let Some(next) = first_numbers.after_cut_short(node.level) {
                    node.set_job_numbers(next);
                }
                self.lead_all(id, children, by)?;
            }
        }
        self.touch_with_parents(id);
        Ok(claim)
    }

    /// A verifier that is still running found a move that it cannot settle.
    pub(crate) fn find_reply(
        &mut self,
        id: NodeId,
        by: WorkerId,
        child: &Child,
    ) -> Result<(), ReplayError> {
        self.check_side(id, Side::Defender)?;
        self.lead(id, child, by)?;
        self.touch_parents(id);
        Ok(())
    }

    /// The shell settled what it could.
    pub(crate) fn settle(
        &mut self,
        id: NodeId,
        excused: &[ChildIndex],
        needed: &[Child],
        next: Next,
    ) -> Result<(), ReplayError> {
        self.check_side(id, Side::Defender)?;
        let children: Vec<_> = self.children(id).collect();
        for index in excused {
            let edge = children.get(index.0 as usize);
            let edge = *edge.ok_or(ReplayError::WrongMove(id))?;
            self.set_edge(edge, EdgeState::Excused, AbortReason::Excused);
        }
        self.lead_all(id, needed, NOBODY)?;
        match next {
            Next::Closed => self.node_mut(id).flags.insert(Flags::CLOSED),
            Next::Replies => {}
            Next::Verify => {
                self.node_mut(id).flags.remove(Flags::VERIFIED);
                self.raise_level(id);
            }
        }
        self.touch(id);
        Ok(())
    }

    /// Nothing is left to try here.
    pub(crate) fn give_up(&mut self, id: NodeId) -> Result<(), ReplayError> {
        self.set_flag(id, Flags::GIVEN_UP, true)
    }

    /// An operator wants an attacker's move tried. If an engine has named it before, it is the
    /// operator's now: it is no longer late, and stays when that engine's results are withdrawn.
    pub(crate) fn try_move(&mut self, id: NodeId, child: &Child) -> Result<(), ReplayError> {
        let edge = self.lead(id, child, NOBODY)?;
        self.edge_mut(edge).by = NOBODY;
        let hinted = self.arithmetic.first_numbers().of(child.status);
        let to = self.child_of(edge);
        let node = self.node_mut(to);
        if !node.is_expanded() {
            let hinted = hinted.numbers_for(node.side());
            if hinted.proof < node.job_numbers().proof {
                node.set_job_numbers(hinted);
            }
        }
        self.set_forgotten(to, false)
    }

    /// An operator wants a defender's move looked at.
    pub(crate) fn try_reply(&mut self, id: NodeId, child: &Child) -> Result<(), ReplayError> {
        self.lead(id, child, OPERATOR)?;
        self.touch_parents(id);
        self.want_settled_if_proved(id);
        Ok(())
    }

    pub(crate) fn set_forgotten(&mut self, id: NodeId, on: bool) -> Result<(), ReplayError> {
        self.set_flag(id, Flags::FORGOTTEN, on)?;
        self.recount(id, AbortReason::Ordered);
        self.touch_parents(id);
        Ok(())
    }

    pub(crate) fn set_paused(&mut self, id: NodeId, on: bool) -> Result<(), ReplayError> {
        self.set_flag(id, Flags::PAUSED, on)
    }

    fn set_flag(&mut self, id: NodeId, flag: Flags, on: bool) -> Result<(), ReplayError> {
        self.check_node(id)?;
        self.node_mut(id).flags.set(flag, on);
        self.touch(id);
        Ok(())
    }

    fn lead_all(
        &mut self,
        id: NodeId,
        children: &[Child],
        by: WorkerId,
    ) -> Result<Vec<EdgeId>, ReplayError> {
        let children = children.iter();
        children.map(|child| self.lead(id, child, by)).collect()
    }

    /// Leads a move to a child: a new edge, or the old one counts again.
    fn lead(&mut self, id: NodeId, child: &Child, by: WorkerId) -> Result<EdgeId, ReplayError> {
        self.check_node(id)?;
        let edge = match self.child_by_move(id, &child.mv) {
            Some(edge) => {
                self.set_edge(edge, EdgeState::Live, AbortReason::Excused);
                edge
            }
            None => {
                let rank = self.node(id).rank_of_child(child.mv.stones().len());
                let known = self.by_key(child.key);
                let fits = known.is_none_or(|known| self.node(known).rank == rank);
                if !fits || child.symmetry >= self.node(id).symmetries() {
                    return Err(ReplayError::WrongMove(id));
                }
                let edge = self.link(id, child, by);
                self.start_counting(edge);
                edge
            }
        };
        let to = self.child_of(edge);
        if self.node(id).side() == Side::Defender && self.node(to).numbers.is_proved() {
            self.want_settled(id);
        }
        self.touch(id);
        Ok(edge)
    }

    fn raise_level(&mut self, id: NodeId) {
        let highest = self.highest;
        let node = self.node_mut(id);
        node.level = node.level.next(highest);
        let Numbers { proof, disproof } = node.job_numbers();
        node.set_job_numbers(Numbers::new(proof.saturating_mul(2), disproof));
    }

    pub(crate) fn check_node(&self, id: NodeId) -> Result<(), ReplayError> {
        if self.contains(id) {
            Ok(())
        } else {
            Err(ReplayError::UnknownNode(id))
        }
    }

    fn check_side(&self, id: NodeId, side: Side) -> Result<(), ReplayError> {
        self.check_node(id)?;
        if self.node(id).side() == side {
            Ok(())
        } else {
            Err(ReplayError::WrongKind(id))
        }
    }
}
