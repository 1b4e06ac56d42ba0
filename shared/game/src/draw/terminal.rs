use std::fmt::Write as _;

use anstyle::{Ansi256Color, Style};

use super::{Diagram, Mark, is_star_point};
use crate::colour::Colour;
use crate::square::Square;

/// How a drawing for a terminal may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalStyle {
    /// Unicode alone.
    Plain,
    /// With the 256 colours that nearly every terminal has.
    Colour,
}

/// One square as a terminal shows it. Without colours, the glyph alone tells.
#[derive(Clone, Copy)]
struct Look {
    glyph: char,
    ink: Ansi256Color,
    ground: Ansi256Color,
    bold: bool,
}

const WOOD: Ansi256Color = Ansi256Color(180);
const GRID: Ansi256Color = Ansi256Color(137);
const BLACK: Ansi256Color = Ansi256Color(16);
const WHITE: Ansi256Color = Ansi256Color(231);

impl Look {
    const BOTH_THREATEN: Self = Self::sign('*', Ansi256Color(90));

    const fn sign(glyph: char, ink: Ansi256Color) -> Self {
        Self {
            glyph,
            ink,
            ground: WOOD,
            bold: true,
        }
    }

    const fn shade(glyph: char, ground: Ansi256Color) -> Self {
        Self {
            glyph,
            ink: BLACK,
            ground,
            bold: false,
        }
    }

    const fn grid(glyph: char) -> Self {
        Self {
            glyph,
            ink: GRID,
            ground: WOOD,
            bold: false,
        }
    }

    fn of_mark(mark: Mark) -> Self {
        match mark {
            Mark::Threat(Colour::Black) => Self::sign('×', Ansi256Color(124)),
            Mark::Threat(Colour::White) => Self::sign('+', Ansi256Color(20)),
            Mark::Pick => Self::shade('!', Ansi256Color(150)),
            Mark::Free => Self::shade('#', Ansi256Color(174)),
            Mark::Limit(limit) => {
                let digit = char::from_digit(u32::from(limit), 10).unwrap_or('~');
                Self::shade(
                    digit,
                    Ansi256Color(match limit {
                        0 | 1 => 215,
                        2 => 222,
                        _ => 187,
                    }),
                )
            }
        }
    }

    /// Colour tells the sides apart by itself; without it, White's stones are hollow.
    const fn of_stone(colour: Colour, last: bool, style: TerminalStyle) -> Self {
        let (glyph, ink) = match (colour, style, last) {
            (Colour::Black, _, false) => ('●', BLACK),
            (Colour::Black, _, true) => ('◉', BLACK),
            (Colour::White, TerminalStyle::Plain, false) => ('○', WHITE),
            (Colour::White, TerminalStyle::Plain, true) => ('◎', WHITE),
            (Colour::White, TerminalStyle::Colour, false) => ('●', WHITE),
            (Colour::White, TerminalStyle::Colour, true) => ('◉', WHITE),
        };
        Self {
            glyph,
            ink,
            ground: WOOD,
            bold: false,
        }
    }
}

