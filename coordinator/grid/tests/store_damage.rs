//! A store whose files are damaged says so, and gives back what it can.
//!
//! Sixty seeds; GRIDPROOF_LONG=1 makes it ten thousand, and GRIDPROOF_SEED=N runs one alone.

use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gridproof_certificate::ContentHash;
use gridproof_game::read_game;
use gridproof_grid::coordinator::CoordinatorOptions;
use gridproof_grid::logs::{Journal, Monitor, ProofFiles};
use gridproof_grid::store::{
    Batch, DiskStore, Durability, Note, Record, Recovered, Repair, Store, StoreError, export,
    recover, verify,
};
use gridproof_grid::{SolveEnd, SolveOptions, SolveRun, default_attacker};
use gridproof_host::logs::LogFormat;
use gridproof_search::{Fact, NodeId, StoredResult, WorkerId};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A store with a proof in it, as a killed coordinator leaves it, and what it holds.
struct Sample {
    folder: tempfile::TempDir,
    records: Vec<Record>,
    certificates: Vec<(ContentHash, Vec<u8>)>,
}

impl Sample {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live");
        let store = Arc::new(DiskStore::open(&path, Durability::Crash).unwrap());
        let root = read_game(b"connect623").unwrap().position().clone();
        let mut options = SolveOptions {
            game: "connect623".to_owned(),
            attacker: default_attacker(&root),
            root,
            threads: NonZeroU16::MIN,
            coordinator: CoordinatorOptions::default(),
            monitor: Monitor::new(
                Journal::at(folder.path().join("journal")),
                ProofFiles::in_folder(folder.path()),
                LogFormat::Text,
            ),
            log_every: Duration::from_secs(60),
        };
        // Small jobs, so that there is more to store than one answer.
        options.coordinator.core.budgets.engine = 400;
        options.coordinator.core.budgets.verifier = 100;
        let fail = |failure| panic!("{failure}");
        let run = SolveRun::start(Arc::clone(&store) as _, options, fail).await;
        let solved = run.unwrap().finish(std::future::pending()).await;
        assert!(matches!(solved.unwrap().end, SolveEnd::Proved(_)));
        for number in 0..20 {
            store.commit(&worker(number)).unwrap();
        }
        // While it is open: nothing is closed in order.
        copy(&path, &folder.path().join("store"));
        let records = store.records().map(Result::unwrap).collect();
        let hashes = store.certificates().map(Result::unwrap);
        let certificates = hashes.map(|hash| (hash, store.certificate(hash).unwrap().unwrap()));
        Self {
            records,
            certificates: certificates.collect(),
            folder,
        }
    }

    /// A copy to be damaged.
    fn copy(&self) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        copy(&self.folder.path().join("store"), &path);
        (folder, path)
    }

    /// Opens a damaged store. All that was acknowledged is there, or it is refused.
    fn open(&self, path: &Path) -> Result<DiskStore, StoreError> {
        let store = DiskStore::open(path, Durability::Crash)?;
        let records: Result<Vec<_>, _> = store.records().collect();
        assert_eq!(records?, self.records);
        for (hash, bytes) in &self.certificates {
            assert_eq!(store.certificate(*hash)?.as_ref(), Some(bytes));
        }
        Ok(store)
    }

    /// Recovers a damaged store. What comes back is true, and what does not is named.
    fn recover(&self, path: &Path) -> Result<Recovered, StoreError> {
        let to = path.with_file_name("recovered");
        let recovered = recover(path, &to)?;
        let store = DiskStore::open_existing(&to, Durability::Crash)?;
        let records: Vec<_> = store.records().collect::<Result<_, _>>()?;
        assert_eq!(records[..], self.records[..records.len()]);
        assert_eq!(recovered.records, records.len() as u64);
        Ok(recovered)
    }
}

