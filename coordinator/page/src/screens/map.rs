//! The map of openings: a small board for each search.

use axum::extract::{Query, State};
use gridproof_game::{Colour, Position, Rules, Square};
use gridproof_grid::coordinator::SearchSnapshot;
use gridproof_grid::search_name;
use gridproof_search::Verdict;
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::Reader;
use crate::error::PageError;
use crate::layout::Screen;
use crate::texts::{map as words, state};
use crate::{App, show, texts};

/// Which part of a large map.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    pub from: usize,
}

/// Boards on one page: a response stays below 100 kB.
const PER_PAGE: usize = 200;

/// The screen.
pub async fn show(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let snapshot = app.coordinator.snapshot().await?;
    let body = html! {
        h1 { (words::TITLE) }
        p .faint { (words::HELP) }
        div #map { (map(&snapshot.searches, view.from)) }
    };
    let screen = Screen {
        title: words::TITLE.to_owned(),
        here: Some("/map"),
        live: Some(format!("/live/map?from={}", view.from)),
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// A cell a search, with a legend.
#[must_use]
pub fn map(searches: &[SearchSnapshot], from: usize) -> Markup {
    let count = |name: &str| {
        let states = searches.iter().map(show::search_state_name);
        states.filter(|state| *state == name).count()
    };
    let shown = searches.iter().skip(from).take(PER_PAGE);
    let grids = Grids::of(shown.clone());
    html! {
        ul .legend .row {
            @for name in [state::PROVED, state::RUNNING, state::OPEN, state::STOPPED, state::FAILED] {
                li { span .state .(name) { (name) " " b { (count(name)) } } }
            }
        }
        @if searches.is_empty() { p .card .empty { (words::NONE) } }
        (grids.definitions())
        ul .map {
            @for search in shown {
                @let name = show::search_state_name(search);
                li .(name) {
                    a href=(format!("/search/{}", search.view.search.0)) {
                        (grids.board(&search.root))
                        span .state .(name) {
                            (search_name(&search.game, &search.root, search.view.attacker))
                            span .hidden { ", " (name) }
                        }
                    }
                    @if search.view.verdict == Verdict::Proved {
                        a .proof href=(format!("/proof/{}", search.view.search.0)) { (words::PROOF) }
                    } @else {
                        span .proof .faint { (show::numbers(search.view.numbers)) }
                    }
                }
            }
        }
        p .row {
            @if from > 0 {
                a .button href=(format!("/map?from={}", from.saturating_sub(PER_PAGE))) { (texts::EARLIER) }
            }
            @if from + PER_PAGE < searches.len() {
                a .button href=(format!("/map?from={}", from + PER_PAGE)) { (texts::MORE) }
            }
        }
    }
}

/// The empty boards, drawn once for each game and used by every cell: so a map of two hundred
/// boards stays small.
#[derive(Debug)]
pub struct Grids(Vec<Window>);

/// The part of a board that cells show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    rules: Rules,
    columns: (u8, u8),
    rows: (u8, u8),
}

impl Window {
    /// The stones and a little around them.
    fn around(position: &Position) -> Self {
        let rules = *position.rules();
        let stones = position
            .stones(Colour::Black)
            .union(position.stones(Colour::White));
        let centre = rules.centre();
        let mut window = Self {
            rules,
            columns: (centre.column(), centre.column()),
            rows: (centre.row(), centre.row()),
        };
        for square in stones.iter() {
            window.reach(square.column(), square.row());
        }
        let wider = |(least, most): (u8, u8), length: u8| {
            (
                least.saturating_sub(1),
                most.saturating_add(1).min(length - 1),
            )
        };
        window.columns = wider(window.columns, rules.columns());
        window.rows = wider(window.rows, rules.rows());
        window
    }

    fn reach(&mut self, column: u8, row: u8) {
        self.columns = (self.columns.0.min(column), self.columns.1.max(column));
        self.rows = (self.rows.0.min(row), self.rows.1.max(row));
    }

    /// As wide as it is high.
    fn squared(mut self) -> Self {
        let span = |(least, most): (u8, u8)| most - least;
        while span(self.columns) < span(self.rows) && self.columns.1 + 1 < self.rules.columns() {
            self.columns.1 += 1;
        }
        while span(self.rows) < span(self.columns) && self.rows.1 + 1 < self.rules.rows() {
            self.rows.1 += 1;
        }
        self
    }

    fn view(&self) -> String {
        let (width, height) = (self.columns.1 - self.columns.0, self.rows.1 - self.rows.0);
        format!(
            "-1.3 -1.3 {} {}",
            f64::from(width) + 1.9,
            f64::from(height) + 1.9
        )
    }

    fn place(&self, square: Square) -> (u8, u8) {
        (square.column() - self.columns.0, self.rows.1 - square.row())
    }
}

impl Grids {
    /// One window for each game that is played.
    pub fn of<'a>(searches: impl Iterator<Item = &'a SearchSnapshot>) -> Self {
        let mut windows: Vec<Window> = Vec::new();
        for search in searches {
            let window = Window::around(&search.root);
            match windows.iter_mut().find(|known| known.rules == window.rules) {
                Some(known) => {
                    known.reach(window.columns.0, window.rows.0);
                    known.reach(window.columns.1, window.rows.1);
                }
                None => windows.push(window),
            }
        }
        Self(windows.into_iter().map(Window::squared).collect())
    }

    /// What the cells use.
    #[must_use]
    pub fn definitions(&self) -> Markup {
        html! {
            @for (number, window) in self.0.iter().enumerate() {
                svg .board .definitions aria-hidden="true" width="0" height="0" {
                    symbol id=(format!("grid-{number}")) viewBox=(window.view()) {
                        (empty_board(window))
                    }
                }
            }
        }
    }

    /// A cell's board.
    #[must_use]
    pub fn board(&self, position: &Position) -> Markup {
        let games = self.0.iter().enumerate();
        let mut games = games.filter(|(_, window)| window.rules == *position.rules());
        let Some((number, window)) = games.next() else {
            return html! {};
        };
        html! {
            svg .board viewBox=(window.view()) aria-hidden="true" {
                use href=(format!("#grid-{number}")) x="-1.3" y="-1.3" width="100%" height="100%" {}
                @for colour in Colour::BOTH {
                    @let class = match colour { Colour::Black => "black", Colour::White => "white" };
                    @for square in position.stones(colour).iter() {
                        @let (x, y) = window.place(square);
                        circle .(class) cx=(x) cy=(y) r=".45" {}
                    }
                }
            }
        }
    }
}

fn empty_board(window: &Window) -> Markup {
    let Window { columns, rows, .. } = *window;
    let (width, height) = (columns.1 - columns.0, rows.1 - rows.0);
    let down = (0..=width).map(|x| format!("M{x} -.4V{}", f64::from(height) + 0.4));
    let across = (0..=height).map(|y| format!("M-.4 {y}H{}", f64::from(width) + 0.4));
    let lines: String = down.chain(across).collect();
    html! {
        rect .wood x="-.6" y="-.6" width=(f64::from(width) + 1.2) height=(f64::from(height) + 1.2) rx=".2" {}
        path .lines d=(lines) {}
        g .names {
            @for column in columns.0..=columns.1 {
                text x=(column - columns.0) y="-.8" { (Square::column_name(column)) }
            }
            @for row in rows.0..=rows.1 {
                text x="-.95" y=(f64::from(rows.1 - row) + 0.14) { (row + 1) }
            }
        }
    }
}
