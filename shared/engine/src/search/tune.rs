//! Fits the weights file to games: what positions are worth to who won, and half-moves to what
//! was played. Both are logistic regressions by gradient descent.

use std::sync::Arc;

use gridproof_game::records::{Game, Outcome};
use gridproof_game::{Colour, Square};
use gridproof_threats::{AnyShape, Geometry, ThreatBoard};

use smallvec::SmallVec;

use super::cells::{Cells, GRADES};
use super::model::{Factors, Model, Weights};
use crate::candidates::near_stones;

/// Numbers of one [`Factors`] in a row: alone, then the pairs.
const FACTORS: usize = GRADES + GRADES * GRADES;
const TURN: usize = 2 * FACTORS;
const THREATS: usize = TURN + 1;
const PARAMETERS: usize = THREATS + 2;

/// How the fit is done.
#[derive(Clone, Copy, Debug)]
pub struct TuneOptions {
    /// Times that all games are gone through.
    pub rounds: usize,
    /// Every so manieth game is held back to measure on.
    pub hold_back: usize,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self {
            rounds: 12,
            hold_back: 5,
        }
    }
}

/// New weights, and how well they tell the games that were held back.
#[derive(Clone, Debug)]
pub struct Tuned {
    weights: Weights,
    /// Measured on positions of games that were held back.
    pub values: Fit,
    /// Measured on stones of games that were held back.
    pub choices: Fit,
}

/// How well something is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// What it was fitted to.
    pub learnt: usize,
    /// What it was measured on.
    pub held_back: usize,
    /// The mean loss of information in nats.
    pub loss: f64,
    /// How often the likeliest was right.
    pub right: f64,
}

impl Tuned {
    /// The weights file.
    #[must_use]
    pub fn file(&self, comment: &str) -> String {
        self.weights.write(comment)
    }
}

/// Fits weights to games that have results.
#[must_use]
pub fn tune(games: &[Game], options: TuneOptions) -> Tuned {
    let mut weights = Weights::ZERO;
    let mut samples = Samples::default();
    for (number, game) in games.iter().enumerate() {
        samples.collect(game, number % options.hold_back.max(2) == 0);
    }
    let values = samples.fit_values(&mut weights, options.rounds);
    let choices = samples.fit_choices(&mut weights, options.rounds.div_ceil(3));
    Tuned {
        weights,
        values,
        choices,
    }
}

/// Counts of features, and whether the side to move won.
struct Position {
    features: Vec<(u16, f32)>,
    result: f32,
    held_back: bool,
}

/// A stone that was played, among squares that it could have gone to.
struct Stone {
    /// The two sides' grades of each square.
    squares: Vec<[[u8; 4]; 2]>,
    /// Which were played: the first stone of two can be either.
    played: Vec<u16>,
    held_back: bool,
}

#[derive(Default)]
struct Samples {
    positions: Vec<Position>,
    stones: Vec<Stone>,
}

impl Samples {
    fn collect(&mut self, game: &Game, held_back: bool) {
        let Some(outcome) = game.headers.result else {
            return;
        };
        let rules = *game.rules();
        let geometry = Arc::new(Geometry::new(rules));
        let Some(mut board) = ThreatBoard::<AnyShape>::new(geometry) else {
            return;
        };
        let mut cells = Cells::of(&board, Model::of(&rules));
        for (turn, (mv, us)) in game
            .moves()
            .iter()
            .zip(Colour::BOTH.into_iter().cycle())
            .enumerate()
        {
            let is_open = !board.can_complete(us);
            if turn >= 2 && is_open {
                let blocks = board.minimal_blocks(us.other());
                self.positions.push(Position {
                    features: features(&board, &cells, us),
                    result: match outcome {
                        Outcome::Drawn => 0.5,
                        Outcome::Won(winner) if winner == us => 1.0,
                        Outcome::Won(_) => 0.0,
                    },
                    held_back,
                });
                let is_free = blocks.iter().any(|block| block.len() < mv.stones().len());
                if is_free && outcome != Outcome::Won(us.other()) {
                    self.push_stones(&mut board, &mut cells, mv.stones(), us, held_back);
                }
            }
            for &square in mv.stones() {
                board.place(square, us);
                cells.placed(&board, square);
            }
        }
    }