impl Diagram<'_> {
    /// The board in Unicode, coordinates on all sides, and a legend of the marks on it.
    #[must_use]
    pub fn to_terminal(&self, style: TerminalStyle) -> String {
        let rules = self.position.rules();
        let mut page = Page::new(style);
        for line in &self.caption {
            page.line(line);
        }
        if !self.caption.is_empty() {
            page.line("");
        }
        let header = column_names(rules.columns());
        header.iter().for_each(|line| page.line(line));
        for row in (0..rules.rows()).rev() {
            let number = row + 1;
            page.plain(&format!("{number:>3} "));
            self.draw_row(row, &mut page);
            page.line(&format!(" {number}"));
        }
        header.iter().for_each(|line| page.line(line));
        self.draw_legend(&mut page);
        page.text
    }

    fn draw_row(&self, row: u8, page: &mut Page) {
        let columns = self.position.rules().columns();
        page.look(Look::grid(' '));
        for column in 0..columns {
            page.look(self.look_at(Square::new(column, row), page.style));
            if column + 1 < columns {
                page.look(Look::grid('─'));
            }
        }
        page.look(Look::grid(' '));
    }

    fn look_at(&self, square: Square, style: TerminalStyle) -> Look {
        let marks = || {
            let here = self.marks.iter().filter(|(_, set)| set.contains(square));
            here.map(|(mark, _)| Look::of_mark(*mark))
        };
        let both_threaten = Colour::BOTH
            .into_iter()
            .all(|colour| self.is_marked(Mark::Threat(colour), square));
        let top = match self.position.at(square) {
            Some(colour) => Look::of_stone(colour, self.last_move.contains(square), style),
            None if both_threaten => Look::BOTH_THREATEN,
            None => marks()
                .next()
                .unwrap_or_else(|| Look::grid(self.grid_glyph(square))),
        };
        let shade = marks()
            .map(|look| look.ground)
            .find(|ground| *ground != WOOD);
        Look {
            ground: shade.unwrap_or(WOOD),
            ..top
        }
    }

    fn grid_glyph(&self, square: Square) -> char {
        let rules = self.position.rules();
        if is_star_point(self.position, square) {
            return '╋';
        }
        let left = square.column() == 0;
        let right = square.column() + 1 == rules.columns();
        let bottom = square.row() == 0;
        let top = square.row() + 1 == rules.rows();
        match (left, right, bottom, top) {
            (true, true, true, true) => '·',
            (true, true, _, _) => '│',
            (_, _, true, true) => '─',
            (true, _, true, _) => '└',
            (true, _, _, true) => '┌',
            (true, ..) => '├',
            (_, true, true, _) => '┘',
            (_, true, _, true) => '┐',
            (_, true, ..) => '┤',
            (_, _, true, _) => '┴',
            (_, _, _, true) => '┬',
            _ => '┼',
        }
    }

    fn draw_legend(&self, page: &mut Page) {
        let mut entries = Vec::new();
        if !self.last_move.is_empty() {
            let mover = self.position.to_move().other();
            let look = Look::of_stone(mover, true, page.style);
            entries.push((look, "the last move".to_owned()));
        }
        let marks = self.marks.keys();
        entries.extend(marks.map(|mark| (Look::of_mark(*mark), mark.meaning())));
        let threats = Colour::BOTH.map(|colour| self.marks.get(&Mark::Threat(colour)));
        if let [Some(black), Some(white)] = threats
            && !black.intersection(white).is_empty()
        {
            entries.push((Look::BOTH_THREATEN, "completes a line for both".to_owned()));
        }
        if !entries.is_empty() {
            page.line("");
        }
        for (look, meaning) in entries {
            page.plain("    ");
            for glyph in [' ', look.glyph, ' '] {
                page.look(Look { glyph, ..look });
            }
            page.line(&format!(" {meaning}"));
        }
    }
}

/// The names above and below the columns. A square is one sign wide, so names of two letters
/// are written downwards, on two lines.
fn column_names(columns: u8) -> Vec<String> {
    let height = if columns > 26 { 2 } else { 1 };
    let names: Vec<String> = (0..columns)
        .map(|column| format!("{:>height$}", Square::column_name(column)))
        .collect();
    (0..height)
        .map(|i| {
            let signs: Vec<&str> = names.iter().map(|name| &name[i..=i]).collect();
            format!("     {}", signs.join(" ")).trim_end().to_owned()
        })
        .collect()
}

/// Text that changes its style only where the style changes.
struct Page {
    text: String,
    style: TerminalStyle,
    current: Style,
}

impl Page {
    const fn new(style: TerminalStyle) -> Self {
        Self {
            text: String::new(),
            style,
            current: Style::new(),
        }
    }

    fn look(&mut self, look: Look) {
        let mut style = Style::new()
            .fg_color(Some(look.ink.into()))
            .bg_color(Some(look.ground.into()));
        if look.bold {
            style = style.bold();
        }
        self.switch_to(style);
        self.text.push(look.glyph);
    }

