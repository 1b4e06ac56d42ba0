//! After every stone placed or taken back the threat board must say what its twin says.

#[path = "support/naive.rs"]
mod naive;

use std::collections::BTreeSet;
use std::sync::Arc;

use gridproof_game::{Colour, Rules, Square, SquareSet};
use gridproof_threats::{
    AnyBoard, AnyShape, BlockList, Connect6, Geometry, Segment, Shape, ThreatBoard, Windows,
    with_board,
};
use naive::{NaiveBoard, Squares};
use proptest::prelude::*;

/// What happens next in a random game, and which of the possible squares it happens on.
#[derive(Clone, Copy, Debug)]
enum Step {
    Undo,
    Anywhere(u16),
    /// On a segment where some side already has stones: random stones alone make few threats.
    Hot(u16),
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => Just(Step::Undo),
        3 => any::<u16>().prop_map(Step::Anywhere),
        9 => any::<u16>().prop_map(Step::Hot),
    ];
    prop::collection::vec(step, 1..most)
}

struct Game<S: Shape> {
    rules: Rules,
    board: ThreatBoard<S>,
    twin: NaiveBoard,
    stones: Squares,
}

impl<S: Shape> Game<S> {
    fn new(rules: Rules) -> Self {
        let geometry = Arc::new(Geometry::new(rules));
        Self {
            rules,
            board: ThreatBoard::new(geometry).expect("the shape is that of the rules"),
            twin: NaiveBoard::new(rules),
            stones: Vec::new(),
        }
    }

    fn to_move(&self) -> Colour {
        let later = self
            .stones
            .len()
            .checked_sub(usize::from(self.rules.first_stones()));
        match later.map(|stones| stones / usize::from(self.rules.stones_per_turn())) {
            Some(turn) if turn % 2 == 0 => Colour::White,
            _ => Colour::Black,
        }
    }

    fn hot_squares(&self) -> Squares {
        let half = i32::from(self.rules.in_a_row()) / 2;
        let hot: SquareSet = Colour::BOTH
            .iter()
            .flat_map(|&colour| self.twin.open(colour, half))
            .flatten()
            .copied()
            .filter(|&square| self.twin.at(square).is_none())
            .collect();
        hot.iter().collect()
    }

    /// Whether there was anything to do.
    fn step(&mut self, step: Step) -> bool {
        let (choices, pick) = match step {
            Step::Undo => {
                let Some(square) = self.stones.pop() else {
                    return false;
                };
                self.board.undo();
                self.twin.remove(square);
                return true;
            }
            Step::Anywhere(pick) => (self.twin.empties(), pick),
            Step::Hot(pick) => match self.hot_squares() {
                hot if hot.is_empty() => (self.twin.empties(), pick),
                hot => (hot, pick),
            },
        };
        if choices.is_empty() {
            return false;
        }
        let square = choices[usize::from(pick) % choices.len()];
        let colour = self.to_move();
        self.board.place(square, colour);
        self.twin.place(square, colour);
        self.stones.push(square);
        true
    }

    fn squares_of(&self, segment: Segment) -> Squares {
        let k = self.rules.in_a_row();
        (segment.start..segment.start + k)
            .map(|offset| self.board.geometry().square(segment.line, offset))
            .collect()
    }

    /// The segments whose starts a function gives as a mask for each line.
    fn segments(&self, starts: impl Fn(gridproof_threats::LineId) -> u32) -> BTreeSet<Squares> {
        let lines = self.board.geometry().lines();
        lines
            .flat_map(|line| {
                let mask = starts(line);
                (0..32)
                    .filter(move |start| mask >> start & 1 == 1)
                    .map(move |start| Segment { line, start })
            })
            .map(|segment| self.squares_of(segment))
            .collect()
    }

