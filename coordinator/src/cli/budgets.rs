use clap::Args;
use gridproof::core::Budgets;

/// How large jobs are.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct JobBudgets {
    /// Search nodes for a position with the attacker to move, after a glance with a quarter
    #[arg(long, value_name = "NODES", default_value_t = Budgets::default().engine)]
    engine_budget: u64,
    /// Search nodes for a first look at a position with the defender to move
    #[arg(long, value_name = "NODES", default_value_t = Budgets::default().verifier)]
    verifier_budget: u64,
}

impl From<JobBudgets> for Budgets {
    fn from(asked: JobBudgets) -> Self {
        Self {
            engine: asked.engine_budget,
            verifier: asked.verifier_budget,
            ..Self::default()
        }
    }
}
