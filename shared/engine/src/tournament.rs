//! Players against each other: single games and matches.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gridproof_game::records::{Game, Outcome};
use gridproof_game::{Colour, Opening, PlayError, Rules, Square, State};
use gridproof_solver::Budget;
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use crate::players::{Player, PlayerError, PlayerSpec};
use crate::score::Score;

/// Why a game could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player has no move.
    #[error("{player} gave up as {colour} in turn {turn}")]
    Player {
        /// Its name.
        player: String,
        /// The side that it played.
        colour: Colour,
        /// Counted from 1, both sides together.
        turn: usize,
        /// Why it has none.
        source: PlayerError,
    },
    /// A player broke the rules.
    #[error("{player} made an illegal move as {colour} in turn {turn}")]
    Illegal {
        /// Its name.
        player: String,
        /// The side that it played.
        colour: Colour,
        /// Counted from 1, both sides together.
        turn: usize,
        /// Which rule it broke.
        source: PlayError,
    },
}

/// One game that was played, and the time that each side took.
#[derive(Clone, Debug)]
pub struct Played {
    /// All moves, with the players' names and the result in its headers.
    pub game: Game,
    /// How it ended.
    pub outcome: Outcome,
    /// Black's, then White's.
    pub clocks: [Clock; 2],
}

/// Plays a game on from an opening. A game in which no side can make a line any more is drawn.
pub fn play_game(
    mut game: Game,
    black: &mut dyn Player,
    white: &mut dyn Player,
) -> Result<Played, MatchError> {
    let mut clocks = [Clock::default(); 2];
    game.headers.black = Some(black.name());
    game.headers.white = Some(white.name());
    let mut board = AnyBoard::of_rules(*game.rules());
    loop {
        let position = game.position();
        board.update(position);
        let outcome = match position.state() {
            State::Won(colour) => Some(Outcome::Won(colour)),
            State::Drawn => Some(Outcome::Drawn),
            State::Open => with_board!(&board, |board| is_dead(board)).then_some(Outcome::Drawn),
        };
        if let Some(outcome) = outcome {
            game.headers.result = Some(outcome);
            return Ok(Played {
                game,
                outcome,
                clocks,
            });
        }
        let colour = position.to_move();
        let player: &mut dyn Player = match colour {
            Colour::Black => &mut *black,
            Colour::White => &mut *white,
        };
        let start = Instant::now();
        let chosen = player.choose(&game, &mut Budget::of_nodes(u64::MAX));
        clocks[colour.index()].time += start.elapsed();
        clocks[colour.index()].turns += 1;
        let turn = game.moves().len() + 1;
        let mv = chosen.map_err(|source| MatchError::Player {
            player: player.name(),
            colour,
            turn,
            source,
        })?;
        game.play(mv).map_err(|source| MatchError::Illegal {
            player: player.name(),
            colour,
            turn,
            source,
        })?;
    }
}

/// Whether every segment has stones of both sides.
fn is_dead<S: Shape>(board: &ThreatBoard<S>) -> bool {
    board.geometry().lines().all(|line| {
        let open = Colour::BOTH.map(|colour| board.open_on(line, colour));
        open == [0, 0]
    })
}

/// Openings that neither side is known to win: Black in the centre, White's two stones close
/// to it. Other games than Connect6 start from the empty board.
#[must_use]
pub fn balanced_openings(rules: Rules) -> Vec<Game> {
    if rules != Rules::CONNECT6 {
        return vec![Game::new(rules)];
    }
    let centre = rules.centre();
    let distance = |square: Square| {
        let far = |a: u8, b: u8| a.abs_diff(b);
        far(square.column(), centre.column()).max(far(square.row(), centre.row()))
    };
    let near: Vec<Square> = rules
        .squares()
        .filter(|&square| (1..=3).contains(&distance(square)))
        .collect();
    let mut replies = BTreeMap::new();
    for (i, &a) in near.iter().enumerate() {
        for &b in &near[..i] {
            let both = distance(a) + distance(b);
            let named = Opening::of(&Opening::Reply([a, b]).position());
            if let Some(opening) = named.filter(|_| both <= 4) {
                replies.insert((both, opening.to_string()), opening);
            }
        }
    }
    replies.into_values().map(Opening::game).collect()
}

