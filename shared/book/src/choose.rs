//! The four rules that choose a move, from the paper on the tree of openings.

use gridproof_game::{Move, Position};

use crate::entry::{Entry, Wins};

/// The source of the games that a program played against itself to learn ([`Explorer`]).
///
/// [`Explorer`]: crate::Explorer
pub const SELF_PLAY: &str = "self-play";

/// Where the program tried a move so often itself, other sources are not asked: what others can
/// win, it may not.
const ENOUGH_OWN_GAMES: u32 = 3;

/// So many wins without a loss make a move the one to play.
const ENOUGH_WINS: u32 = 5;

/// A move that the book advises, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Why.
    pub reason: Reason,
}

/// The rule that chose a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It wins, and this is proved.
    ProvedWin,
    /// It won at least five games and lost none.
    NeverLost(Wins),
    /// It won more games than it lost.
    MoreWins(Wins),
}

/// What the rules make of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It must be played, or may be.
    Advised(Reason),
    /// It is proved to lose.
    ProvedLoss,
    /// Nobody ever won with it.
    NeverWon,
    /// It won no more games than it lost.
    Silent,
}

/// A move in a position, and what is believed of the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The entry after it. A claim of a proof that is not believed counts as played.
    pub entry: Entry,
}

impl Candidate {
    /// The wins that count.
    #[must_use]
    pub fn wins(&self) -> Wins {
        if self.is_tried() {
            self.entry.wins_from(SELF_PLAY)
        } else {
            self.entry.all_wins()
        }
    }

    /// Whether the program has tried the move itself.
    fn is_tried(&self) -> bool {
        self.entry.wins_from(SELF_PLAY).games() >= ENOUGH_OWN_GAMES
    }

    /// What the rules say of the move to the side that makes it in this position.
    #[must_use]
    pub fn verdict(&self, position: &Position) -> Verdict {
        let us = position.to_move();
        if let Some(proved) = self.entry.proved() {
            return if proved.winner == us {
                Verdict::Advised(Reason::ProvedWin)
            } else {
                Verdict::ProvedLoss
            };
        }
        let wins = self.wins();
        let (won, lost) = (wins.of(us), wins.of(us.other()));
        if lost == 0 && won >= ENOUGH_WINS {
            Verdict::Advised(Reason::NeverLost(wins))
        } else if won == 0 {
            Verdict::NeverWon
        } else if won > lost {
            Verdict::Advised(Reason::MoreWins(wins))
        } else {
            Verdict::Silent
        }
    }
}

