//! Orders to a coordinator that runs, here or on another machine.

mod connect;
mod fetch;
mod node;
mod orders;
mod top;
mod view;
mod watch;

use std::io::{self, BufRead as _, IsTerminal as _};

use clap::{Args, Subcommand};
use gridproof_game::{Colour, Move, Position, Square};
use gridproof_grid::text;
use gridproof_proto::v1::node_request::Which;
use gridproof_proto::{colour_to_wire, v1};

pub(super) use self::connect::CoordinatorError;
use self::connect::{Client, call};
pub(super) use self::node::Node;
use self::view::{Job, Search, State, Status, Worker};
use super::Failure;
use super::exit::BadInput;
use super::output::{self, ColourChoice, JsonOption};
use super::rules::RulesOption;
use super::settings::Connection;
use super::{position, values};

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
    /// End a search; what it learnt stays
    Stop(OfSearch),
    /// List workers
    Workers(Data),
    /// List what was ordered, when and by whom
    Orders(Data),
    /// Trust nothing that a worker ever said
    Withdraw(Withdraw),
    /// Fetch the proof of a search
    Fetch(fetch::Fetch),
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
pub(super) struct OfSearch {
    /// The search, by name or number, as `gridproof list` shows them [default: the first that
    /// is open]
    search: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct ShowStatus {
    #[command(flatten)]
    of: OfSearch,
    #[command(flatten)]
    json: JsonOption,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

#[derive(Debug, Args)]
pub(super) struct Submit {
    /// An opening like TX-H9 (more stones may follow: "TX-H9 k11,l10"), or a record
    game: String,
    #[command(flatten)]
    rules: RulesOption,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = values::colour)]
    attacker: Option<Colour>,
    /// Its part of the workers against the parts of other searches
    #[arg(long, value_name = "N", default_value_t = 1)]
    share: u32,
    #[command(flatten)]
    connection: Connection,
}

/// A position of a search.
#[derive(Debug, Args)]
pub(super) struct AtNode {
    /// The moves that lead there from the search's root, such as "K11 L10 / H9 -"; none is
    /// the root itself
    #[arg(value_name = "MOVES", default_value = "")]
    line: String,
    /// The search, by name or number [default: the first that is open]
    #[arg(long, value_name = "NAME")]
    search: Option<String>,
    /// The position by its number, instead of moves
    #[arg(long, value_name = "N", conflicts_with_all = ["line", "search"])]
    node: Option<u32>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Hint {
    /// The attacker's move, such as "K11 L10"
    #[arg(value_name = "MOVE")]
    mv: String,
    #[command(flatten)]
    at: AtNode,
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
                let searches = list(&mut client).await?;
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
                let status = full_status(&mut client, show.of.search.as_deref()).await?;
                let style = show.color.style();
                return show.json.print(&status, |status| status.to_text(style));
            }
            Self::Top(_) => return top::run(client).await,
            Self::Watch(_) => return watch::run(client).await,
            Self::Submit(submit) => submit.send(&mut client).await?,
            Self::Hint(hint) => {
                let (at, root) = hint.at.request(&mut client).await?;
                let mv = parse_move(&hint.mv)?;
                let request = v1::HintRequest {
                    at: Some(at),
                    r#move: Some(v1::Move::of(root.rules(), &mv)),
                    status: v1::Status::Unspecified.into(),
                };
                let node = call(client.hint(request)).await?;
                format!("{mv} will be tried at {}.\n", node_name(&node))
            }
            Self::Pause(at) => {
                let (at, _) = at.request(&mut client).await?;
                let node = node_name(&call(client.pause(at)).await?);
                format!(
                    "Paused: no new jobs at {node} or beyond it. Running jobs go on; `gridproof \
                     resume` takes it back.\n"
                )
            }
            Self::Resume(at) => {
                let (at, _) = at.request(&mut client).await?;
                let node = node_name(&call(client.resume(at)).await?);
                format!("Resumed: jobs are given out at {node} again.\n")
            }
            Self::Forget(at) => {
                let (at, _) = at.request(&mut client).await?;
                let node = node_name(&call(client.forget(at)).await?);
                format!("Forgotten: other moves are looked for than the one to {node}.\n")
            }
            Self::Stop(of) => {
                let search = find(&mut client, of.search.as_deref()).await?;
                let report = call(client.stop(v1::StopRequest { search })).await?;
                let stopped = Search::try_from(&report)?;
                format!(
                    "Stopped: {}. What it learnt stays; `gridproof submit` takes it up again.\n",
                    stopped.name
                )
            }
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
            Self::Fetch(fetch) => return fetch.run(&mut client).await,
        };
        output::print(text.as_bytes())
    }

    fn connection(&self) -> &Connection {
        match self {
            Self::Submit(submit) => &submit.connection,
            Self::List(data) | Self::Workers(data) | Self::Orders(data) => &data.connection,
            Self::Top(plain) | Self::Watch(plain) => &plain.connection,
            Self::Status(show) => &show.of.connection,
            Self::Stop(of) => &of.connection,
            Self::Hint(hint) => &hint.at.connection,
            Self::Pause(at) | Self::Resume(at) | Self::Forget(at) => &at.connection,
            Self::Withdraw(withdraw) => &withdraw.connection,
            Self::Fetch(fetch) => &fetch.connection,
        }
    }
}

