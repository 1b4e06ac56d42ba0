//! Certificates made by hand: what each refusal says, and the guards that no search would
//! think of breaking.

use gridproof_game::{Colour, Move, Position, Rules};

use super::{drawn, prove, rules, squares};
use crate::builder::ProofBuilder;
use crate::check::testing::Guard;
use crate::check::{Guards, Reason, check, check_with};
use crate::proof::{Answer, Proof, ProofId, Reply};
use crate::supported::UnsupportedRules;

fn full(names: &str) -> Move {
    Move::full(squares(names))
}

fn reply(mv: Move, answer: Answer) -> Reply {
    Reply { mv, answer }
}

/// A proof of the nodes that `make` adds; its last one is the root.
fn proof(start: &Position, make: impl FnOnce(&mut ProofBuilder) -> ProofId) -> Proof {
    let mut builder = ProofBuilder::new(start.clone(), Colour::Black);
    let root = make(&mut builder);
    builder.finish(root).unwrap()
}

fn completion(start: &Position, mv: Move) -> Proof {
    proof(start, |builder| builder.attack(mv, None).unwrap())
}

fn defence(start: &Position, replies: Vec<Reply>) -> Proof {
    proof(start, |builder| builder.defend(replies).unwrap())
}

fn refusal(proof: &Proof) -> Reason {
    check(proof).expect_err("it should be refused").reason
}

/// Black to move completes A2 to E2 with two stones; three rows that do not touch.
fn three_rows(to_move: Colour) -> Position {
    let rows = [".W.W...", "BBB....", "......."];
    drawn(rules((7, 3, 5, 2, 1)), &rows, to_move)
}

#[test]
fn a_completed_line_is_a_proof() {
    let start = three_rows(Colour::Black);
    let checked = check(&completion(&start, full("D2 E2"))).unwrap();
    assert_eq!((checked.nodes, checked.depth, checked.lambda), (1, 1, 0));
    assert_eq!(checked.first_move, Some(full("D2 E2")));
}

#[test]
fn a_line_said_to_be_completed_must_be() {
    let start = three_rows(Colour::Black);
    let claimed = completion(&start, full("D2 F2"));
    check_with(&claimed, Guards::all_but(Guard::CompletionIsReal)).unwrap();
    assert_eq!(refusal(&claimed), Reason::CompletesNothing(full("D2 F2")));
}

#[test]
fn the_attacker_places_as_many_stones_as_the_turn_has() {
    let rows = [".W.W...", "BB.....", "......."];
    let start = drawn(rules((7, 3, 5, 2, 1)), &rows, Colour::Black);
    let too_many = completion(&start, full("C2 D2 E2"));
    check_with(&too_many, Guards::all_but(Guard::AttackerPlacesItsStones)).unwrap();
    assert!(matches!(
        refusal(&too_many),
        Reason::StoneCount { expected: 2, .. }
    ));

    let start = three_rows(Colour::Black);
    assert!(matches!(
        refusal(&completion(&start, full("D2"))),
        Reason::StoneCount { expected: 2, .. }
    ));
    let half = Move::new(squares("D2"), 1);
    assert_eq!(
        refusal(&completion(&start, half.clone())),
        Reason::NullStonesOfAttacker(half)
    );
}

#[test]
fn stones_go_on_empty_squares_of_the_board() {
    let start = three_rows(Colour::Black);
    for taken in ["A2 D2", "B3 D2", "D2 H2", "D2 A4"] {
        assert!(matches!(
            refusal(&completion(&start, full(taken))),
            Reason::Taken {
                side: Colour::Black,
                ..
            }
        ));
    }
    let start = three_rows(Colour::White);
    let onto = proof(&start, |builder| {
        let answer = builder.attack(full("D2 E2"), None).unwrap();
        builder
            .defend(vec![reply(full("A2 B1"), Answer::Proof(answer))])
            .unwrap()
    });
    assert!(matches!(
        refusal(&onto),
        Reason::Taken {
            side: Colour::White,
            ..
        }
    ));
}

#[test]
fn a_proof_ends_where_the_line_is_completed() {
    let start = three_rows(Colour::Black);
    let goes_on = proof(&start, |builder| {
        let after = builder.defend(Vec::new()).unwrap();
        builder.attack(full("D2 E2"), Some(after)).unwrap()
    });
    assert_eq!(
        refusal(&goes_on),
        Reason::GoesOnAfterCompletion(full("D2 E2"))
    );
}

#[test]
fn a_refusal_names_the_way_to_the_node_and_the_move_that_is_not_answered() {
    let start = three_rows(Colour::Black);
    let hasty = proof(&start, |builder| {
        let after = builder.defend(Vec::new()).unwrap();
        builder.attack(full("D2 A1"), Some(after)).unwrap()
    });
    let refusal = check(&hasty).unwrap_err();
    assert_eq!(refusal.path, [full("A1 D2")]);
    assert_eq!(
        refusal.reason,
        Reason::Unanswered(Move::new(squares("E2"), 1))
    );
    assert_eq!(
        refusal.to_string(),
        "after B: A1 D2: the defender's move E2 - is not answered"
    );
}

