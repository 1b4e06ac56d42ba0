use clap::Args;
use gridproof_search::Budgets;

use super::values::Count;

/// How large jobs are.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct JobBudgets {
    /// Search nodes for a position with the attacker to move, after a glance with a quarter
    #[arg(long, value_name = "NODES", default_value_t = Count(Budgets::default().engine))]
    engine_budget: Count,
    /// Search nodes for a first look at a position with the defender to move
    #[arg(long, value_name = "NODES", default_value_t = Count(Budgets::default().verifier))]
    verifier_budget: Count,
}

impl From<JobBudgets> for Budgets {
    fn from(asked: JobBudgets) -> Self {
        Self {
            engine: asked.engine_budget.0,
            verifier: asked.verifier_budget.0,
            ..Self::default()
        }
    }
}
