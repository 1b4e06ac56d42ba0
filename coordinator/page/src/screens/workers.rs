//! Machines and what they are at.

use axum::extract::{Form, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_grid::coordinator::{JobDetails, JobsPage, Page, Snapshot, WorkerSnapshot};
use gridproof_grid::position_record;
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::{Operator, Reader};
use crate::error::PageError;
use crate::layout::{Screen, columns, notice};
use crate::session::Session;
use crate::texts::workers as words;
use crate::{App, query_text, show, texts};

/// What to say above the tables.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    said: String,
}

/// Jobs that are shown.
pub const JOBS: Page = Page {
    offset: 0,
    limit: 100,
};
/// Workers that are shown: those that are here come first.
const WORKERS: usize = 200;

/// The screen.
pub async fn show(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let snapshot = app.coordinator.snapshot().await?;
    let jobs = app.coordinator.jobs(JOBS).await?;
    let body = html! {
        h1 { (words::TITLE) }
        @if !view.said.is_empty() { (notice("done", &view.said)) }
        section .card aria-labelledby="workers-title" {
            h2 #workers-title { (words::WORKERS) }
            div #workers .scroll { (workers(&snapshot, &jobs, &session)) }
        }
        section .card aria-labelledby="running-title" {
            h2 #running-title { (words::JOBS) }
            div #running .scroll { (running(&jobs, &session)) }
        }
        p .help { a href="/orders" { (words::ORDERS) } }
    };
    let screen = Screen {
        title: words::TITLE.to_owned(),
        here: Some("/workers"),
        live: Some("/live/workers".to_owned()),
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// A row a machine.
#[must_use]
pub fn workers(snapshot: &Snapshot, jobs: &JobsPage, session: &Session) -> Markup {
    if snapshot.workers.is_empty() {
        return html! {
            p .empty { (words::NO_WORKER) " " code { (words::NO_WORKER_COMMAND) } }
        };
    }
    let mut workers: Vec<_> = snapshot.workers.iter().collect();
    workers.sort_by_key(|worker| !worker.connected);
    html! {
        table {
            thead {
                tr {
                    (columns(&words::COLUMNS))
                    th scope="col" { (words::LAST_SEEN) }
                    th scope="col" { span .hidden { (words::WITHDRAW) } }
                }
            }
            tbody {
                @for worker in workers.into_iter().take(WORKERS) { (row(worker, jobs, session)) }
            }
        }
        @if snapshot.workers.len() > WORKERS {
            p .faint { (WORKERS) " " (words::SHOWN) " " (snapshot.workers.len()) }
        }
    }
}

fn row(worker: &WorkerSnapshot, jobs: &JobsPage, session: &Session) -> Markup {
    let record = &worker.reliability;
    let (style, state) = match (worker.banned, worker.connected) {
        (true, _) => ("failed", words::CUT_OFF),
        _ if record.quarantine.is_some() => ("failed", words::QUARANTINE),
        (_, true) if worker.running > 0 => ("running", words::AT_WORK),
        (_, true) => ("open", words::IDLE),
        _ => ("paused", words::GONE),
    };
    let at = jobs.jobs.iter().find(|job| job.worker == worker.name);
    let harm = record.refused + record.late + record.contradicted;
    let failures = worker.tally.broken + worker.tally.losses + harm;
    let reason = record.quarantine.map(|reason| reason.to_string());
    html! {
        tr {
            td .strong { (worker.name) }
            td { span .state .(style) title=[reason] { (state) } }
            td .nowrap { (worker.version.trim_start_matches("gridproof-worker ")) }
            td .n { (worker.running) "/" (worker.slots) }
            td { @if let Some(job) = at { (position(job)) } @else { span .faint { "–" } } }
            td .n { (show::count(worker.tally.jobs)) }
            td .n { (show::count(worker.tally.won)) }
            td .n { (show::count(worker.tally.spent)) }
            td .n title=(words::FAILURES_TITLE) { (show::few(failures as usize)) }
            td .nowrap {
                @match worker.away_for {
                    _ if worker.connected => { (words::NOW) }
                    Some(away) => { (show::age(away)) " " (words::AGO) }
                    None => span .faint { (words::BEFORE_START) },
                }
            }
            td {
                @if session.may_order() && !worker.banned {
                    @if record.quarantine.is_some() { (release(&worker.name)) }
                    (withdraw(&worker.name))
                }
            }
        }
    }
}

fn position(job: &JobDetails) -> Markup {
    let record = position_record(&job.position).unwrap_or_else(|| job.node.to_string());
    // The last stones tell positions apart; all of them are on the workbench.
    let last: Vec<_> = record.split(' ').rev().take(2).collect();
    let dots = if record.split(' ').count() > 2 {
        "… "
    } else {
        ""
    };
    let last: Vec<_> = last.into_iter().rev().collect();
    html! {
        a .nowrap href=(format!("/node/{}", job.node.0)) title=(record) { (dots) (last.join(" ")) }
    }
}

fn release(name: &str) -> Markup {
    html! {
        form method="post" action="/release" {
            input type="hidden" name="worker" value=(name);
            button .small { (words::RELEASE) }
        }
    }
}

/// The question comes before the button: a box that must be ticked.
fn withdraw(name: &str) -> Markup {
    html! {
        a .button .small href=(format!("/withdraw?worker={}", query_text(name))) { (words::WITHDRAW) "…" }
    }
}

/// A row a job, oldest first.
#[must_use]
pub fn running(jobs: &JobsPage, session: &Session) -> Markup {
    let all = jobs.waiting.iter().chain(&jobs.jobs);
    html! {
        @if jobs.jobs.is_empty() && jobs.waiting.is_empty() {
            p .empty { (words::NO_JOB) }
        } @else {
            table {
                caption {
                    @if jobs.jobs.len() < jobs.total { (jobs.jobs.len()) " " (words::SHOWN) " " }
                    (jobs.total) " " (words::RUNNING) " " (jobs.waiting.len()) " " (words::WAITING)
                }
                thead { tr { (columns(&words::JOB_COLUMNS)) } }
                tbody { @for job in all { (job_row(job, session)) } }
            }
        }
    }
}

fn job_row(job: &JobDetails, session: &Session) -> Markup {
    html! {
        tr {
            td { (show::kind_name(job.kind)) }
            td { (position(job)) }
            td { @if job.lease.is_some() { (job.worker) } @else { span .state .paused { (words::WAITS) } } }
            td .n { (show::age(job.age)) }
            td .n { (show::count(job.spent)) }
            td .n { (show::count(job.budget)) }
            td {
                @match &job.author {
                    Some(author) if *author == session.holder => span .you { (texts::workbench::YOU) },
                    Some(author) => span .person { (author) },
                    None => span .faint { "–" },
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

/// A worker by its name.
#[derive(Debug, Deserialize)]
pub struct Named {
    worker: String,
}

/// Lets a worker out of quarantine.
pub async fn release_worker(
    State(app): State<App>,
    Operator(session): Operator,
    Form(form): Form<Named>,
) -> Result<Response, PageError> {
    let coordinator = app.coordinator.acting_for(&session.holder);
    coordinator.release(&form.worker).await?;
    let said = format!("{} {}", form.worker, words::RELEASED);
    Ok(Redirect::to(&format!("/workers?said={}", query_text(&said))).into_response())
}

/// Asks before anything is withdrawn.
pub async fn withdraw_question(
    Operator(session): Operator,
    Query(form): Query<Distrust>,
) -> Markup {
    let name = &form.worker;
    let body = html! {
        section .card .question {
            h1 { (words::QUESTION) " " (name) "?" }
            p { (words::CONSEQUENCE) }
            form .stack method="post" action="/withdraw" {
                input type="hidden" name="worker" value=(name);
                label { input type="checkbox" name="sure" value="yes" required; " " (words::SURE) }
                p .row {
                    button .danger { (words::WITHDRAW) }
                    a .button href="/workers" { (words::KEEP) }
                }
            }
        }
    };
    let screen = Screen {
        title: words::WITHDRAW.to_owned(),
        here: Some("/workers"),
        live: None,
        body,
    };
    screen.frame(Some(&session))
}

/// Takes back all that a worker said.
pub async fn withdraw_worker(
    State(app): State<App>,
    Operator(session): Operator,
    Form(form): Form<Distrust>,
) -> Result<Response, PageError> {
    if form.sure != "yes" {
        return Err(PageError::Bad(texts::error::TICK_FIRST.to_owned()));
    }
    let coordinator = app.coordinator.acting_for(&session.holder);
    coordinator.withdraw(&form.worker).await?;
    let said = format!("{} {}", words::WITHDRAWN, form.worker);
    Ok(Redirect::to(&format!("/workers?said={}", query_text(&said))).into_response())
}
