//! Jobs go out, answers come in, and the graph grows.

mod support;

use std::time::Duration;

use gridproof_game::{Colour, Symmetry};
use gridproof_search::{
    AbortReason, Departure, Event, Generation, Goal, Handled, Hello, IgnoreReason, JobKind,
    JobResult, Level, Numbers, Side, Status, Verdict, WorkerId,
};
use support::{Harness, SEARCH, moves, mv, open, opening, suggest, suggest_as};

#[test]
fn the_first_job_is_an_engines_at_the_root() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    assert_eq!(given.job.id.kind, JobKind::Engine);
    assert_eq!(given.job.position, opening().canonical().0);
    assert_eq!(given.job.attacker, Colour::Black);
    assert_eq!(given.job.goal, Goal::Win, "a glance");
    assert!(given.job.budget < support::options().budgets.engine);
    assert!(given.job.known.is_empty());
}

#[test]
fn a_win_at_the_root_ends_the_search() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
    assert_eq!(harness.proved, [harness.root()]);
    assert!(!harness.has_job(1), "nothing is left to do");
}

#[test]
fn a_suggestion_is_verified_and_only_then_another_is_asked_for() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
    let child = harness.child(harness.root(), 0);
    assert_eq!(
        harness.numbers(child),
        Status::Strong3.numbers_for(Side::Defender)
    );
    let verifier = harness.job_of(1);
    assert_eq!(verifier.job.id.node, child);
    // The best move is being expanded: now the second best is asked for.
    harness.hello(2);
    let second = harness.job_of(2);
    assert_eq!(second.job.id.node, harness.root());
    assert_eq!(second.job.known, moves(&["K11 L10"]));
}

#[test]
fn with_one_worker_the_second_best_move_waits_for_the_first_ones_answer() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
    assert_eq!(harness.core.node(harness.root()).unwrap().own_job, None);
    harness.finish_job_of(1, open(&["- -"]));
    assert!(harness.core.node(harness.root()).unwrap().own_job.is_some());
}

#[test]
fn open_replies_become_nodes_even_null_moves() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    let verifier = harness.finish_job_of(1, open(&["- -", "A1 -", "A1 A2"]));
    let node = verifier.job.id.node;
    let children = harness.core.children(node);
    assert_eq!(children.len(), 3);
    let null = children.iter().find(|child| child.mv.is_null()).unwrap();
    let position = harness.core.position(null.node).unwrap();
    assert_eq!(position.to_move(), Colour::Black);
    assert_eq!(position.stone_count(), 5, "a null move adds no stone");
}

#[test]
fn a_finding_is_worked_on_while_its_verifier_still_runs() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    let verifier = harness.job_of(1);
    harness.find(&verifier, mv("A1 A2"));
    let node = verifier.job.id.node;
    let reply = harness.child(node, 0);
    for worker in 2..5 {
        harness.hello(worker);
    }
    assert!(harness.given.iter().any(|given| given.job.id.node == reply));
    // At its end the verifier tells the same move again, and another.
    harness.finish(&verifier, open(&["A1 A2", "B1 B2"]));
    assert_eq!(harness.core.children(node).len(), 2);
}

#[test]
fn a_node_is_not_proved_by_its_replies_alone() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    let node = harness.finish_job_of(1, open(&["A1 A2"])).job.id.node;
    while harness.core.node(harness.child(node, 0)).unwrap().answers == 0 {
        let given = harness.job_of(1);
        let outcome = if given.job.id.node == harness.root() {
            suggest("A1 B2")
        } else {
            JobResult::Won
        };
        harness.finish(&given, outcome);
    }
    assert_eq!(harness.questions.len(), 1);
    assert!(
        !harness.numbers(node).is_solved(),
        "guard 6: only the shell can close it"
    );
    harness.settle(Vec::new(), Vec::new(), true);
    assert_eq!(harness.numbers(node), Numbers::PROVED);
    assert_eq!(harness.verdict, Verdict::Proved);
}

