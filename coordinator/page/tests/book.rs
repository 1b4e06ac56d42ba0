//! The screen of a book, over the real router and a book on disk, without scripts.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use gridproof_book::{BookEditor, CheckedClaims, Record, SELF_PLAY};
use gridproof_game::{Colour, Opening};
use gridproof_page::{Access, Reach, Right, Session, SessionKey, book_router};
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};
use tempfile::TempDir;
use tower::ServiceExt as _;

const HOST: &str = "127.0.0.1:4180";

struct Page {
    router: Router,
    cookie: String,
    _folder: TempDir,
}

impl Page {
    /// A book of Connect(6,2,3) with a few games and the proof of its best-known opening.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.gpb");
        let start = Opening::Connect623.position();
        let rules = *start.rules();
        let mut editor = BookEditor::open(&path, rules, CheckedClaims::default()).unwrap();
        for (id, winner, stones) in [
            ("1", 'B', "j10,k11,l10,k9,k10"),
            ("2", 'W', "j10,j9,i9,k9,k10"),
        ] {
            let record = Record::Game {
                id: id.to_owned(),
                source: SELF_PLAY.to_owned(),
                winner,
                turns: 2,
                stones: stones.to_owned(),
            };
            editor.add(vec![record]).unwrap();
        }
        let solver = Solver::new(rules);
        let options = VerifierOptions::for_budget(1_000_000);
        let run = solver.verify(&start, options, &mut Budget::of_nodes(1_000_000), &mut ());
        let Verdict::Proved(win) = run.unwrap().verdict else {
            panic!("it is a known win")
        };
        assert_eq!(win.proof.attacker(), Colour::Black);
        editor.add_proof(&win.proof).unwrap();
        editor.save().unwrap();
        let key = SessionKey::random();
        let reach = Reach {
            address: HOST.parse().unwrap(),
            names: Vec::new(),
            is_encrypted: false,
        };
        let access = Access::new(key.clone(), &reach, Box::new(|_| None), Box::new(|_| true));
        let session = Session::begin("ida", Right::Read, None);
        Self {
            router: book_router(path, access),
            cookie: format!("gridproof-4180={}", session.sealed(&key)),
            _folder: folder,
        }
    }

    async fn get(&self, path: &str) -> (StatusCode, String) {
        let request = Request::get(path)
            .header(header::HOST, HOST)
            .header(header::COOKIE, &self.cookie)
            .body(Body::empty())
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let place = response.headers().get(header::LOCATION).cloned();
        let bytes = to_bytes(response.into_body(), 1 << 22).await.unwrap();
        let text = place.map_or_else(
            || String::from_utf8(bytes.to_vec()).unwrap(),
            |place| place.to_str().unwrap().to_owned(),
        );
        (status, text)
    }
}

/// The address of a link whose text begins so.
fn link<'a>(page: &'a str, words: &str) -> &'a str {
    let end = page
        .find(&format!("\">{words}"))
        .unwrap_or_else(|| panic!("no {words} in {page}"));
    let begin = page[..end].rfind("href=\"").unwrap() + "href=\"".len();
    &page[begin..end]
}

#[tokio::test]
async fn moves_are_listed_with_their_games_and_lead_on() {
    let page = Page::new();
    let (status, start) = page.get("/book").await;
    assert_eq!(status, StatusCode::OK);
    assert!(
        start.contains("2 moves") && start.contains("wins"),
        "{start}"
    );
    let (status, next) = page.get(link(&start, "I9 J9 J10")).await;
    assert_eq!(status, StatusCode::OK, "{next}");
    assert!(
        next.contains("White to move") && next.contains("only played"),
        "{next}"
    );
    let (_, unknown) = page.get("/book/a1-b1-c1").await;
    assert!(unknown.contains("does not know this position"), "{unknown}");
}

#[tokio::test]
async fn a_proved_entry_leads_to_its_proof_which_can_be_played_against() {
    let page = Page::new();
    // The same opening, turned: the proof is shown as the board lies.
    let (_, entry) = page.get("/book/j10-k9-l10").await;
    assert!(entry.contains("Black wins"), "{entry}");
    let (status, proof) = page.get(link(&entry, "play against the proof")).await;
    assert_eq!(status, StatusCode::OK, "{proof}");
    assert!(proof.contains("aria-label=\"K9, black"), "{proof}");
    let (status, _) = page.get("/proof/book-00-0").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_typed_move_leads_to_its_position_and_nonsense_is_refused() {
    let page = Page::new();
    let (status, place) = page.get("/book-go?path=&move=k11+l10+j10").await;
    assert_eq!(
        (status, &place[..]),
        (StatusCode::SEE_OTHER, "/book/j10-l10-k11")
    );
    let (status, words) = page.get("/book-go?path=&move=%3Cscript%3E").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{words}");
    let (status, words) = page.get("/book/j10").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{words}");
}

#[tokio::test]
async fn a_page_without_a_book_says_how_to_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new();
    let key = SessionKey::random();
    let reach = Reach {
        address: HOST.parse().unwrap(),
        names: Vec::new(),
        is_encrypted: false,
    };
    let access = Access::new(key.clone(), &reach, Box::new(|_| None), Box::new(|_| true));
    let session = Session::begin("ida", Right::Read, None);
    let page = Page {
        router: book_router(folder.path().join("none.gpb"), access),
        cookie: format!("gridproof-4180={}", session.sealed(&key)),
        ..page
    };
    let (status, text) = page.get("/book").await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("There is no book yet in"), "{text}");
    assert!(text.contains("gridproof book build"), "{text}");
    assert!(!text.contains("href=\"/workers\""), "it is alone: {text}");
}
