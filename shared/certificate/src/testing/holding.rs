//! Proofs that a side does not lose: the checker agrees with the exact solver, and damaged or
//! forged proofs get through only if what they say is still true.

use std::collections::HashMap;

use gridproof_game::{Colour, Move, Position, Rules, Square, State, Symmetry};
use rand::Rng;
use rand::rngs::SmallRng;

use super::{Oracle, VARIANTS, drawn, random, random_position, rules, squares};
use crate::file::{FormatError, Header};
use crate::hold::{
    HoldFileRefusal, HoldLink, HoldNode, HoldProof, HoldRefusal, check_hold, check_hold_file,
    read_hold, write_hold,
};

/// Writes down what the exact solver knows, turning the board at every step as chance has it.
struct Holder {
    holder: Colour,
    oracle: Oracle,
    nodes: Vec<HoldNode>,
    known: HashMap<Position, u32>,
    random: SmallRng,
}

fn prove_hold(start: &Position, holder: Colour, seed: u64) -> Option<HoldProof> {
    let mut prover = Holder {
        holder,
        oracle: Oracle::new(*start.rules()),
        nodes: Vec::new(),
        known: HashMap::new(),
        random: random(seed),
    };
    if prover.oracle.wins(start, holder.other()) {
        return None;
    }
    prover.node(start);
    Some(HoldProof {
        start: start.clone(),
        holder,
        nodes: prover.nodes,
    })
}

impl Holder {
    fn link(&mut self, position: &Position) -> HoldLink {
        let all: Vec<_> = Symmetry::all(position.rules()).collect();
        let symmetry = all[self.random.random_range(0..all.len())];
        let node = self.node(&position.transformed(symmetry));
        HoldLink { node, symmetry }
    }

    fn node(&mut self, position: &Position) -> u32 {
        if let Some(&node) = self.known.get(position) {
            return node;
        }
        let node = self.strategy(position);
        self.nodes.push(node);
        let node = self.nodes.len() as u32 - 1;
        self.known.insert(position.clone(), node);
        node
    }

    fn strategy(&mut self, position: &Position) -> HoldNode {
        if position.state() == State::Drawn {
            return HoldNode::Pairing { groups: Vec::new() };
        }
        let moves = moves_of(position);
        if position.to_move() == self.holder {
            let won = |mv: &&Move| position.after(mv).state() == State::Won(self.holder);
            if let Some(mv) = moves.iter().find(won) {
                return HoldNode::Hold {
                    mv: mv.clone(),
                    then: None,
                };
            }
            let opponent = self.holder.other();
            let holds = moves
                .into_iter()
                .find(|mv| !self.oracle.wins(&position.after(mv), opponent));
            let mv = holds.expect("the holder does not lose");
            let then = Some(self.link(&position.after(&mv)));
            return HoldNode::Hold { mv, then };
        }
        let mut replies = Vec::new();
        for mv in moves {
            let after = position.after(&mv);
            let loses_at_once = after.state() == State::Open
                && moves_of(&after)
                    .iter()
                    .any(|mv| after.after(mv).state() == State::Won(self.holder));
            if !loses_at_once {
                let link = self.link(&after);
                replies.push((mv, link));
            }
        }
        HoldNode::Oppose { replies }
    }
}

fn moves_of(position: &Position) -> Vec<Move> {
    let empties: Vec<Square> = position.empties().iter().collect();
    let mut sets: Vec<Vec<Square>> = vec![Vec::new()];
    for _ in 0..position.move_len() {
        sets = sets
            .iter()
            .flat_map(|set| {
                let last = set.last().copied();
                let later = empties
                    .iter()
                    .filter(move |s| last.is_none_or(|last| **s > last));
                later.map(|&square| [&set[..], &[square]].concat())
            })
            .collect();
    }
    sets.into_iter().map(Move::full).collect()
}

/// Proofs of some small games.
fn samples(seed: u64, count: usize) -> Vec<HoldProof> {
    let mut random = random(seed);
    let mut found = Vec::new();
    for variant in [(3, 3, 3, 1, 1), (4, 4, 4, 1, 1), (4, 3, 3, 2, 1)] {
        let mut wanted = count;
        while wanted > 0 {
            let to_move = Colour::BOTH[random.random_range(0..2)];
            let holder = Colour::BOTH[random.random_range(0..2)];
            let start = random_position(rules(variant), 7, to_move, &mut random);
            if let Some(proof) = prove_hold(&start, holder, random.random())
                && (4..200).contains(&proof.nodes.len())
            {
                found.push(proof);
                wanted -= 1;
            }
        }
    }
    found
}

