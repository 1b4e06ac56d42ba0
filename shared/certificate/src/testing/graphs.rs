//! Proofs as graphs: built, turned, grafted, thinned out, saved.

use gridproof_game::{Colour, Move, Position, Symmetry};

use super::{drawn, prove, rules, squares};
use crate::builder::{BuildError, ProofBuilder};
use crate::check::{CheckLimits, check};
use crate::file::{IfExists, SaveError, check_file, read_proof, save};
use crate::proof::{Answer, Proof, Reply};
use crate::walk::Walk;

/// Connect(4,3,3,1,1) is a win for the first player: a proof with the whole board in it.
fn small_proof() -> Proof {
    proof_by_chance(1)
}

fn proof_by_chance(seed: u64) -> Proof {
    let start = Position::start(rules((4, 3, 3, 1, 1)));
    prove(&start, Colour::Black, seed).expect("Black wins this game")
}

/// The same with each node told anew for each of its parents.
fn unshared(proof: &Proof) -> Proof {
    fn copy(proof: &Proof, id: crate::ProofId, to: &mut ProofBuilder) -> crate::ProofId {
        match proof.node(id) {
            crate::Node::Attack { mv, then } => {
                let then = then.map(|then| copy(proof, then, to));
                to.attack(mv.clone(), then).unwrap()
            }
            crate::Node::Defend { replies } => {
                let copied = replies.iter().map(|Reply { mv, answer }| Reply {
                    mv: mv.clone(),
                    answer: match *answer {
                        Answer::Proof(id) => Answer::Proof(copy(proof, id, to)),
                        like => like,
                    },
                });
                let copied = copied.collect();
                to.defend(copied).unwrap()
            }
        }
    }
    let mut builder = ProofBuilder::new(proof.start().clone(), proof.attacker());
    let root = copy(proof, proof.root(), &mut builder);
    builder.finish(root).unwrap()
}

#[test]
fn a_proof_holds_on_the_board_turned_and_mirrored() {
    let rows = ["B...", "..B.", "....", ".W.B"];
    let start = drawn(rules((4, 4, 4, 2, 1)), &rows, Colour::Black);
    let proof = prove(&start, Colour::Black, 1).expect("Black wins");
    for symmetry in Symmetry::all(start.rules()) {
        let image = proof.transformed(symmetry);
        let checked = check(&image).unwrap();
        assert_eq!(checked.claim.start, start.transformed(symmetry));
        assert_eq!(image.transformed(symmetry.inverse()), proof);
    }
}

#[test]
fn equal_nodes_of_equal_positions_become_one() {
    let (proof, tree) = (0..)
        .map(proof_by_chance)
        .map(|proof| (proof.clone(), unshared(&proof)))
        .find(|(proof, tree)| proof.len() < tree.len())
        .expect("lines of play meet again sooner or later");
    let shared = tree.deduplicated().unwrap();
    assert!(shared.len() <= proof.len());
    assert_eq!(check(&shared).unwrap().zone, check(&tree).unwrap().zone);
    assert_eq!(shared.deduplicated().unwrap(), shared);
}

#[test]
fn a_node_shared_by_two_positions_is_noticed() {
    let start = drawn(
        rules((3, 3, 3, 1, 1)),
        &["B..", "...", "..."],
        Colour::White,
    );
    let mut builder = ProofBuilder::new(start, Colour::Black);
    let win = builder.attack(Move::full(squares("A1")), None).unwrap();
    let replies = ["A2", "B2"].map(|name| Reply {
        mv: Move::full(squares(name)),
        answer: Answer::Proof(win),
    });
    let root = builder.defend(replies.into()).unwrap();
    let proof = builder.finish(root).unwrap();
    assert_eq!(proof.deduplicated(), Err(BuildError::TwoPositions(win)));
}

#[test]
fn proofs_of_parts_are_grafted_into_a_proof_of_the_whole() {
    let whole = small_proof();
    let first = whole.first_move().unwrap().clone();
    let after = whole.start().after(&first);
    let part = prove(&after, Colour::Black, 5).expect("the first move wins");
    let mut builder = ProofBuilder::new(whole.start().clone(), Colour::Black);
    // A node that nothing rests on is left out of the proof.
    builder.defend(Vec::new()).unwrap();
    let then = builder.graft(&part).unwrap();
    let root = builder.attack(first, Some(then)).unwrap();
    let proof = builder.finish(root).unwrap();
    assert_eq!(proof.len(), part.len() + 1);
    check(&proof).unwrap();
}

