//! The operators' service.

use gridproof_game::{Move, Position, Symmetry, read_game};
use gridproof_proto::v1::operate_server::Operate;
use gridproof_proto::{colour_from_wire, v1};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::backup::send_backup;
use super::convert::{numbers_to_wire, search_to_wire, totals_to_wire, worker_to_wire};
use super::export::send_proof;
use super::run_job::follow;
use super::watch::tell;
use crate::coordinator::{Coordinator, CoordinatorGone, OrderError, SearchSnapshot, Snapshot};
use crate::security::{Principal, Role};
use gridproof_search::{Core, NodeId, Order, SearchId, SearchView, Verdict};

/// Answers operators.
#[derive(Clone, Debug)]
pub(super) struct OperateService {
    pub(super) coordinator: Coordinator,
    pub(super) shutdown: CancellationToken,
}

type Stream<T> = ReceiverStream<Result<T, Status>>;

#[tonic::async_trait]
impl Operate for OperateService {
    type WatchStream = Stream<v1::GridEvent>;
    type ExportStream = Stream<v1::ExportPiece>;
    type BackupStream = Stream<v1::ExportPiece>;
    type RunJobStream = Stream<v1::GridEvent>;

    async fn submit(
        &self,
        request: Request<v1::SubmitRequest>,
    ) -> Result<Response<v1::SearchReport>, Status> {
        let coordinator = self.acting_for(&request)?;
        let request = request.into_inner();
        let game = read_game(request.game.as_bytes())
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let root = game.position().clone();
        let attacker = colour_from_wire(request.attacker)
            .map_err(|error| Status::invalid_argument(error.to_string()))?
            .unwrap_or_else(|| crate::default_attacker(&root));
        let share = request.share.max(1);
        let search = coordinator
            .submit(request.game, root, attacker, share)
            .await;
        let search = search.map_err(refused)?;
        self.report(search).await
    }

    async fn list(&self, _: Request<v1::ListRequest>) -> Result<Response<v1::ListReply>, Status> {
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let searches = snapshot.searches.iter().map(search_to_wire).collect();
        Ok(Response::new(v1::ListReply { searches }))
    }

    async fn get_status(
        &self,
        request: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        let wanted = request.into_inner().search;
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let search = choose(&snapshot, wanted)?;
        let rules = search.root.rules();
        let line = search.main_line.iter().map(|mv| v1::Move::of(rules, mv));
        Ok(Response::new(v1::StatusReply {
            search: Some(search_to_wire(search)),
            main_line: line.collect(),
            totals: Some(totals_to_wire(&snapshot)),
        }))
    }

