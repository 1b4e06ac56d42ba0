use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use gridproof_book::{Book, Entry, Key, Leaf, Record, leaves};
use gridproof_certificate::{Proof, ProofBuilder, check};
use gridproof_engine::{Engine, Goal, Request, SearchResult};
use gridproof_game::{Colour, Move, Position, Rules, State};
use gridproof_solver::Budget;
use indicatif::HumanCount;

use super::super::{Failure, cores, output};
use super::add::{claim, proved_record};
use super::open::OpenBook;
use super::prover::{Shared, SolverProver};

/// Let a book extend itself: search where play most likely comes to and least is known
///
/// Each job looks for a win of either side, and adds the best move it finds where there is
/// none. Every result is in the journal before the next job begins, so the command may be killed
/// at any time and goes on from there.
#[derive(Debug, Args)]
pub(super) struct Grow {
    /// The book
    book: PathBuf,
    /// Stop after so many jobs
    #[arg(long, value_name = "N")]
    jobs: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Search nodes of a first job; each later job in the same position has twice as many
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    nodes: u64,
    /// Jobs at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Jobs have at most 2 to this power as many nodes as the first.
const DOUBLINGS: u32 = 6;

/// What a job found.
enum Found {
    Proof(Box<Proof>),
    Move(Move),
    Nothing,
}

impl Grow {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if !self.book.exists() {
            let name = self.book.display();
            return Err(
                format!("there is no book {name}: make it with `gridproof book build`").into(),
            );
        }
        let mut open = OpenBook::open(&self.book, Rules::CONNECT6)?;
        let begun = Instant::now();
        let limit = self.time.map_or(Duration::MAX, Duration::from_secs);
        let most = self.jobs.unwrap_or(u64::MAX);
        let threads = self
            .threads
            .map_or(usize::from(cores().get()), NonZeroUsize::get);
        let before = (open.book.len(), open.book.proved());
        let bar = super::bar(most, "jobs");
        let mut done = 0;
        while done < most && begun.elapsed() < limit {
            let at_once = usize::try_from(most - done)
                .unwrap_or(usize::MAX)
                .min(threads);
            let chosen = leaves(&open.book, at_once)?;
            if chosen.is_empty() {
                break;
            }
            let found = self.search_all(&open.book, &chosen)?;
            for (leaf, found) in chosen.iter().zip(found) {
                learn(&mut open, leaf, found)?;
                done += 1;
                bar.inc(1);
            }
            open.sync()?;
        }
        bar.finish_and_clear();
        let saved = open.save()?;
        let text = format!(
            "{} jobs in {:.0} s: {} positions ({} before), {} proved ({} before)\ncontent {}\n",
            HumanCount(done),
            begun.elapsed().as_secs_f64(),
            HumanCount(saved.entries as u64),
            HumanCount(before.0 as u64),
            HumanCount(saved.proved as u64),
            HumanCount(before.1 as u64),
            saved.hash
        );
        output::print(text.as_bytes())
    }

    /// One job for each leaf, all at the same time.
    fn search_all(&self, book: &Book, chosen: &[Leaf]) -> Result<Vec<Found>, Failure> {
        std::thread::scope(|scope| {
            let jobs: Vec<_> = chosen
                .iter()
                .map(|leaf| scope.spawn(|| self.search(book, leaf)))
                .collect();
            let ended = jobs.into_iter().map(|job| match job.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            ended.collect()
        })
    }

    fn search(&self, book: &Book, leaf: &Leaf) -> Result<Found, Failure> {
        let position = leaf.key.position(book.rules())?;
        let nodes = self.nodes << leaf.searches.min(DOUBLINGS);
        let known: Vec<Move> = match book.get(&leaf.key) {
            Some(entry) => entry.moves.iter().map(|one| one.mv.clone()).collect(),
            None => Vec::new(),
        };
        let mut engine = Engine::new(book.rules());
        let request = Request {
            position: &position,
            excluded: &known,
            goal: Goal::Moves,
        };
        let result = engine.search(&request, &mut Budget::of_nodes(nodes))?;
        let mv = match result {
            SearchResult::Won(win) => return Ok(Found::Proof(Box::new(win.proof))),
            SearchResult::Moves(moves) => moves.into_iter().next().map(|best| best.mv),
            SearchResult::NoMoves | SearchResult::Unknown => None,
        };
        let prover = SolverProver::new(book.rules(), nodes, Shared::default());
        let other = position.to_move().other();
        if let Some(proof) = prover.search(&position, other, nodes) {
            return Ok(Found::Proof(Box::new(proof)));
        }
        let goes_on = |mv: &Move| position.after(mv).state() == State::Open;
        Ok(mv.filter(goes_on).map_or(Found::Nothing, Found::Move))
    }
}

/// Puts into the book what a job found.
fn learn(open: &mut OpenBook, leaf: &Leaf, found: Found) -> Result<(), Failure> {
    let position = leaf.key.position(open.book.rules())?;
    match found {
        // A proof that does not hold is a bug of ours; nothing is claimed then.
        Found::Proof(proof) if check(&proof).is_ok() => prove_upwards(open, *proof),
        Found::Move(mv) => {
            // A book of its own, for the journal takes entries and not moves.
            let mut news = Book::new(open.book.rules());
            let child = news.add_move(&position, &mv);
            let mut searched = searched(open, &leaf.key, position.to_move());
            if let Some(entry) = news.get(&leaf.key) {
                searched.moves.clone_from(&entry.moves);
            }
            let records = vec![
                Record::entry(&news, &child, &Entry::default())?,
                Record::entry(&news, &leaf.key, &searched)?,
            ];
            open.add(records)
        }
        Found::Proof(_) | Found::Nothing => {
            let searched = searched(open, &leaf.key, position.to_move());
            let record = Record::entry(&open.book, &leaf.key, &searched)?;
            open.add(vec![record])
        }
    }
}

/// What the journal is told of a search without a proof.
fn searched(open: &OpenBook, key: &Key, to_move: Colour) -> Entry {
    let mut entry = Entry::default();
    if let Some(known) = open.book.get(key) {
        entry.status = known.status.clone();
    }
    entry.note_search(to_move);
    entry
}

/// Notes a proof, and those of the positions before it that it decides: where the winner is to
/// move and can play into it.
fn prove_upwards(open: &mut OpenBook, proof: Proof) -> Result<(), Failure> {
    let mut todo = vec![proof];
    while let Some(proof) = todo.pop() {
        let certificate = open.certificates.save(&proof)?;
        let (key, proved) = claim(&proof, certificate);
        let winner = proved.winner;
        let record = proved_record(open, &key, proved)?;
        open.add(vec![record])?;
        for (parent, mv) in open.book.parents(&key)? {
            let entry = open.book.get(&parent);
            let position = parent.position(open.book.rules())?;
            let is_open = entry.is_some_and(|entry| entry.proved().is_none());
            if is_open && position.to_move() == winner {
                todo.extend(before(&position, &mv, &proof));
            }
        }
    }
    Ok(())
}

/// The proof of a position from that of the position after a move of the winner.
fn before(position: &Position, mv: &gridproof_book::BookMove, after: &Proof) -> Option<Proof> {
    let after = after.transformed(mv.symmetry.inverse());
    let mut builder = ProofBuilder::new(position.clone(), position.to_move());
    let then = builder.graft(&after).ok()?;
    let root = builder.attack(mv.mv.clone(), Some(then)).ok()?;
    let proof = builder.finish(root).ok()?;
    check(&proof).is_ok().then_some(proof)
}
