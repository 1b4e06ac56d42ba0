//! From the end of a game back to the win position.

use gridproof_certificate::Proof;
use gridproof_game::records::{Game, Outcome};
use gridproof_game::{Colour, Position, State};

use crate::deduce::proof_before;

/// Finds proofs. The book does not know how: whoever builds one brings it along.
pub trait Prover {
    /// A proof that the attacker wins a position in canonical form, whoever is to move; `None`
    /// if none was found. The same position must always get the same answer.
    fn prove(&mut self, position: &Position, attacker: Colour) -> Option<Proof>;
}

/// What a book keeps of a game: its moves up to the win position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Who won the game.
    pub winner: Colour,
    /// How many moves are kept.
    pub turns: usize,
    /// The proof of the win position in canonical form; `None` if no turn could be proved, and
    /// then the whole game is kept.
    pub proof: Option<Proof>,
}

/// Who won a game: by its record, or else by the line on the board.
#[must_use]
pub fn winner(game: &Game) -> Option<Colour> {
    match (game.position().state(), game.headers.result) {
        (State::Won(colour), _) | (_, Some(Outcome::Won(colour))) => Some(colour),
        _ => None,
    }
}

/// The branch of a game: it ends at the *win position*, the earliest turn from which the prover
/// proves the win. A turn with null stones ends it too, for a book holds positions of play.
pub fn branch(game: &Game, winner: Colour, prover: &mut dyn Prover) -> Branch {
    let mut turns = 0;
    for (number, position) in game.positions().enumerate() {
        let reached = number.checked_sub(1).map(|before| &game.moves()[before]);
        if position.state() != State::Open || reached.is_some_and(|mv| !mv.is_full()) {
            break;
        }
        turns = number;
        if let Some(proof) = prover.prove(&position.canonical().0, winner) {
            return at_win_position(game, winner, turns, proof);
        }
    }
    Branch {
        winner,
        turns,
        proof: None,
    }
}

/// The winner that played into a won position had won before it: by that move.
fn at_win_position(game: &Game, winner: Colour, turns: usize, proof: Proof) -> Branch {
    let moved_there = turns.checked_sub(1).and_then(|before| {
        let mv = &game.moves()[before];
        let (position, after) = (game.positions().nth(before)?, game.positions().nth(turns)?);
        let own = proof.transformed(after.canonical().1.inverse());
        let whole = (position.to_move() == winner).then(|| proof_before(&position, mv, &own))??;
        Some((before, whole.transformed(position.canonical().1)))
    });
    let (turns, proof) = moved_there.unwrap_or((turns, proof));
    Branch {
        winner,
        turns,
        proof: Some(proof),
    }
}
