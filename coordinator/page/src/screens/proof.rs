//! The proof explorer: play any defence against a proof that was checked.

use std::io;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_certificate::{CheckedProof, Explanation, Guide, GuideError, write_proof};
use gridproof_game::Move;
use maud::{Markup, html};
use serde::Deserialize;

use super::workbench::{layers_of_zone, zone_legend};
use crate::access::Reader;
use crate::address::{PlaceError, moves_path, read_move};
use crate::board::Board;
use crate::error::PageError;
use crate::layout::Screen;
use crate::proofs::{ProofShelf, ShownProof};
use crate::texts::{error, proof as words, workbench};
use crate::{show, texts};

/// A game against the proof: the defender's moves are given, the attacker's follow.
struct Line<'a> {
    guide: Guide<'a>,
    moves: Vec<Move>,
    defences: Vec<Move>,
    /// Why the last defence loses.
    explanation: Option<Explanation>,
}

impl<'a> Line<'a> {
    fn play(proof: &'a CheckedProof, path: &str) -> Result<Self, PageError> {
        let mut line = Self {
            guide: proof.guide(),
            moves: Vec::new(),
            defences: Vec::new(),
            explanation: None,
        };
        line.attack()?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let mv = read_move(part)?;
            if line.guide.is_over() {
                return Err(PageError::Bad(format!("the game is over before {mv}")));
            }
            line.explanation = Some(line.guide.defend(&mv).map_err(refused)?);
            line.moves.push(mv.clone());
            line.defences.push(mv);
            line.attack()?;
        }
        Ok(line)
    }

    fn attack(&mut self) -> Result<(), PageError> {
        while self.guide.attacker_to_move() {
            self.moves.push(self.guide.attack().map_err(refused)?);
        }
        Ok(())
    }
}

fn refused(error: GuideError) -> PageError {
    match error {
        GuideError::Illegal(why) => {
            PageError::Place(PlaceError::Illegal("this move".to_owned(), why.to_string()))
        }
        other => PageError::Bad(other.to_string()),
    }
}

/// The start of a proof.
pub async fn start(
    shelf: State<ProofShelf>,
    reader: Reader,
    Path(name): Path<String>,
) -> Result<Markup, PageError> {
    explore(shelf, reader, Path((name, String::new()))).await
}

/// A position of a proof: the address holds the defender's moves.
pub async fn explore(
    State(shelf): State<ProofShelf>,
    Reader(session): Reader,
    Path((name, path)): Path<(String, String)>,
) -> Result<Markup, PageError> {
    let shown = shelf.get(&name).await?;
    let title = format!("{} {}", words::TITLE, shown.title);
    let body = tokio::task::spawn_blocking(move || body(&name, &shown, &path)).await;
    let body = body.map_err(|_| PageError::Bad(error::PANICKED.to_owned()))??;
    let screen = Screen {
        title,
        here: shelf.has_grid().then_some("/"),
        live: None,
        body,
    };
    Ok(screen.frame(Some(&session)))
}

fn body(name: &str, shown: &ShownProof, path: &str) -> Result<Markup, PageError> {
    let ShownProof { title, proof, .. } = shown;
    let line = Line::play(proof, path)?;
    let guide = &line.guide;
    let zone = layers_of_zone(guide.zone_squares());
    let first = show::moves_played(proof.proof().start()) + 1;
    let board = Board::new(guide.position()).with_moves(first, &line.moves);
    let board = zone.into_iter().fold(board, Board::with_layer);
    let board = match guide.is_over() {
        true => board,
        false => board.playable(),
    };
    let attacker = show::colour_name(proof.proof().attacker());
    Ok(html! {
        div .headline {
            h1 { (words::TITLE) " " (title) }
            (defences(name, &line))
            div .facts {
                span .fact { span .state .proved { (attacker) " " (texts::state::WINS) } }
                @if let Some(place) = &shown.place {
                    a .button .small href=(place) { (texts::tree::WORKBENCH) }
                }
            }
        }
        div .bench {
            div .stage {
                (board.draw())
                fieldset .switches {
                    legend .hidden { (workbench::DRAWN) }
                    @for (layer, words) in [("zone", workbench::ZONE_LAYER), ("last", workbench::LAST_LAYER)] {
                        label { input type="checkbox" data-layer=(layer) checked; " " (words) }
                    }
                }
                (ways_on(name, &line))
                (zone_legend())
            }
            div {
                (verdict(&line, attacker))
                @if !guide.is_over() {
                    (defence_form(name, &line))
                    (listed(name, &line))
                }
                (about_file(name, shown, &line))
            }
        }
    })
}

/// Why the last defence loses.
fn verdict(line: &Line<'_>, attacker: &str) -> Markup {
    html! {
        section .card .verdict aria-live="polite" aria-labelledby="why-title" {
            h2 #why-title { (words::WHY) }
            p #explanation { (explanation(line)) }
            @if line.guide.is_over() {
                p .state .proved { strong { (attacker) " " (words::WON) } }
            } @else if let Some(answer) = line.moves.last() {
                p .faint { (attacker) ": " b { (show::move_name(answer)) } }
            }
        }
    }
}

fn defences(name: &str, line: &Line<'_>) -> Markup {
    html! {
        nav aria-label=(words::PATH) {
            ol .path {
                li {
                    a href=(address(name, &[])) aria-current=[line.defences.is_empty().then_some("page")] {
                        (words::START)
                    }
                }
                @for count in 1..=line.defences.len() {
                    @let here = count == line.defences.len();
                    li {
                        a href=(address(name, &line.defences[..count])) aria-current=[here.then_some("page")] {
                            (show::move_name(&line.defences[count - 1]))
                        }
                    }
                }
            }
        }
    }
}