#[test]
fn a_graph_that_is_no_proof_cannot_be_built() {
    let start = Position::start(rules((3, 3, 3, 1, 1)));
    let other_game = Position::start(rules((3, 3, 3, 2, 1)));
    let mv = || Move::full(squares("A1"));
    let mut builder = ProofBuilder::new(start, Colour::Black);
    let attack = builder.attack(mv(), None).unwrap();
    let reply = |answer| Reply { mv: mv(), answer };
    let defend = builder.defend(vec![reply(Answer::Proof(attack))]).unwrap();

    let none_yet = crate::ProofId(7);
    assert_eq!(
        builder.attack(mv(), Some(none_yet)),
        Err(BuildError::Unknown(none_yet))
    );
    assert_eq!(
        builder.attack(mv(), Some(attack)),
        Err(BuildError::WrongSide(attack))
    );
    let answered = |builder: &mut ProofBuilder, answer| builder.defend(vec![reply(answer)]);
    assert_eq!(
        answered(&mut builder, Answer::Proof(defend)),
        Err(BuildError::WrongSide(defend))
    );
    assert_eq!(
        answered(&mut builder, Answer::LikeReply(0)),
        Err(BuildError::LikeLater { reply: 0, like: 0 })
    );
    let of = |start: &Position, attacker| {
        let mut builder = ProofBuilder::new(start.clone(), attacker);
        let root = match start.to_move() == attacker {
            true => builder.attack(mv(), None).unwrap(),
            false => builder.defend(Vec::new()).unwrap(),
        };
        builder.finish(root).unwrap()
    };
    assert!(matches!(
        builder.graft(&of(&other_game, Colour::Black)),
        Err(BuildError::OtherRules { .. })
    ));
    assert!(matches!(
        builder.graft(&of(&Position::start(rules((3, 3, 3, 1, 1))), Colour::White)),
        Err(BuildError::OtherAttacker { .. })
    ));
    assert_eq!(
        builder.clone().finish(defend),
        Err(BuildError::WrongSide(defend))
    );
    assert!(builder.finish(attack).is_ok());
}

#[test]
fn a_reply_like_one_that_is_like_a_third_is_like_the_third() {
    let start = drawn(
        rules((3, 3, 3, 1, 1)),
        &["BB.", "WW.", "..."],
        Colour::White,
    );
    let mut builder = ProofBuilder::new(start, Colour::Black);
    let win = builder.attack(Move::full(squares("C3")), None).unwrap();
    let reply = |name, answer| Reply {
        mv: Move::full(squares(name)),
        answer,
    };
    let replies = vec![
        reply("A1", Answer::Proof(win)),
        reply("B1", Answer::LikeReply(0)),
        reply("C1", Answer::LikeReply(1)),
    ];
    let root = builder.defend(replies).unwrap();
    let proof = builder.finish(root).unwrap();
    let likes: Vec<_> = Walk::new(&proof)
        .filter_map(|event| match event {
            crate::Event::Reply { like, .. } => Some(like),
            _ => None,
        })
        .collect();
    assert_eq!(likes, [None, Some(0), Some(0)]);
}

#[test]
fn a_saved_proof_is_whole_and_replaces_nothing_unasked() {
    let proof = small_proof();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("won.gpf");
    let hash = save(&proof, &path, IfExists::Refuse).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(
        check_file(&bytes[..], CheckLimits::default()).unwrap().hash,
        hash
    );
    assert_eq!(read_proof(&bytes[..]).unwrap().0.stats(), proof.stats());

    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(
        save(&proof, &path, IfExists::Refuse),
        Err(SaveError::Exists(_))
    ));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    save(&proof, &path, IfExists::Replace).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert!(matches!(
        save(
            &proof,
            &folder.path().join("no/such/folder"),
            IfExists::Refuse
        ),
        Err(SaveError::Io { .. })
    ));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no scraps are left"
    );
}
