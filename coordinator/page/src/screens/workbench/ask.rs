//! Playing a move, and asking the grid about a position.

use gridproof_game::State as GameState;
use gridproof_grid::coordinator::{JobDetails, NodeStatus};
use maud::{Markup, html};

use crate::look::Sight;
use crate::session::Session;
use crate::show;
use crate::texts::{job, workbench as words};

/// What can be played, hinted, asked and ordered here.
pub(super) fn panel(sight: &Sight, session: &Session) -> Markup {
    let is_over = sight.position.state() != GameState::Open;
    let side = show::colour_name(sight.position.to_move());
    html! {
        section .card .ask aria-labelledby="ask-title" {
            @if is_over {
                h2 #ask-title { (words::OVER) }
            } @else {
                h2 #ask-title {
                    span .dot .(side.to_lowercase()) aria-hidden="true" {}
                    (side) " " (words::TO_MOVE)
                }
                (move_form(sight, session))
                @if session.may_order() { (job_form(sight)) }
            }
            div #jobs { (jobs(sight, session)) }
            div #orders .row { (orders(sight, session)) }
            @if session.may_order() && !is_over { p .help { (words::ORDERS_HELP) } }
        }
    }
}

fn move_form(sight: &Sight, session: &Session) -> Markup {
    let place = &sight.place;
    let order = format!("/order/{}", place.search.0);
    let may_hint = session.may_order() && sight.is_attackers_turn();
    html! {
        form .row method="get" action=(format!("/go/{}", place.search.0)) {
            input type="hidden" name="path" value=(place.path());
            label .field for="move" { (words::MOVE) }
            input #move type="text" name="move" placeholder="k11 l10" autocomplete="off"
                spellcheck="false" required size="10" aria-describedby="move-help";
            button .main name="look" value="1" { (words::LOOK) }
            @if may_hint {
                button name="order" value="hint" formmethod="post" formaction=(order) {
                    (words::HINT)
                }
            }
        }
        p #move-help .help {
            (words::MOVE_HELP)
            @if may_hint { " " (words::HINT_HELP) }
        }
    }
}

fn job_form(sight: &Sight) -> Markup {
    let (kind, default) = match sight.is_attackers_turn() {
        true => (job::ENGINE, "1000000"),
        false => (job::VERIFIER, "320000"),
    };
    html! {
        form .row method="post" action=(format!("/order/{}", sight.place.search.0)) {
            input type="hidden" name="path" value=(sight.place.path());
            label .field for="budget" { (words::BUDGET) " " (kind) }
            input #budget type="text" inputmode="numeric" name="budget" value=(default) size="8"
                required autocomplete="off";
            button .main name="order" value="run" { (words::ASK) " " (kind) }
        }
    }
}

/// Jobs at this node.
#[must_use]
pub fn jobs(sight: &Sight, session: &Session) -> Markup {
    let jobs = sight.node.iter().flat_map(|node| &node.details.jobs);
    let jobs: Vec<_> = jobs.collect();
    html! {
        @if jobs.is_empty() { p .help { (words::NO_JOB) } }
        @for job in jobs { (running(sight, job, session)) }
    }
}

fn running(sight: &Sight, job: &JobDetails, session: &Session) -> Markup {
    html! {
        div .job {
            span .state .running { (show::job_words(job)) }
            progress max=(job.budget.max(1)) value=(job.spent) aria-label=(show::kind_name(job.kind)) {}
            @if session.may_order() && job.author.is_some() {
                (order_button(sight, "abort", words::ABORT, None))
            }
        }
    }
}

fn order_button(sight: &Sight, order: &str, words: &str, ask: Option<&str>) -> Markup {
    html! {
        form method="post" action=(format!("/order/{}", sight.place.search.0)) data-ask=[ask] {
            input type="hidden" name="path" value=(sight.place.path());
            button id=(format!("order-{order}")) name="order" value=(order) { (words) }
        }
    }
}

/// What can be ordered at this node.
#[must_use]
pub fn orders(sight: &Sight, session: &Session) -> Markup {
    if !session.may_order() {
        return html! { p .help { (words::MAY_NOT) } };
    }
    let status = sight.node.as_ref().map(|node| node.details.status);
    let is_open = !matches!(
        status,
        None | Some(NodeStatus::Proved | NodeStatus::Failed | NodeStatus::Forgotten)
    );
    let paused = sight.node.as_ref().is_some_and(|node| node.details.paused);
    let can_forget = !sight.is_attackers_turn() && !sight.place.moves.is_empty();
    html! {
        @if paused {
            (order_button(sight, "resume", words::RESUME, None))
        } @else if is_open {
            (order_button(sight, "pause", words::PAUSE, None))
        }
        @if can_forget && status == Some(NodeStatus::Forgotten) {
            (order_button(sight, "remember", words::REMEMBER, None))
        } @else if can_forget && is_open {
            (order_button(sight, "forget", words::FORGET, None))
        }
        @if sight.root.view.stopped {
            span .state .stopped { (words::STOPPED) }
        } @else if sight.place.moves.is_empty() && is_open {
            (order_button(sight, "stop", words::STOP, Some(words::STOP_QUESTION)))
        }
    }
}
