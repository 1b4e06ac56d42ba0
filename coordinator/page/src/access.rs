//! Who may come in, and what every answer says to a browser.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{COOKIE, HOST, LOCATION, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gridproof_grid::security::Peer;

use crate::screens::login;
use crate::session::{Right, Session, SessionKey};

/// Says whose a token is, and what its holder may do.
pub type TokenCheck = dyn Fn(&str) -> Option<Session> + Send + Sync;
/// Says whether a session's token is still good.
pub type StillGood = dyn Fn(&Session) -> bool + Send + Sync;

/// The door of the page.
#[derive(Clone)]
pub struct Access(Arc<Door>);

struct Door {
    key: SessionKey,
    /// In the address that is printed on the machine itself; good for one visit.
    entry: Mutex<Option<String>>,
    check: Box<TokenCheck>,
    still_good: Box<StillGood>,
    hosts: Vec<String>,
    cookie: String,
    is_encrypted: bool,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("hosts", &self.0.hosts)
            .finish_non_exhaustive()
    }
}

/// How the page is reached.
#[derive(Clone, Debug)]
pub struct Reach {
    pub address: SocketAddr,
    /// Further names, as a certificate has them.
    pub names: Vec<String>,
    pub is_encrypted: bool,
}

impl Reach {
    /// What a browser may call us: a page of somebody else whose name leads here may not.
    fn hosts(&self) -> Vec<String> {
        let port = self.address.port();
        let ip = self.address.ip();
        let own = SocketAddr::new(ip, port).to_string();
        let mut hosts = vec![own.clone()];
        if ip.is_loopback() || ip.is_unspecified() {
            let names = ["localhost", "127.0.0.1", "[::1]"];
            let others = names.map(|name| format!("{name}:{port}"));
            hosts.extend(others.into_iter().filter(|name| *name != own));
        }
        for name in &self.names {
            hosts.push(format!("{name}:{port}"));
            hosts.push(name.clone());
        }
        hosts
    }
}

impl Access {
    /// A door with its key. Cookies carry the port in their name, because browsers keep those of
    /// all ports of a host together.
    #[must_use]
    pub fn new(
        key: SessionKey,
        reach: &Reach,
        check: Box<TokenCheck>,
        still_good: Box<StillGood>,
    ) -> Self {
        Self(Arc::new(Door {
            key,
            entry: Mutex::new(None),
            check,
            still_good,
            hosts: reach.hosts(),
            cookie: format!("gridproof-{}", reach.address.port()),
            is_encrypted: reach.is_encrypted,
        }))
    }

    /// A secret for the address to print, which lets one visitor in with all rights.
    #[must_use]
    pub fn new_entry(&self) -> String {
        let secret = blake3::hash(&rand::random::<[u8; 32]>())
            .to_hex()
            .to_string();
        *self.entry() = Some(secret.clone());
        secret
    }

    fn entry(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.0.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session with the secret of the printed address; it is good for once.
    #[must_use]
    pub fn enter(&self, secret: &str) -> Option<Session> {
        let mut entry = self.entry();
        let known = entry.as_ref()?;
        let same = blake3::hash(known.as_bytes()) == blake3::hash(secret.as_bytes());
        same.then(|| {
            *entry = None;
            Session::begin("local", Right::Order, None)
        })
    }

    /// Begins a session with an operator's token.
    #[must_use]
    pub fn log_in(&self, token: &str) -> Option<Session> {
        (self.0.check)(token.trim())
    }

    /// Sends a browser elsewhere with its new cookie.
    #[must_use]
    pub fn admit(&self, session: &Session, to: &str) -> Response {
        self.with_cookie(&session.sealed(&self.0.key), 30 * 24 * 3600, to)
    }

    /// Takes the cookie back.
    #[must_use]
    pub fn dismiss(&self) -> Response {
        self.with_cookie("", 0, "/login")
    }

    fn with_cookie(&self, value: &str, seconds: u32, to: &str) -> Response {
        let secure = if self.0.is_encrypted { "; Secure" } else { "" };
        let cookie = format!(
            "{}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}",
            self.0.cookie
        );
        let headers = [(SET_COOKIE, cookie), (LOCATION, to.to_owned())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }

    /// Whether a session's token was not revoked meanwhile.
    #[must_use]
    pub fn is_still_good(&self, session: &Session) -> bool {
        (self.0.still_good)(session)
    }

    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        let cookies = headers
            .get_all(COOKIE)
            .into_iter()
            .filter_map(|line| line.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
        let prefix = format!("{}=", self.0.cookie);
        let cookie = pairs.find_map(|pair| pair.strip_prefix(&prefix))?;
        let session = Session::open(cookie, &self.0.key, SystemTime::now())?;
        self.is_still_good(&session).then_some(session)
    }
}

/// Refuses whoever reached us by a name that is not ours, and sets what browsers must heed.
pub async fn guard(State(access): State<Access>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().cloned();
    if let Some(peer) = &peer {
        peer.called();
    }
    let authority = request.uri().authority().map(ToString::to_string);
    let host = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let host = authority
        .or_else(|| host.map(str::to_owned))
        .unwrap_or_default();
    if !access.0.hosts.contains(&host) {
        let words = format!(
            "this page is not served as \"{host}\": use one of {}\n",
            access.0.hosts.join(", ")
        );
        return (StatusCode::MISDIRECTED_REQUEST, words).into_response();
    }
    if let Some(session) = access.session(request.headers()) {
        if let Some(peer) = peer {
            peer.admit();
        }
        request.extensions_mut().insert(session);
    }
    request.extensions_mut().insert(access);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "same-origin");
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Somebody who may look.
#[derive(Clone, Debug)]
pub struct Reader(pub Session);

/// Somebody who may order.
#[derive(Clone, Debug)]
pub struct Operator(pub Session);

impl<S: Send + Sync> FromRequestParts<S> for Reader {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        match parts.extensions.get::<Session>() {
            Some(session) => Ok(Self(session.clone())),
            None => Err(login::ask(parts.uri.path())),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let Reader(session) = Reader::from_request_parts(parts, state).await?;
        if session.may_order() {
            Ok(Self(session))
        } else {
            Err(login::may_only_read())
        }
    }
}
