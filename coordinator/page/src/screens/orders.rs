//! Orders: giving them, and the journal of those that were given.

use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_game::Move;
use gridproof_grid::coordinator::{Coordinator, GivenOrder, OrderError, Page};
use gridproof_search::{IgnoreReason, NodeId, Order, SearchId, Status};
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::{Operator, Reader};
use crate::address::{Place, read_move};
use crate::error::PageError;
use crate::layout::Screen;
use crate::texts::{done, orders as words, workbench};
use crate::{App, look, query_text, show, texts};

/// An order at a position.
#[derive(Debug, Deserialize)]
pub struct OrderForm {
    order: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    r#move: String,
    #[serde(default)]
    budget: String,
}

/// Gives an order, and goes back to the position with a sentence of what was done.
pub async fn give(
    State(app): State<App>,
    Operator(session): Operator,
    Path(search): Path<u32>,
    Form(form): Form<OrderForm>,
) -> Response {
    let place = match Place::read(SearchId(search), &form.path) {
        Ok(place) => place,
        Err(error) => return PageError::from(error).into_response(),
    };
    let coordinator = app.coordinator.acting_for(&session.holder);
    let (said, failed) = match carry_out(&coordinator, &place, &form).await {
        Ok(said) => (said, false),
        Err(error) => (error.to_string(), true),
    };
    let to = format!("{place}?said={}&failed={failed}", query_text(&said));
    Redirect::to(&to).into_response()
}

async fn carry_out(
    coordinator: &Coordinator,
    place: &Place,
    form: &OrderForm,
) -> Result<String, PageError> {
    let (search, moves) = (place.search, &place.moves);
    if form.order == "stop" {
        coordinator.order(Order::Stop { search }).await?;
        return Ok(done::STOPPED.to_owned());
    }
    let root = look::root(coordinator, search).await?;
    let at = place.position(&root.position)?;
    match form.order.as_str() {
        "hint" => {
            let mv = read_move(&form.r#move)?;
            // Whatever leads there joins the search, and the move itself is tried first.
            place.then(&mv).position(&root.position)?;
            let (node, to_node) = coordinator.reach(search, moves).await?;
            let rules = *at.rules();
            let turned = mv.map(|square| to_node.apply(&rules, square));
            let said = hint(coordinator, node, turned).await?;
            Ok(format!("{} {said}", show::move_name(&mv)))
        }
        "run" => {
            let budget = read_budget(&form.budget)?;
            let (node, _) = coordinator.reach(search, moves).await?;
            coordinator.order(Order::Run { node, budget }).await?;
            Ok(done::ASKED.to_owned())
        }
        order => {
            let node = known_node(coordinator, at, root.view.attacker).await?;
            let (order, words) = match order {
                "abort" => (Order::CancelRun { node }, done::ABORTED),
                "pause" => (Order::Pause { node }, done::PAUSED),
                "resume" => (Order::Resume { node }, done::RESUMED),
                "forget" => (Order::Forget { node }, done::FORGOTTEN),
                "remember" => (Order::Remember { node }, done::REMEMBERED),
                other => {
                    let words = format!("\"{other}\" is no order of this page");
                    return Err(PageError::Bad(words));
                }
            };
            coordinator.order(order).await?;
            Ok(words.to_owned())
        }
    }
}

/// Hints a move, and tells what holds now.
async fn hint(
    coordinator: &Coordinator,
    node: NodeId,
    mv: Move,
) -> Result<&'static str, PageError> {
    let wanted = mv.clone();
    let known = coordinator.ask(move |core| {
        let mut children = core.children(node).into_iter();
        children.find(|child| child.mv == wanted)
    });
    let known = known.await?;
    if known
        .as_ref()
        .is_some_and(|child| child.numbers.is_solved())
    {
        return Ok(done::HINTED_DECIDED);
    }
    let status = Status::Strong3;
    let order = Order::Try { node, mv, status };
    match coordinator.order(order).await {
        Ok(_) if known.is_some() => Ok(done::HINTED_KNOWN),
        Ok(_) => Ok(done::HINTED),
        Err(OrderError::Ignored(IgnoreReason::NoChange)) => Ok(done::HINTED_BEFORE),
        Err(error) => Err(error.into()),
    }
}

async fn known_node(
    coordinator: &Coordinator,
    at: gridproof_game::Position,
    attacker: gridproof_game::Colour,
) -> Result<NodeId, PageError> {
    let found = coordinator
        .ask(move |core| core.find(&at, attacker))
        .await?;
    let (node, _) = found.ok_or_else(|| PageError::Bad(texts::error::NOT_KNOWN.to_owned()))?;
    Ok(node)
}

/// `320000`, `320k` or `2M`.
fn read_budget(text: &str) -> Result<u64, PageError> {
    let text = text.trim().replace(['_', ','], "");
    let (digits, times) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        _ => (text.as_str(), 1),
    };
    let number = digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(times));
    number
        .filter(|number| (1..=MOST_NODES).contains(number))
        .ok_or_else(|| {
            let words = format!(
                "\"{text}\" is no budget: write nodes such as 320000, 320k or 2M, up to 1000M"
            );
            PageError::Bad(words)
        })
}

