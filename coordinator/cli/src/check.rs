use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use gridproof_certificate::{
    CheckLimits, CheckedFile, FileRefusal, FormatError, HoldCheckedFile, HoldFileRefusal,
    ProofReader, Refusal, check_file, check_hold_file, is_hold_file,
};
use gridproof_game::draw::{Diagram, TerminalStyle};
use gridproof_game::{Position, SquareSet};
use gridproof_host::Size;
use indicatif::HumanCount;
use serde::Serialize;

use super::Failure;
use super::exit::Exit;
use super::output::{self, ColourChoice, JsonOption};
use super::values::memory;

/// Check proof files, believing nobody
///
/// Each file is read node by node; everything is worked out from the rules of the game and
/// nothing is taken on trust. A refusal names the way to the node at fault and the
/// defender's move that is not answered; then the exit code is 1. It is 2 if a file cannot be read.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Proof files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Memory that checking one file may take, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value_t = Size::of_bytes(CheckLimits::default().memory),
        value_parser = memory)]
    memory: Size,
    #[command(flatten)]
    json: JsonOption,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

/// What came of one file, for programs.
#[derive(Debug, Default, Serialize)]
struct CheckResult {
    file: String,
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    /// The side that does not lose, where nobody is said to win.
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blake3: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CheckResult {
    fn of_hold(path: &Path, checked: &Result<HoldCheckedFile, HoldFileRefusal>) -> Self {
        let file = path.display().to_string();
        match checked {
            Ok(HoldCheckedFile { checked, hash }) => Self {
                file,
                accepted: true,
                holder: Some(checked.holder.to_string().to_lowercase()),
                nodes: Some(checked.nodes),
                depth: Some(checked.depth),
                blake3: Some(hash.to_string()),
                ..Self::default()
            },
            Err(refusal) => Self {
                file,
                error: Some(refusal.to_string()),
                ..Self::default()
            },
        }
    }

    fn of(path: &Path, checked: &Result<CheckedFile, FileRefusal>) -> Self {
        let file = path.display().to_string();
        match checked {
            Ok(CheckedFile { checked, hash, .. }) => Self {
                file,
                accepted: true,
                winner: Some(checked.claim.attacker.to_string().to_lowercase()),
                holder: None,
                mv: checked.first_move.as_ref().map(ToString::to_string),
                nodes: Some(checked.nodes),
                depth: Some(checked.depth),
                lambda: Some(checked.lambda),
                blake3: Some(hash.to_string()),
                error: None,
            },
            Err(refusal) => Self {
                file,
                error: Some(refusal.to_string()),
                ..Self::default()
            },
        }
    }
}

/// How many files were not accepted; what was wrong with each has been said.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotAccepted {
    #[error("{refused} of {all} proof files not accepted")]
    Refused { refused: usize, all: usize },
    #[error("{unread} of {all} proof files cannot be read")]
    Unread { unread: usize, all: usize },
}

impl NotAccepted {
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Refused { .. } => Exit::Failed,
            Self::Unread { .. } => Exit::BadInput,
        }
    }
}

/// Nothing is said of a proof that is not there; one that ends too early is refused.
fn is_unread(refusal: &FileRefusal) -> bool {
    match refusal {
        FileRefusal::Unreadable(FormatError::Io(error)) => {
            error.kind() != io::ErrorKind::UnexpectedEof
        }
        _ => false,
    }
}

