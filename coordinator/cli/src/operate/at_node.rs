//! Orders at one position of a search.

use clap::Args;
use gridproof_game::{Move, Position, Square};
use gridproof_grid::record_after;
use gridproof_proto::v1;
use gridproof_proto::v1::node_request::Which;

use super::connect::{Client, call};
use super::find::{for_order, list};
use super::view::{self, Search};
use crate::Failure;
use crate::exit::BadInput;
use crate::settings::Connection;
use crate::values::within;

/// A position of a search.
#[derive(Debug, Args)]
pub(crate) struct AtNode {
    /// The moves that lead there from the search's root, such as "K11 L10 / H9 -"; none is
    /// the root itself
    #[arg(value_name = "MOVES", default_value = "")]
    line: String,
    /// The search, by name or number [default: the one that is open]
    #[arg(long, value_name = "NAME")]
    search: Option<String>,
    /// The position by its number, instead of moves
    #[arg(long, value_name = "N", conflicts_with_all = ["line", "search"],
        value_parser = within::<u32>(0..=u32::MAX.into()))]
    node: Option<u32>,
    #[command(flatten)]
    pub(super) connection: Connection,
}

/// What is done at a position.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeOrder {
    Pause,
    Resume,
    Forget,
    Remember,
    Abort,
}

#[derive(Debug, Args)]
pub(crate) struct Hint {
    /// The attacker's move, such as "K11 L10"
    #[arg(value_name = "MOVE")]
    mv: String,
    #[command(flatten)]
    pub(super) at: AtNode,
}

/// A position as it was asked for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: v1::NodeRequest,
    /// The searches that it may be of, the likeliest first.
    searches: Vec<Search>,
    /// What the moves lead to. A search keeps it turned or mirrored, which is not to be seen.
    position: Option<Position>,
}

impl Asked {
    /// A position of a search by the moves that lead there, as somebody typed them.
    pub(super) fn line(search: Search, line: &str) -> Result<Self, Failure> {
        let mut position = search.root.clone();
        let rules = *position.rules();
        let mut moves = Vec::new();
        for text in line.split('/').filter(|text| !text.trim().is_empty()) {
            let mv = parse_move(text)?;
            position.play(&mv)?;
            moves.push(v1::Move::of(&rules, &mv));
        }
        let line = v1::Line {
            search: search.id,
            moves,
        };
        Ok(Self {
            request: v1::NodeRequest {
                which: Some(Which::Line(line)),
            },
            searches: vec![search],
            position: Some(position),
        })
    }

    /// What people call it.
    pub(super) fn name(&self, node: u32, position: Option<&v1::Position>) -> String {
        let root = self.searches.first().map(|search| &search.root);
        match (&self.position, root) {
            (Some(position), Some(root)) => match record_after(root, position) {
                Some(record) => format!("#{node} ({record})"),
                None => format!("#{node}"),
            },
            _ => view::node_name(node, position, &self.searches),
        }
    }

    pub(super) fn node_name(&self, report: &v1::NodeReport) -> String {
        self.name(report.node, report.position.as_ref())
    }

    /// A move as it is shown there, from how it is told.
    pub(super) fn shown(&self, mv: Move, position: Option<&v1::Position>) -> Move {
        if self.position.is_some() {
            return mv;
        }
        // Whoever names a node by its number is told moves as it is stored.
        let position = position.and_then(|position| Position::try_from(position).ok());
        let Some(position) = position else { return mv };
        match view::turn_as_asked(&self.searches, &position) {
            Some((_, turn)) => mv.map(|square| turn.apply(position.rules(), square)),
            None => mv,
        }
    }
}

impl AtNode {
    pub(super) async fn ask(&self, client: &mut Client) -> Result<Asked, Failure> {
        if let Some(node) = self.node {
            let which = Some(Which::Node(node));
            return Ok(Asked {
                request: v1::NodeRequest { which },
                searches: list(client).await?,
                position: None,
            });
        }
        Asked::line(for_order(client, self.search.as_deref()).await?, &self.line)
    }

    /// Gives an order, and tells what came of it.
    pub(super) async fn order(
        &self,
        client: &mut Client,
        order: NodeOrder,
    ) -> Result<String, Failure> {
        let asked = self.ask(client).await?;
        let at = asked.request.clone();
        let report = match order {
            NodeOrder::Pause => call(client.pause(at)).await?,
            NodeOrder::Resume => call(client.resume(at)).await?,
            NodeOrder::Forget => call(client.forget(at)).await?,
            NodeOrder::Remember => call(client.remember(at)).await?,
            NodeOrder::Abort => call(client.abort_job(at)).await?,
        };
        let node = asked.node_name(&report);
        Ok(match order {
            NodeOrder::Pause => format!(
                "Paused: no new jobs at {node} or beyond it. Running jobs go on; `gridproof \
                 resume` takes it back.\n"
            ),
            NodeOrder::Resume => format!("Resumed: jobs are given out at {node} again.\n"),
            NodeOrder::Forget => format!(
                "Forgotten: other moves are looked for than the one to {node}. `gridproof \
                 remember` takes it back.\n"
            ),
            NodeOrder::Remember => {
                format!("Remembered: the move to {node} counts again.\n")
            }
            NodeOrder::Abort => {
                format!("Aborted: the job that was ordered at {node} is taken back.\n")
            }
        })
    }
}

impl Hint {
    pub(super) async fn send(&self, client: &mut Client) -> Result<String, Failure> {
        let asked = self.at.ask(client).await?;
        let (at, searches) = (asked.request.clone(), &asked.searches);
        let mv = parse_move(&self.mv)?;
        if let Some(position) = &asked.position {
            position.clone().play(&mv)?;
        }
        let (rules, told) = match self.at.node {
            // Whoever names a node by its number speaks as it is stored, and not as it is shown.
            Some(_) => {
                let request = v1::GetNodeRequest {
                    at: Some(at.clone()),
                    ..v1::GetNodeRequest::default()
                };
                let position = call(client.get_node(request)).await?.position;
                let position = position.ok_or_else(|| view::missing("the position"))?;
                let position = Position::try_from(&position).map_err(view::unreadable)?;
                let rules = *position.rules();
                let told = match view::turn_as_asked(searches, &position) {
                    Some((_, turn)) => mv.map(|square| turn.inverse().apply(&rules, square)),
                    None => mv.clone(),
                };
                (rules, told)
            }
            None => (*searches[0].root.rules(), mv.clone()),
        };
        let request = v1::HintRequest {
            at: Some(at),
            r#move: Some(v1::Move::of(&rules, &told)),
            status: v1::Status::Unspecified.into(),
        };
        let node = call(client.hint(request)).await?;
        Ok(format!(
            "{mv} will be tried at {}.\n",
            asked.node_name(&node)
        ))
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
