//! What games say about playing strength.

use std::fmt;

use gridproof_game::Colour;
use gridproof_game::records::Outcome;

/// Wins, draws and losses of one side of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Score {
    /// Games won.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
}

impl Score {
    /// Counts a game that was played as `side`.
    pub const fn add(&mut self, outcome: Outcome, side: Colour) {
        match outcome {
            Outcome::Drawn => self.drawn += 1,
            Outcome::Won(winner) if winner as u8 == side as u8 => self.won += 1,
            Outcome::Won(_) => self.lost += 1,
        }
    }

    /// All games.
    #[must_use]
    pub const fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// The Elo difference that the score speaks for, with its error at 95%. `None` where all
    /// games were won or all lost: then there is no bound on one side.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        let n = f64::from(self.games());
        if n == 0.0 {
            return None;
        }
        let mean = (f64::from(self.won) + f64::from(self.drawn) / 2.0) / n;
        if mean <= 0.0 || mean >= 1.0 {
            return None;
        }
        let square = |score: f64, games: u32| f64::from(games) * (score - mean) * (score - mean);
        let variance = square(1.0, self.won) + square(0.5, self.drawn) + square(0.0, self.lost);
        let error = 1.96 * (variance / n / n).sqrt();
        let rating = |score: f64| -400.0 * (1.0 / score.clamp(0.001, 0.999) - 1.0).log10();
        Some(Elo {
            difference: rating(mean),
            error: (rating(mean + error) - rating(mean - error)) / 2.0,
        })
    }
}

/// A sequential test of the first side's Elo difference: whether it is rather `better` than `even`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference that would not be worth anything.
    pub even: f64,
    /// The difference that is hoped for.
    pub better: f64,
}

/// What a sequential test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Play on.
    Open,
    /// The first side is better, with an error of one in twenty.
    Better,
    /// It is not.
    NotBetter,
}

impl Sprt {
    /// The logarithm of how much likelier the score is if the side is better, the score taken as
    /// normal.
    #[must_use]
    pub fn likelihood(&self, score: &Score) -> f64 {
        let n = f64::from(score.games());
        if n == 0.0 {
            return 0.0;
        }
        // Half a game each way keeps a clean sweep from having no spread.
        let (won, drawn, lost) = (
            f64::from(score.won) + 0.5,
            f64::from(score.drawn),
            f64::from(score.lost) + 0.5,
        );
        let all = won + drawn + lost;
        let mean = (won + drawn / 2.0) / all;
        let square = |points: f64, games: f64| games * (points - mean) * (points - mean);
        let variance = (square(1.0, won) + square(0.5, drawn) + square(0.0, lost)) / all;
        let expected = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (even, better) = (expected(self.even), expected(self.better));
        n * (better - even) * (2.0 * mean - even - better) / (2.0 * variance)
    }

    /// The end of the test, at 5% of error either way.
    #[must_use]
    pub fn verdict(&self, score: &Score) -> Verdict {
        let bound = 19f64.ln();
        match self.likelihood(score) {
            likelihood if likelihood >= bound => Verdict::Better,
            likelihood if likelihood <= -bound => Verdict::NotBetter,
            _ => Verdict::Open,
        }
    }
}

/// A difference in playing strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// Above 0 if the first side is the stronger.
    pub difference: f64,
    /// How far the difference may be off, at 95%.
    pub error: f64,
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.0} ± {:.0}", self.difference, self.error)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { won, drawn, lost } = self;
        write!(f, "{won} won, {drawn} drawn, {lost} lost")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequential_test_ends_for_the_better_side_and_against_an_even_one() {
        let test = Sprt {
            even: 0.0,
            better: 50.0,
        };
        let score = |won, lost| Score {
            won,
            drawn: 0,
            lost,
        };
        assert_eq!(test.verdict(&score(3, 1)), Verdict::Open);
        assert_eq!(test.verdict(&score(60, 20)), Verdict::Better);
        assert_eq!(test.verdict(&score(200, 200)), Verdict::NotBetter);
        assert_eq!(test.likelihood(&Score::default()), 0.0);
    }

    #[test]
    fn an_even_score_is_no_difference_and_a_clean_sweep_has_no_bound() {
        let even = Score {
            won: 10,
            drawn: 5,
            lost: 10,
        };
        let elo = even.elo().unwrap();
        assert_eq!(elo.difference, 0.0);
        assert!(elo.error > 50.0);
        let sweep = Score {
            won: 9,
            ..Score::default()
        };
        assert_eq!(sweep.elo(), None);
        assert_eq!(Score::default().elo(), None);
    }
}