impl Check {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let limits = CheckLimits {
            memory: self.memory.bytes(),
        };
        let (mut refused, mut unread) = (0, 0);
        let mut results = Vec::new();
        for path in &self.files {
            let begin = Instant::now();
            let mut file = open(path);
            let start = file.as_mut().ok().and_then(|file| file.fill_buf().ok());
            if start.is_some_and(is_hold_file)
                && let Ok(file) = file
            {
                let checked = check_hold_file(file);
                refused += usize::from(checked.is_err());
                if self.json.json {
                    results.push(CheckResult::of_hold(path, &checked));
                    continue;
                }
                let text = match checked {
                    Ok(checked) => held(path, &checked, begin.elapsed(), self.color.style()),
                    Err(refusal) => format!("{}: REFUSED. {refusal}\n", path.display()),
                };
                output::print(text.as_bytes())?;
                continue;
            }
            let checked = file.and_then(|file| check_file(file, limits));
            match &checked {
                Err(refusal) if is_unread(refusal) => unread += 1,
                Err(_) => refused += 1,
                Ok(_) => {}
            }
            if self.json.json {
                results.push(CheckResult::of(path, &checked));
                continue;
            }
            let text = match checked {
                Ok(checked) => accepted(path, &checked, begin.elapsed(), self.color.style()),
                Err(refusal) => self.refusal(path, &refusal),
            };
            output::print(text.as_bytes())?;
        }
        if self.json.json {
            output::print_json(&results)?;
        }
        let all = self.files.len();
        match (refused, unread) {
            (0, 0) => Ok(()),
            (0, unread) => Err(NotAccepted::Unread { unread, all }.into()),
            _ => {
                let refused = refused + unread;
                Err(NotAccepted::Refused { refused, all }.into())
            }
        }
    }

    fn refusal(&self, path: &Path, refusal: &FileRefusal) -> String {
        let mut text = String::new();
        if let FileRefusal::Refused(refusal) = refusal
            && let Some(position) = place_of_refusal(path, refusal)
        {
            let caption = format!("{}: where it fails", path.display());
            let mut diagram = Diagram::new(&position).with_caption(&caption);
            if let Some(last) = refusal.path.last() {
                diagram = diagram.with_last_move(last);
            }
            text.push_str(&diagram.to_terminal(self.color.style()));
        }
        let verdict = match is_unread(refusal) {
            true => "NOT CHECKED",
            false => "REFUSED",
        };
        text + &format!("{}: {verdict}. {refusal}\n", path.display())
    }
}

/// Opens a file for reading; `-` is standard input.
fn open(path: &Path) -> Result<Box<dyn BufRead>, FileRefusal> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(FormatError::Io)?;
    Ok(Box::new(BufReader::new(file)))
}

fn accepted(path: &Path, file: &CheckedFile, time: Duration, style: TerminalStyle) -> String {
    let checked = &file.checked;
    let start = &checked.claim.start;
    let (winner, first) = (checked.claim.attacker, checked.first_move.as_ref());
    let with_move = first.map(|mv| format!(" with {mv}")).unwrap_or_default();
    let caption = format!(
        "{}, {} to move: {winner} wins",
        start.rules(),
        start.to_move()
    );
    let pick: SquareSet = first.iter().flat_map(|mv| mv.stones()).copied().collect();
    let diagram = Diagram::new(start)
        .with_caption(&caption)
        .with_mark(gridproof_game::draw::Mark::Pick, &pick);
    let board = match output::is_quiet() {
        true => String::new(),
        false => diagram.to_terminal(style) + "\n",
    };
    format!(
        "{board}{}: PROVED. {winner} wins{with_move}.\n\
         {} nodes, {} moves deep, order Λ{}, {} explicit defender's moves; checked in {:.2} s.\n\
         blake3 {}\n",
        path.display(),
        HumanCount(checked.nodes),
        checked.depth,
        checked.lambda,
        HumanCount(checked.explicit_moves),
        time.as_secs_f64(),
        file.hash,
    )
}

fn held(path: &Path, file: &HoldCheckedFile, time: Duration, style: TerminalStyle) -> String {
    let checked = &file.checked;
    let (start, holder) = (&checked.start, checked.holder);
    let caption = format!(
        "{}, {} to move: {holder} does not lose",
        start.rules(),
        start.to_move()
    );
    let board = match output::is_quiet() {
        true => String::new(),
        false => {
            Diagram::new(start)
                .with_caption(&caption)
                .to_terminal(style)
                + "\n"
        }
    };
    format!(
        "{board}{}: PROVED. {holder} does not lose.\n\
         {} nodes, {} moves deep, {} end in a pairing; checked in {:.2} s.\n\
         blake3 {}\n",
        path.display(),
        HumanCount(checked.nodes),
        checked.depth,
        HumanCount(checked.pairings),
        time.as_secs_f64(),
        file.hash,
    )
}

/// The position of the node at fault. Standard input cannot be read again, and a path with
/// an illegal move leads nowhere.
fn place_of_refusal(path: &Path, refusal: &Refusal) -> Option<Position> {
    let file = File::open(path).ok()?;
    let reader = ProofReader::new(BufReader::new(file)).ok()?;
    let mut position = reader.claim().start.clone();
    for mv in &refusal.path {
        position.play(mv).ok()?;
    }
    Some(position)
}
