//! The board of the page: one drawing that a mouse, a keyboard and a screen reader can use.
//!
//! Units are squares of the board, so that positions of things are small numbers.

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use maud::{Markup, html};

use crate::texts;

/// What is drawn on a position.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    position: &'a Position,
    /// The number of the turn in which a stone was played.
    turns: BTreeMap<Square, usize>,
    last: SquareSet,
    layers: Vec<Layer>,
    variations: Vec<Variation>,
    is_playable: bool,
}

/// Squares that are marked for one reason; each can be shown and hidden.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name of its style.
    pub name: &'static str,
    /// What its switch is called.
    pub switch: &'static str,
    pub squares: SquareSet,
    /// The ends of lines that belong to it.
    pub lines: Vec<[Square; 2]>,
}

/// A move that is in the tree, shown as a letter on its squares.
#[derive(Clone, Debug)]
pub struct Variation {
    pub mv: Move,
    pub letter: char,
    /// The style of its state: open, proved and so on.
    pub state: &'static str,
}

impl Variation {
    fn label(&self) -> String {
        format!("{} {}", self.letter, self.state)
    }
}

/// The first of those that play on a square.
fn best_at(variations: &[Variation], square: Square) -> Option<&Variation> {
    variations
        .iter()
        .find(|variation| variation.mv.contains(square))
}

/// Letters on the squares of moves: on each square that of the best.
#[must_use]
pub fn draw_variations(rules: &Rules, variations: &[Variation]) -> Markup {
    let squares: SquareSet = variations
        .iter()
        .flat_map(|variation| variation.mv.stones().iter().copied())
        .collect();
    let best = |square| Some((square, best_at(variations, square)?));
    html! {
        @for (square, variation) in squares.iter().filter_map(best) {
            @let (x, y) = (square.column(), rules.rows() - 1 - square.row());
            g .variation .(variation.state) data-at=(square) data-label=(variation.label()) {
                circle cx=(x) cy=(y) r=".37" {}
                text x=(x) y=(f64::from(y) + 0.15) { (variation.letter) }
            }
        }
    }
}

/// What makes stones round.
fn gradients() -> Markup {
    html! {
        defs {
            @for (id, light, dark) in [("black-stone", "#4a4a4a", "#0c0c0c"), ("white-stone", "#ffffff", "#dcd6ca")] {
                radialGradient id=(id) cx=".38" cy=".34" r=".7" {
                    stop offset="0" stop-color=(light) {}
                    stop offset="1" stop-color=(dark) {}
                }
            }
        }
    }
}

/// Stars are where players look for orientation on a board of this size.
fn stars(rules: &Rules) -> Vec<Square> {
    let (columns, rows) = (rules.columns(), rules.rows());
    if columns < 13 || rows < 13 || columns.is_multiple_of(2) || rows.is_multiple_of(2) {
        return Vec::new();
    }
    let thirds = |length: u8| [3, length / 2, length - 4];
    let on_row = |row| thirds(columns).map(|column| Square::new(column, row));
    thirds(rows).into_iter().flat_map(on_row).collect()
}

impl<'a> Board<'a> {
    /// A board to look at.
    #[must_use]
    pub fn new(position: &'a Position) -> Self {
        Self {
            position,
            turns: BTreeMap::new(),
            last: SquareSet::EMPTY,
            layers: Vec::new(),
            variations: Vec::new(),
            is_playable: false,
        }
    }

    /// Stones can be placed with a click, or with the space bar.
    #[must_use]
    pub fn playable(mut self) -> Self {
        self.is_playable = true;
        self
    }

    /// Numbers the stones of the moves that led here, and rings the last ones.
    #[must_use]
    pub fn with_moves(mut self, first_turn: usize, moves: &[Move]) -> Self {
        for (mv, turn) in moves.iter().zip(first_turn..) {
            for &square in mv.stones() {
                self.turns.insert(square, turn);
            }
        }
        if let Some(last) = moves.last() {
            self.last = last.stones().iter().copied().collect();
        }
        self
    }

    #[must_use]
    pub fn with_layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    #[must_use]
    pub fn with_variations(mut self, variations: Vec<Variation>) -> Self {
        self.variations = variations;
        self
    }

    /// The label that a screen reader reads out for a square.
    fn label(&self, square: Square) -> String {
        let mut label = square.to_string().to_uppercase();
        match self.position.at(square) {
            Some(Colour::Black) => label += ", black",
            Some(Colour::White) => label += ", white",
            None => {}
        }
        if let Some(turn) = self.turns.get(&square) {
            label += &format!(", move {turn}");
        }
        if let Some(variation) = best_at(&self.variations, square) {
            // Scripts put another in its place when the table changes.
            label += &format!("; {}", variation.label());
        }
        label
    }

