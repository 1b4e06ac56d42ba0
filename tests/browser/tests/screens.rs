//! Every screen in three widths, light and dark: nothing is cut off, and axe-core finds nothing
//! serious. With GRIDPROOF_PICTURES=FOLDER it leaves pictures there.

use std::path::PathBuf;

use gridproof_browser_tests::{Axe, Browser, Grid, Looks, Tab, in_a_browser};
use gridproof_tests::skip;

const WIDTHS: [i64; 3] = [1440, 1024, 390];

#[test]
fn every_screen_is_for_everybody() {
    in_a_browser!(async |browser: &Browser| {
        let grid = Grid::start("G7-M13", &[]);
        let axe = Axe::fetch();
        if axe.is_none() {
            skip("axe-core cannot be fetched: npm is not here, or has no network");
        }
        let tab = browser.open(&grid.entry()).await;
        tab.wait_for_address("/").await;
        prepare(&tab).await;
        for (name, address) in [
            ("searches", "/"),
            ("workbench", "/search/2"),
            ("position", "/search/2/l10-k11"),
            ("zone", "/search/1?zone=true"),
            ("tree", "/tree/2"),
            ("running", "/tree/2?only=running"),
            ("workers", "/workers"),
            ("withdraw", "/withdraw?worker=pc-02"),
            ("orders", "/orders"),
            ("map", "/map"),
            ("report", "/report"),
            ("proof", "/proof/1"),
            ("defence", "/proof/1/a1-s19"),
            ("error", "/search/99"),
        ] {
            tab.go_in_site(address).await;
            if name == "tree" {
                tab.click("a.twist[href$='/l10-k11']").await;
                tab.wait("document.querySelector('.branch li')").await;
            }
            check(&tab, name, axe.as_ref()).await;
        }
        tab.go_in_site("/").await;
        tab.click("form[action='/logout'] button").await;
        tab.wait_for_address("/login").await;
        check(&tab, "login", axe.as_ref()).await;
    });
}

/// A grid at work: one search proved, one under way with hints, and a few more for the map.
async fn prepare(tab: &Tab) {
    for game in ["TX-H9", "TX-K7", "XX-L8", "J9-K11", "TX-G9"] {
        tab.go_in_site("/").await;
        tab.fill("#game", game).await;
        tab.press("Enter").await;
        tab.wait("location.pathname.startsWith('/search/')").await;
    }
    tab.go_in_site("/search/2").await;
    tab.fill("#move", "k11 l10").await;
    tab.click("button[value=hint]").await;
    tab.wait_for_text(".notice.done", "will be tried").await;
    tab.go_in_site("/search/2/l10-k11").await;
    tab.click("button[value=run]").await;
    tab.wait_for_text(".notice.done", "The job goes first")
        .await;
    tab.wait("document.querySelectorAll('#moves tr[data-squares]').length > 1")
        .await;
    tab.go_in_site("/search/1").await;
    tab.wait("document.querySelector('a[href=\"/proof/1\"]')")
        .await;
}

async fn check(tab: &Tab, name: &str, axe: Option<&Axe>) {
    for looks in [Looks::Light, Looks::Dark] {
        for width in WIDTHS {
            tab.look(width, 900, looks).await;
            tab.wait("true").await;
            let out = tab.sticking_out(width).await;
            assert!(
                out.is_empty(),
                "{name} is wider than {width} pixels: {out:#?}"
            );
            // Last: a picture of a whole page forgets the size of the window.
            if let Some(folder) = std::env::var_os("GRIDPROOF_PICTURES") {
                let file = format!("{name}-{width}-{looks:?}.png").to_lowercase();
                let folder = PathBuf::from(folder);
                std::fs::create_dir_all(&folder).expect("the folder can be made");
                let path = folder.join(file);
                tab.picture(&path, width < 600).await;
            }
        }
        if let Some(axe) = axe {
            tab.look(1440, 900, looks).await;
            let serious = axe.serious(tab).await;
            assert!(serious.is_empty(), "{name}, {looks:?}: {serious:#?}");
        }
    }
}
