//! How the player opens.

use gridproof_engine::players::PlayerSpec;
use gridproof_game::read_game;
use gridproof_solver::Budget;

#[test]
fn a_lonely_stone_is_answered_beside_it() {
    let game = read_game(b"j10").expect("a record");
    for spec in ["engine:0", "engine:300", "engine:2000", "engine:10000"] {
        let spec: PlayerSpec = spec.parse().expect("a player");
        let mut player = spec.player(*game.rules());
        let mv = player.choose(&game, &mut Budget::of_nodes(u64::MAX));
        let mv = mv.expect("a move");
        for stone in mv.stones() {
            let far = stone.column().abs_diff(9).max(stone.row().abs_diff(9));
            assert!((1..=2).contains(&far), "{spec}: {mv}");
        }
    }
}
