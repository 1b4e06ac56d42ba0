//! Files that were damaged or forged: none gets through unless what it says is still true.

use std::io::Cursor;

use gridproof_game::{Colour, Move, Position};
use rand::Rng;
use rand::rngs::SmallRng;

use super::{Oracle, prove, random, random_position, rules};
use crate::builder::ProofBuilder;
use crate::check::{CheckLimits, Checked, Claim, Reason, check};
use crate::file::{
    CheckedFile, FileRefusal, FormatError, Header, ProofWriter, check_file, read_proof, write_proof,
};
use crate::proof::{Answer, Node, Proof, ProofId, Reply};
use crate::walk::Walk;

fn file_of(proof: &Proof) -> Vec<u8> {
    write_proof(proof, Vec::new()).unwrap().0
}

fn check_bytes(bytes: &[u8]) -> Result<CheckedFile, FileRefusal> {
    check_file(bytes, CheckLimits::default())
}

/// Proofs of some small games, with nulls, replays and shared nodes in them.
fn samples(seed: u64, count: usize) -> Vec<Proof> {
    let mut random = random(seed);
    let mut found = Vec::new();
    for variant in [(4, 4, 4, 2, 1), (5, 4, 4, 1, 1), (5, 4, 4, 2, 2)] {
        let mut wanted = count;
        while wanted > 0 {
            let to_move = Colour::BOTH[random.random_range(0..2)];
            let start = random_position(rules(variant), 10, to_move, &mut random);
            if let Some(proof) = prove(&start, Colour::Black, random.random())
                && (5..80).contains(&proof.len())
            {
                found.push(proof);
                wanted -= 1;
            }
        }
    }
    found
}

/// Whether the board is small enough for the exact solver.
fn can_be_settled(checked: &Checked) -> bool {
    let start = &checked.claim.start;
    start.rules().area() <= 64 && start.empties().len() <= 16
}

/// What a file that was accepted says must be so.
fn assert_true(checked: &Checked, what: &str) {
    let claim = &checked.claim;
    let mut exact = Oracle::new(*claim.start.rules());
    assert!(
        exact.wins(&claim.start, claim.attacker),
        "{what}: a false win: {claim:?}"
    );
}

/// A file's header and its events, unpacked.
fn taken_apart(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut cursor = Cursor::new(file);
    Header::read(&mut cursor).unwrap();
    let (header, rest) = file.split_at(cursor.position() as usize);
    let body = zstd::decode_all(&rest[..rest.len() - 32]).unwrap();
    (header.to_vec(), body)
}

/// The file with this header and these events, and a hash that fits them.
fn put_together(header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(header).update(body);
    let frame = zstd::encode_all(body, 1).unwrap();
    [header, &frame, hasher.finalize().as_bytes()].concat()
}

