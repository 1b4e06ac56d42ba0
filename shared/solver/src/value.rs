//! Win, loss or draw: what a small game comes to, with proofs of all that is claimed.

use std::borrow::Cow;

use gridproof_certificate::{Answer, HoldProof, Proof, ProofBuilder, Reply};
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet, State};
use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::hold::{Hold, MOST_SQUARES, hold};
use crate::options::SolverOptions;
use crate::order::Order;
use crate::outcome::{Outcome, SolveError, Verdict};
use crate::solver::Solver;
use crate::verifier::VerifierOptions;

/// What a position comes to if both sides play as well as they can.
#[derive(Clone, Debug)]
pub enum Value {
    /// A side wins, and this proves it.
    Won {
        /// Who.
        winner: Colour,
        /// Of the position.
        proof: Box<Proof>,
    },
    /// Neither side loses, and these prove it.
    Drawn {
        /// That Black does not lose.
        black: Box<HoldProof>,
        /// That White does not lose.
        white: Box<HoldProof>,
    },
    /// The budget ran out. What is known by then: sides that do not lose.
    Unknown(Vec<HoldProof>),
}

/// Nodes of the first attempt at each question; each later one has so many times as many.
const FIRST_ATTEMPT: u64 = 4_000;
const NEXT_ATTEMPT: u64 = 4;

/// A node of a full search takes so many times as long as one of a search for a win.
const HOLD_SHARE: u64 = 4;

/// Boards up to this area are searched for wins without leaving moves out.
const SMALL_BOARD: usize = 36;

/// First turns that are tried one by one.
const MOST_FIRST_TURNS: usize = 500;

/// Finds out what a position comes to. Wins of both sides and their not losing are tried in turn,
/// with ever more nodes.
pub fn value(position: &Position, budget: &mut Budget<'_>) -> Result<Value, SolveError> {
    match position.state() {
        State::Won(colour) => return Err(SolveError::Won(colour)),
        State::Drawn => return Err(SolveError::Drawn),
        State::Open => Solver::supports(position.rules())?,
    }
    let solver = Solver::new(*position.rules());
    let mut holds: [Option<Box<HoldProof>>; 2] = [None, None];
    let mut loser = None;
    let mut nodes = FIRST_ATTEMPT;
    while !budget.is_over() {
        let before = budget.spent();
        for attacker in [Colour::White, Colour::Black] {
            let holder = attacker.other();
            if holds[holder.index()].is_some() || loser == Some(attacker) {
                continue;
            }
            let win =
                |budget: &mut Budget<'_>| prove_win(&solver, position, attacker, nodes, budget);
            if let Some(proof) = win(budget)? {
                let (winner, proof) = (attacker, Box::new(proof));
                return Ok(Value::Won { winner, proof });
            }
            if loser == Some(holder) || position.rules().area() > MOST_SQUARES {
                continue;
            }
            match budget.within(nodes / HOLD_SHARE, |budget| hold(position, holder, budget)) {
                Hold::Holds(proof) => holds[holder.index()] = Some(proof),
                Hold::Loses => loser = Some(holder),
                Hold::Unknown => {}
            }
        }
        if let [Some(black), Some(white)] = &holds {
            let (black, white) = (black.clone(), white.clone());
            return Ok(Value::Drawn { black, white });
        }
        if budget.spent() == before {
            break;
        }
        nodes = nodes.saturating_mul(NEXT_ATTEMPT);
    }
    Ok(Value::Unknown(
        holds.into_iter().flatten().map(|proof| *proof).collect(),
    ))
}

/// A proof that a side wins, if about so many nodes find one.
fn prove_win(
    solver: &Solver,
    position: &Position,
    attacker: Colour,
    nodes: u64,
    budget: &mut Budget<'_>,
) -> Result<Option<Proof>, SolveError> {
    let rules = position.rules();
    let is_first_turn = position.stone_count() == 0
        && position.to_move() == Colour::Black
        && rules.first_stones() != rules.stones_per_turn();
    budget.within(nodes, |budget| match (attacker, is_first_turn) {
        (_, false) => after_first_turn(solver, position, attacker, nodes, budget),
        (Colour::Black, true) => win_from_first_turn(solver, position, nodes, budget),
        (Colour::White, true) => win_against_first_turn(solver, position, nodes, budget),
    })
}

