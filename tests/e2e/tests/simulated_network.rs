//! The same coordinator and workers over a network that is simulated: it can be cut, held up,
//! and hosts can go down, in seconds that nobody waits for. The searches run on real threads,
//! so no two runs are alike; what must be alike is their end.

mod simulated;

use std::time::Duration;

use simulated::Lab;

/// Enough jobs for everybody to be in the middle of something.
const UNDER_WAY: u64 = 20;

#[test]
fn a_cut_network_is_noticed_and_mended() {
    let mut lab = Lab::new();
    lab.run_until(|status| status.workers == 2 && status.jobs_done > UNDER_WAY);
    lab.sim.partition("a", "coordinator");
    lab.run_until(|status| status.workers == 1);
    lab.sim.repair("a", "coordinator");
    lab.run_until(|status| status.workers == 2);
    lab.finish();
}

#[test]
fn a_network_cut_one_way_is_noticed_too() {
    let mut lab = Lab::new();
    lab.run_until(|status| status.workers == 2 && status.jobs_done > UNDER_WAY);
    lab.sim.partition_oneway("coordinator", "b");
    lab.run_until(|status| status.workers == 1);
    lab.sim.repair_oneway("coordinator", "b");
    lab.run_until(|status| status.workers == 2);
    lab.finish();
}

#[test]
fn messages_that_were_held_up_do_no_harm() {
    let mut lab = Lab::new();
    lab.run_until(|status| status.workers == 2 && status.jobs_done > UNDER_WAY);
    // Not long enough to be missed.
    lab.sim.hold("a", "coordinator");
    lab.run_for(Duration::from_secs(2));
    lab.sim.release("a", "coordinator");
    // So long that the stream was given up before its last words come in.
    lab.sim.hold("b", "coordinator");
    lab.run_until(|status| status.workers == 1);
    lab.sim.release("b", "coordinator");
    lab.run_until(|status| status.workers == 2);
    lab.finish();
}

#[test]
fn a_worker_that_went_down_comes_back() {
    let mut lab = Lab::new();
    lab.run_until(|status| status.workers == 2 && status.jobs_done > UNDER_WAY);
    lab.sim.crash("a");
    lab.run_until(|status| status.workers == 1);
    lab.sim.bounce("a");
    lab.run_until(|status| status.workers == 2);
    lab.finish();
}

#[test]
fn a_coordinator_that_went_down_knows_all_that_it_knew() {
    let mut lab = Lab::new();
    lab.run_until(|status| status.workers == 2 && status.jobs_done > UNDER_WAY);
    let before = lab.status();
    lab.sim.crash("coordinator");
    lab.run_until(|status| !status.answers);
    lab.sim.bounce("coordinator");
    lab.run_until(|status| status.answers);
    let after = lab.status();
    assert!(after.positions >= before.positions, "{before:?} {after:?}");
    assert!(after.proved >= before.proved, "{before:?} {after:?}");
    lab.run_until(|status| status.workers == 2);
    lab.finish();
}