#[test]
fn a_listed_reply_must_be_a_move_and_stand_there_once() {
    let start = three_rows(Colour::White);
    let list = |moves: &[Move]| {
        proof(&start, |builder| {
            let answer = builder.attack(full("D2 E2"), None).unwrap();
            let answered = |mv: &Move| reply(mv.clone(), Answer::Proof(answer));
            builder
                .defend(moves.iter().map(answered).collect())
                .unwrap()
        })
    };
    assert!(matches!(
        refusal(&list(&[full("A1 B1 C1")])),
        Reason::StoneCount {
            side: Colour::White,
            expected: 2,
            ..
        }
    ));
    let null = Move::null(2);
    let twice = proof(&start, |builder| {
        let mut replies = Vec::new();
        for _ in 0..2 {
            let answer = builder.attack(full("D2 E2"), None).unwrap();
            replies.push(reply(null.clone(), Answer::Proof(answer)));
        }
        builder.defend(replies).unwrap()
    });
    assert_eq!(refusal(&twice), Reason::ListedTwice(null));
}

#[test]
fn replies_that_nobody_asked_for_are_checked_and_do_no_harm() {
    let rows = ["..BB...WB", "..BB...BW", "..BB...WB"];
    let start = drawn(rules((9, 3, 5, 2, 1)), &rows, Colour::Black);
    let with_extra = |answer: &str| {
        proof(&start, |builder| {
            let complete = builder.attack(full(answer), None).unwrap();
            let extra = reply(Move::null(2), Answer::Proof(complete));
            let after = builder.defend(vec![extra]).unwrap();
            builder.attack(full("E1 E2"), Some(after)).unwrap()
        })
    };
    let checked = check(&with_extra("B1 F1")).unwrap();
    assert_eq!((checked.nodes, checked.depth, checked.lambda), (3, 3, 1));
    assert_eq!(checked.explicit_moves, 0);
    assert!(matches!(
        refusal(&with_extra("B1 F2")),
        Reason::CompletesNothing(_)
    ));
}

/// A reply that leaves the threat open is answered by completing it; that answer does not
/// serve against a reply which blocks it.
#[test]
fn a_completion_cannot_be_replayed_where_it_is_blocked() {
    let start = three_rows(Colour::White);
    let fooled = proof(&start, |builder| {
        let complete = builder.attack(full("D2 E2"), None).unwrap();
        let like = |name, nulls| reply(Move::new(squares(name), nulls), Answer::LikeReply(0));
        let null = reply(Move::null(2), Answer::Proof(complete));
        let blocks = [like("D2", 1), like("E2", 1), like("D2 E2", 0)];
        let replies = [null].into_iter().chain(blocks).collect();
        builder.defend(replies).unwrap()
    });
    check_with(&fooled, Guards::all_but(Guard::CompletionSquaresStayFree)).unwrap();
    check_with(&fooled, Guards::all_but(Guard::ReplayKeepsSquaresFree)).unwrap();
    assert_eq!(
        refusal(&fooled),
        Reason::ReplayBlocked {
            mv: Move::new(squares("D2"), 1),
            like: Move::null(2),
            square: squares("D2")[0],
        }
    );
}

/// Noughts and crosses with a cross in the corner is a draw. Crosses win against the null
/// move; that proof, shared, is no answer to moves that get in its way.
#[test]
fn a_shared_node_stands_for_one_position() {
    let corner = ["B..", "...", "..."];
    let to_move = |colour| drawn(rules((3, 3, 3, 1, 1)), &corner, colour);
    let null_position = to_move(Colour::Black);
    let against_null = prove(&null_position, Colour::Black, 1).expect("two crosses win");
    let zone = check(&against_null).unwrap().zone;
    let fooled = proof(&to_move(Colour::White), |builder| {
        let answer = Answer::Proof(builder.graft(&against_null).unwrap());
        let empties = null_position.empties();
        let singles = empties
            .iter()
            .map(|square| reply(Move::full([square]), answer));
        let null = reply(Move::null(1), answer);
        builder
            .defend([null].into_iter().chain(singles).collect())
            .unwrap()
    });
    assert!(!zone.must_stay_free().is_empty());
    check_with(&fooled, Guards::all_but(Guard::SharedNodesAgree)).unwrap();
    assert!(matches!(refusal(&fooled), Reason::OtherPosition(_)));
}

#[test]
fn no_proof_begins_where_the_game_is_over_or_cannot_be() {
    let game = rules((3, 3, 3, 1, 1));
    let refused = |rows: &[&str]| {
        let start = drawn(game, rows, Colour::White);
        refusal(&defence(&start, Vec::new()))
    };
    assert_eq!(refused(&["BBB", "WW.", "..."]), Reason::AttackerHasWon);
    assert_eq!(refused(&["WWW", "BB.", "..."]), Reason::DefenderHasWon);
    assert_eq!(refused(&["BWB", "BWW", "WBB"]), Reason::BoardFills);
    assert_eq!(refused(&["...", "...", "..."]), Reason::ImpossibleStart);
    assert_eq!(refused(&["BWB", "B.W", "WBW"]), Reason::BoardFills);
    let many = Rules::new(9, 9, 6, 5, 1).unwrap();
    assert_eq!(
        refusal(&completion(&Position::start(many), full("A1"))),
        Reason::Unsupported(UnsupportedRules(many))
    );
}

#[test]
fn a_defender_who_completes_a_line_first_wins() {
    let rows = ["WWW....", "BBB....", "......."];
    let start = drawn(rules((7, 3, 5, 2, 1)), &rows, Colour::White);
    assert_eq!(
        refusal(&defence(&start, Vec::new())),
        Reason::DefenderWins(full("D3 E3"))
    );
}
