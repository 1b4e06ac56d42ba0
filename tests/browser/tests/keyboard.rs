//! Everything without a mouse.

use gridproof_browser_tests::{Browser, Grid, in_a_browser};

#[test]
fn a_keyboard_is_enough() {
    in_a_browser!(async |browser: &Browser| {
        let grid = Grid::start("TX-H9", &[]);
        let tab = browser.open(&grid.entry()).await;
        tab.wait_for_address("/").await;

        // A search is started by keys, and its first field is reached by the tabulator.
        tab.tab_to("#game").await;
        tab.type_words("TX-K7").await;
        tab.press("Enter").await;
        tab.wait_for_address("/search/2").await;

        // The board is one stop: arrow keys move on it.
        tab.press("b").await;
        tab.wait("document.activeElement.id === 'J10'").await;
        for (key, square) in [("ArrowUp", "J11"), ("ArrowRight", "K11"), ("Home", "A11")] {
            tab.press(key).await;
            tab.wait(&format!("document.activeElement.id === '{square}'"))
                .await;
        }
        assert_eq!(tab.count(".board [tabindex='0']").await, 1);
        tab.press(" ").await;
        tab.wait_for_text("#say", "A11; 1 more").await;
        tab.press("Escape").await;
        tab.wait_for_text("#say", "stones taken back").await;
        tab.press(" ").await;
        tab.press("ArrowRight").await;
        tab.press(" ").await;
        tab.wait_for_address("/search/2/a11-b11").await;
        tab.press("u").await;
        tab.wait_for_address("/search/2").await;

        // A move is typed, looked at, and hinted.
        tab.press("m").await;
        tab.type_words("g11 h12").await;
        tab.press("Enter").await;
        tab.wait_for_address("/search/2/g11-h12").await;
        tab.press("u").await;
        tab.wait_for_address("/search/2").await;
        tab.press("m").await;
        tab.type_words("g11 h12").await;
        tab.tab_to("button[value=hint]").await;
        tab.press("Enter").await;
        tab.wait_for_text(".notice.done", "will be tried").await;

        // A job is asked for, and taken back.
        tab.tab_to("#budget").await;
        tab.tab_to("button[value=run]").await;
        tab.press("Enter").await;
        tab.wait_for_text(".notice.done", "The job goes first")
            .await;
        tab.tab_to("#order-pause").await;
        tab.press("Enter").await;
        tab.wait_for_text(".notice.done", "No new job").await;

        // The list of keys.
        tab.press("?").await;
        tab.wait("document.querySelector('#keys').open").await;
        assert!(tab.text("#keys").await.contains("hardest open reply"));
        tab.press("Escape").await;
        tab.wait("!document.querySelector('#keys').open").await;

        // The tree opens and closes.
        tab.press("t").await;
        tab.wait_for_address("/tree/2").await;
        tab.tab_to("a.twist").await;
        tab.press(" ").await;
        tab.wait("document.activeElement.getAttribute('aria-expanded') === 'true'")
            .await;
        tab.wait("document.querySelector('.branch').textContent.length > 1")
            .await;
        tab.press(" ").await;
        tab.wait("document.querySelector('.branch').hidden").await;
        for (key, address) in [
            ("w", "/workers"),
            ("p", "/map"),
            ("r", "/report"),
            ("o", "/orders"),
        ] {
            tab.press(key).await;
            tab.wait_for_address(address).await;
        }
    });
}
