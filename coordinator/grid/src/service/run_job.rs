//! A job that an operator asks for, told as it goes.

use gridproof_game::{Rules, Symmetry};
use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use gridproof_search::{NodeId, SearchId};
use tokio::sync::mpsc;
use tonic::Status;

use super::explore::kind_fits;
use super::operate::{OperateService, choose, gone, missing, node_report, reason, refused};
use super::watch::{event_to_wire, grid_event};
use crate::coordinator::{Coordinator, RequestUpdate, RequestedJob};

type Out = mpsc::Sender<Result<v1::GridEvent, Status>>;

impl OperateService {
    /// Gives the order. What follows is told by [`follow`].
    pub(super) async fn request_job(
        &self,
        coordinator: &Coordinator,
        request: v1::RunJobRequest,
    ) -> Result<(RequestedJob, Turn), Status> {
        let kind = v1::JobKind::try_from(request.kind).map_err(|_| missing("kind"))?;
        let (node, to_node) = self.find_or_add(coordinator, request.at).await?;
        let asked = self.coordinator.ask(move |core| {
            let kind = core.node(node)?.side.job_kind();
            let rules = *core.position(node)?.rules();
            Some((kind, rules, core.usual_budget(node)?))
        });
        let asked = asked.await.map_err(gone)?;
        let (own, rules, usual) = asked.ok_or_else(|| Status::not_found("no such node"))?;
        if !kind_fits(kind, own) {
            return Err(Status::failed_precondition(
                "an engine searches where the attacker is to move, and a verifier where the \
                 defender is",
            ));
        }
        let budget = match request.budget {
            0 => usual,
            budget => budget,
        };
        let job = coordinator.run_job(node, budget).await.map_err(refused)?;
        let to_caller = to_node.inverse();
        Ok((job, Turn { rules, to_caller }))
    }

    async fn find_or_add(
        &self,
        coordinator: &Coordinator,
        request: Option<v1::NodeRequest>,
    ) -> Result<(NodeId, Symmetry), Status> {
        let Some(v1::node_request::Which::Line(line)) =
            request.as_ref().and_then(|request| request.which.as_ref())
        else {
            return self.find(request).await;
        };
        let snapshot = self.coordinator.snapshot().await.map_err(gone)?;
        let search = choose(&snapshot, line.search)?;
        let rules = *search.root.rules();
        let moves = line.moves.iter().map(|mv| mv.read(&rules));
        let moves: Vec<_> = moves.collect::<Result<_, _>>().map_err(reason)?;
        let search: SearchId = search.view.search;
        coordinator.reach(search, &moves).await.map_err(refused)
    }
}

/// From a node's orientation to its caller's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    rules: Rules,
    to_caller: Symmetry,
}

impl Turn {
    fn turn(self, job: &mut v1::JobEvent) {
        for mv in &mut job.moves {
            // It was written from a move of this board.
            if let Ok(read) = mv.read(&self.rules) {
                let turned = read.map(|square| self.to_caller.apply(&self.rules, square));
                *mv = v1::Move::of(&self.rules, &turned);
            }
        }
    }
}

/// Tells who asked until the job has ended or he hangs up.
pub(super) async fn follow(service: OperateService, mut job: RequestedJob, turn: Turn, out: Out) {
    let node = job.node();
    let report = async || {
        let report = service.coordinator.ask(move |core| node_report(core, node));
        report.await.ok().flatten()
    };
    if let Some(report) = report().await
        && tell(&out, What::Queued(report)).await.is_err()
    {
        return;
    }
    loop {
        let update = tokio::select! {
            update = job.next() => update,
            () = service.shutdown.cancelled() => return,
            () = out.closed() => return,
        };
        let what = match update {
            None => return,
            Some(RequestUpdate::Missed(missed)) => Some(What::Missed(missed)),
            Some(RequestUpdate::Dropped) => report().await.map(What::Dropped),
            Some(RequestUpdate::Event(event)) => event_to_wire(&service, event).await,
        };
        let Some(mut what) = what else { continue };
        if let What::JobEnded(job) | What::Finding(job) = &mut what {
            turn.turn(job);
        }
        if tell(&out, what).await.is_err() {
            return;
        }
    }
}

async fn tell(out: &Out, what: What) -> Result<(), ()> {
    out.send(Ok(grid_event(what))).await.map_err(|_| ())
}
