//! Nodes, lines, jobs and orders, for operators who look around.

use gridproof_game::{Position, Symmetry};
use gridproof_proto::{colour_to_wire, v1};
use gridproof_search::{JobKind, NamedBy, Order};
use tonic::Status;

use super::convert::{kind_to_wire, numbers_to_wire};
use super::operate::{OperateService, gone, missing};
use crate::coordinator::{
    ChildFilter, ChildOrder, GivenOrder, JobDetails, NodeDetails, NodeStatus, Page, hardest_reply,
    most_proving, order_name, turned_line,
};

const USUAL_PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 1000;

fn page(offset: u32, limit: u32) -> Page {
    let limit = match limit {
        0 => USUAL_PAGE,
        limit => limit.min(LARGEST_PAGE),
    };
    Page {
        offset: offset as usize,
        limit: limit as usize,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl OperateService {
    pub(super) async fn node(
        &self,
        request: v1::GetNodeRequest,
    ) -> Result<v1::GetNodeReply, Status> {
        let (node, to_node) = self.find(request.at).await?;
        let order = match v1::ChildOrder::try_from(request.order) {
            Ok(v1::ChildOrder::Unspecified) => ChildOrder::AsTheyCame,
            Ok(v1::ChildOrder::Proof) => ChildOrder::Proof,
            Ok(v1::ChildOrder::Disproof) => ChildOrder::Disproof,
            Ok(v1::ChildOrder::Move) => ChildOrder::Move,
            Ok(v1::ChildOrder::Status) => ChildOrder::Status,
            Ok(v1::ChildOrder::Work) => ChildOrder::Work,
            Err(_) => return Err(missing("order")),
        };
        let statuses = request.statuses.iter().map(|&status| {
            let status = v1::NodeStatus::try_from(status).ok();
            status
                .and_then(status_from_wire)
                .ok_or_else(|| missing("statuses"))
        });
        let filter = ChildFilter {
            statuses: statuses.collect::<Result<_, _>>()?,
            hinted: request.hinted,
        };
        let page = page(request.offset, request.limit);
        let details = self.coordinator.node(node, order, filter, page).await;
        let details = details.map_err(gone)?;
        let details = details.ok_or_else(|| Status::not_found("no such node"))?;
        Ok(node_to_wire(details, to_node.inverse()))
    }

    pub(super) async fn line(
        &self,
        request: v1::GetLineRequest,
    ) -> Result<v1::GetLineReply, Status> {
        let (node, to_node) = self.find(request.at).await?;
        let follow = match v1::LineKind::try_from(request.kind) {
            Ok(v1::LineKind::Unspecified | v1::LineKind::MostProving) => most_proving,
            Ok(v1::LineKind::HardestReply) => hardest_reply,
            Err(_) => return Err(missing("kind")),
        };
        let found = self
            .coordinator
            .ask(move |core| Some((core.position(node)?, follow(core, node))));
        let found = found.await.map_err(gone)?;
        let (position, way) = found.ok_or_else(|| Status::not_found("no such node"))?;
        let start = position.transformed(to_node.inverse());
        let rules = *start.rules();
        let line = turned_line(start, &way);
        Ok(v1::GetLineReply {
            moves: line.iter().map(|mv| v1::Move::of(&rules, mv)).collect(),
            node: way.last().map_or(node, |(last, _)| *last).0,
        })
    }

    pub(super) async fn jobs(
        &self,
        request: v1::ListJobsRequest,
    ) -> Result<v1::ListJobsReply, Status> {
        let page = page(request.offset, request.limit);
        let jobs = self.coordinator.jobs(page).await.map_err(gone)?;
        Ok(v1::ListJobsReply {
            jobs: jobs.jobs.into_iter().map(job_to_wire).collect(),
            jobs_total: count(jobs.total),
            waiting: jobs.waiting.into_iter().map(job_to_wire).collect(),
        })
    }

    pub(super) async fn orders(
        &self,
        request: v1::ListOrdersRequest,
    ) -> Result<v1::ListOrdersReply, Status> {
        let page = page(request.offset, request.limit);
        let (orders, total) = self.coordinator.orders(page).await.map_err(gone)?;
        let mut reports = Vec::with_capacity(orders.len());
        for given in orders {
            reports.push(self.order_report(given).await?);
        }
        Ok(v1::ListOrdersReply {
            orders: reports,
            orders_total: total as u64,
        })
    }

    pub(super) async fn order_report(&self, given: GivenOrder) -> Result<v1::OrderReport, Status> {
        let words = self.coordinator.order_in_words(given.order.clone()).await;
        let mut report = v1::OrderReport {
            words: words.map_err(gone)?,
            number: given.number,
            at: given.at,
            author: given.author,
            order: order_name(&given.order).to_owned(),
            ..v1::OrderReport::default()
        };
        match given.order {
            Order::Start { search, .. } | Order::Stop { search } | Order::Share { search, .. } => {
                report.search = search.0;
            }
            Order::Try { node, mv, .. } | Order::Reply { node, mv } => {
                report.node = node.0;
                let position = self.position(node).await?;
                report.r#move = Some(v1::Move::of(position.rules(), &mv));
            }
            Order::Run { node, budget } => {
                report.node = node.0;
                report.budget = budget;
            }
            Order::Forget { node }
            | Order::Remember { node }
            | Order::Pause { node }
            | Order::Resume { node }
            | Order::CancelRun { node } => report.node = node.0,
            Order::Withdraw { worker }
            | Order::Quarantine { worker }
            | Order::Release { worker } => {
                let name = self.coordinator.worker_name(worker).await;
                report.worker = name.map_err(gone)?;
            }
        }
        Ok(report)
    }
}

fn status_from_wire(status: v1::NodeStatus) -> Option<NodeStatus> {
    Some(match status {
        v1::NodeStatus::Unspecified => return None,
        v1::NodeStatus::Open => NodeStatus::Open,
        v1::NodeStatus::Proved => NodeStatus::Proved,
        v1::NodeStatus::Failed => NodeStatus::Failed,
        v1::NodeStatus::Excused => NodeStatus::Excused,
        v1::NodeStatus::Running => NodeStatus::Running,
        v1::NodeStatus::Forgotten => NodeStatus::Forgotten,
        v1::NodeStatus::Paused => NodeStatus::Paused,
    })
}

fn status_to_wire(status: NodeStatus) -> v1::NodeStatus {
    match status {
        NodeStatus::Open => v1::NodeStatus::Open,
        NodeStatus::Proved => v1::NodeStatus::Proved,
        NodeStatus::Failed => v1::NodeStatus::Failed,
        NodeStatus::Excused => v1::NodeStatus::Excused,
        NodeStatus::Running => v1::NodeStatus::Running,
        NodeStatus::Forgotten => v1::NodeStatus::Forgotten,
        NodeStatus::Paused => v1::NodeStatus::Paused,
    }
}

fn node_to_wire(details: NodeDetails, to_caller: Symmetry) -> v1::GetNodeReply {
    let position: Position = details.position.transformed(to_caller);
    let rules = *position.rules();
    let is_attack = position.to_move() == details.attacker;
    let children = details.children.into_iter().map(|child| {
        let mv = child.mv.map(|square| to_caller.apply(&rules, square));
        let named_by = match (child.by, is_attack) {
            (NamedBy::Worker(_), true) => v1::NamedBy::Engine,
            (NamedBy::Worker(_), false) => v1::NamedBy::Verifier,
            (NamedBy::Operator, _) => v1::NamedBy::Operator,
            (NamedBy::Settlement, _) => v1::NamedBy::Settlement,
        };
        v1::ChildReport {
            r#move: Some(v1::Move::of(&rules, &mv)),
            node: child.node.0,
            numbers: Some(numbers_to_wire(child.numbers)),
            status: status_to_wire(child.status).into(),
            named_by: named_by.into(),
            worker: child.worker,
            author: child.author.unwrap_or_default(),
            jobs: count(child.jobs),
            parents: count(child.parents),
            work: child.work,
        }
    });
    v1::GetNodeReply {
        node: details.node.0,
        children: children.collect(),
        position: Some((&position).into()),
        attacker: colour_to_wire(details.attacker).into(),
        numbers: Some(numbers_to_wire(details.numbers)),
        status: status_to_wire(details.status).into(),
        parents: count(details.parents),
        answers: details.answers.into(),
        matters: details.matters,
        jobs: details.jobs.into_iter().map(job_to_wire).collect(),
        children_total: count(details.children_total),
    }
}

fn job_to_wire(job: JobDetails) -> v1::JobReport {
    v1::JobReport {
        lease: job.lease.map_or(0, gridproof_search::LeaseId::to_bits),
        node: job.node.0,
        kind: kind_to_wire(job.kind).into(),
        worker: job.worker,
        position: Some((&job.position).into()),
        age_ms: u64::try_from(job.age.as_millis()).unwrap_or(u64::MAX),
        spent: job.spent,
        budget: job.budget,
        author: job.author.unwrap_or_default(),
    }
}

/// Whether a caller's kind of job fits the node's side to move.
pub(super) fn kind_fits(wanted: v1::JobKind, kind: JobKind) -> bool {
    wanted == v1::JobKind::Unspecified || wanted == kind_to_wire(kind)
}
