//! What books are made of: games of all formats, proof files, other books.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gridproof_book::{FILE_ENDING, Record};
use gridproof_game::records::{self, Format, Game, Outcome};
use gridproof_game::{Colour, Move, PositionInput, Square};

use super::super::Failure;

/// A game that somebody won.
#[derive(Clone, Debug)]
pub(super) struct WonGame {
    /// Tells it from the others of its source.
    pub(super) id: String,
    pub(super) source: String,
    pub(super) game: Game,
    pub(super) winner: Colour,
}

impl WonGame {
    /// The game's first turns as a book's journal has them.
    pub(super) fn record(&self, turns: usize) -> Record {
        let moves = self.game.moves().iter().take(turns);
        let stones = moves.flat_map(Move::stones).map(Square::to_string);
        Record::Game {
            id: self.id.clone(),
            source: self.source.clone(),
            winner: self.winner.letter(),
            turns,
            stones: stones.collect::<Vec<_>>().join(","),
        }
    }
}

/// Everything that was named on the command line.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) games: Vec<WonGame>,
    pub(super) proofs: Vec<PathBuf>,
    pub(super) books: Vec<PathBuf>,
    pub(super) stores: Vec<PathBuf>,
    /// Drawn or not finished.
    pub(super) without_winner: usize,
    /// Could not be read.
    pub(super) unreadable: usize,
}

impl Inputs {
    /// Reads files and folders with all that lies in them. A record that cannot be read is told
    /// on standard error and left out.
    pub(super) fn read(paths: &[PathBuf], source: Option<&str>) -> Result<Self, Failure> {
        let mut inputs = Self::default();
        for path in paths {
            inputs.take(path, source)?;
        }
        Ok(inputs)
    }

    fn take(&mut self, path: &Path, source: Option<&str>) -> Result<(), Failure> {
        let cannot = |error| format!("cannot read {}: {error}", path.display());
        if is_store(path) {
            self.stores.push(path.to_owned());
            return Ok(());
        }
        if path.is_dir() {
            let inside = fs::read_dir(path).map_err(cannot)?;
            let mut inside: Vec<_> = inside
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<Result<_, _>>()
                .map_err(cannot)?;
            inside.sort();
            let named = source.map(str::to_owned).or_else(|| Some(name_of(path)));
            let mut inside = inside.iter().filter(|path| is_meant(path));
            return inside.try_for_each(|path| self.take(path, named.as_deref()));
        }
        let source = source.map_or_else(|| name_of(path), str::to_owned);
        match ending(path).as_str() {
            FILE_ENDING => self.books.push(path.to_owned()),
            gridproof_certificate::FILE_ENDING => self.proofs.push(path.to_owned()),
            "csv" => self.table(path, &fs::read_to_string(path).map_err(cannot)?, &source),
            _ => {
                let bytes = PositionInput::File(path.to_owned()).load(io::empty())?;
                let record = records::read(&bytes);
                let id = name_of(path);
                self.record(&path.display().to_string(), id, source, record, None);
            }
        }
        Ok(())
    }

    /// A table with the columns id, result, end and moves, the last in quotes.
    fn table(&mut self, path: &Path, text: &str, source: &str) {
        for (row, line) in text.lines().enumerate().skip(1) {
            let mut cells = line.trim().splitn(4, ',');
            let (Some(id), Some(result), Some(_), Some(moves)) =
                (cells.next(), cells.next(), cells.next(), cells.next())
            else {
                self.unreadable += usize::from(!line.trim().is_empty());
                continue;
            };
            let result = match result {
                "B" => Some(Outcome::Won(Colour::Black)),
                "W" => Some(Outcome::Won(Colour::White)),
                _ => None,
            };
            let record = Format::Stones.read(moves.trim_matches('"').as_bytes());
            let place = format!("{}, line {}", path.display(), row + 1);
            // The row too: some tables have an id twice.
            let id = format!("{}:{id}", row + 1);
            self.record(&place, id, source.to_owned(), record, result);
        }
    }

    fn record(
        &mut self,
        place: &str,
        id: String,
        source: String,
        record: Result<Game, records::RecordError>,
        result: Option<Outcome>,
    ) {
        let mut game = match record {
            Ok(game) => game,
            Err(error) => {
                eprintln!("warning: {place} is left out: {error}");
                self.unreadable += 1;
                return;
            }
        };
        game.headers.result = game.headers.result.or(result);
        match gridproof_book::winner(&game) {
            Some(winner) => self.games.push(WonGame {
                id,
                source,
                game,
                winner,
            }),
            None => self.without_winner += 1,
        }
    }
}

fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_lowercase()
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The folder of a search's facts and certificates.
fn is_store(path: &Path) -> bool {
    path.join("gridproof-store").is_file()
}

/// Whether something in a folder is meant. Folders of campaigns hold maps and tables as well, and
/// a store with the proofs of all steps; the campaign's own proofs say more.
fn is_meant(path: &Path) -> bool {
    let ending = ending(path);
    path.is_dir() && !is_store(path)
        || matches!(ending.as_str(), "sgf" | "txt" | "ccgc" | "csv")
        || ending == gridproof_certificate::FILE_ENDING
}
