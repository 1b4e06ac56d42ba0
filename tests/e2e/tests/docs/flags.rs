//! Whether the programs know what the pages make them do, by what they say of themselves.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use gridproof_tests::{gridproof, repository, run_to_end, worker_program};
use serde_json::Value;

/// What the programs, scripts and packages of the repository can do.
#[derive(Debug, Default)]
pub struct CommandIndex {
    helps: BTreeMap<String, String>,
    packages: Vec<Value>,
}

impl CommandIndex {
    pub fn new() -> Self {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
        let output = cargo.current_dir(repository()).output().unwrap();
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        Self {
            helps: BTreeMap::new(),
            packages: metadata["packages"].as_array().unwrap().clone(),
        }
    }

    /// What is wrong with a command, if it is one of ours: a word that nobody knows.
    pub fn unknown_in(&mut self, command: &str) -> Vec<String> {
        let parts = command.split([';', '|']).flat_map(|part| part.split("&&"));
        parts.flat_map(|part| self.unknown_in_part(part)).collect()
    }

    fn unknown_in_part(&mut self, part: &str) -> Vec<String> {
        let words: Vec<_> = part
            .trim_start()
            .trim_start_matches("sudo ")
            .trim_start_matches("-u gridproof ")
            .split_whitespace()
            .skip_while(|word| is_assignment(word))
            .collect();
        let words: Vec<_> = match &words[..] {
            ["cargo", "run", "--release", "--", ours @ ..] => [&["gridproof"], ours].concat(),
            _ => words,
        };
        match &words[..] {
            ["cargo", rest @ ..] => self.unknown_targets(rest),
            ["gridproof", rest @ ..] => {
                let (help, rest) = self.help_of_subcommand(rest);
                let wants_another = help.contains("<COMMAND>");
                match rest.first() {
                    Some(word) if wants_another && !word.starts_with('-') => {
                        vec![(*word).to_owned()]
                    }
                    _ => unknown_flags(rest, &help),
                }
            }
            ["gridproof-worker", rest @ ..] => {
                let help = self.help(worker_program(), "gridproof-worker");
                unknown_flags(rest, &help)
            }
            [script, rest @ ..] if script.starts_with("deploy/") => {
                let path = repository().join(script);
                match fs::read_to_string(&path) {
                    Ok(text) => unknown_flags(rest, &text),
                    Err(_) if path.is_dir() => Vec::new(),
                    Err(_) => vec![(*script).to_owned()],
                }
            }
            _ => Vec::new(),
        }
    }

    /// The help of the longest beginning that is a subcommand, and the words after it.
    fn help_of_subcommand<'a>(&mut self, words: &'a [&'a str]) -> (String, &'a [&'a str]) {
        let mut path = String::new();
        let mut help = self.help(gridproof(), "");
        let mut rest = words;
        while let [word, after @ ..] = rest
            && subcommands(&help).contains(word)
        {
            rest = after;
            path = format!("{path} {word}");
            let mut command = gridproof();
            command.args(path.split_whitespace());
            help = self.help(command, &path);
        }
        (help, rest)
    }

    fn help(&mut self, mut command: Command, name: &str) -> String {
        let ask = || {
            let output = run_to_end(command.arg("--help"));
            String::from_utf8(output.stdout).unwrap()
        };
        let help = self.helps.entry(name.to_owned()).or_insert_with(ask);
        help.clone()
    }

    /// Names of packages, tests, benchmarks and examples that cargo does not know.
    fn unknown_targets(&self, words: &[&str]) -> Vec<String> {
        let ours = words.iter().take_while(|word| **word != "--");
        let ours: Vec<_> = ours.collect();
        let named = |flag: &str| {
            let at = ours.iter().position(|word| **word == flag)?;
            ours.get(at + 1).map(|name| (**name).to_owned())
        };
        let package = named("-p");
        let is_meant =
            |known: &&Value| package.is_none() || known["name"].as_str() == package.as_deref();
        let meant: Vec<_> = self.packages.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return package.into_iter().collect();
        }
        let has = |kind: &str, name: &str| {
            let targets = meant.iter().flat_map(|one| one["targets"].as_array());
            targets
                .flatten()
                .any(|target| target["kind"][0] == kind && target["name"] == name)
        };
        ["test", "bench", "example"]
            .into_iter()
            .filter_map(|kind| Some((kind, named(&format!("--{kind}"))?)))
            .filter(|(kind, name)| !has(kind, name))
            .map(|(_, name)| name)
            .collect()
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

/// The subcommands that a help lists, before its options.
fn subcommands(help: &str) -> Vec<&str> {
    let lines = help.lines().take_while(|line| *line != "Options:");
    let names = lines.filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    names
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

/// Flags that a help does not name.
fn unknown_flags(words: &[&str], help: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let known: Vec<_> = help.split(|c| !is_part(c)).collect();
    let flags = words.iter().filter(|word| word.starts_with("--"));
    flags
        .map(|word| word.split('=').next().unwrap_or(word))
        .filter(|flag| !known.contains(flag))
        .map(str::to_owned)
        .collect()
}
