//! Jobs go out, answers come in, and the graph grows.

mod support;

use gridproof_game::{Colour, Symmetry};
use gridproof_search::{
    AbortReason, Handled, IgnoreReason, JobKind, JobResult, Level, Numbers, Options, Policy,
    Status, Verdict,
};
use support::{Desk, SEARCH, moves, mv, open, opening, suggest, suggest_as};

#[test]
fn the_first_job_is_an_engines_at_the_root() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.job_of(1);
    assert_eq!(given.job.name.kind, JobKind::Engine);
    assert_eq!(given.job.position, opening().canonical().0);
    assert_eq!(given.job.attacker, Colour::Black);
    assert_eq!(given.job.level, Level::GLANCE);
    assert!(given.job.budget < Options::default().budgets.engine);
    assert!(given.job.known.is_empty());
}

#[test]
fn a_win_at_the_root_ends_the_search() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, JobResult::Won);
    assert_eq!(desk.verdict, Verdict::Proved);
    assert_eq!(desk.proved, [desk.root()]);
    assert!(!desk.has_job(1), "nothing is left to do");
}

#[test]
fn a_suggestion_is_verified_and_only_then_another_is_asked_for() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
    let child = desk.child(desk.root(), 0);
    assert_eq!(
        desk.numbers(child),
        Status::Strong3.numbers_for(JobKind::Verifier)
    );
    let verifier = desk.job_of(1);
    assert_eq!(verifier.job.name.node, child);
    // The best move is being expanded: now the second best is asked for.
    desk.hello(2);
    let second = desk.job_of(2);
    assert_eq!(second.job.name.node, desk.root());
    assert_eq!(second.job.known, moves(&["K11 L10"]));
}

#[test]
fn with_one_worker_the_second_best_move_waits_for_the_first_ones_answer() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
    assert_eq!(desk.core.node(desk.root()).unwrap().own_job, None);
    desk.finish_job_of(1, open(&["- -"]));
    assert!(desk.core.node(desk.root()).unwrap().own_job.is_some());
}

#[test]
fn open_replies_become_nodes_even_null_moves() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest("K11 L10"));
    let verifier = desk.finish_job_of(1, open(&["- -", "A1 -", "A1 A2"]));
    let node = verifier.job.name.node;
    let children = desk.core.children(node);
    assert_eq!(children.len(), 3);
    let null = children.iter().find(|child| child.mv.is_null()).unwrap();
    let position = desk.core.position(null.node).unwrap();
    assert_eq!(position.to_move(), Colour::Black);
    assert_eq!(position.stone_count(), 5, "a null move adds no stone");
}

#[test]
fn a_finding_is_worked_on_while_its_verifier_still_runs() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    let verifier = desk.job_of(1);
    desk.find(&verifier, mv("A1 A2"));
    let node = verifier.job.name.node;
    let reply = desk.child(node, 0);
    for worker in 2..5 {
        desk.hello(worker);
    }
    assert!(desk.given.iter().any(|given| given.job.name.node == reply));
    // At its end the verifier tells the same move again, and another.
    desk.finish(&verifier, open(&["A1 A2", "B1 B2"]));
    assert_eq!(desk.core.children(node).len(), 2);
}

#[test]
fn a_node_is_not_proved_by_its_replies_alone() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    let node = desk.finish_job_of(1, open(&["A1 A2"])).job.name.node;
    while desk.core.node(desk.child(node, 0)).unwrap().answers == 0 {
        let given = desk.job_of(1);
        let outcome = if given.job.name.node == desk.root() {
            suggest("A1 B2")
        } else {
            JobResult::Won
        };
        desk.finish(&given, outcome);
    }
    assert_eq!(desk.questions.len(), 1);
    assert!(
        !desk.numbers(node).is_solved(),
        "guard 6: only the shell can close it"
    );
    desk.settle(Vec::new(), Vec::new(), true);
    assert_eq!(desk.numbers(node), Numbers::PROVED);
    assert_eq!(desk.verdict, Verdict::Proved);
}

/// A desk whose search has one defender's node with these replies, two workers on the first
/// two of them, and nothing else to do.
fn desk_with_replies(replies: &[&str]) -> (Desk, gridproof_search::NodeId) {
    let mut desk = Desk::new(Options::default());
    let root = opening().after(&mv("K11 L10"));
    desk.start(SEARCH, &root, Colour::Black);
    let (node, symmetry) = desk.core.find(&root, Colour::Black).unwrap();
    let turned: Vec<_> = moves(replies)
        .iter()
        .map(|mv| mv.map(|square| symmetry.apply(root.rules(), square)))
        .collect();
    desk.hello(1);
    desk.finish_job_of(1, JobResult::Open(turned));
    desk.hello(2);
    (desk, node)
}

