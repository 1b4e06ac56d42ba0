//! A backup that is taken while the coordinator runs is a store that goes on from there.

mod support;

use std::sync::Arc;

use gridproof_grid::store::{DiskStore, Durability, Record, Store as _};
use gridproof_proto::v1;
use support::{Grid, suggest};

async fn backup(grid: &Grid) -> Vec<u8> {
    let mut operator = grid.operator().await;
    let mut pieces = operator
        .backup(v1::BackupRequest {})
        .await
        .unwrap()
        .into_inner();
    let mut file = Vec::new();
    while let Some(piece) = pieces.message().await.unwrap() {
        file.extend_from_slice(&piece.bytes);
    }
    file
}

#[tokio::test]
async fn a_backup_is_whole_while_the_grid_goes_on() {
    let store = Arc::default();
    let grid = Grid::start(&store);
    grid.submit().await;
    let mut worker = grid.worker("pc", Vec::new()).await;
    let first = backup(&grid).await;
    let job = worker.job().await;
    worker
        .answer(&job, gridproof_search::JobResult::Unknown)
        .await;
    let job = worker.job().await;
    worker.answer(&job, suggest(&["K11 L10"])).await;
    worker.job().await;
    let second = backup(&grid).await;
    let folder = tempfile::tempdir().unwrap();
    let mut counts = Vec::new();
    for (name, file) in [("first", first), ("second", second)] {
        let path = folder.path().join(name);
        let imported = DiskStore::import(&path, &file[..]).unwrap();
        let restored = DiskStore::open_existing(&path, Durability::Crash).unwrap();
        let records: Vec<Record> = restored.records().map(Result::unwrap).collect();
        let live: Vec<Record> = store.records().map(Result::unwrap).collect();
        assert_eq!(records[..], live[..records.len()]);
        assert_eq!(imported.records, records.len() as u64);
        counts.push(records.len());
    }
    assert!(counts[0] < counts[1], "{counts:?}");
}