fn ways_on(name: &str, line: &Line<'_>) -> Markup {
    html! {
        p .row {
            @if let Some((_, before)) = line.defences.split_last() {
                a .button data-key="u" href=(address(name, before)) { "← " (words::BACK) }
            }
            @if let Some(mv) = line.guide.hardest_reply() {
                a .button data-key="l" href=(address(name, &after(&line.defences, &mv))) {
                    (words::LONGEST) ": " b { (show::move_name(&mv)) }
                }
            }
        }
    }
}

fn about_file(name: &str, shown: &ShownProof, line: &Line<'_>) -> Markup {
    let moves: Vec<_> = line.moves.iter().map(show::move_name).collect();
    html! {
        section .card {
            h2 { (words::LINE) }
            p .moves { (moves.join(" › ")) }
            h2 { (words::FILE) }
            p { a .button href=(format!("/proof-file/{name}")) { (words::DOWNLOAD) } }
            p .help { (words::CHECK) " " code { "gridproof check " (shown.file_name()) } }
        }
    }
}

fn after(defences: &[Move], mv: &Move) -> Vec<Move> {
    let mut defences = defences.to_vec();
    defences.push(mv.clone());
    defences
}

fn address(name: &str, defences: &[Move]) -> String {
    match defences {
        [] => format!("/proof/{name}"),
        defences => format!("/proof/{name}/{}", moves_path(defences, "/")),
    }
}

fn explanation(line: &Line<'_>) -> Markup {
    let Some(last) = line.defences.last() else {
        return html! { (words::PLAY) };
    };
    let last = show::move_name(last);
    html! {
        @match &line.explanation {
            None => {}
            Some(Explanation::Listed) => {
                strong { (words::ANSWERED) } ": " (words::LISTED) " " (last) "."
            }
            Some(Explanation::Like(model)) if model.is_null() => {
                strong { (words::OUTSIDE) } ": " (last) " " (words::CHANGES_NOTHING)
            }
            Some(Explanation::Like(model)) => {
                strong { (words::LIKE) " " (show::move_name(model)) } ": " (last) ", "
                (words::BESIDES_OUTSIDE)
            }
            Some(Explanation::LeavesThreat(from, to)) => {
                strong {
                    (words::LEAVES) " " (from.to_string().to_uppercase()) "–"
                    (to.to_string().to_uppercase()) " " (words::OPEN)
                }
                ", " (words::COMPLETED)
            }
        }
    }
}

fn defence_form(name: &str, line: &Line<'_>) -> Markup {
    let path = moves_path(&line.defences, "/");
    let side = show::colour_name(line.guide.position().to_move());
    html! {
        section .card .ask aria-labelledby="defence-title" {
            h2 #defence-title {
                span .dot .(side.to_lowercase()) aria-hidden="true" {}
                (words::DEFENCE)
            }
            form .row method="get" action="/defend" {
                input type="hidden" name="proof" value=(name);
                input type="hidden" name="path" value=(path);
                label .field for="move" { (side) " " (words::PLAYS) }
                input #move type="text" name="move" placeholder="k11 l10" autocomplete="off"
                    spellcheck="false" required size="10";
                button .main name="look" value="1" { (words::GO) }
            }
        }
    }
}

/// Replies that are shown.
const LISTED: usize = 60;

fn listed(name: &str, line: &Line<'_>) -> Markup {
    let all = line.guide.listed();
    html! {
        section .card aria-labelledby="listed-title" {
            h2 #listed-title { (words::ANSWERED_HERE) " " span .count { (all.len()) } }
            @if all.is_empty() { p .empty { (words::ALL_OPEN) } }
            ul .chips {
                @for mv in all.iter().take(LISTED) {
                    li {
                        a href=(address(name, &after(&line.defences, mv))) { (show::move_name(mv)) }
                    }
                }
                @if all.len() > LISTED { li .faint { "+" (all.len() - LISTED) " " (words::AND_MORE) } }
            }
        }
    }
}

/// A defence that was typed or clicked.
#[derive(Debug, Deserialize)]
pub struct Defence {
    proof: String,
    path: String,
    r#move: String,
}

/// Where the form leads.
pub async fn defend(Reader(_): Reader, Query(form): Query<Defence>) -> Result<Response, PageError> {
    let mv = read_move(&form.r#move)?;
    let before = form.path.split('/').filter(|part| !part.is_empty());
    let mut defences = before.map(read_move).collect::<Result<Vec<_>, _>>()?;
    defences.push(mv);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !form.proof.chars().all(is_name) {
        return Err(PageError::Bad(error::FOREIGN_ADDRESS.to_owned()));
    }
    Ok(Redirect::to(&address(&form.proof, &defences)).into_response())
}

/// The proof as a file.
pub async fn file(
    State(shelf): State<ProofShelf>,
    Reader(_): Reader,
    Path(name): Path<String>,
) -> Result<Response, PageError> {
    let shown = shelf.get(&name).await?;
    let file_name = shown.file_name();
    let bytes = tokio::task::spawn_blocking(move || to_file(&shown.proof)).await;
    let bytes = bytes.map_err(|_| PageError::Bad(error::PANICKED.to_owned()))?;
    let bytes = bytes.map_err(|why| PageError::Bad(why.to_string()))?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{file_name}\""),
        ),
    ];
    Ok((headers, bytes).into_response())
}

fn to_file(proof: &CheckedProof) -> Result<Vec<u8>, gridproof_certificate::WriteError> {
    let (file, _) = write_proof(proof.proof(), io::Cursor::new(Vec::new()))?;
    Ok(file.into_inner())
}
