//! Coordinator and workers as real processes, for tests that break them.

mod cluster;
mod fake_worker;
mod machine;
mod network;
mod padding;
mod program;
mod transcript;
mod unit;
mod usage;

pub use cluster::{Cluster, Coordinator, HARD, LONG_JOB, SMALL, Worker, solve};
pub use fake_worker::{FakeWorker, random_outcome};
pub use machine::Machine;
pub use network::{Host, Link, Network};
pub use padding::{padded, proof_of, replies_of};
pub use program::{
    does, free_port, gridproof, path_text, programs, repository, run_to_end, skip, stderr, stdout,
    wait_until, worker_program,
};
pub use unit::Unit;
pub use usage::Usage;