/// A harness whose search has one defender's node with these replies, two workers on the first
/// two of them, and nothing else to do.
fn harness_with_replies(replies: &[&str]) -> (Harness, gridproof_search::NodeId) {
    let mut harness = Harness::new(support::options());
    let root = opening().after(&mv("K11 L10"));
    harness.start(SEARCH, &root, Colour::Black);
    let (node, symmetry) = harness.core.find(&root, Colour::Black).unwrap();
    let turned: Vec<_> = moves(replies)
        .iter()
        .map(|mv| mv.map(|square| symmetry.apply(root.rules(), square)))
        .collect();
    harness.hello(1);
    harness.finish_job_of(1, JobResult::Open(turned));
    harness.hello(2);
    (harness, node)
}

#[test]
fn an_excused_reply_is_dropped_and_its_job_aborted() {
    let (mut harness, node) = harness_with_replies(&["A1 A2", "B1 C5"]);
    let first = harness.job_of(1);
    harness.finish(&first, JobResult::Won);
    let other = harness
        .core
        .children(node)
        .into_iter()
        .find(|child| child.node != first.job.id.node)
        .unwrap();
    let second = harness
        .given
        .iter()
        .find(|given| given.job.id.node == other.node)
        .unwrap()
        .lease;
    harness.settle(vec![other.mv], Vec::new(), true);
    assert!(harness.aborted.iter().any(|&(lease, _)| lease == second));
    assert_eq!(harness.verdict, Verdict::Proved);
}

#[test]
fn an_excuse_without_a_closed_node_says_so_in_the_waste() {
    let (mut harness, node) = harness_with_replies(&["A1 A2", "B1 C5", "C1 F9"]);
    let first = harness.job_of(1);
    harness.finish(&first, JobResult::Won);
    let second = harness
        .given
        .iter()
        .find(|given| given.worker.0 == 2)
        .unwrap()
        .clone();
    let excused = harness
        .core
        .children(node)
        .into_iter()
        .find(|c| c.node == second.job.id.node)
        .unwrap();
    harness.settle(vec![excused.mv], Vec::new(), false);
    assert!(
        harness
            .aborted
            .contains(&(second.lease, AbortReason::Excused))
    );
    assert_eq!(harness.core.stats().wasted[&AbortReason::Excused].leases, 1);
}

#[test]
fn a_new_zone_can_ask_for_further_moves() {
    let (mut harness, node) = harness_with_replies(&["- -"]);
    let null = harness.job_of(1);
    harness.finish(&null, JobResult::Won);
    harness.settle(Vec::new(), moves(&["D4 -", "E4 E5"]), false);
    assert_eq!(harness.core.children(node).len(), 3);
    assert!(!harness.numbers(node).is_solved());
}

#[test]
fn a_node_with_nothing_open_that_does_not_close_is_verified_again_with_more() {
    let (mut harness, node) = harness_with_replies(&["- -"]);
    let null = harness.job_of(1);
    harness.finish(&null, JobResult::Won);
    harness.settle(Vec::new(), Vec::new(), false);
    let again = harness
        .given
        .iter()
        .find(|given| given.job.id.node == node)
        .unwrap();
    assert!(again.job.budget > support::options().budgets.verifier);
}

#[test]
fn a_refuted_move_makes_the_search_look_for_another() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    harness.finish_job_of(1, JobResult::Refuted);
    let next = harness.job_of(1);
    assert_eq!(next.job.id.node, harness.root());
    assert_eq!(next.job.known, moves(&["K11 L10"]));
}

