//! A quick try before any search: one line of double threats against a defender who may
//! block everywhere at once.

use gridproof_game::{Colour, SquareSet};
use gridproof_threats::{Shape, ThreatBoard};

use crate::attacks::{Candidates, History, MoveGenerator, Width, blocks_after};
use crate::budget::Budget;
use crate::order::Order;
use crate::zone::Stones;

const DEPTH: usize = 7;
const BRANCHES: usize = 2;
const LOOKED_AT: usize = 3;
const NODES: u64 = 40;

/// Moves that win even if the defender answers each with all its blocking stones together.
/// Each real way to block is then weaker, so the same moves win against every one of them.
pub(crate) fn line<S: Shape>(
    board: &mut ThreatBoard<S>,
    attacker: Colour,
    generator: &mut MoveGenerator,
    history: &History,
    budget: &mut Budget<'_>,
) -> Option<Vec<Stones>> {
    let mut left = NODES;
    let mut line = Vec::new();
    deepen(
        board, attacker, generator, history, budget, DEPTH, &mut left, &mut line,
    )
    .then(|| {
        line.reverse();
        line
    })
}

#[allow(clippy::too_many_arguments)]
fn deepen<S: Shape>(
    board: &mut ThreatBoard<S>,
    attacker: Colour,
    generator: &mut MoveGenerator,
    history: &History,
    budget: &mut Budget<'_>,
    depth: usize,
    left: &mut u64,
    line: &mut Vec<Stones>,
) -> bool {
    if depth == 0 || *left == 0 || budget.is_over() {
        return false;
    }
    *left -= 1;
    let order = Order::DOUBLE_THREATS;
    let width = Width::Best(LOOKED_AT);
    let found = generator.candidates(board, attacker, order, width, history, budget);
    let moves = match found {
        Candidates::Complete(stones) | Candidates::Overwhelm(stones) => {
            line.push(stones);
            return true;
        }
        Candidates::Try { moves, .. } => moves,
    };
    // Moves that leave the defender the fewest ways out, of those that look best.
    let mut best: Vec<_> = moves
        .into_iter()
        .take(LOOKED_AT)
        .filter_map(|candidate| {
            budget.spend();
            let blocks = blocks_after(board, attacker, &candidate.stones)?;
            Some((candidate.stones, blocks))
        })
        .collect();
    best.sort_by_key(|(_, blocks)| blocks.len());
    for (stones, blocks) in best.into_iter().take(BRANCHES) {
        let everywhere: SquareSet = blocks.iter().flatten().copied().collect();
        board.place_all(&stones, attacker);
        let mut placed = stones.len();
        for square in everywhere.iter() {
            board.place(square, attacker.other());
            placed += 1;
        }
        // Stones that he could not all place may make a line that he could not make.
        let won = !board.has_completed(attacker.other())
            && deepen(
                board,
                attacker,
                generator,
                history,
                budget,
                depth - 1,
                left,
                line,
            );
        board.undo_all(placed);
        if won {
            line.push(stones);
            return true;
        }
    }
    false
}
