//! Orders to a coordinator that runs, here or on another machine.

mod at_node;
mod backup;
mod connect;
mod fetch;
mod find;
mod node;
mod orders;
mod run_job;
mod submit;
mod top;
mod view;
mod watch;

use std::io::{self, BufRead as _, IsTerminal as _};

use clap::{Args, Subcommand};
use gridproof_grid::text;
use gridproof_proto::v1;

use self::at_node::{AtNode, Hint, NodeOrder};
pub(super) use self::connect::CoordinatorError;
use self::connect::{Client, call};
pub(super) use self::node::{Node, NodeChoice};
use self::run_job::RunJob;
use self::submit::Submit;
use self::view::{Search, State, Worker};
use super::Failure;
use super::exit::BadInput;
use super::output::{self, ColourChoice, JsonOption};
use super::settings::Connection;
use super::values::within;

/// What an operator can tell a coordinator.
#[derive(Debug, Subcommand)]
pub(super) enum Operate {
    /// Start a search on a coordinator
    Submit(Submit),
    /// List a coordinator's searches
    List(Data),
    /// Show how a search stands: its board, its best line and what is left to do
    Status(ShowStatus),
    /// Watch the whole grid on a live screen
    Top(Plain),
    /// Follow what happens, line by line
    Watch(Plain),
    /// Have a move of the attacker tried
    Hint(Hint),
    /// Start no jobs at a position or beyond it; running jobs go on
    Pause(AtNode),
    /// Take back a pause
    Resume(AtNode),
    /// Look for other moves than the one that led to a position
    Forget(AtNode),
    /// Take back what was forgotten
    Remember(AtNode),
    /// Run a job at a position now, before all others, and tell what comes of it
    Run(RunJob),
    /// Take back a job that was ordered with run
    Abort(AtNode),
    /// Give a search a larger or smaller part of the workers
    Share(Share),
    /// End a search; what it learnt stays
    Stop(Stop),
    /// List workers
    Workers(Data),
    /// List what was ordered, when and by whom
    Orders(Data),
    /// Trust nothing that a worker ever said
    Withdraw(Withdraw),
    /// Give a worker no jobs, and count what it thought of positions no longer
    Quarantine(OfWorker),
    /// Let a worker out of quarantine
    Release(OfWorker),
    /// Fetch the proof of a search
    Fetch(fetch::Fetch),
    /// Copy a coordinator's whole store to a file while it runs
    Backup(backup::Backup),
}

