//! News for open pages: one stream a tab, with the parts of its screen that have changed.
//!
//! What concerns the position on a screen goes out at once, unless much happens there; for
//! anything else the screen is looked at again once a second. A part is sent only if it differs
//! from what was sent before.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use gridproof_grid::coordinator::{Coordinator, GridEvent};
use gridproof_search::{NodeId, SearchId};
use maud::Markup;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::access::Reader;
use crate::address::Place;
use crate::screens::{map, searches, workbench, workers};
use crate::session::Session;
use crate::texts::spoken;
use crate::{App, board, look, show};

/// Events that come together are answered together.
const GATHER: Duration = Duration::from_millis(50);
/// A browser that lost us comes back so often.
const RETRY: Duration = Duration::from_secs(1);
/// How often a screen is looked at for what does not concern it directly.
const CALM: Duration = Duration::from_secs(1);
/// Looks that jobs may cause one after the other. Each calm look gives one back, so a position
/// where jobs end all the time is looked at twice a second.
const HASTY_LOOKS: u32 = 4;

type News = Sse<KeepAliveStream<ReceiverStream<Result<Event, Infallible>>>>;

/// A screen whose parts can come anew.
enum Watched {
    Bench { place: Place, view: workbench::View },
    Searches { from: usize },
    Workers,
    Map { from: usize },
}

/// News of a position.
pub async fn bench(
    app: State<App>,
    reader: Reader,
    Path((search, path)): Path<(u32, String)>,
    Query(view): Query<workbench::View>,
) -> Result<News, crate::error::PageError> {
    let place = Place::read(SearchId(search), &path)?;
    Ok(watch(app, reader, Watched::Bench { place, view }))
}

/// News of a search's root.
pub async fn root(
    app: State<App>,
    reader: Reader,
    Path(search): Path<u32>,
    view: Query<workbench::View>,
) -> Result<News, crate::error::PageError> {
    bench(app, reader, Path((search, String::new())), view).await
}

/// News of all searches.
pub async fn all(app: State<App>, reader: Reader, Query(view): Query<searches::View>) -> News {
    watch(app, reader, Watched::Searches { from: view.from })
}

/// News of workers and jobs.
pub async fn machines(app: State<App>, reader: Reader) -> News {
    watch(app, reader, Watched::Workers)
}

/// News of the map.
pub async fn openings(app: State<App>, reader: Reader, Query(view): Query<map::View>) -> News {
    watch(app, reader, Watched::Map { from: view.from })
}

fn watch(State(app): State<App>, Reader(session): Reader, watched: Watched) -> News {
    let (out, stream) = mpsc::channel(16);
    tokio::spawn(tell(app, session, watched, out));
    Sse::new(ReceiverStream::new(stream)).keep_alive(KeepAlive::default())
}

/// Until the browser hangs up, the session's token is revoked, or the program ends.
async fn tell(app: App, session: Session, watched: Watched, out: Out) {
    let mut events = app.subscriptions.subscribe();
    let mut hasty_looks = HASTY_LOOKS;
    let mut sent = BTreeMap::new();
    let version = Event::default()
        .event("version")
        .retry(RETRY)
        .data(env!("CARGO_PKG_VERSION"));
    if out.send(Ok(version)).await.is_err() {
        return;
    }
    loop {
        let Some(node) = tell_changes(&app, &session, &watched, &mut sent, &out).await else {
            return;
        };
        events.look_at(node);
        let calm = tokio::time::sleep(CALM);
        tokio::pin!(calm);
        loop {
            tokio::select! {
                () = app.shutdown.cancelled() => return,
                () = out.closed() => return,
                () = &mut calm => {
                    hasty_looks = HASTY_LOOKS.min(hasty_looks + 1);
                    break;
                }
                event = events.next() => {
                    say(&event, &watched, node, &out).await;
                    if !is_for_people(&event) {
                        if hasty_looks == 0 {
                            continue;
                        }
                        hasty_looks -= 1;
                    }
                    tokio::time::sleep(GATHER).await;
                    while let Some(event) = events.waiting() {
                        say(&event, &watched, node, &out).await;
                    }
                    break;
                }
            }
        }
        if !app.access.is_still_good(&session) {
            return;
        }
    }
}

