use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use gridproof_book::{BookEditor, BookFile, Branch, Certificates, Key, Proved, branch};
use gridproof_certificate::read_proof;
use gridproof_game::Rules;
use gridproof_grid::store::{DiskStore, Durability, Store as _};
use indicatif::HumanCount;

use super::super::exit::with_causes;
use super::super::values::{Count, parallel};
use super::super::{Failure, cores, output};
use super::input::{Inputs, WonGame};
use super::open::{open_editor, open_existing, warn_of_refused};
use super::prover::{Shared, SolverProver};

/// Add games, proofs or the content of folders to a book
///
/// A game that is added twice counts twice.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// The book
    book: PathBuf,
    #[command(flatten)]
    intake: Intake,
}

impl Add {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.intake.run(open_existing(&self.book)?, &self.book)
    }
}

/// What is taken in, and how hard its win positions are looked for.
#[derive(Debug, Args)]
pub(super) struct Intake {
    /// Records of any format, tables of games (.csv), proof files (.gpf), books (.gpb),
    /// stores, or folders of these, such as a campaign's
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// What to call the games' source; by default the name of the file or folder
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Search nodes for each turn of a game when its win position is looked for
    #[arg(long, value_name = "N", default_value_t = Count(2_000))]
    nodes: Count,
    /// Games to look at at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = parallel::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// The game, where the book does not exist yet
    #[arg(long, default_value_t = Rules::CONNECT6)]
    rules: Rules,
}

/// What a thread found out about a game.
struct Found {
    number: usize,
    turns: usize,
    proved: Option<(Key, Proved)>,
}

/// Games between two moments at which the journal is surely on disk.
const SYNC_EVERY: usize = 500;

impl Intake {
    /// Begins a book.
    pub(super) fn begin(&self, path: &Path) -> Result<(), Failure> {
        self.run(open_editor(path, self.rules)?, path)
    }

    fn run(&self, mut editor: BookEditor, path: &Path) -> Result<(), Failure> {
        let begun = Instant::now();
        let inputs = Inputs::read(&self.inputs, self.source.as_deref())?;
        let mut refused = 0;
        for other in &inputs.books {
            let theirs = BookFile::open(other)?.load()?;
            refused += editor.merge(theirs, &Certificates::beside(other))?;
            warn_of_refused(&mut editor);
        }
        for proof in &inputs.proofs {
            add_proof_file(&mut editor, proof)?;
        }
        for store in &inputs.stores {
            add_store(&mut editor, store)?;
        }
        let won = self.add_games(&mut editor, &inputs.games)?;
        let saved = editor.save()?;
        let mut text = format!(
            "{} games, {} with a proved win position; {} without a winner and {} unreadable left out\n",
            HumanCount(inputs.games.len() as u64),
            HumanCount(won as u64),
            inputs.without_winner,
            inputs.unreadable,
        );
        if refused > 0 {
            text += &format!("{refused} claims of other books were not believed\n");
        }
        text += &format!(
            "{}: {} positions, {} proved, {:.1} s\ncontent {}\n",
            path.display(),
            HumanCount(saved.entries as u64),
            HumanCount(saved.proved as u64),
            begun.elapsed().as_secs_f64(),
            saved.hash,
        );
        output::print(text.as_bytes())
    }

    /// Looks for the win positions with all threads, and adds each game as soon as it is done.
    fn add_games(&self, editor: &mut BookEditor, games: &[WonGame]) -> Result<usize, Failure> {
        let rules = editor.book().rules();
        if let Some(other) = games.iter().find(|won| *won.game.rules() != rules) {
            let theirs = other.game.rules();
            return Err(format!(
                "{} is a game of {theirs}, and the book is of {rules}",
                other.id
            )
            .into());
        }
        let is_done = |won: &WonGame| editor.has_game(&won.source, &won.id);
        let todo: Vec<usize> = (0..games.len())
            .filter(|at| !is_done(&games[*at]))
            .collect();
        let bar = super::bar(games.len() as u64, "games");
        bar.set_position((games.len() - todo.len()) as u64);
        let threads = self
            .threads
            .map_or(usize::from(cores().get()), NonZeroUsize::get);
        let certificates = editor.certificates().clone();
        let waiting = Mutex::new(todo.into_iter());
        let shared = Shared::default();
        let (sender, found) = mpsc::sync_channel::<Result<Found, Failure>>(64);
        let mut won = 0;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, shared) = (sender.clone(), shared.clone());
                let (waiting, certificates) = (&waiting, &certificates);
                scope.spawn(move || {
                    let mut prover = SolverProver::new(rules, self.nodes.0, shared);
                    let next = || {
                        waiting
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .next()
                    };
                    while let Some(number) = next() {
                        let WonGame { game, winner, .. } = &games[number];
                        let branch = branch(game, *winner, &mut prover);
                        // Nobody listens any more: the command failed.
                        if sender.send(keep(number, branch, certificates)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (count, found) in found.into_iter().enumerate() {
                let found = found?;
                won += usize::from(found.proved.is_some());
                add_game(editor, &games[found.number], found)?;
                if count % SYNC_EVERY == 0 {
                    editor.sync()?;
                }
                bar.inc(1);
            }
            Ok::<_, Failure>(())
        })?;
        bar.finish_and_clear();
        Ok(won)
    }
}

/// Saves the proof of a win position, which was checked when it was found.
fn keep(number: usize, branch: Branch, certificates: &Certificates) -> Result<Found, Failure> {
    let proved = match &branch.proof {
        None => None,
        Some(proof) => {
            let proved = Proved::by(proof, certificates.save(proof)?);
            Some((Key::of(proof.start()).0, proved))
        }
    };
    Ok(Found {
        number,
        turns: branch.turns,
        proved,
    })
}

fn add_game(editor: &mut BookEditor, won: &WonGame, found: Found) -> Result<(), Failure> {
    let mut records = Vec::new();
    if let Some((key, proved)) = found.proved {
        records.push(editor.proved_record(&key, proved)?);
    }
    records.push(won.record(found.turns));
    Ok(editor.add(records)?)
}

/// Adds what a proof file proves, once it is found to do so.
fn add_proof(editor: &mut BookEditor, name: &str, bytes: impl BufRead) -> Result<(), Failure> {
    let (proof, _) = read_proof(bytes).map_err(|error| format!("{name}: {error}"))?;
    let added = editor.add_proof(&proof);
    added.map_err(|error| format!("{name}: {}", with_causes(&error)))?;
    Ok(())
}

fn add_proof_file(editor: &mut BookEditor, path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    add_proof(editor, &name, BufReader::new(file))
}

/// Adds all that a store proves.
fn add_store(editor: &mut BookEditor, path: &Path) -> Result<(), Failure> {
    let store = DiskStore::open_existing(path, Durability::PowerFailure)?;
    for hash in store.certificates() {
        let hash = hash?;
        if let Some(bytes) = store.certificate(hash)? {
            add_proof(editor, &format!("certificate {hash}"), &bytes[..])?;
        }
    }
    Ok(())
}
