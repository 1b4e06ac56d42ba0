use gridproof_game::{Colour, Opening};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::view::Numbers;
use super::*;

fn search(id: u32, name: &str, state: State, proof: Option<u32>) -> Search {
    Search {
        id,
        name: name.to_owned(),
        attacker: Colour::Black,
        state,
        numbers: Numbers {
            proof,
            disproof: Some(48),
        },
        share: 1,
        game: name.to_owned(),
        root: "TX-H9".parse::<Opening>().unwrap().position(),
    }
}

fn screen() -> Screen {
    let worker = |name: &str, state, running| Worker {
        name: name.to_owned(),
        state,
        slots: 4,
        running,
        version: "0.1.0".to_owned(),
        answers: 40,
        wins: 3,
        refused: 0,
        late: 0,
        confirmed: 2,
        contradicted: 0,
        quarantine: None,
    };
    let job = |node, seconds| Job {
        node,
        position: "J10 I8,H9 K11,L10".to_owned(),
        kind: "verifier",
        worker: "lab-pc-01".to_owned(),
        age: Duration::from_secs(seconds),
        spent: 100_000,
        budget: 3_000_000,
    };
    Screen {
        searches: vec![
            search(1, "I7-G9", State::Proved, Some(0)),
            search(2, "TX-H9", State::Open, Some(12)),
            search(3, "XX-L8 for White", State::Stopped, None),
        ],
        workers: vec![
            worker("lab-pc-02", "away", 0),
            worker("lab-pc-01", "here", 4),
        ],
        totals: Totals {
            positions: 12_345,
            proved: 678,
            jobs_done: 9_000,
            ..Totals::default()
        },
        jobs: vec![job(12, 310), job(697, 4)],
        events: [
            "07:00:01 lab-pc-01 came: 4 jobs at a time",
            "07:00:09 I7-G9: proved: Black wins",
        ]
        .map(|line| Happening {
            line: line.to_owned(),
            subject: Subject::Other,
        })
        .into(),
        ..Screen::default()
    }
}

fn drawn(screen: &Screen, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| {
        (0..width)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..height).map(row).collect()
}

#[test]
fn all_of_a_small_grid_fits_a_usual_terminal_and_a_large_one() {
    for (width, height) in [(80, 24), (200, 50)] {
        let rows = drawn(&screen(), width, height);
        let text = rows.join("\n");
        for words in [
            "12,345 positions, 678 proved | 4 of 4 slots busy",
            "9,000 jobs done",
            "searches (3)",
            "TX-H9",
            "open, Black to prove",
            "proved: Black wins",
            "XX-L8 for White",
            "stopped, Black not proved",
            "lab-pc-02",
            "4 of 4",
            "5 min 10 s",
            "#697",
            "07:00:09 I7-G9: proved: Black wins",
            "q leaves",
        ] {
            assert!(
                text.contains(words),
                "{words} at {width}x{height} in\n{text}"
            );
        }
        let place = |words: &str| rows.iter().position(|row| row.contains(words)).unwrap();
        assert!(
            place("TX-H9 ") < place("I7-G9 "),
            "what is open comes first\n{text}"
        );
        assert!(place("5 min 10 s") < place("#697"), "oldest first\n{text}");
    }
}

#[test]
fn a_grid_that_is_too_large_and_a_screen_that_is_too_small_do_no_harm() {
    let mut large = screen();
    for id in 10..200 {
        large
            .searches
            .push(search(id, &format!("search {id}"), State::Open, Some(id)));
    }
    let rows = drawn(&large, 80, 24);
    assert!(rows.iter().any(|row| row.contains("searches (193)")));
    assert!(rows.iter().any(|row| row.contains("q leaves")));
    for (width, height) in [(1, 1), (10, 3), (40, 8)] {
        let _ = drawn(&large, width, height);
    }
    let _ = drawn(&Screen::default(), 80, 24);
}
