//! Ranks the attacker's moves: which of them leave the null move and the semi-null moves
//! winnable?
//!
//! Cheap tests choose the moves that get the dearer ones. All of it depends on the position and
//! the budget alone.

use std::cmp::Reverse;

use gridproof_game::{Move, Position, Rules, Symmetry};
use gridproof_solver::{Budget, Solver, Win};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashSet;

use crate::analysis::{Analysis, NullMoveWin, QuickVerdict};
use crate::candidates::{Candidate, candidates};
use crate::request::Status;
use crate::weights::{self, Stages};

/// A move and what was found out about it.
#[derive(Clone, Debug)]
pub(crate) struct RankedMove {
    pub(crate) mv: Move,
    pub(crate) grade: Grade,
    /// What its stones are worth where they stand.
    worth: i32,
}

/// How far a move came: the earlier the better, and within each the less the better. Costs
/// weigh what was found open against what the stones are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// A short verifier run left so many replies open, those with null stones weighed more.
    Verified { cost: i32, open: u32 },
    /// So many of the defender's semi-null moves could not be beaten.
    SemiNull { cost: i32, open: u32 },
    /// The null move is beaten; so many squares matter then.
    NullMove { zone: u32 },
    /// Not even the null move was beaten.
    NoThreat,
    /// The defender wins now.
    Refuted,
}

impl Grade {
    pub(crate) const fn is_semi_null(self) -> bool {
        matches!(self, Self::SemiNull { .. })
    }

    /// What that says of the position after the move. `is_early` if no move was verified.
    pub(crate) const fn status(self, is_early: bool) -> Status {
        match self {
            Self::Verified { open, .. } => match open {
                0..=20 => Status::AlmostWon,
                21..=60 => Status::Strong3,
                61..=110 => Status::Strong2,
                _ => Status::Strong1,
            },
            Self::SemiNull { .. } if is_early => Status::Strong3,
            Self::SemiNull { .. } => Status::Strong1,
            Self::NullMove { .. } => Status::Unclear,
            Self::NoThreat => Status::Quiet,
            Self::Refuted => Status::AlmostLost,
        }
    }
}

/// The end of a ranking.
#[derive(Debug)]
pub(crate) enum Ranking {
    /// A move was proved on the way; the win is that after the move.
    Won { mv: Move, win: Box<Win> },
    /// Best first.
    Moves(Vec<RankedMove>),
}

/// Ranks the moves of the side to move with what the budget has left. `board` holds the stones
/// of `position`.
pub(crate) fn rank<S: Shape>(
    solver: &Solver,
    position: &Position,
    board: &mut ThreatBoard<S>,
    budget: &mut Budget<'_>,
) -> Ranking {
    let mut list = candidates(
        board,
        position.to_move(),
        position.move_len(),
        weights::QUIET,
        weights::QUIET_WIDTH,
    );
    one_of_each_image(position, &mut list);
    let mut analysis = Analysis::new(solver, position, board);
    let stages = Stages::of(position.rules().stones_per_turn());
    let weights = weights::RANK;
    let nodes = budget.left();
    let mut ranked: Vec<RankedMove> = Vec::with_capacity(list.len());

    let mut null_wins = Vec::new();
    budget.within(nodes / 100 * stages.null_share, |budget| {
        for candidate in list {
            match beat_null_move(&mut analysis, &candidate, &stages, budget) {
                Ok(null) => {
                    let cost = weights.zone_square * null.zone_size as i32
                        - weights.worth * candidate.worth;
                    null_wins.push((cost, candidate, null));
                }
                Err(grade) => ranked.push(candidate.graded(grade)),
            }
        }
    });
    null_wins.sort_by_key(|(cost, ..)| *cost);

    let mut semi_nulls: Vec<(i32, u32, Candidate, NullMoveWin)> = Vec::new();
    budget.within(nodes / 100 * stages.semi_null_share, |budget| {
        let mut least_open = u32::MAX;
        for (cost, candidate, null) in null_wins {
            let mut open = 0;
            if semi_nulls.len() < stages.semi_null_moves && !budget.is_over() {
                open = analysis.open_semi_nulls(
                    &candidate.mv,
                    &null,
                    stages.semi_null_nodes,
                    least_open.saturating_add(stages.semi_null_slack),
                    budget,
                );
            }
            if semi_nulls.len() >= stages.semi_null_moves || budget.is_over() {
                let zone = null.zone_size;
                ranked.push(candidate.graded(Grade::NullMove { zone }));
                continue;
            }
            least_open = least_open.min(open);
            let cost = cost + weights.open_semi_null * open as i32;
            semi_nulls.push((cost, open, candidate, null));
        }
    });
    semi_nulls.sort_by_key(|(cost, ..)| *cost);

    for (place, (cost, open, candidate, null)) in semi_nulls.into_iter().enumerate() {
        let mut grade = Grade::SemiNull { cost, open };
        if place < stages.verified_moves {
            match verify(&analysis, &candidate, &null, &stages, budget) {
                QuickVerdict::Proved(win) => {
                    let mv = candidate.mv;
                    return Ranking::Won { mv, win };
                }
                QuickVerdict::Open { partial, full } => {
                    let open = weights.open_partial * partial + full;
                    let cost = weights.open_reply * open as i32
                        - weights.worth_of_verified * candidate.worth;
                    grade = Grade::Verified { cost, open };
                }
                QuickVerdict::OutOfNodes => {}
            }
        }
        ranked.push(candidate.graded(grade));
    }
    ranked.sort_by(|a, b| {
        let key = |ranked: &RankedMove| (ranked.grade, Reverse(ranked.worth));
        key(a).cmp(&key(b)).then_with(|| a.mv.cmp(&b.mv))
    });
    Ranking::Moves(ranked)
}

