//! Where the known third moves of known openings come in the engine's ranking.
//!
//! `cargo run --release -p gridproof-engine --example openings [NODES]`

use std::time::Instant;

use gridproof_engine::{Engine, Standing};
use gridproof_game::{Move, Opening, Rules, Symmetry};
use gridproof_solver::Budget;

const KNOWN: [(&str, &str); 5] = [
    ("TX-H9", "K11 L10"),
    ("TX-H8", "L10 K9"),
    ("TX-H12", "L10 K11"),
    ("XX-L8", "J9 K10"),
    ("T-K12", "K9 L8"),
];

fn main() {
    let nodes = std::env::args()
        .nth(1)
        .map_or(Engine::DEFAULT_NODES, |text| {
            text.parse().expect("a number of nodes")
        });
    let engine = Engine::new(Rules::CONNECT6);
    for (name, known) in KNOWN {
        let opening: Opening = name.parse().expect("a known opening");
        let position = opening.position();
        let known = Move::full(known.split(' ').map(|name| name.parse().expect("a square")));
        let images: Vec<Move> = Symmetry::all(position.rules())
            .filter(|&symmetry| position.transformed(symmetry) == position)
            .map(|symmetry| known.map(|square| symmetry.apply(position.rules(), square)))
            .collect();
        let start = Instant::now();
        let mut budget = Budget::of_nodes(nodes);
        let ranked = engine.ranked(&position, &mut budget).expect("an open game");
        let place = ranked.iter().position(|one| images.contains(&one.mv));
        let spent = budget.spent();
        println!(
            "{name}: {known} is {}, {spent} nodes, {:.1?}",
            place.map_or("not there".to_owned(), |place| format!(
                "number {} ({:?})",
                place + 1,
                ranked[place].standing
            )),
            start.elapsed()
        );
        let asked =
            |of: fn(&Standing) -> bool| ranked.iter().filter(|one| of(&one.standing)).count();
        println!(
            "    sampled {}, one stone {}, null {}, idle {}, refuted {}",
            asked(|s| matches!(s, Standing::Sampled { .. })),
            asked(|s| matches!(s, Standing::OneStone { .. })),
            asked(|s| matches!(s, Standing::Null { .. })),
            asked(|s| matches!(s, Standing::Idle)),
            asked(|s| matches!(s, Standing::Refuted)),
        );
        for one in ranked.iter().take(5) {
            println!("    {} {:?} worth {}", one.mv, one.standing, one.worth);
        }
    }
}
