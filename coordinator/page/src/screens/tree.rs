//! The tree: collapsed, a level at a time, never shipped whole.

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use gridproof_game::Move;
use gridproof_grid::coordinator::{ChildDetails, Page};
use gridproof_search::{Order, SearchId};
use maud::{Markup, html};

use super::workbench::View;
use crate::access::Reader;
use crate::address::Place;
use crate::error::PageError;
use crate::layout::Screen;
use crate::look::{self, Sight, Ways};
use crate::texts::tree as words;
use crate::{App, query_text, show, texts};

/// The root of a search.
pub async fn root(
    app: State<App>,
    reader: Reader,
    Path(search): Path<u32>,
    view: Query<View>,
) -> Result<Markup, PageError> {
    tree(app, reader, Path((search, String::new())), view).await
}

/// A position with the moves that lead to it, and what is below it.
pub async fn tree(
    State(app): State<App>,
    Reader(session): Reader,
    Path((search, path)): Path<(u32, String)>,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let place = Place::read(SearchId(search), &path)?;
    let sight = look::sight(&app.coordinator, place.clone(), view.selection()).await?;
    let ways = look::ways(&app.coordinator, &sight).await?;
    let found = match view.only.as_str() {
        "running" => Some((running(&app).await?, words::NOTHING_RUNS)),
        "hinted" => Some((hinted(&app).await?, words::NOTHING_HINTED)),
        _ => None,
    };
    let below = match found {
        Some((marked, nothing)) => marked_branches(&place, marked, nothing),
        None => children(&sight, &view.only),
    };
    let body = html! {
        div .headline {
            h1 { (words::TITLE) " " (sight.root.name) }
            div .facts {
                span .fact {
                    (show::search_state(&sight.root.view)) " "
                    b .numbers { (show::numbers(sight.root.view.numbers)) }
                }
            }
        }
        (jumps(&place, &ways))
        (filters(&place, &view.only))
        div .tree .card {
            (line(&sight, 0, &below))
        }
        p .help { (words::HELP) }
    };
    let screen = Screen {
        title: format!("{} {}", words::TITLE, sight.root.name),
        here: Some("/"),
        live: None,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// What is below one position, for scripts that open a branch.
pub async fn branch(
    State(app): State<App>,
    Reader(_): Reader,
    Path((search, path)): Path<(u32, String)>,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let place = Place::read(SearchId(search), &path)?;
    let sight = look::sight(&app.coordinator, place, view.selection()).await?;
    Ok(children(&sight, &view.only))
}

fn jumps(place: &Place, ways: &Ways) -> Markup {
    let after = |moves: &[Move]| place.then_all(moves).in_tree();
    html! {
        p .row {
            a .button href=(place) { (words::WORKBENCH) }
            @if !ways.most_proving.is_empty() {
                a .button data-key="l" href=(after(&ways.most_proving)) { (words::LINE_END) }
            }
            @if !ways.hardest.is_empty() {
                a .button data-key="h" href=(after(&ways.hardest)) { (words::HARDEST) }
            }
            @if let Some(mv) = &ways.largest {
                a .button href=(place.then(mv).in_tree()) {
                    (words::LARGEST) ": " b { (show::move_name(mv)) }
                }
            }
        }
    }
}

fn filters(place: &Place, only: &str) -> Markup {
    html! {
        nav .tabs aria-label=(words::FILTER) {
            @for (name, words) in texts::workbench::FILTERS {
                @let is_here = (name == only).then_some("true");
                a href=(format!("{}?only={name}", place.in_tree())) aria-current=[is_here] { (words) }
            }
        }
    }
}

/// The moves that lead to a position, each within the one before, and the rest within the last.
fn line(sight: &Sight, turn: usize, below: &Markup) -> Markup {
    let place = sight.place.at_turn(turn);
    let is_last = turn == sight.place.moves.len();
    html! {
        ul {
            li {
                a .open href=(place.in_tree()) aria-current=[is_last.then_some("page")] {
                    @match place.moves.last() {
                        None => { (sight.root.name) }
                        Some(mv) => { (show::move_name(mv)) }
                    }
                }
                @if is_last {
                    @if let Some(node) = &sight.node {
                        " " (show::status(node.details.status)) " "
                        span .numbers { (show::numbers(node.details.numbers)) }
                    }
                    (below)
                } @else {
                    (line(sight, turn + 1, below))
                }
            }
        }
    }
}

fn children(sight: &Sight, only: &str) -> Markup {
    let Some(node) = &sight.node else {
        return html! { p .empty { (words::NOT_THERE) } };
    };
    let details = &node.details;
    if details.children.is_empty() {
        let none = if only.is_empty() {
            words::LEAF
        } else {
            words::NONE_FIT
        };
        return html! { p .empty { (none) } };
    }
    html! {
        ul {
            @for child in &details.children { (item(&sight.place.then(&child.mv), child, only)) }
            @if details.children.len() < details.children_total {
                li .more {
                    a href=(sight.place) {
                        "+" (details.children_total - details.children.len()) " " (texts::MORE)
                    }
                }
            }
        }
    }
}

/// The arrow is a link that scripts make into a switch.
fn item(place: &Place, child: &ChildDetails, only: &str) -> Markup {
    let name = show::move_name(&child.mv);
    let branch = format!(
        "/branch/{}?only={}",
        place.behind_screen(),
        query_text(only)
    );
    html! {
        li {
            a .twist href=(place.in_tree()) data-branch=(branch) aria-label=(format!("{} {name}", words::EXPAND)) { "▸" }
            " " a href=(place) { (name) } " "
            (show::status(child.status)) " " span .numbers { (show::numbers(child.numbers)) }
            @if child.jobs > 0 { " " span .faint { "▶" (child.jobs) } }
            @if let Some(author) = &child.author {
                " " span .person { (words::HINTED_BY) " " (author) }
            }
            @if child.parents > 1 {
                " " a .ways href=(place) title=(texts::workbench::SEVERAL_WAYS) {
                    "⇄ " (child.parents) " " (words::WAYS)
                }
            }
        }
    }
}

/// Positions and what is to be said of each.
type Marked = Vec<(Place, Markup)>;

/// As many as one looks at.
const MARKED: usize = 60;

async fn running(app: &App) -> Result<Marked, PageError> {
    let page = Page {
        offset: 0,
        limit: MARKED,
    };
    let jobs = app.coordinator.jobs(page).await?.jobs;
    let nodes = jobs.iter().map(|job| job.node).collect();
    let places = look::places_of(&app.coordinator, nodes).await?;
    let marks = jobs.iter().map(|job| {
        html! { span .state .running { (show::job_words(job)) } }
    });
    let marked = places.into_iter().zip(marks);
    Ok(marked
        .filter_map(|(place, mark)| Some((place?, mark)))
        .collect())
}

async fn hinted(app: &App) -> Result<Marked, PageError> {
    let page = Page {
        offset: 0,
        limit: 10 * MARKED,
    };
    let (orders, _) = app.coordinator.orders(page).await?;
    let hints = orders.into_iter().filter_map(|given| match given.order {
        Order::Try { node, mv, .. } | Order::Reply { node, mv } => Some((given.author, node, mv)),
        _ => None,
    });
    let hints: Vec<_> = hints.take(MARKED).collect();
    let moves = hints.iter().map(|(_, node, mv)| (*node, Some(mv.clone())));
    let places = look::places_after(&app.coordinator, moves.collect()).await?;
    let marks = hints.iter().map(|(author, ..)| {
        html! { span .person { (words::HINTED_BY) " " (author) } }
    });
    let marked = places.into_iter().zip(marks);
    Ok(marked
        .filter_map(|(place, mark)| Some((place?, mark)))
        .collect())
}

/// The ways to marked positions below a place, as a tree of their own.
fn marked_branches(place: &Place, marked: Marked, nothing: &str) -> Markup {
    let below = marked.into_iter().filter_map(|(at, mark)| {
        let is_below = at.search == place.search && at.moves.starts_with(&place.moves);
        is_below.then(|| (at.moves[place.moves.len()..].to_vec(), mark))
    });
    let below: BTreeMap<_, _> = below.collect();
    if below.is_empty() {
        return html! { p .empty { (nothing) } };
    }
    let below: Vec<_> = below.into_iter().collect();
    branches(place, &below)
}

fn branches(place: &Place, below: &[(Vec<Move>, Markup)]) -> Markup {
    let marks = below.iter().filter(|(moves, _)| moves.is_empty());
    let rest: Vec<_> = below
        .iter()
        .filter(|(moves, _)| !moves.is_empty())
        .collect();
    html! {
        @for (_, mark) in marks { " " (mark) }
        @if !rest.is_empty() {
            ul {
                @for group in rest.chunk_by(|(one, _), (other, _)| one[0] == other[0]) {
                    @let mv = &group[0].0[0];
                    @let place = place.then(mv);
                    @let inside: Vec<_> = group.iter().map(|(moves, mark)| (moves[1..].to_vec(), mark.clone())).collect();
                    li {
                        a href=(place) { (show::move_name(mv)) }
                        (branches(&place, &inside))
                    }
                }
            }
        }
    }
}
