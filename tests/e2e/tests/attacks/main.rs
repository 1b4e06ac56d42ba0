//! Attacks on a coordinator that is a process of its own, over real sockets, while two honest
//! workers go on and somebody asks how it stands.
//!
//! A few seconds each; a minute each with GRIDPROOF_LONG=1. Memory is asserted, and that everybody
//! is answered. Times are printed: they say more on a machine that does nothing else.

mod bombs;
mod floods;
mod scene;

use std::sync::Arc;

use gridproof_tests::{Cluster, FakeWorker};

use bombs::Bomb;
use scene::{Scene, names};

/// Answers make a search of many jobs.
const GAME: &str = "TX-H9";

#[tokio::test(flavor = "multi_thread")]
async fn headers_without_reading() {
    let scene = Scene::start(Cluster::with_tokens(GAME, &[], &names(0))).await;
    let address = scene.cluster.address().parse().unwrap();
    let strangers = (0..4).map(|_| floods::headers(address));
    scene
        .attacked("D1, HEADERS without reading", strangers)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_bombs() {
    const HOSTILE: usize = 4;
    let cluster = Cluster::with_tokens(bombs::GAME, &[], &names(HOSTILE));
    let scene = Scene::start(cluster).await;
    let mut first = FakeWorker::hello(&scene.cluster, "hostile-0").await;
    let push = first.next_job().await;
    let bomb = Arc::new(Bomb::of(&push).await);
    let cluster = Arc::clone(&scene.cluster);
    let mut first = Some((first, push));
    let hostile = (0..HOSTILE).map(|number| {
        floods::bombs(
            Arc::clone(&cluster),
            number,
            first.take(),
            Arc::clone(&bomb),
        )
    });
    let hostile: Vec<_> = hostile.collect();
    scene.submit(GAME).await;
    scene.attacked("D2, certificate bombs", hostile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_lists() {
    const HOSTILE: usize = 4;
    let scene = Scene::start(Cluster::with_tokens(GAME, &[], &names(HOSTILE))).await;
    let cluster = Arc::clone(&scene.cluster);
    let hostile = (0..HOSTILE).map(|number| floods::lists(Arc::clone(&cluster), number));
    scene.attacked("D3, endless lists", hostile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_first_messages_and_flapping() {
    const HOSTILE: usize = 4;
    let scene = Scene::start(Cluster::with_tokens(GAME, &[], &names(HOSTILE))).await;
    let cluster = Arc::clone(&scene.cluster);
    let hostile = (0..HOSTILE).map(|number| floods::first_messages(Arc::clone(&cluster), number));
    scene
        .attacked("first messages of 60 MiB, and flapping", hostile)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heavy_answers() {
    const HOSTILE: usize = 4;
    let scene = Scene::start(Cluster::with_tokens(GAME, &[], &names(HOSTILE))).await;
    let cluster = Arc::clone(&scene.cluster);
    let hostile = (0..HOSTILE).map(|number| floods::heavy_answers(Arc::clone(&cluster), number));
    scene
        .attacked("answers of 55 MiB one behind the other", hostile)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invented_replies() {
    const HOSTILE: usize = 2;
    let scene = Scene::start(Cluster::with_tokens(GAME, &[], &names(HOSTILE))).await;
    let cluster = Arc::clone(&scene.cluster);
    let hostile = (0..HOSTILE).map(|number| floods::inventors(Arc::clone(&cluster), number));
    scene
        .attacked("invented replies from 1,024 slots", hostile)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections() {
    let scene = Scene::start(Cluster::secured(GAME, &[], &names(0))).await;
    let address = scene.cluster.address().parse().unwrap();
    let silent = (0..600).map(|number| floods::silence(address, number));
    scene.attacked("D6, silent TLS connections", silent).await;
}
