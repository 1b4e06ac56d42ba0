//! Coming in.

use axum::extract::{Form, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use serde::Deserialize;

use crate::access::Access;
use crate::layout::{Screen, notice};
use crate::texts::login as words;

/// The secret of the printed address.
#[derive(Debug, Deserialize)]
pub struct Entry {
    #[serde(default)]
    key: String,
}

/// What the form sends.
#[derive(Debug, Deserialize)]
pub struct Credentials {
    token: String,
    #[serde(default)]
    to: String,
}

/// Where somebody wanted to go.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    #[serde(default)]
    to: String,
}

/// Lets the visitor of the printed address in, once.
pub async fn enter(State(access): State<Access>, Query(entry): Query<Entry>) -> Response {
    match access.enter(&entry.key) {
        Some(session) => access.admit(&session, "/"),
        None => (StatusCode::FORBIDDEN, form("/", Some(words::ENTRY_USED))).into_response(),
    }
}

/// The form.
pub async fn show(Query(wanted): Query<Wanted>) -> Response {
    form(&wanted.to, None).into_response()
}

/// Takes a token.
pub async fn log_in(State(access): State<Access>, Form(sent): Form<Credentials>) -> Response {
    match access.log_in(&sent.token) {
        Some(session) => access.admit(&session, local(&sent.to)),
        None => {
            let again = form(&sent.to, Some(words::WRONG));
            (StatusCode::FORBIDDEN, again).into_response()
        }
    }
}

/// Forgets the visitor.
pub async fn log_out(State(access): State<Access>) -> Response {
    access.dismiss()
}

/// Asks somebody who is not in yet for a token.
pub fn ask(wanted: &str) -> Response {
    (StatusCode::UNAUTHORIZED, form(wanted, None)).into_response()
}

/// Refuses an order.
pub fn may_only_read() -> Response {
    let screen = Screen {
        title: words::NOT_ALLOWED.to_owned(),
        here: None,
        live: None,
        body: html! {
            h1 { (words::NOT_ALLOWED) }
            (notice("error", words::MAY_ONLY_READ))
        },
    };
    (StatusCode::FORBIDDEN, screen.frame(None)).into_response()
}

/// Only addresses of this page: a link must not lead elsewhere by way of the login.
fn local(to: &str) -> &str {
    let leads_away = |c: char| c == '\\' || c.is_control();
    if to.starts_with('/') && !to.starts_with("//") && !to.contains(leads_away) {
        to
    } else {
        "/"
    }
}

fn form(to: &str, wrong: Option<&str>) -> maud::Markup {
    let body = html! {
        div .login .card {
            h1 { (words::TITLE) }
            @if let Some(wrong) = wrong { (notice("error", wrong)) }
            form method="post" action="/login" {
                input type="hidden" name="to" value=(local(to));
                p {
                    label for="token" { (words::TOKEN) }
                    input #token type="password" name="token" autocomplete="current-password"
                        required autofocus;
                }
                button .main { (words::TITLE) }
            }
            p .help { (words::HINT) }
            p .help { code { (words::COMMAND) } }
        }
    };
    Screen {
        title: words::TITLE.to_owned(),
        here: None,
        live: None,
        body,
    }
    .frame(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_login_leads_nowhere_else() {
        for elsewhere in [
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            // Browsers leave these out of an address.
            "/\t/evil.example",
            "/\n/evil.example",
            "\r//evil.example",
            "",
        ] {
            assert_eq!(local(elsewhere), "/");
        }
        assert_eq!(local("/search/1/k11-l10"), "/search/1/k11-l10");
    }
}
