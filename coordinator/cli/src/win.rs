use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use gridproof_certificate::{Checked, FILE_ENDING, IfExists, save};
use gridproof_game::draw::Diagram;
use gridproof_game::{Position, PositionInput};
use gridproof_solver::Progress;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::Failure;
use super::batch::Batch;
use super::exit::{BadInput, Exit, Quietly};
use super::output::{self, ColourChoice};
use super::prove::{Goal, ProofOutcome, SearchLimits};
use super::rules::RulesOption;

/// Look for a win of the side to move, and prove it
///
/// The proof is checked before anything is claimed and written to a file that anyone can
/// check again with `gridproof check`.
#[derive(Debug, Args)]
pub(super) struct Win {
    #[command(flatten)]
    common: Common,
}

/// Prove that the side that is NOT to move wins, whatever the other does
///
/// Defender moves that could not be settled are listed; `-` stands for a stone not placed.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    common: Common,
}

impl Win {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.common.run(Goal::Win)
    }
}

impl Verify {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.common.run(Goal::Verify)
    }
}

#[derive(Debug, Args)]
struct Common {
    /// A record file, - for standard input, an opening like TX-H9 (more stones may follow:
    /// "TX-H9 k11,l10"), or a record itself, like j10,k11,i11
    #[arg(required_unless_present = "batch")]
    position: Option<PositionInput>,
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    limits: SearchLimits,
    /// Where the proof goes; by default a file named after the position, here
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    out: Option<PathBuf>,
    /// Replace proof files that exist
    #[arg(long)]
    replace: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
    #[command(flatten)]
    batch: Batch,
}

impl Common {
    fn run(&self, goal: Goal) -> Result<(), Failure> {
        match &self.position {
            Some(input) => self.run_one(goal, self.rules.read(input)?.position()),
            None => self.batch.run(goal, self.limits, self.if_exists()),
        }
    }

    fn if_exists(&self) -> IfExists {
        if self.replace {
            IfExists::Replace
        } else {
            IfExists::Refuse
        }
    }

    fn run_one(&self, goal: Goal, position: &Position) -> Result<(), Failure> {
        let out = self.out.clone().unwrap_or_else(|| {
            let name = match goal {
                Goal::Win => "win",
                Goal::Verify => "verify",
            };
            let file = gridproof_grid::file_name(position, goal.attacker(position));
            PathBuf::from(format!("{name}-{file}.{FILE_ENDING}"))
        });
        // Known before the search, so that no search is wasted.
        if !self.replace && out.exists() {
            let words = format!(
                "{} exists: name another file with --out, or say --replace",
                out.display()
            );
            return Err(BadInput(words).into());
        }
        let mut display = Display::new(self.limits.nodes.0);
        let (outcome, nodes) = goal.run(position, self.limits, Some(&mut display))?;
        display.bar.finish_and_clear();
        let drawing = Diagram::new(position).to_terminal(self.color.style());
        let attacker = goal.attacker(position);
        output::print_extra(&format!("{drawing}\n"))?;
        let mut text = String::new();
        let mut ended = Ok(());
        match outcome {
            ProofOutcome::Won { proof, checked } => {
                let hash = save(&proof, &out, self.if_exists())?;
                text += &format!(
                    "{attacker} wins{}. {}\nproof: {} ({hash})\n",
                    with_move(&checked),
                    told(&checked, nodes),
                    out.display()
                );
            }
            ProofOutcome::NoWin => {
                text += &format!(
                    "No: {attacker} has no win that this search can find. It came to its end \
                     after {} nodes, so that more of them will not help.\n",
                    HumanCount(nodes)
                );
                ended = Err(Quietly(Exit::Unknown).into());
            }
            ProofOutcome::Unknown { open } => {
                text += &format!(
                    "Unknown: no win of {attacker} found within {} nodes.\n",
                    HumanCount(nodes)
                );
                if !open.is_empty() {
                    let moves: Vec<_> = open.iter().map(ToString::to_string).collect();
                    text += &format!("{} defences stay open: {}\n", open.len(), moves.join(", "));
                }
                text += "Try more --nodes, or `gridproof solve` for a search over many jobs.\n";
                ended = Err(Quietly(Exit::Unknown).into());
            }
        }
        output::print(text.as_bytes())?;
        ended
    }
}

fn with_move(checked: &Checked) -> String {
    checked
        .first_move
        .as_ref()
        .map(|mv| format!(" with {mv}"))
        .unwrap_or_default()
}

fn told(checked: &Checked, nodes: u64) -> String {
    format!(
        "Order Λ{}, {} nodes searched; a proof of {} nodes, {} turns deep, was checked.",
        checked.lambda,
        HumanCount(nodes),
        HumanCount(checked.nodes),
        checked.depth
    )
}

/// A bar of the budget on a terminal, nothing elsewhere.
#[derive(Debug)]
struct Display {
    bar: ProgressBar,
}

impl Display {
    fn new(nodes: u64) -> Self {
        if !io::stderr().is_terminal() || output::is_quiet() {
            return Self {
                bar: ProgressBar::hidden(),
            };
        }
        let bar = ProgressBar::new(nodes);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {bar:30} {human_pos} of {human_len} nodes")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar }
    }
}

impl Progress for Display {
    fn nodes(&mut self, spent: u64) {
        self.bar.set_position(spent);
    }
}
