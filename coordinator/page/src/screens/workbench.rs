//! The workbench: a position, what is known of it, and what can be asked there.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use gridproof_game::{Colour, Square, SquareSet, State as GameState};
use gridproof_grid::coordinator::{ChildDetails, ChildOrder, NodeStatus};
use gridproof_search::{NamedBy, NodeId, SearchId};
use gridproof_threats::{AnyBoard, Geometry, with_board};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use crate::access::Reader;
use crate::address::{Place, read_move};
use crate::board::{Board, Layer, Variation};
use crate::error::PageError;
use crate::layout::{Screen, notice};
use crate::look::{self, PER_PAGE, Selection, Sight, Ways};
use crate::session::Session;
use crate::{App, show};

/// How the table is to be shown, and what to say above it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    pub sort: String,
    pub only: String,
    pub from: usize,
    /// The answer to an order.
    pub said: String,
    pub failed: bool,
}

impl View {
    /// What is to be shown of the moves.
    #[must_use]
    pub fn selection(&self) -> Selection {
        Selection {
            order: match self.sort.as_str() {
                "disproof" => ChildOrder::Disproof,
                "move" => ChildOrder::Move,
                "status" => ChildOrder::Status,
                "came" => ChildOrder::AsTheyCame,
                _ => ChildOrder::Proof,
            },
            statuses: match self.only.as_str() {
                "proved" => vec![NodeStatus::Proved],
                "open" => vec![NodeStatus::Open, NodeStatus::Running, NodeStatus::Paused],
                "running" => vec![NodeStatus::Running],
                _ => Vec::new(),
            },
            offset: self.from,
        }
    }

    /// The same view as an address's query, from another row on.
    fn query(&self, from: usize) -> String {
        format!("?sort={}&only={}&from={from}", self.sort, self.only)
    }
}

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
    Ok(screen(&sight, &ways, &view, &session).frame(Some(&session)))
}

