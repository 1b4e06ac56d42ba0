//! Players against each other: single games and matches.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use gridproof_game::records::{Game, Outcome};
use gridproof_game::{Colour, Opening, PlayError, Rules, Square, State};
use gridproof_solver::Budget;
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use crate::players::{Opinion, Player, PlayerError, PlayerSpec};
use crate::score::Score;

/// Why a player lost a game that was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum Forfeit {
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
#[derive(Debug)]
pub struct Played {
    /// All moves, with the players' names and the result in its headers.
    pub game: Game,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended before a line was made, where a player failed.
    pub forfeit: Option<Forfeit>,
    /// What the players thought of their moves, as far as they said.
    pub opinions: Vec<Option<Opinion>>,
    /// Black's, then White's.
    pub clocks: [Clock; 2],
}

/// Plays a game on from an opening. A game in which no side can make a line any more is drawn, and
/// a player that fails has lost.
pub fn play_game(game: Game, black: &mut dyn Player, white: &mut dyn Player) -> Played {
    let mut board = AnyBoard::of_rules(*game.rules());
    let mut played = Played {
        opinions: vec![None; game.moves().len()],
        game,
        outcome: Outcome::Drawn,
        forfeit: None,
        clocks: [Clock::default(); 2],
    };
    played.game.headers.black = Some(black.name());
    played.game.headers.white = Some(white.name());
    loop {
        let position = played.game.position();
        board.update(position);
        let outcome = match position.state() {
            State::Won(colour) => Some(Outcome::Won(colour)),
            State::Drawn => Some(Outcome::Drawn),
            State::Open => with_board!(&board, |board| is_dead(board)).then_some(Outcome::Drawn),
        };
        if let Some(outcome) = outcome {
            return played.ended(outcome);
        }
        let colour = position.to_move();
        let player: &mut dyn Player = match colour {
            Colour::Black => &mut *black,
            Colour::White => &mut *white,
        };
        if let Err(forfeit) = played.next(player, colour) {
            played.forfeit = Some(forfeit);
            return played.ended(Outcome::Won(colour.other()));
        }
    }
}

impl Played {
    fn ended(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self.game.headers.result = Some(outcome);
        self
    }

