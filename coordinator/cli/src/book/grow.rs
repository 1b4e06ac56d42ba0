use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use gridproof_book::{
    Book, BookEditor, Branch, Entry, Explorer, Key, NearProof, NextGame, Proved, Record, SELF_PLAY,
    branch, near_proofs,
};
use gridproof_certificate::Proof;
use gridproof_engine::players::EnginePlayer;
use gridproof_engine::tournament::play_game;
use gridproof_game::records::Outcome;
use gridproof_game::{Colour, Move, State};
use gridproof_grid::logs::{BookState, Journal, Sample};
use indicatif::HumanCount;
use jiff::Timestamp;

use super::super::exit::with_causes;
use super::super::values::{Count, Time, parallel};
use super::super::{Failure, cores, output};
use super::input::WonGame;
use super::open::open_existing;
use super::prover::{Searched, Shared, SolverProver};

/// Let a book extend itself: play games where it learns most, and prove what is near a proof
///
/// A game follows the book as long as the side to move is content with it, then tries another
/// move, and goes on with the engine on both sides. A proof is looked for one turn before moves
/// that are proved to lose. Every result is in the journal before it counts, so the command may
/// be killed at any time and goes on from there.
#[derive(Debug, Args)]
pub(super) struct Grow {
    /// The book
    book: PathBuf,
    /// Stop after so many games and searches
    #[arg(long, value_name = "N")]
    jobs: Option<Count>,
    /// Stop after this time, such as 30m or 8h
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// Search nodes of a first search for a proof; each later one of the same position has
    /// twice as many
    #[arg(long, value_name = "N", default_value_t = Count(50_000))]
    nodes: Count,
    /// Search nodes for each move of a game
    #[arg(long, value_name = "N", default_value_t = Count(10_000))]
    game_nodes: Count,
    /// The folder whose morning report tells what the book has learnt
    #[arg(long, value_name = "FOLDER", default_value = "gridproof-data")]
    data: PathBuf,
    /// Games or proofs alone [default: by turns]
    #[arg(long, value_name = "WHAT")]
    only: Option<Kind>,
    /// Games and searches at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = parallel::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Games,
    Proofs,
}

/// Searches have at most 2 to this power as many nodes as the first.
const DOUBLINGS: u32 = 6;
/// Searches that are chosen at one look at the whole book.
const CHOSEN: usize = 32;
/// Search nodes for each turn of a game when its win position is looked for.
const WIN_NODES: u64 = 2_000;

/// The morning report hears of it this often.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// What a thread does.
enum Job {
    Game(Box<NextGame>),
    Proof(NearProof),
}

/// What came of it.
enum Found {
    Game(Box<NextGame>, Option<Box<Played>>),
    Proof(NearProof, Searched),
}

/// A game down to its win position.
struct Played {
    won: WonGame,
    branch: Branch,
    /// Neither side won: it counts as one win of each.
    is_drawn: bool,
}

/// What a growing book has done.
#[derive(Default)]
struct Tally {
    games: u64,
    searches: u64,
    proofs: u64,
}