    async fn watch(
        &self,
        _: Request<v1::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let (out, stream) = mpsc::channel(64);
        tokio::spawn(tell(self.clone(), self.coordinator.watch(), out));
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn hint(
        &self,
        request: Request<v1::HintRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        let coordinator = self.acting_for(&request)?;
        let request = request.into_inner();
        let (node, to_node) = self.find(request.at).await?;
        let position = self.position(node).await?;
        let mv = request.r#move.ok_or_else(|| missing("move"))?;
        let rules = *position.rules();
        let mv = mv.read(&rules).map_err(reason)?;
        let mv = mv.map(|square| to_node.apply(&rules, square));
        let status = match request.status {
            0 => gridproof_search::Status::Strong3,
            status => super::convert::status_from_wire(status).map_err(reason)?,
        };
        self.order(&coordinator, node, Order::Try { node, mv, status })
            .await
    }

    async fn pause(
        &self,
        request: Request<v1::NodeRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        self.order_at(request, |node| Order::Pause { node }).await
    }

    async fn resume(
        &self,
        request: Request<v1::NodeRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        self.order_at(request, |node| Order::Resume { node }).await
    }

    async fn forget(
        &self,
        request: Request<v1::NodeRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        self.order_at(request, |node| Order::Forget { node }).await
    }

    async fn remember(
        &self,
        request: Request<v1::NodeRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        self.order_at(request, |node| Order::Remember { node })
            .await
    }

    async fn get_node(
        &self,
        request: Request<v1::GetNodeRequest>,
    ) -> Result<Response<v1::GetNodeReply>, Status> {
        self.node(request.into_inner()).await.map(Response::new)
    }

    async fn get_line(
        &self,
        request: Request<v1::GetLineRequest>,
    ) -> Result<Response<v1::GetLineReply>, Status> {
        self.line(request.into_inner()).await.map(Response::new)
    }

    async fn list_jobs(
        &self,
        request: Request<v1::ListJobsRequest>,
    ) -> Result<Response<v1::ListJobsReply>, Status> {
        self.jobs(request.into_inner()).await.map(Response::new)
    }

    async fn run_job(
        &self,
        request: Request<v1::RunJobRequest>,
    ) -> Result<Response<Self::RunJobStream>, Status> {
        let coordinator = self.acting_for(&request)?;
        let request = request.into_inner();
        let (job, turn) = self.request_job(&coordinator, request).await?;
        let (out, stream) = mpsc::channel(64);
        tokio::spawn(follow(self.clone(), job, turn, out));
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn abort_job(
        &self,
        request: Request<v1::NodeRequest>,
    ) -> Result<Response<v1::NodeReport>, Status> {
        self.order_at(request, |node| Order::CancelRun { node })
            .await
    }

    async fn list_orders(
        &self,
        request: Request<v1::ListOrdersRequest>,
    ) -> Result<Response<v1::ListOrdersReply>, Status> {
        self.orders(request.into_inner()).await.map(Response::new)
    }

    async fn stop(
        &self,
        request: Request<v1::StopRequest>,
    ) -> Result<Response<v1::SearchReport>, Status> {
        let coordinator = self.acting_for(&request)?;
        let wanted = request.into_inner().search;
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let search = choose(&snapshot, wanted)?.view.search;
        let order = Order::Stop { search };
        coordinator.order(order).await.map_err(refused)?;
        self.report(search).await
    }

    async fn set_share(
        &self,
        request: Request<v1::SetShareRequest>,
    ) -> Result<Response<v1::SearchReport>, Status> {
        let coordinator = self.acting_for(&request)?;
        let v1::SetShareRequest { search, share } = request.into_inner();
        let search = SearchId(search);
        let order = Order::Share { search, share };
        coordinator.order(order).await.map_err(refused)?;
        self.report(search).await
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersReply>, Status> {
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let workers = snapshot.workers.into_iter().map(worker_to_wire);
        Ok(Response::new(v1::ListWorkersReply {
            workers: workers.collect(),
        }))
    }

    async fn withdraw(
        &self,
        request: Request<v1::WithdrawRequest>,
    ) -> Result<Response<v1::WithdrawReply>, Status> {
        let coordinator = self.acting_for(&request)?;
        let worker = request.into_inner().worker;
        let before = self.coordinator.proofs().len();
        coordinator.withdraw(&worker).await.map_err(refused)?;
        let after = self.coordinator.proofs().len();
        let unproved = before.saturating_sub(after) as u64;
        Ok(Response::new(v1::WithdrawReply { unproved }))
    }

    async fn quarantine(
        &self,
        request: Request<v1::WorkerRequest>,
    ) -> Result<Response<v1::WorkerReply>, Status> {
        let coordinator = self.acting_for(&request)?;
        let worker = request.into_inner().worker;
        coordinator.quarantine(&worker).await.map_err(refused)?;
        Ok(Response::new(v1::WorkerReply {}))
    }

    async fn release(
        &self,
        request: Request<v1::WorkerRequest>,
    ) -> Result<Response<v1::WorkerReply>, Status> {
        let coordinator = self.acting_for(&request)?;
        let worker = request.into_inner().worker;
        coordinator.release(&worker).await.map_err(refused)?;
        Ok(Response::new(v1::WorkerReply {}))
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let wanted = request.into_inner().search;
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let view = choose(&snapshot, wanted)?.view;
        if view.verdict != Verdict::Proved {
            let words = format!("{} is not proved", view.search);
            return Err(Status::failed_precondition(words));
        }
        let (out, stream) = mpsc::channel(4);
        tokio::spawn(send_proof(self.coordinator.clone(), view.search, out));
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn backup(
        &self,
        request: Request<v1::BackupRequest>,
    ) -> Result<Response<Self::BackupStream>, Status> {
        let coordinator = self.acting_for(&request)?;
        let (out, stream) = mpsc::channel(4);
        tokio::task::spawn_blocking(move || send_backup(&coordinator, out));
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

impl OperateService {
    async fn report(&self, search: SearchId) -> Result<Response<v1::SearchReport>, Status> {
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        Ok(Response::new(search_to_wire(choose(&snapshot, search.0)?)))
    }

    /// The coordinator for whoever orders: orders go under the name of the token's holder.
    fn acting_for<T>(&self, request: &Request<T>) -> Result<Coordinator, Status> {
        match request.extensions().get::<Principal>() {
            Some(Principal::Token { name, role, .. }) if *role != Role::Operator => {
                let words = format!("{name} may read and not order: its token is a {role}'s");
                Err(Status::permission_denied(words))
            }
            Some(Principal::Token { name, .. }) => {
                Ok(self.coordinator.acting_for(&name.to_string()))
            }
            Some(Principal::Anonymous) | None => Ok(self.coordinator.clone()),
        }
    }

    async fn order_at(
        &self,
        request: Request<v1::NodeRequest>,
        order: impl FnOnce(NodeId) -> Order,
    ) -> Result<Response<v1::NodeReport>, Status> {
        let coordinator = self.acting_for(&request)?;
        let (node, _) = self.find(Some(request.into_inner())).await?;
        self.order(&coordinator, node, order(node)).await
    }

    async fn order(
        &self,
        coordinator: &Coordinator,
        node: NodeId,
        order: Order,
    ) -> Result<Response<v1::NodeReport>, Status> {
        coordinator.order(order).await.map_err(refused)?;
        let report = coordinator.ask(move |core| node_report(core, node)).await;
        let report = report.map_err(gone)?;
        let report = report.ok_or_else(|| Status::not_found("no such node"))?;
        Ok(Response::new(report))
    }

    pub(super) async fn position(&self, node: NodeId) -> Result<Position, Status> {
        let position = self.coordinator.ask(move |core| core.position(node)).await;
        position
            .map_err(gone)?
            .ok_or_else(|| Status::not_found("no such node"))
    }

    /// The node that is meant, and how to turn moves of its caller to its orientation.
    pub(super) async fn find(
        &self,
        request: Option<v1::NodeRequest>,
    ) -> Result<(NodeId, Symmetry), Status> {
        use v1::node_request::Which;
        let which = request.and_then(|request| request.which);
        match which.ok_or_else(|| missing("which"))? {
            Which::Node(node) => {
                let position = self.position(NodeId(node)).await?;
                // Who names a node by its number speaks its orientation.
                Ok((NodeId(node), identity(&position)))
            }
            Which::Line(line) => {
                let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
                let search = choose(&snapshot, line.search)?;
                let mut at = search.root.clone();
                for mv in &line.moves {
                    let mv: Move = mv.read(at.rules()).map_err(reason)?;
                    at.play(&mv).map_err(reason)?;
                }
                let attacker = search.view.attacker;
                let found = self
                    .coordinator
                    .ask(move |core| core.find(&at, attacker))
                    .await;
                found
                    .map_err(gone)?
                    .ok_or_else(|| Status::not_found("the search has not come to that position"))
            }
        }
    }
}

fn identity(position: &Position) -> Symmetry {
    let mut all = Symmetry::all(position.rules());
    all.next().expect("every board has the identity")
}

pub(super) fn node_report(core: &Core, node: NodeId) -> Option<v1::NodeReport> {
    Some(v1::NodeReport {
        node: node.0,
        numbers: Some(numbers_to_wire(core.node(node)?.numbers)),
        position: Some((&core.position(node)?).into()),
    })
}

pub(super) fn choose(snapshot: &Snapshot, wanted: u32) -> Result<&SearchSnapshot, Status> {
    let is_open = |view: &SearchView| view.verdict == Verdict::Open && !view.stopped;
    let mut searches = snapshot.searches.iter();
    let found = match wanted {
        0 => searches.find(|search| is_open(&search.view)),
        wanted => searches.find(|search| search.view.search.0 == wanted),
    };
    found
        .or(snapshot.searches.last().filter(|_| wanted == 0))
        .ok_or_else(|| {
            Status::not_found(format!(
                "there is no search {wanted}: `gridproof list` shows them"
            ))
        })
}

pub(super) fn gone(error: CoordinatorGone) -> Status {
    Status::unavailable(error.to_string())
}

pub(super) fn missing(field: &str) -> Status {
    Status::invalid_argument(format!("the field `{field}` is missing"))
}

pub(super) fn reason<E: std::error::Error>(error: E) -> Status {
    Status::invalid_argument(error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
pub(super) fn refused(error: OrderError) -> Status {
    match error {
        OrderError::Gone(error) => gone(error),
        OrderError::Ignored(_) => Status::failed_precondition(error.to_string()),
        OrderError::Unsupported(_) | OrderError::GameOver(_) => {
            Status::invalid_argument(error.to_string())
        }
        OrderError::UnknownWorker(_) => Status::not_found(error.to_string()),
    }
}
