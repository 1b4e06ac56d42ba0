//! The disk is full; the cable is cut. Both need what only some machines allow, such as
//! mounting: elsewhere a stand-in is used, or the test says that it was skipped.

use std::path::Path;
use std::process::Command;

use gridproof_tests::{
    Cluster, HARD, LONG_JOB, Link, Network, SMALL, does, gridproof, path_text, worker_program,
};

/// What a supervisor may start again.
const TRY_AGAIN: i32 = 75;

/// A file system of memory over a folder, until it is dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(path: &'a Path, kilobytes: u32) -> Option<Self> {
        let size = format!("size={kilobytes}k");
        let what = ["-t", "tmpfs", "-o", &size, "tmpfs", path_text(path)];
        let mounted = does("mount", &what);
        mounted.then_some(Self(path))
    }

    fn enlarge(&self, kilobytes: u32) {
        let options = format!("remount,size={kilobytes}k");
        assert!(does("mount", &["-o", &options, path_text(self.0)]));
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // Lazily: the coordinator may have it open for another moment.
        let _ = does("umount", &["-l", path_text(self.0)]);
    }
}

#[test]
fn a_full_disk_ends_the_coordinator_with_words_and_loses_nothing() {
    let cluster = Cluster::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    let store = cluster.path("store");
    std::fs::create_dir(&store).unwrap();
    let Some(disk) = SmallDisk::mount(&store, 48) else {
        gridproof_tests::skip("no file system can be mounted here");
        return;
    };
    let mut coordinator = cluster.coordinator();
    let _worker = cluster.worker("a");
    assert_eq!(coordinator.wait().code(), Some(TRY_AGAIN));
    let words = coordinator.wait_for_line("error:");
    assert!(words.contains("No space left on device"), "{words}");
    assert!(words.contains("start the program again"), "{words}");

    disk.enlarge(64 * 1024);
    let mut coordinator = cluster.coordinator();
    cluster.wait_until_proved();
    let _ = cluster.fetch();
    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
}

#[test]
fn a_store_that_may_not_grow_ends_the_coordinator_with_words_too() {
    let cluster = Cluster::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    // The shell counts in blocks of 512 bytes or of 1024: either is soon full.
    let limited = "trap '' XFSZ; ulimit -f 48; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(gridproof().get_program());
    let mut coordinator = cluster.coordinator_by(shell);
    let _worker = cluster.worker("a");
    assert_eq!(coordinator.wait().code(), Some(TRY_AGAIN));
    let words = coordinator.wait_for_line("error:");
    assert!(words.contains("start the program again"), "{words}");

    let _coordinator = cluster.coordinator();
    cluster.wait_until_proved();
    let _ = cluster.fetch();
}

#[test]
fn a_cut_cable_is_noticed_and_the_job_goes_on_when_it_is_mended() {
    let Some(network) = Network::of_hosts(1) else {
        gridproof_tests::skip("no network namespace can be made here");
        return;
    };
    let cluster = Cluster::secured_at(&network.here(), HARD, &LONG_JOB, &["far"]);
    let coordinator = cluster.coordinator();
    let host = &network.hosts()[0];
    let program = host.command(&worker_program());
    let _worker = cluster.worker_by(program, "far", &cluster.credentials_of("far"));
    cluster.wait_for("the job begins", |cluster| {
        cluster.count("jobs_running") == 1
    });

    host.set_link(Link::Down);
    let lost = coordinator.wait_for_line("worker lost");
    println!("{lost}");
    assert_eq!(cluster.count("jobs_running"), 1, "its job waits for it");

    host.set_link(Link::Up);
    let lines = || coordinator.lines_with("worker came");
    cluster.wait_for("the worker comes back", |_| lines().len() == 2);
    assert!(lines()[1].contains("held=1"), "{:?}", lines());
    assert_eq!(cluster.count("jobs_running"), 1, "and goes on");
}
