//! Processes are killed at any moment, and nothing that was acknowledged is lost.
//!
//! Two runs each in CI; GRIDPROOF_LONG=1 makes it a hundred, with 300 kills of the coordinator, and
//! GRIDPROOF_SEED=N runs one seed alone.

use std::collections::BTreeSet;
use std::env;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gridproof_certificate::{CheckBudget, CheckLimits, ContentHash, check_and_prune, write_proof};
use gridproof_game::Position;
use gridproof_grid::store::{DiskStore, Durability, Note, Record, Store as _};
use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_search::Fact;
use gridproof_solver::{Budget, Solver, SolverOptions};
use gridproof_tests::{
    Cluster, Coordinator, FakeWorker, SMALL, gridproof, random_outcome, run_to_end,
};
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom as _;
use rand::{Rng, SeedableRng};

fn seeds() -> Vec<u64> {
    if let Ok(seed) = env::var("GRIDPROOF_SEED") {
        return vec![seed.parse().expect("GRIDPROOF_SEED is a number")];
    }
    match env::var_os("GRIDPROOF_LONG") {
        Some(_) => (0..100).collect(),
        None => (0..2).collect(),
    }
}

/// The store is in order: every record is read, every certificate checked.
fn verify(cluster: &Cluster) {
    let store = cluster.text("store");
    let verified = run_to_end(gridproof().args(["store", "verify", "--store", &store]));
    assert!(verified.status.success());
}

#[test]
fn kills_at_random_moments_lose_nothing() {
    for seed in seeds() {
        println!("seed {seed}");
        killed_at_random(seed);
    }
}

fn killed_at_random(seed: u64) {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let mut rng = SmallRng::seed_from_u64(seed);
    // Workers are back within a second.
    let cluster = Cluster::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    let mut coordinator = cluster.coordinator();
    let mut workers: Vec<_> = NAMES.map(|name| cluster.worker(name)).into();
    for _ in 0..4 {
        // What happens in that time depends on the machine, which is what makes it random.
        std::thread::park_timeout(Duration::from_millis(rng.random_range(0..1500)));
        match rng.random_range(0..4) {
            0 | 1 => {
                coordinator.kill();
                coordinator = cluster.coordinator();
            }
            which => {
                let which = which - 2;
                workers[which].kill();
                workers[which] = cluster.worker(NAMES[which]);
            }
        }
    }
    cluster.wait_until_proved();
    assert_eq!(
        cluster.count("jobs_running"),
        0,
        "seed {seed}: no job is left behind"
    );
    let _ = cluster.fetch();
    assert!(coordinator.lines_with("panicked").is_empty());
    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
    verify(&cluster);
}

/// What was acknowledged: answers, told apart by how many nodes they say they took, each with its
/// certificates; and searches.
#[derive(Default)]
struct Told {
    last: u64,
    accepted: Vec<(u64, Vec<ContentHash>)>,
    submitted: Vec<u32>,
}

/// Black has three in a row, and is to move or soon will be. White's stones are anywhere else, so
/// that there are many such games.
fn won_game(rng: &mut SmallRng) -> String {
    let far = ('a'..='s').flat_map(|column| (1..=5).map(move |row| format!("{column}{row}")));
    let far = far.choose_multiple(rng, 4);
    let game = format!("j10 {},{} k10,l10", far[0], far[1]);
    match rng.random() {
        true => game,
        false => format!("{game} {},{}", far[2], far[3]),
    }
}

/// Submits such games until the coordinator is gone; gives those that it acknowledged.
async fn submit(cluster: &Cluster, mut rng: SmallRng) -> Vec<u32> {
    let mut operator = cluster.operator().await;
    let mut submitted = Vec::new();
    loop {
        let request = v1::SubmitRequest {
            game: won_game(&mut rng),
            attacker: v1::Colour::Black.into(),
            ..v1::SubmitRequest::default()
        };
        match operator.submit(request).await {
            Ok(reply) => submitted.push(reply.into_inner().search),
            Err(_) => return submitted,
        }
    }
}

/// A certificate that Black, who is to move, wins; and the name that the store knows it by, which
/// is that of what its proof needs.
fn certificate(position: &Position) -> Option<(Vec<u8>, ContentHash)> {
    let solver = Solver::new(*position.rules());
    let mut budget = Budget::of_nodes(2_000);
    let outcome = solver.win(position, SolverOptions::default(), &mut budget);
    let Ok(gridproof_solver::Outcome::Won(win)) = outcome else {
        return None;
    };
    let (file, _) = write_proof(&win.proof, Vec::new()).expect("memory takes any proof");
    let stop = AtomicBool::new(false);
    let budget = CheckBudget {
        events: u64::MAX,
        stop: &stop,
    };
    let pruned = check_and_prune(&file, CheckLimits::default(), budget);
    let hash = pruned.expect("the solver's proofs hold").checked.hash;
    Some((file, hash))
}