impl Grow {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut editor = open_existing(&self.book)?;
        let begun = Instant::now();
        let before = (editor.book().len(), editor.book().proved());
        let mut tally = Tally::default();
        self.tell(&editor, &tally);
        self.work(&mut editor, &mut tally, begun)?;
        if tally.games + tally.searches > 0 {
            deduce(&mut editor)?;
        }
        self.tell(&editor, &tally);
        let saved = editor.save()?;
        let text = format!(
            "{} games and {} searches in {:.0} s, {} of them with a proof\n\
             {} positions ({} before), {} proved ({} before)\ncontent {}\n",
            HumanCount(tally.games),
            HumanCount(tally.searches),
            begun.elapsed().as_secs_f64(),
            HumanCount(tally.proofs),
            HumanCount(saved.entries as u64),
            HumanCount(before.0 as u64),
            HumanCount(saved.proved as u64),
            HumanCount(before.1 as u64),
            saved.hash
        );
        output::print(text.as_bytes())
    }

    fn work(
        &self,
        editor: &mut BookEditor,
        tally: &mut Tally,
        begun: Instant,
    ) -> Result<(), Failure> {
        let limit = self.time.map_or(Duration::MAX, |time| time.0);
        let most = self.jobs.map_or(u64::MAX, |jobs| jobs.0);
        let threads = self
            .threads
            .map_or(usize::from(cores().get()), NonZeroUsize::get);
        let bar = super::bar(most, "jobs");
        let mut chooser = Chooser::default();
        let (to_threads, jobs) = mpsc::channel::<(Job, u64)>();
        let (sender, found) = mpsc::channel::<Found>();
        let jobs = Mutex::new(jobs);
        let rules = editor.book().rules();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, jobs) = (sender.clone(), &jobs);
                scope.spawn(move || {
                    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let prover = SolverProver::new(rules, WIN_NODES, Shared::default());
                    while let Ok((job, number)) = next() {
                        // Nobody listens any more: the command failed.
                        if sender.send(self.run_job(job, number, &prover)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let (mut begun_jobs, mut running, mut told) = (0, 0, Instant::now());
            let end = loop {
                while running < threads && begun_jobs < most && begun.elapsed() < limit {
                    let Some(job) = chooser.next(editor.book(), self.kind(begun_jobs))? else {
                        break;
                    };
                    begun_jobs += 1;
                    running += 1;
                    if to_threads.send((job, begun_jobs)).is_err() {
                        break;
                    }
                }
                if running == 0 {
                    break Ok(());
                }
                let Ok(found) = found.recv() else {
                    break Ok(());
                };
                running -= 1;
                if let Err(failure) = self.learn(editor, &mut chooser, tally, found) {
                    break Err(failure);
                }
                bar.inc(1);
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    self.tell(editor, tally);
                }
            };
            // The threads end when there is nothing more to come.
            drop(to_threads);
            end
        })?;
        bar.finish_and_clear();
        Ok(())
    }

    /// Tells the journal of the morning report. The book does not stop growing for it.
    fn tell(&self, editor: &BookEditor, tally: &Tally) {
        let sample = Sample {
            at: Timestamp::now(),
            book: Some(BookState {
                file: self.book.display().to_string(),
                positions: editor.book().len() as u64,
                proved: editor.book().proved() as u64,
                games: tally.games,
                searches: tally.searches,
            }),
            ..Sample::default()
        };
        if let Err(error) = Journal::at(self.data.join("journal")).append(&sample) {
            eprintln!(
                "warning: the morning report will lack this: {}",
                with_causes(&error)
            );
        }
    }

    /// Games and proofs by turns.
    fn kind(&self, number: u64) -> Kind {
        let by_turns = match number % 2 {
            0 => Kind::Games,
            _ => Kind::Proofs,
        };
        self.only.unwrap_or(by_turns)
    }

    fn run_job(&self, job: Job, number: u64, prover: &SolverProver) -> Found {
        match job {
            Job::Game(next) => {
                let played = self.play(&next, number, prover);
                Found::Game(next, played.map(Box::new))
            }
            Job::Proof(near) => {
                let nodes = self.nodes.0 << near.searches.min(DOUBLINGS);
                let position = near.key.position(prover.rules());
                let searched = position.map_or(Searched::Nothing, |position| {
                    prover.search_deeply(&position, near.attacker, nodes)
                });
                Found::Proof(near, searched)
            }
        }
    }

    /// Plays a game to its end, and looks for its win position.
    fn play(&self, next: &NextGame, number: u64, prover: &SolverProver) -> Option<Played> {
        let mut game = next.game.clone();
        let rules = *game.rules();
        let mut player = EnginePlayer::new(rules, self.game_nodes.0);
        let other = player.choose_other(game.position(), &next.known)?;
        game.play(other).ok()?;
        let played = play_game(game, &mut player.clone(), &mut player);
        if played.forfeit.is_some() {
            return None;
        }
        let (winner, is_drawn) = match played.outcome {
            Outcome::Won(colour) => (colour, false),
            Outcome::Drawn => (Colour::Black, true),
        };
        let branch = if is_drawn {
            Branch {
                winner,
                turns: played.game.moves().len().saturating_sub(1),
                proof: None,
            }
        } else {
            branch(&played.game, winner, &mut prover.clone())
        };
        let won = WonGame {
            id: number.to_string(),
            source: SELF_PLAY.to_owned(),
            game: played.game,
            winner,
        };
        Some(Played {
            won,
            branch,
            is_drawn,
        })
    }

    /// Puts into the book what a job found.
    fn learn(
        &self,
        editor: &mut BookEditor,
        chooser: &mut Chooser,
        tally: &mut Tally,
        found: Found,
    ) -> Result<(), Failure> {
        match found {
            Found::Game(next, played) => {
                chooser.explorer.end(&next);
                tally.games += 1;
                match played {
                    Some(played) => {
                        tally.proofs += u64::from(played.branch.proof.is_some());
                        learn_game(editor, &played)?;
                    }
                    None => chooser.explorer.no_other_move(&next),
                }
            }
            Found::Proof(near, searched) => {
                tally.searches += 1;
                tally.proofs += u64::from(matches!(searched, Searched::Proved(_)));
                learn_search(editor, &near, searched)?;
            }
        }
        Ok(editor.sync()?)
    }
}

