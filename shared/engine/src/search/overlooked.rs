//! Finds moves of a game that lose to threats where another move does not.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, State as GameState};
use gridproof_solver::{Budget, Order, Solver, Win};
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use super::generate::generate;
use super::state::State;
use super::think::ROOT_IN_DANGER;
use crate::candidates::blocks_within;
use crate::find_win::find_win;

/// Looks at moves with the same effort each.
#[derive(Debug)]
pub struct Checker {
    solver: Solver,
    board: AnyBoard,
    nodes: u64,
}

/// What a move came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// No win of the other side was found.
    Holds,
    /// It loses, and so does every other move that was looked at.
    Lost,
    /// It loses, and this one does not.
    Overlooked(Move),
}

impl Checker {
    /// A check of games of these rules with so many nodes a move.
    #[must_use]
    pub fn new(rules: gridproof_game::Rules, nodes: u64) -> Self {
        Self {
            solver: Solver::new(rules),
            board: AnyBoard::of_rules(rules),
            nodes,
        }
    }

    /// What the moves of a game came to from some turn on, each with its side.
    pub fn check(&mut self, game: &Game, from: usize) -> Vec<(Colour, Checked)> {
        let mut checked = Vec::new();
        for (before, mv) in game.positions().zip(game.moves()).skip(from) {
            checked.push((before.to_move(), self.check_move(&before, mv)));
        }
        checked
    }

    fn check_move(&mut self, before: &Position, mv: &Move) -> Checked {
        let Some(win) = self.refuted(before, mv) else {
            return Checked::Holds;
        };
        let mut others = self.others(before);
        let rules = *before.rules();
        let mut wins = vec![win];
        others.retain(|other| other != mv);
        for other in others {
            // A win that this move does nothing against needs no second search.
            let is_idle = |win: &Win| win.zone.excuses_in(&rules, other.stones());
            if wins.iter().map(AsRef::as_ref).any(is_idle) {
                continue;
            }
            match self.refuted(before, &other) {
                Some(win) => wins.push(win),
                None => return Checked::Overlooked(other),
            }
        }
        Checked::Lost
    }

    fn refuted(&self, before: &Position, mv: &Move) -> Option<Box<Win>> {
        let after = before.after(mv);
        if after.state() != GameState::Open {
            return None;
        }
        let mut budget = Budget::of_nodes(u64::MAX);
        let order = Order::SINGLE_THREATS;
        find_win(&self.solver, &after, order, self.nodes, &mut budget)
    }

    /// The moves that the player looks at where it is in danger.
    fn others(&mut self, position: &Position) -> Vec<Move> {
        self.board.update(position);
        with_board!(&self.board, |board| others(board, position))
    }
}

fn others<S: Shape>(board: &ThreatBoard<S>, position: &Position) -> Vec<Move> {
    let (us, length) = (position.to_move(), position.move_len());
    let bases = blocks_within(board, us, length);
    let mut state = State::new(board.clone());
    let found = generate(&mut state, us, &bases, length, ROOT_IN_DANGER);
    found.into_iter().map(|it| Move::full(it.stones)).collect()
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Rules, read_game};

    use super::*;

    #[test]
    fn a_move_that_lets_a_line_through_is_overlooked_where_it_could_be_blocked() {
        let record = "j10 a1,a3 k10,l10 c1,c3 m10,e5 e1,e3 a19,b17 q1,q3";
        let game = read_game(record.as_bytes()).expect("a record");
        let checked = Checker::new(Rules::CONNECT6, 2_000).check(&game, 4);
        let colours: Vec<Colour> = checked.iter().map(|(colour, _)| *colour).collect();
        assert_eq!(colours[..2], [Colour::Black, Colour::White]);
        assert_eq!(checked[0].1, Checked::Holds);
        let Checked::Overlooked(better) = &checked[1].1 else {
            panic!("{checked:?}");
        };
        let blocks = |name: &str| better.stones().contains(&name.parse().unwrap());
        assert!(
            ["h10", "i10", "n10", "o10"].into_iter().any(blocks),
            "{better}"
        );
    }
}
