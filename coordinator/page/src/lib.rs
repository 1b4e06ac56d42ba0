//! The page of a grid: people see where proofs stand, play stones, ask the grid about them and
//! leave hints.
//!
//! The server renders everything; scripts only pick stones and take in what has changed. All
//! that the page can do goes through the same [`Coordinator`] handle that serves the command
//! line, so looking changes nothing in the search, and orders carry the name of who gave them.

mod access;
mod address;
mod assets;
mod board;
mod error;
mod layout;
mod live;
mod look;
mod proofs;
mod screens;
mod server;
mod session;
mod show;
mod start;
mod subscriptions;
mod texts;

use std::path::PathBuf;

use axum::extract::{DefaultBodyLimit, FromRef};
use axum::routing::{get, post};
use axum::{Router, middleware};
use gridproof_grid::coordinator::Coordinator;
use gridproof_grid::logs::Journal;
use tokio_util::sync::CancellationToken;
use tower_http::csrf::CsrfLayer;

use subscriptions::Subscriptions;

pub use access::{Access, Reach, StillGood, TokenCheck};
pub use proofs::ProofShelf;
pub use server::ServeError;
pub use session::{Right, Session, SessionKey};
pub use start::{PageAddress, PageOptions, PageStartError, start, start_book, start_proof};

/// What all screens work with.
#[derive(Clone, Debug)]
pub struct App {
    coordinator: Coordinator,
    access: Access,
    shelf: ProofShelf,
    journal: Option<Journal>,
    book: Option<PathBuf>,
    subscriptions: Subscriptions,
    shutdown: CancellationToken,
}

impl App {
    /// A page over a running coordinator. Its streams end with `shutdown`. It must be made inside
    /// of a tokio runtime.
    #[must_use]
    pub fn new(
        coordinator: Coordinator,
        access: Access,
        journal: Option<Journal>,
        shutdown: CancellationToken,
    ) -> Self {
        let subscriptions = Subscriptions::default();
        subscriptions.follow(&coordinator, shutdown.clone());
        Self {
            shelf: ProofShelf::of_grid(coordinator.clone()),
            coordinator,
            access,
            journal,
            book: None,
            subscriptions,
            shutdown,
        }
    }

    /// The same with a screen for a book of openings.
    #[must_use]
    pub fn with_book(mut self, book: Option<PathBuf>) -> Self {
        self.shelf = self.shelf.with_book(book.clone());
        self.book = book;
        self
    }

    /// All screens.
    pub fn router(self) -> Router {
        use screens::{map, orders, report, searches, tree, workbench, workers};
        let access = self.access.clone();
        let (shelf, book) = (self.shelf.clone(), self.book.clone());
        let screens = Router::new()
            .route("/", get(searches::show))
            .route("/submit", post(searches::submit))
            .route("/search/{search}", get(workbench::root))
            .route("/search/{search}/{*path}", get(workbench::bench))
            .route("/go/{search}", get(workbench::go))
            .route("/node/{node}", get(workbench::node))
            .route("/order/{search}", post(orders::give))
            .route("/orders", get(orders::journal))
            .route("/tree/{search}", get(tree::root))
            .route("/tree/{search}/{*path}", get(tree::tree))
            .route("/branch/{search}/{*path}", get(tree::branch))
            .route("/workers", get(workers::show))
            .route(
                "/withdraw",
                get(workers::withdraw_question).post(workers::withdraw_worker),
            )
            .route("/release", post(workers::release_worker))
            .route("/map", get(map::show))
            .route("/report", get(report::show))
            .route("/live/search/{search}", get(live::root))
            .route("/live/search/{search}/", get(live::root))
            .route("/live/search/{search}/{*path}", get(live::bench))
            .route("/live/searches", get(live::all))
            .route("/live/workers", get(live::machines))
            .route("/live/map", get(live::openings))
            .with_state(self);
        let screens =
            screens
                .merge(proof_screens(shelf))
                .merge(book_screens(screens::book::Shelf {
                    file: book,
                    has_grid: true,
                }));
        framed(screens, access)
    }
}

/// The explorer of one proof alone, for `gridproof explain FILE --page`.
pub fn proof_router(shelf: ProofShelf, access: Access) -> Router {
    let to_proof = || async { axum::response::Redirect::to("/proof/file") };
    let screens = Router::new().route("/", get(to_proof));
    framed(screens.merge(proof_screens(shelf)), access)
}

/// A book of openings alone, for `gridproof book show FILE --page`.
pub fn book_router(book: PathBuf, access: Access) -> Router {
    let to_book = || async { axum::response::Redirect::to("/book") };
    let shelf = ProofShelf::of_book(book.clone());
    let screens = Router::new().route("/", get(to_book));
    let screens = screens
        .merge(proof_screens(shelf))
        .merge(book_screens(screens::book::Shelf {
            file: Some(book),
            has_grid: false,
        }));
    framed(screens, access)
}

fn book_screens(shelf: screens::book::Shelf) -> Router {
    use screens::book;
    Router::new()
        .route("/book", get(book::start))
        .route("/book/", get(book::start))
        .route("/book/{*path}", get(book::show))
        .route("/book-go", get(book::go))
        .with_state(shelf)
}

fn proof_screens(shelf: ProofShelf) -> Router {
    use screens::proof;
    Router::new()
        .route("/proof/{name}", get(proof::start))
        .route("/proof/{name}/", get(proof::start))
        .route("/proof/{name}/{*path}", get(proof::explore))
        .route("/proof-file/{name}", get(proof::file))
        .route("/defend", get(proof::defend))
        .with_state(shelf)
}

/// The door around screens: who comes in, and what browsers must heed.
fn framed(inner: Router, access: Access) -> Router {
    use screens::login;
    let door = Router::new()
        .route("/enter", get(login::enter))
        .route("/login", get(login::show).post(login::log_in))
        .route("/logout", post(login::log_out))
        // Strangers may send it, many at a time.
        .layer(DefaultBodyLimit::max(4 << 10))
        .with_state(access.clone());
    inner
        .merge(door)
        .route("/assets/{name}", get(assets::asset))
        .layer(CsrfLayer::new())
        .layer(middleware::from_fn_with_state(access, access::guard))
}

impl FromRef<App> for Access {
    fn from_ref(app: &App) -> Self {
        app.access.clone()
    }
}

/// A text as part of an address's query.
fn query_text(text: &str) -> String {
    let mut query = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => query.push(byte.into()),
            _ => query += &format!("%{byte:02X}"),
        }
    }
    query
}
