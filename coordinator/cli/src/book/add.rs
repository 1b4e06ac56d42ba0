use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use gridproof_book::{BookFile, Branch, Certificates, Entry, Key, Proved, Record, Status, branch};
use gridproof_certificate::{ContentHash, Proof, check, read_proof};
use gridproof_game::{Move, Rules, Square};
use gridproof_grid::store::{DiskStore, Durability, Store as _};
use indicatif::HumanCount;

use super::super::{Failure, cores, output};
use super::input::{Inputs, WonGame};
use super::open::OpenBook;
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
        if !self.book.exists() {
            let words = format!(
                "there is no book {}: make it with `gridproof book build`",
                self.book.display()
            );
            return Err(words.into());
        }
        self.intake.run(&self.book)
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
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    nodes: u64,
    /// Games to look at at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
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
    pub(super) fn run(&self, path: &Path) -> Result<(), Failure> {
        let begun = Instant::now();
        let inputs = Inputs::read(&self.inputs, self.source.as_deref())?;
        let mut open = OpenBook::open(path, self.rules)?;
        let mut refused = 0;
        for other in &inputs.books {
            let theirs = BookFile::open(other)?.load()?;
            refused += open.merge(theirs, &Certificates::beside(other))?;
        }
        for proof in &inputs.proofs {
            add_proof_file(&mut open, proof)?;
        }
        for store in &inputs.stores {
            add_store(&mut open, store)?;
        }
        let won = self.add_games(&mut open, &inputs.games)?;
        let saved = open.save()?;
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
    fn add_games(&self, open: &mut OpenBook, games: &[WonGame]) -> Result<usize, Failure> {
        let rules = open.book.rules();
        if let Some(other) = games.iter().find(|won| *won.game.rules() != rules) {
            let theirs = other.game.rules();
            return Err(format!(
                "{} is a game of {theirs}, and the book is of {rules}",
                other.id
            )
            .into());
        }
        let is_done = |won: &WonGame| open.done.contains(&(won.source.clone(), won.id.clone()));
        let todo: Vec<usize> = (0..games.len())
            .filter(|at| !is_done(&games[*at]))
            .collect();
        let bar = super::bar(games.len() as u64, "games");
        bar.set_position((games.len() - todo.len()) as u64);
        let threads = self
            .threads
            .map_or(usize::from(cores().get()), NonZeroUsize::get);
        let certificates = open.certificates.clone();
        let waiting = Mutex::new(todo.into_iter());
        let shared = Shared::default();
        let (sender, found) = mpsc::sync_channel::<Result<Found, Failure>>(64);
        let mut won = 0;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, shared) = (sender.clone(), shared.clone());
                let (waiting, certificates) = (&waiting, &certificates);
                scope.spawn(move || {
                    let mut prover = SolverProver::new(rules, self.nodes, shared);
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
                add_game(open, &games[found.number], found)?;
                if count % SYNC_EVERY == 0 {
                    open.sync()?;
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
        Some(proof) => Some(claim(proof, certificates.save(proof)?)),
    };
    Ok(Found {
        number,
        turns: branch.turns,
        proved,
    })
}

/// What a proof of a position in canonical form claims.
pub(super) fn claim(proof: &Proof, certificate: ContentHash) -> (Key, Proved) {
    let proved = Proved {
        winner: proof.attacker(),
        certificate,
        mv: proof.first_move().cloned(),
    };
    (Key::of(proof.start()).0, proved)
}

fn add_game(open: &mut OpenBook, won: &WonGame, found: Found) -> Result<(), Failure> {
    let mut records = Vec::new();
    if let Some((key, proved)) = found.proved {
        records.push(proved_record(open, &key, proved)?);
    }
    let moves = won.game.moves().iter().take(found.turns);
    let stones = moves.flat_map(Move::stones).map(Square::to_string);
    records.push(Record::Game {
        id: won.id.clone(),
        source: won.source.clone(),
        winner: won.winner.letter(),
        turns: found.turns,
        stones: stones.collect::<Vec<_>>().join(","),
    });
    open.add(records)
}

/// The record of a claim that was just checked; from now on it is believed here.
pub(super) fn proved_record(
    open: &mut OpenBook,
    key: &Key,
    proved: Proved,
) -> Result<Record, Failure> {
    open.claims.add(open.book.rules(), key, &proved)?;
    let entry = Entry {
        status: Status::Proved(proved),
        ..Entry::default()
    };
    Ok(Record::entry(&open.book, key, &entry)?)
}

/// Adds what a proof file proves, once it is found to do so. A proof of a position that no game
/// reaches, with null stones behind it, is passed over.
fn add_proof(open: &mut OpenBook, name: &str, bytes: impl BufRead) -> Result<(), Failure> {
    let refuse = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let (proof, _) = read_proof(bytes).map_err(|error| refuse(&error))?;
    let symmetry = proof.start().canonical().1;
    let proof = proof.transformed(symmetry);
    check(&proof).map_err(|refusal| refuse(&refusal))?;
    let is_of_play = |key: &Key| {
        let position = key.position(open.book.rules());
        position.is_ok_and(|position| position == *proof.start())
    };
    if !is_of_play(&Key::of(proof.start()).0) {
        return Ok(());
    }
    let certificate = open.certificates.save(&proof)?;
    let (key, proved) = claim(&proof, certificate);
    let record = proved_record(open, &key, proved)?;
    open.add(vec![record])
}

fn add_proof_file(open: &mut OpenBook, path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    add_proof(open, &name, BufReader::new(file))
}

/// Adds all that a store proves.
fn add_store(open: &mut OpenBook, path: &Path) -> Result<(), Failure> {
    let store = DiskStore::open_existing(path, Durability::PowerFailure)?;
    for hash in store.certificates() {
        let hash = hash?;
        if let Some(bytes) = store.certificate(hash)? {
            add_proof(open, &format!("certificate {hash}"), &bytes[..])?;
        }
    }
    Ok(())
}
