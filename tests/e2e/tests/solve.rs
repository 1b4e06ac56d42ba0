//! The same verdict from one process and from five, with certificates that hold.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use gridproof_certificate::{CheckLimits, Checked, check_file};
use gridproof_game::{Colour, Opening};
use gridproof_tests::{Cluster, SMALL, solve, stdout};

fn checked(path: &Path) -> Checked {
    let file = BufReader::new(File::open(path).unwrap());
    check_file(file, CheckLimits::default()).unwrap().checked
}

#[test]
fn one_process_and_five_come_to_the_same_verdict() {
    let cluster = Cluster::new("connect623", &SMALL);
    let coordinator = cluster.coordinator();
    let workers: Vec<_> = ["a", "b", "c", "d"].map(|name| cluster.worker(name)).into();
    cluster.wait_until_proved();
    let together = checked(&cluster.fetch());
    drop((workers, coordinator));

    let folder = cluster.path("alone");
    let output = solve("connect623", &folder, &SMALL);
    assert!(output.status.success());
    assert!(stdout(&output).contains("Black wins: proved."));
    let alone = checked(&folder.join("connect623-black.gpf"));

    let start = Opening::Connect623.position();
    for found in [together, alone] {
        assert_eq!(found.claim.start, start);
        assert_eq!(found.claim.attacker, Colour::Black);
    }
}

#[test]
fn a_solved_search_is_not_solved_again() {
    let cluster = Cluster::new("connect623", &[]);
    let folder = cluster.path("alone");
    assert!(solve("connect623", &folder, &[]).status.success());
    let again = solve("connect623", &folder, &[]);
    assert!(again.status.success());
    let words = stdout(&again);
    assert!(words.contains("Black wins: proved."));
    assert!(words.contains(" 0 jobs"), "{words}");
}
