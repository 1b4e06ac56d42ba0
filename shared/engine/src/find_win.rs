use gridproof_game::Position;
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions, Win};

/// A win of the side to move that the solver finds with at most `nodes` of the budget.
pub(crate) fn find_win(
    solver: &Solver,
    position: &Position,
    order: Order,
    nodes: u64,
    budget: &mut Budget<'_>,
) -> Option<Box<Win>> {
    let options = SolverOptions::of_order(order);
    let outcome = budget.within(nodes, |budget| solver.win(position, options, budget));
    match outcome {
        Ok(Outcome::Won(win)) => Some(win),
        _ => None,
    }
}
