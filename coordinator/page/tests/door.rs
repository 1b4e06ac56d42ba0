//! What strangers may cost, over real sockets: the limits are those of the grid's own door.

mod support;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gridproof_grid::security::{Authenticator, Authority, Identity, Limits};
use gridproof_host::files::Existing;
use gridproof_host::tls::{IdentityFiles, ServerFiles};
use gridproof_page::PageOptions;
use support::Page;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// Hours, so that a test that hangs shows which limit does not hold.
fn patient() -> Limits {
    Limits {
        introduction: Duration::from_secs(3600),
        unread: Duration::from_secs(3600),
        ..Limits::default()
    }
}

fn hasty() -> Limits {
    Limits {
        introduction: Duration::from_millis(20),
        ..patient()
    }
}

struct Site {
    host: String,
    entry: String,
}

impl Site {
    async fn start(limits: Limits, tls: Option<Arc<Identity>>) -> Self {
        let page = Page::new().await;
        let options = PageOptions {
            address: "127.0.0.1:0".parse().unwrap(),
            data: None,
            tls,
            limits,
            names: Vec::new(),
            book: None,
            authenticator: Authenticator::disabled(),
        };
        let started =
            gridproof_page::start(page.coordinator.clone(), options, CancellationToken::new());
        let address = started.await.unwrap().entry();
        let (_, address) = address.split_once("://").unwrap();
        let (host, entry) = address.split_at(address.find('/').unwrap());
        Self {
            host: host.to_owned(),
            entry: entry.to_owned(),
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.host).await.unwrap()
    }

    /// Asks for a path, and reads the head of the answer.
    async fn get(&self, stream: TcpStream, path: &str, cookie: &str) -> (TcpStream, String) {
        let host = &self.host;
        let request = format!("HEAD {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n");
        self.send(BufReader::new(stream), &request).await
    }

    /// Sends a request, and reads the head of the answer.
    async fn send(&self, mut stream: BufReader<TcpStream>, request: &str) -> (TcpStream, String) {
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).await.unwrap() > 0, "{head}");
        }
        (stream.into_inner(), head)
    }

    /// A connection over which somebody has come in, and the cookie.
    async fn enter(&self) -> (TcpStream, String) {
        let (stream, head) = self.get(self.connect().await, &self.entry, "").await;
        let line = head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = line.unwrap().split(';').next().unwrap().to_owned();
        (stream, cookie)
    }
}

/// Waits until the other side has hung up.
async fn is_dropped(mut stream: TcpStream) {
    let mut waste = [0; 4096];
    while !matches!(stream.read(&mut waste).await, Ok(0) | Err(_)) {}
}

#[tokio::test]
async fn who_says_nothing_or_dawdles_over_headers_is_dropped() {
    let site = Site::start(hasty(), None).await;
    is_dropped(site.connect().await).await;
    let mut slow = site.connect().await;
    slow.write_all(b"GET / HTTP/1.1\r\nhost:").await.unwrap();
    is_dropped(slow).await;
    let mut silent = site.connect().await;
    silent
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .await
        .unwrap();
    is_dropped(silent).await;
}

#[tokio::test]
async fn who_never_begins_the_handshake_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let now = SystemTime::now();
    let authority = Authority::create("Lab", now).unwrap();
    let server = authority.server(&["localhost".to_owned()], now).unwrap();
    server
        .save(folder.path(), "server", Existing::Replace)
        .unwrap();
    let identity = Identity::load(ServerFiles {
        identity: IdentityFiles {
            certificate: folder.path().join("server.pem"),
            key: folder.path().join("server.key"),
        },
        client_authority: None,
    });
    let tls = Some(Arc::new(identity.unwrap().for_browsers()));
    let site = Site::start(hasty(), tls).await;
    is_dropped(site.connect().await).await;
}

#[tokio::test]
async fn strangers_leave_room_for_who_has_logged_in() {
    let limits = Limits {
        strangers_of_address: 1,
        ..patient()
    };
    let site = Site::start(limits, None).await;
    let (known, cookie) = site.enter().await;
    let (known, head) = site.get(known, "/", &cookie).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    // Who is let in is no stranger, so there is room for one.
    let (stranger, head) = site.get(site.connect().await, "/", "").await;
    assert!(head.starts_with("HTTP/1.1 401"), "{head}");
    let another = site.connect().await;
    is_dropped(stranger).await;
    let (_known, head) = site.get(known, "/workers", &cookie).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    drop(another);
}

#[tokio::test]
async fn a_form_that_nobody_needs_is_not_taken_in() {
    let site = Site::start(patient(), None).await;
    let stream = BufReader::new(site.connect().await);
    let host = &site.host;
    // A megabyte is announced. After what a form needs nobody waits for the rest.
    let begun = "x".repeat(8 << 10);
    let request = format!(
        "POST /login HTTP/1.1\r\nhost: {host}\r\ncontent-length: 1000000\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\n{begun}"
    );
    let head = site.send(stream, &request).await.1;
    assert!(head.starts_with("HTTP/1.1 413"), "{head}");
}