fn after_first_turn(
    solver: &Solver,
    position: &Position,
    attacker: Colour,
    nodes: u64,
    budget: &mut Budget<'_>,
) -> Result<Option<Proof>, SolveError> {
    let p = position.rules().stones_per_turn();
    let quiet = Order::of_quiet_moves(p);
    let usual = SolverOptions::of_order(Order(quiet.0 + u8::from(p == 1)));
    let exhaustive = SolverOptions {
        exhaustive: true,
        ..SolverOptions::of_order(quiet)
    };
    let is_small = position.rules().area() <= SMALL_BOARD;
    for (options, share) in [(usual, nodes / 2), (exhaustive, nodes)] {
        if options.exhaustive && !is_small {
            break;
        }
        let found = budget.within(share, |budget| {
            if position.to_move() == attacker {
                return Ok::<_, SolveError>(match solver.win(position, options, budget)? {
                    Outcome::Won(win) => Some(win.proof),
                    Outcome::NoWin | Outcome::Unknown => None,
                });
            }
            let options = VerifierOptions {
                nodes_per_reply: share,
                most_open: Some(1),
                solver: options,
                ..VerifierOptions::default()
            };
            let run = solver.verify(position, options, budget, &mut ())?;
            Ok(match run.verdict {
                Verdict::Proved(win) => Some(win.proof),
                Verdict::DefenderHolds | Verdict::Open(_) => None,
            })
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Black has a first turn that wins.
fn win_from_first_turn(
    solver: &Solver,
    start: &Position,
    nodes: u64,
    budget: &mut Budget<'_>,
) -> Result<Option<Proof>, SolveError> {
    let turns = first_turns(start);
    let share = nodes / (turns.len() as u64).max(1);
    for mv in turns {
        if budget.is_over() {
            break;
        }
        let after = start.after(&mv);
        let mut builder = ProofBuilder::new(start.clone(), Colour::Black);
        let then = match after.state() {
            State::Won(_) => None,
            State::Drawn => continue,
            State::Open => {
                let found = budget.within(share, |budget| {
                    after_first_turn(solver, &after, Colour::Black, share, budget)
                })?;
                match found {
                    Some(proof) => Some(builder.graft(&proof).expect("of the same game and side")),
                    None => continue,
                }
            }
        };
        let root = builder
            .attack(mv, then)
            .expect("what follows is a turn of White");
        return Ok(Some(builder.finish(root).expect("one root")));
    }
    Ok(None)
}

/// White wins against every first turn of one stone: against the null move, and against each
/// stone by the proof of one of its images.
fn win_against_first_turn(
    solver: &Solver,
    start: &Position,
    nodes: u64,
    budget: &mut Budget<'_>,
) -> Result<Option<Proof>, SolveError> {
    let rules = *start.rules();
    if rules.first_stones() != 1 {
        return Ok(None);
    }
    let turns = first_turns(start);
    let share = nodes / (turns.len() as u64 + 1);
    let mut proofs = Vec::new();
    for mv in std::iter::once(Move::null(1)).chain(turns) {
        let after = start.after(&mv);
        let found = budget.within(share, |budget| {
            after_first_turn(solver, &after, Colour::White, share, budget)
        })?;
        match found {
            Some(proof) => proofs.push(proof),
            None => return Ok(None),
        }
    }
    let mut builder = ProofBuilder::new(start.clone(), Colour::White);
    let mut replies = Vec::new();
    let all = rules.squares().map(|square| Move::full([square]));
    for mv in std::iter::once(Move::null(1)).chain(all) {
        let (form, to_form) = start.after(&mv).canonical();
        let proof = proofs.iter().find_map(|proof| {
            let (known, turned) = proof.start().canonical();
            let way = turned.then(to_form.inverse());
            (known == form).then(|| match mv.is_null() {
                true => Cow::Borrowed(proof),
                false => Cow::Owned(proof.transformed(way)),
            })
        });
        let proof = proof.expect("every first stone has an image among those that were tried");
        let answer = Answer::Proof(builder.graft(&proof).expect("of the same game and side"));
        replies.push(Reply { mv, answer });
    }
    let root = builder
        .defend(replies)
        .expect("every answer is a turn of White");
    Ok(Some(builder.finish(root).expect("one root")))
}

/// Black's first turns, one of each class that turns or mirrors into each other, nearer to the
/// centre first. None if there are too many.
fn first_turns(start: &Position) -> Vec<Move> {
    let rules = *start.rules();
    let mut sets: Vec<Vec<Square>> = vec![Vec::new()];
    for _ in 0..start.move_len() {
        let larger = sets.iter().flat_map(|set| {
            let last = set.last().copied();
            let after = rules
                .squares()
                .filter(move |&s| last.is_none_or(|last| s > last));
            after.map(|square| {
                let mut larger = set.clone();
                larger.push(square);
                larger
            })
        });
        sets = larger.take(100 * MOST_FIRST_TURNS).collect();
    }
    let mut seen = FxHashSet::default();
    let mut turns: Vec<Vec<Square>> = sets
        .into_iter()
        .filter(|set| {
            let black: SquareSet = set.iter().copied().collect();
            let after = Position::of_stones(rules, &black, &SquareSet::EMPTY, Colour::White);
            after.is_ok_and(|after| seen.insert(after.canonical().0.key()))
        })
        .collect();
    turns.sort_by_key(|set| {
        set.iter()
            .map(|&square| from_centre(&rules, square))
            .sum::<u32>()
    });
    turns.truncate(MOST_FIRST_TURNS);
    turns.into_iter().map(Move::full).collect()
}

fn from_centre(rules: &Rules, square: Square) -> u32 {
    let twice = |at: u8, side: u8| (2 * u32::from(at) + 1).abs_diff(u32::from(side));
    let columns = twice(square.column(), rules.columns());
    let rows = twice(square.row(), rules.rows());
    columns * columns + rows * rows
}