#[test]
fn an_open_reply_that_ends_the_game_refutes_the_node() {
    let mut harness = Harness::new(support::options());
    let rules = gridproof_game::Rules::new(5, 5, 3, 2, 1).unwrap();
    let stones = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
    let root = gridproof_game::Position::of_stones(
        rules,
        &stones(&["E5"]),
        &stones(&["A1"]),
        Colour::White,
    )
    .unwrap();
    harness.start(SEARCH, &root, Colour::Black);
    harness.hello(1);
    let given = harness.job_of(1);
    let (_, symmetry) = root.canonical();
    let winning = mv("B1 C1").map(|square| symmetry.apply(&rules, square));
    harness.finish(&given, JobResult::Open(vec![winning]));
    assert_eq!(harness.verdict, Verdict::Failed);
}

#[test]
fn a_job_that_comes_to_nothing_is_tried_again_with_a_larger_budget() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let budgets = harness.options.budgets;
    for level in 0..3 {
        let given = harness.finish_job_of(1, JobResult::Unknown);
        assert_eq!(given.job.budget, budgets.of(JobKind::Engine, Level(level)));
    }
}

#[test]
fn all_replies_are_glanced_at_before_one_is_looked_into() {
    // Two workers have the first two.
    let (mut harness, _) = harness_with_replies(&["D4 D5", "E4 E5", "F4 F5"]);
    let first = harness.finish_job_of(1, JobResult::Unknown);
    let third = harness.finish_job_of(1, JobResult::Unknown);
    assert_ne!(third.job.id.node, first.job.id.node);
    assert_eq!(third.job.goal, Goal::Win);
    let next = harness.job_of(1);
    assert_eq!(next.job.goal, Goal::Moves);
    assert_eq!(next.job.budget, harness.options.budgets.engine);
}

#[test]
fn a_move_looks_harder_the_more_was_tried_after_it_in_vain() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.pass(harness.options.opinion_patience * 2);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    // It stays the only one: both workers say so when they are asked for another.
    harness.hello(2);
    harness.finish_job_of(2, JobResult::NoMoreMoves);
    let replies: Vec<_> = ('A'..='K').map(|file| format!("{file}1 {file}2")).collect();
    let replies: Vec<_> = replies.iter().map(String::as_str).collect();
    let after = harness.finish_job_of(1, open(&replies)).job.id.node;
    let above =
        |harness: &Harness| harness.numbers(harness.root()).proof - harness.numbers(after).proof;
    let at_first = above(&harness);
    for _ in 0..6 * replies.len() {
        let given = harness.job_of(1);
        let outcome = if given.job.id.node == harness.root() {
            JobResult::NoMoreMoves
        } else {
            JobResult::Unknown
        };
        harness.finish(&given, outcome);
    }
    assert_eq!(above(&harness), at_first + 1);
}

#[test]
fn a_branch_ends_only_when_two_workers_know_no_move() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    harness.finish_job_of(1, JobResult::NoMoreMoves);
    assert_eq!(harness.verdict, Verdict::Open);
    assert!(!harness.has_job(1), "it has given its opinion");
    harness.finish_job_of(2, JobResult::NoMoreMoves);
    assert_eq!(harness.verdict, Verdict::Open, "others may be on the way");
    harness.pass(harness.options.opinion_patience * 2);
    assert_eq!(harness.verdict, Verdict::Failed);
}

#[test]
fn who_always_was_alone_is_believed_in_the_end() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, JobResult::NoMoreMoves);
    assert_eq!(harness.verdict, Verdict::Open, "others may be on the way");
    harness.pass(harness.options.opinion_patience * 2);
    assert_eq!(harness.verdict, Verdict::Failed);
}

#[test]
fn who_is_left_alone_is_believed_in_the_end_even_after_a_restart() {
    for restarts in [false, true] {
        let mut harness = Harness::with_search();
        harness.hello(1);
        harness.hello(2);
        harness.finish_job_of(1, suggest("K11 L10"));
        harness.finish_job_of(2, JobResult::NoMoreMoves);
        harness.gone(1, Departure::Goodbye);
        if restarts {
            harness.restart();
            harness.hello(2);
        }
        harness.pass(Duration::from_secs(1));
        harness.finish_job_of(2, JobResult::Refuted);
        assert_eq!(harness.verdict, Verdict::Open, "the other may come back");
        harness.pass(harness.options.opinion_patience * 2);
        assert_eq!(harness.verdict, Verdict::Failed);
    }
}

