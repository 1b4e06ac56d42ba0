//! The command line: one file a subcommand.

mod batch;
mod budgets;
mod cert;
mod check;
mod convert;
mod explain;
mod logging;
mod match_;
mod openings;
mod operate;
mod output;
mod play;
mod progress;
mod prove;
mod report;
mod serve;
mod show;
mod simulate;
mod solve;
mod store;
mod threats;
mod token;
mod win;

use std::error::Error;
use std::io;
use std::num::NonZeroU16;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Proves who wins openings of Connect6 and its family, and shows why.
#[derive(Debug, Parser)]
#[command(name = "gridproof", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::Solve),
    Openings(openings::Openings),
    Serve(serve::Serve),
    Store(store::StoreCommand),
    #[command(flatten)]
    Operate(operate::Operate),
    Show(show::Show),
    Convert(convert::Convert),
    Win(win::Win),
    Verify(win::Verify),
    Check(check::Check),
    Explain(explain::Explain),
    Play(play::Play),
    Match(match_::MatchGames),
    Report(report::Report),
    Simulate(simulate::Simulate),
    Token(token::Tokens),
    Cert(cert::Certificates),
}

/// Whatever ends a command: its words, and those of its causes, go to the user.
type Failure = Box<dyn Error + Send + Sync>;

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Solve(solve) => solve.run(),
        Command::Openings(openings) => openings.run(),
        Command::Serve(serve) => serve.run(),
        Command::Store(store) => store.run(),
        Command::Operate(order) => order.run(),
        Command::Show(show) => show.run(),
        Command::Convert(convert) => convert.run(),
        Command::Win(win) => win.run(),
        Command::Verify(verify) => verify.run(),
        Command::Check(check) => check.run(),
        Command::Explain(explain) => explain.run(),
        Command::Play(play) => play.run(),
        Command::Match(games) => games.run(),
        Command::Report(report) => report.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Token(tokens) => tokens.run(),
        Command::Cert(certificates) => certificates.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Who reads our output has seen enough, as `head` does: no error of ours.
        Err(failure) if is_broken_pipe(&*failure) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}", with_causes(&*failure));
            ExitCode::FAILURE
        }
    }
}

/// A job for each core.
fn cores() -> NonZeroU16 {
    let cores = std::thread::available_parallelism().ok();
    let cores = cores.and_then(|cores| NonZeroU16::try_from(cores.get() as u16).ok());
    cores.unwrap_or(NonZeroU16::MIN)
}

/// Ends the process: whatever was acknowledged is stored, and nothing more can be.
fn end_by_store(fate: gridproof::store::Fate) {
    /// What a supervisor may start again: EX_TEMPFAIL.
    const TRY_AGAIN: i32 = 75;
    eprintln!("error: {fate}");
    std::process::exit(TRY_AGAIN);
}

/// Waits for Ctrl-C, or for a supervisor that wants us to go.
async fn asked_to_leave() {
    use tokio::signal::unix::{SignalKind, signal};
    let term = async {
        match signal(SignalKind::terminate()) {
            Ok(mut term) => drop(term.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = term => {}
    }
}

fn is_broken_pipe(failure: &(dyn Error + Send + Sync + 'static)) -> bool {
    failure
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// An error may quote a stranger's record, so what would command a terminal is shown as an
/// escape.
fn with_causes(failure: &dyn Error) -> String {
    let causes = std::iter::successors(failure.source(), |&cause| cause.source());
    let words = causes.map(ToString::to_string);
    std::iter::once(failure.to_string())
        .chain(words)
        .collect::<Vec<_>>()
        .join(": ")
        .chars()
        .map(|c| {
            if c.is_control() {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}
