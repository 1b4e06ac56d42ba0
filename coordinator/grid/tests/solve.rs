//! A small game from its start to its proof, and one that is left in between.

use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gridproof_certificate::{CheckLimits, write_proof};
use gridproof_game::{Colour, Opening, Position, Rules};
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions, OrderError};
use gridproof_grid::logs::{Journal, Monitor, ProofFiles, SearchStatus};
use gridproof_grid::store::MemoryStore;
use gridproof_grid::{SolveEnd, SolveFailure, SolveOptions, SolveRun, Solved};
use gridproof_host::logs::LogFormat;
use gridproof_search::Budgets;
use jiff::Timestamp;

fn options(folder: &Path) -> SolveOptions {
    let journal = Journal::at(folder.join("journal"));
    SolveOptions {
        game: "a line of three".to_owned(),
        // Two stones a turn, the first turn one: Black completes three at once.
        root: Position::start(Rules::new(5, 5, 3, 2, 1).unwrap()),
        attacker: Colour::Black,
        threads: NonZeroU16::MIN,
        coordinator: CoordinatorOptions::default(),
        monitor: Monitor::new(journal, ProofFiles::in_folder(folder), LogFormat::Text),
        log_every: Duration::from_secs(60),
    }
}

async fn solve(
    store: &Arc<MemoryStore>,
    options: SolveOptions,
    leave: impl Future<Output = ()>,
) -> Result<Solved, SolveFailure> {
    let fail = |failure| panic!("{failure}");
    let run = SolveRun::start(Arc::clone(store) as _, options, fail).await?;
    run.finish(leave).await
}

#[tokio::test]
async fn a_solved_game_comes_with_a_proof_file_that_the_checker_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    let solved = solve(&store, options(folder.path()), std::future::pending());
    let solved = solved.await.unwrap();
    let SolveEnd::Proved(saved) = solved.end else {
        panic!("{:?}", solved.end);
    };
    assert!(saved.path.starts_with(folder.path()));
    assert_eq!(saved.file.checked.claim.attacker, Colour::Black);
    assert!(solved.totals.proved > 0);
    assert!(folder.path().join("journal").is_dir());
}

#[tokio::test]
async fn the_journal_tells_of_a_proof_before_the_next_sample_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    let options = SolveOptions {
        log_every: Duration::from_secs(3600),
        ..options(folder.path())
    };
    let run = SolveRun::start(store, options, |failure| panic!("{failure}"));
    let run = run.await.unwrap();
    let journal = Journal::at(folder.path().join("journal"));
    let is_told = || {
        let samples = journal.read(Timestamp::MIN, Timestamp::MAX).unwrap();
        let mut searches = samples.iter().flat_map(|sample| &sample.searches);
        searches.any(|search| search.status == SearchStatus::Proved)
    };
    let told = async {
        while !is_told() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(600), told);
    told.await.expect("it is told within an hour");
    run.finish(std::future::ready(())).await.unwrap();
}

#[tokio::test]
async fn who_leaves_at_once_has_lost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    let left = solve(&store, options(folder.path()), std::future::ready(()));
    let left = left.await.unwrap();
    assert!(matches!(left.end, SolveEnd::Left | SolveEnd::Proved(_)));
    let solved = solve(&store, options(folder.path()), std::future::pending()).await;
    assert!(matches!(solved.unwrap().end, SolveEnd::Proved(_)));
}

#[tokio::test]
async fn a_game_that_is_over_leaves_nothing_to_prove() {
    let folder = tempfile::tempdir().unwrap();
    let over = "Connect(5,5,3,2,1): a1 e5,e4 a2,a3";
    let over = gridproof_game::read_game(over.as_bytes()).unwrap();
    let options = SolveOptions {
        root: over.position().clone(),
        ..options(folder.path())
    };
    let store = Arc::new(MemoryStore::new());
    let refused = solve(&store, options, std::future::pending()).await;
    assert!(matches!(
        refused,
        Err(SolveFailure::Order(OrderError::GameOver(_)))
    ));
}

#[tokio::test]
async fn a_proof_that_is_told_is_the_proof_that_is_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    let mut options = options(folder.path());
    options.root = Opening::Connect623.position();
    // So small that several jobs are needed, and their certificates joined.
    options.coordinator.core.budgets = Budgets {
        engine: 400,
        verifier: 100,
        ..Budgets::default()
    };
    let solved = solve(&store, options, std::future::pending()).await;
    let solved = solved.unwrap();
    assert!(matches!(solved.end, SolveEnd::Proved(_)));
    let store = Arc::clone(&store) as _;
    let fail = |failure| panic!("{failure}");
    let started = Coordinator::start(store, &CoordinatorOptions::default(), fail);
    let (coordinator, _) = started.unwrap();
    let search = solved.search.view.search;
    let proofs = coordinator.with_proof(search, |proof| {
        let told = proof.write(Vec::new()).unwrap().0;
        proof.check(CheckLimits::default()).unwrap();
        (proof.nodes(), told, proof.assemble().unwrap())
    });
    let (nodes, told, assembled) = proofs.await.unwrap();
    println!("{nodes} nodes, {} proved", solved.totals.proved);
    assert!(solved.totals.proved > 2, "several proofs are joined");
    assert_eq!(nodes, assembled.len() as u64);
    assert_eq!(told, write_proof(&assembled, Vec::new()).unwrap().0);
}
