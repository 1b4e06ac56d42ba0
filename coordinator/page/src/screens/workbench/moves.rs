//! The table of moves.

use gridproof_grid::coordinator::ChildDetails;
use gridproof_search::NamedBy;
use maud::{Markup, html};

use super::View;
use super::drawing::letters;
use crate::address::move_path;
use crate::look::{PER_PAGE, Sight};
use crate::session::Session;
use crate::texts::{job, workbench as words};
use crate::{show, texts};

/// The title, and how to sort and choose.
pub(super) fn heading(sight: &Sight, view: &View) -> Markup {
    let title = match sight.is_attackers_turn() {
        true => words::MOVES_TO_TRY,
        false => words::REPLIES,
    };
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
    html! {
        div .card-head {
            h2 #moves-title { (title) }
            form .row .small method="get" {
                (select("sort", words::SORT, &view.sort, &words::SORTS))
                (select("only", words::SHOW, &view.only, &words::FILTERS))
                button { (words::APPLY) }
            }
        }
    }
}

/// What people who are new here want to know.
pub(super) fn meaning() -> Markup {
    html! {
        details .meaning {
            summary { (words::MEANING_TITLE) }
            dl {
                @for (column, meaning) in words::MEANINGS {
                    dt { (column) } dd { (meaning) }
                }
            }
        }
    }
}

/// The moves that are known, a page of them.
#[must_use]
pub fn table(sight: &Sight, view: &View, session: &Session) -> Markup {
    let Some(node) = &sight.node else {
        return html! { p .empty { (words::NOT_COME) } };
    };
    let details = &node.details;
    if details.children_total == 0 {
        let all = view.only.is_empty();
        return html! { p .empty { (if all { words::NO_MOVES } else { words::NONE_FIT }) } };
    }
    let last = view.from + details.children.len();
    let letters = letters().map(Some).chain(std::iter::repeat(None));
    html! {
        table {
            thead {
                tr {
                    th scope="col" { span .hidden { (words::COLUMN_LETTER) } }
                    th scope="col" { (words::COLUMN_MOVE) }
                    th scope="col" { (words::COLUMN_STATUS) }
                    th .n scope="col" { (words::COLUMN_NUMBERS) }
                    th .n scope="col" { (words::COLUMN_JOBS) }
                    th scope="col" { (words::COLUMN_BY) }
                }
            }
            tbody {
                @for (child, letter) in details.children.iter().zip(letters) {
                    (row(sight, child, letter, session))
                }
            }
        }
        @if view.from > 0 || last < details.children_total {
            p .row .pages {
                span .faint { (view.from + 1) "–" (last) " / " (details.children_total) }
                @if view.from > 0 {
                    a .button href=(view.query(view.from.saturating_sub(PER_PAGE))) { (texts::EARLIER) }
                }
                @if last < details.children_total {
                    a .button href=(view.query(last)) { (texts::MORE) }
                }
            }
        }
    }
}

fn row(sight: &Sight, child: &ChildDetails, letter: Option<char>, session: &Session) -> Markup {
    let squares: Vec<_> = child.mv.stones().iter().map(ToString::to_string).collect();
    html! {
        tr data-squares=(squares.join(" ")) {
            td .letter .faint { @if let Some(letter) = letter { (letter) } }
            td .nowrap {
                a id=(format!("go-{}", move_path(&child.mv))) href=(sight.place.then(&child.mv)) {
                    (show::move_name(&child.mv))
                }
                @if child.parents > 1 {
                    " " span .faint title=(words::SEVERAL_WAYS) { "⇄" (child.parents) }
                }
            }
            td { (show::status(child.status)) }
            td .n { (show::numbers(child.numbers)) }
            td .n { (show::few(child.jobs)) }
            td { (named_by(sight, child, session)) }
        }
    }
}

fn named_by(sight: &Sight, child: &ChildDetails, session: &Session) -> Markup {
    let kind = match sight.is_attackers_turn() {
        true => job::ENGINE,
        false => job::VERIFIER,
    };
    html! {
        @match child.author.as_deref() {
            Some(author) if author == session.holder => { span .you { (words::YOU) } " " }
            Some(author) if !author.is_empty() => { span .person { (author) } " " }
            None if child.by != NamedBy::Operator => {}
            _ => { span .person { (words::SOMEBODY) } " " }
        }
        @match child.by {
            NamedBy::Operator => {}
            NamedBy::Settlement => span .faint { (words::BY_PROOFS) },
            NamedBy::Worker(_) => { span .kind .faint { (kind) ", " } (child.worker) }
        }
    }
}
