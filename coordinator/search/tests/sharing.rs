//! Searches share the workers by what is spent on them.

mod support;

use gridproof_game::Colour;
use gridproof_search::{Event, Handled, JobEnd, JobResult, Order, SearchId};
use support::{Harness, opening};

/// Searches of openings that have nothing to do with each other, by number.
fn start(harness: &mut Harness, search: u32) {
    let replies = ["A1 A2", "A1 A3", "A1 A4", "A1 A5", "A1 A6", "A1 A7"];
    let root = opening().after(&support::mv(replies[search as usize]));
    harness.start(SearchId(search), &root, Colour::White);
}

/// The worker ends its job with nothing found, after so many nodes. Returns the search that the
/// job was for.
fn work(harness: &mut Harness, spent: impl Fn(SearchId) -> u64) -> SearchId {
    let given = harness.job_of(1);
    let mut searches = harness.core.searches();
    let search = searches.find(|search| search.root == given.job.id.node);
    let search = search.expect("all jobs are at roots").search;
    drop(searches);
    let event = Event::Ended {
        from: given.sender(),
        end: JobEnd::Answered(JobResult::Unknown),
        spent: spent(search),
    };
    assert_eq!(harness.tell(&event), Handled::Done);
    search
}

fn share_of(harness: &mut Harness, jobs: usize, spent: impl Fn(SearchId) -> u64) -> [usize; 6] {
    let mut counts = [0; 6];
    for _ in 0..jobs {
        counts[work(harness, &spent).0 as usize] += 1;
    }
    counts
}

/// Budgets that never end, for jobs that never find anything.
fn harness() -> Harness {
    let mut options = support::options();
    options.budgets.growth = 1;
    options.budgets.highest = gridproof_search::Level(200);
    Harness::new(options)
}

#[test]
fn one_slot_serves_four_equal_searches_in_turn() {
    let mut harness = harness();
    for search in 0..4 {
        start(&mut harness, search);
    }
    harness.hello(1);
    let order: Vec<_> = (0..12).map(|_| work(&mut harness, |_| 1_000).0).collect();
    assert_eq!(order, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn who_has_dear_jobs_gets_fewer_of_them() {
    let mut harness = harness();
    start(&mut harness, 0);
    start(&mut harness, 1);
    harness.hello(1);
    let spent = |search: SearchId| if search.0 == 0 { 9_000 } else { 1_000 };
    let [dear, cheap, ..] = share_of(&mut harness, 100, spent);
    assert_eq!((dear, cheap), (10, 90));
}

#[test]
fn a_larger_share_is_more_work() {
    let mut harness = harness();
    start(&mut harness, 0);
    start(&mut harness, 1);
    harness.order(Order::Share {
        search: SearchId(1),
        share: 3,
    });
    harness.hello(1);
    let [one, three, ..] = share_of(&mut harness, 40, |_| 1_000);
    assert_eq!((one, three), (10, 30));
}

#[test]
fn a_new_search_is_owed_nothing_of_the_past() {
    let mut harness = harness();
    start(&mut harness, 0);
    harness.hello(1);
    share_of(&mut harness, 50, |_| 1_000);
    start(&mut harness, 1);
    let [old, new, ..] = share_of(&mut harness, 20, |_| 1_000);
    assert!(old.abs_diff(new) <= 2, "{old} and {new}");
}

#[test]
fn a_search_that_was_paused_is_owed_nothing_for_that_time() {
    let mut harness = harness();
    start(&mut harness, 0);
    start(&mut harness, 1);
    let root = harness.core.searches().nth(1).unwrap().root;
    harness.order(Order::Pause { node: root });
    harness.hello(1);
    share_of(&mut harness, 50, |_| 1_000);
    harness.order(Order::Resume { node: root });
    let [awake, back, ..] = share_of(&mut harness, 20, |_| 1_000);
    assert!(awake.abs_diff(back) <= 2, "{awake} and {back}");
}