    fn check(&self) {
        let (board, twin) = (&self.board, &self.twin);
        assert_eq!(board.key(), twin.key());
        assert_eq!(board.depth(), self.stones.len());
        let empties = twin.empties();
        assert_eq!(board.empty_count(), empties.len());
        assert_eq!(board.empties(), empties.iter().copied().collect());
        for line in board.geometry().lines() {
            let squares = board.geometry().squares_of(line, board.empties_on(line));
            let all = (0..board.geometry().length(line)).map(|o| board.geometry().square(line, o));
            assert!(squares.eq(all.filter(|&square| twin.at(square).is_none())));
        }
        for colour in Colour::BOTH {
            self.check_segments(colour);
            self.check_blocks(colour);
            self.check_attacks(colour);
        }
    }

    fn check_segments(&self, colour: Colour) {
        let (board, twin) = (&self.board, &self.twin);
        assert_eq!(board.has_completed(colour), twin.has_completed(colour));
        let threats: BTreeSet<_> = twin.threats(colour).cloned().collect();
        assert_eq!(board.can_complete(colour), !threats.is_empty());
        let listed: Vec<_> = board.threat_segments(colour).collect();
        for &segment in &listed {
            let empties: Squares = board.empties_of(segment).collect();
            let mut expected = self.squares_of(segment);
            expected.retain(|&square| twin.at(square).is_none());
            assert_eq!(empties, expected);
        }
        assert_eq!(
            listed
                .iter()
                .map(|&s| self.squares_of(s))
                .collect::<BTreeSet<_>>(),
            threats
        );
        assert_eq!(
            self.segments(|line| board.threats_on(line, colour)),
            threats
        );
        assert_eq!(
            self.segments(|line| board.seeds_on(line, colour)),
            twin.seeds(colour).cloned().collect()
        );
        for least in 0..=i32::from(self.rules.in_a_row().min(8)) {
            assert_eq!(
                self.segments(|line| {
                    let windows = Windows::count(board.shape(), board.stones_on(line, colour));
                    windows.at_least(least) & board.open_on(line, colour)
                }),
                twin.open(colour, least).cloned().collect()
            );
        }
        assert_eq!(
            self.segments(|line| board.open_on(line, colour)),
            twin.open(colour, 0).cloned().collect()
        );
        let lines = |set: &gridproof_threats::LineSet| set.iter().collect::<Vec<_>>();
        let geometry = board.geometry();
        assert_eq!(
            lines(board.threat_lines(colour)),
            geometry
                .lines()
                .filter(|&line| board.threats_on(line, colour) != 0)
                .collect::<Vec<_>>()
        );
        assert_eq!(
            lines(board.seed_lines(colour)),
            geometry
                .lines()
                .filter(|&line| board.seeds_on(line, colour) != 0)
                .collect::<Vec<_>>()
        );
        assert_eq!(board.threat_empties(colour), twin.threat_empties(colour));
        match board.completing_stones(colour) {
            None => assert!(threats.is_empty()),
            Some(stones) => {
                let mut after = twin.clone();
                stones
                    .iter()
                    .for_each(|&square| after.place(square, colour));
                assert!(after.has_completed(colour));
                assert!(stones.len() <= usize::from(self.rules.stones_per_turn()));
            }
        }
    }

    fn check_blocks(&self, colour: Colour) {
        // Beyond this the twin takes too long.
        const MOST: u32 = 4;
        let number = self.twin.threat_number(colour, MOST);
        for least in 0..=MOST + 1 {
            assert_eq!(
                self.board.has_threats(colour, least),
                number.is_none_or(|number| number >= least)
            );
        }
        if number.is_some() {
            assert_eq!(self.board.threat_number(colour), number);
        }
        let mut blocks: Vec<Squares> = self
            .board
            .minimal_blocks(colour)
            .iter()
            .map(|set| set.to_vec())
            .collect();
        blocks.sort();
        assert_eq!(blocks, self.twin.minimal_blocks(colour));
    }

