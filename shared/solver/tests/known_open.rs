//! A verifier leaves to others what they see to already.

use gridproof_game::{Move, Position, read_game};
use gridproof_solver::{
    Budget, KnownReplies, Leftover, Solver, Verdict, Verification, VerifierOptions,
};

const NODES: u64 = 8_000;

fn attempt(position: &Position, earlier: u8, known: KnownReplies<'_>) -> (Verification, u64) {
    let nodes = NODES << earlier;
    let options = VerifierOptions {
        known,
        times_per_null: 1 << earlier,
        most_open: Some(8 << earlier),
        leftover: Leftover::Kept,
        ..VerifierOptions::for_budget(NODES)
    };
    let mut budget = Budget::of_nodes(nodes);
    let solver = Solver::new(*position.rules());
    let done = solver.verify(position, options, &mut budget, &mut ());
    let spent = budget.spent();
    (done.expect("an open game"), spent)
}

fn open(done: &Verification) -> &[Move] {
    match &done.verdict {
        Verdict::Open(moves) => moves,
        settled => panic!("{settled:?}"),
    }
}

#[test]
fn a_second_attempt_goes_on_where_the_first_stopped() {
    let game = read_game(b"J7-J13 i9,i10").expect("a game");
    let position = game.position();

    let (first, _) = attempt(position, 1, KnownReplies::default());
    assert!(!first.all_replies_examined);
    let known = KnownReplies {
        answered: &first.answered,
        open: open(&first),
    };

    let (on, nodes) = attempt(position, 2, known);
    for mv in known.open {
        let answered = on.answered.iter().any(|reply| reply.mv == *mv);
        assert!(!answered, "{mv} was left to others");
    }

    let (_, nodes_anew) = attempt(position, 2, KnownReplies { open: &[], ..known });
    assert!(nodes_anew >= NODES << 2 && nodes >= NODES << 2);
    let seen = |done: &Verification| done.answered.len() + open(done).len();
    assert!(
        seen(&on) > seen(&first),
        "what others see to leaves the nodes for further replies"
    );
}