#[test]
fn a_proof_reads_back_from_its_file() {
    for proof in samples(11, 4) {
        let file = file_of(&proof);
        let (again, hash) = read_proof(&file[..]).unwrap();
        assert_eq!(again.stats(), proof.stats());
        assert_eq!(file_of(&again), file, "one content has one spelling");
        let checked = check_bytes(&file).unwrap();
        assert_eq!(checked.hash, hash);
        assert_eq!(checked.checked, check(&proof).unwrap());
        let (header, body) = taken_apart(&file);
        assert_eq!(check_bytes(&put_together(&header, &body)).unwrap(), checked);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let file = file_of(&samples(12, 1)[0]);
    for len in 0..file.len() {
        let refusal = check_bytes(&file[..len]).expect_err("a part of a file");
        assert!(
            matches!(refusal, FileRefusal::Unreadable(FormatError::Truncated)),
            "{len} of {} bytes: {refusal}",
            file.len()
        );
        assert!(read_proof(&file[..len]).is_err());
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_refused_or_says_the_same() {
    let proof = &samples(13, 1)[1];
    let file = file_of(proof);
    let whole = check_bytes(&file).unwrap();
    for bit in 0..8 * file.len() {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(checked) = check_bytes(&damaged) {
            assert_eq!(checked, whole, "bit {bit}");
        }
    }
}

/// Where a file says how large the board is.
const BOARD_SIZE: std::ops::Range<usize> = 10..12;

/// A forger would see to the hash: then it is for the rules of proof to refuse. A line that
/// wins on a small board may well win on a much larger one, which nobody can settle by
/// trying.
#[test]
fn a_forged_file_is_refused_or_true() {
    for (sample, proof) in samples(14, 2).iter().enumerate() {
        let (header, body) = taken_apart(&file_of(proof));
        let whole = [&header[..], &body].concat();
        let mut accepted = 0;
        for bit in 0..8 * whole.len() {
            let mut forged = whole.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let (header, body) = forged.split_at(header.len());
            if let Ok(file) = check_bytes(&put_together(header, body)) {
                accepted += 1;
                if can_be_settled(&file.checked) {
                    assert_true(&file.checked, &format!("sample {sample}, bit {bit}"));
                } else {
                    assert!(BOARD_SIZE.contains(&(bit / 8)), "bit {bit}");
                }
            }
        }
        println!(
            "sample {sample}: {accepted} of {} forgeries are true",
            8 * whole.len()
        );
    }
}

/// Changes one thing about a proof; the graph stays well-formed.
fn mutated(proof: &Proof, random: &mut SmallRng) -> Proof {
    let mut mutant = proof.clone();
    let empties: Vec<_> = proof.start().empties().iter().collect();
    let id = random.random_range(0..mutant.nodes.len());
    let attack_before = (0..id)
        .rev()
        .find(|i| matches!(mutant.nodes[*i], Node::Attack { .. }));
    let change_square = |mv: &mut Move, random: &mut SmallRng| {
        let mut stones: Vec<_> = mv.stones().to_vec();
        let new = empties[random.random_range(0..empties.len())];
        match stones.len() {
            0 => stones.push(new),
            len => stones[random.random_range(0..len)] = new,
        }
        let nulls = mv.len() - stones.len();
        if let Ok(changed) = Move::try_new(stones, nulls as u8) {
            *mv = changed;
        }
    };
    match &mut mutant.nodes[id] {
        Node::Attack { mv, then } => match random.random_range(0..3) {
            0 => *then = None,
            _ => change_square(mv, random),
        },
        Node::Defend { replies } if replies.is_empty() => {}
        Node::Defend { replies } => {
            let one = random.random_range(0..replies.len());
            match random.random_range(0..5) {
                // Later replies may be like the one that goes: then they are like another.
                0 => drop(replies.remove(one)),
                1 => replies.truncate(one),
                2 => change_square(&mut replies[one].mv, random),
                3 => {
                    let other = random.random_range(0..replies.len());
                    let (a, b) = (replies[one].answer, replies[other].answer);
                    (replies[one].answer, replies[other].answer) = (b, a);
                }
                _ => {
                    if let Some(child) = attack_before {
                        replies[one].answer = Answer::Proof(ProofId(child as u32));
                    }
                }
            }
        }
    }
    mutant
}

#[test]
fn a_proof_with_one_thing_changed_is_refused_or_true() {
    let mut random = random(15);
    let (mut changed, mut refused) = (0, 0);
    for proof in samples(16, 6) {
        for _ in 0..150 {
            let mutant = mutated(&proof, &mut random);
            if mutant == proof {
                continue;
            }
            changed += 1;
            match check(&mutant) {
                Err(_) => refused += 1,
                Ok(checked) => assert_true(&checked, "a mutant"),
            }
        }
    }
    println!("{refused} of {changed} mutants refused");
    assert!(refused * 2 > changed);
}

#[test]
fn a_proof_of_one_side_is_none_of_the_other() {
    for proof in samples(17, 3) {
        let (mut header, body) = taken_apart(&file_of(&proof));
        let attacker = BOARD_SIZE.end + 4;
        assert_eq!(header[attacker], b'B');
        header[attacker] = b'W';
        let refusal = check_bytes(&put_together(&header, &body)).unwrap_err();
        assert!(matches!(refusal, FileRefusal::Refused(_)), "{refusal}");
    }
}

#[test]
fn a_proof_of_another_position_is_refused_or_true() {
    let mut random = random(18);
    for proof in samples(19, 4) {
        let start = proof.start();
        for _ in 0..20 {
            let other = random_position(*start.rules(), 10, start.to_move(), &mut random);
            let moved = Proof {
                start: other,
                ..proof.clone()
            };
            if let Ok(checked) = check(&moved) {
                assert_true(&checked, "another position");
            }
        }
    }
}

#[test]
fn other_files_and_versions_are_refused_in_words() {
    let file = file_of(&samples(20, 1)[0]);
    let refusal = |bytes: &[u8]| check_bytes(bytes).unwrap_err().to_string();
    assert!(refusal(b"(;GM[1]FF[4]SZ[19])").contains("no proof file"));
    let mut newer = file.clone();
    newer[8] = 2;
    assert_eq!(
        refusal(&newer),
        "a proof file of version 2, and this program reads version 1: use the program that \
         wrote it"
    );
    let longer = [&file[..], b"\n"].concat();
    assert!(refusal(&longer).contains("goes on after the proof's end"));
    let (mut header, body) = taken_apart(&file);
    let nodes = header.len() - 8;
    header[nodes] += 1;
    assert!(refusal(&put_together(&header, &body)).contains("announces"));
    let (header, mut body) = taken_apart(&file);
    body.push(0);
    assert!(refusal(&put_together(&header, &body)).contains("goes on after the proof's end"));
}

/// A chain of moves deeper than any stack: the board is full long before.
#[test]
fn a_bottomless_file_is_refused_and_overflows_nothing() {
    let start = Position::start(rules((5, 5, 5, 1, 1)));
    let claim = Claim {
        start,
        attacker: Colour::Black,
    };
    let depth: u64 = 300_000;
    let mut builder = ProofBuilder::new(claim.start.clone(), claim.attacker);
    let mv = Move::full(super::squares("A1"));
    let mut last = builder.attack(mv.clone(), None).unwrap();
    for _ in 0..depth {
        let reply = Reply {
            mv: Move::null(1),
            answer: Answer::Proof(last),
        };
        let defend = builder.defend(vec![reply]).unwrap();
        last = builder.attack(mv.clone(), Some(defend)).unwrap();
    }
    let proof = builder.finish(last).unwrap();
    let file = file_of(&proof);
    assert_eq!(read_proof(&file[..]).unwrap().0, proof);
    let FileRefusal::Refused(refusal) = check_bytes(&file).unwrap_err() else {
        panic!("the file is well-formed");
    };
    assert!(matches!(refusal.reason, Reason::Taken { .. }));
    assert_eq!(proof.stats().depth as u64, 2 * depth + 1);
}

#[test]
fn a_checker_that_may_keep_little_says_so() {
    let proof = samples(21, 1)
        .into_iter()
        .max_by_key(Proof::len)
        .expect("there are samples");
    let limits = CheckLimits { memory: 100 };
    let Err(FileRefusal::Refused(refusal)) = check_file(&file_of(&proof)[..], limits) else {
        panic!("100 bytes are enough?");
    };
    assert_eq!(refusal.reason, Reason::OutOfMemory(100));
}

#[test]
fn a_writer_refuses_events_that_tell_no_proof() {
    let proof = &samples(22, 1)[0];
    let claim = Claim {
        start: proof.start().clone(),
        attacker: proof.attacker(),
    };
    let events: Vec<_> = Walk::new(proof).collect();
    let begin = |nodes| ProofWriter::new(Vec::new(), claim.clone(), nodes).unwrap();
    let mut short = begin(proof.len() as u64);
    for event in &events[..events.len() - 1] {
        short.write(event).unwrap();
    }
    assert!(short.finish().is_err());
    let mut long = begin(proof.len() as u64);
    for event in &events {
        long.write(event).unwrap();
    }
    assert!(long.write(&events[0]).is_err());
    let mut miscounted = begin(proof.len() as u64 + 1);
    for event in &events {
        miscounted.write(event).unwrap();
    }
    assert!(miscounted.finish().is_err());
}