/// Where a form without scripts leads: to the position after the move that was typed.
pub async fn go(
    Reader(_): Reader,
    Path(search): Path<u32>,
    Query(form): Query<Go>,
) -> Result<Response, PageError> {
    let mut place = Place::read(SearchId(search), &form.path)?;
    place.moves.push(read_move(&form.r#move)?);
    Ok(axum::response::Redirect::to(&place.to_string()).into_response())
}

/// A node by its number, as jobs and orders name it.
pub async fn node(
    State(app): State<App>,
    Reader(_): Reader,
    Path(node): Path<u32>,
) -> Result<Response, PageError> {
    let place = look::place_of(&app.coordinator, NodeId(node)).await?;
    let place = place.ok_or_else(|| PageError::NotThere(format!("there is no node #{node}")))?;
    Ok(axum::response::Redirect::to(&place.to_string()).into_response())
}

/// A move that was typed.
#[derive(Debug, Deserialize)]
pub struct Go {
    #[serde(default)]
    path: String,
    r#move: String,
}

fn screen(sight: &Sight, ways: &Ways, view: &View, session: &Session) -> Screen {
    let place = &sight.place;
    let live = format!(
        "/live/search/{}/{}{}",
        place.search.0,
        place.path(),
        view.query(view.from)
    );
    let body = html! {
        @if !view.said.is_empty() {
            (notice(if view.failed { "error" } else { "done" }, &view.said))
        }
        div #status { (status(sight)) }
        (path(sight))
        div .bench {
            div {
                div #drawing { (drawing(sight)) }
                (switches())
                (ways_on(sight, ways))
            }
            div {
                (move_form(sight, session))
                section .card aria-labelledby="moves-title" {
                    h2 #moves-title { (moves_title(sight)) }
                    (table_options(view))
                    div #moves .scroll { (moves(sight, view, session)) }
                }
                section .card aria-labelledby="jobs-title" {
                    h2 #jobs-title { "Jobs here" }
                    div #jobs { (jobs(sight, session)) }
                }
                (orders(sight, session))
            }
        }
    };
    Screen {
        title: format!("{} {}", sight.root.name, place.path().replace('/', " ")),
        here: "",
        live: Some(live),
        body,
    }
}

/// The heading: the search and how this position stands.
#[must_use]
pub fn status(sight: &Sight) -> Markup {
    let root = &sight.root;
    html! {
        h1 { (root.name) " " (show::search_state(root)) }
        p .faint {
            "root " (show::numbers(root.view.numbers)) " · "
            "jobs running: " (root.view.running_jobs) " · "
            @if let Some(node) = &sight.node {
                "here " (show::status(node.details.status)) " "
                (show::numbers(node.details.numbers))
                @if node.details.parents > 1 {
                    " · reached by " (node.details.parents) " ways"
                }
            } @else {
                "the search has not come here"
            }
            @if root.view.verdict == gridproof_search::Verdict::Proved {
                " · " a href=(format!("/proof/{}", root.view.search.0)) { "play against the proof" }
            }
        }
    }
}

fn path(sight: &Sight) -> Markup {
    let place = &sight.place;
    html! {
        nav aria-label="moves so far" {
            ol .path {
                li { a href=(place.at_turn(0)) { (sight.root.name) } }
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

/// The board with everything that can be drawn on it.
#[must_use]
pub fn drawing(sight: &Sight) -> Markup {
    let mut board = Board::new(&sight.position)
        .with_moves(1, &sight.place.moves)
        .with_variations(variations(sight));
    for layer in threats(sight) {
        board = board.with_layer(layer);
    }
    if sight.position.state() == GameState::Open {
        board = board.playable();
    }
    board.draw()
}

/// Letters for the first moves of the table, as many as there are.
fn letters() -> impl Iterator<Item = char> {
    ('a'..='z').chain('A'..='Z')
}

fn variations(sight: &Sight) -> Vec<Variation> {
    let children = sight.node.iter().flat_map(|node| &node.details.children);
    children
        .zip(letters())
        .map(|(child, letter)| Variation {
            mv: child.mv.clone(),
            letter,
            state: show::status_name(child.status),
        })
        .collect()
}

fn threats(sight: &Sight) -> Vec<Layer> {
    if sight.position.state() != GameState::Open {
        return Vec::new();
    }
    let geometry = Arc::new(Geometry::new(*sight.position.rules()));
    let any = AnyBoard::of_position(geometry, &sight.position);
    let k = sight.position.rules().in_a_row();
    Colour::BOTH
        .into_iter()
        .map(|colour| {
            let (squares, lines) = with_board!(&any, |board| {
                let ends = |segment: gridproof_threats::Segment| {
                    let last = segment.start + k - 1;
                    [segment.start, last].map(|at| board.geometry().square(segment.line, at))
                };
                let lines: Vec<[Square; 2]> = board.threat_segments(colour).map(ends).collect();
                let squares: SquareSet = board.threat_empties(colour);
                (squares, lines)
            });
            let name = match colour {
                Colour::Black => "threats-black",
                Colour::White => "threats-white",
            };
            Layer {
                name,
                squares,
                lines,
            }
        })
        .collect()
}

fn switches() -> Markup {
    html! {
        fieldset .switches {
            legend .hidden { "What is drawn" }
            @for (layer, words) in [
                ("variations", "moves of the tree"),
                ("threats", "threats"),
                ("last", "last move"),
            ] {
                label { input type="checkbox" data-layer=(layer) checked; " " (words) }
            }
        }
    }
}

fn ways_on(sight: &Sight, ways: &Ways) -> Markup {
    let place = &sight.place;
    let after = |moves: &[gridproof_game::Move]| {
        moves
            .iter()
            .fold(place.clone(), |place, mv| place.then(mv))
            .to_string()
    };
    html! {
        p .row {
            @if !place.moves.is_empty() {
                a .button data-key="u" href=(place.at_turn(place.moves.len() - 1)) { "back" }
                a .button href=(place.at_turn(0)) { "to the root" }
            }
            @if let Some(next) = ways.most_proving.first() {
                a .button data-key="l" href=(place.then(next)) { "main line: " (show::move_name(next)) }
                a .button href=(after(&ways.most_proving)) { "its end" }
            }
            @if !ways.hardest.is_empty() {
                a .button data-key="h" href=(after(&ways.hardest)) { "hardest open reply" }
            }
            a .button data-key="t" href=(format!("/tree{}", &place.to_string()["/search".len()..])) {
                "tree"
            }
        }
    }
}

fn move_form(sight: &Sight, session: &Session) -> Markup {
    let place = &sight.place;
    if sight.position.state() != GameState::Open {
        return html! { p .card { "The game is over here." } };
    }
    let action = format!("/go/{}", place.search.0);
    let order = format!("/order/{}", place.search.0);
    let stones = sight.position.move_len();
    let side = show::colour_name(sight.position.to_move());
    html! {
        section .card aria-labelledby="move-title" {
            h2 #move-title { (side) " to move, " (stones) (if stones == 1 { " stone" } else { " stones" }) }
            form .row method="get" action=(action) {
                input type="hidden" name="path" value=(place.path());
                label for="move" { "Move" }
                input #move type="text" name="move" placeholder="k11 l10" autocomplete="off"
                    spellcheck="false" required size="12";
                button .main name="look" value="1" { "look" }
                @if session.may_order() && sight.is_attackers_turn() {
                    button name="order" value="hint" formmethod="post" formaction=(order) {
                        "hint this move"
                    }
                }
            }
        }
    }
}

fn moves_title(sight: &Sight) -> &'static str {
    if sight.is_attackers_turn() {
        "Moves to try"
    } else {
        "Replies to answer"
    }
}

fn table_options(view: &View) -> Markup {
    let select = |name: &str, label: &str, chosen: &str, choices: &[(&str, &str)]| {
        html! {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for (value, words) in choices {
                    option value=(value) selected[*value == chosen] { (words) }
                }
            }
        }
    };
    let sorts = [
        ("", "proof number"),
        ("disproof", "disproof number"),
        ("status", "status"),
        ("move", "move"),
        ("came", "as they came"),
    ];
    let filters = [
        ("", "all"),
        ("open", "open"),
        ("running", "running"),
        ("proved", "proved"),
    ];
    html! {
        form .row method="get" {
            (select("sort", "Sort by", &view.sort, &sorts))
            (select("only", "Show", &view.only, &filters))
            button { "show" }
        }
    }
}

/// The table of moves.
#[must_use]
pub fn moves(sight: &Sight, view: &View, session: &Session) -> Markup {
    let Some(node) = &sight.node else {
        return html! {
            p { "The search has not come to this position: no move of it is known. Ask for a job \
                 here, and it joins the search." }
        };
    };
    let details = &node.details;
    if details.children_total == 0 {
        return html! { p { "No move is known here yet." } };
    }
    let last = view.from + details.children.len();
    html! {
        table {
            caption {
                (view.from + 1) " to " (last) " of " (details.children_total)
            }
            thead {
                tr {
                    th scope="col" { "" }
                    th scope="col" { "move" }
                    th scope="col" { "status" }
                    th .n scope="col" { "proof" }
                    th .n scope="col" { "jobs" }
                    th scope="col" { "named by" }
                }
            }
            tbody {
                @for (child, letter) in details.children.iter().zip(letters().map(Some).chain(std::iter::repeat(None))) {
                    tr data-letter=[letter] {
                        td .faint { @if let Some(letter) = letter { (letter) } }
                        td .nowrap {
                            a href=(sight.place.then(&child.mv)) { (show::move_name(&child.mv)) }
                            @if child.parents > 1 {
                                " " span .faint title="reached by several ways" { "⇄ " (child.parents) }
                            }
                        }
                        td { (show::status(child.status)) }
                        td .n { (show::numbers(child.numbers)) }
                        td .n { (child.jobs) }
                        td { (named_by(child, session)) }
                    }
                }
            }
        }
        p .row {
            @if view.from > 0 {
                a .button href=(view.query(view.from.saturating_sub(PER_PAGE))) { "earlier" }
            }
            @if last < details.children_total {
                a .button href=(view.query(last)) { "more" }
            }
        }
    }
}

fn named_by(child: &ChildDetails, _session: &Session) -> Markup {
    match child.by {
        NamedBy::Operator => html! { span .you { "an operator" } },
        NamedBy::Settlement => html! { "proofs of other replies" },
        NamedBy::Worker(_) => html! { (child.worker) },
    }
}

/// Jobs at this node.
#[must_use]
pub fn jobs(sight: &Sight, session: &Session) -> Markup {
    let jobs = sight.node.iter().flat_map(|node| &node.details.jobs);
    let jobs: Vec<_> = jobs.collect();
    html! {
        @if jobs.is_empty() { p .faint { "No job runs here." } }
        @for job in jobs {
            p .row {
                span .state .running { (show::job_words(job)) }
                @if session.may_order() && job.author.is_some() {
                    (order_button(sight, "abort", "abort", None))
                }
            }
        }
    }
}

fn order_button(sight: &Sight, order: &str, words: &str, ask: Option<&str>) -> Markup {
    html! {
        form method="post" action=(format!("/order/{}", sight.place.search.0)) data-ask=[ask] {
            input type="hidden" name="path" value=(sight.place.path());
            button name="order" value=(order) { (words) }
        }
    }
}

fn orders(sight: &Sight, session: &Session) -> Markup {
    if !session.may_order() {
        return html! { p .faint { "Your token may look and not order." } };
    }
    let (kind, default) = if sight.is_attackers_turn() {
        ("engine", "1000000")
    } else {
        ("verifier", "320000")
    };
    let is_over = sight.position.state() != GameState::Open;
    let status = sight.node.as_ref().map(|node| node.details.status);
    let can_forget = !sight.is_attackers_turn() && sight.node.is_some();
    let action = format!("/order/{}", sight.place.search.0);
    html! {
        section .card aria-labelledby="orders-title" {
            h2 #orders-title { "Orders" }
            @if !is_over {
                form .row method="post" action=(action) {
                    input type="hidden" name="path" value=(sight.place.path());
                    label for="budget" { "Run the " (kind) " here now, with" }
                    input #budget type="text" inputmode="numeric" name="budget" value=(default) size="9";
                    " nodes "
                    button .main name="order" value="run" { "ask " (kind) }
                }
            }
            div .row {
                @match status {
                    Some(NodeStatus::Paused) => (order_button(sight, "resume", "resume", None)),
                    Some(_) => (order_button(sight, "pause", "pause", None)),
                    None => {}
                }
                @if can_forget {
                    @if status == Some(NodeStatus::Forgotten) {
                        (order_button(sight, "remember", "take back forget", None))
                    } @else {
                        (order_button(sight, "forget", "forget this move", None))
                    }
                }
                @if sight.root.view.stopped {
                    span .state .stopped { "the search is stopped" }
                } @else if sight.place.moves.is_empty() {
                    (order_button(sight, "stop", "stop the search",
                        Some("Stop this search? What it learnt stays.")))
                }
            }
            p .faint { (PreEscaped("Pausing starts no new job here or below. A hint is tried before other moves.")) }
        }
    }
}