#[derive(Debug, Args)]
pub(super) struct Plain {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Data {
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct ShowStatus {
    /// The search, by name or number, as `gridproof list` shows them [default: the first that
    /// is open]
    search: Option<String>,
    #[command(flatten)]
    json: JsonOption,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Stop {
    /// The search, by name or number, as `gridproof list` shows them [default: the one that is
    /// open]
    search: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Share {
    /// The search, by name or number, as `gridproof list` shows them
    search: String,
    /// Its part of the workers against the parts of other searches, which have 1 unless
    /// something else was said
    #[arg(value_name = "N", value_parser = within::<u32>(1..=u32::MAX.into()))]
    share: u32,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct OfWorker {
    /// The worker's name
    worker: String,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Withdraw {
    /// The worker's name
    worker: String,
    /// Do not ask first
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Operate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(self.order())
    }

    async fn order(&self) -> Result<(), Failure> {
        if let Self::Withdraw(withdraw) = self {
            withdraw.confirm()?;
        }
        let mut client = self.connection().connect().await?;
        let text = match self {
            Self::List(data) => {
                let searches = find::list(&mut client).await?;
                return data.json.print(&searches, |all| view::list_text(all));
            }
            Self::Workers(data) => {
                let reply = call(client.list_workers(v1::ListWorkersRequest {})).await?;
                let workers: Vec<Worker> = reply.workers.into_iter().map(Worker::from).collect();
                return data.json.print(&workers, |all| view::workers_text(all));
            }
            Self::Orders(data) => {
                let given = orders::list(&mut client).await?;
                return data.json.print(&given, |all| orders::text(all));
            }
            Self::Status(show) => {
                let status = find::status(&mut client, show.search.as_deref()).await?;
                let style = show.color.style();
                return show.json.print(&status, |status| status.to_text(style));
            }
            Self::Top(_) => return top::run(client).await,
            Self::Watch(_) => return watch::run(client).await,
            Self::Submit(submit) => submit.send(&mut client).await?,
            Self::Hint(hint) => hint.send(&mut client).await?,
            Self::Pause(at) => at.order(&mut client, NodeOrder::Pause).await?,
            Self::Resume(at) => at.order(&mut client, NodeOrder::Resume).await?,
            Self::Forget(at) => at.order(&mut client, NodeOrder::Forget).await?,
            Self::Remember(at) => at.order(&mut client, NodeOrder::Remember).await?,
            Self::Abort(at) => at.order(&mut client, NodeOrder::Abort).await?,
            Self::Run(job) => return job.run(&mut client).await,
            Self::Share(share) => share.send(&mut client).await?,
            Self::Stop(of) => of.stop(&mut client).await?,
            Self::Withdraw(withdraw) => {
                let worker = withdraw.worker.clone();
                let reply = call(client.withdraw(v1::WithdrawRequest { worker })).await?;
                format!(
                    "Nothing that {} said counts any more: {} that were proved must be proved \
                     again.\n",
                    withdraw.worker,
                    text::plural(reply.unproved, "position")
                )
            }
            Self::Quarantine(of) => {
                let worker = of.worker.clone();
                call(client.quarantine(v1::WorkerRequest { worker })).await?;
                format!(
                    "{0} gets no jobs any more, and what it thought of positions does not count; \
                     `gridproof release {0}` takes it back.\n",
                    of.worker
                )
            }
            Self::Release(of) => {
                let worker = of.worker.clone();
                call(client.release(v1::WorkerRequest { worker })).await?;
                format!("{} gets jobs again.\n", of.worker)
            }
            Self::Fetch(fetch) => return fetch.run(&mut client).await,
            Self::Backup(backup) => return backup.run(&mut client).await,
        };
        output::print(text.as_bytes())
    }

    fn connection(&self) -> &Connection {
        match self {
            Self::Submit(submit) => &submit.connection,
            Self::List(data) | Self::Workers(data) | Self::Orders(data) => &data.connection,
            Self::Top(plain) | Self::Watch(plain) => &plain.connection,
            Self::Status(show) => &show.connection,
            Self::Stop(stop) => &stop.connection,
            Self::Share(share) => &share.connection,
            Self::Hint(hint) => &hint.at.connection,
            Self::Run(job) => &job.at.connection,
            Self::Pause(at)
            | Self::Resume(at)
            | Self::Forget(at)
            | Self::Remember(at)
            | Self::Abort(at) => &at.connection,
            Self::Withdraw(withdraw) => &withdraw.connection,
            Self::Quarantine(of) | Self::Release(of) => &of.connection,
            Self::Fetch(fetch) => &fetch.connection,
            Self::Backup(backup) => &backup.connection,
        }
    }
}

impl Stop {
    async fn stop(&self, client: &mut Client) -> Result<String, Failure> {
        let running = find::for_order(client, self.search.as_deref()).await?;
        if !running.is_running() {
            let words = format!("{} is not searched: {}", running.name, running.state_text());
            return Err(BadInput(words).into());
        }
        let search = running.id;
        let report = call(client.stop(v1::StopRequest { search })).await?;
        let stopped = Search::try_from(&report)?;
        Ok(format!(
            "Stopped: {}. What it learnt stays; `{}` takes it up again.\n",
            stopped.name,
            stopped.submit_command()
        ))
    }
}

impl Share {
    async fn send(&self, client: &mut Client) -> Result<String, Failure> {
        let found = find::for_order(client, Some(&self.search)).await?;
        let request = v1::SetShareRequest {
            search: found.id,
            share: self.share,
        };
        let search = Search::try_from(&call(client.set_share(request)).await?)?;
        let all = find::list(client).await?;
        let running = all.iter().filter(|search| search.state == State::Open);
        let whole: u64 = running.map(|search| u64::from(search.share)).sum();
        Ok(format!(
            "{} has a share of {} now, of {whole} in all.\n",
            search.name, search.share
        ))
    }
}

impl Withdraw {
    /// What was proved with the worker's help has to be done again: that is asked first.
    fn confirm(&self) -> Result<(), Failure> {
        if self.yes {
            return Ok(());
        }
        let words = format!(
            "all that {} ever said is withdrawn, and what was proved with it must be proved again",
            self.worker
        );
        if !io::stdin().is_terminal() {
            return Err(BadInput(format!("{words}: say --yes if that is meant")).into());
        }
        output::print(format!("This cannot be taken back: {words}. Go on? [y/N] ").as_bytes())?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(BadInput("nothing was withdrawn".to_owned()).into()),
        }
    }
}
