//! Screens stay small however large the graph. Figures for a million nodes:
//! `cargo bench -p gridproof-page --bench large_graph`.

mod support;

use gridproof_page::Right;
use support::{Crowd, Page, text};

#[tokio::test]
async fn no_screen_grows_with_the_graph() {
    let page = Page::new().await;
    let mut crowd = Crowd::join(&page.coordinator, 16).await;
    while page.nodes().await < 10_000 {
        for _ in 0..100 {
            crowd.answer().await;
        }
    }
    let cookie = page.cookie(Right::Order);
    for path in support::SCREENS {
        let shown = page.get(path, Some(&cookie)).await;
        assert!(shown.status().is_success(), "{path}: {}", shown.status());
        let size = text(shown).await.len();
        assert!(size < 100_000, "{path}: {size} bytes");
    }
}

#[tokio::test]
async fn a_hundred_and_sixty_openings_are_one_small_map() {
    let page = Page::new().await;
    let openings = gridproof_game::Opening::replies_within(3);
    for opening in &openings {
        let (name, root) = (opening.to_string(), opening.position());
        let submitted = page
            .coordinator
            .submit(name, root, gridproof_game::Colour::Black, 1);
        submitted.await.unwrap();
    }
    let cookie = page.cookie(Right::Read);
    for path in ["/map", "/"] {
        let size = text(page.get(path, Some(&cookie)).await).await.len();
        assert!(size < 100_000, "{path}: {size} bytes");
    }
}
