//! The first screen: all searches, and a form for a new one.

use axum::extract::{Form, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_game::{Colour, read_game};
use gridproof_grid::coordinator::{SearchSnapshot, Snapshot};
use gridproof_grid::{default_attacker, search_name};
use gridproof_search::Verdict;
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::{Operator, Reader};
use crate::address::Place;
use crate::error::PageError;
use crate::layout::{Screen, notice};
use crate::look::SearchRoot;
use crate::session::Session;
use crate::{App, show, texts};

/// What is shown of many searches.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    pub said: String,
    pub from: usize,
}

/// Searches on one page.
const PER_PAGE: usize = 100;

/// The screen.
pub async fn show(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let snapshot = app.coordinator.snapshot().await?;
    let body = html! {
        h1 { (texts::SEARCHES) }
        @if !view.said.is_empty() { (notice("done", &view.said)) }
        div #totals { (totals(&snapshot)) }
        section .card {
            h2 .hidden { "All searches" }
            div #searches .scroll { (table(&snapshot, view.from)) }
        }
        (new_search(&session))
    };
    let live = Some(format!("/live/searches?from={}", view.from));
    Ok(Screen {
        title: texts::SEARCHES.to_owned(),
        here: "/",
        live,
        body,
    }
    .frame(Some(&session)))
}

/// The grid in one line.
#[must_use]
pub fn totals(snapshot: &Snapshot) -> Markup {
    let connected = snapshot
        .workers
        .iter()
        .filter(|worker| worker.connected)
        .count();
    html! {
        p .faint {
            "workers: " (connected) ", slots: " (snapshot.slots()) ", jobs running: "
            (snapshot.running_jobs) " · "
            (show::count(snapshot.nodes as u64)) " positions, "
            (show::count(snapshot.proved as u64)) " of them proved"
        }
    }
}

/// All searches, open ones first.
#[must_use]
pub fn table(snapshot: &Snapshot, from: usize) -> Markup {
    let mut searches: Vec<&SearchSnapshot> = snapshot.searches.iter().collect();
    searches.sort_by_key(|search| {
        (
            search.view.verdict != Verdict::Open || search.view.stopped,
            search.view.search,
        )
    });
    let shown = searches.iter().skip(from).take(PER_PAGE);
    html! {
        @if searches.is_empty() {
            p { "No search yet. Start one below: TX-H9, or stones such as j10,i8,h9." }
        } @else {
            table {
                thead {
                    tr {
                        th scope="col" { "search" }
                        th scope="col" { "state" }
                        th .n scope="col" { "proof" }
                        th .n scope="col" { "jobs" }
                        th .n scope="col" { "nodes" }
                        th scope="col" { "main line" }
                        th scope="col" { "proof file" }
                    }
                }
                tbody {
                    @for search in shown {
                        @let root = root_of(search);
                        @let place = Place { search: search.view.search, moves: Vec::new() };
                        tr {
                            td { a href=(place) { (root.name) } }
                            td { (show::search_state(&root)) }
                            td .n { (show::numbers(search.view.numbers)) }
                            td .n { (search.view.running_jobs) }
                            td .n { (show::count(search.view.spent.nodes)) }
                            td { (line(search)) }
                            td {
                                @if search.view.verdict == Verdict::Proved {
                                    a href=(format!("/proof/{}", search.view.search.0)) { "open" }
                                }
                            }
                        }
                    }
                }
            }
            @if from + PER_PAGE < searches.len() {
                p .row { a .button href=(format!("/?from={}", from + PER_PAGE)) { "more" } }
            }
        }
    }
}

fn root_of(search: &SearchSnapshot) -> SearchRoot {
    SearchRoot {
        view: search.view,
        name: search_name(&search.game, &search.root, search.view.attacker),
        position: search.root.clone(),
    }
}

fn line(search: &SearchSnapshot) -> String {
    let moves = search.main_line.iter().take(3).map(show::move_name);
    let shown: Vec<_> = moves.collect();
    let dots = if search.main_line.len() > 3 {
        " …"
    } else {
        ""
    };
    shown.join(" · ") + dots
}

fn new_search(session: &Session) -> Markup {
    if !session.may_order() {
        return html! {};
    }
    html! {
        section .card {
            h2 { "Start a search" }
            form .row method="post" action="/submit" {
                label for="game" { "Opening or stones" }
                input #game type="text" name="game" placeholder="TX-H9" required autocomplete="off"
                    spellcheck="false";
                label for="attacker" { "Who is to win" }
                select #attacker name="attacker" {
                    option value="" { "as usual" }
                    option value="black" { "Black" }
                    option value="white" { "White" }
                }
                button .main { "start" }
            }
            p .faint {
                "An opening's name, stones in the order of play, or a record. Another game: "
                code { "gomoku: h8,h9" } " or " code { "Connect(15,15,5,1,1): h8" } "."
            }
        }
    }
}

/// A search that somebody wants.
#[derive(Debug, Deserialize)]
pub struct Submission {
    game: String,
    #[serde(default)]
    attacker: String,
}

/// Starts a search, or goes to the one that is there.
pub async fn submit(
    State(app): State<App>,
    Operator(session): Operator,
    Form(form): Form<Submission>,
) -> Result<Response, PageError> {
    let game =
        read_game(form.game.trim().as_bytes()).map_err(|why| PageError::Bad(why.to_string()))?;
    let root = game.position().clone();
    let attacker = match form.attacker.as_str() {
        "" => default_attacker(&root),
        text => text
            .parse::<Colour>()
            .map_err(|why| PageError::Bad(why.to_string()))?,
    };
    let coordinator = app.coordinator.acting_for(&session.holder);
    let search = coordinator
        .submit(form.game.trim().to_owned(), root, attacker, 1)
        .await?;
    let place = Place {
        search,
        moves: Vec::new(),
    };
    Ok(Redirect::to(&place.to_string()).into_response())
}
