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
use crate::session::Session;
use crate::texts::searches as words;
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
        h1 { (words::TITLE) }
        @if !view.said.is_empty() { (notice("done", &view.said)) }
        div #totals .tiles { (totals(&snapshot)) }
        div .beside {
            section .card aria-labelledby="all-title" {
                h2 #all-title .hidden { (words::ALL) }
                div #searches .scroll { (table(&snapshot, view.from)) }
            }
            (new_search(&session))
        }
    };
    let screen = Screen {
        title: words::TITLE.to_owned(),
        here: Some("/"),
        live: Some(format!("/live/searches?from={}", view.from)),
        body,
    };
    Ok(screen.frame(Some(&session)))
}

fn is_open(search: &SearchSnapshot) -> bool {
    search.view.verdict == Verdict::Open && !search.view.stopped
}

/// The grid in a few numbers.
#[must_use]
pub fn totals(snapshot: &Snapshot) -> Markup {
    let connected = snapshot.workers.iter().filter(|worker| worker.connected);
    let open = snapshot.searches.iter().filter(|search| is_open(search));
    let values = [
        connected.count().to_string(),
        format!("{} / {}", snapshot.running_jobs, snapshot.slots()),
        show::count(snapshot.nodes as u64),
        show::count(snapshot.proved as u64),
        open.count().to_string(),
    ];
    html! {
        @for (value, name) in values.iter().zip(words::TILES) {
            div .tile { b { (value) } span { (name) } }
        }
    }
}

/// All searches, open ones first.
#[must_use]
pub fn table(snapshot: &Snapshot, from: usize) -> Markup {
    let mut searches: Vec<&SearchSnapshot> = snapshot.searches.iter().collect();
    searches.sort_by_key(|search| (!is_open(search), search.view.search));
    let shown = searches.iter().skip(from).take(PER_PAGE);
    html! {
        @if searches.is_empty() {
            p .empty { (words::NONE) }
        } @else {
            table {
                thead {
                    tr {
                        th scope="col" { (words::SEARCH) }
                        th scope="col" { (words::STATE) }
                        th .n scope="col" { (words::NUMBERS) }
                        th .n scope="col" { (words::JOBS) }
                        th .n scope="col" { (words::NODES) }
                        th scope="col" { (words::LINE) }
                    }
                }
                tbody { @for search in shown { (row(search)) } }
            }
            p .row .pages {
                @if from > 0 {
                    a .button href=(format!("/?from={}", from.saturating_sub(PER_PAGE))) { (texts::EARLIER) }
                }
                @if from + PER_PAGE < searches.len() {
                    a .button href=(format!("/?from={}", from + PER_PAGE)) { (texts::MORE) }
                }
            }
        }
    }
}

fn row(search: &SearchSnapshot) -> Markup {
    let view = &search.view;
    let place = Place {
        search: view.search,
        moves: Vec::new(),
    };
    html! {
        tr {
            td .strong {
                a href=(place) { (search_name(&search.game, &search.root, view.attacker)) }
            }
            td { (show::search_state(view)) }
            td .n { (show::numbers(view.numbers)) }
            td .n { (show::few(view.running_jobs as usize)) }
            td .n { (show::count(view.spent.nodes)) }
            td {
                @if view.verdict == Verdict::Proved {
                    a href=(format!("/proof/{}", view.search.0)) { (words::OPEN_PROOF) }
                } @else {
                    span .faint { (line(search)) }
                }
            }
        }
    }
}

fn line(search: &SearchSnapshot) -> String {
    let moves = search.main_line.iter().take(3).map(show::move_name);
    let shown: Vec<_> = moves.collect();
    let dots = match search.main_line.len() > 3 {
        true => " …",
        false => "",
    };
    shown.join(" › ") + dots
}

fn new_search(session: &Session) -> Markup {
    if !session.may_order() {
        return html! {};
    }
    html! {
        section .card aria-labelledby="start-title" {
            h2 #start-title { (words::START) }
            form .stack method="post" action="/submit" {
                label for="game" { (words::GAME) }
                input #game type="text" name="game" placeholder="TX-H9" required autocomplete="off"
                    spellcheck="false" aria-describedby="game-help";
                label for="attacker" { (words::ATTACKER) }
                select #attacker name="attacker" {
                    option value="" { (words::AS_USUAL) }
                    option value="black" { (texts::BLACK) }
                    option value="white" { (texts::WHITE) }
                }
                button .main { (words::GO) }
            }
            p #game-help .help {
                (words::HELP) " "
                @for example in words::EXAMPLES { code { (example) } " " }
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
