//! A job at a position now, as an operator wants it.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use clap::Args;
use gridproof_game::Position;
use gridproof_grid::text;
use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use indicatif::{ProgressBar, ProgressStyle};

use super::at_node::{Asked, AtNode};
use super::connect::{Client, CoordinatorError, call};
use super::view::{self, kind_name};
use crate::exit::{Exit, Quietly};
use crate::values::Count;
use crate::{Failure, output};

/// More moves than this are not read.
const MOVES_SHOWN: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct RunJob {
    #[command(flatten)]
    pub(super) at: AtNode,
    /// Search nodes it may take [default: what the search would spend there]
    #[arg(long, value_name = "N")]
    nodes: Option<Count>,
}

/// Goes when the job has ended, whichever way that is.
struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl RunJob {
    /// Orders the job and tells how it goes until it has ended.
    pub(super) async fn run(&self, client: &mut Client) -> Result<(), Failure> {
        let asked = self.at.ask(client).await?;
        let request = v1::RunJobRequest {
            at: Some(asked.request.clone()),
            kind: v1::JobKind::Unspecified.into(),
            budget: self.nodes.map_or(0, |nodes| nodes.0),
        };
        let mut stream = call(client.run_job(request)).await?;
        let waiting = Waiting(match io::stderr().is_terminal() && !output::is_quiet() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        });
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            waiting.0.set_style(style);
        }
        waiting.0.enable_steady_tick(Duration::from_millis(250));
        while let Some(event) = stream.message().await.map_err(CoordinatorError::from)? {
            match event.what {
                Some(What::Queued(node)) => {
                    let words = format!(
                        "Ordered: a job at {}. It goes on if you leave; `gridproof abort --node \
                         {}` takes it back.\n",
                        asked.node_name(&node),
                        node.node
                    );
                    waiting.0.suspend(|| output::print_extra(&words))?;
                    waiting.0.set_message("waiting for a worker");
                }
                Some(What::JobStarted(job)) => {
                    let words = format!("{} works on it", job.worker);
                    waiting.0.set_message(words);
                }
                Some(What::JobProgress(job)) => {
                    let nodes = text::short(job.spent as f64);
                    let words = format!("{} works on it, {nodes} nodes so far", job.worker);
                    waiting.0.set_message(words);
                }
                Some(What::Proved(_)) => {
                    return output::print(b"Proved: this position is won.\n");
                }
                Some(What::JobEnded(job)) => return tell(&job, &asked),
                Some(What::JobAborted(job)) => {
                    let words = format!("No answer: the job was dropped, {}.\n", job.words);
                    output::print(words.as_bytes())?;
                    return Err(Quietly(Exit::Failed).into());
                }
                Some(What::Dropped(_)) => {
                    let words = b"No answer: the position was settled by other means, or the \
                                  order was taken back.\n";
                    return output::print(words);
                }
                _ => {}
            }
        }
        Err(CoordinatorError::Gone("it shut down".to_owned()).into())
    }
}

/// What came of a job.
fn tell(job: &v1::JobEvent, asked: &Asked) -> Result<(), Failure> {
    let at = asked.name(job.node, job.position.as_ref());
    let mut words = format!(
        "{}'s {} at {at}: {}, {} nodes.\n",
        job.worker,
        kind_name(job.kind()),
        job.words,
        text::short(job.spent as f64),
    );
    let rules = job.position.as_ref().map(Position::try_from);
    if let Some(Ok(position)) = rules
        && !job.moves.is_empty()
    {
        let moves = view::moves(&job.moves, position.rules())?.into_iter();
        let moves = moves.map(|mv| asked.shown(mv, job.position.as_ref()));
        let shown: Vec<_> = moves.map(|mv| mv.to_string()).collect();
        let rest = match shown.len().saturating_sub(MOVES_SHOWN) {
            0 => String::new(),
            more => format!(", and {}", text::plural(more as u64, "more move")),
        };
        let shown = shown[..shown.len().min(MOVES_SHOWN)].join(", ");
        let what = match job.kind() {
            v1::JobKind::Verifier => "Open replies",
            _ => "Moves to try",
        };
        words += &format!("{what}: {shown}{rest}\n");
    }
    output::print(words.as_bytes())
}
