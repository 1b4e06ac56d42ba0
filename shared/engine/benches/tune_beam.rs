//! Better weights for the beam-search agent by self-play, as its paper has it: agents with
//! random weights play Agent 0, who has the weights set by hand; those who beat it have
//! children that differ a little, and so on. The mean of the last winners is printed.
//!
//! `cargo bench -p gridproof-engine --bench tune_beam [-- ROUNDS [SEED]]`

use gridproof_engine::players::Beam;
use gridproof_engine::tournament::{balanced_openings, play_game};
use gridproof_engine::{BEAM_BY_HAND, SIndexWeights, Score};
use gridproof_game::{Colour, Rules};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const PARTICLES: usize = 24;
const GAMES: usize = 8;
const GAMES_AT_THE_END: usize = 100;
/// Random factors lie between 1/SPREAD and SPREAD; those of children are closer.
const SPREAD: f64 = 6.0;
const CHILD_SPREAD: f64 = 1.5;

fn main() {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let mut argument = |default| {
        let text = arguments.next();
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let (rounds, seed) = (argument(3), argument(1));
    let mut random = StdRng::seed_from_u64(seed);
    let mut particles: Vec<SIndexWeights> = (0..PARTICLES)
        .map(|_| varied(&BEAM_BY_HAND, SPREAD, &mut random))
        .collect();
    let mut winners = Vec::new();
    for round in 1..=rounds {
        winners = particles
            .iter()
            .copied()
            .filter(|weights| {
                let score = against_agent_0(weights, GAMES, &mut random);
                score.won > score.lost
            })
            .collect();
        println!(
            "round {round}: {} of {PARTICLES} beat Agent 0",
            winners.len()
        );
        if winners.is_empty() {
            println!("nobody is left: choose another seed");
            return;
        }
        particles = (0..PARTICLES)
            .map(|n| varied(&winners[n % winners.len()], CHILD_SPREAD, &mut random))
            .collect();
    }
    let mean = mean(&winners);
    let score = against_agent_0(&mean, GAMES_AT_THE_END, &mut random);
    println!("the mean of the winners against Agent 0: {score}");
    println!("{mean:#?}");
}

/// The 6-index stays: it ends the game.
fn varied(weights: &SIndexWeights, spread: f64, random: &mut StdRng) -> SIndexWeights {
    let mut varied = *weights;
    let logarithm = spread.ln();
    for weight in varied.own[1..].iter_mut().chain(&mut varied.other[1..]) {
        *weight *= random.random_range(-logarithm..=logarithm).exp();
    }
    varied
}

/// Geometric, for weights span many powers of ten.
fn mean(all: &[SIndexWeights]) -> SIndexWeights {
    let of = |get: &dyn Fn(&SIndexWeights) -> f64| {
        let first = get(&all[0]);
        if first == 0.0 {
            return 0.0;
        }
        let logarithms: f64 = all.iter().map(|weights| get(weights).abs().ln()).sum();
        first.signum() * (logarithms / all.len() as f64).exp()
    };
    SIndexWeights {
        own: std::array::from_fn(|i| of(&|weights| weights.own[i])),
        other: std::array::from_fn(|i| of(&|weights| weights.other[i])),
    }
}

fn against_agent_0(weights: &SIndexWeights, games: usize, random: &mut StdRng) -> Score {
    let rules = Rules::CONNECT6;
    let openings = balanced_openings(rules);
    let mut score = Score::default();
    let mut opening = 0;
    for number in 0..games {
        let side = Colour::BOTH[number % 2];
        if side == Colour::Black {
            opening = random.random_range(0..openings.len());
        }
        let mut ours = Beam::new(rules, 1, 1, *weights);
        let mut agent_0 = Beam::new(rules, 1, 1, BEAM_BY_HAND);
        let (black, white) = match side {
            Colour::Black => (&mut ours, &mut agent_0),
            Colour::White => (&mut agent_0, &mut ours),
        };
        let game = openings[opening].clone();
        let played = play_game(game, black, white);
        assert!(played.forfeit.is_none(), "beam agents always have a move");
        score.add(played.outcome, side);
    }
    score
}
