//! A store of proofs, asked about positions that differ from a proved one by a few stones.

use gridproof_game::{Colour, Position, SquareSet, State, Symmetry};
use gridproof_solver::{
    Budget, Known, Order, Outcome, ProofStore, Remembering, SolverOptions, Verdict,
    VerifierOptions, Win,
};
use rand::Rng;
use rand::seq::{IteratorRandom, SliceRandom};

use super::Case;

/// Positions asked about for each proof.
const CHANGED: usize = 8;

impl Case {
    /// Proves a position for either side if it can, and asks the store about others like it.
    /// The number of wins that the store knew; an error if one is false, or if a proof that was
    /// said to fit could not be made one of the new position.
    pub(crate) fn try_store(&mut self, position: &Position) -> Result<u32, String> {
        let mut wins = 0;
        for attacker in Colour::BOTH {
            let mut store = ProofStore::default();
            let solver = self.solver.clone();
            let mut remembering = solver.remembering(&mut store);
            if prove(&mut remembering, position, attacker, 5_000).is_none() {
                continue;
            }
            for _ in 0..CHANGED {
                let Some(changed) = self.changed(position, attacker.other()) else {
                    continue;
                };
                let before = store.counts();
                // Without nodes to search with, but a search may still see the end at once.
                let won = prove(&mut solver.remembering(&mut store), &changed, attacker, 0);
                let after = store.counts();
                if after.failed > before.failed {
                    return Err(format!(
                        "a proof by way of {position:?} does not fit {changed:?} after all"
                    ));
                }
                if let Some(win) = won {
                    self.examine(&changed, attacker, &win, "the store")?;
                    if *win.proof.start() != changed {
                        return Err(format!("a proof of another position than {changed:?}"));
                    }
                    let known = after.same + after.fitted - before.same - before.fitted;
                    wins += known as u32;
                }
            }
        }
        Ok(wins)
    }

    /// The position turned, and with some stones of a side more or less.
    fn changed(&mut self, position: &Position, side: Colour) -> Option<Position> {
        let rng = &mut self.rng;
        let mut stones = *position.stones(side);
        let mut empties: Vec<_> = position.empties().iter().collect();
        empties.shuffle(rng);
        for taken in stones.iter().choose_multiple(rng, 2) {
            if rng.random_range(0..3) == 0 {
                stones.remove(taken);
            }
        }
        let more = rng.random_range(0..=2);
        stones.extend(empties.into_iter().take(more));
        let sets = Colour::BOTH.map(|colour| match colour == side {
            true => stones,
            false => *position.stones(colour),
        });
        let [black, white]: [SquareSet; 2] = sets;
        let changed = Position::of_stones(self.rules, &black, &white, position.to_move()).ok()?;
        let turn = Symmetry::all(&self.rules).choose(rng)?;
        // No turn is searched that differs in length from all others.
        let is_open = changed.state() == State::Open && changed.stone_count() > 0;
        is_open.then(|| changed.transformed(turn))
    }
}

fn prove(
    solver: &mut Remembering<'_>,
    position: &Position,
    attacker: Colour,
    nodes: u64,
) -> Option<Win> {
    let options = SolverOptions {
        exhaustive: true,
        ..SolverOptions::default()
    };
    let mut budget = Budget::of_nodes(nodes);
    if position.to_move() == attacker {
        let outcome = solver.win(position, Order(3), options, &mut budget);
        return match outcome.expect("the position is open") {
            Outcome::Won(win) => Some(*win),
            Outcome::NoWin | Outcome::Unknown => None,
        };
    }
    let options = VerifierOptions {
        order: Order(3),
        nodes_per_reply: nodes,
        solver: options,
        ..VerifierOptions::default()
    };
    let run = solver.verify(position, options, Known::default(), &mut budget, &mut ());
    match run.expect("the position is open").verdict {
        Verdict::Proved(win) => Some(*win),
        Verdict::DefenderHolds | Verdict::Open(_) => None,
    }
}
