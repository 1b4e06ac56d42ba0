//! Whole small games by the general solver, against the exact values that are known.

use gridproof_certificate::check;
use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions};

/// Whether a side wins a position; every claimed win is checked.
fn wins(solver: &Solver, position: &Position, attacker: Colour, nodes: u64) -> Option<bool> {
    let exhaustive = SolverOptions {
        exhaustive: true,
        ..SolverOptions::of_order(Order::of_quiet_moves(position.rules().stones_per_turn()))
    };
    let mut budget = Budget::of_nodes(nodes);
    if position.to_move() == attacker {
        return match solver.win(position, exhaustive, &mut budget).unwrap() {
            Outcome::Won(win) => {
                check(&win.proof).unwrap();
                Some(true)
            }
            Outcome::NoWin => Some(false),
            Outcome::Unknown => None,
        };
    }
    let options = VerifierOptions {
        nodes_per_reply: nodes,
        most_open: Some(1),
        solver: exhaustive,
        ..VerifierOptions::default()
    };
    match solver
        .verify(position, options, &mut budget, &mut ())
        .unwrap()
        .verdict
    {
        Verdict::Proved(win) => {
            check(&win.proof).unwrap();
            Some(true)
        }
        Verdict::DefenderHolds => Some(false),
        Verdict::Open(_) => None,
    }
}

/// The positions after Black's first turn, up to symmetry.
fn first_turns(rules: Rules) -> Vec<Position> {
    let mut positions = vec![Vec::new()];
    for _ in 0..rules.first_stones() {
        positions = positions
            .iter()
            .flat_map(|stones: &Vec<_>| {
                let last = stones.last().copied();
                rules
                    .squares()
                    .filter(move |&s| last.is_none_or(|last| s > last))
                    .map(|s| {
                        let mut more = stones.clone();
                        more.push(s);
                        more
                    })
            })
            .collect();
    }
    let mut forms: Vec<Position> = Vec::new();
    for stones in positions {
        let black = stones.into_iter().collect();
        let white = SquareSet::EMPTY;
        let position = Position::of_stones(rules, &black, &white, Colour::White).unwrap();
        let (form, _) = position.canonical();
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

#[test]
fn games_that_black_wins_are_proved() {
    for [m, n, k, p, q] in [
        [3, 3, 3, 2, 1],
        [4, 3, 3, 2, 1],
        [4, 4, 3, 2, 1],
        [5, 4, 4, 2, 2],
        [6, 4, 4, 2, 2],
        [5, 5, 4, 2, 2],
        [4, 3, 3, 1, 1],
        [6, 5, 4, 1, 1],
    ] {
        let rules = Rules::new(m, n, k, p, q).unwrap();
        let solver = Solver::new(rules);
        let won = first_turns(rules).iter().any(|position| {
            position.state() == State::Won(Colour::Black)
                || position.state() == State::Open
                    && wins(&solver, position, Colour::Black, 300_000) == Some(true)
        });
        assert!(won, "{rules} is a win for Black");
    }
}

#[test]
fn games_that_white_wins_are_proved() {
    for [m, n, k, p, q] in [
        [6, 4, 4, 2, 1],
        [7, 4, 4, 2, 1],
        [6, 5, 4, 2, 1],
        [7, 7, 4, 2, 1],
    ] {
        let rules = Rules::new(m, n, k, p, q).unwrap();
        let solver = Solver::new(rules);
        for position in first_turns(rules) {
            let won = wins(&solver, &position, Colour::White, 300_000);
            assert_eq!(
                won,
                Some(true),
                "{rules} is a win for White, also after {position:?}"
            );
        }
    }
}

#[test]
fn nobody_is_said_to_win_a_draw() {
    for [m, n, k, p, q] in [
        [4, 4, 4, 2, 1],
        [5, 4, 4, 2, 1],
        [5, 5, 4, 2, 1],
        [6, 6, 5, 2, 1],
        [7, 5, 5, 2, 1],
        [4, 4, 4, 2, 2],
        [5, 5, 5, 2, 2],
        [3, 3, 3, 1, 1],
        [5, 5, 4, 1, 1],
    ] {
        let rules = Rules::new(m, n, k, p, q).unwrap();
        let solver = Solver::new(rules);
        let mut white_wins_all = true;
        for position in first_turns(rules) {
            assert_ne!(
                wins(&solver, &position, Colour::Black, 20_000),
                Some(true),
                "{rules}"
            );
            white_wins_all &= wins(&solver, &position, Colour::White, 20_000) == Some(true);
        }
        assert!(!white_wins_all, "{rules} is a draw");
    }
}

/// Each row from the top; a dot is an empty square.
fn drawn(rules: Rules, to_move: Colour, rows: &[&str]) -> Position {
    let mut stones = [SquareSet::EMPTY; 2];
    for (row, text) in (0..).zip(rows.iter().rev()) {
        for (column, letter) in (0..).zip(text.chars()) {
            if let Some(colour) = Colour::from_letter(letter) {
                stones[colour.index()].insert(Square::new(column, row));
            }
        }
    }
    Position::of_stones(rules, &stones[0], &stones[1], to_move).unwrap()
}

/// A4 F3 wins and A3 F3, and neither pair is among the best eight squares.
#[test]
fn a_winning_move_of_a_small_board_is_tried_though_others_look_better() {
    let rules = Rules::new(7, 7, 5, 2, 1).unwrap();
    let rows = [
        "B.BWB..", "BBBWWB.", "BWWB...", ".WBW...", ".B..W..", "B.W..W.", "W..W..B",
    ];
    let position = drawn(rules, Colour::White, &rows);
    let mut budget = Budget::of_nodes(1_000_000);
    let options = SolverOptions::of_order(Order::of_quiet_moves(2));
    let outcome = Solver::new(rules).win(&position, options, &mut budget);
    let Ok(Outcome::Won(win)) = outcome else {
        panic!("{outcome:?}")
    };
    check(&win.proof).unwrap();
}
