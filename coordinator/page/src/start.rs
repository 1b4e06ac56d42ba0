//! Starts the page beside a coordinator.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use gridproof_grid::coordinator::Coordinator;
use gridproof_grid::logs::Journal;
use gridproof_grid::security::{Authenticator, Identity, Incoming, Limits, Role};
use gridproof_host::files::{self, Existing, FileError};
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Reach};
use crate::server::{self, ServeError};
use crate::session::{Right, Session, SessionKey};
use crate::{App, ProofShelf, book_router, proof_router};

/// What a page needs to know of its place.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// Where it listens.
    pub address: SocketAddr,
    /// The folder of the grid: it keeps the key of sessions, and the journal. None: sessions
    /// end with the program.
    pub data: Option<PathBuf>,
    /// None: plain HTTP, for loopback.
    pub tls: Option<Arc<Identity>>,
    /// What connections may take.
    pub limits: Limits,
    /// Names by which browsers may reach it, beside the address.
    pub names: Vec<String>,
    /// The book of openings that it shows.
    pub book: Option<PathBuf>,
    /// Knows operators' and readers' tokens.
    pub authenticator: Authenticator,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageStartError {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Key(#[from] FileError),
}

/// Where a page is. As text it is harmless: the key is in [`entry`](Self::entry) alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PageAddress {
    site: String,
    key: Option<String>,
}

impl PageAddress {
    /// The address to open: on this machine it has a key that lets one visitor in.
    #[must_use]
    pub fn entry(&self) -> String {
        match &self.key {
            Some(key) => format!("{}/enter?key={key}", self.site),
            None => self.to_string(),
        }
    }

    /// Whether the address to open has a key.
    #[must_use]
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.site)
    }
}

impl fmt::Debug for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageAddress({self})")
    }
}

/// Serves the page of a coordinator; tells where.
pub async fn start(
    coordinator: Coordinator,
    options: PageOptions,
    shutdown: CancellationToken,
) -> Result<PageAddress, PageStartError> {
    let journal = options
        .data
        .as_ref()
        .map(|data| Journal::at(data.join("journal")));
    let to_end = shutdown.clone();
    let book = options.book.clone();
    let router = move |access| {
        let app = App::new(coordinator, access, journal, to_end);
        app.with_book(book).router()
    };
    run(options, router, shutdown).await
}

/// Serves the explorer of one proof; tells where.
pub async fn start_proof(
    shelf: ProofShelf,
    options: PageOptions,
    shutdown: CancellationToken,
) -> Result<PageAddress, PageStartError> {
    run(options, |access| proof_router(shelf, access), shutdown).await
}

/// Serves a book of openings; tells where.
pub async fn start_book(
    book: PathBuf,
    options: PageOptions,
    shutdown: CancellationToken,
) -> Result<PageAddress, PageStartError> {
    run(options, |access| book_router(book, access), shutdown).await
}

async fn run(
    options: PageOptions,
    router: impl FnOnce(Access) -> Router,
    shutdown: CancellationToken,
) -> Result<PageAddress, PageStartError> {
    let listener = server::listen(options.address).await?;
    // Whoever asked for port 0 gets the real one.
    let address = listener.local_addr().unwrap_or(options.address);
    let reach = Reach {
        address,
        names: options.names.clone(),
        is_encrypted: options.tls.is_some(),
    };
    let refusals = options.authenticator.refusals();
    let incoming = Incoming::new(listener, options.tls, options.limits, refusals);
    let key = match &options.data {
        Some(data) => session_key(data)?,
        None => SessionKey::random(),
    };
    let (tokens, still_good) = (options.authenticator.clone(), options.authenticator);
    let access = Access::new(
        key,
        &reach,
        Box::new(move |token| log_in(&tokens, token)),
        Box::new(move |session| {
            session
                .token
                .is_none_or(|token| still_good.is_in_force(token))
        }),
    );
    let scheme = if reach.is_encrypted { "https" } else { "http" };
    let host = options.names.first().map_or_else(
        || address.to_string(),
        |name| format!("{name}:{}", address.port()),
    );
    let is_local = address.ip().is_loopback();
    let key = is_local.then(|| access.new_entry());
    tokio::spawn(server::serve(incoming, router(access), shutdown));
    Ok(PageAddress {
        site: format!("{scheme}://{host}"),
        key,
    })
}

fn log_in(tokens: &Authenticator, token: &str) -> Option<Session> {
    let record = tokens.identify(token).ok()?;
    let right = match record.role {
        Role::Operator => Right::Order,
        Role::Reader => Right::Read,
        Role::Worker => return None,
    };
    Some(Session::begin(
        &record.name.to_string(),
        right,
        Some(record.id),
    ))
}

/// The key of the folder, made at the first start: so sessions outlive a restart.
fn session_key(data: &Path) -> Result<SessionKey, FileError> {
    let path = data.join("page.key");
    match files::read(&path) {
        Ok(secret) => Ok(SessionKey::from_secret(&secret)),
        Err(error) if error.is_missing() => {
            let secret: [u8; 32] = rand::random();
            files::write(&path, &secret, files::Access::Owner, Existing::Keep)?;
            Ok(SessionKey::from_secret(&secret))
        }
        Err(error) => Err(error),
    }
}
