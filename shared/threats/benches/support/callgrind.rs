//! Instructions, counted by callgrind: the same on every run, so that a change for the worse
//! shows. A bench runs itself under callgrind, once for each workload, and compares with recorded
//! counts. Another compiler makes other instructions, so a record names its own and says nothing
//! of others.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

/// More than this over the recorded count is a regression; as much under it calls for a new
/// record, so that the gain is not lost again unseen.
const TOLERANCE: f64 = 0.05;

/// A bench that counts.
pub struct Bench<'a> {
    pub package: &'a str,
    pub name: &'a str,
    /// What one count is of.
    pub per: &'a str,
    pub workloads: &'a [&'a str],
    /// Where the recorded counts are, from the package's folder.
    pub record: &'a Path,
}

/// All instructions of a run of this program.
pub fn instructions(arguments: &[&str]) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|e| format!("valgrind does not start: {e}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let counted = told
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok());
    counted.ok_or_else(|| format!("callgrind counted nothing:\n{told}"))
}

fn recorded(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter_map(|line| line.split_once(','))
        .filter_map(|(name, count)| Some((name.to_owned(), count.parse().ok()?)))
        .collect()
}

/// The compiler's own words, like `rustc 1.90.0 (1159e78c4 2025-09-14)`.
fn compiler() -> Result<String, String> {
    let told = Command::new("rustc").arg("--version").output();
    let told = told.map_err(|e| format!("rustc does not tell its version: {e}"))?;
    Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

impl Bench<'_> {
    /// Counts each workload and compares; with `--record` it keeps the counts instead.
    pub fn run(
        &self,
        arguments: &[String],
        count: impl Fn(&str) -> Result<f64, String>,
    ) -> ExitCode {
        let asked_for = |flag| arguments.iter().any(|argument| argument == flag);
        // Cargo says `--bench` where benchmarks and not tests are wanted.
        if !asked_for("--bench") {
            println!("instruction counts: skipped, run them with cargo bench");
            return ExitCode::SUCCESS;
        }
        if Command::new("valgrind").arg("--version").output().is_err() {
            println!("instruction counts: skipped, valgrind is not installed");
            return ExitCode::SUCCESS;
        }
        match self.compare(asked_for("--record"), count) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("instruction counts: {reason}");
                ExitCode::FAILURE
            }
        }
    }

    fn compare(
        &self,
        record: bool,
        count: impl Fn(&str) -> Result<f64, String>,
    ) -> Result<(), String> {
        let path = self.record;
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let before = recorded(&text);
        let header = format!("workload,instructions {} with {}\n", self.per, compiler()?);
        if !record && !text.starts_with(&header) {
            println!(
                "instruction counts: skipped, recorded were \"{}\" and this would be \"{}\"",
                text.lines().next().unwrap_or_default(),
                header.trim_end()
            );
            return Ok(());
        }
        let mut after = header;
        let mut failures = Vec::new();
        println!("{:<20} {:>14} {:>14}", "instructions", "recorded", "now");
        for &name in self.workloads {
            let count = count(name)?;
            after.push_str(&format!("{name},{count:.1}\n"));
            let Some(&old) = before.get(name) else {
                println!("{name:<20} {:>14} {count:>14.1}", "none");
                failures.push(format!("{name} has no recorded count"));
                continue;
            };
            println!("{name:<20} {old:>14.1} {count:>14.1}");
            if (count / old - 1.0).abs() > TOLERANCE {
                failures.push(format!("{name} went from {old:.1} to {count:.1}"));
            }
        }
        if record {
            std::fs::write(path, after).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("recorded in {}", path.display());
            return Ok(());
        }
        if failures.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{}.\nIf that is meant, record it: cargo bench -p {} --bench {} -- --record",
            failures.join("; "),
            self.package,
            self.name,
        ))
    }
}
