//! Which game a book learns most from.
//!
//! Buro's way: go where both sides play best as far as the book knows, and leave it where the
//! side to move is not content with what it knows. A bandit's bound keeps moves alive that were
//! tried a few times only.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position};
use rustc_hash::FxHashMap;

use crate::book::{Book, child_of};
use crate::choose::SELF_PLAY;
use crate::entry::{Entry, Wins};
use crate::file::BookError;
use crate::key::Key;

/// A game to play: these moves, then one that is not known, then whatever the players choose.
#[derive(Clone, Debug)]
pub struct NextGame {
    /// The moves of the book.
    pub game: Game,
    /// Moves that the book has where it is left.
    pub known: Vec<Move>,
    /// The entries on the way.
    pub keys: Vec<Key>,
}

/// What is known beside the book while it grows.
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    /// Games that are being played, by the entries on their way: each counts as lost until it is
    /// known, so that the next one goes elsewhere.
    underway: FxHashMap<Key, u32>,
    /// Who seems to win entries where nothing is left to try. This decides where games go and
    /// nothing else.
    settled: FxHashMap<Key, Colour>,
}

impl Explorer {
    /// A game has begun.
    pub fn begin(&mut self, next: &NextGame) {
        for key in &next.keys {
            *self.underway.entry(key.clone()).or_default() += 1;
        }
    }

