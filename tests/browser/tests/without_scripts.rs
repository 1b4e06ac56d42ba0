//! Everything can be read, and every order is a form.

use gridproof_browser_tests::{Browser, Grid, in_a_browser};

#[test]
fn everything_works_without_scripts() {
    in_a_browser!(async |browser: &Browser| {
        let grid = Grid::start("TX-H9", &[]);
        let tab = browser.open("about:blank").await;
        tab.without_scripts().await;
        tab.go(&grid.entry()).await;
        tab.wait_for_address("/").await;
        assert!(tab.text("#connection").await.contains("Without scripts"));

        tab.fill("#game", "TX-K7").await;
        tab.click("form[action='/submit'] button").await;
        tab.wait_for_address("/search/2").await;
        tab.fill("#move", "g11 h12").await;
        tab.click("button[name=look]").await;
        tab.wait_for_address("/search/2/g11-h12").await;
        tab.click("#way-back").await;
        tab.wait_for_address("/search/2").await;
        tab.fill("#move", "g11 h12").await;
        tab.click("button[value=hint]").await;
        tab.wait_for_text(".notice.done", "will be tried").await;
        assert_eq!(tab.count("tr[data-squares='G11 H12'] .you").await, 1);
        tab.click("#go-g11-h12").await;
        tab.wait_for_address("/search/2/g11-h12").await;

        for (button, words) in [
            ("button[value=run]", "The job goes first"),
            ("#order-pause", "No new job"),
            ("#order-resume", "Jobs are started"),
            ("#order-forget", "is forgotten"),
            ("#order-remember", "counts again"),
        ] {
            tab.click(button).await;
            tab.wait_for_text(".notice.done", words).await;
        }

        // Switches of the drawing are styles alone.
        let hidden = "getComputedStyle(document.querySelector('.board .last')).display === 'none'";
        assert_eq!(tab.tell::<bool>(hidden).await, Some(false));
        tab.click("input[data-layer=last]").await;
        tab.wait(hidden).await;

        tab.click("#way-tree").await;
        tab.wait_for_address("/tree/2/g11-h12").await;
        tab.go_in_site("/tree/2?only=hinted").await;
        assert!(tab.text(".tree").await.contains("hinted by local"));

        // Nothing is withdrawn before the question is answered.
        tab.go_in_site("/workers").await;
        tab.click("a[href='/withdraw?worker=pc-02']").await;
        tab.wait_for_address("/withdraw?worker=pc-02").await;
        tab.click(".question button").await;
        assert!(tab.address().await.ends_with("/withdraw?worker=pc-02"));
        tab.click("input[name=sure]").await;
        tab.click(".question button").await;
        tab.wait_for_text(".notice.done", "pc-02").await;
        assert!(tab.text("#workers").await.contains("cut off"));

        tab.go_in_site("/orders").await;
        let journal = tab.text("main").await;
        for order in ["hint", "pause", "resume", "forget", "withdraw"] {
            assert!(journal.contains(order), "{order} in {journal}");
        }
    });
}
