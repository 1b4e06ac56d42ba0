//! How searches on one machine end, with a proof and without.

use tempfile::TempDir;

use crate::operator::run;

#[test]
fn a_second_game_in_one_folder_overwrites_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (game, file) in [
        ("Connect(3,3,2,1,1):", "3-3-2-1-1-start-black.gpf"),
        ("Connect(4,4,2,1,1):", "4-4-2-1-1-start-black.gpf"),
    ] {
        let solved = run(folder, &["solve", game, "--store", "one"]);
        assert_eq!(solved.code, 0, "{}", solved.error);
        assert!(solved.out.contains(file), "{}", solved.out);
        assert!(solved.out.contains("From here\n"), "{}", solved.out);
        assert!(
            solved.out.contains(": Black wins\n"),
            "to the end: {}",
            solved.out
        );
    }
    for size in [3, 4] {
        let file = format!("one/{size}-{size}-2-1-1-start-black.gpf");
        let checked = run(folder, &["check", &file]).out;
        assert!(
            checked.contains(&format!("Connect({size},{size},2,1,1)")),
            "{checked}"
        );
    }
}

#[test]
fn what_was_left_open_takes_no_workers_from_what_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let begun = run(
        folder,
        &["solve", "TX-H9", "--store", "one", "--time", "1s"],
    );
    assert_eq!(begun.code, 3, "{}", begun.error);
    let other = run(folder, &["solve", "connect623", "--store", "one"]);
    assert_eq!(other.code, 0, "{}", other.error);
    assert!(
        other.error.contains("TX-H9 was open in this folder"),
        "{}",
        other.error
    );
    let again = run(
        folder,
        &["solve", "TX-H9", "--store", "one", "--time", "1s"],
    );
    assert_eq!(again.code, 3);
    assert!(again.out.contains("Open: does Black win?"), "{}", again.out);
}

#[test]
fn files_that_are_not_there_are_named() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for arguments in [
        &["explain", "no.gpf"][..],
        &["win", "--batch", "no.jsonl"],
        &["simulate", "compare", "--tree", "no.tape"],
        &["store", "--store", "s", "import", "no.export"],
    ] {
        let said = run(folder, arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.error);
        assert!(
            said.error.contains("cannot read no."),
            "{arguments:?}: {}",
            said.error
        );
        assert_eq!(said.error.matches("os error").count(), 1, "{}", said.error);
    }
}

#[test]
fn endings_without_a_proof_say_what_they_mean() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let over = run(
        folder,
        &["solve", "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8"],
    );
    assert_eq!(over.code, 2);
    assert!(
        over.error.contains("the game is over: Black has won"),
        "{}",
        over.error
    );

    let late = run(
        folder,
        &["solve", "TX-H9", "--time", "1s", "--workers", "1"],
    );
    assert_eq!(late.code, 3);
    assert!(late.out.contains("must still be settled"), "{}", late.out);
    assert!(late.out.contains(" of them proved; "), "{}", late.out);
    assert!(
        late.error.contains("not solved within the time"),
        "{}",
        late.error
    );

    // White has a four and is to move: Black wins nothing here.
    let refuted = "Connect(9,9,4,2,1): e5 a1,a2 h9,i1";
    let refuted = run(folder, &["verify", refuted]);
    assert_eq!(refuted.code, 3);
    assert!(!refuted.out.contains("more --nodes"), "{}", refuted.out);
    let unknown = run(folder, &["win", "TX-H9", "--nodes", "1k", "--quiet"]);
    assert_eq!(unknown.code, 3);
    assert!(unknown.out.starts_with("Unknown: "), "{}", unknown.out);
    assert!(unknown.out.contains("more --nodes"), "{}", unknown.out);
}

#[test]
fn another_game_is_named_by_its_rules_alone() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let drawn = run(folder, &["solve", "--rules", "tictactoe"]);
    assert_eq!(drawn.code, 0, "{}", drawn.error);
    assert!(
        drawn.out.contains("A draw: proved for both sides."),
        "{}",
        drawn.out
    );
    assert!(drawn.out.contains("6,462 search nodes"), "{}", drawn.out);
    let late = [
        "solve",
        "--rules",
        "gomoku",
        "--time",
        "1s",
        "--workers",
        "1",
    ];
    let late = run(folder, &late);
    assert_eq!(late.code, 3, "{}", late.error);
    let words = "Connect(15,15,5,1,1): does Black win?";
    assert!(late.error.contains(words), "{}", late.error);
    assert_eq!(run(folder, &["solve"]).code, 2);
}

#[test]
fn an_opening_of_one_stone_is_named_by_its_square() {
    let folder = TempDir::new().unwrap();
    let named = |name| {
        let game = ["openings", "--rules", "5,5,3,1,1", "--only", name];
        run(folder.path(), &game)
    };
    let won = named("c4");
    assert_eq!(won.code, 0, "{}", won.error);
    assert!(won.out.contains("Black wins (1 of 1)"), "{}", won.out);
    let off_the_board = named("H9");
    assert_eq!(off_the_board.code, 2, "{}", off_the_board.error);
    assert!(
        off_the_board.error.contains("H9"),
        "{}",
        off_the_board.error
    );
}

#[test]
fn a_proof_ends_with_what_to_do_next() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let solved = run(folder, &["solve", "connect623"]).out;
    let file = "gridproof-data/connect623-black/connect623-black.gpf";
    for next in ["explain", "check"] {
        assert!(
            solved.contains(&format!("`gridproof {next} {file}`")),
            "{solved}"
        );
    }
}
