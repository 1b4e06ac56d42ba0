//! Real positions to measure on: the side to move wins by double threats.

#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use gridproof_game::{Colour, Rules, Square};
use gridproof_threats::{Connect6, Geometry, ThreatBoard};

/// Positions where the side to move need not search, as it completes a line, are left out.
/// One line a position: a first move that wins, then the stones of the game in order.
const POSITIONS: &str = include_str!("../data/positions.csv");

pub struct Fixture {
    pub board: ThreatBoard<Connect6>,
    pub stones: Vec<(Square, Colour)>,
    pub to_move: Colour,
    pub winning_pair: Vec<Square>,
    /// Empty squares where a search would place stones.
    pub busy: Vec<Square>,
}

pub fn fixtures() -> Vec<Fixture> {
    let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
    let lines = POSITIONS.lines().skip(1);
    lines
        .map(|line| fixture(&geometry, line))
        .filter(|f| !f.board.can_complete(f.to_move))
        .collect()
}

fn fixture(geometry: &Arc<Geometry>, line: &str) -> Fixture {
    let (pair, moves) = line.split_once(',').expect("two fields");
    let squares = |names: &str| -> Vec<Square> {
        let parse = |name: &str| name.parse().expect("a square");
        names.split(' ').map(parse).collect()
    };
    // Black's first stone, then two a turn.
    let colour = |i: usize| Colour::BOTH[i.div_ceil(2) % 2];
    let moves = squares(moves);
    let to_move = colour(moves.len());
    let stones: Vec<_> = moves.into_iter().zip((0..).map(colour)).collect();
    let mut board = ThreatBoard::new(geometry.clone()).expect("Connect6");
    for &(square, colour) in &stones {
        board.place(square, colour);
    }
    let busy = {
        let seeded = |square: &Square| {
            let lines = geometry.on_lines(*square).iter();
            let seeds = |line| Colour::BOTH.map(|colour| board.seeds_on(line, colour) != 0);
            lines.flat_map(|at| seeds(at.line)).filter(|&x| x).count() >= 2
        };
        board.empties().iter().filter(seeded).step_by(3).collect()
    };
    Fixture {
        winning_pair: squares(pair),
        board,
        stones,
        to_move,
        busy,
    }
}
