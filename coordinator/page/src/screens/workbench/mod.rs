//! The workbench: a position, what is known of it, and what can be asked there.

mod ask;
mod drawing;
mod moves;
mod view;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_grid::coordinator::NodeStatus;
use gridproof_search::{NodeId, SearchId};
use maud::{Markup, html};
use serde::Deserialize;

pub use self::ask::{jobs, orders};
pub use self::drawing::{layers_of_zone, variations, zone_legend};
pub use self::moves::table;
pub use self::view::View;
use crate::access::Reader;
use crate::address::{Place, read_move};
use crate::error::PageError;
use crate::layout::{Screen, notice};
use crate::look::{self, Sight, Ways};
use crate::session::Session;
use crate::texts::workbench as words;
use crate::{App, show};

/// The root of a search.
pub async fn root(
    app: State<App>,
    reader: Reader,
    Path(search): Path<u32>,
    view: Query<View>,
) -> Result<Markup, PageError> {
    bench(app, reader, Path((search, String::new())), view).await
}

/// Any position.
pub async fn bench(
    State(app): State<App>,
    Reader(session): Reader,
    Path((search, path)): Path<(u32, String)>,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let place = Place::read(SearchId(search), &path)?;
    let sight = look::sight(&app.coordinator, place, view.selection()).await?;
    let ways = look::ways(&app.coordinator, &sight).await?;
    let arrivals = match &sight.node {
        Some(node) if node.details.parents > 1 => {
            look::ways_to(&app.coordinator, node.details.node).await?
        }
        _ => Vec::new(),
    };
    let zone = match view.zone && is_proved(&sight) {
        true => Some(zone_of(&app, &sight).await),
        false => None,
    };
    let bench = Bench {
        sight: &sight,
        ways: &ways,
        arrivals: &arrivals,
        zone,
        view: &view,
        session: &session,
    };
    Ok(bench.screen().frame(Some(&session)))
}

async fn zone_of(app: &App, sight: &Sight) -> Result<Vec<crate::board::Layer>, PageError> {
    let shown = app.shelf.get(&sight.place.proof_name()).await?;
    Ok(layers_of_zone(shown.proof.guide().zone_squares()))
}

fn is_proved(sight: &Sight) -> bool {
    let node = sight.node.as_ref();
    node.is_some_and(|node| node.details.status == NodeStatus::Proved)
}

/// Where a form without scripts leads: to the position after the move that was typed.
pub async fn go(
    Reader(_): Reader,
    Path(search): Path<u32>,
    Query(form): Query<Go>,
) -> Result<Response, PageError> {
    let mut place = Place::read(SearchId(search), &form.path)?;
    place.moves.push(read_move(&form.r#move)?);
    Ok(Redirect::to(&place.to_string()).into_response())
}

/// A node by its number, as jobs and orders name it.
pub async fn node(
    State(app): State<App>,
    Reader(_): Reader,
    Path(node): Path<u32>,
) -> Result<Response, PageError> {
    let place = look::place_of(&app.coordinator, NodeId(node)).await?;
    let place = place.ok_or_else(|| PageError::NotThere(format!("there is no node #{node}")))?;
    Ok(Redirect::to(&place.to_string()).into_response())
}

/// A move that was typed.
#[derive(Debug, Deserialize)]
pub struct Go {
    #[serde(default)]
    path: String,
    r#move: String,
}

/// All that one screen shows.
struct Bench<'a> {
    sight: &'a Sight,
    ways: &'a Ways,
    arrivals: &'a [Place],
    zone: Option<Result<Vec<crate::board::Layer>, PageError>>,
    view: &'a View,
    session: &'a Session,
}

impl Bench<'_> {
    fn screen(&self) -> Screen {
        let (sight, view) = (self.sight, self.view);
        let place = &sight.place;
        let live = format!(
            "/live/search/{}{}",
            place.behind_screen(),
            view.query(view.from)
        );
        let zone = match &self.zone {
            Some(Ok(layers)) => &layers[..],
            _ => &[],
        };
        let body = html! {
            @if !view.said.is_empty() {
                (notice(if view.failed { "error" } else { "done" }, &view.said))
            }
            @if let Some(Err(error)) = &self.zone {
                (notice("error", &format!("{}{error}", words::NO_ZONE)))
            }
            div .headline {
                h1 { (sight.root.name) }
                (path(sight))
                div #status .facts { (status(sight)) }
            }
            (self.arrivals())
            div .bench {
                div .stage {
                    (drawing::board(sight, zone))
                    (drawing::switches(is_proved(sight), !zone.is_empty()))
                    div #ways .row { (ways_on(sight, self.ways)) }
                    @if !zone.is_empty() { (zone_legend()) }
                }
                div {
                    (ask::panel(sight, self.session))
                    section .card aria-labelledby="moves-title" {
                        (moves::heading(sight, view))
                        div #moves .scroll { (table(sight, view, self.session)) }
                        (moves::meaning())
                    }
                }
            }
        };
        let moves = place.moves.iter().map(show::move_name);
        let title: Vec<_> = [sight.root.name.clone()].into_iter().chain(moves).collect();
        Screen {
            title: title.join(" › "),
            here: Some("/"),
            live: Some(live),
            body,
        }
    }

    /// Other ways to the same position.
    fn arrivals(&self) -> Markup {
        html! {
            @if !self.arrivals.is_empty() {
                details .arrivals {
                    summary { "⇄ " (self.arrivals.len()) " " (words::WAYS) }
                    ul {
                        @for way in self.arrivals {
                            @let names: Vec<_> = way.moves.iter().map(show::move_name).collect();
                            li { a href=(way) { (names.join(" › ")) } }
                        }
                    }
                }
            }
        }
    }
}

