use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use clap::Args;
use gridproof_book::{Candidate, Entry, Reason, Status, TrustedBook, Verdict, choose};
use gridproof_game::draw::{Diagram, Mark};
use gridproof_game::{Move, Position, PositionInput, SquareSet};
use gridproof_host::words::printable;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::super::Failure;
use super::super::output::{self, ColourChoice};
use super::super::page::PageArgs;
use super::open::checked_claims;

/// Show what a book knows of a position: the board, and each move with its wins and its mark
#[derive(Debug, Args)]
pub(super) struct Show {
    /// The book
    book: PathBuf,
    /// A record file, an opening like TX-H9, or a record itself; the empty board if there is none
    position: Option<PositionInput>,
    /// One object of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    page: PageArgs,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

#[derive(Serialize)]
struct Shown {
    black_wins: u32,
    white_wins: u32,
    status: String,
    note: String,
    #[serde(rename = "move")]
    mv: Option<String>,
    moves: Vec<ShownMove>,
}

#[derive(Serialize)]
struct ShownMove {
    #[serde(rename = "move")]
    mv: String,
    black_wins: u32,
    white_wins: u32,
    status: String,
    verdict: &'static str,
}

impl Show {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.page.is_wanted() {
            return super::super::runtime()?.block_on(self.show_page());
        }
        let book = TrustedBook::open(&self.book, checked_claims()?)
            .map_err(|error| format!("{}: {error}", self.book.display()))?;
        let position = match &self.position {
            Some(input) => input.read_of(book.rules(), io::stdin())?.position().clone(),
            None => Position::start(book.rules()),
        };
        let Some(entry) = book.find(&position)? else {
            return Err("the book does not know this position".into());
        };
        let mut candidates = book.candidates(&position)?;
        let games = |candidate: &Candidate| candidate.entry.all_wins().games();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(games(candidate)));
        let advised = match entry.proved() {
            Some(proved) => proved.mv.clone(),
            None => choose(&position, &candidates).map(|choice| choice.mv),
        };
        let shown = Shown {
            black_wins: entry.all_wins().black,
            white_wins: entry.all_wins().white,
            status: status(&entry),
            note: entry.note.clone(),
            mv: advised.as_ref().map(ToString::to_string),
            moves: candidates
                .iter()
                .map(|one| shown_move(&position, one))
                .collect(),
        };
        if self.json {
            let json = serde_json::to_string(&shown)?;
            return output::print(format!("{json}\n").as_bytes());
        }
        let marked: SquareSet = advised.iter().flat_map(Move::stones).copied().collect();
        let drawing = Diagram::new(&position)
            .with_mark(Mark::Pick, &marked)
            .to_terminal(self.color.style());
        output::print(format!("{drawing}\n{}", shown.table(&position)).as_bytes())
    }
}

impl Show {
    /// Lets a browser look through the book until the program is told to end.
    async fn show_page(&self) -> Result<(), Failure> {
        let shutdown = CancellationToken::new();
        if let Some(address) = self.page.serve_book(&self.book, &shutdown).await? {
            eprintln!("Page: {}\nCtrl-C ends it.", address.entry());
        }
        super::super::asked_to_leave().await;
        shutdown.cancel();
        Ok(())
    }
}

impl Shown {
    fn table(&self, position: &Position) -> String {
        let mut text = format!(
            "{} to move; Black won {}, White {}; {}\n",
            position.to_move(),
            self.black_wins,
            self.white_wins,
            self.status
        );
        if !self.note.is_empty() {
            // Others may have written it.
            for line in self.note.lines() {
                text += &printable(line);
                text.push('\n');
            }
        }
        text += &match &self.mv {
            Some(mv) => format!("the book plays {mv}\n"),
            None => "the book is silent: an engine decides\n".to_owned(),
        };
        if !self.moves.is_empty() {
            text += "\nmove            Black   White  status                verdict\n";
        }
        for one in &self.moves {
            writeln!(
                text,
                "{:14} {:>6}  {:>6}  {:20}  {}",
                one.mv, one.black_wins, one.white_wins, one.status, one.verdict
            )
            .expect("a string takes all that is written to it");
        }
        text
    }
}

fn shown_move(position: &Position, candidate: &Candidate) -> ShownMove {
    let wins = candidate.entry.all_wins();
    ShownMove {
        mv: candidate.mv.to_string(),
        black_wins: wins.black,
        white_wins: wins.white,
        status: status(&candidate.entry),
        verdict: match candidate.verdict(position) {
            Verdict::Advised(Reason::ProvedWin) => "wins",
            Verdict::Advised(Reason::NeverLost(_)) => "never lost",
            Verdict::Advised(Reason::MoreWins(_)) => "won more",
            Verdict::ProvedLoss => "loses",
            Verdict::NeverWon => "never won",
            Verdict::Silent => "",
        },
    }
}

fn status(entry: &Entry) -> String {
    match &entry.status {
        Status::Played => "only played".to_owned(),
        Status::Open { proof, disproof } => format!("open {proof}/{disproof}"),
        Status::Proved(proved) => format!("{} wins, proved", proved.winner),
    }
}
