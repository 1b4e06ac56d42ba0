//! The search of the player with several threads, and by the clock.

use gridproof_engine::players::{EnginePlayer, Player, PlayerSpec};
use gridproof_game::records::Game;
use gridproof_game::{Move, Rules, State, read_game};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions};

fn choose(spec: &str, game: &Game) -> Move {
    let spec: PlayerSpec = spec.parse().expect("a player");
    let mut player = spec.player(*game.rules());
    let mut budget = Budget::of_nodes(u64::MAX);
    player.choose(game, &mut budget).expect("a move")
}

fn game(record: &str) -> Game {
    read_game(record.as_bytes()).expect("a record")
}

#[test]
fn one_thread_plays_the_same_move_each_time() {
    let game = game("j10 k11,l9 i8,j12");
    let first = choose("engine:8000", &game);
    for _ in 0..3 {
        assert_eq!(choose("engine:8000,1", &game), first);
    }
}

#[test]
fn three_threads_play_legal_moves_that_do_not_lose_to_threats() {
    let solver = Solver::new(Rules::CONNECT6);
    for record in ["j10 k11,l9 i8,j12", "j10 i9,k9", "j10 i9,k9 j8,i11 h10,k8"] {
        let mut game = game(record);
        let mv = choose("engine:8000,3", &game);
        game.play(mv).expect("legal");
        let options = SolverOptions::of_order(Order::SINGLE_THREATS);
        let mut budget = Budget::of_nodes(2000);
        let refuted = solver.win(game.position(), options, &mut budget);
        assert!(!matches!(refuted, Ok(Outcome::Won(_))), "{record}");
    }
}

#[test]
fn a_line_that_can_be_completed_is_completed_by_the_clock_and_by_threads() {
    let game = game("j10 a1,a3 k10,l10 c1,c3 m10,n10 e1,e3");
    for spec in ["engine:5000,3", "engine:50ms", "engine:50ms,2"] {
        let mut game = game.clone();
        let mv = choose(spec, &game);
        assert!(matches!(game.play(mv), Ok(State::Won(_))), "{spec}");
    }
}

#[test]
fn a_player_can_be_given_less_time_than_it_was_made_with() {
    let mut player = EnginePlayer::new(Rules::CONNECT6, u64::MAX);
    player.take_time(std::time::Duration::from_millis(100));
    let game = game("j10 k11,l9 i8,j12");
    let mv = player.choose(&game, &mut Budget::of_nodes(u64::MAX));
    assert_eq!(mv.expect("a move").stones().len(), 2);
    assert_eq!(player.name(), "engine:100ms");
}
