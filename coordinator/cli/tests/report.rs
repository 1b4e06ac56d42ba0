//! `gridproof report`, as users run it, on a journal that was made up.

mod common;

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use gridproof_grid::logs::{
    Certificate, Journal, Nodes, RootNumbers, Sample, SearchState, SearchStatus, SlowJob,
    WorkerState,
};
use jiff::{SignedDuration, Timestamp};

const MINUTES: i64 = 540;

/// A night as the coordinator records it, with a bit of everything: openings that fall and that do not, a restart, machines
/// that leave in the morning, a name that tries to be markup.
fn write_a_night(folder: &Path) {
    let journal = Journal::at(folder.join("journal"));
    let end = Timestamp::now();
    for minute in 0..=MINUTES {
        let ago = SignedDuration::from_mins(MINUTES - minute);
        journal
            .append(&sample(minute, end.checked_sub(ago).unwrap()))
            .unwrap();
    }
}

fn sample(minute: i64, at: Timestamp) -> Sample {
    let m = u64::try_from(minute).unwrap();
    let life = u32::from(minute > 310);
    // Counters begin anew with the second life.
    let done = if life == 0 { m } else { m - 310 };
    let jobs = 700 * done + 40 * (done % 7);
    let present = match m {
        0..=20 => 2 + m / 2,
        480.. => 12 - (m - 480) / 8,
        _ => 12 - u64::from(m % 90 < 8) * 2,
    };
    let workers = (1..=12).map(|i| WorkerState {
        name: format!("lab-pc-{i:02}"),
        connected: i <= present,
        slots: if i % 3 == 0 { 8 } else { 4 },
        jobs: jobs / 12 + 30 * i,
        won: jobs / 60,
        spent: jobs * 2_000 * (i + 5),
        wasted: jobs * 170 * i,
        losses: i % 4,
        ..WorkerState::default()
    });
    Sample {
        at,
        life,
        searches: searches(minute, done),
        nodes: Nodes {
            solved: 31 * m + m * m / 9,
            open: 900 + 40 * m - m * m / 20,
        },
        jobs_done: jobs,
        jobs_running: 4 * present,
        spent: jobs * 300_000,
        wasted: [
            ("ancestor settled".to_owned(), jobs * 19_000),
            ("excused by a zone".to_owned(), jobs * 7_000),
            ("worker lost".to_owned(), jobs * 4_000),
            ("nothing new".to_owned(), jobs * 9_500),
        ]
        .into(),
        workers: workers.collect(),
        slowest: vec![SlowJob {
            search: "TX-H9".to_owned(),
            position: "J10 I8,H9 K11,L10".to_owned(),
            kind: "verifier".to_owned(),
            worker: "lab-pc-07".to_owned(),
            seconds: 1_317,
            spent: 88_000_000,
            outcome: "3 replies open".to_owned(),
        }],
        book: None,
    }
}

fn searches(minute: i64, done: u64) -> Vec<SearchState> {
    let open = |name: &str, root: RootNumbers| SearchState {
        name: name.to_owned(),
        root,
        jobs: 17 * done,
        spent: 41_000 * done,
        line: "k11l10 m12h8 j12m9".to_owned(),
        ..SearchState::default()
    };
    let number = |value: f64| value.max(1.0) as u32;
    let m = minute as f64;
    let wave = 1.0 + 0.35 * (m / 17.0).sin();
    let mut all = vec![
        open(
            "TX-H9",
            RootNumbers::new(
                number(400.0 * wave * (-m / 160.0).exp() + 12.0),
                number(30.0 + m * wave),
            ),
        ),
        open(
            "XX-L8",
            RootNumbers::new(number(60.0 * wave + m / 4.0), number(80.0 / wave)),
        ),
        open(
            "<script>alert(1)</script>",
            RootNumbers::new(number(9.0 + m / 9.0), 40),
        ),
    ];
    for (name, falls) in [("TT-K12", 95), ("I7-G9", 402)] {
        let left = falls - minute;
        let mut search = open(
            name,
            RootNumbers::new(number(left as f64 * wave), number(2.0 * m * wave)),
        );
        if left <= 0 {
            search.status = SearchStatus::Proved;
            search.root = RootNumbers::new(0, u32::MAX);
            search.certificate = Some(Certificate {
                file: format!("gridproof-data/proofs/{name}-black.gpf"),
                hash: "5f1d7c0a9b3e44d2aa01".to_owned(),
                first_move: Some("K11 L10".to_owned()),
            });
            search.position = "J10 J8,K12".to_owned();
            search.attacker = "black".to_owned();
        }
        all.push(search);
    }
    all
}

fn report(arguments: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    write_a_night(&folder.path().join("gridproof-data"));
    let mut command = cargo_bin_cmd!("gridproof");
    command
        .current_dir(folder.path())
        .arg("report")
        .args(arguments)
        .env("TZ", "UTC");
    let done = command.assert().success();
    let text = common::words(&done.get_output().stdout);
    (folder, text)
}

#[test]
fn the_text_tells_what_was_proved_and_what_was_not() {
    let (_folder, text) = report(&[]);
    assert!(text.contains("2 searches were proved."), "{text}");
    assert!(text.contains("one restart of the coordinator"), "{text}");
    let line_of = |name: &str| {
        text.lines()
            .find(|line| line.trim().starts_with(name))
            .unwrap()
    };
    assert!(
        line_of("I7-G9").contains("proved") && line_of("I7-G9").contains("proofs/I7-G9-black.gpf")
    );
    assert!(line_of("TX-H9").contains("open"));
    assert!(line_of("ancestor settled").contains('%'));
    assert!(text.contains("lab-pc-07") && text.contains("21 min 57 s"));
}

