//! A search order by order.

use gridproof_game::Position;
use gridproof_threats::Shape;

use super::Searcher;
use crate::budget::Budget;
use crate::options::SolverOptions;
use crate::order::Order;
use crate::outcome::Outcome;

/// Percent of the nodes left that an order between the first and the last may spend. The
/// higher order knows all its moves too, but finds them later.
const SHARE_BETWEEN: u64 = 40;

/// The highest order that nobody has asked for.
const HIGHEST: u8 = 8;

/// Where no more squares are empty, all ways to place free stones are tried in the end.
const FEW_SQUARES: usize = 64;

/// Before that, so many times as many squares as at first are tried: what wins is seldom further
/// down, and all ways of a lower order may take all nodes.
const WIDER: usize = 2;

impl<S: Shape> Searcher<S> {
    /// Searches the board's position, which is `position` with the attacker to move, with orders
    /// up to that of the options.
    pub(crate) fn win(
        &mut self,
        position: &Position,
        options: SolverOptions,
        budget: &mut Budget<'_>,
    ) -> Outcome {
        let mut last = Outcome::Unknown;
        let mut tries: Vec<_> = Order::up_to(options.order)
            .map(|order| SolverOptions { order, ..options })
            .collect();
        // Double threats leave few stones free, so if the best ways to place them fail, all are
        // tried before the next order.
        let again = SolverOptions {
            order: Order::DOUBLE_THREATS,
            exhaustive: true,
            ..options
        };
        tries.insert(tries.len().min(1), again);
        for tried in tries {
            if tried == again && matches!(last, Outcome::NoWin) {
                continue;
            }
            let is_between = tried.order > Order::DOUBLE_THREATS && tried.order < options.order;
            let share = if is_between { SHARE_BETWEEN } else { 100 };
            last = self.search(position, tried, share_of(budget, share), budget);
            if matches!(last, Outcome::Won(_)) {
                return last;
            }
        }
        let p = self.board.shape().stones_per_turn();
        if p == 1 && !options.exhaustive {
            last = self.win_by_higher_orders(position, options, last, budget);
        }
        let has_few = p > 1 && self.board.empty_count() <= FEW_SQUARES;
        if !has_few || !self.last.tried_all || options.exhaustive {
            return last;
        }
        let wider = SolverOptions {
            fillers: WIDER * options.fillers,
            ..options
        };
        let all = Order::up_to(options.order).skip(1);
        let all = all.map(|order| SolverOptions {
            order,
            exhaustive: true,
            ..options
        });
        for tried in std::iter::once(wider).chain(all) {
            if !matches!(last, Outcome::Unknown) || budget.is_over() {
                return last;
            }
            let is_last = tried.exhaustive && tried.order == options.order;
            let share = if is_last { 100 } else { SHARE_BETWEEN };
            last = self.search(position, tried, share_of(budget, share), budget);
        }
        last
    }

    /// With one stone a turn most of a nearly empty board is far from any threat, so its moves are
    /// soon tried. What is left of the budget then goes to the next orders.
    fn win_by_higher_orders(
        &mut self,
        position: &Position,
        options: SolverOptions,
        mut last: Outcome,
        budget: &mut Budget<'_>,
    ) -> Outcome {
        for order in options.order.0 + 1..=HIGHEST {
            if !matches!(last, Outcome::Unknown) || !self.last.tried_all || budget.is_over() {
                break;
            }
            let options = SolverOptions {
                order: Order(order),
                ..options
            };
            last = self.search(position, options, budget.left(), budget);
        }
        last
    }
}

/// So many percent of the nodes that are left.
fn share_of(budget: &Budget<'_>, percent: u64) -> u64 {
    budget.left().div_ceil(100).saturating_mul(percent)
}
