//! Ranks the attacker's moves: which of them leave the null move and the semi-null moves
//! winnable?
//!
//! Cheap questions choose who is asked the dearer ones. All of it depends on the position and
//! the budget alone.

use std::cmp::Reverse;

use gridproof_game::{Move, Position, Symmetry};
use gridproof_solver::{Budget, Order, Solver, Win};
use gridproof_threats::{Shape, ThreatBoard};

use crate::candidates::{Candidate, candidates};
use crate::questions::{NullWin, OneStone, Questions, Sampled};
use crate::weights;

/// A move and what was found out about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    pub mv: Move,
    /// What its stones are worth where they stand.
    pub worth: i32,
    pub standing: Standing,
}

/// How far a move came: the earlier the better, and within each the less the better. Costs
/// weigh what was found open against what the stones are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A short verifier run left so many replies open, those with null stones weighed more.
    Sampled { cost: i32, open: u32 },
    /// So many of the defender's answers with one stone more than he needs could not be beaten.
    OneStone { cost: i32, open: u32 },
    /// The null move is beaten; so many squares matter then.
    Null { zone: u32 },
    /// Not even the null move was beaten.
    Idle,
    /// The defender wins now.
    Refuted,
}

impl Standing {
    pub(crate) const fn is_one_stone(self) -> bool {
        matches!(self, Self::OneStone { .. })
    }
}

/// The end of a ranking.
#[derive(Debug)]
pub(crate) enum Ranking {
    /// A move was proved on the way; the win is that after the move.
    Won { mv: Move, win: Box<Win> },
    /// Best first.
    Moves(Vec<Ranked>),
}

/// Ranks the moves of the side to move with what the budget has left.
pub(crate) fn rank<S: Shape>(
    solver: &Solver,
    position: &Position,
    board: ThreatBoard<S>,
    budget: &mut Budget<'_>,
) -> Ranking {
    let mut questions = Questions::new(solver, position, board);
    let mut list = candidates(
        questions.board(),
        position.to_move(),
        position.move_len(),
        weights::QUIET,
        weights::QUIET_WIDTH,
    );
    one_of_each_image(position, &mut list);
    let stages = weights::STAGES;
    let nodes = budget.left();
    let mut ranked: Vec<Ranked> = Vec::with_capacity(list.len());

    let mut nulls = Vec::new();
    budget.within(nodes / 100 * stages.null_share, |budget| {
        for candidate in list {
            match ask_null(&mut questions, &candidate, budget) {
                Ok(null) => nulls.push((candidate, null)),
                Err(standing) => ranked.push(candidate.standing(standing)),
            }
        }
    });
    nulls.sort_by_key(|(candidate, null)| {
        weights::RANK.zone_square * null.zone_size as i32 - weights::RANK.worth * candidate.worth
    });

    let mut one_stones: Vec<(i32, Candidate, NullWin, OneStone)> = Vec::new();
    budget.within(nodes / 100 * stages.one_stone_share, |budget| {
        let mut least_open = u32::MAX;
        for (candidate, null) in nulls {
            if budget.is_over() || one_stones.len() >= stages.one_stone_moves {
                let zone = null.zone_size;
                ranked.push(candidate.standing(Standing::Null { zone }));
                continue;
            }
            let counts = questions.one_stone(
                &candidate.mv,
                &null,
                stages.one_stone_nodes,
                least_open.saturating_add(stages.one_stone_slack),
                budget,
            );
            if budget.is_over() {
                let zone = null.zone_size;
                ranked.push(candidate.standing(Standing::Null { zone }));
                continue;
            }
            least_open = least_open.min(counts.open);
            let rank = weights::RANK;
            let cost = rank.open_stone * counts.open as i32
                + rank.zone_square * null.zone_size as i32
                - rank.worth * candidate.worth;
            one_stones.push((cost, candidate, null, counts));
        }
    });
    one_stones.sort_by_key(|(cost, ..)| *cost);

    for (place, (cost, candidate, null, counts)) in one_stones.into_iter().enumerate() {
        let mut standing = Standing::OneStone {
            cost,
            open: counts.open,
        };
        if place < stages.sampled_moves {
            match sample(&questions, &candidate, &null, budget) {
                Sampled::Proved(win) => {
                    let mv = candidate.mv;
                    return Ranking::Won { mv, win };
                }
                Sampled::Open { partial, full } => {
                    let open = weights::RANK.open_partial * partial + full;
                    let cost = weights::RANK.open_reply * open as i32
                        - weights::RANK.worth_of_sampled * candidate.worth;
                    standing = Standing::Sampled { cost, open };
                }
                Sampled::CutShort => {}
            }
        }
        ranked.push(candidate.standing(standing));
    }
    ranked.sort_by(|a, b| {
        let key = |ranked: &Ranked| (ranked.standing, Reverse(ranked.worth));
        key(a).cmp(&key(b)).then_with(|| a.mv.cmp(&b.mv))
    });
    Ranking::Moves(ranked)
}

/// A short look at all replies, and a longer one if few are left open.
fn sample<S: Shape>(
    questions: &Questions<'_, S>,
    candidate: &Candidate,
    null: &NullWin,
    budget: &mut Budget<'_>,
) -> Sampled {
    let stages = weights::STAGES;
    let first = budget.within(stages.sample_most, |budget| {
        questions.sample(&candidate.mv, null, stages.sample_nodes, budget)
    });
    match first {
        Sampled::Open { partial: 0, full } if full <= stages.tried_open => {
            let second = budget.within(stages.try_most, |budget| {
                questions.sample(&candidate.mv, null, stages.try_nodes, budget)
            });
            match second {
                Sampled::CutShort => first,
                known => known,
            }
        }
        first => first,
    }
}

fn ask_null<S: Shape>(
    questions: &mut Questions<'_, S>,
    candidate: &Candidate,
    budget: &mut Budget<'_>,
) -> Result<NullWin, Standing> {
    if budget.is_over() {
        return Err(Standing::Idle);
    }
    let nodes = weights::STAGES.null_nodes;
    if questions.is_refuted(&candidate.mv, nodes, budget) {
        return Err(Standing::Refuted);
    }
    questions
        .null(&candidate.mv, Order::DOUBLE_THREATS, nodes, budget)
        .ok_or(Standing::Idle)
}

/// Of moves that turn or mirror into each other, as the position does, keeps the first.
fn one_of_each_image(position: &Position, list: &mut Vec<Candidate>) {
    let own = symmetries(position);
    if own.is_empty() {
        return;
    }
    let rules = *position.rules();
    let mut seen = rustc_hash::FxHashSet::default();
    list.retain(|candidate| {
        let fresh = !seen.contains(&candidate.mv);
        seen.extend(
            own.iter()
                .map(|symmetry| candidate.mv.map(|square| symmetry.apply(&rules, square))),
        );
        fresh
    });
}

/// The symmetries that leave a position as it is, without the identity.
pub(crate) fn symmetries(position: &Position) -> Vec<Symmetry> {
    Symmetry::all(position.rules())
        .skip(1)
        .filter(|&symmetry| position.transformed(symmetry) == *position)
        .collect()
}

impl Candidate {
    fn standing(self, standing: Standing) -> Ranked {
        Ranked {
            mv: self.mv,
            worth: self.worth,
            standing,
        }
    }
}
