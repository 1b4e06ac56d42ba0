//! Real games so small that everything can be tried: the search finds their known values.

use gridproof_game::{Colour, Move, Position, Rules, Square, State};
use gridproof_search::{
    ChildView, JobKind, JobResult, JobSpec, NodeId, Overcounting, Status, Suggestion, Verdict,
};
use gridproof_simulate::{Grid, Policy, Run, Settings, Settlement, World};

/// Jobs that look one move ahead and name every move.
struct Exhaustive {
    root: Position,
    attacker: Colour,
}

impl Exhaustive {
    fn new(rules: Rules, attacker: Colour) -> Self {
        Self {
            root: Position::start(rules),
            attacker,
        }
    }
}

fn all_moves(position: &Position) -> Vec<Move> {
    let empties: Vec<Square> = position.empties().iter().collect();
    match position.move_len() {
        1 => empties.iter().map(|&a| Move::full([a])).collect(),
        2 => {
            let pairs = empties.iter().enumerate();
            let pairs = pairs.flat_map(|(i, &a)| empties[..i].iter().map(move |&b| [a, b]));
            pairs.map(Move::full).collect()
        }
        other => panic!("no game here has {other} stones a turn"),
    }
}

/// Somebody wins or the board is full after this move.
fn ends(position: &Position, mv: &Move) -> bool {
    position.after(mv).state() != State::Open
}

impl World for Exhaustive {
    fn root(&self) -> (Position, Colour) {
        (self.root.clone(), self.attacker)
    }

    fn run(&mut self, job: &JobSpec) -> Run {
        let position = &job.position;
        let moves = all_moves(position);
        let wins = |mv: &Move| position.after(mv).state() == State::Won(position.to_move());
        let result = match job.id.kind {
            JobKind::Engine if moves.iter().any(wins) => JobResult::Won,
            JobKind::Engine => {
                let mut rest = moves.into_iter().filter(|mv| !job.known.contains(mv));
                match rest.find(|mv| !ends(position, mv)) {
                    Some(mv) => {
                        let status = Status::Unclear;
                        JobResult::Moves(vec![Suggestion { mv, status }])
                    }
                    None => JobResult::NoMoreMoves,
                }
            }
            JobKind::Verifier if moves.iter().any(|mv| ends(position, mv)) => JobResult::Refuted,
            JobKind::Verifier => JobResult::Open(moves),
        };
        Run::of_end(result, 1_000)
    }

    fn settle(&mut self, _: NodeId, _: &Position, _: Colour, children: &[ChildView]) -> Settlement {
        Settlement {
            closed: children.iter().all(|child| child.numbers.is_proved()),
            ..Settlement::default()
        }
    }

    fn is_won(&mut self, _: &JobSpec) -> bool {
        true
    }

    fn is_refuted(&mut self, _: &JobSpec) -> bool {
        true
    }
}

fn verdict(rules: Rules, attacker: Colour, settings: &Settings) -> Verdict {
    let mut settings = settings.clone();
    settings.workers = 5;
    settings.options.opinions = 1;
    settings.keeps_facts = true;
    let mut world = Exhaustive::new(rules, attacker);
    Grid::new(&mut world, &settings).run().unwrap().verdict
}

fn value(rules: Rules, settings: &Settings) -> Option<Colour> {
    let winners = Colour::BOTH.map(|colour| {
        let verdict = verdict(rules, colour, settings);
        (verdict == Verdict::Proved).then_some(colour)
    });
    winners.into_iter().flatten().next()
}

#[test]
fn known_values_of_small_games_are_found() {
    for ((m, n, k, p, q), winner) in [
        ((3, 3, 3, 1, 1), None),
        ((4, 3, 3, 1, 1), Some(Colour::Black)),
        ((3, 3, 3, 2, 1), Some(Colour::Black)),
        ((4, 3, 3, 2, 1), Some(Colour::Black)),
        ((4, 4, 3, 2, 1), Some(Colour::Black)),
    ] {
        let rules = Rules::new(m, n, k, p, q).unwrap();
        assert_eq!(value(rules, &Settings::default()), winner, "{rules}");
    }
}

#[test]
fn every_policy_and_every_way_to_count_finds_them() {
    for policy in Policy::ALL {
        for overcounting in [Overcounting::Sum, Overcounting::Weak] {
            let mut settings = Settings {
                policy,
                ..Settings::default()
            };
            settings.options.overcounting = overcounting;
            let nobody = Rules::new(3, 3, 3, 1, 1).unwrap();
            assert_eq!(value(nobody, &settings), None, "{policy}");
            let black = Rules::new(3, 3, 3, 2, 1).unwrap();
            assert_eq!(value(black, &settings), Some(Colour::Black), "{policy}");
        }
    }
}