    fn plain(&mut self, words: &str) {
        self.switch_to(Style::new());
        self.text.push_str(words);
    }

    fn line(&mut self, words: &str) {
        self.plain(words);
        self.text.push('\n');
    }

    fn switch_to(&mut self, style: Style) {
        if self.style == TerminalStyle::Colour && style != self.current {
            write!(self.text, "{}{style}", self.current.render_reset())
                .expect("a string takes all that is written to it");
            self.current = style;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_game;
    use crate::set::SquareSet;

    fn squares(names: &[&str]) -> SquareSet {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    const SMALL: &[u8] = b"Connect(9,5,4,2,1): e3 a1,i5 d3,f3";

    #[test]
    fn a_board_without_colours_is_told_by_its_glyphs() {
        let game = read_game(SMALL).unwrap();
        let text = Diagram::new(game.position())
            .with_last_move(&game.moves()[2])
            .with_mark(Mark::Threat(Colour::Black), &squares(&["C3", "G3"]))
            .with_mark(Mark::Threat(Colour::White), &squares(&["G3", "B2"]))
            .with_mark(Mark::Free, &squares(&["C4"]))
            .with_mark(Mark::Limit(2), &squares(&["D4", "E3"]))
            .with_caption("a small board")
            .to_terminal(TerminalStyle::Plain);
        let expected = "\
a small board

     A B C D E F G H I
  5  ┌─┬─┬─┬─┬─┬─┬─┬─○  5
  4  ├─┼─#─2─┼─┼─┼─┼─┤  4
  3  ├─┼─×─◉─●─◉─*─┼─┤  3
  2  ├─+─┼─┼─┼─┼─┼─┼─┤  2
  1  ○─┴─┴─┴─┴─┴─┴─┴─┘  1
     A B C D E F G H I

     ◉  the last move
     ×  completes a line for Black
     +  completes a line for White
     #  must stay free of the defender
     2  2 more stones of the defender on a line do harm
     *  completes a line for both
";
        assert_eq!(text, expected);
    }

    #[test]
    fn colours_add_nothing_but_colours() {
        let game = read_game(SMALL).unwrap();
        let diagram = Diagram::new(game.position()).with_mark(Mark::Pick, &squares(&["A2"]));
        let plain = diagram.to_terminal(TerminalStyle::Plain);
        let coloured = diagram.to_terminal(TerminalStyle::Colour);
        let mut stripped = String::new();
        for (i, part) in coloured.split('\u{1b}').enumerate() {
            let words = if i == 0 {
                Some(part)
            } else {
                part.split_once('m').map(|x| x.1)
            };
            stripped.push_str(words.unwrap());
        }
        assert_eq!(stripped, plain.replace('○', "●"));
        assert!(coloured.ends_with('\n') && coloured.contains("\u{1b}[0m"));
    }

    #[test]
    fn columns_beyond_z_are_named_downwards() {
        let [above, below] = &column_names(28)[..] else {
            panic!("names of two letters take two lines");
        };
        assert!(below.starts_with("     A B C ") && below.ends_with(" Y Z A B"));
        assert_eq!(above, &format!("{}A A", " ".repeat(5 + 2 * 26)));
        assert_eq!(column_names(3), ["     A B C"]);
    }

    #[test]
    fn boards_of_every_shape_can_be_drawn() {
        for rules in [
            "1,1,1,1,1",
            "1,7,4,2,1",
            "7,1,4,2,1",
            "32,32,6,2,1",
            "2,2,2,1,1",
        ] {
            let position = crate::position::Position::start(rules.parse().unwrap());
            let text = Diagram::new(&position).to_terminal(TerminalStyle::Plain);
            let header_lines = if position.rules().columns() > 26 {
                2
            } else {
                1
            };
            let board_lines = usize::from(position.rules().rows()) + 2 * header_lines;
            assert_eq!(text.lines().count(), board_lines, "{rules}");
            assert!(Diagram::new(&position).to_svg().ends_with("</svg>\n"));
        }
    }
}
