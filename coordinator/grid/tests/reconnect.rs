//! After a restart, jobs that are still running on workers are adopted and not begun twice.

mod support;

use std::sync::Arc;

use gridproof_grid::coordinator::Outgoing;
use gridproof_grid::store::MemoryStore;
use support::{Grid, held};

#[tokio::test]
async fn after_a_restart_nobody_gets_a_job_before_those_who_were_here_are_back() {
    let store = Arc::<MemoryStore>::default();
    let grid = Grid::start(&store);
    grid.submit().await;
    let mut anna = grid.worker("anna", Vec::new()).await;
    let job = anna.job().await;
    grid.stop().await;

    let grid = Grid::start(&store);
    let mut bert = grid.worker("bert", Vec::new()).await;
    assert!(matches!(bert.next().await, Outgoing::Idle));
    let mut anna = grid.worker("anna", vec![held(&job)]).await;
    let Outgoing::Keep(kept) = anna.next().await else {
        panic!("her job is hers");
    };
    assert_eq!(kept.id, job.assigned.id);
    // The hour is not over, but nobody is missing.
    anna.answer(&job, support::suggest(&["K11 L10", "K11 L12"]))
        .await;
    let (hers, his) = (anna.job().await, bert.job().await);
    assert_ne!(hers.assigned.id, his.assigned.id);
}

#[tokio::test]
async fn who_said_goodbye_is_not_waited_for() {
    let store = Arc::<MemoryStore>::default();
    let grid = Grid::start(&store);
    grid.submit().await;
    let mut anna = grid.worker("anna", Vec::new()).await;
    anna.job().await;
    let goodbye = grid.coordinator.goodbye(anna.connection, "off".to_owned());
    goodbye.await.unwrap();
    grid.stop().await;

    let grid = Grid::start(&store);
    grid.worker("bert", Vec::new()).await.job().await;
}

#[tokio::test]
async fn who_was_cut_off_is_not_waited_for() {
    let store = Arc::<MemoryStore>::default();
    let grid = Grid::start(&store);
    grid.submit().await;
    grid.worker("liar", Vec::new()).await.job().await;
    grid.coordinator.withdraw("liar").await.unwrap();
    grid.stop().await;

    let grid = Grid::start(&store);
    grid.worker("bert", Vec::new()).await.job().await;
}