    /// A game has ended.
    pub fn end(&mut self, next: &NextGame) {
        for key in &next.keys {
            if let Some(count) = self.underway.get_mut(key) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// No other move came to mind where the game left the book: its side to move has lost.
    pub fn no_other_move(&mut self, next: &NextGame) {
        let loser = next.game.position().to_move();
        let (key, _) = Key::of(next.game.position());
        self.settled.insert(key, loser.other());
    }

    fn winner(&self, key: &Key, entry: &Entry) -> Option<Colour> {
        let proved = entry.proved().map(|proved| proved.winner);
        proved.or_else(|| self.settled.get(key).copied())
    }
}

/// The openings, whose moves are tried as often as people play them: the first two turns.
const OPENING_TURNS: usize = 2;
/// Other sources count for at most so many games of our own.
const PRIOR_GAMES: f64 = 4.0;
/// How much a move gains by having been tried seldom.
const CURIOSITY: f64 = 0.15;
/// What is expected of a move that nobody tried: a little less than an even game.
const UNTRIED: f64 = 0.45;

impl Explorer {
    /// The game from the empty board that promises to teach most; `None` if all is settled.
    pub fn next_game(&mut self, book: &Book) -> Result<Option<NextGame>, BookError> {
        let start = Key::of(&Position::start(book.rules())).0;
        while !self.settled.contains_key(&start) {
            match self.walk(book)? {
                Walk::Game(next) => return Ok(Some(*next)),
                Walk::Settled(key, winner) => self.settled.insert(key, winner),
            };
        }
        Ok(None)
    }

    fn walk(&self, book: &Book) -> Result<Walk, BookError> {
        let mut next = NextGame {
            game: Game::new(book.rules()),
            known: Vec::new(),
            keys: Vec::new(),
        };
        loop {
            let position = next.game.position().clone();
            let (key, symmetry) = Key::of(&position);
            let Some(entry) = book.get(&key) else {
                return Ok(Walk::Game(Box::new(next)));
            };
            let entry = entry.transformed(&book.rules(), symmetry.inverse());
            let us = position.to_move();
            let is_opening = next.game.moves().len() < OPENING_TURNS;
            let Moves {
                has_win,
                open: moves,
            } = self.moves_of(book, &position, &entry)?;
            // Openings are all looked at, though a side wins one of them.
            if has_win && (!is_opening || moves.is_empty()) {
                return Ok(Walk::Settled(key, us));
            }
            if is_opening && moves.is_empty() && !entry.moves.is_empty() {
                return Ok(Walk::Settled(key, us.other()));
            }
            next.keys.push(key);
            let chosen = if is_opening {
                moves
                    .iter()
                    .min_by(|a, b| a.saturation().total_cmp(&b.saturation()))
            } else {
                best(&moves, us)
            };
            let Some(chosen) = chosen else {
                next.known = entry.moves.into_iter().map(|one| one.mv).collect();
                return Ok(Walk::Game(Box::new(next)));
            };
            let mv = chosen.mv.clone();
            next.game.play(mv).map_err(BookError::Move)?;
        }
    }

    fn moves_of(
        &self,
        book: &Book,
        position: &Position,
        entry: &Entry,
    ) -> Result<Moves, BookError> {
        let mut moves = Moves {
            has_win: false,
            open: Vec::with_capacity(entry.moves.len()),
        };
        for book_move in &entry.moves {
            let key = child_of(position, book_move)?;
            let Some(child) = book.get(&key) else {
                continue;
            };
            if let Some(winner) = self.winner(&key, child) {
                moves.has_win |= winner == position.to_move();
                continue;
            }
            let own = child.wins_from(SELF_PLAY);
            let all = child.all_wins();
            moves.open.push(Tried {
                mv: book_move.mv.clone(),
                own,
                others: Wins {
                    black: all.black.saturating_sub(own.black),
                    white: all.white.saturating_sub(own.white),
                },
                underway: self.underway.get(&key).copied().unwrap_or(0),
            });
        }
        Ok(moves)
    }
}

/// Where a walk through the book came to.
enum Walk {
    Game(Box<NextGame>),
    /// A side wins there.
    Settled(Key, Colour),
}

/// The moves of an entry.
struct Moves {
    has_win: bool,
    /// Those that are not settled.
    open: Vec<Tried>,
}

/// A move that is not settled.
struct Tried {
    mv: Move,
    own: Wins,
    others: Wins,
    underway: u32,
}

impl Tried {
    fn games(&self) -> f64 {
        f64::from(self.own.games()) + f64::from(self.underway)
    }

    /// How much was learnt of it, seen against how much it is played.
    fn saturation(&self) -> f64 {
        (self.games() + 0.5) / (f64::from(self.others.games()) + 1.0).sqrt()
    }

    /// The share of wins, with a word of other sources, as if both sides had won a game more.
    fn share(&self, us: Colour) -> f64 {
        let others = f64::from(self.others.games());
        let prior = others.min(PRIOR_GAMES);
        let prior_won = match self.others.games() {
            0 => 0.0,
            _ => prior * f64::from(self.others.of(us)) / others,
        };
        let won = f64::from(self.own.of(us)) + prior_won + 1.0;
        won / (self.games() + prior + 2.0)
    }
}

/// The move with the highest bound; `None` where a new one promises more.
fn best(moves: &[Tried], us: Colour) -> Option<&Tried> {
    let all: f64 = moves.iter().map(Tried::games).sum();
    let bound =
        |one: &Tried| one.share(us) + CURIOSITY * ((all + 1.0).ln() / (one.games() + 1.0)).sqrt();
    let best = moves.iter().max_by(|a, b| bound(a).total_cmp(&bound(b)))?;
    (bound(best) >= UNTRIED).then_some(best)
}

#[cfg(test)]
mod tests {
    use gridproof_game::Rules;

    use super::*;

    fn add(book: &mut Book, stones: &str, winner: Colour, source: &str) {
        let game = gridproof_game::read_game(stones.as_bytes()).unwrap();
        book.add_game(&game, 9, winner, &source.into());
    }

    fn stones(next: &NextGame) -> usize {
        next.game.position().stone_count()
    }

    #[test]
    fn where_the_side_to_move_lost_another_move_is_tried() {
        let mut book = Book::new(Rules::CONNECT6);
        add(
            &mut book,
            "j10,i8,h9,k11,l10,k9,k10",
            Colour::White,
            SELF_PLAY,
        );
        let next = Explorer::default().next_game(&book).unwrap().unwrap();
        assert_eq!(stones(&next), 3, "Black is not content with its first pair");
        assert_eq!(next.known.len(), 1);
        add(
            &mut book,
            "j10,i8,h9,k11,k9,k12,l12",
            Colour::Black,
            SELF_PLAY,
        );
        let next = Explorer::default().next_game(&book).unwrap().unwrap();
        assert_eq!(stones(&next), 5, "now it is White's turn to try");
    }

    #[test]
    fn openings_take_turns_and_games_underway_count() {
        let mut book = Book::new(Rules::CONNECT6);
        add(&mut book, "j10,i8,h9", Colour::White, "games");
        add(&mut book, "j10,i10,h10", Colour::White, "games");
        let mut explorer = Explorer::default();
        let first = explorer.next_game(&book).unwrap().unwrap();
        explorer.begin(&first);
        let second = explorer.next_game(&book).unwrap().unwrap();
        assert_ne!(first.game.position(), second.game.position());
        explorer.end(&first);
        let again = explorer.next_game(&book).unwrap().unwrap();
        assert_eq!(first.game.position(), again.game.position());
    }
}