    fn push_stones(
        &mut self,
        board: &mut ThreatBoard<AnyShape>,
        cells: &mut Cells,
        stones: &[Square],
        us: Colour,
        held_back: bool,
    ) {
        self.push_choice(board, cells, stones, us, held_back);
        if let &[a, b] = stones {
            for (first, second) in [(a, b), (b, a)] {
                board.place(first, us);
                cells.placed(board, first);
                self.push_choice(board, cells, &[second], us, held_back);
                cells.undone();
                board.undo();
            }
        }
    }

    fn push_choice(
        &mut self,
        board: &ThreatBoard<AnyShape>,
        cells: &Cells,
        played: &[Square],
        us: Colour,
        held_back: bool,
    ) {
        let squares = near_stones(board);
        let places = played
            .iter()
            .map(|stone| squares.iter().position(|square| square == stone));
        let Some(played) = places
            .map(|place| place.map(|place| place as u16))
            .collect()
        else {
            return;
        };
        let grades = |square: &Square| [us, us.other()].map(|side| cells.grades(*square, side));
        self.stones.push(Stone {
            squares: squares.iter().map(grades).collect(),
            played,
            held_back,
        });
    }

    fn fit_values(&self, weights: &mut Weights, rounds: usize) -> Fit {
        let mut fit = Descent::new(PARAMETERS, 0.002, 1e-6);
        let mut order: Vec<usize> = (0..self.positions.len())
            .filter(|&i| !self.positions[i].held_back)
            .collect();
        let mut random = 1;
        let chance = |parameters: &[f32], position: &Position| {
            let sum: f32 = position
                .features
                .iter()
                .map(|&(i, count)| parameters[usize::from(i)] * count)
                .sum();
            1.0 / (1.0 + (-sum).exp())
        };
        for _ in 0..rounds {
            shuffle(&mut order, &mut random);
            for batch in order.chunks(256) {
                for &i in batch {
                    let position = &self.positions[i];
                    let error = chance(&fit.parameters, position) - position.result;
                    for &(feature, count) in &position.features {
                        fit.gradient[usize::from(feature)] += error * count / batch.len() as f32;
                    }
                }
                fit.step();
            }
        }
        let parameters = &fit.parameters;
        for (i, factors) in weights.values.iter_mut().enumerate() {
            *factors = read_factors(&parameters[i * FACTORS..]);
        }
        weights.turn = f64::from(parameters[TURN]);
        weights.threats = [0, 1].map(|i| f64::from(parameters[THREATS + i]));
        let mut report = Fit {
            learnt: order.len(),
            ..Fit::default()
        };
        for position in self.positions.iter().filter(|position| position.held_back) {
            let chance = f64::from(chance(parameters, position)).clamp(1e-6, 1.0 - 1e-6);
            let result = f64::from(position.result);
            report.loss -= result * chance.ln() + (1.0 - result) * (1.0 - chance).ln();
            report.right += match position.result {
                0.5 => 0.5,
                result => f64::from(u8::from((result > 0.5) == (chance > 0.5))),
            };
            report.held_back += 1;
        }
        report.mean()
    }

    fn fit_choices(&self, weights: &mut Weights, rounds: usize) -> Fit {
        let mut fit = Descent::new(2 * FACTORS, 0.01, 1e-6);
        let mut order: Vec<usize> = (0..self.stones.len())
            .filter(|&i| !self.stones[i].held_back)
            .collect();
        let mut random = 2;
        for _ in 0..rounds {
            shuffle(&mut order, &mut random);
            for batch in order.chunks(64) {
                for &i in batch {
                    let stone = &self.stones[i];
                    let chances = stone.chances(&fit.parameters);
                    let played: f32 = stone
                        .played
                        .iter()
                        .map(|&at| chances[usize::from(at)])
                        .sum();
                    for (at, squares) in stone.squares.iter().enumerate() {
                        let is_played = stone.played.contains(&(at as u16));
                        let wanted = if is_played {
                            chances[at] / played.max(1e-9)
                        } else {
                            0.0
                        };
                        let error = (chances[at] - wanted) / batch.len() as f32;
                        if error.abs() > 1e-6 {
                            each_factor(squares, |feature| fit.gradient[feature] += error);
                        }
                    }
                }
                fit.step();
            }
        }
        for (i, factors) in weights.choices.iter_mut().enumerate() {
            *factors = read_factors(&fit.parameters[i * FACTORS..]);
        }
        let mut report = Fit {
            learnt: order.len(),
            ..Fit::default()
        };
        for stone in self.stones.iter().filter(|stone| stone.held_back) {
            let chances = stone.chances(&fit.parameters);
            let played: f32 = stone
                .played
                .iter()
                .map(|&at| chances[usize::from(at)])
                .sum();
            report.loss -= f64::from(played.max(1e-9)).ln();
            let likeliest = (0..chances.len()).max_by(|&a, &b| chances[a].total_cmp(&chances[b]));
            let is_right = likeliest.is_some_and(|at| stone.played.contains(&(at as u16)));
            report.right += f64::from(u8::from(is_right));
            report.held_back += 1;
        }
        report.mean()
    }
}

