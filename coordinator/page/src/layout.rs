//! What all screens share.

use maud::{DOCTYPE, Markup, html};

use crate::session::Session;
use crate::texts::{self, bar};

/// A screen, ready to be framed.
#[derive(Debug)]
pub struct Screen {
    pub title: String,
    /// The entry of the bar that is this screen; none if there are no other screens.
    pub here: Option<&'static str>,
    /// Where its news comes from.
    pub live: Option<String>,
    pub body: Markup,
}

/// Entries of the bar on top, with their keys.
const BAR: [(&str, &str, &str); 6] = [
    ("/", bar::SEARCHES, "s"),
    ("/map", bar::MAP, "p"),
    ("/book", bar::BOOK, "k"),
    ("/workers", bar::WORKERS, "w"),
    ("/orders", bar::ORDERS, "o"),
    ("/report", bar::REPORT, "r"),
];

impl Screen {
    /// The whole page.
    #[must_use]
    pub fn frame(self, session: Option<&Session>) -> Markup {
        let Self {
            title,
            here,
            live,
            body,
        } = self;
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) " · " (texts::NAME) }
                    link rel="icon" type="image/svg+xml" href="/assets/icon.svg";
                    link rel="stylesheet" href="/assets/style.css";
                    script type="module" src="/assets/page.js" {}
                }
                body data-live=[live] {
                    a .skip href="#content" { (texts::SKIP) }
                    (head(here, session))
                    main #content tabindex="-1" { (body) }
                    div #say .hidden aria-live="polite" {}
                    (keys(here.is_some()))
                }
            }
        }
    }
}

/// The bar on top, with the other screens for those who are in.
#[must_use]
pub fn head(here: Option<&str>, session: Option<&Session>) -> Markup {
    html! {
        header .topbar {
            a .name href="/" {
                img src="/assets/icon.svg" alt="" width="22" height="22";
                (texts::NAME)
            }
            @if let Some(session) = session {
                @if let Some(here) = here {
                    nav aria-label=(bar::LABEL) {
                        @for (address, name, key) in BAR {
                            @let is_here = (address == here).then_some("page");
                            a href=(address) aria-current=[is_here] data-key=(key) { (name) }
                        }
                    }
                }
                div .who {
                    span #connection role="status" {
                        noscript { (texts::NO_SCRIPT) }
                    }
                    button #show-keys .quiet type="button" aria-haspopup="dialog" { (texts::KEYS_BUTTON) }
                    form method="post" action="/logout" {
                        button .quiet title=(session.holder) { (texts::login::LOG_OUT) " " (session.holder) }
                    }
                }
            }
        }
    }
}

fn keys(has_screens: bool) -> Markup {
    let others = has_screens.then_some(texts::SCREEN_KEYS);
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { (texts::KEYS_TITLE) }
            table {
                tbody {
                    @for (key, what) in texts::KEYS.into_iter().chain(others.into_iter().flatten()) {
                        tr { th scope="row" { kbd { (key) } } td { (what) } }
                    }
                }
            }
            form method="dialog" { button .main autofocus { (texts::CLOSE) } }
        }
    }
}

/// A message above everything else.
#[must_use]
pub fn notice(kind: &str, words: &str) -> Markup {
    html! { p .notice .(kind) role="status" { (words) } }
}

/// The heading of a table's columns; those of numbers are on the right.
#[must_use]
pub fn columns(columns: &[(&str, bool)]) -> Markup {
    html! {
        @for (name, is_number) in columns {
            th scope="col" class=[is_number.then_some("n")] { (name) }
        }
    }
}