/// Chooses what to do next.
#[derive(Default)]
struct Chooser {
    explorer: Explorer,
    near: VecDeque<NearProof>,
}

impl Chooser {
    /// The next job of a kind, or of the other where there is none; nothing if there is neither.
    fn next(&mut self, book: &Book, kind: Kind) -> Result<Option<Job>, Failure> {
        if kind == Kind::Proofs {
            if self.near.is_empty() {
                self.near = near_proofs(book, CHOSEN)?.into();
            }
            let is_open = |near: &NearProof| {
                let entry = book.get(&near.key);
                entry.is_some_and(|entry| entry.proved().is_none())
            };
            while let Some(near) = self.near.pop_front() {
                if is_open(&near) {
                    return Ok(Some(Job::Proof(near)));
                }
            }
        }
        let Some(next) = self.explorer.next_game(book)? else {
            return Ok(None);
        };
        self.explorer.begin(&next);
        Ok(Some(Job::Game(Box::new(next))))
    }
}

fn learn_game(editor: &mut BookEditor, played: &Played) -> Result<(), Failure> {
    let Played {
        won,
        branch,
        is_drawn,
    } = played;
    let mut records = Vec::new();
    if let Some(proof) = &branch.proof {
        let proved = Proved::by(proof, editor.certificates().save(proof)?);
        records.push(editor.proved_record(&Key::of(proof.start()).0, proved)?);
    }
    records.push(won.record(branch.turns));
    if *is_drawn {
        let other = WonGame {
            winner: won.winner.other(),
            ..won.clone()
        };
        records.push(other.record(branch.turns));
    }
    Ok(editor.add(records)?)
}

fn learn_search(
    editor: &mut BookEditor,
    near: &NearProof,
    searched: Searched,
) -> Result<(), Failure> {
    let reply = match searched {
        Searched::Proved(proof) => {
            editor.add_proof(&proof)?;
            return prove_before(editor, &near.key, &proof);
        }
        Searched::Open(reply) => Some(reply),
        Searched::Nothing => None,
    };
    let position = near.key.position(editor.book().rules())?;
    let mut entry = Entry::default();
    if let Some(known) = editor.book().get(&near.key) {
        entry.status = known.status.clone();
    }
    entry.note_search(near.attacker);
    let mut records = Vec::new();
    let goes_on = |mv: &Move| mv.is_full() && position.after(mv).state() == State::Open;
    if let Some(mv) = reply.filter(goes_on) {
        // A book of its own, for the journal takes entries and not moves.
        let mut news = Book::new(editor.book().rules());
        let child = news.add_move(&position, &mv);
        records.push(Record::entry(&news, &child, &Entry::default())?);
        if let Some(with_move) = news.get(&near.key) {
            entry.moves.clone_from(&with_move.moves);
        }
    }
    records.push(Record::entry(editor.book(), &near.key, &entry)?);
    Ok(editor.add(records)?)
}

/// Proves the entries that lead to a proved one by a move of its winner.
fn prove_before(editor: &mut BookEditor, key: &Key, proof: &Proof) -> Result<(), Failure> {
    let canonical = proof.transformed(proof.start().canonical().1);
    for (parent, mv) in editor.book().parents(key)? {
        let position = parent.position(editor.book().rules())?;
        let is_open = editor
            .book()
            .get(&parent)
            .is_some_and(|entry| entry.proved().is_none());
        if is_open && position.to_move() == proof.attacker() {
            let after = canonical.transformed(mv.symmetry.inverse());
            if let Some(proof) = gridproof_book::proof_before(&position, &mv.mv, &after) {
                editor.add_proof(&proof)?;
            }
        }
    }
    Ok(())
}

/// Proves all entries that proofs below them decide.
fn deduce(editor: &mut BookEditor) -> Result<(), Failure> {
    loop {
        let mut is_new = false;
        for deduction in editor.book().deductions()? {
            let Ok(after) = editor.certificates().load(deduction.after.certificate) else {
                continue;
            };
            if let Some(proof) = deduction.proof(editor.book(), &after)? {
                editor.add_proof(&proof)?;
                is_new = true;
            }
        }
        if !is_new {
            return Ok(());
        }
    }
}