#[test]
fn an_excused_reply_is_dropped_and_its_job_aborted() {
    let (mut desk, node) = desk_with_replies(&["A1 A2", "B1 C5"]);
    let first = desk.job_of(1);
    desk.finish(&first, JobResult::Won);
    let other = desk
        .core
        .children(node)
        .into_iter()
        .find(|child| child.node != first.job.name.node)
        .unwrap();
    let second = desk
        .given
        .iter()
        .find(|given| given.job.name.node == other.node)
        .unwrap()
        .lease;
    desk.settle(vec![other.mv], Vec::new(), true);
    assert!(desk.aborted.iter().any(|&(lease, _)| lease == second));
    assert_eq!(desk.verdict, Verdict::Proved);
}

#[test]
fn an_excuse_without_a_closed_node_says_so_in_the_waste() {
    let (mut desk, node) = desk_with_replies(&["A1 A2", "B1 C5", "C1 F9"]);
    let first = desk.job_of(1);
    desk.finish(&first, JobResult::Won);
    let second = desk
        .given
        .iter()
        .find(|given| given.worker.0 == 2)
        .unwrap()
        .clone();
    let excused = desk
        .core
        .children(node)
        .into_iter()
        .find(|c| c.node == second.job.name.node)
        .unwrap();
    desk.settle(vec![excused.mv], Vec::new(), false);
    assert!(desk.aborted.contains(&(second.lease, AbortReason::Excused)));
    assert_eq!(desk.core.stats().wasted[&AbortReason::Excused].leases, 1);
}

#[test]
fn a_new_zone_can_ask_for_further_moves() {
    let (mut desk, node) = desk_with_replies(&["- -"]);
    let null = desk.job_of(1);
    desk.finish(&null, JobResult::Won);
    desk.settle(Vec::new(), moves(&["D4 -", "E4 E5"]), false);
    assert_eq!(desk.core.children(node).len(), 3);
    assert!(!desk.numbers(node).is_solved());
}

#[test]
fn a_node_with_nothing_open_that_does_not_close_is_verified_again_with_more() {
    let (mut desk, node) = desk_with_replies(&["- -"]);
    let null = desk.job_of(1);
    desk.finish(&null, JobResult::Won);
    desk.settle(Vec::new(), Vec::new(), false);
    let again = desk
        .given
        .iter()
        .find(|given| given.job.name.node == node)
        .unwrap();
    assert_eq!(again.job.level, Level(1));
    assert!(again.job.budget > Options::default().budgets.verifier);
}

#[test]
fn a_refuted_move_makes_the_search_look_for_another() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest("K11 L10"));
    desk.finish_job_of(1, JobResult::Refuted);
    let next = desk.job_of(1);
    assert_eq!(next.job.name.node, desk.root());
    assert_eq!(next.job.known, moves(&["K11 L10"]));
}

#[test]
fn an_open_reply_that_ends_the_game_refutes_the_node() {
    let mut desk = Desk::new(Options::default());
    let rules = gridproof_game::Rules::new(5, 5, 3, 2, 1).unwrap();
    let stones = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
    let root = gridproof_game::Position::of_stones(
        rules,
        &stones(&["E5"]),
        &stones(&["A1"]),
        Colour::White,
    )
    .unwrap();
    desk.start(SEARCH, &root, Colour::Black);
    desk.hello(1);
    let given = desk.job_of(1);
    let (_, symmetry) = root.canonical();
    let winning = mv("B1 C1").map(|square| symmetry.apply(&rules, square));
    desk.finish(&given, JobResult::Open(vec![winning]));
    assert_eq!(desk.verdict, Verdict::Failed);
}

#[test]
fn a_job_that_comes_to_nothing_is_tried_again_with_a_larger_budget() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let budgets = desk.options.budgets;
    for level in 0..3 {
        let given = desk.finish_job_of(1, JobResult::Unknown);
        assert_eq!(given.job.level, Level(level));
        assert_eq!(given.job.budget, budgets.of(JobKind::Engine, Level(level)));
    }
}

#[test]
fn all_replies_are_glanced_at_before_one_is_looked_into() {
    // Two workers have the first two.
    let (mut desk, _) = desk_with_replies(&["D4 D5", "E4 E5", "F4 F5"]);
    let first = desk.finish_job_of(1, JobResult::Unknown);
    let third = desk.finish_job_of(1, JobResult::Unknown);
    assert_ne!(third.job.name.node, first.job.name.node);
    assert_eq!(third.job.level, Level::GLANCE);
    let next = desk.job_of(1);
    assert_eq!(next.job.level, Level(1));
    assert_eq!(next.job.budget, desk.options.budgets.engine);
}

#[test]
fn a_move_looks_harder_the_more_was_tried_after_it_in_vain() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    // It stays the only one: both workers say so when they are asked for another.
    desk.hello(2);
    desk.finish_job_of(2, JobResult::NoMoreMoves);
    let replies: Vec<_> = ('A'..='K').map(|file| format!("{file}1 {file}2")).collect();
    let replies: Vec<_> = replies.iter().map(String::as_str).collect();
    let after = desk.finish_job_of(1, open(&replies)).job.name.node;
    let above = |desk: &Desk| desk.numbers(desk.root()).proof - desk.numbers(after).proof;
    let at_first = above(&desk);
    for _ in 0..6 * replies.len() {
        let given = desk.job_of(1);
        let outcome = if given.job.name.node == desk.root() {
            JobResult::NoMoreMoves
        } else {
            JobResult::Unknown
        };
        desk.finish(&given, outcome);
    }
    assert_eq!(above(&desk), at_first + 1);
}

