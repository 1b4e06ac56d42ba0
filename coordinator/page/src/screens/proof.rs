//! The proof explorer: play any defence against a proof that was checked.

use std::io;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use gridproof_certificate::{CheckedProof, Explanation, Guide, GuideError, write_proof};
use gridproof_game::Move;
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::Reader;
use crate::address::{PlaceError, read_move};
use crate::board::{Board, Layer};
use crate::error::PageError;
use crate::layout::Screen;
use crate::proofs::ProofShelf;
use crate::show;

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
    let (title, proof) = shelf.get(&name).await?;
    let body = tokio::task::spawn_blocking(move || body(&name, &title, &proof, &path));
    let (title, body) = body
        .await
        .map_err(|_| PageError::Bad("the proof cannot be shown".into()))??;
    Ok(Screen {
        title,
        here: "",
        live: None,
        body,
    }
    .frame(Some(&session)))
}

fn body(
    name: &str,
    title: &str,
    proof: &CheckedProof,
    path: &str,
) -> Result<(String, Markup), PageError> {
    let line = Line::play(proof, path)?;
    let guide = &line.guide;
    let zone = guide.zone_squares();
    let board = Board::new(guide.position()).with_moves(1, &line.moves);
    let board = layers(zone).into_iter().fold(board, Board::with_layer);
    let board = if guide.is_over() {
        board
    } else {
        board.playable()
    };
    let at = |defences: &[Move]| address(name, defences);
    let attacker = show::colour_name(proof.proof().attacker());
    let hardest = guide.hardest_reply();
    let body = html! {
        h1 { "Proof of " (title) ": " (attacker) " wins" }
        nav aria-label="defences so far" {
            ol .path {
                li { a href=(at(&[])) { "start" } }
                @for count in 1..=line.defences.len() {
                    li { a href=(at(&line.defences[..count])) { (show::move_name(&line.defences[count - 1])) } }
                }
            }
        }
        div .bench {
            div {
                div #drawing { (board.draw()) }
                fieldset .switches {
                    legend .hidden { "What is drawn" }
                    @for (layer, words) in [("zone", "zone"), ("last", "last move")] {
                        label { input type="checkbox" data-layer=(layer) checked; " " (words) }
                    }
                }
                p .row {
                    @if let Some((_, before)) = line.defences.split_last() {
                        a .button data-key="u" href=(at(before)) { "back" }
                    }
                    @if let Some(mv) = &hardest {
                        a .button data-key="l" href=(at(&after(&line.defences, mv))) {
                            "longest defence: " (show::move_name(mv))
                        }
                    }
                }
            }
            div {
                section .card aria-live="polite" {
                    h2 { "Why it loses" }
                    p #explanation { (explanation(&line)) }
                }
                @if guide.is_over() {
                    p .card { strong { (attacker) " has won." } }
                } @else {
                    (defence_form(name, &line))
                    (listed(name, &line))
                }
                section .card {
                    h2 { "Moves" }
                    p { @for mv in &line.moves { (show::move_name(mv)) " · " } }
                    h2 { "The file" }
                    p { a href=(format!("/proof-file/{name}")) { "download the proof" } }
                    p { "Check it with " code { "gridproof check FILE" } "; it believes nobody." }
                    h2 { "The drawing" }
                    p .faint {
                        "Red squares must stay free of the defender. On lines in orange, yellow and \
                         white one, two or three further stones of the defender would do harm. \
                         Stones elsewhere change nothing."
                    }
                }
            }
        }
    };
    Ok((format!("Proof of {title}"), body))
}

fn after(defences: &[Move], mv: &Move) -> Vec<Move> {
    let mut defences = defences.to_vec();
    defences.push(mv.clone());
    defences
}

fn address(name: &str, defences: &[Move]) -> String {
    let place = crate::address::Place {
        search: gridproof_search::SearchId(0),
        moves: defences.to_vec(),
    };
    format!("/proof/{name}/{}", place.path())
}

