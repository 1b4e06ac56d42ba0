//! Replies that certificates answer, and which of them a job knows.

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use gridproof_search::{JobId, NodeId, WorkerId};
use rustc_hash::FxHashMap;

/// A reply at a node with its certificate, in the node's orientation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    pub mv: Move,
    /// Whose certificate it is.
    pub by: WorkerId,
    pub certificate: ContentHash,
    /// The serial of the job that brought it; 0 if that is not known any more.
    pub serial: u16,
}

/// The replies of nodes that certificates answer.
///
/// What a job knows is part of the job: whoever does the same job again, as an audit or a second
/// attempt, must know the same, or honest workers come to different answers. So a job knows what
/// jobs of lower serials brought, whenever it is given out.
#[derive(Debug, Default)]
pub struct Answers(FxHashMap<NodeId, Vec<KnownAnswer>>);

impl Answers {
    /// A reply at a node is answered. The first certificate stays.
    pub fn add(&mut self, node: NodeId, answer: KnownAnswer) {
        let answers = self.0.entry(node).or_default();
        if answers.iter().all(|known| known.mv != answer.mv) {
            answers.push(answer);
        }
    }

    /// All at a node.
    #[must_use]
    pub fn at(&self, node: NodeId) -> &[KnownAnswer] {
        self.0.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Those that a job knows.
    pub fn known_to(&self, job: JobId) -> impl Iterator<Item = &KnownAnswer> {
        let answers = self.at(job.node).iter();
        answers.filter(move |answer| answer.serial < job.serial)
    }

    /// Nobody will search this node again.
    pub fn forget(&mut self, node: NodeId) {
        self.0.remove(&node);
    }

    /// Forgets the answers of a worker that nobody trusts any more.
    pub fn withdraw(&mut self, worker: WorkerId) {
        for answers in self.0.values_mut() {
            answers.retain(|answer| answer.by != worker);
        }
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::Square;
    use gridproof_search::{JobKind, NodeKey};

    use super::*;

    const NODE: NodeId = NodeId(3);

    fn answer(square: usize, serial: u16) -> KnownAnswer {
        KnownAnswer {
            mv: Move::full([Square::from_index(square)]),
            by: WorkerId(1),
            certificate: ContentHash([0; 32]),
            serial,
        }
    }

    fn known(answers: &Answers, serial: u16) -> usize {
        let job = JobId {
            node: NODE,
            key: NodeKey([0; 2]),
            kind: JobKind::Verifier,
            serial,
        };
        answers.known_to(job).count()
    }

    #[test]
    fn a_job_that_is_done_again_knows_what_it_knew_the_first_time() {
        let mut answers = Answers::default();
        answers.add(NODE, answer(1, 0));
        assert_eq!((known(&answers, 0), known(&answers, 1)), (0, 1));
        answers.add(NODE, answer(2, 1));
        answers.add(NODE, answer(2, 0));
        assert_eq!((known(&answers, 1), known(&answers, 2)), (1, 2));
        answers.withdraw(WorkerId(1));
        assert_eq!(known(&answers, 2), 0);
    }
}
