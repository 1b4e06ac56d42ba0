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

    const fn games(&self) -> u32 {
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
