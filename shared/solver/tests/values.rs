//! Whole small games: win, loss or draw, each with proofs that hold.

use gridproof_certificate::{check, check_hold};
use gridproof_game::{Colour, Position, Rules};
use gridproof_solver::{Budget, Value, value};

/// What is published of small games, with its nodes: (m, n, k, p, q) and the winner, if any.
const PUBLISHED: [([u32; 5], Option<Colour>); 27] = [
    ([3, 3, 3, 1, 1], None),
    ([4, 3, 3, 1, 1], Some(Colour::Black)),
    ([4, 4, 3, 1, 1], Some(Colour::Black)),
    ([4, 4, 4, 1, 1], None),
    ([5, 4, 4, 1, 1], None),
    ([6, 4, 4, 1, 1], None),
    ([5, 5, 4, 1, 1], None),
    ([6, 5, 4, 1, 1], Some(Colour::Black)),
    ([6, 6, 4, 1, 1], Some(Colour::Black)),
    ([7, 7, 4, 1, 1], Some(Colour::Black)),
    ([5, 5, 5, 1, 1], None),
    ([6, 5, 5, 1, 1], None),
    ([6, 6, 5, 1, 1], None),
    ([4, 4, 4, 2, 1], None),
    ([5, 4, 4, 2, 1], None),
    ([4, 4, 4, 2, 2], None),
    ([3, 3, 3, 2, 1], Some(Colour::Black)),
    ([4, 3, 3, 2, 1], Some(Colour::Black)),
    ([4, 4, 3, 2, 1], Some(Colour::Black)),
    ([5, 4, 4, 2, 2], Some(Colour::Black)),
    ([6, 4, 4, 2, 2], Some(Colour::Black)),
    ([5, 5, 4, 2, 2], Some(Colour::Black)),
    ([6, 4, 4, 2, 1], Some(Colour::White)),
    ([7, 4, 4, 2, 1], Some(Colour::White)),
    ([6, 5, 4, 2, 1], Some(Colour::White)),
    ([7, 7, 4, 2, 1], Some(Colour::White)),
    ([5, 5, 5, 2, 2], None),
];

#[test]
fn small_games_have_their_published_values() {
    let mut unknown = Vec::new();
    for ([m, n, k, p, q], winner) in PUBLISHED {
        let rules = Rules::new(m, n, k, p, q).expect("a game");
        let mut budget = Budget::of_nodes(3_000_000);
        let began = std::time::Instant::now();
        let found = value(&Position::start(rules), &mut budget).expect("an open game");
        let told = match &found {
            Value::Won { winner: won, proof } => {
                assert_eq!(Some(*won), winner, "{rules}");
                let checked = check(proof).expect("a proof that holds");
                assert_eq!(checked.claim.start, Position::start(rules));
                format!("{won} wins, proof {}", checked.nodes)
            }
            Value::Drawn { black, white } => {
                assert_eq!(winner, None, "{rules}");
                let nodes = [black, white].map(|proof| check_hold(proof).expect("it holds").nodes);
                format!("draw, proofs {nodes:?}")
            }
            Value::Unknown(holds) => {
                unknown.push(rules);
                let holders: Vec<_> = holds.iter().map(|proof| proof.holder).collect();
                format!("unknown, holds {holders:?}")
            }
        };
        println!(
            "{rules}: {told}, {} nodes, {:?}",
            budget.spent(),
            began.elapsed()
        );
    }
    assert_eq!(unknown, []);
}
