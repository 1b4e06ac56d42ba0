//! Games of experts and programs replay, and come back from every format.

mod common;

use std::hash::{BuildHasher, RandomState};

use common::RealGame;
use gridproof_game::records::{self, Format, Game, Outcome};
use gridproof_game::{Colour, Position, Rules, State};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// GRIDPROOF_SEED, or a fresh one; printed, so that a failure can be had again.
fn seeded() -> StdRng {
    let seed = match std::env::var("GRIDPROOF_SEED") {
        Ok(text) => text.parse().expect("GRIDPROOF_SEED is a number"),
        Err(_) => RandomState::new().hash_one(()),
    };
    println!("GRIDPROOF_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

fn check_end(real: &RealGame) {
    let game = real.game();
    let won = match game.position().state() {
        State::Won(colour) => Some(Outcome::Won(colour)),
        State::Open | State::Drawn => None,
    };
    assert_eq!(won.is_some(), real.ends_with_a_row, "game {}", real.id);
    assert!(won.is_none_or(|won| won == real.result), "game {}", real.id);
}

fn check_round_trips(id: &str, game: &Game) {
    for format in Format::ALL {
        let bytes = format.write(game).unwrap();
        assert_eq!(Format::detect(&bytes), Some(format), "game {id}");
        let mut again = records::read(&bytes).unwrap_or_else(|error| {
            panic!("game {id} as {format}: {error}\n{}", bytes.escape_ascii());
        });
        if matches!(format, Format::Engine | Format::Stones) {
            again.headers = game.headers.clone();
        }
        assert_eq!(&again, game, "game {id} as {format}");
        assert_eq!(
            format.write(&again).unwrap(),
            bytes,
            "game {id} as {format}"
        );
    }
}

#[test]
fn the_sampled_games_replay_and_round_trip_through_every_format() {
    let games = common::sample();
    assert!(games.len() >= 200);
    for real in &games {
        check_end(real);
        check_round_trips(&real.id, &real.game());
    }
}

#[test]
fn all_13640_games_replay_and_a_random_sample_round_trips() {
    let Some(games) = common::all() else { return };
    assert_eq!(games.len(), 13_640);
    games.iter().for_each(check_end);
    let chosen: Vec<_> = games.choose_multiple(&mut seeded(), 500).collect();
    for real in chosen {
        check_round_trips(&real.id, &real.game());
    }
}

#[test]
fn the_positions_of_a_game_differ_by_one_move_each() {
    for real in common::sample() {
        let game = real.game();
        let positions: Vec<Position> = game.positions().collect();
        assert_eq!(positions.len(), game.moves().len() + 1);
        for (pair, mv) in positions.windows(2).zip(game.moves()) {
            assert_eq!(&pair[0].after(mv), &pair[1], "game {}", real.id);
        }
    }
}

/// A random game of any rules, null stones among its moves.
fn random_game(rules: Rules, rng: &mut StdRng) -> Game {
    let mut game = Game::new(rules);
    let turns = rng.random_range(0..40);
    while game.moves().len() < turns && game.position().state() == State::Open {
        let position = game.position();
        let mut empties: Vec<_> = position.empties().iter().collect();
        empties.shuffle(rng);
        let stones = match rng.random_range(0..6) {
            0 => rng.random_range(0..=position.move_len()),
            _ => position.move_len(),
        };
        let nulls = u8::try_from(position.move_len() - stones).unwrap();
        let mv = gridproof_game::Move::new(empties[..stones].iter().copied(), nulls);
        game.play(mv).unwrap();
    }
    game
}

#[test]
fn games_of_all_variants_with_null_stones_round_trip_through_sgf_and_stone_lists() {
    let mut rng = seeded();
    for (m, n, k, p, q) in [
        (19, 19, 6, 2, 1),
        (19, 19, 6, 2, 3),
        (15, 15, 5, 1, 1),
        (9, 9, 6, 2, 1),
        (12, 9, 5, 2, 2),
        (3, 3, 3, 1, 1),
        (5, 4, 4, 2, 2),
        (32, 32, 6, 2, 1),
        (27, 31, 7, 3, 2),
        (1, 7, 4, 2, 1),
        (8, 8, 6, 7, 5),
    ] {
        let rules = Rules::new(m, n, k, p, q).unwrap();
        for _ in 0..20 {
            let mut game = random_game(rules, &mut rng);
            game.headers.black = Some("back\\slash [and] bracket".to_owned());
            game.headers.white = Some("白 W".to_owned());
            game.headers.event = Some("a; event (of) {all}".to_owned());
            game.headers.date = Some("2025-12-27".to_owned());
            game.headers.place = Some("北京".to_owned());
            game.headers.result = Some(Outcome::Won(Colour::White));
            for format in [Format::LittleGolem, Format::StoneSgf, Format::Stones] {
                let bytes = format.write(&game).unwrap();
                let mut again = format.read(&bytes).unwrap_or_else(|error| {
                    panic!("{rules} as {format}: {error}\n{}", bytes.escape_ascii());
                });
                if format == Format::Stones {
                    again.headers = game.headers.clone();
                }
                assert_eq!(again, game, "{rules} as {format}");
            }
        }
    }
}