/// A match: each opening is played twice, the players changing colours.
#[derive(Clone, Debug)]
pub struct Match {
    /// Plays Black in the first game.
    pub first: PlayerSpec,
    /// Plays White in the first game.
    pub second: PlayerSpec,
    /// The game.
    pub rules: Rules,
    /// Where games begin, such as [`balanced_openings`]; none: on the empty board.
    pub openings: Vec<Game>,
    /// How many games are played.
    pub games: usize,
}

/// How a match stands, as the first player sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standings {
    /// The first player's.
    pub score: Score,
    /// The first player's, then the second's.
    pub clocks: [Clock; 2],
}

/// How long a player took for how many moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// All moves together.
    pub time: Duration,
    /// How many moves that is.
    pub turns: u32,
}

impl Clock {
    /// The mean time of a move.
    #[must_use]
    pub fn each_move(&self) -> Duration {
        self.time / self.turns.max(1)
    }
}

impl Match {
    /// Plays all games; `after_game` is told each one with the standings after it.
    pub fn run<E: From<MatchError>>(
        &self,
        after_game: impl FnMut(&Played, &Standings) -> Result<(), E>,
    ) -> Result<Standings, E> {
        self.run_with(|first| first, after_game)
    }

    /// As [`Match::run`], and the first player is changed before each game, such as by a book
    /// that it opens from.
    pub fn run_with<E: From<MatchError>>(
        &self,
        change_first: impl Fn(Box<dyn Player>) -> Box<dyn Player>,
        mut after_game: impl FnMut(&Played, &Standings) -> Result<(), E>,
    ) -> Result<Standings, E> {
        let from_start = [Game::new(self.rules)];
        let openings = match &self.openings[..] {
            [] => &from_start,
            openings => openings,
        };
        let pairs = self.games.div_ceil(2).max(1);
        let mut standings = Standings::default();
        for number in 0..self.games {
            // Spread over the list, for it may be sorted.
            let opening = number / 2 * openings.len() / pairs % openings.len();
            let game = openings[opening].clone();
            let mut first = change_first(self.first.player(self.rules));
            let mut second = self.second.player(self.rules);
            let side = Colour::BOTH[number % 2];
            let (black, white) = match side {
                Colour::Black => (&mut *first, &mut *second),
                Colour::White => (&mut *second, &mut *first),
            };
            let played = play_game(game, black, white)?;
            standings.score.add(played.outcome, side);
            for (clock, colour) in standings.clocks.iter_mut().zip([side, side.other()]) {
                clock.time += played.clocks[colour.index()].time;
                clock.turns += played.clocks[colour.index()].turns;
            }
            after_game(&played, &standings)?;
        }
        Ok(standings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_one_stone_a_turn_or_three_are_played_to_their_end() {
        for rules in [Rules::new(9, 9, 5, 1, 1), Rules::new(9, 9, 6, 3, 1)] {
            let rules = rules.unwrap();
            let series = Match {
                first: PlayerSpec::Engine { nodes: 200 },
                second: PlayerSpec::Engine { nodes: 0 },
                rules,
                openings: balanced_openings(rules),
                games: 2,
            };
            let end = series.run(|_, _| Ok::<(), MatchError>(()));
            assert!(end.is_ok(), "{rules}: {end:?}");
        }
    }

    #[test]
    fn balanced_openings_are_enough_for_a_hundred_games_and_all_differ() {
        let openings = balanced_openings(Rules::CONNECT6);
        assert!(openings.len() >= 50, "{}", openings.len());
        let mut forms: Vec<_> = openings
            .iter()
            .map(|game| game.position().canonical().0.key())
            .collect();
        forms.sort_unstable();
        forms.dedup();
        assert_eq!(forms.len(), openings.len());
    }
}