/// A true answer with certificates where there are any.
fn outcome(push: &v1::Push, rng: &mut SmallRng) -> (Outcome, Vec<ContentHash>) {
    let position = push.position.as_ref().expect("a job has a position");
    let position = Position::try_from(position).expect("a job's position makes sense");
    if push.job.expect("a job has a name").kind() == v1::JobKind::Engine {
        return match certificate(&position) {
            Some((file, hash)) => {
                let certificate = file.into();
                (Outcome::Won(v1::Won { certificate }), vec![hash])
            }
            None => (random_outcome(push, rng), Vec::new()),
        };
    }
    let mut outcome = random_outcome(push, rng);
    let mut hashes = Vec::new();
    if let Outcome::Open(open) = &mut outcome {
        for mv in std::mem::take(&mut open.moves) {
            let after = mv.read(position.rules()).map(|mv| position.after(&mv));
            match after.ok().as_ref().and_then(certificate) {
                Some((file, hash)) if rng.random() => {
                    hashes.push(hash);
                    open.answers.push(v1::Answer {
                        r#move: Some(mv),
                        certificate: file.into(),
                    });
                }
                _ => open.moves.push(mv),
            }
        }
    }
    (outcome, hashes)
}

/// Answers jobs until the coordinator is gone.
async fn answer(cluster: &Cluster, rng: &mut SmallRng, told: &mut Told) {
    let mut fake = FakeWorker::with_slots(cluster, "fast", 4).await;
    let mut waiting = std::collections::BTreeMap::new();
    while let Ok(message) = fake.next().await {
        match message {
            Said::Push(push) => {
                told.last += 1;
                let (outcome, hashes) = outcome(&push, rng);
                let (lease, spent) = (push.lease, told.last);
                waiting.insert(lease, (spent, hashes));
                let outcome = Some(outcome);
                let done = v1::Done {
                    lease,
                    spent,
                    outcome,
                };
                fake.send(Say::Done(done)).await;
            }
            Said::Abort(abort) => drop(waiting.remove(&abort.lease)),
            Said::Accepted(accepted) => told.accepted.extend(waiting.remove(&accepted.lease)),
            _ => {}
        }
    }
}

#[test]
fn what_was_accepted_is_stored_whenever_the_coordinator_is_killed() {
    let (mut kills, mut answers, mut certificates) = (0, 0, 0);
    for seed in seeds() {
        println!("seed {seed}");
        let told = accepted_is_stored(seed);
        kills += KILLS;
        answers += told.accepted.len();
        certificates += told
            .accepted
            .iter()
            .map(|(_, all)| all.len())
            .sum::<usize>();
    }
    println!("{kills} kills: {answers} answers and {certificates} certificates, none missing");
}

/// Of one store.
const KILLS: usize = 3;

fn accepted_is_stored(seed: u64) -> Told {
    let mut rng = SmallRng::seed_from_u64(seed);
    let cluster = Cluster::new("TX-H9", &["--homecoming", "0"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut told = Told::default();
    for _ in 0..KILLS {
        let coordinator = cluster.coordinator();
        let time = Duration::from_millis(rng.random_range(50..800));
        let killer = std::thread::spawn(move || kill_after(coordinator, time));
        let games = SmallRng::seed_from_u64(rng.random());
        let (submitted, ()) = runtime.block_on(async {
            tokio::join!(
                submit(&cluster, games),
                answer(&cluster, &mut rng, &mut told)
            )
        });
        told.submitted.extend(submitted);
        killer.join().unwrap();
    }
    let store = DiskStore::open_existing(&cluster.path("store"), Durability::Crash).unwrap();
    let mut answered = BTreeSet::new();
    let mut searches = BTreeSet::new();
    for record in store.records() {
        match record.unwrap() {
            Record::Fact(Fact::Answered { spent, .. }) => drop(answered.insert(spent)),
            Record::Note(Note::Game { search, .. }) => drop(searches.insert(search.0)),
            _ => {}
        }
    }
    let is_stored = |(spent, certificates): &(u64, Vec<ContentHash>)| {
        let mut certificates = certificates.iter();
        answered.contains(spent)
            && certificates.all(|hash| store.certificate(*hash).unwrap().is_some())
    };
    let lost: Vec<_> = told
        .accepted
        .iter()
        .filter(|told| !is_stored(told))
        .collect();
    assert!(lost.is_empty(), "seed {seed}: accepted and lost: {lost:?}");
    let mut submitted = told.submitted.iter();
    assert!(
        submitted.all(|search| searches.contains(search)),
        "seed {seed}: a search was acknowledged and is lost"
    );
    drop(store);
    verify(&cluster);
    let with_certificates = told.accepted.iter().filter(|(_, all)| !all.is_empty());
    println!(
        "{} accepted, {} with certificates, {} stored, {} searches",
        told.accepted.len(),
        with_certificates.clone().count(),
        answered.len(),
        searches.len()
    );
    assert!(
        with_certificates.count() > 0,
        "seed {seed}: something was proved"
    );
    told
}

fn kill_after(mut coordinator: Coordinator, time: Duration) {
    std::thread::park_timeout(time);
    coordinator.kill();
}
