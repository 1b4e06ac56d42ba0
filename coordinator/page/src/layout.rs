//! What all screens share.

use maud::{DOCTYPE, Markup, html};

use crate::session::Session;
use crate::texts;

/// A screen, ready to be framed.
#[derive(Debug)]
pub struct Screen {
    pub title: String,
    /// The entry of the bar that is this screen.
    pub here: &'static str,
    /// Where its news comes from.
    pub live: Option<String>,
    pub body: Markup,
}

/// Entries of the bar on top, with their keys.
const BAR: [(&str, &str, &str); 6] = [
    ("/", texts::SEARCHES, "s"),
    ("/workers", texts::WORKERS, "w"),
    ("/orders", texts::ORDERS, "o"),
    ("/map", texts::MAP, ""),
    ("/book", texts::BOOK, ""),
    ("/report", texts::REPORT, "r"),
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
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href="/assets/style.css";
                    script type="module" src="/assets/page.js" {}
                }
                body data-live=[live] {
                    a .skip href="#content" { (texts::SKIP) }
                    header {
                        a .name href="/" { (texts::NAME) }
                        @if let Some(session) = session {
                            nav aria-label="screens" {
                                @for (address, name, key) in BAR {
                                    @let is_here = (address == here).then_some("page");
                                    @let key = (!key.is_empty()).then_some(key);
                                    a href=(address) aria-current=[is_here] data-key=[key] { (name) }
                                }
                            }
                            span #connection role="status" {
                                noscript { (texts::NO_SCRIPT) }
                            }
                            form method="post" action="/logout" {
                                button { (texts::LOG_OUT) " " (session.holder) }
                            }
                        }
                    }
                    main #content tabindex="-1" { (body) }
                    div #say .hidden aria-live="polite" {}
                    dialog #keys aria-labelledby="keys-title" {
                        h2 #keys-title { "Keys" }
                        table {
                            @for (key, what) in texts::KEYS {
                                tr { th scope="row" { kbd { (key) } } td { (what) } }
                            }
                        }
                        form method="dialog" { button { "Close" } }
                    }
                }
            }
        }
    }
}

/// A message above everything else.
#[must_use]
pub fn notice(kind: &str, words: &str) -> Markup {
    html! { p .notice .(kind) role="status" { (words) } }
}
