//! What goes wrong every day, with every command: each failure has its exit code and says, in one
//! `error:` line, what to mend. Whatever is printed is looked through by `common::words`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::operator::{Server, run, run_with};

/// Commands to a running coordinator, each with what it needs.
const ORDERS: [&[&str]; 21] = [
    &["submit", "TX-H9"],
    &["list"],
    &["status"],
    &["top"],
    &["watch"],
    &["hint", "K11 L10"],
    &["pause"],
    &["resume"],
    &["forget"],
    &["remember"],
    &["run"],
    &["abort"],
    &["share", "TX-H9", "2"],
    &["stop"],
    &["workers"],
    &["orders"],
    &["withdraw", "pc-1", "--yes"],
    &["quarantine", "pc-1"],
    &["release", "pc-1"],
    &["fetch"],
    &["backup", "grid.backup"],
];

/// All others, those within others too.
const ALONE: [&str; 36] = [
    "solve",
    "openings",
    "openings check",
    "openings map",
    "family",
    "serve",
    "store verify",
    "store costs",
    "store recover",
    "store compact",
    "store export",
    "store import",
    "show",
    "convert",
    "win",
    "verify",
    "check",
    "explain",
    "play",
    "match",
    "tune",
    "report",
    "simulate compare",
    "simulate faults",
    "simulate hostile",
    "simulate record",
    "token new",
    "token list",
    "token revoke",
    "cert ca",
    "cert server",
    "cert worker",
    "config",
    "completions",
    "man",
    "book",
];

/// Runs a command that fails, and tells what it said.
pub fn refusal(folder: &Path, arguments: &[&str], code: i32) -> String {
    let said = run(folder, arguments);
    assert_eq!(said.code, code, "{arguments:?}: {}{}", said.out, said.error);
    let errors = said
        .error
        .lines()
        .filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 1, "{arguments:?}: {}", said.error);
    said.error
}

#[test]
fn no_command_is_forgotten_here_and_each_refuses_what_it_does_not_know() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let help = run(folder, &["--help"]).out;
    let lines = help.lines().take_while(|line| *line != "Options:");
    let names = lines.filter_map(|line| line.strip_prefix("  "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        let is_order = ORDERS.iter().any(|order| order[0] == name);
        let is_alone = ALONE
            .iter()
            .any(|known| known.split(' ').next() == Some(name));
        assert!(is_order || is_alone, "{name} is missing in this test");
    }
    let orders = ORDERS.iter().map(|order| order[0]);
    for command in ALONE.into_iter().chain(orders) {
        let words: Vec<_> = command.split(' ').collect();
        let help = run(folder, &[&words[..], &["--help"]].concat());
        assert!(help.code == 0 && help.out.contains("Usage: "), "{command}");
        refusal(folder, &[&words[..], &["--no-such-option"]].concat(), 2);
    }
}

#[test]
fn who_cannot_reach_a_coordinator_is_told_why() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.txt"), "no certificate and no token").unwrap();
    for (options, code, words) in [
        (
            &["--coordinator", "http://127.0.0.1:1"][..],
            69,
            "nobody listens there",
        ),
        (
            &["--coordinator", "https://127.0.0.1:1"],
            2,
            "an address with https needs the lab's certificate",
        ),
        (
            &["--coordinator", "https://127.0.0.1:1", "--ca", "no.pem"],
            2,
            "cannot read no.pem",
        ),
        (
            &["--coordinator", "https://127.0.0.1:1", "--ca", "words.txt"],
            2,
            "words.txt holds no certificate",
        ),
        (&["--token-file", "no.token"], 2, "cannot read no.token"),
        (
            &["--token-file", "words.txt"],
            2,
            "words.txt holds no good token",
        ),
        (&["--config", "no.toml"], 2, "there is no file no.toml"),
        (&["--config", "words.txt"], 2, "words.txt"),
        (
            &["--coordinator", "127.0.0.1:4100"],
            2,
            "is no coordinator's address",
        ),
        (
            &["--coordinator", "http://198.51.100.1:4100"],
            2,
            "no TLS and no token",
        ),
    ] {
        for order in ORDERS {
            let said = refusal(folder, &[order, options].concat(), code);
            assert!(said.contains(words), "{order:?} {options:?}: {said}");
        }
    }
    let nowhere = ["--coordinator", "http://no-such-machine.invalid:4100"];
    let said = refusal(
        folder,
        &[&["list", "--insecure"], &nowhere[..]].concat(),
        69,
    );
    assert!(said.contains("there is no machine of this name"), "{said}");
}