async fn list(client: &mut Client) -> Result<Vec<Search>, CoordinatorError> {
    view::searches(&call(client.list(v1::ListRequest {})).await?)
}

async fn status(client: &mut Client, named: Option<&str>) -> Result<Status, CoordinatorError> {
    let search = find(client, named).await?;
    let reply = call(client.get_status(v1::StatusRequest { search })).await?;
    Status::try_from(&reply)
}

/// With its running jobs, and the reply that is farthest from a proof.
async fn full_status(client: &mut Client, named: Option<&str>) -> Result<Status, CoordinatorError> {
    let mut status = status(client, named).await?;
    let root = status.search.root.clone();
    status.jobs = jobs(client, Some(&root)).await?;
    if matches!(status.search.state, State::Open | State::Paused) {
        let line = v1::Line {
            search: status.search.id,
            moves: Vec::new(),
        };
        let request = v1::GetLineRequest {
            at: Some(v1::NodeRequest {
                which: Some(Which::Line(line)),
            }),
            kind: v1::LineKind::HardestReply.into(),
        };
        let reply = call(client.get_line(request)).await?;
        status.hardest_reply = view::moves(&reply.moves, root.rules())?;
    }
    Ok(status)
}

/// Running jobs, oldest first: all of them, or those that can come from a root.
async fn jobs(client: &mut Client, root: Option<&Position>) -> Result<Vec<Job>, CoordinatorError> {
    let request = v1::ListJobsRequest {
        offset: 0,
        limit: 1000,
    };
    let reply = call(client.list_jobs(request)).await?;
    let jobs = reply.jobs.iter().filter_map(|job| Job::of(job, root));
    Ok(jobs.collect())
}

fn node_name(node: &v1::NodeReport) -> String {
    view::node_name(node.node, node.position.as_ref())
}

/// The number of the search that is meant; 0 leaves the choice to the coordinator.
async fn find(client: &mut Client, named: Option<&str>) -> Result<u32, CoordinatorError> {
    match named {
        None => Ok(0),
        Some(name) => match name.parse() {
            Ok(number) => Ok(number),
            Err(_) => Ok(by_name(&list(client).await?, name)?.id),
        },
    }
}

fn by_name<'a>(searches: &'a [Search], name: &str) -> Result<&'a Search, CoordinatorError> {
    let is_meant = |search: &&Search| search.name.eq_ignore_ascii_case(name);
    let found: Vec<_> = searches.iter().filter(is_meant).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(CoordinatorError::BadInput(format!(
            "there is no search \"{name}\": `gridproof list` shows them"
        ))),
        _ => Err(CoordinatorError::BadInput(format!(
            "several searches are called \"{name}\": name one by its number, as `gridproof list` shows it"
        ))),
    }
}

impl Submit {
    async fn send(&self, client: &mut Client) -> Result<String, Failure> {
        position::note_rows(self.game.as_bytes());
        let attacker = self
            .attacker
            .map_or(v1::Colour::Unspecified, colour_to_wire);
        let request = v1::SubmitRequest {
            game: self.rules.with(&self.game)?,
            attacker: attacker.into(),
            share: self.share,
        };
        let search = Search::try_from(&call(client.submit(request)).await?)?;
        Ok(format!(
            "Search {}: {}, {}. `gridproof status \"{}\"` tells how it goes.\n",
            search.id,
            search.name,
            search.state_text(),
            search.name
        ))
    }
}

impl AtNode {
    /// The node that is meant, and the root of its search for the rules.
    async fn request(&self, client: &mut Client) -> Result<(v1::NodeRequest, Position), Failure> {
        let search = status(client, self.search.as_deref()).await?.search;
        let root = search.root;
        let which = match self.node {
            Some(node) => Which::Node(node),
            None => {
                let moves = self.line.split('/').filter(|text| !text.trim().is_empty());
                let moves = moves.map(|text| Ok(v1::Move::of(root.rules(), &parse_move(text)?)));
                Which::Line(v1::Line {
                    search: search.id,
                    moves: moves.collect::<Result<_, BadInput>>()?,
                })
            }
        };
        Ok((v1::NodeRequest { which: Some(which) }, root))
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

fn parse_move(text: &str) -> Result<Move, BadInput> {
    let bad = || {
        let text: String = text.chars().take(40).collect();
        BadInput(format!(
            "\"{text}\" is no move: write squares like \"K11 L10\", and - for a null stone"
        ))
    };
    let mut stones: Vec<Square> = Vec::new();
    let mut nulls = 0;
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word {
            "-" => nulls += 1,
            square => stones.push(square.parse().map_err(|_| bad())?),
        }
    }
    Move::try_new(stones, nulls).map_err(|_| bad())
}
