//! The disk is full; the cable is cut. Both need what only some machines allow, such as
//! mounting: elsewhere a stand-in is used, or the test says that it was skipped.

use std::path::Path;
use std::process::Command;

use gridproof_tests::{
    Cable, Grid, HARD, LONG_JOB, Network, SMALL, does, gridproof, worker_program,
};

/// What a supervisor may start again.
const TRY_AGAIN: i32 = 75;

/// A file system of memory over a folder, until it is dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(path: &'a Path, kilobytes: u32) -> Option<Self> {
        let size = format!("size={kilobytes}k");
        let path_text = path.to_str().unwrap();
        let mounted = does("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", path_text]);
        mounted.then_some(Self(path))
    }

    fn enlarge(&self, kilobytes: u32) {
        let options = format!("remount,size={kilobytes}k");
        assert!(does("mount", &["-o", &options, self.0.to_str().unwrap()]));
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // Lazily: the coordinator may have it open for another moment.
        let _ = does("umount", &["-l", self.0.to_str().unwrap()]);
    }
}

#[test]
fn a_full_disk_ends_the_coordinator_with_words_and_loses_nothing() {
    let grid = Grid::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    let store = grid.path("store");
    std::fs::create_dir(&store).unwrap();
    let Some(disk) = SmallDisk::mount(&store, 48) else {
        println!("skipped: no file system can be mounted here");
        return;
    };
    let mut coordinator = grid.coordinator();
    let _worker = grid.worker("a");
    assert_eq!(coordinator.wait().code(), Some(TRY_AGAIN));
    let words = coordinator.wait_for_line("error:");
    assert!(words.contains("No space left on device"), "{words}");
    assert!(words.contains("start the program again"), "{words}");

    disk.enlarge(64 * 1024);
    let mut coordinator = grid.coordinator();
    grid.wait_until_proved();
    let _ = grid.fetch();
    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
}

#[test]
fn a_store_that_may_not_grow_ends_the_coordinator_with_words_too() {
    let grid = Grid::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    // The shell counts in blocks of 512 bytes or of 1024: either is soon full.
    let limited = "trap '' XFSZ; ulimit -f 48; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(gridproof().get_program());
    let mut coordinator = grid.coordinator_by(shell);
    let _worker = grid.worker("a");
    assert_eq!(coordinator.wait().code(), Some(TRY_AGAIN));
    let words = coordinator.wait_for_line("error:");
    assert!(words.contains("start the program again"), "{words}");

    let _coordinator = grid.coordinator();
    grid.wait_until_proved();
    let _ = grid.fetch();
}

#[test]
fn a_cut_cable_is_noticed_and_the_job_goes_on_when_it_is_mended() {
    let Some(network) = Network::of_hosts(1) else {
        println!("skipped: no network namespace can be made here");
        return;
    };
    let grid = Grid::locked_at(&network.here(), HARD, &LONG_JOB, &["far"]);
    let coordinator = grid.coordinator();
    let host = &network.hosts()[0];
    let program = host.command(&worker_program());
    let _worker = grid.worker_by(program, "far", &grid.keys_of("far"));
    grid.wait_for("the job begins", |grid| grid.count("jobs") == 1);

    host.put_cable(Cable::Out);
    let lost = coordinator.wait_for_line("worker lost");
    println!("{lost}");
    assert_eq!(grid.count("jobs"), 1, "its job waits for it");

    host.put_cable(Cable::In);
    let lines = || coordinator.lines_with("worker came");
    grid.wait_for("the worker comes back", |_| lines().len() == 2);
    assert!(lines()[1].contains("held=1"), "{:?}", lines());
    assert_eq!(grid.count("jobs"), 1, "and goes on");
}