#[test]
fn a_token_that_is_no_operators_opens_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let new = [
        "token",
        "new",
        "--tokens",
        "gridproof-data/tokens.toml",
        "--out",
        ".",
    ];
    assert_eq!(run(folder, &[&new[..], &["pc-01"]].concat()).code, 0);
    assert_eq!(
        run(folder, &[&new[..], &["--role", "reader", "eve"]].concat()).code,
        0
    );
    let stranger = [
        "token",
        "new",
        "--tokens",
        "elsewhere.toml",
        "--out",
        ".",
        "stranger",
    ];
    assert_eq!(run(folder, &stranger).code, 0);
    let server = Server::start(folder, &[]);
    let with = |order: &[&str], token: &str| {
        let settings = [
            ("GRIDPROOF_COORDINATOR", &*server.url),
            ("GRIDPROOF_TOKEN_FILE", token),
        ];
        run_with(
            folder,
            &settings[..if token.is_empty() { 1 } else { 2 }],
            order,
        )
    };
    for order in ORDERS {
        for token in ["", "pc-01.token", "stranger.token"] {
            let said = with(order, token);
            assert_eq!(said.code, 77, "{order:?} {token}: {}", said.error);
            let words = "error: the coordinator does not let us in: ";
            assert!(said.error.starts_with(words), "{order:?}: {}", said.error);
        }
    }
    assert_eq!(with(&["list"], "eve.token").code, 0);
    let said = with(&["submit", "TX-H9"], "eve.token");
    assert_eq!(said.code, 77);
    assert!(
        said.error.contains("may read and not order"),
        "{}",
        said.error
    );
}

#[test]
fn names_and_moves_that_mean_nothing_are_told() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let server = Server::start(folder, &[]);
    let refused = |arguments: &[&str], words: &str| {
        let said = server.order(folder, arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.error);
        assert!(said.error.contains(words), "{arguments:?}: {}", said.error);
    };
    for order in ["status", "pause", "stop", "fetch", "run"] {
        let nothing_yet = server.order(folder, &[order]);
        assert_eq!(nothing_yet.code, 2, "{order}: {}", nothing_yet.error);
    }
    refused(
        &["status"],
        "no searches yet: `gridproof submit TX-H9` starts one",
    );
    for game in ["TX-H9", "XX-L8"] {
        let told = server.order(folder, &["submit", game]).out;
        assert!(told.contains("No worker is here"), "{told}");
    }
    for order in [
        &["status", "nonsense"][..],
        &["stop", "nonsense"],
        &["stop", "17"],
        &["share", "nonsense", "2"],
        &["fetch", "nonsense"],
        &["pause", "--search", "nonsense"],
        &["run", "--search", "17"],
        &["hint", "K11 L10", "--search", "nonsense"],
        &["show", "--search", "nonsense"],
    ] {
        refused(order, "there is no search \"");
    }
    for order in [
        &["stop"][..],
        &["pause"],
        &["hint", "K11 L10"],
        &["forget", "K11 L10"],
        &["run"],
    ] {
        refused(order, "several searches are open, name one: TX-H9, XX-L8");
    }
    for order in [
        &["hint", "K11 K99", "--search", "TX-H9"][..],
        &["pause", "nonsense", "--search", "TX-H9"],
    ] {
        refused(order, "is no move");
    }
    refused(
        &["show", "--search", "TX-H9", "--line", "K11 L10 M12"],
        "Black places 2 stones this turn",
    );
    refused(&["hint", "J10 K11", "--search", "TX-H9"], "J10 is taken");
    refused(&["pause", "J10 K11", "--search", "TX-H9"], "J10 is taken");
    refused(
        &["pause", "A1 A2", "--search", "TX-H9"],
        "has not come to that position",
    );
    refused(&["show", "--node", "4000000"], "no such node");
    refused(&["withdraw", "pc-1", "--yes"], "no worker named \"pc-1\"");
    for game in [
        "nonsense",
        "TX-Q99",
        "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8",
    ] {
        let said = server.order(folder, &["submit", game]);
        assert_eq!(said.code, 2, "{game}: {}", said.error);
    }
}