impl Fit {
    fn mean(mut self) -> Self {
        let count = self.held_back.max(1) as f64;
        self.loss /= count;
        self.right /= count;
        self
    }
}

impl Stone {
    fn chances(&self, parameters: &[f32]) -> Vec<f32> {
        let mut chances: Vec<f32> = Vec::with_capacity(self.squares.len());
        for squares in &self.squares {
            let mut sum = 0.0;
            each_factor(squares, |feature| sum += parameters[feature]);
            chances.push(sum);
        }
        let most = chances.iter().copied().fold(f32::MIN, f32::max);
        let mut all = 0.0;
        for chance in &mut chances {
            *chance = (*chance - most).exp();
            all += *chance;
        }
        for chance in &mut chances {
            *chance /= all;
        }
        chances
    }
}

/// The parameters that a square's shapes stand for.
fn each_factor(squares: &[[u8; 4]; 2], mut each: impl FnMut(usize)) {
    for (side, grades) in squares.iter().enumerate() {
        for (i, &a) in grades.iter().enumerate() {
            each(side * FACTORS + usize::from(a));
            for &b in &grades[..i] {
                let pair = usize::from(a.min(b)) * GRADES + usize::from(a.max(b));
                each(side * FACTORS + GRADES + pair);
            }
        }
    }
}

fn read_factors(parameters: &[f32]) -> Factors {
    let mut factors = Factors::ZERO;
    for (to, from) in factors.alone.iter_mut().zip(parameters) {
        *to = f64::from(*from);
    }
    for (to, from) in factors
        .pairs
        .as_flattened_mut()
        .iter_mut()
        .zip(&parameters[GRADES..])
    {
        *to = f64::from(*from);
    }
    factors
}

/// What a position is told by: how often each grade and each pair of grades is there.
fn features(board: &ThreatBoard<AnyShape>, cells: &Cells, us: Colour) -> Vec<(u16, f32)> {
    let mut counts = vec![0.0f32; PARAMETERS];
    for square in board.empties().iter() {
        let grades = [us, us.other()].map(|side| cells.grades(square, side));
        each_factor(&grades, |feature| counts[feature] += 1.0);
    }
    counts[TURN] = 1.0;
    let blocks = board.minimal_blocks(us.other());
    match blocks.iter().map(SmallVec::len).min() {
        Some(0) => {}
        Some(1) => counts[THREATS] = 1.0,
        _ => counts[THREATS + 1] = 1.0,
    }
    let numbered = (0..).zip(counts);
    numbered.filter(|(_, count)| *count != 0.0).collect()
}

/// Gradient descent by Adam.
struct Descent {
    parameters: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    rate: f32,
    decay: f32,
    steps: i32,
}

impl Descent {
    fn new(count: usize, rate: f32, decay: f32) -> Self {
        Self {
            parameters: vec![0.0; count],
            gradient: vec![0.0; count],
            mean: vec![0.0; count],
            square: vec![0.0; count],
            rate,
            decay,
            steps: 0,
        }
    }

    fn step(&mut self) {
        self.steps += 1;
        let (first, second) = (0.9f32, 0.999f32);
        let unbias = |rate: f32| 1.0 - rate.powi(self.steps);
        let (unbias_first, unbias_second) = (unbias(first), unbias(second));
        for i in 0..self.parameters.len() {
            let gradient = self.gradient[i] + self.decay * self.parameters[i];
            self.mean[i] = first * self.mean[i] + (1.0 - first) * gradient;
            self.square[i] = second * self.square[i] + (1.0 - second) * gradient * gradient;
            let mean = self.mean[i] / unbias_first;
            let root = (self.square[i] / unbias_second).sqrt() + 1e-8;
            self.parameters[i] -= self.rate * mean / root;
            self.gradient[i] = 0.0;
        }
        self.rate *= 0.9998;
    }
}

/// The same order on every machine.
fn shuffle(order: &mut [usize], random: &mut u64) {
    for i in (1..order.len()).rev() {
        *random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (*random >> 33) as usize % (i + 1));
    }
}