/// Reads an event out. That nobody listens any more is noticed by the next part.
async fn say(event: &GridEvent, watched: &Watched, shown: Option<NodeId>, out: &Out) {
    if let Some(words) = words_for(event, watched, shown) {
        let _ = out
            .send(Ok(Event::default().event("say").data(words)))
            .await;
    }
}

type Out = mpsc::Sender<Result<Event, Infallible>>;

/// Sends parts that have changed; tells the node on the screen. Nothing once nobody listens.
async fn tell_changes(
    app: &App,
    session: &Session,
    watched: &Watched,
    sent: &mut BTreeMap<&'static str, u64>,
    out: &Out,
) -> Option<Option<NodeId>> {
    let (node, parts) = parts(&app.coordinator, session, watched).await?;
    for (name, part) in parts {
        let part = part.into_string();
        let hash = fingerprint(&part);
        if sent.insert(name, hash) != Some(hash) {
            // The name and the inside of the part; the browser splits at the first newline.
            let event = Event::default()
                .event("part")
                .data(format!("{name}\n{part}"));
            out.send(Ok(event)).await.ok()?;
        }
    }
    Some(node)
}

fn fingerprint(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    u64::from_le_bytes(
        hash.as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}

async fn parts(
    coordinator: &Coordinator,
    session: &Session,
    watched: &Watched,
) -> Option<(Option<NodeId>, Vec<(&'static str, Markup)>)> {
    Some(match watched {
        Watched::Bench { place, view } => {
            let sight = look::sight(coordinator, place.clone(), view.selection())
                .await
                .ok()?;
            let ways = look::ways(coordinator, &sight).await.ok()?;
            let variations = workbench::variations(&sight);
            let rules = sight.position.rules();
            let parts = vec![
                ("status", workbench::status(&sight)),
                ("variations", board::draw_variations(rules, &variations)),
                ("moves", workbench::table(&sight, view, session)),
                ("jobs", workbench::jobs(&sight, session)),
                ("orders", workbench::orders(&sight, session)),
                ("ways", workbench::ways_on(&sight, &ways)),
            ];
            (sight.id(), parts)
        }
        Watched::Searches { from } => {
            let snapshot = coordinator.snapshot().await.ok()?;
            let parts = vec![
                ("totals", searches::totals(&snapshot)),
                ("searches", searches::table(&snapshot, *from)),
            ];
            (None, parts)
        }
        Watched::Workers => {
            let snapshot = coordinator.snapshot().await.ok()?;
            let jobs = coordinator.jobs(workers::JOBS).await.ok()?;
            let parts = vec![
                ("workers", workers::workers(&snapshot, &jobs, session)),
                ("running", workers::running(&jobs, session)),
            ];
            (None, parts)
        }
        Watched::Map { from } => {
            let snapshot = coordinator.snapshot().await.ok()?;
            (None, vec![("map", map::map(&snapshot.searches, *from))])
        }
    })
}

/// Whether people wait for this: their own orders, and what is proved.
fn is_for_people(event: &GridEvent) -> bool {
    matches!(
        event,
        GridEvent::Ordered(_) | GridEvent::Verdict { .. } | GridEvent::Proved { .. }
    )
}

/// What is read out to those who do not see the screen.
fn words_for(event: &GridEvent, watched: &Watched, shown: Option<NodeId>) -> Option<String> {
    let Watched::Bench { place, .. } = watched else {
        return None;
    };
    match event {
        GridEvent::Proved { node } if shown == Some(*node) => Some(spoken::PROVED.to_owned()),
        GridEvent::JobEnded {
            node, kind, end, ..
        } if shown == Some(*node) => Some(format!(
            "{} {} {end}",
            show::kind_name(*kind),
            spoken::JOB_ENDED
        )),
        GridEvent::Verdict { search, .. } if *search == place.search => {
            Some(spoken::SEARCH_ENDED.to_owned())
        }
        _ => None,
    }
}
