//! The command `gridproof`: parses and prints; one file a subcommand.

mod batch;
mod book;
mod budgets;
mod cert;
mod check;
mod convert;
mod exit;
mod explain;
mod family;
mod manual;
mod match_;
mod openings;
mod operate;
mod output;
mod overview;
mod page;
mod play;
mod position;
mod progress;
mod prove;
mod questions;
mod rate;
mod report;
mod rules;
mod serve;
mod settings;
mod show;
mod simulate;
mod solve;
mod store;
mod threats;
mod token;
mod tune;
mod value;
mod values;
mod win;

use std::error::Error;
use std::num::NonZeroU16;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Proves who wins openings of Connect6 and its family, and shows why.
#[derive(Debug, Parser)]
#[command(name = "gridproof", version, arg_required_else_help = true, after_help = exit::HELP)]
struct Cli {
    /// Say the result alone: no boards, hints or progress
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::Solve),
    Openings(openings::Openings),
    Family(family::Family),
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
    Tune(tune::Tune),
    Book(book::BookCommand),
    Report(report::ReportCommand),
    Simulate(simulate::Simulate),
    Token(token::Tokens),
    Cert(cert::Certificates),
    Config(settings::ShowConfig),
    Completions(manual::Completions),
    Man(manual::ManPages),
}

/// Whatever ends a command: its words, and those of its causes, go to the user.
type Failure = Box<dyn Error + Send + Sync>;

/// Searches make and drop many small things: a sixth of their time, with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = overview::parse();
    output::set_quiet(cli.quiet);
    let done = match cli.command {
        Command::Solve(solve) => solve.run(),
        Command::Openings(openings) => openings.run(),
        Command::Family(family) => family.run(),
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
        Command::Tune(tune) => tune.run(),
        Command::Book(book) => book.run(),
        Command::Report(report) => report.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Token(tokens) => tokens.run(),
        Command::Cert(certificates) => certificates.run(),
        Command::Config(config) => config.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(pages) => pages.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if exit::is_broken_pipe(&failure) => ExitCode::SUCCESS,
        Err(failure) => exit::report(&failure),
    }
}

/// What runs a coordinator in this process.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

/// A job for each core.
fn cores() -> NonZeroU16 {
    let cores = std::thread::available_parallelism().ok();
    let cores = cores.and_then(|cores| NonZeroU16::try_from(cores.get() as u16).ok());
    cores.unwrap_or(NonZeroU16::MIN)
}

/// Ends the process: whatever was acknowledged is stored, and nothing more can be.
fn end_by_store(fate: gridproof_grid::store::StoreFailure) {
    eprintln!("error: {fate}");
    std::process::exit(exit::Exit::TryAgain as i32);
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
