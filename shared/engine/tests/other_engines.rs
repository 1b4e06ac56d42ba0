//! Engines that misbehave, as small shell scripts: each ends in a reason, none in a hang.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use gridproof_engine::adapter::{AdapterError, EngineCommand, StdinEngine};
use gridproof_game::records::Game;
use gridproof_game::{Move, Opening, Rules};
use gridproof_solver::Cancel;
use tempfile::TempDir;

/// A script in a folder of its own.
struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// Started through the shell: a file that was just written may be busy.
    fn command(&self, time_out: Duration) -> EngineCommand {
        EngineCommand {
            program: "/bin/sh".to_owned(),
            arguments: vec![self.folder.path().join("engine").display().to_string()],
            time_out,
        }
    }

    fn plays(&self) -> Result<Move, AdapterError> {
        self.plays_within(Duration::from_secs(20))
    }

    fn plays_within(&self, time_out: Duration) -> Result<Move, AdapterError> {
        StdinEngine::new(self.command(time_out)).next_move(&game(), &Cancel::default())
    }
}

const SHORT: Duration = Duration::from_millis(100);

fn game() -> Game {
    "TX-H9".parse::<Opening>().unwrap().game()
}

fn mv(text: &str) -> Move {
    Move::full(text.split(' ').map(|name| name.parse().unwrap()))
}

#[test]
fn an_engine_on_stdin_is_told_the_game_and_asked_for_its_move() {
    let fake = Fake::new(
        r#"while read line; do
             seen="$seen$line/"
             case "$line" in next)
               test "$seen" = "new white/black JJ/white IHHI/next/" && echo "move KKLJ" || echo "move $seen"
               seen="";;
             esac
           done"#,
    );
    let mut engine = StdinEngine::new(fake.command(Duration::from_secs(20)));
    for _ in 0..2 {
        let answer = engine.next_move(&game(), &Cancel::default());
        assert_eq!(answer, Ok(mv("L10 K11")));
    }
}

#[test]
fn a_silent_engine_times_out_and_its_children_end_with_it() {
    let fake = Fake::new(r#"sleep 1000 & echo $! > "$(dirname "$0")/child"; wait"#);
    let answer = fake.plays_within(Duration::from_millis(500));
    assert_eq!(
        answer,
        Err(AdapterError::TimedOut(Duration::from_millis(500)))
    );
    let child = std::fs::read_to_string(fake.folder.path().join("child")).unwrap();
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        stat.ok()
            .and_then(|text| text.split(") ").nth(1)?.chars().next())
    };
    while matches!(state(), Some(alive) if alive != 'Z' && alive != 'X') {
        std::thread::yield_now();
    }
}

#[test]
fn an_engine_that_does_not_read_its_input_times_out() {
    let fake = Fake::new("exec sleep 1000");
    assert_eq!(fake.plays_within(SHORT), Err(AdapterError::TimedOut(SHORT)));
}

#[test]
fn a_crash_is_told_with_the_way_it_ended() {
    for (script, words) in [("exit 3", "exit status: 3"), ("kill -9 $$", "signal: 9")] {
        let error = Fake::new(script).plays().unwrap_err();
        assert!(matches!(error, AdapterError::Ended(_)), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn an_engine_that_closes_its_output_and_stays_has_ended() {
    let error = Fake::new("exec >&-; exec sleep 1000").plays().unwrap_err();
    assert!(matches!(error, AdapterError::Ended(_)), "{error}");
}

#[test]
fn garbage_is_quoted() {
    let answer = Fake::new("read a; echo 'move over, please'").plays();
    assert_eq!(
        answer,
        Err(AdapterError::Garbage("over, please".to_owned()))
    );
}

#[test]
fn an_illegal_move_is_refused() {
    let answer = Fake::new("read a; echo 'move JJKK'").plays();
    assert!(matches!(answer, Err(AdapterError::Illegal { .. })));
}

#[test]
fn a_flood_is_stopped_with_or_without_line_ends() {
    for script in ["yes 'still thinking'", "yes | tr -d '\\n'", "cat /dev/zero"] {
        let answer = Fake::new(script).plays();
        assert!(matches!(answer, Err(AdapterError::Flood(_))), "{script}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let command = EngineCommand {
        program: "/no/such/engine".to_owned(),
        arguments: Vec::new(),
        time_out: SHORT,
    };
    let error = StdinEngine::new(command)
        .next_move(&game(), &Cancel::default())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/no/such/engine does not start")
    );
}

#[test]
fn a_cancelled_search_ends_the_engine() {
    let fake = Fake::new("exec sleep 1000");
    let cancel = Cancel::default();
    cancel.cancel();
    let mut engine = StdinEngine::new(fake.command(Duration::from_secs(1000)));
    let answer = engine.next_move(&game(), &cancel);
    assert_eq!(answer, Err(AdapterError::Cancelled));
}

#[test]
fn what_other_engines_cannot_be_told_is_refused() {
    let fake = Fake::new("echo 'move HH'");
    let mut engine = StdinEngine::new(fake.command(SHORT));
    let rules = Rules::new(15, 15, 6, 2, 1).unwrap();
    let answer = engine.next_move(&Game::new(rules), &Cancel::default());
    assert_eq!(answer, Err(AdapterError::Rules(rules)));
    let mut passed = game();
    passed.play(Move::null(2)).unwrap();
    let answer = engine.next_move(&passed, &Cancel::default());
    assert_eq!(answer, Err(AdapterError::NullStones));
}
