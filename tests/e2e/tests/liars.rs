//! A worker that lies changes nothing and is cut off; one that talks nonsense breaks nothing.

use gridproof_game::{Move, Position};
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{PROTOCOL, v1};
use gridproof_solver::{Budget, Solver, SolverOptions};
use gridproof_tests::{Cluster, FakeWorker, SMALL, stdout};
use rand::rngs::SmallRng;
use rand::{Rng, RngCore, SeedableRng};
use tonic::Code;

/// A certificate that holds, of a position that nobody asked about.
fn true_but_elsewhere() -> Vec<u8> {
    let game = gridproof_game::read_game(b"j10 a1,a3 k10,l10 c1,c3").unwrap();
    let position = game.position();
    let solver = Solver::new(*position.rules());
    let mut budget = Budget::of_nodes(100_000);
    let options = SolverOptions::default();
    let outcome = solver.win(position, options, &mut budget);
    let Ok(gridproof_solver::Outcome::Won(win)) = outcome else {
        panic!("three in a row with the move win")
    };
    gridproof_certificate::write_proof(&win.proof, Vec::new())
        .unwrap()
        .0
}

#[test]
fn liars_are_cut_off_and_change_no_verdict() {
    let cluster = Cluster::new("connect623", &SMALL);
    let _coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lies = [Vec::new(), b"no proof".to_vec(), true_but_elsewhere(), {
        let mut broken = true_but_elsewhere();
        let middle = broken.len() / 2;
        broken[middle] ^= 1;
        broken
    }];
    for (number, lie) in lies.into_iter().enumerate() {
        runtime.block_on(async {
            let name = format!("liar-{number}");
            let mut liar = FakeWorker::hello(&cluster, &name).await;
            let job = liar.next_job().await;
            liar.claim_win(job.lease, lie).await;
            assert_eq!(liar.closing_code().await, Code::PermissionDenied);
            let back = FakeWorker::hello(&cluster, &name).await;
            assert_eq!(
                back.closing_code().await,
                Code::PermissionDenied,
                "it comes back in"
            );
        });
    }
    let list = cluster.order(&["list"]);
    assert!(stdout(&list).contains("open"));
    let _honest = cluster.worker("honest");
    cluster.wait_until_proved();
    let _ = cluster.fetch();
}

#[test]
fn the_same_refused_answer_from_two_workers_is_a_bug_of_ours() {
    let cluster = Cluster::new("connect623", &SMALL);
    let coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut first = FakeWorker::hello(&cluster, "first").await;
        let job = first.next_job().await;
        first.claim_win(job.lease, true_but_elsewhere()).await;
        assert_eq!(first.closing_code().await, Code::PermissionDenied);

        let mut second = FakeWorker::hello(&cluster, "second").await;
        let same = second.next_job().await;
        assert_eq!(same.position, job.position);
        second.claim_win(same.lease, true_but_elsewhere()).await;
        let next = second.next_job().await;
        assert!(next.budget > same.budget, "another size may do better");
    });
    assert_eq!(coordinator.lines_with("a bug of ours").len(), 1);
    let _honest = cluster.worker("honest");
    cluster.wait_until_proved();
    let _ = cluster.fetch();
}

#[test]
fn a_stranger_to_the_protocol_is_told_what_to_do() {
    let cluster = Cluster::new("connect623", &SMALL);
    let _coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let fake = FakeWorker::connect(&cluster).await;
        fake.send(Say::Slots(v1::Slots::default())).await;
        assert_eq!(fake.closing_code().await, Code::InvalidArgument);

        let fake = FakeWorker::connect(&cluster).await;
        let hello = v1::Hello {
            protocol: 99,
            ..v1::Hello::default()
        };
        fake.send(Say::Hello(hello)).await;
        assert_eq!(fake.closing_code().await, Code::FailedPrecondition);

        let mut first = FakeWorker::hello(&cluster, "twin").await;
        // Only once it is in does the name belong to it.
        assert!(matches!(first.next().await, Ok(Said::Welcome(_))));
        let second = FakeWorker::connect(&cluster).await;
        let hello = v1::Hello {
            protocol: PROTOCOL,
            name: "twin".to_owned(),
            instance: 2,
            ..v1::Hello::default()
        };
        second.send(Say::Hello(hello)).await;
        assert_eq!(second.closing_code().await, Code::AlreadyExists);
        drop(first);
    });
}

