//! Machines and what they are at.

use axum::extract::{Form, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_grid::coordinator::{JobsPage, Page, Snapshot};
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::{Operator, Reader};
use crate::error::PageError;
use crate::layout::{Screen, notice};
use crate::session::Session;
use crate::{App, show, texts};

/// What to say above the tables.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    said: String,
}

const JOBS: Page = Page {
    offset: 0,
    limit: 100,
};

/// The screen.
pub async fn show(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let snapshot = app.coordinator.snapshot().await?;
    let jobs = app.coordinator.jobs(JOBS).await?;
    let body = html! {
        h1 { (texts::WORKERS) }
        @if !view.said.is_empty() { (notice("done", &view.said)) }
        section .card {
            h2 { "Workers" }
            div #workers .scroll { (workers(&snapshot, &session)) }
        }
        section .card {
            h2 { "Running jobs" }
            div #running .scroll { (running(&jobs)) }
        }
    };
    let live = Some("/live/workers".to_owned());
    let screen = Screen {
        title: texts::WORKERS.to_owned(),
        here: "/workers",
        live,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// A row a machine.
#[must_use]
pub fn workers(snapshot: &Snapshot, session: &Session) -> Markup {
    html! {
        @if snapshot.workers.is_empty() {
            p { "No worker has come yet. Start one with " code { "gridproof-worker" } "." }
        } @else {
            table {
                thead {
                    tr {
                        th scope="col" { "machine" } th scope="col" { "state" }
                        th scope="col" { "version" } th .n scope="col" { "slots" }
                        th .n scope="col" { "jobs done" } th .n scope="col" { "won" }
                        th .n scope="col" { "nodes" } th .n scope="col" { "in vain" }
                        th .n scope="col" { "lost" } th scope="col" { "" }
                    }
                }
                tbody {
                    @for worker in &snapshot.workers {
                        @let (style, words) = match (worker.banned, worker.connected) {
                            (true, _) => ("failed", "cut off"),
                            (_, true) if worker.running > 0 => ("running", "at work"),
                            (_, true) => ("proved", "idle"),
                            _ => ("paused", "gone"),
                        };
                        tr {
                            td { (worker.name) }
                            td { span .state .(style) { (words) } }
                            td { (worker.version) }
                            td .n { (worker.running) "/" (worker.slots) }
                            td .n { (worker.tally.jobs) }
                            td .n { (worker.tally.won) }
                            td .n { (show::count(worker.tally.spent)) }
                            td .n { (show::count(worker.tally.wasted)) }
                            td .n { (worker.tally.losses) }
                            td {
                                @if session.may_order() {
                                    (withdraw(&worker.name))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Without scripts the question is a box that must be ticked.
fn withdraw(name: &str) -> Markup {
    let ask = format!("Trust nothing that {name} ever said? What rests on it is searched anew.");
    html! {
        details {
            summary { "withdraw" }
            form method="post" action="/withdraw" data-ask=(ask) {
                input type="hidden" name="worker" value=(name);
                label { input type="checkbox" name="sure" value="yes" required; " trust nothing of " (name) }
                " "
                button .danger { "withdraw" }
            }
        }
    }
}

/// A row a job, oldest first.
#[must_use]
pub fn running(jobs: &JobsPage) -> Markup {
    let all = jobs.waiting.iter().chain(&jobs.jobs);
    html! {
        @if jobs.jobs.is_empty() && jobs.waiting.is_empty() {
            p .faint { "No job is running." }
        } @else {
            table {
                caption { (jobs.jobs.len()) " of " (jobs.total) " running, " (jobs.waiting.len()) " waiting" }
                thead {
                    tr {
                        th scope="col" { "kind" } th scope="col" { "position" }
                        th scope="col" { "machine" } th .n scope="col" { "age" }
                        th .n scope="col" { "nodes" } th .n scope="col" { "of" }
                        th scope="col" { "asked by" }
                    }
                }
                tbody {
                    @for job in all {
                        tr {
                            td { (show::kind_name(job.kind)) }
                            td {
                                a href=(format!("/node/{}", job.node.0)) {
                                    (gridproof_grid::position_record(&job.position).unwrap_or_else(|| job.node.to_string()))
                                }
                            }
                            td { @if job.lease.is_some() { (job.worker) } @else { span .faint { "waits" } } }
                            td .n { (show::age(job.age)) }
                            td .n { (show::count(job.spent)) }
                            td .n { (show::count(job.budget)) }
                            td { @if let Some(author) = &job.author { span .you { (author) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A worker that is not to be trusted.
#[derive(Debug, Deserialize)]
pub struct Distrust {
    worker: String,
    #[serde(default)]
    sure: String,
}

/// Takes back all that a worker said.
pub async fn withdraw_worker(
    State(app): State<App>,
    Operator(session): Operator,
    Form(form): Form<Distrust>,
) -> Result<Response, PageError> {
    if form.sure != "yes" {
        return Err(PageError::Bad(
            "tick the box first: this cannot be taken back".to_owned(),
        ));
    }
    let coordinator = app.coordinator.acting_for(&session.holder);
    coordinator.withdraw(&form.worker).await?;
    let said = format!("Nothing of {} is trusted any more.", form.worker);
    Ok(Redirect::to(&format!("/workers?said={}", crate::query_text(&said))).into_response())
}