fn worker(number: u32) -> Batch {
    let note = Note::Worker {
        worker: WorkerId(number),
        name: format!("pc-{number}"),
    };
    Batch {
        records: vec![Record::Note(note)],
        certificates: Vec::new(),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Flips, zeroes, truncates, drops or misdirects a part of a file.
fn damage(file: &Path, rng: &mut SmallRng) -> String {
    let mut bytes = fs::read(file).unwrap();
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    // Most of sled's file is room that nobody has used yet.
    let used = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(1, |at| at + 1);
    let at = rng.random_range(0..used);
    let end = (at + rng.random_range(1..4096)).min(used);
    let what = match rng.random_range(0..5) {
        0 => {
            bytes[at] ^= 1 << rng.random_range(0..8);
            format!("flip at {at}")
        }
        1 => {
            bytes[at..end].fill(0);
            format!("zero {at}..{end}")
        }
        2 => {
            bytes.truncate(at);
            format!("truncate to {at}")
        }
        3 => {
            fs::remove_file(file).unwrap();
            return format!("drop {}", file.display());
        }
        _ => {
            let from = rng.random_range(0..used);
            let length = (end - at).min(used - from);
            bytes.copy_within(from..from + length, at);
            format!("misdirect {length} from {from} to {at}")
        }
    };
    fs::write(file, bytes).unwrap();
    format!("{what} of {}", file.display())
}

fn seeds() -> Vec<u64> {
    if let Ok(seed) = std::env::var("GRIDPROOF_SEED") {
        return vec![seed.parse().expect("GRIDPROOF_SEED is a number")];
    }
    let count = match std::env::var_os("GRIDPROOF_LONG") {
        Some(_) => 10_000,
        None => 60,
    };
    (0..count).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_damage_loses_anything_in_silence() {
    let sample = Sample::new().await;
    let (mut opened, mut mended, mut lost) = (0, 0, 0);
    for seed in seeds() {
        let mut rng = SmallRng::seed_from_u64(seed);
        let (_folder, path) = sample.copy();
        // Now and then two things break at once.
        let count = 1 + usize::from(rng.random_bool(0.25));
        let mut done = Vec::new();
        for _ in 0..count {
            let files = files(&path);
            done.push(damage(&files[rng.random_range(0..files.len())], &mut rng));
        }
        let words = format!("seed {seed}: {}", done.join(", "));
        println!("{words}");
        match sample.open(&path) {
            Ok(_) => opened += 1,
            Err(error) => match sample.recover(&path) {
                Ok(Recovered { lost: None, .. }) => mended += 1,
                Ok(recovered) => {
                    let total = sample.records.len() as u64;
                    assert_eq!(recovered.lost, Some(recovered.records..total), "{words}");
                    lost += 1;
                }
                Err(worse) => panic!("{words}: {error}; {worse}"),
            },
        }
    }
    println!("{opened} opened whole, {mended} recovered whole, {lost} with a loss that was named");
    // One broken file alone never loses anything: there are two copies.
    assert!(lost * 10 < opened + mended, "{lost}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_end_is_noticed_and_named_and_comes_back_from_the_database() {
    let sample = Sample::new().await;
    let (_folder, path) = sample.copy();
    let wal = path.join("generation-0001/wal");
    let length = fs::metadata(&wal).unwrap().len();
    let file = fs::File::options().write(true).open(&wal).unwrap();
    file.set_len(length - 300).unwrap();
    let error = sample.open(&path).unwrap_err();
    let StoreError::Lost(damage) = &error else {
        panic!("{error}");
    };
    let total = sample.records.len() as u64;
    assert_eq!(damage.lost.last().unwrap().end, total, "{error}");
    let recovered = sample.recover(&path).unwrap();
    assert_eq!((recovered.records, recovered.lost), (total, None));
    assert!(recovered.mended > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_was_torn_by_a_crash_is_no_damage() {
    let sample = Sample::new().await;
    let (_folder, path) = sample.copy();
    let wal = path.join("generation-0001/wal");
    let mut bytes = fs::read(&wal).unwrap();
    // The beginning of a frame like the first one.
    bytes.extend_from_within(..150);
    fs::write(&wal, bytes).unwrap();
    let store = sample.open(&path).unwrap();
    assert_eq!(store.repairs(), [Repair::TornEnd(150)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_gone_is_made_anew_and_that_is_told() {
    let sample = Sample::new().await;
    let (_folder, path) = sample.copy();
    fs::remove_dir_all(path.join("generation-0001/index")).unwrap();
    let store = sample.open(&path).unwrap();
    let total = sample.records.len() as u64;
    assert_eq!(store.repairs(), [Repair::IndexBehind(total)]);
    drop(store);
    assert_eq!(sample.open(&path).unwrap().repairs(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_win_does_not_verify_and_is_not_imported() {
    let sample = Sample::new().await;
    let (folder, path) = sample.copy();
    let store: Arc<dyn Store> = Arc::new(sample.open(&path).unwrap());
    let wins = verify(&store).unwrap().wins;
    assert!(wins > 0);
    let open_node = NodeId(u32::try_from(sample.records.len()).unwrap());
    let proofs = sample.records.iter().filter_map(|record| match record {
        Record::Note(note @ Note::Proof { .. }) => Some(note.clone()),
        _ => None,
    });
    let Some(Note::Proof { node, source }) = proofs.clone().next() else {
        panic!("a solved game has proofs");
    };
    let of_another = proofs.filter_map(|note| match note {
        Note::Proof {
            node: other,
            source: foreign,
        } if other != node && foreign != source => Some(Note::Proof {
            node,
            source: foreign,
        }),
        _ => None,
    });
    let forgeries = [
        Record::Note(Note::Proof {
            node: open_node,
            source: source.clone(),
        }),
        Record::Note(Note::Unproved { nodes: vec![node] }),
    ];
    let forgeries = forgeries
        .into_iter()
        .chain(of_another.take(1).map(Record::Note));
    for (number, forged) in forgeries.enumerate() {
        let (_folder, path) = sample.copy();
        let store: Arc<dyn Store> = Arc::new(sample.open(&path).unwrap());
        let batch = Batch {
            records: vec![forged.clone()],
            certificates: Vec::new(),
        };
        store.commit(&batch).unwrap();
        let refused = verify(&store);
        assert!(
            matches!(refused, Err(StoreError::Damaged(_))),
            "{forged:?}: {refused:?}"
        );
        let mut file = Vec::new();
        export(&*store, &mut file).unwrap();
        let to = folder.path().join(format!("imported-{number}"));
        assert!(DiskStore::import(&to, &file[..]).is_err());
        assert!(!to.exists(), "nothing is left of it");
    }
    // A fact alone: "won", and no proof at all.
    let won = Fact::Answered {
        node: NodeId(0),
        by: WorkerId(0),
        answer: StoredResult::Won,
        spent: 0,
    };
    let facts = sample.records.iter().filter(|record| {
        matches!(
            record,
            Record::Fact(Fact::Started { .. } | Fact::Ordered { .. })
        )
    });
    let forged = DiskStore::open(&folder.path().join("forged"), Durability::Crash).unwrap();
    let records = facts.cloned().chain([Record::Fact(won)]).collect();
    forged
        .commit(&Batch {
            records,
            certificates: Vec::new(),
        })
        .unwrap();
    let forged: Arc<dyn Store> = Arc::new(forged);
    let refused = verify(&forged).unwrap_err();
    assert!(refused.to_string().contains("said to be won"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_broken_off_leaves_no_store() {
    let sample = Sample::new().await;
    let (folder, path) = sample.copy();
    let store = sample.open(&path).unwrap();
    let mut file = Vec::new();
    export(&store, &mut file).unwrap();
    let to = folder.path().join("imported");
    assert!(DiskStore::import(&to, &file[..file.len() - 1]).is_err());
    assert!(!to.exists());
    // A killed import leaves its unfinished folder, which the next one removes.
    fs::create_dir_all(folder.path().join("imported.importing/generation-0001")).unwrap();
    let counts = DiskStore::import(&to, &file[..]).unwrap();
    assert_eq!(counts.records, sample.records.len() as u64);
    sample.open(&to).unwrap();
    assert!(!folder.path().join("imported.importing").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_the_version_without_a_log_is_read_and_gets_one() {
    let sample = Sample::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    write_version_1(&path, &sample);
    sample.open(&path).unwrap();
    let stamp = fs::read_to_string(path.join("gridproof-store")).unwrap();
    assert!(stamp.contains("version 2"), "{stamp}");
    assert!(!path.join("generation-0001").exists());
    sample.open(&path).unwrap();
}

fn write_version_1(path: &Path, sample: &Sample) {
    fs::create_dir_all(path).unwrap();
    fs::write(path.join("gridproof-store"), "gridproof store, version 1\n").unwrap();
    fs::write(path.join("CURRENT"), "generation-0001\n").unwrap();
    let db = sled::open(path.join("generation-0001")).unwrap();
    for (number, record) in sample.records.iter().enumerate() {
        let key = [&b"r"[..], &(number as u64).to_be_bytes()].concat();
        db.insert(key, record.encode()).unwrap();
    }
    for (hash, bytes) in &sample.certificates {
        db.insert([&b"c"[..], &hash.0].concat(), &bytes[..])
            .unwrap();
    }
    db.flush().unwrap();
}
