//! What an operator asks a running coordinator, and orders it.

use tempfile::TempDir;

use crate::operator::{Server, run};

#[test]
fn an_operator_sees_names_and_sentences() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let solved = run(
        folder,
        &["solve", "connect623", "--store", "store", "--quiet"],
    );
    assert_eq!(solved.code, 0, "{}", solved.error);
    assert!(
        solved.out.starts_with("Black wins: proved.\n"),
        "{}",
        solved.out
    );
    let server = Server::start(folder, &["--store", "store", "--submit", "TX-H9"]);
    let order = |arguments: &[&str]| server.order(folder, arguments);

    let submitted = order(&["submit", "TX-H9", "--attacker", "white"]).out;
    assert!(
        submitted.starts_with("Search 3: TX-H9 for White, open, White to prove."),
        "{submitted}"
    );
    let list = order(&["list"]).out;
    let rows: Vec<_> = list.lines().map(str::trim).collect();
    assert!(rows[0].starts_with("no.  search"), "{list}");
    assert!(
        rows[1].contains("connect623") && rows[1].contains("proved: Black wins"),
        "{list}"
    );
    assert!(rows[2].contains("open, Black to prove"), "{list}");
    assert!(
        rows[3].contains("TX-H9 for White  open, White to prove"),
        "{list}"
    );
    let json: serde_json::Value = serde_json::from_str(&order(&["list", "--json"]).out).unwrap();
    assert_eq!(json[0]["state"], "proved");
    assert_eq!(json[2]["name"], "TX-H9 for White");

    let status = order(&["status", "tx-h9"]).out;
    assert!(
        status.starts_with("TX-H9: open, Black to prove\n"),
        "{status}"
    );
    assert!(
        status.contains("├─┼─") && status.contains("must still be settled"),
        "{status}"
    );
    let workers = order(&["workers"]).out;
    let rows: Vec<_> = workers.lines().map(str::trim).collect();
    assert!(rows[0].starts_with("worker  state    busy"), "{workers}");
    assert!(
        rows[1].contains("away"),
        "the one of solve has left: {workers}"
    );

    let hint = order(&["hint", "K11 L10", "--search", "TX-H9"]).out;
    assert!(hint.contains("will be tried at #"), "{hint}");
    let forget = order(&["forget", "K11 L10", "--search", "TX-H9"]).out;
    assert!(forget.starts_with("Forgotten: "), "{forget}");
    let list = order(&["list"]).out;
    assert!(list.contains("TX-H9"), "{list}");
    assert!(
        order(&["pause", "--search", "TX-H9"])
            .out
            .starts_with("Paused: no new jobs")
    );
    assert!(order(&["list"]).out.contains("paused, Black to prove"));
    let status = order(&["status", "TX-H9"]).out;
    assert!(status.contains("`gridproof resume"), "{status}");
    let again = order(&["pause", "--search", "TX-H9"]);
    assert!(again.error.contains("it is so already"), "{}", again.error);
    assert!(
        order(&["resume", "--search", "TX-H9"])
            .out
            .starts_with("Resumed: ")
    );
    let stopped = order(&["stop", "TX-H9 for White"]).out;
    assert!(
        stopped.starts_with("Stopped: TX-H9 for White."),
        "{stopped}"
    );
    assert!(order(&["list"]).out.contains("stopped, White not proved"));
    let proved = order(&["stop", "connect623"]);
    assert_eq!(proved.code, 2);
    assert!(
        proved.error.contains("proved: Black wins"),
        "{}",
        proved.error
    );
    let by_number = order(&["hint", "I11 J12", "--node", "1"]).out;
    assert!(
        by_number.starts_with("I11 J12 will be tried at #1 (J10 I8,H9)"),
        "{by_number}"
    );

    // The number in "tried at #N (…)".
    let node = hint
        .split(['#', ' '])
        .find(|word| word.parse::<u32>().is_ok());
    let node = node.expect("a node has a number");
    let shown = order(&["show", "--node", node]).out;
    assert!(shown.starts_with(&format!("Node #{node}, ")), "{shown}");
    assert!(
        shown.contains("├─┼─") && shown.contains("To prove: "),
        "{shown}"
    );
    assert!(
        shown.contains("L10 K11") || shown.contains("Moves"),
        "{shown}"
    );
    let missing = order(&["show", "--node", "4000000"]);
    assert_eq!(missing.code, 2);
    assert!(missing.error.contains("no such node"), "{}", missing.error);
    let orders = order(&["orders"]).out;
    assert!(orders.trim_start().starts_with("no. "), "{orders}");
    assert!(orders.contains("local  hint L10 K11 at #"), "{orders}");

    let unknown = order(&["status", "nonsense"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.error.contains("there is no search \"nonsense\""),
        "{}",
        unknown.error
    );
    let unsure = order(&["withdraw", "pc-1"]);
    assert_eq!(unsure.code, 2);
    assert!(unsure.error.contains("say --yes"), "{}", unsure.error);
    let nobody = order(&["withdraw", "pc-1", "--yes"]);
    assert!(
        nobody.error.contains("no worker named \"pc-1\""),
        "{}",
        nobody.error
    );
    let over = order(&["submit", "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8"]);
    assert_eq!(over.code, 2);
    assert!(over.error.contains("Black has won"), "{}", over.error);
    let log = server.log();
    for words in [
        "local ordered: start search 3 (TX-H9 for White)",
        "local ordered: hint L10 K11 at #",
        "local ordered: stop search 3 (TX-H9)",
    ] {
        assert!(log.contains(words), "{words} in\n{log}");
    }
}

#[test]
fn a_proof_is_fetched_by_name_and_overwrites_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    run(
        folder,
        &["solve", "connect623", "--store", "store", "--quiet"],
    );
    let server = Server::start(folder, &["--store", "store", "--submit", "TX-H9"]);
    let order = |arguments: &[&str]| server.order(folder, arguments);
    let fetched = order(&["fetch"]);
    assert_eq!(fetched.code, 0, "{}", fetched.error);
    assert!(
        fetched.out.starts_with("connect623: Black wins."),
        "{}",
        fetched.out
    );
    assert!(
        fetched.out.contains("Proof: connect623-black.gpf"),
        "{}",
        fetched.out
    );
    assert_eq!(run(folder, &["check", "connect623-black.gpf"]).code, 0);
    let again = order(&["fetch", "connect623"]);
    assert_eq!(again.code, 2);
    assert!(
        again.error.contains("connect623-black.gpf exists"),
        "{}",
        again.error
    );
    assert_eq!(order(&["fetch", "1", "--replace"]).code, 0);
    assert_eq!(order(&["fetch", "connect623", "--out", "a.gpf"]).code, 0);
    let open = order(&["fetch", "TX-H9"]);
    assert_eq!(open.code, 2);
    assert!(
        open.error.contains("TX-H9 is not proved: open"),
        "{}",
        open.error
    );
}
