//! Proofs with replies that they do not need, and what is left of them.

use std::sync::atomic::AtomicBool;

use gridproof_game::{Colour, Move, Position};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{VARIANTS, prove, random, random_position, rules};
use crate::builder::ProofBuilder;
use crate::check::{CheckLimits, Reason, check};
use crate::file::{CheckBudget, FileRefusal, read_proof, write_proof};
use crate::proof::{Answer, Node, Proof, ProofId, Reply};
use crate::prune::{Pruned, check_and_prune};

/// Adds replies to a proof, each with a proof of its own.
struct Padder<'a> {
    proof: &'a Proof,
    builder: ProofBuilder,
    random: SmallRng,
    added: usize,
}

impl Padder<'_> {
    fn node(&mut self, id: ProofId, at: &Position) -> ProofId {
        match self.proof.node(id) {
            Node::Attack { mv, then } => {
                let then = then.map(|then| self.node(then, &at.after(mv)));
                self.builder.attack(mv.clone(), then).unwrap()
            }
            Node::Defend { replies } => {
                let mut padded = self.padding(replies, at);
                let first = padded.len() as u32;
                for Reply { mv, answer } in replies {
                    let answer = match *answer {
                        Answer::Proof(id) => Answer::Proof(self.node(id, &at.after(mv))),
                        Answer::LikeReply(like) => Answer::LikeReply(like + first),
                    };
                    let mv = mv.clone();
                    padded.push(Reply { mv, answer });
                }
                self.builder.defend(padded).unwrap()
            }
        }
    }

    /// Replies that are not listed. They stand first, so that what they share with the others
    /// is told below them.
    fn padding(&mut self, listed: &[Reply], at: &Position) -> Vec<Reply> {
        let mut squares: Vec<_> = at.empties().iter().collect();
        squares.shuffle(&mut self.random);
        let count = at.move_len().min(squares.len());
        let mut padding = Vec::new();
        for stones in squares.chunks_exact(count).take(2) {
            let mut stones = stones.to_vec();
            stones.truncate(self.random.random_range(1..=count));
            stones.sort_unstable();
            let nulls = at.move_len() - stones.len();
            let mv = Move::new(stones, nulls as u8);
            let mut after = at.clone();
            if listed.iter().any(|reply| reply.mv == mv) || after.play(&mv).is_err() {
                continue;
            }
            let seed = self.random.random();
            let Some(proof) = prove(&after, self.proof.attacker(), seed) else {
                continue;
            };
            let answer = Answer::Proof(self.builder.graft(&proof).unwrap());
            padding.push(Reply { mv, answer });
            self.added += 1;
        }
        padding
    }
}

/// The proof with replies that it does not need, and how many.
fn padded(proof: &Proof, seed: u64) -> (Proof, usize) {
    let mut padder = Padder {
        proof,
        builder: ProofBuilder::new(proof.start().clone(), proof.attacker()),
        random: random(seed),
        added: 0,
    };
    let root = padder.node(proof.root(), proof.start());
    let proof = padder.builder.finish(root).unwrap();
    (proof.deduplicated().unwrap(), padder.added)
}

fn file(proof: &Proof) -> Vec<u8> {
    write_proof(proof, Vec::new()).unwrap().0
}

fn pruned_within(file: &[u8], memory: u64) -> Result<Pruned, FileRefusal> {
    let stop = AtomicBool::new(false);
    let budget = CheckBudget {
        events: u64::MAX,
        stop: &stop,
    };
    check_and_prune(file, CheckLimits { memory }, budget)
}

fn pruned(file: Vec<u8>) -> Vec<u8> {
    let pruned = pruned_within(&file, CheckLimits::default().memory).unwrap();
    pruned.file.unwrap_or(file)
}

/// Nodes that were padded in two ways are equal again.
fn merged(file: &[u8]) -> Proof {
    let (proof, _) = read_proof(file).unwrap();
    proof.deduplicated().unwrap()
}

/// Calls `then` with proofs by chance, each with its padded twin.
fn for_each_padded(mut then: impl FnMut(&Proof, &Proof)) {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let seeds = if is_long { 4_000 } else { 60 };
    for (i, variant) in VARIANTS.into_iter().enumerate() {
        for seed in 0..seeds {
            let mut random = random(1_000 * i as u64 + seed);
            let to_move = Colour::BOTH[usize::from(random.random_bool(0.5))];
            let start = random_position(rules(variant), 8, to_move, &mut random);
            let Some(proof) = prove(&start, Colour::Black, seed) else {
                continue;
            };
            let proof = proof.deduplicated().unwrap();
            let (padded, added) = padded(&proof, seed);
            if added > 0 {
                then(&proof, &padded);
            }
        }
    }
}

#[test]
fn what_is_left_of_a_padded_proof_is_what_is_left_of_the_proof() {
    let mut tried = 0;
    for_each_padded(|proof, padded| {
        check(padded).expect("padding does no harm");
        assert_eq!(merged(&pruned(file(padded))), merged(&pruned(file(proof))));
        tried += 1;
    });
    assert!(tried >= 90, "{tried}");
}

#[test]
fn a_pruned_proof_has_the_zone_that_it_had_and_nothing_more_to_lose() {
    for_each_padded(|_, padded| {
        let whole = check(padded).unwrap();
        let left = pruned(file(padded));
        let again = pruned_within(&left, CheckLimits::default().memory).unwrap();
        assert!(again.file.is_none());
        let checked = again.checked.checked;
        assert_eq!(
            (checked.zone, checked.first_move),
            (whole.zone, whole.first_move)
        );
        assert!(checked.nodes <= whole.nodes);
    });
}

#[test]
fn pruning_ends_where_its_memory_does() {
    let (mut refused, mut tried) = (0, 0);
    for_each_padded(|_, padded| {
        let file = file(padded);
        for memory in (0..4_096).step_by(256) {
            tried += 1;
            match pruned_within(&file, memory) {
                Ok(_) => {}
                Err(FileRefusal::Refused(refusal)) => {
                    assert_eq!(refusal.reason, Reason::OutOfMemory(memory));
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
    });
    assert!(refused > 0 && refused < tried, "{refused} of {tried}");
}
