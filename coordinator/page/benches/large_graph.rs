//! The page over a graph of a million nodes: what a screen costs, how fast news come, and what
//! fifty open pages cost the search.
//!
//! `cargo bench -p gridproof-page --bench large_graph`; the figures are in
//! `docs/benchmarks/page.md`. GRIDPROOF_NODES changes the size of the graph.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use gridproof_page::{PageOptions, Right};
use gridproof_search::{NodeId, Order};
use support::{Crowd, Page, text};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const NODES: usize = 1_000_000;
const PAGES: usize = 50;
const ROUNDS: usize = 12;
/// Answers of each part of a round.
const ANSWERS: usize = 10_000;

#[tokio::main]
async fn main() {
    let nodes = std::env::var("GRIDPROOF_NODES").map_or(NODES, |text| text.parse().unwrap());
    let page = Page::new().await;
    let mut crowd = Crowd::join(&page.coordinator, 64).await;
    let started = Instant::now();
    while page.nodes().await < nodes {
        for _ in 0..1_000 {
            crowd.answer().await;
        }
    }
    println!(
        "{} nodes after {:.0?}",
        page.nodes().await,
        started.elapsed()
    );
    screens(&page).await;
    let site = Site::start(&page).await;
    events(&page, &site).await;
    open_pages(&page, &site, &mut crowd).await;
}

/// Processor time of this process, all threads together.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").expect("this is Linux");
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

async fn screens(page: &Page) {
    const TIMES: u32 = 40;
    let cookie = page.cookie(Right::Order);
    println!("\n| screen | processor time | bytes |\n|---|---:|---:|");
    for path in support::SCREENS {
        let mut size = 0;
        let before = processor_time();
        for _ in 0..TIMES {
            size = text(page.get(path, Some(&cookie)).await).await.len();
        }
        let took = (processor_time() - before) / TIMES;
        println!("| `{path}` | {:.2} ms | {size} |", took.as_secs_f64() * 1e3);
    }
}

/// The same page behind a real port.
struct Site {
    host: String,
    cookie: String,
}

impl Site {
    async fn start(page: &Page) -> Self {
        let options = PageOptions {
            book: None,
            address: "127.0.0.1:0".parse().unwrap(),
            data: None,
            tls: None,
            names: Vec::new(),
            authenticator: gridproof_grid::security::Authenticator::disabled(),
        };
        let started =
            gridproof_page::start(page.coordinator.clone(), options, CancellationToken::new());
        let address = started.await.unwrap();
        let address = address.trim_start_matches("http://");
        let (host, entry) = address.split_at(address.find('/').unwrap());
        let mut site = Self {
            host: host.to_owned(),
            cookie: String::new(),
        };
        let mut answer = site.get(entry).await;
        let mut line = String::new();
        while answer.read_line(&mut line).await.unwrap() > 0 {
            if let Some(cookie) = line.strip_prefix("set-cookie: ") {
                site.cookie = cookie.split(';').next().unwrap().to_owned();
            }
            line.clear();
        }
        site
    }

    async fn get(&self, path: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).await.unwrap();
        let (host, cookie) = (&self.host, &self.cookie);
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n");
        let end = match path.starts_with("/live") {
            true => "\r\n",
            false => "connection: close\r\n\r\n",
        };
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.write_all(end.as_bytes()).await.unwrap();
        BufReader::new(stream)
    }
}

/// From an order that was just carried out to the part of the page that it changes.
async fn events(page: &Page, site: &Site) {
    let mut stream = site.get("/live/search/1").await;
    let mut line = String::new();
    next_part(&mut stream, &mut line, "orders").await;
    let mut times = Vec::new();
    for round in 0..40 {
        let node = NodeId(0);
        let order = match round % 2 {
            0 => Order::Pause { node },
            _ => Order::Resume { node },
        };
        page.coordinator.order(order).await.unwrap();
        let given = Instant::now();
        next_part(&mut stream, &mut line, "orders").await;
        times.push(given.elapsed());
    }
    times.sort();
    println!(
        "\nan event reaches the browser within {:.0?} (median {:.0?})",
        times[times.len() - 1],
        times[times.len() / 2]
    );
}

async fn next_part(stream: &mut BufReader<TcpStream>, line: &mut String, name: &str) {
    loop {
        line.clear();
        assert!(
            stream.read_line(line).await.unwrap() > 0,
            "the stream is open"
        );
        if line.trim_end() == format!("data: {name}") {
            return;
        }
    }
}

/// Answers a second without and with fifty open pages, by turns.
async fn open_pages(page: &Page, site: &Site, crowd: &mut Crowd) {
    let places = places(page).await;
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(speed(crowd).await);
        let mut readers = Vec::new();
        for number in 0..PAGES {
            let path = &places[number % places.len()];
            let mut stream = site.get(path).await;
            readers.push(tokio::spawn(async move {
                let mut line = Vec::new();
                while stream
                    .read_until(b'\n', &mut line)
                    .await
                    .is_ok_and(|n| n > 0)
                {
                    line.clear();
                }
            }));
        }
        watched.push(speed(crowd).await);
        for reader in readers {
            reader.abort();
        }
    }
    let mut ratios: Vec<_> = watched.iter().zip(&alone).map(|(w, a)| w / a).collect();
    ratios.sort_by(f64::total_cmp);
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!(
        "answers a second: {:.0} alone, {:.0} with {PAGES} open pages; ratio {:.3} (from {:.3} to {:.3})",
        median(&mut alone),
        median(&mut watched),
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
    );
}

/// Half the pages at the root, the others at its moves, the searches and the workers.
async fn places(page: &Page) -> Vec<String> {
    let children = page.coordinator.ask(|core| core.children(NodeId(0)));
    let moves = children.await.unwrap().into_iter().map(|child| {
        let stones: Vec<_> = child.mv.stones().iter().map(ToString::to_string).collect();
        format!("/live/search/1/{}", stones.join("-"))
    });
    let mut places = vec!["/live/searches".to_owned(), "/live/workers".to_owned()];
    places.extend(moves.take(10));
    let roots = vec!["/live/search/1".to_owned(); places.len()];
    places.extend(roots);
    places
}

/// Answers a second of the coordinator's own time.
async fn speed(crowd: &mut Crowd) -> f64 {
    let started = Instant::now();
    for _ in 0..ANSWERS {
        crowd.answer().await;
    }
    ANSWERS as f64 / started.elapsed().as_secs_f64()
}
