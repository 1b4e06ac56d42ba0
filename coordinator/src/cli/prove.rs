//! What `win` and `verify` share: one position in, a checked proof or "unknown" out.

use clap::Args;
use gridproof_certificate::{Checked, MAX_STONES_PER_TURN, Proof, check};
use gridproof_game::{Colour, Move, Position, Rules};
use gridproof_solver::{
    Budget, Coverage, Known, Order, Outcome, Progress, ProofStore, Solver, SolverOptions, Verdict,
    VerifierOptions,
};
use gridproof_threats::TooManyAttacks;

use super::Failure;

/// Who is to be proved winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// The side to move.
    Win,
    /// The other side.
    Verify,
}

/// How hard to try.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Effort {
    /// Nodes to look at before giving up. The answer depends on this number, never on time
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(super) nodes: u64,
    /// Memory for the tree of a search, in MiB. A search that fills it says unknown, too
    #[arg(long, value_name = "MIB", default_value_t = (SolverOptions::DEFAULT_MEMORY >> 20) as u32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) memory: u32,
    /// How quiet the attacker's moves may be: 1 double threats, 2 single threats, 3 any move
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=9))]
    pub(super) order: u8,
    /// How the verifier turns zones into moves to look at: wu, vc6, o1, o2 or segment
    #[arg(long, value_name = "RULE", default_value_t)]
    pub(super) coverage: Coverage,
}

/// What came out.
#[derive(Debug)]
pub(super) enum Finding {
    /// With a proof that the checker has accepted.
    Won {
        proof: Box<Proof>,
        checked: Box<Checked>,
    },
    /// With the defender's moves that stay open, as far as a verifier names them.
    Unknown { open: Vec<Move> },
}

/// A bug in us: the solver's proof does not hold. Nothing is claimed then.
#[derive(Debug, thiserror::Error)]
#[error("the solver's own proof was refused, which is a bug worth reporting; nothing is claimed")]
struct OwnProofRefused(#[source] gridproof_certificate::Refusal);

/// Known before the search: a proof of such a game would be refused.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0} is not searched: proofs can be checked for at most {MAX_STONES_PER_TURN} stones a turn, \
     the first turn too"
)]
struct NoChecker(Rules);

/// Refuses games whose search could not end, or not with a proof.
pub(super) fn check_game(rules: &Rules) -> Result<(), Failure> {
    if rules.stones_per_turn().max(rules.first_stones()) > MAX_STONES_PER_TURN {
        return Err(NoChecker(*rules).into());
    }
    Ok(TooManyAttacks::check(rules)?)
}

/// Boards up to this area are searched without leaving moves out.
const SMALL_BOARD: usize = 36;

impl Task {
    pub(super) fn attacker(self, position: &Position) -> Colour {
        match self {
            Self::Win => position.to_move(),
            Self::Verify => position.to_move().other(),
        }
    }

    /// Tries to prove a position, with the help of earlier proofs if there is a store of them.
    /// Returns the nodes looked at, too.
    pub(super) fn run(
        self,
        position: &Position,
        effort: Effort,
        store: Option<&mut ProofStore>,
        progress: Option<&mut dyn Progress>,
    ) -> Result<(Finding, u64), Failure> {
        check_game(position.rules())?;
        let solver = Solver::new(*position.rules());
        let mut solver = solver.remembering(store);
        let mut budget = Budget::of_nodes(effort.nodes);
        if let Some(progress) = progress {
            budget = budget.reporting_to(progress);
        }
        let exhaustive = position.rules().area() <= SMALL_BOARD;
        let options = SolverOptions {
            exhaustive,
            memory: (effort.memory as usize) << 20,
            ..SolverOptions::default()
        };
        let (proof, open) = match self {
            Self::Win => {
                let order = Order(effort.order);
                match solver.win(position, order, options, &mut budget)? {
                    Outcome::Won(win) => (Some(win.proof), Vec::new()),
                    Outcome::NoWin | Outcome::Unknown => (None, Vec::new()),
                }
            }
            Self::Verify => {
                let options = verifier_options(effort, options);
                let run =
                    solver.verify(position, options, Known::default(), &mut budget, &mut ())?;
                match run.verdict {
                    Verdict::Proved(win) => (Some(win.proof), Vec::new()),
                    Verdict::DefenderHolds => (None, Vec::new()),
                    Verdict::Open(open) => (None, open),
                }
            }
        };
        let finding = match proof {
            None => Finding::Unknown { open },
            Some(proof) => {
                let checked = check(&proof).map_err(|refusal| OwnProofRefused(*refusal))?;
                Finding::Won {
                    proof: Box::new(proof),
                    checked: Box::new(checked),
                }
            }
        };
        Ok((finding, budget.spent()))
    }
}

fn verifier_options(effort: Effort, solver: SolverOptions) -> VerifierOptions {
    let published = effort.coverage != Coverage::Segment;
    let usual = VerifierOptions::for_budget(effort.nodes);
    VerifierOptions {
        coverage: effort.coverage,
        // The method of 2005 knows double threats only.
        order: Order(if effort.coverage == Coverage::Wu {
            1
        } else {
            effort.order.clamp(2, 3) - 1
        }),
        nodes_per_reply: usual.nodes_per_reply.max(1_000),
        solver: SolverOptions {
            replay_siblings: !published,
            ..solver
        },
        ..usual
    }
}
