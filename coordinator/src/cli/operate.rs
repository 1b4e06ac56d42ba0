//! Orders to a coordinator that runs, here or on another machine.

mod remote;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use gridproof_game::{Colour, Move, Position, Square};
use gridproof_proto::v1::happening::What;
use gridproof_proto::v1::node_request::Which;
use gridproof_proto::{colour_to_wire, v1};
use tonic::Streaming;

use self::remote::{Client, Remote};
use super::{Failure, output};

/// What an operator can tell a coordinator.
#[derive(Debug, Subcommand)]
pub(super) enum Operate {
    /// Start a search on a coordinator
    Submit(Submit),
    /// List a coordinator's searches
    List(Plain),
    /// Show how a search stands
    Status(OfSearch),
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
    Workers(Plain),
    /// Trust nothing that a worker ever said
    Withdraw(Withdraw),
    /// Fetch the proof of a search
    Fetch(Fetch),
}

#[derive(Debug, Args)]
pub(super) struct Plain {
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(super) struct OfSearch {
    /// The search's number [default: the first that is open]
    #[arg(default_value_t = 0, hide_default_value = true)]
    search: u32,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(super) struct Submit {
    /// An opening like TX-H9 (more stones may follow: "TX-H9 k11,l10"), or a record
    game: String,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = super::solve::parse_colour)]
    attacker: Option<Colour>,
    /// Its part of the workers against the parts of other searches
    #[arg(long, value_name = "N", default_value_t = 1)]
    share: u32,
    #[command(flatten)]
    remote: Remote,
}

/// A position of a search.
#[derive(Debug, Args)]
pub(super) struct AtNode {
    /// The moves that lead there from the search's root, such as "K11 L10 / H9 -"; none is
    /// the root itself
    #[arg(value_name = "MOVES", default_value = "")]
    line: String,
    /// The search's number [default: the first that is open]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    search: u32,
    /// The position by its number, instead of moves
    #[arg(long, value_name = "N", conflicts_with_all = ["line", "search"])]
    node: Option<u32>,
    #[command(flatten)]
    remote: Remote,
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
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(super) struct Fetch {
    /// The file to write
    file: PathBuf,
    /// The search's number [default: the first that is open]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    search: u32,
    #[command(flatten)]
    remote: Remote,
}

/// A text that is no move.
#[derive(Debug, thiserror::Error)]
#[error("\"{0}\" is no move: write squares like \"K11 L10\", and - for a null stone")]
struct NoMove(String);

/// An answer that lacks what it should hold.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator's answer makes no sense: {0} is missing")]
struct Missing(&'static str);

impl Operate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(self.order())
    }

    async fn order(&self) -> Result<(), Failure> {
        let mut client = self.remote().connect().await?;
        let text = match self {
            Self::Submit(submit) => {
                let attacker = submit
                    .attacker
                    .map_or(v1::Colour::Unspecified, colour_to_wire);
                let request = v1::SubmitRequest {
                    game: submit.game.clone(),
                    attacker: attacker.into(),
                    share: submit.share,
                };
                search_line(&client.submit(request).await?.into_inner())
            }
            Self::List(_) => {
                let reply = client.list(v1::ListRequest {}).await?.into_inner();
                reply.searches.iter().map(search_line).collect()
            }
            Self::Status(of) => {
                let request = v1::StatusRequest { search: of.search };
                status(&client.get_status(request).await?.into_inner())?
            }
            Self::Watch(_) => {
                let stream = client.watch(v1::WatchRequest {}).await?.into_inner();
                return watch(stream).await;
            }
            Self::Hint(hint) => {
                let (at, root) = hint.at.request(&mut client).await?;
                let rules = *root.rules();
                let request = v1::HintRequest {
                    at: Some(at),
                    r#move: Some(v1::Move::of(&rules, &parse_move(&hint.mv)?)),
                    status: v1::Status::Unspecified.into(),
                };
                node_line(&client.hint(request).await?.into_inner())
            }
            Self::Pause(at) => {
                let (at, _) = at.request(&mut client).await?;
                node_line(&client.pause(at).await?.into_inner())
            }
            Self::Resume(at) => {
                let (at, _) = at.request(&mut client).await?;
                node_line(&client.resume(at).await?.into_inner())
            }
            Self::Forget(at) => {
                let (at, _) = at.request(&mut client).await?;
                node_line(&client.forget(at).await?.into_inner())
            }
            Self::Stop(of) => {
                let request = v1::StopRequest { search: of.search };
                search_line(&client.stop(request).await?.into_inner())
            }
            Self::Workers(_) => {
                let reply = client.list_workers(v1::ListWorkersRequest {}).await?;
                reply.into_inner().workers.iter().map(worker_line).collect()
            }
            Self::Withdraw(withdraw) => {
                let worker = withdraw.worker.clone();
                let reply = client.withdraw(v1::WithdrawRequest { worker }).await?;
                let unproved = reply.into_inner().unproved;
                format!("{unproved} positions that were proved are so no longer.\n")
            }
            Self::Fetch(fetch) => {
                let search = fetch.search;
                let stream = client.export(v1::ExportRequest { search }).await?;
                fetch.save(stream.into_inner()).await?
            }
        };
        output::print(text.as_bytes())
    }