fn file_of(proof: &HoldProof) -> Vec<u8> {
    write_hold(proof, Vec::new()).unwrap().0
}

fn assert_true(start: &Position, holder: Colour, what: &str) {
    let mut oracle = Oracle::new(*start.rules());
    let loses = oracle.wins(start, holder.other());
    assert!(!loses, "{what}: {holder} loses {start:?}");
}

#[test]
fn what_the_exact_solver_holds_the_checker_accepts() {
    let mut random = random(31);
    for variant in VARIANTS {
        let mut held = 0;
        for _ in 0..30 {
            let to_move = Colour::BOTH[random.random_range(0..2)];
            let start = random_position(rules(variant), 7, to_move, &mut random);
            for holder in Colour::BOTH {
                if let Some(proof) = prove_hold(&start, holder, random.random()) {
                    let checked = check_hold(&proof).unwrap_or_else(|refusal| {
                        panic!("{holder} holds {start:?}: {refusal}");
                    });
                    assert_eq!(checked.nodes, proof.nodes.len() as u64);
                    held += 1;
                }
            }
        }
        assert!(held > 0, "{variant:?}");
    }
}

#[test]
fn a_proof_reads_back_from_its_file() {
    for proof in samples(32, 3) {
        let file = file_of(&proof);
        let (again, hash) = read_hold(&file[..]).unwrap();
        assert_eq!(again, proof);
        assert_eq!(check_hold_file(&file[..]).unwrap().hash, hash);
    }
}

#[test]
fn a_file_cut_off_or_damaged_anywhere_is_refused_or_says_the_same() {
    let proof = &samples(33, 1)[0];
    let file = file_of(proof);
    for len in 0..file.len() {
        let refusal = check_hold_file(&file[..len]).expect_err("a part of a file");
        assert!(
            matches!(refusal, HoldFileRefusal::Unreadable(FormatError::Truncated)),
            "{len}: {refusal}"
        );
    }
    let whole = check_hold_file(&file[..]).unwrap();
    for bit in 0..8 * file.len() {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(checked) = check_hold_file(&damaged[..]) {
            assert_eq!(checked, whole, "bit {bit}");
        }
    }
}

/// A forger would see to the hash: then it is for the rules of proof to refuse.
#[test]
fn a_forged_file_is_refused_or_true() {
    for proof in samples(34, 2) {
        let file = file_of(&proof);
        let mut cursor = std::io::Cursor::new(&file[..]);
        Header::read_as(b"\x89GPHOLD\n", &mut cursor).unwrap();
        let (header, rest) = file.split_at(cursor.position() as usize);
        let body = zstd::decode_all(&rest[..rest.len() - 32]).unwrap();
        let whole = [header, &body].concat();
        let mut accepted = 0;
        for bit in 0..8 * whole.len() {
            let mut forged = whole.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let hash = blake3::hash(&forged);
            let (head, body) = forged.split_at(header.len());
            let frame = zstd::encode_all(body, 1).unwrap();
            let file = [head, &frame, hash.as_bytes()].concat();
            if let Ok(file) = check_hold_file(&file[..]) {
                accepted += 1;
                let start = &file.checked.start;
                if start.empties().len() <= 14 && start.rules().area() <= 64 {
                    assert_true(start, file.checked.holder, &format!("bit {bit}"));
                }
            }
        }
        println!("{accepted} of {} forgeries are true", 8 * whole.len());
    }
}

/// Changes one thing about a proof.
fn mutated(proof: &HoldProof, random: &mut SmallRng) -> HoldProof {
    let mut mutant = proof.clone();
    let at = random.random_range(0..mutant.nodes.len());
    let empties: Vec<Square> = proof.start.empties().iter().collect();
    let any = empties[random.random_range(0..empties.len())];
    let other = HoldLink {
        node: random.random_range(0..mutant.nodes.len()) as u32,
        symmetry: Symmetry::IDENTITY,
    };
    let change = |mv: &mut Move, random: &mut SmallRng| {
        let mut stones = mv.stones().to_vec();
        let one = random.random_range(0..stones.len());
        stones[one] = any;
        if let Ok(changed) = Move::try_new(stones, 0) {
            *mv = changed;
        }
    };
    match &mut mutant.nodes[at] {
        HoldNode::Hold { mv, then } => match random.random_range(0..4) {
            0 => *then = None,
            1 => *then = Some(other),
            _ => change(mv, random),
        },
        HoldNode::Oppose { replies } if replies.is_empty() => {
            replies.push((Move::full([any]), other));
        }
        HoldNode::Oppose { replies } => {
            let one = random.random_range(0..replies.len());
            match random.random_range(0..4) {
                0 => drop(replies.remove(one)),
                1 => change(&mut replies[one].0, random),
                2 => replies[one].1 = other,
                _ => mutant.nodes[at] = HoldNode::Pairing { groups: Vec::new() },
            }
        }
        HoldNode::Pairing { groups } => groups.push(vec![any]),
    }
    mutant
}

