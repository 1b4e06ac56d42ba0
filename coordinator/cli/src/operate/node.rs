//! One position of a search, by its number.

use gridproof_game::{Colour, Move, Position};
use gridproof_grid::text::Table;
use gridproof_proto::v1::node_request::Which;
use gridproof_proto::{colour_from_wire, v1};

use super::at_node::Asked;
use super::connect::{CoordinatorError, call};
use super::find;
use super::view::{Job, Numbers, Search, job_table, missing, number, turn_as_asked, unreadable};
use crate::Failure;
use crate::settings::Connection;

/// Moves that are listed.
const SHOWN: u32 = 12;

/// Which position of a running coordinator's searches is meant.
#[derive(Debug)]
pub(crate) enum NodeChoice<'a> {
    Number(u32),
    /// The moves that lead there from a search's root.
    Line {
        search: &'a str,
        line: &'a str,
    },
}

/// A position of a search, and what is known of it.
#[derive(Debug)]
pub(crate) struct Node {
    number: u32,
    pub(crate) position: Position,
    attacker: Colour,
    numbers: Numbers,
    status: v1::NodeStatus,
    jobs: Vec<Job>,
    children: Vec<Child>,
    children_total: u32,
}

#[derive(Debug)]
struct Child {
    mv: Move,
    node: u32,
    numbers: Numbers,
    status: v1::NodeStatus,
}

impl Node {
    /// Asks a coordinator for a node.
    pub(crate) fn fetch(connection: &Connection, choice: &NodeChoice<'_>) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut client = connection.connect().await?;
            let searches = find::list(&mut client).await?;
            let (at, searches) = match choice {
                NodeChoice::Number(number) => {
                    let which = Some(Which::Node(*number));
                    (v1::NodeRequest { which }, searches)
                }
                NodeChoice::Line { search, line } => {
                    let search = find::named(&searches, search)?.clone();
                    let asked = Asked::line(search.clone(), line)?;
                    (asked.request, vec![search])
                }
            };
            let request = v1::GetNodeRequest {
                at: Some(at),
                limit: SHOWN,
                order: v1::ChildOrder::Proof.into(),
                ..v1::GetNodeRequest::default()
            };
            let reply = call(client.get_node(request)).await?;
            Ok(Self::read(&reply, &searches)?)
        })
    }

    /// What it is and how it stands.
    pub(crate) fn caption(&self) -> String {
        format!(
            "Node #{}, {} to move, {} to be proved winning: {}",
            self.number,
            self.position.to_move(),
            self.attacker,
            status_name(self.status)
        )
    }

    /// What is left to do, running jobs and the most promising moves.
    pub(crate) fn about(&self) -> String {
        let mut text = format!(
            "To prove: {}; to give up: {}.\n",
            number(self.numbers.proof),
            number(self.numbers.disproof)
        );
        if !self.jobs.is_empty() {
            text += &format!("\nRunning jobs\n{}", job_table(&self.jobs));
        }
        if self.children.is_empty() {
            return text;
        }
        let row = |child: &Child| {
            vec![
                child.mv.to_string(),
                status_name(child.status).to_owned(),
                number(child.numbers.proof),
                number(child.numbers.disproof),
                format!("#{}", child.node),
            ]
        };
        let table = Table::new(["move", "state", "to prove", "to give up", "node"])
            .with_rows(self.children.iter().map(row));
        let shown = self.children.len() as u32;
        let which = match self.children_total {
            all if all > shown => format!("{shown} of {all} moves, those nearest to a proof"),
            _ => "Moves".to_owned(),
        };
        text + &format!("\n{which}\n{table}")
    }

    /// A node as people see it: turned as the search is that it can come from.
    fn read(reply: &v1::GetNodeReply, searches: &[Search]) -> Result<Self, CoordinatorError> {
        let position = reply.position.as_ref();
        let position = position.ok_or_else(|| missing("the position"))?;
        let position = Position::try_from(position).map_err(unreadable)?;
        let rules = *position.rules();
        let turn = turn_as_asked(searches, &position).map(|(_, turn)| turn);
        let turned = |mv: Move| match turn {
            Some(turn) => mv.map(|square| turn.apply(&rules, square)),
            None => mv,
        };
        let attacker = colour_from_wire(reply.attacker).map_err(unreadable)?;
        let children = reply.children.iter().map(|child| {
            let mv = child.r#move.as_ref().ok_or_else(|| missing("a move"))?;
            Ok(Child {
                mv: turned(mv.read(&rules).map_err(unreadable)?),
                node: child.node,
                numbers: child.numbers.into(),
                status: child.status(),
            })
        });
        let children = children.collect::<Result<_, CoordinatorError>>()?;
        let jobs = reply.jobs.iter().filter_map(|job| Job::of(job, searches));
        Ok(Self {
            number: reply.node,
            attacker: attacker.ok_or_else(|| missing("the attacker"))?,
            numbers: reply.numbers.into(),
            status: reply.status(),
            jobs: jobs.collect(),
            children,
            children_total: reply.children_total,
            position: match turn {
                Some(turn) => position.transformed(turn),
                None => position,
            },
        })
    }
}

fn status_name(status: v1::NodeStatus) -> &'static str {
    match status {
        v1::NodeStatus::Open | v1::NodeStatus::Unspecified => "open",
        v1::NodeStatus::Proved => "proved",
        v1::NodeStatus::Failed => "nothing left to try",
        v1::NodeStatus::Excused => "answered like another move",
        v1::NodeStatus::Running => "open, a job is running",
        v1::NodeStatus::Forgotten => "forgotten by order",
        v1::NodeStatus::Paused => "paused by order",
    }
}
