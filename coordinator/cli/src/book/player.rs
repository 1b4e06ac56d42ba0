use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gridproof_book::{Reason, TrustedBook};
use gridproof_certificate::{Guide, Proof};
use gridproof_engine::Line;
use gridproof_engine::players::{Opinion, Player, PlayerError};
use gridproof_game::records::Game;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::Budget;

use super::super::Failure;
use super::open::checked_claims;
use super::prover::{Shared, SolverProver};

/// Opens from a book, follows a proof to its end, and lets another player choose where both
/// are silent.
#[derive(Debug)]
pub(in super::super) struct BookPlayer {
    book: Arc<TrustedBook>,
    prover: SolverProver,
    then: Box<dyn Player>,
    following: Option<Proof>,
    /// The last move was its own.
    spoke: bool,
}

/// Nodes for the look whether the opponent wins by threats after a move that was only played.
const DANGER_NODES: u64 = 5_000;

/// Opens a book for players of a game.
pub(in super::super) fn open_for_play(
    path: &Path,
    rules: Rules,
) -> Result<Arc<TrustedBook>, Failure> {
    let book = TrustedBook::open(path, checked_claims()?)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    if book.rules() != rules {
        return Err(format!(
            "{} is a book of {}, not of {rules}",
            path.display(),
            book.rules()
        )
        .into());
    }
    Ok(Arc::new(book))
}

impl BookPlayer {
    pub(in super::super) fn new(book: Arc<TrustedBook>, then: Box<dyn Player>) -> Self {
        Self {
            prover: SolverProver::new(book.rules(), DANGER_NODES, Shared::default()),
            book,
            then,
            following: None,
            spoke: false,
        }
    }

    /// The move of the proof that the game is in, or came into since the last move.
    fn follow(&mut self, game: &Game) -> Option<Move> {
        if self.following.is_none() {
            self.following = self.proof_of_ours(game);
        }
        let proof = self.following.as_ref()?;
        let start = game
            .positions()
            .position(|position| position == *proof.start())?;
        let mut guide = Guide::new(proof).ok()?;
        for mv in &game.moves()[start..] {
            if guide.attacker_to_move() {
                if guide.attack().ok()? != *mv {
                    return None;
                }
            } else {
                guide.defend(mv).ok()?;
            }
        }
        guide.attack().ok()
    }

    /// The proof of the latest position that the book says we win.
    fn proof_of_ours(&self, game: &Game) -> Option<Proof> {
        let us = game.position().to_move();
        let positions: Vec<_> = game.positions().collect();
        let won = positions.iter().rev().find(|position| {
            let proved = self.book.proved(position).ok().flatten();
            proved.is_some_and(|proved| proved.winner == us)
        })?;
        self.book.proof(won).ok().flatten()
    }

    /// The book's move. A damaged book has none.
    fn open(&self, position: &Position) -> Option<Move> {
        let choice = self.book.choose(position).ok().flatten()?;
        if !matches!(choice.reason, Reason::ProvedWin) {
            let after = position.after(&choice.mv);
            if self.prover.win(&after, DANGER_NODES).is_some() {
                return None;
            }
        }
        Some(choice.mv)
    }
}

impl Player for BookPlayer {
    fn name(&self) -> String {
        format!("{} with book", self.then.name())
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        self.choose_telling(game, budget, &mut |_, _| {})
    }

    fn choose_telling(
        &mut self,
        game: &Game,
        budget: &mut Budget<'_>,
        report: &mut dyn FnMut(&Line, u64),
    ) -> Result<Move, PlayerError> {
        let known = self.follow(game).or_else(|| self.open(game.position()));
        self.spoke = known.is_some();
        match known {
            Some(mv) => Ok(mv),
            None => self.then.choose_telling(game, budget, report),
        }
    }

    fn author(&self) -> String {
        match self.spoke {
            true => "the book".to_owned(),
            false => self.then.author(),
        }
    }

    fn take_time(&mut self, time: Duration) {
        self.then.take_time(time);
    }

    fn opinion(&self) -> Option<Opinion> {
        match self.spoke {
            true => None,
            false => self.then.opinion(),
        }
    }
}