#[test]
fn the_page_stands_alone_and_runs_nobodys_script() {
    let (folder, text) = report(&["--html", "night.html"]);
    assert_eq!(text, "");
    let page = std::fs::read_to_string(folder.path().join("night.html")).unwrap();
    if let Some(keep) = std::env::var_os("GRIDPROOF_KEEP_REPORT") {
        std::fs::write(keep, &page).unwrap();
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert_eq!(page.matches("<svg viewBox").count(), 4, "a plot each");
    let boards = page
        .matches("<img src=\"data:image/svg+xml;base64,")
        .count();
    assert_eq!(boards, 2, "a board each");
    assert!(page.contains("<figcaption>I7-G9: Black wins with K11 L10</figcaption>"));
    assert_eq!(
        page.matches("src=").count(),
        boards,
        "nothing else is fetched"
    );
    for outside in ["<script", "http://", "https://", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("&lt;script&gt;"));
}

#[test]
fn the_data_can_be_had_as_json() {
    let (_folder, text) = report(&["--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["newly_proved"], serde_json::json!(["I7-G9", "TT-K12"]));
    assert_eq!(json["restarts"], 1);
}

/// What a command that must fail with bad input says.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let mut command = cargo_bin_cmd!("gridproof");
    command.current_dir(folder).arg("report").args(arguments);
    let done = command.assert().failure().code(2).stdout("");
    common::words(&done.get_output().stderr)
}

#[test]
fn a_folder_without_a_journal_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(folder.path(), &[]);
    assert!(said.contains("there is no folder gridproof-data"), "{said}");
    std::fs::create_dir(folder.path().join("gridproof-data")).unwrap();
    let said = refusal(folder.path(), &[]);
    assert!(said.contains("gridproof-data holds no journal"), "{said}");
    std::fs::create_dir(folder.path().join("gridproof-data/journal")).unwrap();
    let said = refusal(folder.path(), &[]);
    assert!(said.contains("nothing was recorded"), "{said}");
    assert!(!said.contains("1970"), "{said}");
}

#[test]
fn a_search_by_solve_is_reported_with_all_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let gridproof = |arguments: &[&str]| {
        let mut command = cargo_bin_cmd!("gridproof");
        command.current_dir(folder.path()).args(arguments);
        let done = command.assert().success();
        common::words(&done.get_output().stdout)
    };
    gridproof(&["solve", "connect623", "--verifier-budget", "100"]);
    let text = gridproof(&["report"]);
    assert!(text.contains("connect623 was proved."), "{text}");
    let mut lines = text.lines().skip_while(|line| *line != "Searches").skip(1);
    let columns: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(columns[..5], ["name", "verdict", "root", "nodes", "jobs"]);
    let row: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(row[..3], ["connect623", "proved", "0/∞"]);
    assert!(row[4].parse::<u64>().unwrap() > 0, "{text}");
    let file = "gridproof-data/connect623-black/connect623-black.gpf";
    assert!(row.contains(&file), "{text}");
    gridproof(&["check", file]);

    let (of_second, position) = two_searches_in_one_store(folder.path());
    assert_eq!(of_second, "Connect(9,9,2,1,1)");
    assert!(position.starts_with("Connect(9,9,2,1,1)"), "{position}");

    // A second search in the same place is told beside the first.
    gridproof(&["solve", "Connect(9,9,2,1,1):"]);
    let text = gridproof(&["report"]);
    assert!(text.contains("gridproof-data/connect623-black\n"), "{text}");
    assert!(
        text.contains("gridproof-data/9-9-2-1-1-start-black\n"),
        "{text}"
    );
    let said = refusal(folder.path(), &["--json"]);
    assert!(said.contains("choose one with --data"), "{said}");
    let json = gridproof(&[
        "report",
        "--json",
        "--data",
        "gridproof-data/connect623-black",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["newly_proved"], serde_json::json!(["connect623"]));
    assert!(json["searches"][0]["spent"].as_u64().unwrap() > 0);
}

/// The search and the position of the slowest job of the second of two searches.
fn two_searches_in_one_store(folder: &Path) -> (String, String) {
    for game in ["connect623", "Connect(9,9,2,1,1):"] {
        let mut command = cargo_bin_cmd!("gridproof");
        let arguments = ["solve", game, "--store", "both/store", "--quiet"];
        command.current_dir(folder).args(arguments);
        command.assert().success();
    }
    let mut command = cargo_bin_cmd!("gridproof");
    command.current_dir(folder);
    let done = command.args(["report", "--json", "--data", "both/store"]);
    let json = common::words(&done.assert().success().get_output().stdout);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let jobs = json["slowest"].as_array().unwrap();
    let text = |job: &serde_json::Value, field: &str| job[field].as_str().unwrap().to_owned();
    for job in jobs {
        assert_ne!(text(job, "search"), "", "{job}");
        assert!(!text(job, "position").starts_with("node"), "{job}");
    }
    let second = jobs.iter().find(|job| text(job, "search") != "connect623");
    let second = second.expect("both searches had jobs");
    (text(second, "search"), text(second, "position"))
}

#[test]
fn times_that_make_no_sense_are_refused() {
    for time in ["", "0h", "-3h", "yesterday", "0d", "99999999w"] {
        let mut command = cargo_bin_cmd!("gridproof");
        command.args(["report", "--since", time]).assert().failure();
    }
}