    fn check_attacks(&self, colour: Colour) {
        let expected = self.twin.attacks(colour);
        for (attacks, least) in expected.iter().zip(1..) {
            let mut found: Vec<_> = self
                .board
                .attacks(colour, least)
                .iter()
                .map(|attack| (attack.stones.to_vec(), attack.threats))
                .collect();
            found.sort();
            assert_eq!(&found, attacks, "{colour} attacks with {least} threats");
            let mut fewer = Vec::new();
            for stones in 0..self.rules.stones_per_turn().into() {
                self.board
                    .attacks_of_at_most(stones, colour, least, &mut fewer);
                let mut fewer: Vec<_> = fewer.iter().map(|a| a.stones.to_vec()).collect();
                fewer.sort();
                let of_few = |set: &&Squares| set.len() <= stones as usize;
                let sets = attacks.iter().map(|(set, _)| set);
                assert_eq!(
                    fewer.iter().collect::<Vec<_>>(),
                    sets.filter(of_few).collect::<Vec<_>>()
                );
            }
        }
        for (stones, threats) in expected.iter().flatten() {
            let most = u32::from(self.rules.stones_per_turn()) + 1;
            let after = self.board.threats_after(colour, stones);
            assert_eq!(after, (*threats).min(most));
            assert_eq!(after, self.twin.threats_after(colour, stones));
            let mut placed = self.board.clone();
            placed.place_all(stones, colour);
            let sorted = |mut blocks: BlockList| {
                blocks.sort();
                blocks
            };
            assert_eq!(
                sorted(self.board.minimal_blocks_after(colour, stones)),
                sorted(placed.minimal_blocks(colour))
            );
        }
    }
}

fn play<S: Shape>(rules: Rules, steps: &[Step]) {
    let mut game = Game::<S>::new(rules);
    game.check();
    for &step in steps {
        if game.step(step) {
            game.check();
        }
    }
}

fn rules([m, n, k, p, q]: [u32; 5]) -> Rules {
    Rules::new(m, n, k, p, q).expect("a game of the family")
}