fn layers(zone: Option<gridproof_certificate::ZoneSquares>) -> Vec<Layer> {
    let Some(zone) = zone else {
        return Vec::new();
    };
    let layer = |name, squares| Layer {
        name,
        squares,
        lines: Vec::new(),
    };
    let names = [(3, "zone-3"), (2, "zone-2"), (1, "zone-1")];
    let limited = names
        .into_iter()
        .filter_map(|(limit, name)| Some(layer(name, *zone.limited.get(&limit)?)));
    limited
        .chain([layer("zone-free", zone.must_stay_free)])
        .collect()
}

fn explanation(line: &Line<'_>) -> Markup {
    let Some(last) = line.defences.last() else {
        return html! { "Play a defence: two stones on the board, or type them." };
    };
    let last = show::move_name(last);
    html! {
        @match &line.explanation {
            None => {}
            Some(Explanation::Listed) => { strong { "answered" } ": the proof has an answer to " (last) "." }
            Some(Explanation::Like(model)) if model.is_null() => {
                strong { "outside the zone" } ": " (last) " changes nothing, so the answer is that to a pass."
            }
            Some(Explanation::Like(model)) => {
                strong { "answered like " (show::move_name(model)) } ": what " (last)
                " has besides lies outside the zone."
            }
            Some(Explanation::LeavesThreat(from, to)) => {
                strong { "leaves the line " (from) " to " (to) " open" } ", and it is completed."
            }
        }
    }
}

fn defence_form(name: &str, line: &Line<'_>) -> Markup {
    let path = address(name, &line.defences);
    let path = path.trim_start_matches("/proof/");
    html! {
        section .card {
            h2 { "The defence" }
            form .row method="get" action="/defend" {
                input type="hidden" name="path" value=(path);
                label for="move" { (show::colour_name(line.guide.position().to_move())) " plays" }
                input #move type="text" name="move" placeholder="k11 l10" autocomplete="off"
                    spellcheck="false" required size="12";
                button .main name="look" value="1" { "play" }
            }
        }
    }
}

/// Replies that are shown.
const LISTED: usize = 60;

fn listed(name: &str, line: &Line<'_>) -> Markup {
    let all = line.guide.listed();
    html! {
        section .card {
            h2 { "Answered here: " (all.len()) }
            @if all.is_empty() { p .faint { "Every defence leaves a line open." } }
            p {
                @for mv in all.iter().take(LISTED) {
                    a href=(address(name, &after(&line.defences, mv))) { (show::move_name(mv)) } " · "
                }
                @if all.len() > LISTED { "and " (all.len() - LISTED) " more" }
            }
        }
    }
}

/// A defence that was typed or clicked.
#[derive(Debug, Deserialize)]
pub struct Defence {
    path: String,
    r#move: String,
}

/// Where the form leads.
pub async fn defend(Reader(_): Reader, Query(form): Query<Defence>) -> Result<Response, PageError> {
    let mv = read_move(&form.r#move)?;
    let last = address("", &[mv]);
    let last = last.trim_start_matches("/proof//");
    let path = form.path.trim_matches('/');
    let is_plain = path
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '/'));
    if !is_plain {
        return Err(PageError::Bad(
            "this address was not made by this page".to_owned(),
        ));
    }
    Ok(Redirect::to(&format!("/proof/{path}/{last}")).into_response())
}

/// The proof as a file.
pub async fn file(
    State(shelf): State<ProofShelf>,
    Reader(_): Reader,
    Path(name): Path<String>,
) -> Result<Response, PageError> {
    let (title, proof) = shelf.get(&name).await?;
    let bytes = tokio::task::spawn_blocking(move || to_file(&proof)).await;
    let bytes = bytes.ok().and_then(Result::ok);
    let bytes = bytes.ok_or_else(|| PageError::Bad("the proof cannot be written".to_owned()))?;
    let name = title.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}.gpf\""),
        ),
    ];
    Ok((headers, bytes).into_response())
}

fn to_file(proof: &Arc<CheckedProof>) -> Result<Vec<u8>, gridproof_certificate::WriteError> {
    let (file, _) = write_proof(proof.proof(), io::Cursor::new(Vec::new()))?;
    Ok(file.into_inner())
}
