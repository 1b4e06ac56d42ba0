//! `gridproof book`, as users run it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use gridproof_book::{BookFile, Record, encode};
use tempfile::TempDir;

/// A folder with the first games of the sample, and a cache of its own.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn with_games(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sample =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/games_sample.csv");
        let text = fs::read_to_string(sample).unwrap();
        let some: Vec<_> = text.lines().take(count + 1).collect();
        fs::write(folder.path().join("games.csv"), some.join("\n")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("gridproof"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("NO_COLOR", "1");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command that succeeds says.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {words}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn hash(&self, book: &str) -> String {
        let file = BookFile::open(&self.path(book)).unwrap();
        file.verify().unwrap();
        file.hash().to_string()
    }

    /// Starts a command and kills it after some time. Returns whether it had ended by itself.
    fn kill_after(&self, arguments: &[&str], wait: Duration) -> bool {
        let mut command = self.command(arguments);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(wait);
        let ended = child.try_wait().unwrap().is_some();
        // SIGKILL; one that has ended cannot be killed.
        let _ = child.kill();
        child.wait().unwrap();
        ended
    }
}

const BUILD: [&str; 6] = ["book", "build", "games.gpb", "games.csv", "--nodes", "300"];

#[test]
fn a_book_is_built_checked_shown_and_survives_all_its_formats() {
    let desk = Desk::with_games(40);
    let told = desk.says(&BUILD);
    assert!(
        told.contains("39 games") && told.contains("1 without a winner"),
        "{told}"
    );
    let told = desk.says(&["book", "check", "games.gpb"]);
    assert!(told.contains("certificates accepted"), "{told}");
    let told = desk.says(&["book", "show", "games.gpb", "j10"]);
    assert!(told.contains("White to move"), "{told}");
    let json = desk.says(&["book", "show", "games.gpb", "--json"]);
    assert!(json.contains("\"J10\""), "{json}");

    let hash = desk.hash("games.gpb");
    for (number, out) in ["tree.sgf", "lines.jsonl"].into_iter().enumerate() {
        desk.says(&["book", "export", "games.gpb", out]);
        let again = format!("again{number}.gpb");
        let told = desk.says(&["book", "import", &again, out]);
        assert!(told.contains("0 claims were not believed"), "{told}");
        assert_eq!(desk.hash(&again), hash);
        desk.says(&["book", "check", &again]);
    }
    desk.says(&["book", "export", "games.gpb", "pages"]);
    assert!(desk.path("pages/index.html").exists());
    desk.says(&["book", "merge", "games.gpb", "again0.gpb"]);
    assert_eq!(
        desk.hash("games.gpb"),
        hash,
        "a book merged with itself is itself"
    );
    let refused = desk.run(&BUILD);
    assert!(!refused.status.success(), "a book is not overwritten");
}

#[test]
fn a_certificate_that_does_not_hold_is_told_and_not_believed() {
    let desk = Desk::with_games(15);
    desk.says(&BUILD);
    let file = BookFile::open(&desk.path("games.gpb")).unwrap();
    let entries = file.entries().map(Result::unwrap);
    let proved: Vec<_> = entries
        .filter_map(|(_, entry)| entry.proved().cloned())
        .collect();
    let folder = gridproof_book::Certificates::beside(&desk.path("games.gpb"));
    // A good certificate, but of another position.
    fs::copy(
        folder.path(proved[1].certificate),
        folder.path(proved[0].certificate),
    )
    .unwrap();
    let output = desk.run(&["book", "check", "games.gpb"]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        told.contains("REFUSED") && told.contains("something else"),
        "{told}"
    );
    // A stranger's copy: this machine has checked nothing yet.
    fs::remove_dir_all(desk.path("cache")).unwrap();
    let told = desk.says(&["book", "merge", "mine.gpb", "games.gpb"]);
    assert!(told.contains("1 claims were not believed"), "{told}");
}

#[test]
fn a_build_that_is_killed_goes_on_and_ends_with_the_same_book() {
    let whole = Desk::with_games(60);
    whole.says(&BUILD);
    let killed = Desk::with_games(60);
    let mut kills = 0;
    for wait in (1..).map(|round| Duration::from_millis(30 + 40 * round)) {
        if killed.kill_after(&BUILD, wait) {
            break;
        }
        kills += 1;
    }
    if !killed.path("games.gpb").exists() {
        killed.says(&BUILD);
    }
    assert!(kills > 0);
    assert_eq!(killed.hash("games.gpb"), whole.hash("games.gpb"));
    killed.says(&["book", "check", "games.gpb"]);
}

#[test]
fn a_growing_book_learns_and_loses_nothing_when_it_is_killed() {
    let desk = Desk::with_games(10);
    desk.says(&BUILD);
    let grow = [
        &["book", "grow", "games.gpb"][..],
        &["--nodes", "2000", "--game-nodes", "200"],
    ]
    .concat();
    let proved = |desk: &Desk| {
        let file = BookFile::open(&desk.path("games.gpb")).unwrap();
        file.verify().unwrap().proved
    };
    let before = proved(&desk);
    let mut learnt = 0;
    for round in 0..6_u64 {
        let base = BookFile::open(&desk.path("games.gpb"))
            .unwrap()
            .load()
            .unwrap();
        desk.kill_after(&grow, Duration::from_millis(150 + 130 * round));
        // What was acknowledged is in the journal: whole lines after the first.
        let text = fs::read(desk.path("games.gpb.journal")).unwrap_or_default();
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let lines = text[..whole].split(|byte| *byte == b'\n').skip(1);
        let mut expected = base;
        for line in lines.filter(|line| !line.is_empty()) {
            let record: Record = serde_json::from_slice(line).unwrap();
            record.apply(&mut expected).unwrap();
            learnt += 1;
        }
        expected.prune().unwrap();
        desk.says(&[&grow[..], &["--jobs", "0"]].concat());
        assert_eq!(desk.hash("games.gpb"), encode(&expected).1.to_string());
    }
    assert!(learnt > 0, "some jobs were done");
    desk.says(&[&grow[..], &["--jobs", "20"]].concat());
    assert!(proved(&desk) > before, "{before} before");
    let told = desk.says(&["book", "check", "games.gpb"]);
    assert!(!told.contains("REFUSED"), "{told}");
    let told = desk.says(&["report"]);
    assert!(told.contains("Book games.gpb:"), "{told}");
}

/// How many search nodes a solve says it took.
fn nodes_of(told: &str) -> u64 {
    let words: Vec<_> = told.split_whitespace().collect();
    let at = words
        .windows(2)
        .position(|pair| pair == ["search", "nodes,"]);
    let number = words[at.unwrap_or_else(|| panic!("{told}")) - 1];
    number.replace(',', "").parse().unwrap()
}

#[test]
fn a_search_asks_its_book_believes_no_certificate_unchecked_and_adds_what_it_proves() {
    let desk = Desk::with_games(1);
    let solve = |position: &str, store: &str| {
        let told = desk.says(&["solve", position, "--book", "won.gpb", "--store", store]);
        assert!(told.contains("Black wins: proved"), "{told}");
        nodes_of(&told)
    };
    assert!(solve("G7-M13", "first") > 0);
    let told = desk.says(&["book", "check", "won.gpb"]);
    assert!(told.contains("1 of 1 certificates accepted"), "{told}");
    // Mirrored, and in a store that knows nothing.
    assert_eq!(solve("j10,m7,g13", "second"), 0);

    let certificates = fs::read_dir(desk.path("won.gpb.certificates")).unwrap();
    let folder = certificates
        .map(|entry| entry.unwrap().path())
        .next()
        .unwrap();
    let file = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert!(solve("G7-M13", "third") > 0, "workers prove it again");
}

#[test]
fn a_campaign_fills_a_book_that_answers_at_once() {
    let desk = Desk::with_games(1);
    let openings = ["openings", "--only", "G7-M13", "--nodes", "3M"];
    desk.says(
        &[
            &openings[..],
            &["--data", "campaign", "--book", "openings.gpb"],
        ]
        .concat(),
    );
    // The same book, made of the campaign's folder afterwards.
    desk.says(&["book", "build", "later.gpb", "campaign"]);
    assert_eq!(desk.hash("later.gpb"), desk.hash("openings.gpb"));
    let told = desk.says(&["book", "show", "openings.gpb", "G7-M13"]);
    assert!(told.contains("Black wins, proved"), "{told}");
    let again = ["--data", "again", "--book", "openings.gpb"];
    desk.says(&[&openings[..], &again].concat());
    let table = fs::read_to_string(desk.path("again/openings.tsv")).unwrap();
    let row: Vec<_> = table.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!(row[6], "0", "no node was searched: {table}");
}

#[test]
fn a_player_with_a_book_follows_a_proof_to_its_end() {
    let desk = Desk::with_games(1);
    desk.says(&["verify", "connect623", "--out", "connect623.gpf"]);
    let rules = ["--rules", "Connect(19,19,6,2,3)"];
    let build = ["book", "build", "openings.gpb", "connect623.gpf"];
    desk.says(&[&build[..], &rules[..]].concat());
    let told = desk.says(&["book", "show", "openings.gpb", "connect623"]);
    assert!(told.contains("Black wins, proved"), "{told}");
    let play = ["play", "--position", "connect623", "--as", "white"];
    let with_book = ["--against", "defensive", "--book", "openings.gpb"];
    let mut child = desk
        .command(&[&play[..], &with_book[..]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // White plays anywhere; the proof answers everything.
    let moves = [
        "i9 k9", "m12 h8", "a1 s1", "a3 s3", "a5 s5", "a7 s7", "a9 s9", "a11 s11",
    ];
    let lines = moves
        .iter()
        .chain(&["a13 s13", "a15 s15", "a17 s17", "quit"]);
    let lines: Vec<_> = lines.copied().collect();
    let mut stdin = child.stdin.take().unwrap();
    // The game may be over before all of it is read.
    let _ = stdin.write_all(format!("{}\n", lines.join("\n")).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("the book plays "), "{told}");
    assert!(told.contains("Black has won"), "{told}");
}
