//! What shapes are worth: the numbers of the weights file, spread over all shapes.

use std::sync::OnceLock;

use gridproof_game::Rules;

use super::cells::{GRADES, SHAPES};

/// The file that `gridproof tune` writes.
const CONNECT6: &str = include_str!("../../weights/connect6.txt");

/// Units of a score for one of a logarithm of odds: a score of 400 is won 73 times in 100.
pub(crate) const SCALE: f64 = 400.0;
/// Fractions of a unit that sums are kept in.
pub(crate) const FINE: i32 = 16;

/// Numbers for one purpose: each grade's, and each pair of grades' in two directions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) alone: [f64; GRADES],
    /// By the lower grade, then the higher.
    pub(crate) pairs: [[f64; GRADES]; GRADES],
}

impl Factors {
    pub(crate) const ZERO: Self = Self {
        alone: [0.0; GRADES],
        pairs: [[0.0; GRADES]; GRADES],
    };

    pub(crate) fn sum(&self, grades: [u8; 4]) -> f64 {
        let mut sum = 0.0;
        for (i, &a) in grades.iter().enumerate() {
            sum += self.alone[usize::from(a)];
            for &b in &grades[..i] {
                sum += self.pairs[usize::from(a.min(b))][usize::from(a.max(b))];
            }
        }
        sum
    }
}

/// All that is learnt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// An empty square's worth to the side to move: by its own shapes, by the other's.
    pub(crate) values: [Factors; 2],
    /// To be to move.
    pub(crate) turn: f64,
    /// When the other side's lines must be blocked with one stone, and with more.
    pub(crate) threats: [f64; 2],
    /// How likely strong players choose a square: by their own shapes, by the other's.
    pub(crate) choices: [Factors; 2],
}

/// One shape's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShapeWorth {
    /// To a side that is to move, and to one that is not, as the side to move sees it.
    pub(crate) values: [i32; 2],
    /// As a half-move: by the mover's own shape, by the other side's.
    pub(crate) choices: [i32; 2],
}

/// The weights, spread over all shapes.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) shapes: Box<[ShapeWorth]>,
    pub(crate) turn: i32,
    pub(crate) threats: [i32; 2],
}

impl Model {
    /// The model of a game. There is one, fitted to Connect6: grades count what is missing to a
    /// threat, so they mean the same in the other games of the family.
    pub(crate) fn of(_: &Rules) -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| {
            let weights = Weights::read(CONNECT6).expect("the weights file is complete");
            Self::new(&weights)
        })
    }

    pub(crate) fn new(weights: &Weights) -> Self {
        let unit = SCALE * f64::from(FINE);
        let fixed = |value: f64, unit: f64| (value * unit).round() as i32;
        let shapes = (0..SHAPES).map(|shape| {
            let grade = |place: u32| (shape / GRADES.pow(place) % GRADES) as u8;
            let grades = [0, 1, 2, 3].map(grade);
            ShapeWorth {
                values: [0, 1].map(|i| fixed(weights.values[i].sum(grades), unit)),
                choices: [0, 1].map(|i| fixed(weights.choices[i].sum(grades), CHOICE_SCALE)),
            }
        });
        Self {
            shapes: shapes.collect(),
            turn: fixed(weights.turn, SCALE),
            threats: weights.threats.map(|threat| fixed(threat, SCALE)),
        }
    }
}

/// Units of a half-move's worth for one of a logarithm of odds.
pub(crate) const CHOICE_SCALE: f64 = 100.0;

const NAMES: [&str; 4] = ["value-own", "value-other", "choice-own", "choice-other"];

impl Weights {
    pub(crate) const ZERO: Self = Self {
        values: [Factors::ZERO; 2],
        turn: 0.0,
        threats: [0.0; 2],
        choices: [Factors::ZERO; 2],
    };

    /// Reads what [`Weights::write`] wrote; lines that begin with `#` are passed over.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut weights = Self::ZERO;
        let mut lines = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let Some(name) = words.next() else { continue };
            let row = match name {
                "turn" | "threats" => None,
                _ => words.next(),
            };
            let numbers = words.map(|word| word.parse().ok());
            let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
            lines += 1;
            match (name, row) {
                ("turn", _) => weights.turn = *numbers.first()?,
                ("threats", _) => weights.threats = numbers.try_into().ok()?,
                (name, row) => {
                    let factors = weights.factors_mut(name)?;
                    let numbers = numbers.try_into().ok()?;
                    match row? {
                        "alone" => factors.alone = numbers,
                        row => *factors.pairs.get_mut(row.parse::<usize>().ok()?)? = numbers,
                    }
                }
            }
        }
        (lines == 2 + NAMES.len() * (1 + GRADES)).then_some(weights)
    }

    fn factors_mut(&mut self, name: &str) -> Option<&mut Factors> {
        let index = NAMES.iter().position(|known| *known == name)?;
        let (group, index) = (index / 2, index % 2);
        Some(match group {
            0 => &mut self.values[index],
            _ => &mut self.choices[index],
        })
    }

    /// The weights file, after a comment that says how it was made.
    pub(crate) fn write(&self, comment: &str) -> String {
        let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
        let row = |numbers: &[f64]| -> String {
            let words = numbers.iter().map(|number| format!(" {number:.4}"));
            words.collect()
        };
        text += &format!("turn{}\n", row(&[self.turn]));
        text += &format!("threats{}\n", row(&self.threats));
        let all = self.values.iter().chain(&self.choices);
        for (name, factors) in NAMES.iter().zip(all) {
            text += &format!("{name} alone{}\n", row(&factors.alone));
            for (lower, pairs) in factors.pairs.iter().enumerate() {
                text += &format!("{name} {lower}{}\n", row(pairs));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_file_reads_back() {
        let weights = Weights::read(CONNECT6).expect("complete");
        assert_eq!(
            Weights::read(&weights.write("made by a test")),
            Some(weights)
        );
        assert_eq!(Weights::read("turn 1\n"), None);
    }
}