#[test]
fn a_branch_ends_only_when_two_workers_know_no_move() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.hello(2);
    desk.finish_job_of(1, JobResult::NoMoreMoves);
    assert_eq!(desk.verdict, Verdict::Open);
    assert!(!desk.has_job(1), "it has given its opinion");
    desk.finish_job_of(2, JobResult::NoMoreMoves);
    assert_eq!(desk.verdict, Verdict::Failed);
}

#[test]
fn a_worker_alone_is_believed_in_the_end() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, JobResult::NoMoreMoves);
    assert_eq!(desk.verdict, Verdict::Open);
    desk.pass(desk.options.opinion_patience * 2);
    assert_eq!(desk.verdict, Verdict::Failed);
}

#[test]
fn mirror_images_are_one_node_and_one_job() {
    let mut desk = Desk::new(Options::default());
    // Black alone in the middle: every way to turn the board leaves it as it is.
    let rules = gridproof_game::Rules::CONNECT6;
    let root = gridproof_game::Position::start(rules).after(&mv("J10"));
    desk.start(SEARCH, &root, Colour::Black);
    desk.hello(1);
    let images: Vec<_> = Symmetry::all(&rules)
        .map(|symmetry| mv("I8 H9").map(|square| symmetry.apply(&rules, square)))
        .collect();
    let node = desk.finish_job_of(1, JobResult::Open(images)).job.name.node;
    let children = desk.core.children(node);
    assert!(children.len() > 1);
    assert!(children.iter().all(|child| child.node == children[0].node));
    for worker in 2..6 {
        desk.hello(worker);
    }
    let nodes: Vec<_> = desk.given.iter().map(|given| given.job.name.node).collect();
    assert_eq!(nodes, [children[0].node]);
}

#[test]
fn moves_are_told_in_any_orientation() {
    let mut desk = Desk::with_search();
    for symmetry in Symmetry::all(opening().rules()) {
        let image = opening().transformed(symmetry);
        let (node, way) = desk.core.find(&image, Colour::Black).unwrap();
        assert_eq!(node, desk.root());
        assert_eq!(image.transformed(way), desk.core.position(node).unwrap());
    }
    assert!(desk.core.find(&opening(), Colour::White).is_none());
    desk.hello(1);
}

#[test]
fn both_colours_are_searched_side_by_side_and_share_the_workers() {
    let mut desk = Desk::with_search();
    desk.start(gridproof_search::SearchId(2), &opening(), Colour::White);
    for worker in 0..4 {
        desk.hello(worker);
    }
    let kinds: Vec<_> = desk
        .given
        .iter()
        .map(|given| (given.job.attacker, given.job.name.kind))
        .collect();
    assert!(kinds.contains(&(Colour::Black, JobKind::Engine)));
    assert!(kinds.contains(&(Colour::White, JobKind::Verifier)));
}

#[test]
fn answers_of_the_wrong_kind_or_with_moves_that_cannot_be_change_nothing() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.job_of(1);
    for (outcome, reason) in [
        (open(&["A1 A2"]), IgnoreReason::WrongKind),
        (JobResult::Refuted, IgnoreReason::WrongKind),
        (suggest("J10 A1"), IgnoreReason::IllegalMove),
        (suggest("A1 -"), IgnoreReason::IllegalMove),
        (suggest("A1"), IgnoreReason::IllegalMove),
    ] {
        assert_eq!(desk.finish(&given, outcome), Handled::Ignored(reason));
        assert!(desk.core.stats().ignored.contains_key(&reason));
    }
    assert_eq!(desk.finish(&given, suggest("K11 L10")), Handled::Done);
    let verifier = desk.job_of(1);
    assert_eq!(
        desk.finish(&verifier, JobResult::NoMoreMoves),
        Handled::Ignored(IgnoreReason::WrongKind)
    );
}

#[test]
fn every_policy_finds_work_for_two_workers_on_two_replies() {
    for policy in Policy::ALL {
        let mut desk = Desk::new(Options {
            policy,
            ..Options::default()
        });
        let root = opening().after(&mv("K11 L10"));
        desk.start(SEARCH, &root, Colour::Black);
        desk.hello(1);
        desk.finish_job_of(1, open(&["A1 A2", "B1 C5"]));
        desk.hello(2);
        let busy = desk.given.len();
        let expected = match policy {
            // Where both replies look alike it waits for the first: that is its weakness.
            Policy::VirtualEqual => 1,
            // The branch that fails for sure need not be helped along.
            Policy::VirtualLoss | Policy::Greedy => busy,
            _ => 2,
        };
        assert_eq!(busy, expected, "{policy}");
    }
}