/// More keeps a worker busy for an hour or so.
const MOST_NODES: u64 = 1_000_000_000;

/// Which part of the journal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct View {
    from: usize,
}

const PER_PAGE: usize = 100;

/// All orders, newest first.
pub async fn journal(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let page = Page {
        offset: view.from,
        limit: PER_PAGE,
    };
    let (orders, total) = app.coordinator.orders(page).await?;
    let targets = orders.iter().map(|given| target(&given.order));
    let targets: Vec<_> = targets.collect();
    let known = targets.iter().flatten().cloned().collect();
    let places = look::places_after(&app.coordinator, known).await?;
    let mut places = places.into_iter();
    let places = targets
        .iter()
        .map(|target| target.as_ref().and_then(|_| places.next().flatten()));
    let rows = html! {
        @for (given, place) in orders.iter().zip(places) {
            (row(given, place.as_ref(), &session.holder))
        }
    };
    let body = html! {
        h1 { (words::TITLE) }
        p .faint { (words::HELP) }
        section .card aria-label=(words::TITLE) {
            @if orders.is_empty() {
                p .empty { (words::NONE) }
            } @else {
                div .scroll {
                    table {
                        thead {
                            tr { @for name in words::COLUMNS { th scope="col" { (name) } } }
                        }
                        tbody { (rows) }
                    }
                }
                p .row {
                    @if view.from > 0 {
                        a .button href=(format!("/orders?from={}", view.from.saturating_sub(PER_PAGE))) { (words::NEWER) }
                    }
                    @if view.from + orders.len() < total {
                        a .button href=(format!("/orders?from={}", view.from + PER_PAGE)) { (words::OLDER) }
                    }
                }
            }
        }
    };
    let screen = Screen {
        title: words::TITLE.to_owned(),
        here: Some("/orders"),
        live: None,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// The position that an order is about, as far as it is one.
fn target(order: &Order) -> Option<(NodeId, Option<Move>)> {
    match order {
        Order::Start { .. }
        | Order::Stop { .. }
        | Order::Share { .. }
        | Order::Withdraw { .. }
        | Order::Quarantine { .. }
        | Order::Release { .. } => None,
        Order::Try { node, mv, .. } | Order::Reply { node, mv } => Some((*node, Some(mv.clone()))),
        Order::Forget { node }
        | Order::Remember { node }
        | Order::Pause { node }
        | Order::Resume { node }
        | Order::Run { node, .. }
        | Order::CancelRun { node } => Some((*node, None)),
    }
}

fn row(given: &GivenOrder, place: Option<&Place>, me: &str) -> Markup {
    let at = i64::try_from(given.at).ok().filter(|at| *at > 0);
    let at = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let at = at.map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    let at = at
        .map(|at| at.strftime("%F %H:%M:%S").to_string())
        .unwrap_or_default();
    html! {
        tr {
            td .faint { (given.number) }
            td .when { (at) }
            td {
                @if given.author == me { span .you { (workbench::YOU) } }
                @else { span .person { (given.author) } }
            }
            td { (in_words(&given.order, place)) }
        }
    }
}

fn in_words(order: &Order, place: Option<&Place>) -> Markup {
    let search =
        |search: &SearchId| html! { a href=(format!("/search/{}", search.0)) { (search) } };
    let at = html! {
        @if let Some(place) = place {
            @let names: Vec<_> = place.moves.iter().map(show::move_name).collect();
            a href=(place) {
                (place.search)
                @for name in names { " › " (name) }
            }
        }
    };
    html! {
        @match order {
            Order::Start { search: id, attacker, .. } => {
                "start " (search(id)) ": does " (show::colour_name(*attacker)) " win?"
            }
            Order::Stop { search: id } => { "stop " (search(id)) }
            Order::Share { search: id, share } => { "share of " (search(id)) ": " (share) }
            Order::Try { .. } => { "hint " (at) }
            Order::Reply { .. } => { "look at the reply " (at) }
            Order::Forget { .. } => { "forget " (at) }
            Order::Remember { .. } => { "take back forgetting " (at) }
            Order::Pause { .. } => { "pause " (at) }
            Order::Resume { .. } => { "resume " (at) }
            Order::Run { budget, .. } => { "job at " (at) " with " (show::count(*budget)) " nodes" }
            Order::CancelRun { .. } => { "abort the job at " (at) }
            Order::Withdraw { worker } => { "withdraw " (worker) }
            Order::Quarantine { worker } => { "quarantine " (worker) }
            Order::Release { worker } => { "release " (worker) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_people_write_them() {
        assert_eq!(read_budget("320k").unwrap(), 320_000);
        assert_eq!(read_budget(" 2M").unwrap(), 2_000_000);
        assert_eq!(read_budget("1,000").unwrap(), 1_000);
        for text in ["", "0", "-5", "many", "99999999999999999999", "2000M", "é"] {
            assert!(read_budget(text).is_err(), "{text}");
        }
    }
}
