//! What `win` and `verify` share: one position in, a checked proof or "unknown" out.

use clap::Args;
use gridproof_certificate::{Checked, Proof, check};
use gridproof_game::{Colour, Move, Position, Rules};
use gridproof_host::Size;
use gridproof_solver::{
    Budget, Coverage, Order, Outcome, Progress, Solver, SolverOptions, Verdict, VerifierOptions,
};

use super::Failure;
use super::values::{self, Count};

/// Who is to be proved winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The side to move.
    Win,
    /// The other side.
    Verify,
}

/// How hard to try.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct SearchLimits {
    /// Nodes to look at before giving up. The answer depends on this number, never on time
    #[arg(long, value_name = "N", default_value_t = Count(2_000_000))]
    pub(super) nodes: Count,
    /// Memory for the tree of a search, such as 512MiB. A search that fills it says unknown, too
    #[arg(long, value_name = "SIZE", default_value_t = Size::of_bytes(SolverOptions::DEFAULT_MEMORY as u64), value_parser = values::memory)]
    pub(super) memory: Size,
    /// How quiet the attacker's moves may be: 1 double threats, 2 single threats, 3 any move
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = values::within::<u8>(1..=9))]
    pub(super) order: u8,
    /// How the verifier turns zones into moves to look at: wu, vc6, o1, o2 or segment
    #[arg(long, value_name = "RULE", default_value_t)]
    pub(super) coverage: Coverage,
}

/// What came of a search for a proof.
#[derive(Debug)]
pub(super) enum ProofOutcome {
    /// With a proof that the checker has accepted.
    Won {
        proof: Box<Proof>,
        checked: Box<Checked>,
    },
    /// There is no such win, however many nodes are spent.
    NoWin,
    /// With the defender's moves that stay open, as far as a verifier names them.
    Unknown { open: Vec<Move> },
}

/// A bug in us: the solver's proof does not hold. Nothing is claimed then.
#[derive(Debug, thiserror::Error)]
#[error("the solver's own proof was refused, which is a bug worth reporting; nothing is claimed")]
struct OwnProofRefused(#[source] gridproof_certificate::Refusal);

/// Refuses games whose search could not end, or not with a proof.
pub(super) fn check_game(rules: &Rules) -> Result<(), Failure> {
    Ok(Solver::supports(rules)?)
}

/// Boards up to this area are searched without leaving moves out.
const SMALL_BOARD: usize = 36;

impl Goal {
    pub(super) fn attacker(self, position: &Position) -> Colour {
        match self {
            Self::Win => position.to_move(),
            Self::Verify => position.to_move().other(),
        }
    }

    /// Tries to prove a position. Returns the nodes looked at, too.
    pub(super) fn run(
        self,
        position: &Position,
        limits: SearchLimits,
        progress: Option<&mut dyn Progress>,
    ) -> Result<(ProofOutcome, u64), Failure> {
        check_game(position.rules())?;
        let solver = Solver::new(*position.rules());
        let mut budget = Budget::of_nodes(limits.nodes.0);
        if let Some(progress) = progress {
            budget = budget.reporting_to(progress);
        }
        let exhaustive = position.rules().area() <= SMALL_BOARD;
        let options = SolverOptions {
            order: Order(limits.order),
            exhaustive,
            memory: usize::try_from(limits.memory.bytes()).unwrap_or(usize::MAX),
            ..SolverOptions::default()
        };
        let proof = match self {
            Self::Win => match solver.win(position, options, &mut budget)? {
                Outcome::Won(win) => Ok(win.proof),
                Outcome::NoWin => Err(ProofOutcome::NoWin),
                Outcome::Unknown => Err(ProofOutcome::Unknown { open: Vec::new() }),
            },
            Self::Verify => {
                let options = verifier_options(limits, options);
                let run = solver.verify(position, options, &mut budget, &mut ())?;
                match run.verdict {
                    Verdict::Proved(win) => Ok(win.proof),
                    Verdict::DefenderHolds => Err(ProofOutcome::NoWin),
                    Verdict::Open(open) => Err(ProofOutcome::Unknown { open }),
                }
            }
        };
        let outcome = match proof {
            Err(outcome) => outcome,
            Ok(proof) => {
                let checked = check(&proof).map_err(|refusal| OwnProofRefused(*refusal))?;
                ProofOutcome::Won {
                    proof: Box::new(proof),
                    checked: Box::new(checked),
                }
            }
        };
        Ok((outcome, budget.spent()))
    }
}

fn verifier_options(limits: SearchLimits, solver: SolverOptions) -> VerifierOptions<'static> {
    let published = limits.coverage != Coverage::Segment;
    let usual = VerifierOptions::for_budget(limits.nodes.0);
    VerifierOptions {
        nodes_per_reply: usual.nodes_per_reply.max(1_000),
        solver: SolverOptions {
            coverage: limits.coverage,
            // The method of 2005 knows double threats only.
            order: Order(if limits.coverage == Coverage::Wu {
                1
            } else {
                limits.order.clamp(2, 3) - 1
            }),
            replay_siblings: !published,
            ..solver
        },
        ..usual
    }
}
