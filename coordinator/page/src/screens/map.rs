//! The map of openings: a small board for each search.

use axum::extract::State;
use gridproof_game::{Colour, Position, Square};
use gridproof_grid::coordinator::SearchSnapshot;
use gridproof_grid::search_name;
use gridproof_search::Verdict;
use maud::{Markup, html};

use crate::access::Reader;
use crate::error::PageError;
use crate::layout::Screen;
use crate::{App, texts};

/// The screen.
pub async fn show(State(app): State<App>, Reader(session): Reader) -> Result<Markup, PageError> {
    let snapshot = app.coordinator.snapshot().await?;
    let body = html! {
        h1 { (texts::MAP) }
        div #map { (map(&snapshot.searches)) }
    };
    let live = Some("/live/map".to_owned());
    let screen = Screen {
        title: texts::MAP.to_owned(),
        here: "/map",
        live,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

const fn state(search: &SearchSnapshot) -> &'static str {
    match search.view.verdict {
        Verdict::Proved => "proved",
        Verdict::Failed => "failed",
        Verdict::Open if search.view.stopped => "stopped",
        Verdict::Open if search.view.running_jobs > 0 => "running",
        Verdict::Open => "open",
    }
}

/// A cell a search, with a legend.
#[must_use]
pub fn map(searches: &[SearchSnapshot]) -> Markup {
    let count = |name: &str| {
        searches
            .iter()
            .filter(|search| state(search) == name)
            .count()
    };
    html! {
        p .row {
            @for name in ["proved", "running", "open", "stopped", "failed"] {
                span .state .(name) { (name) " " (count(name)) }
            }
        }
        @if searches.is_empty() { p { "No search yet." } }
        ul .map {
            @for search in searches {
                li .(state(search)) {
                    a href=(format!("/search/{}", search.view.search.0)) {
                        (small_board(&search.root))
                        span .state .(state(search)) {
                            (search_name(&search.game, &search.root, search.view.attacker))
                        }
                    }
                }
            }
        }
    }
}

/// The stones and a little around them, with coordinates.
fn small_board(position: &Position) -> Markup {
    let rules = position.rules();
    let stones = position
        .stones(Colour::Black)
        .union(position.stones(Colour::White));
    let centre = rules.centre();
    let columns = stones.iter().map(Square::column).chain([centre.column()]);
    let rows = stones.iter().map(Square::row).chain([centre.row()]);
    let span = |values: Vec<u8>, length: u8| {
        let least = values.iter().copied().min().unwrap_or(0).saturating_sub(2);
        let most = values
            .iter()
            .copied()
            .max()
            .unwrap_or(0)
            .saturating_add(2)
            .min(length - 1);
        (least, most)
    };
    let (left, right) = span(columns.collect(), rules.columns());
    let (bottom, top) = span(rows.collect(), rules.rows());
    let (width, height) = (f64::from(right - left), f64::from(top - bottom));
    let view = format!("-1.2 -1.2 {} {}", width + 2.0, height + 2.0);
    let place = |column: u8, row: u8| (column - left, top - row);
    html! {
        svg .board viewBox=(view) aria-hidden="true" {
            rect .wood x="-.6" y="-.6" width=(width + 1.2) height=(height + 1.2) {}
            @for column in left..=right {
                line .lines x1=(column - left) x2=(column - left) y1="-.4" y2=(height + 0.4) {}
                g .names { text x=(column - left) y="-.75" { (Square::column_name(column)) } }
            }
            @for row in bottom..=top {
                line .lines y1=(top - row) y2=(top - row) x1="-.4" x2=(width + 0.4) {}
                g .names { text x="-.9" y=(f64::from(top - row) + 0.15) { (row + 1) } }
            }
            g .stones {
                @for colour in Colour::BOTH {
                    @let class = match colour { Colour::Black => "black", Colour::White => "white" };
                    @for square in position.stones(colour).iter() {
                        @let (x, y) = place(square.column(), square.row());
                        circle .(class) cx=(x) cy=(y) r=".45" {}
                    }
                }
            }
        }
    }
}