#[test]
fn a_proof_with_one_thing_changed_is_refused_or_true() {
    let mut random = random(35);
    let (mut changed, mut refused) = (0, 0);
    for proof in samples(36, 6) {
        for _ in 0..150 {
            let mutant = mutated(&proof, &mut random);
            if mutant == proof {
                continue;
            }
            changed += 1;
            match check_hold(&mutant) {
                Err(_) => refused += 1,
                Ok(checked) => assert_true(&checked.start, checked.holder, "a mutant"),
            }
        }
    }
    println!("{refused} of {changed} mutants refused");
    assert!(refused * 3 > changed * 2);
}

#[test]
fn a_proof_of_another_position_or_side_is_refused_or_true() {
    let mut random = random(37);
    for proof in samples(38, 4) {
        for _ in 0..20 {
            let start = &proof.start;
            let other = random_position(*start.rules(), 7, start.to_move(), &mut random);
            let moved = HoldProof {
                start: other,
                ..proof.clone()
            };
            if let Ok(checked) = check_hold(&moved) {
                assert_true(&checked.start, checked.holder, "another position");
            }
        }
        let turned = HoldProof {
            holder: proof.holder.other(),
            ..proof.clone()
        };
        if let Ok(checked) = check_hold(&turned) {
            assert_true(&checked.start, checked.holder, "the other side");
        }
    }
}

/// The pairing of Hales and Jewett on five by five: White holds without a search.
#[test]
fn the_known_pairing_of_five_by_five_is_accepted_and_none_of_its_pairs_can_go() {
    let rules = Rules::new(5, 5, 5, 1, 1).unwrap();
    let pairs = [
        "A5 E1", "A1 E5", "B5 D5", "B1 D1", "A2 A4", "E2 E4", "A3 E3", "C1 C5", "C2 D2", "B4 C4",
        "B2 B3", "D3 D4",
    ];
    let with = |left_out: Option<usize>| {
        let kept = (0..pairs.len()).filter(|at| Some(*at) != left_out);
        HoldProof {
            start: Position::start(rules),
            holder: Colour::White,
            nodes: vec![HoldNode::Pairing {
                groups: kept.map(|at| squares(pairs[at])).collect(),
            }],
        }
    };
    assert!(check_hold(&with(None)).is_ok());
    for at in 0..pairs.len() {
        let refusal = check_hold(&with(Some(at))).expect_err("a pair is missing");
        assert!(matches!(refusal, HoldRefusal::Unpaired { .. }), "{refusal}");
    }
}

/// Black holds a corner that White could close: one pair is left, and no more is needed.
#[test]
fn groups_are_disjoint_empty_and_larger_than_a_turn() {
    let rules = Rules::new(3, 3, 3, 1, 1).unwrap();
    let start = drawn(rules, &["WBW", "BB.", ".W."], Colour::White);
    let with = |groups: &[&str]| HoldProof {
        start: start.clone(),
        holder: Colour::White,
        nodes: vec![HoldNode::Pairing {
            groups: groups.iter().map(|names| squares(names)).collect(),
        }],
    };
    let refusal = |groups: &[&str]| check_hold(&with(groups)).expect_err("no pairing");
    assert!(matches!(refusal(&[]), HoldRefusal::Unpaired { .. }));
    assert!(matches!(refusal(&["C2"]), HoldRefusal::GroupSize { .. }));
    assert!(matches!(
        refusal(&["A1 C1", "A1 C2"]),
        HoldRefusal::GroupSquare { .. }
    ));
    assert!(matches!(
        refusal(&["B2 C2"]),
        HoldRefusal::GroupSquare { .. }
    ));
}

#[test]
fn a_larger_first_turn_allows_no_pairing() {
    let rules = Rules::new(9, 9, 9, 1, 2).unwrap();
    let proof = HoldProof {
        start: Position::start(rules),
        holder: Colour::White,
        nodes: vec![HoldNode::Pairing { groups: Vec::new() }],
    };
    assert_eq!(check_hold(&proof), Err(HoldRefusal::FirstTurn(0)));
}