/// The best of the moves that the rules advise: a proved win, else one that the program has tried
/// itself, else one that never lost, else one that won more often; of these the one that did so
/// most. `None` where the book is silent.
#[must_use]
pub fn choose(position: &Position, candidates: &[Candidate]) -> Option<Choice> {
    let us = position.to_move();
    let advised = candidates.iter().filter_map(|candidate| {
        let Verdict::Advised(reason) = candidate.verdict(position) else {
            return None;
        };
        let wins = candidate.wins();
        // The share of wins, as if both sides had won one game more: so that one win of one
        // game does not count for more than nine of ten.
        let share = u64::from(wins.of(us) + 1) * 1_000_000 / u64::from(wins.games() + 2);
        let rank = match reason {
            Reason::ProvedWin => (4, 0, 0),
            _ if candidate.is_tried() => (3, share as u32, wins.games()),
            Reason::NeverLost(wins) => (2, wins.of(us), 0),
            Reason::MoreWins(_) => (1, share as u32, wins.games()),
        };
        Some((rank, std::cmp::Reverse(&candidate.mv), reason))
    });
    let (_, mv, reason) = advised.max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)))?;
    Some(Choice {
        mv: mv.0.clone(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use gridproof_certificate::ContentHash;
    use gridproof_game::{Colour, Opening};

    use super::*;
    use crate::entry::{Proved, Status};

    fn black_to_move() -> Position {
        "TX-H9".parse::<Opening>().unwrap().position()
    }

    fn played(mv: &str, black: u32, white: u32) -> Candidate {
        Candidate {
            mv: mv.parse().unwrap(),
            entry: Entry {
                wins: vec![("games".into(), Wins { black, white })],
                ..Entry::default()
            },
        }
    }

    fn proved(mv: &str, winner: Colour) -> Candidate {
        let mut candidate = played(mv, 3, 3);
        candidate.entry.status = Status::Proved(Proved {
            winner,
            certificate: ContentHash([7; 32]),
            mv: None,
        });
        candidate
    }

    fn chosen(candidates: &[Candidate]) -> Option<String> {
        choose(&black_to_move(), candidates).map(|choice| choice.mv.to_string())
    }

    #[test]
    fn a_proved_win_comes_before_any_number_of_games() {
        let candidates = [
            played("K11 L10", 900, 0),
            proved("K10 K11", Colour::Black),
            played("K12 L12", 9, 1),
        ];
        assert_eq!(chosen(&candidates).unwrap(), "K10 K11");
    }

    #[test]
    fn a_move_that_is_proved_lost_is_never_played() {
        assert_eq!(chosen(&[proved("K10 K11", Colour::White)]), None);
        let position = black_to_move();
        let verdict = proved("K10 K11", Colour::White).verdict(&position);
        assert_eq!(verdict, Verdict::ProvedLoss);
    }

    #[test]
    fn five_wins_and_none_against_come_before_a_better_number_with_losses() {
        let candidates = [played("K11 L10", 90, 1), played("K10 K11", 5, 0)];
        assert_eq!(chosen(&candidates).unwrap(), "K10 K11");
        let candidates = [played("K11 L10", 90, 1), played("K10 K11", 4, 0)];
        assert_eq!(chosen(&candidates).unwrap(), "L10 K11");
    }

    #[test]
    fn a_move_that_was_never_won_is_never_played() {
        assert_eq!(
            chosen(&[played("K11 L10", 0, 1), played("K10 K11", 0, 0)]),
            None
        );
    }

    #[test]
    fn a_move_must_have_won_more_than_it_lost() {
        assert_eq!(
            chosen(&[played("K11 L10", 7, 7), played("K10 K11", 3, 4)]),
            None
        );
        let candidates = [played("K11 L10", 7, 7), played("K10 K11", 4, 3)];
        assert_eq!(chosen(&candidates).unwrap(), "K10 K11");
        let candidates = [played("K11 L10", 1, 0), played("K10 K11", 9, 1)];
        assert_eq!(chosen(&candidates).unwrap(), "K10 K11");
    }

    #[test]
    fn what_the_program_tried_itself_comes_before_what_others_won() {
        let own = |mv: &str, black: u32, white: u32| {
            let mut candidate = played(mv, 90, 1);
            let wins = Wins { black, white };
            candidate.entry.wins.push((SELF_PLAY.into(), wins));
            candidate
        };
        let others = played("K11 L10", 90, 0);
        let chosen_of = |one: Candidate| chosen(&[others.clone(), one]).unwrap();
        assert_eq!(chosen_of(own("K10 K11", 3, 1)), "K10 K11");
        assert_eq!(chosen_of(own("K10 K11", 1, 2)), "L10 K11");
        assert_eq!(
            chosen_of(own("K10 K11", 2, 0)),
            "L10 K11",
            "not tried enough"
        );
    }

    #[test]
    fn the_rules_see_the_game_with_the_eyes_of_the_side_to_move() {
        let position = black_to_move().with_to_move(Colour::White);
        let candidates = [played("K11 L10", 9, 0), played("K10 K11", 0, 6)];
        let choice = choose(&position, &candidates).unwrap();
        assert_eq!(choice.mv.to_string(), "K10 K11");
        assert!(matches!(choice.reason, Reason::NeverLost(_)));
    }
}
