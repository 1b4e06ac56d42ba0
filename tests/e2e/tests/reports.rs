//! What people read about a search: the log, the metrics, the report, and the live display.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use gridproof_tests::{Cluster, HARD, LONG_JOB, SMALL, gridproof, run_to_end, stdout};

const OFTEN: [&str; 2] = ["--log-every", "1"];

fn get(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_search_is_in_the_log_the_metrics_and_the_report() {
    let extra = [&SMALL[..], &OFTEN, &["--metrics", "127.0.0.1:0"]].concat();
    let cluster = Cluster::new("connect623", &extra);
    let mut coordinator = cluster.coordinator();
    let line = coordinator.wait_for_line("metrics at http://");
    let address = line.split("http://").nth(1).unwrap();
    let address = address.trim_end_matches("/metrics").to_owned();
    let first = coordinator.wait_for_line("nodes solved");
    assert!(first.contains("connect623") && first.contains("jobs/s"));
    let _worker = cluster.worker("a");
    let last = coordinator.wait_for_line("connect623 PROVED");
    assert!(last.contains("1 worker"), "{last}");

    let page = get(&address);
    for line in [
        "gridproof_searches{verdict=\"proved\"} 1",
        "gridproof_workers 1",
        "gridproof_jobs_running 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    }
    let value = |name: &str| -> f64 {
        let line = page.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{page}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(value("gridproof_jobs_total") > 0.0);
    assert!(value("gridproof_job_seconds_count{kind=\"verifier\"}") > 0.0);
    assert!(value("gridproof_store_flush_seconds_count") > 0.0);

    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
    let report = run_to_end(gridproof().args(["report", "--data", &cluster.text("")]));
    let text = stdout(&report);
    assert!(text.contains("connect623 was proved."), "{text}");
    assert!(text.contains("jobs  won"), "its worker is counted: {text}");
    let html = cluster.text("night.html");
    let page =
        run_to_end(gridproof().args(["report", "--data", &cluster.text(""), "--html", &html]));
    assert!(page.status.success());
    assert!(fs::read_to_string(html).unwrap().contains("<svg"));
}

#[test]
fn an_operator_sees_what_runs_where_and_since_when() {
    let cluster = Cluster::new(HARD, &LONG_JOB);
    let _coordinator = cluster.coordinator();
    let _worker = cluster.worker("pc-1");
    cluster.wait_for("the job begins", |cluster| {
        cluster.count("jobs_running") == 1
    });
    let status = cluster.status();
    let job = &status["jobs"][0];
    assert_eq!(job["worker"], "pc-1");
    assert!(job["seconds"].is_u64() && job["budget"].is_u64(), "{job}");
    let text = stdout(&cluster.order(&["status"]));
    assert!(
        text.contains("Running jobs\n  running for  worker"),
        "{text}"
    );
    // The search has not come further than its root, and shows it as it was submitted.
    let root = gridproof_game::read_game(HARD.as_bytes()).unwrap();
    let root = gridproof_grid::position_record(root.position()).unwrap();
    assert!(text.contains(&root), "{root} in {text}");
    let node = job["node"].to_string();
    let shown = stdout(&cluster.order(&["show", "--node", &node]));
    assert!(shown.contains("open, a job is running"), "{shown}");
    assert!(shown.contains("pc-1"), "{shown}");
}

#[test]
fn the_log_goes_to_a_file_that_programs_read() {
    let cluster = Cluster::new("connect623", &[&SMALL[..], &OFTEN].concat());
    let mut command = cluster.serving(gridproof());
    command
        .args(["--until-done", "--log-format", "json", "--log-file"])
        .arg(cluster.path("logs/grid.log"))
        .stderr(Stdio::piped());
    let coordinator = command.spawn().unwrap();
    let _worker = cluster.worker("a");
    let ended = coordinator.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert!(ended.stderr.is_empty(), "all of it is in the file");
    let mut files = fs::read_dir(cluster.path("logs")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(file.to_str().unwrap().contains("grid.2"), "dated: {file:?}");
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let summaries: Vec<_> = lines.iter().filter(|line| line["searches"] == 1).collect();
    assert!(
        summaries.len() >= 2,
        "one at the start, one at the end: {text}"
    );
    let last = summaries.last().unwrap();
    assert_eq!(last["proved"], 1);
    assert!(last["solved_nodes"].as_u64().unwrap() > 0);
    // It is news once, in whichever line comes first after it.
    let tells_the_end = |line: &&&serde_json::Value| {
        let summary = line["summary"].as_str().unwrap();
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        summary["roots"][0]["status"] == "proved"
    };
    assert_eq!(summaries.iter().filter(tells_the_end).count(), 1, "{text}");
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    let cluster = Cluster::new("connect623", &[]);
    let mut command = gridproof();
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
    command.args(["solve", "connect623", "--store", &cluster.text("alone")]);
    let output = run_to_end(command.args(SMALL));
    assert!(output.status.success());
    let written = [output.stdout, output.stderr].concat();
    assert!(!written.contains(&0x1b), "no escape codes in a pipe");
    let text = String::from_utf8_lossy(&written);
    assert!(text.contains("nodes solved"), "it says how it goes: {text}");
}

#[test]
fn on_a_terminal_there_is_a_live_display() {
    let cluster = Cluster::new("connect623", &[]);
    let solve = gridproof();
    let words = format!(
        "{} solve connect623 --store {} --verifier-budget 100",
        solve.get_program().to_str().unwrap(),
        cluster.text("alone")
    );
    let mut script = Command::new("script");
    script
        .args(["--quiet", "--return", "--command", &words, "/dev/null"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null());
    let Ok(output) = script.output() else {
        gridproof_tests::skip("there is no `script` to make a terminal with");
        return;
    };
    assert!(output.status.success());
    let screen = stdout(&output);
    for words in ["does Black win?", "root", "workers", "main line", "busy"] {
        assert!(screen.contains(words), "{words} in {screen}");
    }
    assert!(screen.contains("Black wins: proved."));
}
