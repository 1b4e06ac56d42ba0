//! The tree: collapsed, a level at a time, never shipped whole.

use axum::extract::{Path, Query, State};
use gridproof_search::SearchId;
use maud::{Markup, html};

use super::workbench::View;
use crate::access::Reader;
use crate::address::Place;
use crate::error::PageError;
use crate::layout::Screen;
use crate::look::{self, Sight};
use crate::{App, show};

/// The root of a search.
pub async fn root(
    app: State<App>,
    reader: Reader,
    Path(search): Path<u32>,
    view: Query<View>,
) -> Result<Markup, PageError> {
    tree(app, reader, Path((search, String::new())), view).await
}

/// A position with the moves that lead to it, and two levels below it.
pub async fn tree(
    State(app): State<App>,
    Reader(session): Reader,
    Path((search, path)): Path<(u32, String)>,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let place = Place::read(SearchId(search), &path)?;
    let sight = look::sight(&app.coordinator, place.clone(), view.selection()).await?;
    let ways = look::ways(&app.coordinator, &sight).await?;
    let largest = largest_child(&sight);
    let in_tree = |place: &Place| format!("/tree{}", &place.to_string()["/search".len()..]);
    let after = |moves: &[gridproof_game::Move]| {
        in_tree(&moves.iter().fold(place.clone(), |place, mv| place.then(mv)))
    };
    let filters = [
        ("", "all"),
        ("open", "open"),
        ("running", "running"),
        ("proved", "proved"),
    ];
    let body = html! {
        h1 { "Tree of " (sight.root.name) }
        p .row {
            a .button href=(place) { "workbench" }
            @if let Some(mv) = largest { a .button href=(in_tree(&place.then(mv))) { "largest child" } }
            @if !ways.most_proving.is_empty() {
                a .button href=(after(&ways.most_proving)) { "end of the most-proving line" }
            }
            @if !ways.hardest.is_empty() {
                a .button href=(after(&ways.hardest)) { "hardest open reply" }
            }
            span .faint { "show:" }
            @for (only, words) in filters {
                @let is_here = (only == view.only).then_some("true");
                a .button href=(format!("{}?only={only}", in_tree(&place))) aria-current=[is_here] { (words) }
            }
        }
        div .tree .card {
            ul {
                @for turn in 0..=place.moves.len() {
                    @let at = place.at_turn(turn);
                    li {
                        @match at.moves.last() {
                            None => a href=(in_tree(&at)) { (sight.root.name) },
                            Some(mv) => { "› " a href=(in_tree(&at)) { (show::move_name(mv)) } }
                        }
                    }
                }
                li { ul #children { (children(&sight, &in_tree)) } }
            }
        }
    };
    let screen = Screen {
        title: format!("Tree of {}", sight.root.name),
        here: "",
        live: None,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

/// The child with the largest proof number that is still open: where most is left to do.
fn largest_child(sight: &Sight) -> Option<&gridproof_game::Move> {
    let children = sight.node.iter().flat_map(|node| &node.details.children);
    let open = children.filter(|child| !child.numbers.is_solved());
    open.max_by_key(|child| child.numbers.proof)
        .map(|child| &child.mv)
}

fn children(sight: &Sight, in_tree: &dyn Fn(&Place) -> String) -> Markup {
    let Some(node) = &sight.node else {
        return html! { li { "Not in the tree: the search has not come here." } };
    };
    let shown = node.details.children.len();
    html! {
        @for child in &node.details.children {
            li {
                a href=(in_tree(&sight.place.then(&child.mv))) { (show::move_name(&child.mv)) }
                " " (show::status(child.status)) " " (show::numbers(child.numbers))
                @if child.jobs > 0 { " · " (child.jobs) " jobs" }
                @if child.parents > 1 {
                    " · " a href=(format!("/node/{}", child.node.0)) { "reached by " (child.parents) " ways" }
                }
            }
        }
        @if shown == 0 { li .faint { "A leaf: no move is known here, or none of this kind." } }
        @if shown < node.details.children_total {
            li { a href=(sight.place) { "all " (node.details.children_total) " moves on the workbench" } }
        }
    }
}