    /// Asks a player for a move and plays it.
    fn next(&mut self, player: &mut dyn Player, colour: Colour) -> Result<(), Forfeit> {
        let start = Instant::now();
        let chosen = player.choose(&self.game, &mut Budget::of_nodes(u64::MAX));
        let clock = &mut self.clocks[colour.index()];
        clock.time += start.elapsed();
        clock.turns += 1;
        let turn = self.game.moves().len() + 1;
        let mv = chosen.map_err(|source| Forfeit::Player {
            player: player.name(),
            colour,
            turn,
            source,
        })?;
        self.game.play(mv).map_err(|source| Forfeit::Illegal {
            player: player.name(),
            colour,
            turn,
            source,
        })?;
        self.opinions.push(player.opinion());
        Ok(())
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

/// Whether a match goes on after a game.
pub type Next<E> = Result<ControlFlow<()>, E>;

impl Match {
    /// Plays all games, unless `after_game`, which is told each one with the standings after it,
    /// ends the match. With one game at a time they come in order.
    pub fn run<E: Send>(
        &self,
        at_once: usize,
        after_game: impl FnMut(usize, &Played, &Standings) -> Next<E>,
    ) -> Result<Standings, E> {
        self.run_with(at_once, |first| first, after_game)
    }

    /// As [`Match::run`], and the first player is changed before each game, such as by a book
    /// that it opens from.
    pub fn run_with<E: Send>(
        &self,
        at_once: usize,
        change_first: impl Fn(Box<dyn Player>) -> Box<dyn Player> + Sync,
        mut after_game: impl FnMut(usize, &Played, &Standings) -> Next<E>,
    ) -> Result<Standings, E> {
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, ended) = sync_channel(0);
        std::thread::scope(|scope| {
            for _ in 0..at_once.max(1) {
                let (sender, next, over, change_first) =
                    (sender.clone(), &next, &over, &change_first);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.games
                            || sender
                                .send((number, self.play(number, change_first)))
                                .is_err()
                        {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut standings = Standings::default();
            let mut result = Ok(());
            for (number, played) in ended {
                if over.load(Ordering::Relaxed) {
                    continue;
                }
                standings.add(&played, Colour::BOTH[number % 2]);
                match after_game(number, &played, &standings) {
                    Ok(ControlFlow::Continue(())) => {}
                    end => {
                        result = end.map(|_| ());
                        over.store(true, Ordering::Relaxed);
                    }
                }
            }
            result.map(|()| standings)
        })
    }

    /// Plays a game of the match, counted from 0.
    fn play(
        &self,
        number: usize,
        change_first: &impl Fn(Box<dyn Player>) -> Box<dyn Player>,
    ) -> Played {
        let pairs = self.games.div_ceil(2).max(1);
        let game = if self.openings.is_empty() {
            Game::new(self.rules)
        } else {
            // Spread over the list, for it may be sorted.
            let count = self.openings.len();
            self.openings[number / 2 * count / pairs % count].clone()
        };
        let mut first = change_first(self.first.player(self.rules));
        let mut second = self.second.player(self.rules);
        let (black, white) = match Colour::BOTH[number % 2] {
            Colour::Black => (&mut *first, &mut *second),
            Colour::White => (&mut *second, &mut *first),
        };
        play_game(game, black, white)
    }
}

impl Standings {
    /// Counts a game that the first player played as `side`.
    fn add(&mut self, played: &Played, side: Colour) {
        self.score.add(played.outcome, side);
        for (clock, colour) in self.clocks.iter_mut().zip([side, side.other()]) {
            clock.time += played.clocks[colour.index()].time;
            clock.turns += played.clocks[colour.index()].turns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Effort;

    #[test]
    fn games_with_one_stone_a_turn_or_three_are_played_to_their_end() {
        for rules in [Rules::new(9, 9, 5, 1, 1), Rules::new(9, 9, 6, 3, 1)] {
            let rules = rules.unwrap();
            let series = Match {
                first: PlayerSpec::Engine(Effort::of_nodes(200)),
                second: PlayerSpec::Engine(Effort::of_nodes(0)),
                rules,
                openings: balanced_openings(rules),
                games: 2,
            };
            let end = series.run(2, |_, played, _| {
                assert!(played.forfeit.is_none(), "{rules}: {played:?}");
                Ok::<_, ()>(ControlFlow::Continue(()))
            });
            let score = end.expect("nobody ends it").score;
            assert_eq!(score.games(), 2);
        }
    }

    #[test]
    fn a_player_that_crashes_has_lost_and_the_match_goes_on() {
        let series = Match {
            first: PlayerSpec::Stdin {
                line: "false".to_owned(),
            },
            second: PlayerSpec::Defensive,
            rules: Rules::CONNECT6,
            openings: balanced_openings(Rules::CONNECT6),
            games: 3,
        };
        let mut reasons = Vec::new();
        let end = series.run(1, |_, played, _| {
            let forfeit = played.forfeit.as_ref().expect("it fails");
            let first: &dyn std::error::Error = forfeit;
            let causes = std::iter::successors(Some(first), |error| error.source());
            reasons.push(causes.map(ToString::to_string).collect::<Vec<_>>());
            Ok::<_, ()>(ControlFlow::Continue(()))
        });
        assert_eq!(end.expect("nobody ends it").score.lost, 3);
        for reason in reasons {
            assert!(reason[0].starts_with("false gave up as"), "{reason:?}");
            // Each cause is told once.
            let is_new = |(i, cause): (usize, &String)| {
                !reason[..i]
                    .iter()
                    .any(|known| known.contains(cause) || cause.contains(known))
            };
            assert!(reason.iter().enumerate().all(is_new), "{reason:?}");
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
