//! The book of openings: what was played from a position, and what is proved of it.

use std::path::{Path as FilePath, PathBuf};

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_book::{
    BookError, Candidate, CheckedClaims, Entry, Key, Proved, Reason, Status, TrustedBook, Verdict,
    choose,
};
use gridproof_game::{Move, Position, State as GameState, Symmetry};
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::Reader;
use crate::address::{Place, read_move};
use crate::board::{Board, Variation};
use crate::error::PageError;
use crate::layout::Screen;
use crate::proofs::book_proof_name;
use crate::texts::book as words;
use crate::{show, texts};

/// The book that a page shows, if it has one.
#[derive(Clone, Debug)]
pub struct Shelf {
    pub file: Option<PathBuf>,
    /// Whether there are other screens beside it.
    pub has_grid: bool,
}

impl Shelf {
    fn here(&self) -> Option<&'static str> {
        self.has_grid.then_some("/book")
    }
}

/// A position of a book, ready to be shown.
struct Sight {
    place: Place,
    position: Position,
    /// None: the book does not know the position.
    entry: Option<Entry>,
    /// Most played first.
    candidates: Vec<Candidate>,
    /// What the book would play.
    advice: Option<(Move, &'static str)>,
}

/// The empty board.
pub async fn start(shelf: State<Shelf>, reader: Reader) -> Result<Markup, PageError> {
    show(shelf, reader, Path(String::new())).await
}

/// A position: the address holds the moves that lead to it.
pub async fn show(
    State(shelf): State<Shelf>,
    Reader(session): Reader,
    Path(path): Path<String>,
) -> Result<Markup, PageError> {
    let here = shelf.here();
    let file = match shelf.file {
        Some(file) if file.exists() => file,
        missing => {
            let screen = Screen {
                title: texts::bar::BOOK.to_owned(),
                here,
                live: None,
                body: no_book(missing.as_deref()),
            };
            return Ok(screen.frame(Some(&session)));
        }
    };
    // Reading checks certificates that nobody has checked here yet.
    let sight = tokio::task::spawn_blocking(move || look(&file, &path));
    let sight = sight
        .await
        .map_err(|_| PageError::Bad("the book cannot be shown: a bug".to_owned()))??;
    let screen = Screen {
        title: format!(
            "{} {}",
            texts::bar::BOOK,
            sight.place.path().replace('/', " ")
        ),
        here,
        live: None,
        body: body(&sight),
    };
    Ok(screen.frame(Some(&session)))
}

/// What a book is and how to have one.
fn no_book(file: Option<&FilePath>) -> Markup {
    html! {
        h1 { (texts::bar::BOOK) }
        section .card {
            p .strong {
                @match file {
                    Some(file) => { (words::NOT_YET) " " code { (file.display()) } "." },
                    None => (words::NONE),
                }
            }
            p { (words::WHAT) }
            p { (words::FROM_GAMES) }
            pre { code { (words::BUILD) } }
            @if file.is_none() {
                p { (words::WITH) }
                pre { code { (words::SERVE) } }
            }
            p .help { (words::BY_ITSELF) }
        }
    }
}

/// Opens the book anew, for programs add to it meanwhile.
fn look(file: &FilePath, path: &str) -> Result<Sight, PageError> {
    let unreadable = |error: BookError| PageError::Bad(format!("{}: {error}", file.display()));
    let claims = CheckedClaims::usual_path().map(|path| CheckedClaims::open(&path));
    // Without the list certificates are checked again, and that is all.
    let claims = claims.and_then(Result::ok).unwrap_or_default();
    let book = TrustedBook::open(file, claims).map_err(unreadable)?;
    let place = Place::read(gridproof_search::SearchId(0), path)?;
    let position = place.position(&Position::start(book.rules()))?;
    let entry = book.find(&position).map_err(unreadable)?;
    let mut candidates = book.candidates(&position).map_err(unreadable)?;
    let games = |one: &Candidate| one.entry.all_wins().games();
    candidates.sort_by_key(|one| std::cmp::Reverse(games(one)));
    let proved = entry.as_ref().and_then(Entry::proved);
    let advice = match proved {
        Some(proved) => proved.mv.clone().map(|mv| (mv, "it wins")),
        None => choose(&position, &candidates).map(|choice| (choice.mv, reason(choice.reason))),
    };
    Ok(Sight {
        place,
        position,
        entry,
        candidates,
        advice,
    })
}

const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::ProvedWin => "it wins",
        Reason::NeverLost(_) => "it never lost",
        Reason::MoreWins(_) => "it won more than it lost",
    }
}

/// The style of a move and what the rules say of it.
const fn mark(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Advised(Reason::ProvedWin) => ("proved", "wins"),
        Verdict::Advised(Reason::NeverLost(_)) => ("open", "never lost"),
        Verdict::Advised(Reason::MoreWins(_)) => ("open", "won more"),
        Verdict::ProvedLoss => ("failed", "loses"),
        Verdict::NeverWon => ("forgotten", "never won"),
        Verdict::Silent => ("open", "won no more than it lost"),
    }
}

fn address(place: &Place) -> String {
    format!("/book/{}", place.path())
}

/// Letters for the first moves of the table, as many as there are.
fn letters() -> impl Iterator<Item = char> {
    ('a'..='z').chain('A'..='Z')
}

/// Moves that are shown.
const SHOWN: usize = 100;

