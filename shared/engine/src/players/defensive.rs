//! The defensive strategy of its thesis, rebuilt: follow the opponent, and take the squares
//! where his stones would be worth most. Chapter 3 plays so without any search; chapter 4 has
//! each move checked by a threat-space search, and plays a win where it finds one.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use gridproof_solver::{Budget, Order, Solver};

use super::{Player, PlayerError};
use crate::evaluate::half_move;
use crate::find_win::find_win;

/// Half-moves come from the square of this reach round each of the opponent's last stones.
const REACH: i8 = 2;
/// Moves that are checked before the defence is given up, as the thesis has it.
const ALTERNATIVES: usize = 50;
/// Nodes for one threat-space search; the thesis limits neither nodes nor time.
const SEARCH_NODES: u64 = 2_000;

/// The defensive strategy, alone or with threat-space search.
#[derive(Clone, Debug)]
pub(super) struct Defensive {
    search: Option<Solver>,
}

impl Defensive {
    /// Chapter 3: no search of any kind.
    pub(super) const fn alone() -> Self {
        Self { search: None }
    }

    /// Chapter 4: with threat-space search as verifier and to win.
    pub(super) fn with_search(rules: Rules) -> Self {
        Self {
            search: Some(Solver::new(rules)),
        }
    }

    fn checked(solver: &Solver, game: &Game, budget: &mut Budget<'_>) -> Option<Move> {
        let position = game.position();
        if let Some(win) = first_winning_move(solver, position, budget) {
            return Some(win);
        }
        let list = alternatives(game);
        let safe = list.iter().find(|mv| {
            let mut after = position.clone();
            after.play(mv).is_ok() && first_winning_move(solver, &after, budget).is_none()
        });
        safe.or(list.first()).cloned()
    }
}

impl Player for Defensive {
    fn name(&self) -> String {
        match self.search {
            None => "defensive",
            Some(_) => "defensive-search",
        }
        .to_owned()
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        super::check_open(game.position())?;
        let mv = match &self.search {
            None => greedy(game),
            Some(solver) => Self::checked(solver, game, budget),
        };
        mv.ok_or(PlayerError::NoMove)
    }
}

fn first_winning_move(
    solver: &Solver,
    position: &Position,
    budget: &mut Budget<'_>,
) -> Option<Move> {
    let win = find_win(
        solver,
        position,
        Order::DOUBLE_THREATS,
        SEARCH_NODES,
        budget,
    )?;
    win.proof.first_move().cloned()
}

/// The best half-move, then the best half-move again.
fn greedy(game: &Game) -> Option<Move> {
    let mut position = game.position().clone();
    let mut stones: Vec<Square> = Vec::new();
    for _ in 0..position.move_len() {
        let (_, square) = half_moves(game, &position).into_iter().next()?;
        stones.push(square);
        position = with_stones(game.position(), &stones)?;
    }
    Some(Move::full(stones))
}

/// Moves in the order in which chapter 4 tries them: the greedy one, then pairs of half-moves
/// by the sum of their worth.
fn alternatives(game: &Game) -> Vec<Move> {
    let mut list: Vec<Move> = greedy(game).into_iter().collect();
    if game.position().move_len() != 2 {
        return list;
    }
    let halves = half_moves(game, game.position());
    let mut pairs: Vec<(f64, Move)> = Vec::new();
    for (i, (a_worth, a)) in halves.iter().enumerate() {
        for (b_worth, b) in &halves[i + 1..] {
            pairs.push((a_worth + b_worth, Move::full([*a, *b])));
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let more = pairs.into_iter().map(|(_, mv)| mv).take(ALTERNATIVES);
    list.extend(more);
    list
}

/// Squares near the opponent's last stones, the most dangerous first.
fn half_moves(game: &Game, position: &Position) -> Vec<(f64, Square)> {
    let rules = *position.rules();
    let near: SquareSet = match game.moves().last() {
        None => [rules.centre()].into_iter().collect(),
        Some(last) => last.stones().iter().flat_map(|&s| around(s)).collect(),
    };
    let mut squares: Vec<Square> = position.empties().intersection(&near).iter().collect();
    if squares.is_empty() {
        squares = position.empties().iter().collect();
    }
    let opponent = position.to_move().other();
    let mut scored: Vec<(f64, Square)> = squares
        .into_iter()
        .map(|square| (half_move(position, square, opponent), square))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored
}

fn around(square: Square) -> impl Iterator<Item = Square> {
    (-REACH..=REACH)
        .flat_map(move |dc| (-REACH..=REACH).filter_map(move |dr| square.step((dc, dr), 1)))
}

/// A position in the middle of a move, the same side still to move.
fn with_stones(position: &Position, stones: &[Square]) -> Option<Position> {
    let mut sets = Colour::BOTH.map(|colour| *position.stones(colour));
    sets[position.to_move().index()].extend(stones.iter().copied());
    Position::of_stones(*position.rules(), &sets[0], &sets[1], position.to_move()).ok()
}