    fn remote(&self) -> &Remote {
        match self {
            Self::Submit(submit) => &submit.remote,
            Self::List(plain) | Self::Watch(plain) | Self::Workers(plain) => &plain.remote,
            Self::Status(of) | Self::Stop(of) => &of.remote,
            Self::Hint(hint) => &hint.at.remote,
            Self::Pause(at) | Self::Resume(at) | Self::Forget(at) => &at.remote,
            Self::Withdraw(withdraw) => &withdraw.remote,
            Self::Fetch(fetch) => &fetch.remote,
        }
    }
}

impl AtNode {
    /// The node that is meant, and the root of its search for the rules.
    async fn request(&self, client: &mut Client) -> Result<(v1::NodeRequest, Position), Failure> {
        let request = v1::StatusRequest {
            search: self.search,
        };
        let status = client.get_status(request).await?.into_inner();
        let search = status.search.ok_or(Missing("the search"))?;
        let root = search.root.as_ref().ok_or(Missing("the root"))?;
        let root = Position::try_from(root)?;
        let which = match self.node {
            Some(node) => Which::Node(node),
            None => {
                let moves = self.line.split('/').filter(|text| !text.trim().is_empty());
                let moves = moves.map(|text| Ok(v1::Move::of(root.rules(), &parse_move(text)?)));
                Which::Line(v1::Line {
                    search: search.search,
                    moves: moves.collect::<Result<_, NoMove>>()?,
                })
            }
        };
        Ok((v1::NodeRequest { which: Some(which) }, root))
    }
}

impl Fetch {
    async fn save(&self, mut stream: Streaming<v1::ExportPiece>) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        while let Some(piece) = stream.message().await? {
            bytes.extend_from_slice(&piece.bytes);
        }
        output::write_to(&self.file, &bytes)?;
        Ok(format!(
            "{} bytes in {}: `gridproof check` confirms it.\n",
            bytes.len(),
            self.file.display()
        ))
    }
}

fn parse_move(text: &str) -> Result<Move, NoMove> {
    let bad = || NoMove(text.chars().take(40).collect());
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

fn numbers(numbers: Option<v1::Numbers>) -> String {
    let text = |number| match number {
        u32::MAX => "∞".to_owned(),
        number => number.to_string(),
    };
    let numbers = numbers.unwrap_or_default();
    format!("{}/{}", text(numbers.proof), text(numbers.disproof))
}

fn search_line(search: &v1::SearchReport) -> String {
    let verdict = match search.verdict() {
        v1::Verdict::Proved => "proved",
        v1::Verdict::Failed => "nothing left to try",
        _ if search.stopped => "stopped",
        _ => "open",
    };
    let attacker = match search.attacker() {
        v1::Colour::White => Colour::White,
        _ => Colour::Black,
    };
    format!(
        "{:>4}  {verdict:<20} {:>9}  share {:>3}  {attacker} wins {}\n",
        search.search,
        numbers(search.numbers),
        search.share,
        search.game
    )
}

fn status(reply: &v1::StatusReply) -> Result<String, Failure> {
    let search = reply.search.as_ref().ok_or(Missing("the search"))?;
    let root = Position::try_from(search.root.as_ref().ok_or(Missing("the root"))?)?;
    let mut text = search_line(search);
    let line: Result<Vec<_>, _> = reply
        .main_line
        .iter()
        .map(|mv| mv.read(root.rules()))
        .collect();
    let line: Vec<_> = line?.iter().map(ToString::to_string).collect();
    let totals = reply.totals.unwrap_or_default();
    writeln!(text, "main line: {}", line.join(" / "))?;
    writeln!(
        text,
        "{} positions, {} proved; {} jobs running, {} done, {} for nothing; {} workers with {} slots",
        totals.nodes,
        totals.proved,
        totals.jobs_running,
        totals.jobs_done,
        totals.jobs_wasted,
        totals.workers,
        totals.slots
    )?;
    Ok(text)
}

fn node_line(node: &v1::NodeReport) -> String {
    format!("node {}: {}\n", node.node, numbers(node.numbers))
}

fn worker_line(worker: &v1::WorkerReport) -> String {
    let state = match (worker.banned, worker.connected) {
        (true, _) => "cut off",
        (_, true) => "here",
        (_, false) => "away",
    };
    format!(
        "{:<24} {state:<8} {:>3} of {:>3} slots busy  {}\n",
        worker.name, worker.running, worker.slots, worker.version
    )
}

async fn watch(mut stream: Streaming<v1::Happening>) -> Result<(), Failure> {
    while let Some(happening) = stream.message().await? {
        let Some(what) = happening.what else { continue };
        let words = match what {
            What::JobStarted(job) => format!("job begun at node {} by {}", job.node, job.worker),
            What::JobEnded(job) => {
                format!("job at node {} by {}: {}", job.node, job.worker, job.words)
            }
            What::JobAborted(job) => format!("job dropped: {}", job.words),
            What::Proved(node) => format!("node {} proved", node.node),
            What::Verdict(search) => search_line(&search).trim().to_owned(),
            What::WorkerCame(worker) => format!("{} came: {}", worker.worker, worker.words),
            What::WorkerLeft(worker) => format!("{} left: {}", worker.worker, worker.words),
            What::Missed(count) => format!("({count} happenings missed)"),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{words}")?;
        out.flush()?;
    }
    Ok(())
}