fn body(sight: &Sight) -> Markup {
    let variations = sight.candidates.iter().zip(letters());
    let variations = variations.map(|(one, letter)| Variation {
        mv: one.mv.clone(),
        letter,
        state: mark(one.verdict(&sight.position)).0,
    });
    let board = Board::new(&sight.position)
        .with_moves(1, &sight.place.moves)
        .with_variations(variations.collect());
    let board = match sight.position.state() {
        GameState::Open => board.playable(),
        _ => board,
    };
    html! {
        h1 { (texts::bar::BOOK) }
        nav aria-label="moves so far" {
            ol .path {
                li { a href="/book" { "empty board" } }
                @for (turn, mv) in sight.place.moves.iter().enumerate() {
                    @let here = turn + 1 == sight.place.moves.len();
                    li {
                        a href=(address(&sight.place.at_turn(turn + 1)))
                            aria-current=[here.then_some("page")] { (show::move_name(mv)) }
                    }
                }
            }
        }
        div .bench {
            div {
                div #drawing { (board.draw()) }
                p .row {
                    @if let Some(before) = sight.place.moves.len().checked_sub(1) {
                        a .button data-key="u" href=(address(&sight.place.at_turn(before))) { "back" }
                    }
                    @if let Some((mv, why)) = &sight.advice {
                        a .button data-key="l" href=(address(&sight.place.then(mv))) {
                            "the book plays " (show::move_name(mv)) ": " (why)
                        }
                    }
                }
            }
            div {
                (knowledge(sight))
                (move_form(sight))
                (moves(sight))
            }
        }
    }
}

/// What the book says of the position itself.
fn knowledge(sight: &Sight) -> Markup {
    let side = show::colour_name(sight.position.to_move());
    html! {
        section .card aria-labelledby="here-title" {
            h2 #here-title { (side) " to move" }
            @match &sight.entry {
                None => p { "The book does not know this position." },
                Some(entry) => {
                    p { (status(&sight.position, entry)) }
                    @if !entry.wins.is_empty() {
                        table {
                            thead { tr {
                                th scope="col" { "games of" }
                                th .n scope="col" { "Black won" }
                                th .n scope="col" { "White won" }
                            } }
                            tbody {
                                @for (source, wins) in &entry.wins {
                                    tr {
                                        td { (source) }
                                        td .n { (wins.black) }
                                        td .n { (wins.white) }
                                    }
                                }
                            }
                        }
                    }
                    @for line in entry.note.lines() { p { (line) } }
                }
            }
        }
    }
}

/// The status of an entry, with the way to its proof.
fn status(position: &Position, entry: &Entry) -> Markup {
    html! {
        @match &entry.status {
            Status::Played => span .state .open { "only played" },
            Status::Open { proof, disproof } => {
                span .state .open { "open " (proof) "/" (disproof) }
            }
            Status::Proved(proved) => (proved_by(position, proved)),
        }
    }
}

fn proved_by(position: &Position, proved: &Proved) -> Markup {
    let winner = show::colour_name(proved.winner);
    let style = if proved.winner == position.to_move() {
        "proved"
    } else {
        "failed"
    };
    let back: Symmetry = Key::of(position).1.inverse();
    html! {
        span .state .(style) { (winner) " wins" } " "
        a href=(format!("/proof/{}", book_proof_name(position.rules(), proved.certificate, back))) {
            "play against the proof"
        }
    }
}

fn move_form(sight: &Sight) -> Markup {
    if sight.position.state() != GameState::Open {
        return html! { p .card { "The game is over here." } };
    }
    html! {
        section .card {
            form .row method="get" action="/book-go" {
                input type="hidden" name="path" value=(sight.place.path());
                label for="move" { "Move" }
                input #move type="text" name="move" placeholder="k11 l10" autocomplete="off"
                    spellcheck="false" required size="12";
                button .main name="look" value="1" { "look" }
            }
        }
    }
}

fn moves(sight: &Sight) -> Markup {
    let is_proved = sight.entry.as_ref().is_some_and(|e| e.proved().is_some());
    if sight.candidates.is_empty() {
        return html! {
            @if is_proved {
                p { "Below a proved position the book keeps nothing: the proof answers every move." }
            } @else if sight.entry.is_some() {
                p { "No move is known here." }
            }
        };
    }
    let all = sight.candidates.len();
    let letters = letters().map(Some).chain(std::iter::repeat(None));
    html! {
        div .scroll {
            table {
                caption { (all) " moves" @if all > SHOWN { ", the " (SHOWN) " most played" } }
                thead { tr {
                    th scope="col" { "" }
                    th scope="col" { "move" }
                    th .n scope="col" { "Black won" }
                    th .n scope="col" { "White won" }
                    th scope="col" { "mark" }
                    th scope="col" { "status" }
                } }
                tbody {
                    @for (one, letter) in sight.candidates.iter().take(SHOWN).zip(letters) {
                        @let wins = one.entry.all_wins();
                        @let (style, words) = mark(one.verdict(&sight.position));
                        @let next = sight.place.then(&one.mv);
                        tr data-letter=[letter] {
                            td .faint { @if let Some(letter) = letter { (letter) } }
                            td .nowrap { a href=(address(&next)) { (show::move_name(&one.mv)) } }
                            td .n { (wins.black) }
                            td .n { (wins.white) }
                            td { span .state .(style) { (words) } }
                            td { (child_status(sight, one)) }
                        }
                    }
                }
            }
        }
    }
}

/// A candidate's entry is in canonical form, so its proof is turned to lie as the board does.
fn child_status(sight: &Sight, one: &Candidate) -> Markup {
    status(&sight.position.after(&one.mv), &one.entry)
}

/// A move that was typed or clicked.
#[derive(Debug, Deserialize)]
pub struct Typed {
    path: String,
    r#move: String,
}

/// Where the form leads.
pub async fn go(Reader(_): Reader, Query(form): Query<Typed>) -> Result<Response, PageError> {
    let place = Place::read(gridproof_search::SearchId(0), &form.path)?;
    let next = place.then(&read_move(&form.r#move)?);
    Ok(Redirect::to(&address(&next)).into_response())
}
