//! The page over a graph of a million nodes: what a screen costs, how fast news come, and what
//! fifty open pages cost the search.
//!
//! `cargo bench -p gridproof-page --bench large_graph`; the figures are in
//! `docs/benchmarks/page.md`. GRIDPROOF_NODES changes the size of the graph.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use gridproof_grid::security::{Authenticator, Limits};
use gridproof_page::{PageOptions, Right};
use gridproof_search::{NodeId, Order};
use support::{Crowd, Page, text};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const NODES: usize = 1_000_000;
const PAGES: usize = 50;
const ROUNDS: usize = 12;
/// How long each part of a round takes.
const PART: Duration = Duration::from_secs(2);

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
            limits: Limits::default(),
            names: Vec::new(),
            authenticator: Authenticator::disabled(),
        };
        let started =
            gridproof_page::start(page.coordinator.clone(), options, CancellationToken::new());
        let address = started.await.unwrap().entry();
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

async fn next_event(stream: &mut BufReader<TcpStream>, name: &str) {
    let mut line = String::new();
    while line.trim_end() != format!("event: {name}") {
        line.clear();
        assert!(
            stream.read_line(&mut line).await.unwrap() > 0,
            "the stream is open"
        );
    }
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

/// Answers without and with fifty open pages, by turns.
async fn open_pages(page: &Page, site: &Site, crowd: &mut Crowd) {
    let places = places(page).await;
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(Speed::measure(crowd).await);
        let mut readers = Vec::new();
        for number in 0..PAGES {
            let mut stream = site.get(&places[number % places.len()]).await;
            // What a page costs while it opens is told with the screens.
            next_event(&mut stream, "part").await;
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
        watched.push(Speed::measure(crowd).await);
        for reader in readers {
            reader.abort();
        }
    }
    let tell = |what: &str, speed: fn(&Speed) -> f64| {
        let of = |speeds: &[Speed]| speeds.iter().map(speed).collect::<Vec<_>>();
        let (alone, watched) = (of(&alone), of(&watched));
        let ratios = watched.iter().zip(&alone).map(|(w, a)| w / a).collect();
        let [least, ratio, most] = spread(ratios);
        println!(
            "{what}: {:.0} alone, {:.0} with {PAGES} open pages; ratio {ratio:.3} (from {least:.3} to {most:.3})",
            spread(alone)[1],
            spread(watched)[1],
        );
    };
    println!();
    tell("answers a second by the clock", |speed| speed.by_clock);
    tell("answers a second of processor time", |speed| {
        speed.by_processor
    });
}

/// The least, the median and the most.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}

/// Answers that are taken in, a second.
struct Speed {
    by_clock: f64,
    /// Of this process: the page's own time counts against the search, as on one core. Other
    /// programs on the machine do not.
    by_processor: f64,
}

impl Speed {
    async fn measure(crowd: &mut Crowd) -> Self {
        let (started, before) = (Instant::now(), processor_time());
        let mut answers = 0.0;
        while started.elapsed() < PART {
            for _ in 0..100 {
                crowd.answer().await;
            }
            answers += 100.0;
        }
        Self {
            by_clock: answers / started.elapsed().as_secs_f64(),
            by_processor: answers / (processor_time() - before).as_secs_f64(),
        }
    }
}

/// Half the pages at the root, the others at its moves, the searches and the workers.
async fn places(page: &Page) -> Vec<String> {
    let cookie = page.cookie(Right::Order);
    let root = text(page.get("/search/1", Some(&cookie)).await).await;
    // Moves as the page names them: nodes are turned.
    let moves = root.split("id=\"go-").skip(1).filter_map(|row| {
        let (mv, _) = row.split_once('"')?;
        Some(format!("/live/search/1/{mv}"))
    });
    let mut places = vec!["/live/searches".to_owned(), "/live/workers".to_owned()];
    places.extend(moves.take(10));
    let roots = vec!["/live/search/1".to_owned(); places.len()];
    places.extend(roots);
    places
}