#[test]
fn a_worker_that_takes_no_jobs_is_not_waited_for() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.tell(&Event::Hello(Hello {
        worker: WorkerId(2),
        generation: Generation(1),
        slots: 0,
        until: None,
        running: Vec::new(),
    }));
    harness.finish_job_of(1, JobResult::NoMoreMoves);
    harness.pass(harness.options.opinion_patience * 2);
    assert_eq!(harness.verdict, Verdict::Failed);
}

#[test]
fn mirror_images_are_one_node_and_one_job() {
    let mut harness = Harness::new(support::options());
    // Black alone in the middle: every way to turn the board leaves it as it is.
    let rules = gridproof_game::Rules::CONNECT6;
    let root = gridproof_game::Position::start(rules).after(&mv("J10"));
    harness.start(SEARCH, &root, Colour::Black);
    harness.hello(1);
    let images: Vec<_> = Symmetry::all(&rules)
        .map(|symmetry| mv("I8 H9").map(|square| symmetry.apply(&rules, square)))
        .collect();
    let node = harness
        .finish_job_of(1, JobResult::Open(images))
        .job
        .id
        .node;
    let children = harness.core.children(node);
    assert!(children.len() > 1);
    assert!(children.iter().all(|child| child.node == children[0].node));
    for worker in 2..6 {
        harness.hello(worker);
    }
    let nodes: Vec<_> = harness
        .given
        .iter()
        .map(|given| given.job.id.node)
        .collect();
    assert_eq!(nodes, [children[0].node]);
}

#[test]
fn moves_are_told_in_any_orientation() {
    let mut harness = Harness::with_search();
    for symmetry in Symmetry::all(opening().rules()) {
        let image = opening().transformed(symmetry);
        let (node, way) = harness.core.find(&image, Colour::Black).unwrap();
        assert_eq!(node, harness.root());
        assert_eq!(image.transformed(way), harness.core.position(node).unwrap());
    }
    assert!(harness.core.find(&opening(), Colour::White).is_none());
    harness.hello(1);
}

#[test]
fn both_colours_are_searched_side_by_side_and_share_the_workers() {
    let mut harness = Harness::with_search();
    harness.start(gridproof_search::SearchId(2), &opening(), Colour::White);
    for worker in 0..4 {
        harness.hello(worker);
    }
    let kinds: Vec<_> = harness
        .given
        .iter()
        .map(|given| (given.job.attacker, given.job.id.kind))
        .collect();
    assert!(kinds.contains(&(Colour::Black, JobKind::Engine)));
    assert!(kinds.contains(&(Colour::White, JobKind::Verifier)));
}

#[test]
fn answers_of_the_wrong_kind_or_with_moves_that_cannot_be_change_nothing() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    for (outcome, reason) in [
        (open(&["A1 A2"]), IgnoreReason::WrongKind),
        (JobResult::Refuted, IgnoreReason::WrongKind),
        (suggest("J10 A1"), IgnoreReason::IllegalMove),
        (suggest("A1 -"), IgnoreReason::IllegalMove),
        (suggest("A1"), IgnoreReason::IllegalMove),
    ] {
        assert_eq!(harness.finish(&given, outcome), Handled::Ignored(reason));
        assert!(harness.core.stats().ignored.contains_key(&reason));
    }
    assert_eq!(harness.finish(&given, suggest("K11 L10")), Handled::Done);
    let verifier = harness.job_of(1);
    assert_eq!(
        harness.finish(&verifier, JobResult::NoMoreMoves),
        Handled::Ignored(IgnoreReason::WrongKind)
    );
}

#[test]
fn two_workers_look_at_two_replies() {
    let (harness, _) = harness_with_replies(&["A1 A2", "B1 C5"]);
    assert!(harness.has_job(1) && harness.has_job(2));
}
