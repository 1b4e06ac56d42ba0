//! A day at the grid: a search is started, watched, helped along, interrupted and proved.

use std::collections::BTreeMap;

use gridproof_browser_tests::{Browser, Grid, Tab, in_a_browser};

#[test]
fn people_and_the_grid_solve_together() {
    in_a_browser!(async |browser: &Browser| {
        let mut grid = Grid::start("G7-M13", &[]);
        let tab = browser.open(&grid.entry()).await;
        tab.wait_for_address("/").await;
        assert!(
            !tab.address().await.contains("key"),
            "no secret stays in the address"
        );

        start_a_search(&tab).await;
        numbers_move_without_a_reload(&tab).await;
        hint_a_move(&tab).await;
        ask_for_a_verifier_and_abort_it(&tab).await;
        pause_and_resume(&tab).await;
        live_again_after_a_power_failure(&tab, &mut grid).await;
        nothing_is_lost(&tab).await;
        play_against_the_proof(&tab).await;
    });
}

/// TX-H9 is the second search: G7-M13 is there from the start.
async fn start_a_search(tab: &Tab) {
    tab.fill("#game", "TX-H9").await;
    tab.click("form[action='/submit'] button").await;
    tab.wait_for_address("/search/2").await;
    tab.wait_until_live().await;
}

/// Marks the page, to notice if it was loaded again.
async fn mark(tab: &Tab) {
    let marked: Option<bool> = tab.tell("window.isMarked = true").await;
    assert_eq!(marked, Some(true));
}

async fn numbers_move_without_a_reload(tab: &Tab) {
    mark(tab).await;
    let numbers = "document.querySelector('#status .numbers')?.textContent";
    let before: String = tab.tell(numbers).await.unwrap();
    tab.wait(&format!("{numbers} !== {before:?} && window.isMarked"))
        .await;
    tab.wait("document.querySelectorAll('#moves tr[data-squares]').length > 0 && window.isMarked")
        .await;
}

async fn hint_a_move(tab: &Tab) {
    tab.fill("#move", "k11 l10").await;
    tab.click("button[value=hint]").await;
    tab.wait_for_text(".notice.done", "will be tried before other moves")
        .await;
    tab.wait("document.querySelector('tr[data-squares=\"L10 K11\"] .you')")
        .await;
    // Two clicks are the same move.
    tab.click("#K11").await;
    tab.click("#L10").await;
    tab.wait_for_address("/search/2/l10-k11").await;
    assert!(tab.text("h2#ask-title").await.contains("White to move"));
    let label = "document.getElementById('K11').getAttribute('aria-label')";
    let label: String = tab.tell(label).await.unwrap();
    assert!(label.starts_with("K11, black, move 3"), "{label}");
}

async fn ask_for_a_verifier_and_abort_it(tab: &Tab) {
    tab.wait_until_live().await;
    tab.fill("#budget", "80M").await;
    tab.click("button[value=run]").await;
    tab.wait_for_text(".notice.done", "The job goes first")
        .await;
    mark(tab).await;
    // Open replies come as rows while the job runs.
    tab.wait(
        "document.querySelector('.job')?.textContent.includes('asked by local') && \
         document.querySelectorAll('#moves tr[data-squares]').length > 0 && \
         document.querySelector('#moves tbody').textContent.includes('verifier') && \
         window.isMarked",
    )
    .await;
    tab.click_until("#order-abort", ".notice.done", "The job is aborted")
        .await;
    tab.wait("!document.querySelector('#jobs').textContent.includes('asked by')")
        .await;
}

async fn pause_and_resume(tab: &Tab) {
    tab.click("#order-pause").await;
    tab.wait_for_text(".notice.done", "No new job is started")
        .await;
    tab.click("#order-resume").await;
    tab.wait_for_text(".notice.done", "Jobs are started here again")
        .await;
    tab.wait("document.querySelector('#order-pause')").await;
}

async fn live_again_after_a_power_failure(tab: &Tab, grid: &mut Grid) {
    tab.wait_until_live().await;
    mark(tab).await;
    grid.kill_coordinator();
    tab.wait("document.querySelector('#connection').className === 'lost'")
        .await;
    grid.restart_coordinator();
    tab.wait_until_live().await;
    tab.wait("window.isMarked && document.querySelector('#status .numbers')")
        .await;
}

async fn nothing_is_lost(tab: &Tab) {
    let rows = tab.count("#moves tr[data-squares]").await;
    assert!(rows > 0, "the replies that were found are there");
    tab.press("o").await;
    tab.wait_for_address("/orders").await;
    let journal = tab.text("main").await;
    for order in [
        "start search 2",
        "hint search 2 › L10 K11",
        "with 80",
        "abort the job",
        "pause",
        "resume",
    ] {
        assert!(journal.contains(order), "{order} in {journal}");
    }
}

/// Three of each kind of defence.
async fn play_against_the_proof(tab: &Tab) {
    tab.press("s").await;
    tab.wait_for_address("/").await;
    tab.wait("document.querySelector('a[href=\"/proof/1\"]')")
        .await;
    tab.press("r").await;
    tab.wait_for_address("/report").await;
    let report = tab.text("main").await;
    assert!(!report.contains("Nothing was proved"), "{report}");
    tab.press("s").await;
    tab.wait_for_address("/").await;
    tab.click("a[href='/proof/1']").await;
    tab.wait_for_address("/proof/1").await;
    assert!(
        tab.count(".board .zone rect").await > 0,
        "the zone is drawn"
    );
    assert!(
        tab.text("main")
            .await
            .contains("gridproof check G7-M13-black.gpf")
    );

    let kinds = [
        "answered:",
        "answered like",
        "outside the zone",
        "leaves the line",
    ];
    let mut seen: BTreeMap<&str, usize> = kinds.into_iter().map(|kind| (kind, 0)).collect();
    // At each position down the longest defence: what is listed, the same with a stone far
    // away, and two stones far away.
    for _ in 0..8 {
        let here: String = tab.tell("location.pathname").await.unwrap();
        let listed = "[...document.querySelectorAll('.chips a')].map((a) => a.textContent)";
        let listed: Vec<String> = tab.tell(listed).await.unwrap();
        let mixed = listed.iter().map(|mv| {
            let stone = mv.split(' ').next().unwrap_or_default();
            format!("{stone} s1")
        });
        let far = ["a1 s19", "a19 s1", "a1 a19"].map(str::to_owned);
        let defences = listed
            .iter()
            .take(3)
            .cloned()
            .chain(mixed.take(12))
            .chain(far);
        for defence in defences.collect::<Vec<_>>() {
            tab.fill("#move", &defence).await;
            tab.press("Enter").await;
            tab.wait(&format!("location.pathname !== {here:?}")).await;
            let said = tab.text("#explanation").await;
            let kind = kinds.iter().find(|kind| said.starts_with(**kind));
            // A stone may stand there already, which is said in other words.
            if let Some(kind) = kind {
                *seen.entry(*kind).or_default() += 1;
            }
            tab.go_in_site(&here).await;
        }
        if seen.values().all(|count| *count >= 3) {
            return;
        }
        tab.press("l").await;
        tab.wait(&format!("location.pathname !== {here:?}")).await;
    }
    panic!("not three of each kind: {seen:?}");
}