/// The null move beaten, or the grade of a move that comes no further.
fn beat_null_move<S: Shape>(
    analysis: &mut Analysis<'_, S>,
    candidate: &Candidate,
    stages: &Stages,
    budget: &mut Budget<'_>,
) -> Result<NullMoveWin, Grade> {
    if budget.is_over() {
        return Err(Grade::NoThreat);
    }
    let nodes = stages.null_nodes;
    if analysis.is_refuted(&candidate.mv, nodes, budget) {
        return Err(Grade::Refuted);
    }
    analysis
        .null_move_win(&candidate.mv, stages.null_order, nodes, budget)
        .ok_or(Grade::NoThreat)
}

/// A short look at all replies, and a longer one if few are left open.
fn verify<S: Shape>(
    analysis: &Analysis<'_, S>,
    candidate: &Candidate,
    null: &NullMoveWin,
    stages: &Stages,
    budget: &mut Budget<'_>,
) -> QuickVerdict {
    let first = budget.within(stages.verifier_most, |budget| {
        analysis.verify(&candidate.mv, null, stages.verifier_nodes, budget)
    });
    match first {
        QuickVerdict::Open { partial: 0, full } if full <= stages.retry_open => {
            let second = budget.within(stages.retry_most, |budget| {
                analysis.verify(&candidate.mv, null, stages.retry_nodes, budget)
            });
            match second {
                QuickVerdict::OutOfNodes => first,
                known => known,
            }
        }
        first => first,
    }
}

/// Of moves that turn or mirror into each other, as the position does, keeps the first.
fn one_of_each_image(position: &Position, list: &mut Vec<Candidate>) {
    let images = Images::new(position);
    let mut seen = FxHashSet::default();
    list.retain(|candidate| {
        let is_new = !seen.contains(&candidate.mv);
        seen.extend(images.of(&candidate.mv));
        is_new
    });
}

/// The symmetries that leave a position as it is. What they make of a move is as good as the
/// move.
#[derive(Debug)]
pub(crate) struct Images {
    rules: Rules,
    symmetries: Vec<Symmetry>,
}

impl Images {
    pub(crate) fn new(position: &Position) -> Self {
        let rules = *position.rules();
        let symmetries = Symmetry::all(&rules)
            .filter(|&symmetry| position.transformed(symmetry) == *position)
            .collect();
        Self { rules, symmetries }
    }

    /// The move and its images.
    pub(crate) fn of(&self, mv: &Move) -> impl Iterator<Item = Move> {
        let image = |symmetry: &Symmetry| mv.map(|square| symmetry.apply(&self.rules, square));
        self.symmetries.iter().map(image)
    }
}

impl Candidate {
    fn graded(self, grade: Grade) -> RankedMove {
        RankedMove {
            mv: self.mv,
            worth: self.worth,
            grade,
        }
    }
}