    /// The drawing. The cells are a grid with one tab stop: scripts move it by arrow keys.
    #[must_use]
    pub fn draw(&self) -> Markup {
        let rules = self.position.rules();
        let (columns, rows) = (rules.columns(), rules.rows());
        let place = |square: Square| (square.column(), rows - 1 - square.row());
        let width = u32::from(columns) + 1;
        let height = u32::from(rows) + 1;
        let view = format!("-1 -1 {width} {height}");
        let turn = self.position.move_len();
        let colour = match self.position.to_move() {
            Colour::Black => "black",
            Colour::White => "white",
        };
        html! {
            svg #board .board viewBox=(view) role="grid" aria-label=(texts::workbench::BOARD)
                data-playable[self.is_playable] data-stones=(turn) data-colour=(colour)
                aria-rowcount=(rows) aria-colcount=(columns)
            {
                (gradients())
                rect .wood x="-.95" y="-.95" width=(f64::from(columns) + 0.9)
                    height=(f64::from(rows) + 0.9) rx=".25" {}
                path .lines d=(grid_path(columns, rows)) {}
                g .stars aria-hidden="true" {
                    @for (x, y) in stars(rules).into_iter().map(place) {
                        circle cx=(x) cy=(y) r=".09" {}
                    }
                }
                g .names aria-hidden="true" {
                    @for column in 0..columns {
                        text x=(column) y="-.6" { (Square::column_name(column)) }
                        text x=(column) y=(f64::from(rows) - 0.25) { (Square::column_name(column)) }
                    }
                    @for row in 0..rows {
                        @let y = f64::from(rows - 1 - row) + 0.12;
                        text x="-.68" y=(y) { (row + 1) }
                        text x=(f64::from(columns) - 0.32) y=(y) { (row + 1) }
                    }
                }
                @for layer in &self.layers {
                    g .layer .(layer.switch) .(layer.name) aria-hidden="true" {
                        @for [from, to] in layer.lines.iter().map(|ends| ends.map(place)) {
                            line x1=(from.0) y1=(from.1) x2=(to.0) y2=(to.1) {}
                        }
                        @for (x, y) in layer.squares.iter().map(place) {
                            rect x=(f64::from(x) - 0.46) y=(f64::from(y) - 0.46) width=".92"
                                height=".92" rx=".12" {}
                        }
                    }
                }
                g .stones aria-hidden="true" {
                    @for colour in Colour::BOTH {
                        @for square in self.position.stones(colour).iter() {
                            (self.stone(square, colour, place(square)))
                        }
                    }
                }
                g #variations .variations aria-hidden="true" {
                    (draw_variations(rules, &self.variations))
                }
                g #peek aria-hidden="true" {}
                g #picked aria-hidden="true" {}
                @for row in (0..rows).rev() {
                    g role="row" {
                        @for column in 0..columns {
                            (self.cell(Square::new(column, row), place(Square::new(column, row))))
                        }
                    }
                }
            }
        }
    }

    fn stone(&self, square: Square, colour: Colour, (x, y): (u8, u8)) -> Markup {
        let class = match colour {
            Colour::Black => "black",
            Colour::White => "white",
        };
        html! {
            circle .(class) cx=(x) cy=(y) r=".46" fill=(format!("url(#{class}-stone)")) {}
            @if self.last.contains(square) {
                circle .last cx=(x) cy=(y) r=".37" {}
            }
            @if let Some(turn) = self.turns.get(&square) {
                text .(class) x=(x) y=(f64::from(y) + 0.13) { (turn) }
            }
        }
    }

    fn cell(&self, square: Square, (x, y): (u8, u8)) -> Markup {
        let is_centre = square == self.position.rules().centre();
        html! {
            rect role="gridcell" id=(square) tabindex=(if is_centre { "0" } else { "-1" })
                aria-label=(self.label(square)) x=(f64::from(x) - 0.5) y=(f64::from(y) - 0.5)
                width="1" height="1" {}
        }
    }
}

fn grid_path(columns: u8, rows: u8) -> String {
    let down = (0..columns).map(|x| format!("M{x} 0v{}", rows - 1));
    let across = (0..rows).map(|y| format!("M0 {y}h{}", columns - 1));
    down.chain(across).collect()
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Opening, read_game};

    use super::*;

    #[test]
    fn every_square_says_what_is_on_it() {
        let game = read_game(b"j10,k11,i11").unwrap();
        let moves = [Move::full(["k11", "i11"].map(|name| name.parse().unwrap()))];
        let drawn = Board::new(game.position())
            .with_moves(2, &moves)
            .draw()
            .into_string();
        assert!(
            drawn.contains("aria-label=\"K11, white, move 2\""),
            "{drawn}"
        );
        assert!(drawn.contains("aria-label=\"J10, black\""));
        assert!(drawn.contains("aria-label=\"A1\""));
        assert_eq!(drawn.matches("role=\"gridcell\"").count(), 361);
        assert_eq!(drawn.matches("tabindex=\"0\"").count(), 1);
    }

    #[test]
    fn a_board_is_small_enough_to_send() {
        let drawn = Board::new(&Opening::Connect623.position())
            .draw()
            .into_string();
        assert!(drawn.len() < 50_000, "{}", drawn.len());
    }
}