/// Any message at all, some of it close to what makes sense.
fn nonsense(rng: &mut SmallRng, job: Option<&v1::Push>) -> Say {
    let lease = match job {
        Some(job) if rng.random() => job.lease,
        _ => rng.random(),
    };
    let mv = |rng: &mut SmallRng| {
        let stones = (0..rng.random_range(0..4))
            .map(|_| rng.random_range(0..400))
            .collect();
        Some(v1::Move {
            stones,
            nulls: rng.random_range(0..4),
        })
    };
    let bytes = |rng: &mut SmallRng| {
        let mut bytes = vec![0; rng.random_range(0..200)];
        rng.fill_bytes(&mut bytes);
        bytes.into()
    };
    match rng.random_range(0..10) {
        0 => Say::Progress(v1::Progress {
            jobs: vec![v1::JobProgress {
                lease,
                spent: rng.random(),
            }],
        }),
        1 => Say::Slots(v1::Slots {
            slots: rng.random(),
            leaves_in_seconds: rng.random(),
        }),
        2 => Say::Finding(v1::Finding {
            lease,
            open: mv(rng),
        }),
        3 => Say::Finding(v1::Finding { lease, open: None }),
        4 => Say::Hello(v1::Hello::default()),
        kind => {
            let outcome = match kind {
                5 => Outcome::Suggestions(v1::Suggestions {
                    moves: vec![v1::Suggestion {
                        r#move: mv(rng),
                        status: rng.random(),
                    }],
                }),
                6 => Outcome::Open(v1::Open {
                    moves: mv(rng).into_iter().collect(),
                    answers: vec![v1::Answer {
                        r#move: mv(rng),
                        certificate: bytes(rng),
                    }],
                    cut_short: rng.random(),
                }),
                7 => Outcome::Won(v1::Won {
                    certificate: bytes(rng),
                }),
                8 => Outcome::Refuted(v1::Refuted {}),
                _ => Outcome::NoMove(v1::NoMove {}),
            };
            Say::Done(v1::Done {
                lease,
                spent: rng.random(),
                outcome: Some(outcome),
            })
        }
    }
}

#[test]
fn nonsense_breaks_nothing() {
    // Nobody waits for fools to come back with their jobs.
    let cluster = Cluster::new("connect623", &[&SMALL[..], &["--grace", "0"]].concat());
    let coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for seed in 0..200 {
        let mut rng = SmallRng::seed_from_u64(seed);
        runtime.block_on(async {
            let mut fake = FakeWorker::hello(&cluster, &format!("fool-{seed}")).await;
            let job = match fake.next().await {
                Ok(Said::Welcome(_)) => match fake.next().await {
                    Ok(Said::Push(push)) => Some(push),
                    _ => None,
                },
                other => panic!("seed {seed}: {other:?} instead of a welcome"),
            };
            for _ in 0..20 {
                fake.send(nonsense(&mut rng, job.as_ref())).await;
            }
        });
    }
    let _honest = cluster.worker("honest");
    cluster.wait_until_proved();
    let _ = cluster.fetch();
    assert!(coordinator.lines_with("panicked").is_empty());
}

#[test]
fn the_position_of_a_job_is_the_one_that_was_submitted() {
    let cluster = Cluster::new("connect623", &SMALL);
    let _coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let job =
        runtime.block_on(async { FakeWorker::hello(&cluster, "reader").await.next_job().await });
    let position = Position::try_from(job.position.as_ref().unwrap()).unwrap();
    let asked = gridproof_game::Opening::Connect623.position();
    assert_eq!(position.canonical().0, asked.canonical().0);
    let known: Result<Vec<Move>, _> = job
        .known
        .iter()
        .map(|mv| mv.read(position.rules()))
        .collect();
    assert_eq!(known, Ok(Vec::new()));
}