/// How the search and this position stand.
#[must_use]
pub fn status(sight: &Sight) -> Markup {
    let view = &sight.root.view;
    html! {
        span .fact { (show::search_state(view)) " " b .numbers { (show::numbers(view.numbers)) } }
        @if !sight.place.moves.is_empty() {
            span .fact {
                span .faint { (words::HERE) " " }
                @match &sight.node {
                    Some(node) => {
                        (show::status(node.details.status)) " "
                        b .numbers { (show::numbers(node.details.numbers)) }
                    }
                    None => span .state .none { (words::NOT_IN_SEARCH) },
                }
            }
        }
        span .fact { span .faint { (words::JOBS_RUNNING) " " } b { (view.running_jobs) } }
        @if is_proved(sight) {
            a .button .small href=(format!("/proof/{}", sight.place.proof_name())) { (words::PLAY_PROOF) }
        }
    }
}

fn path(sight: &Sight) -> Markup {
    let place = &sight.place;
    html! {
        nav aria-label=(words::PATH) {
            ol .path {
                li {
                    a href=(place.at_turn(0)) aria-current=[place.moves.is_empty().then_some("page")] {
                        (words::ROOT)
                    }
                }
                @for (turn, mv) in place.moves.iter().enumerate() {
                    li {
                        @let here = turn + 1 == place.moves.len();
                        a href=(place.at_turn(turn + 1)) aria-current=[here.then_some("page")] {
                            (show::move_name(mv))
                        }
                    }
                }
            }
        }
    }
}

/// Where to go from here.
#[must_use]
pub fn ways_on(sight: &Sight, ways: &Ways) -> Markup {
    let place = &sight.place;
    html! {
        @if !place.moves.is_empty() {
            a #way-back .button data-key="u" href=(place.at_turn(place.moves.len() - 1)) {
                "← " (words::BACK)
            }
        }
        @if let Some(next) = ways.most_proving.first() {
            a #way-line .button data-key="l" href=(place.then(next)) {
                (words::MAIN_LINE) ": " b { (show::move_name(next)) }
            }
        }
        @if ways.most_proving.len() > 1 {
            a #way-end .button href=(place.then_all(&ways.most_proving)) { (words::LINE_END) }
        }
        @if !ways.hardest.is_empty() {
            a #way-hardest .button data-key="h" href=(place.then_all(&ways.hardest)) { (words::HARDEST) }
        }
        a #way-tree .button data-key="t" href=(place.in_tree()) { (words::TREE) }
    }
}