/// So many games, and for a long run more: PROPTEST_CASES=2560 plays ten times as many.
fn config(games: u32) -> ProptestConfig {
    let usual = ProptestConfig::default().cases;
    ProptestConfig {
        cases: games * usual.div_ceil(256),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

macro_rules! agrees_with_its_twin {
    ($($name:ident: $shape:ty, $rules:expr, $games:expr, $steps:expr;)*) => {$(
        proptest! {
            #![proptest_config(config($games))]
            #[test]
            fn $name(steps in steps($steps)) {
                play::<$shape>(rules($rules), &steps);
            }
        }
    )*};
}

agrees_with_its_twin! {
    one_square: AnyShape, [1, 1, 1, 1, 1], 8, 4;
    no_line_is_long_enough: AnyShape, [2, 2, 3, 2, 1], 8, 8;
    a_single_row: AnyShape, [9, 1, 4, 2, 1], 64, 16;
    a_single_long_column: AnyShape, [1, 32, 8, 2, 1], 32, 40;
    tic_tac_toe: AnyShape, [3, 3, 3, 1, 1], 64, 16;
    one_stone_a_turn_on_a_small_board: AnyShape, [6, 5, 4, 1, 1], 32, 40;
    go_moku: AnyShape, [15, 15, 5, 1, 1], 12, 50;
    two_stones_a_turn_four_in_a_row: AnyShape, [7, 6, 4, 2, 1], 24, 40;
    two_stones_a_turn_three_in_a_row: AnyShape, [5, 4, 3, 2, 2], 32, 20;
    two_stones_a_turn_five_in_a_row: AnyShape, [13, 9, 5, 2, 1], 12, 40;
    two_stones_a_turn_seven_in_a_row: AnyShape, [12, 14, 7, 2, 3], 12, 50;
    a_row_longer_than_a_side: AnyShape, [11, 3, 7, 2, 1], 32, 30;
    a_row_of_the_longest_side: AnyShape, [32, 32, 32, 2, 1], 2, 40;
    three_stones_a_turn: AnyShape, [6, 4, 5, 3, 1], 6, 24;
    three_stones_a_turn_for_seven: AnyShape, [8, 5, 7, 3, 1], 6, 40;
    four_stones_a_turn: AnyShape, [5, 4, 4, 4, 1], 4, 16;
    four_stones_a_turn_for_six: AnyShape, [6, 6, 6, 4, 1], 1, 8;
    one_turn_wins: AnyShape, [4, 3, 2, 3, 1], 16, 12;
    connect6_on_a_small_board: Connect6, [9, 8, 6, 2, 1], 24, 50;
    connect6: Connect6, [19, 19, 6, 2, 1], 10, 60;
    connect6_on_the_largest_board: Connect6, [32, 32, 6, 2, 1], 3, 50;
}

proptest! {
    #![proptest_config(config(24))]
    #[test]
    fn the_shape_known_to_the_compiler_and_the_one_read_at_run_time_agree(steps in steps(80)) {
        let rules = Rules::CONNECT6;
        let mut fixed = Game::<Connect6>::new(rules);
        let mut read = Game::<AnyShape>::new(rules);
        for step in steps {
            fixed.step(step);
            read.step(step);
            for colour in Colour::BOTH {
                let (fixed, read) = (&fixed.board, &read.board);
                assert!(fixed.threat_segments(colour).eq(read.threat_segments(colour)));
                assert_eq!(fixed.seed_lines(colour), read.seed_lines(colour));
                assert_eq!(fixed.minimal_blocks(colour), read.minimal_blocks(colour));
                assert_eq!(fixed.threat_number(colour), read.threat_number(colour));
                for least in 1..=3 {
                    assert_eq!(fixed.attacks(colour, least), read.attacks(colour, least));
                }
            }
        }
    }
}

#[test]
fn a_board_set_up_from_a_position_equals_one_played_to() {
    use gridproof_game::Position;
    let rules = Rules::CONNECT6;
    let square = |name: &str| -> Square { name.parse().unwrap() };
    let black: SquareSet = ["J10", "K11", "L12", "M13"]
        .map(square)
        .into_iter()
        .collect();
    let white: SquareSet = ["J11", "J12", "N14"].map(square).into_iter().collect();
    let position = Position::of_stones(rules, &black, &white, Colour::White).unwrap();
    let geometry = Arc::new(Geometry::new(rules));
    let set_up = ThreatBoard::<Connect6>::of_position(geometry, &position).unwrap();
    let mut game = Game::<Connect6>::new(rules);
    for colour in Colour::BOTH {
        for stone in position.stones(colour).iter() {
            game.board.place(stone, colour);
            game.twin.place(stone, colour);
        }
    }
    assert_eq!(set_up.depth(), 0);
    game.board = set_up;
    game.check();
}

/// Forwards a position takes more stones, backwards it has others: both must end as if the
/// board had been made for the position.
#[test]
fn a_board_of_either_shape_goes_to_any_position_of_a_game() {
    for text in ["j10 i8,h9 k11,l10", "gomoku: h8,h9,i9,g7,j10"] {
        let game = gridproof_game::read_game(text.as_bytes()).unwrap();
        let geometry = Arc::new(Geometry::new(*game.rules()));
        let mut board = AnyBoard::new(Arc::clone(&geometry));
        let is_connect6 = *game.rules() == Rules::CONNECT6;
        assert_eq!(matches!(board, AnyBoard::Connect6(_)), is_connect6);
        let positions: Vec<_> = game.positions().collect();
        for position in positions.iter().chain(positions.iter().rev()) {
            board.update(position);
            let key = with_board!(&board, |board| board.key());
            let fresh = AnyBoard::of_position(Arc::clone(&geometry), position);
            assert_eq!(key, with_board!(&fresh, |fresh| fresh.key()));
            for colour in Colour::BOTH {
                let stones = with_board!(&board, |board| *board.stones(colour));
                assert_eq!(stones, *position.stones(colour));
                let seeds = with_board!(&board, |board| *board.seed_lines(colour));
                assert_eq!(
                    seeds,
                    with_board!(&fresh, |fresh| *fresh.seed_lines(colour))
                );
            }
        }
    }
}

#[test]
fn a_shape_that_is_not_that_of_the_rules_is_refused() {
    let go_moku = Arc::new(Geometry::new(rules([15, 15, 5, 1, 1])));
    assert!(ThreatBoard::<Connect6>::new(go_moku).is_none());
}
