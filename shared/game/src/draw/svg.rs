use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Diagram, Mark, is_star_point};
use crate::colour::Colour;
use crate::set::SquareSet;
use crate::square::Square;

/// All lengths in the user units of the drawing; one square is `CELL` wide.
const CELL: f32 = 32.0;
const MARGIN: f32 = 44.0;
const CAPTION_LINE: f32 = 24.0;
const LEGEND_LINE: f32 = 26.0;

const STYLE: &str = "\
text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif}\
.coordinate{font-size:13px;fill:#7a5c33;text-anchor:middle}\
.title{font-size:17px;font-weight:600;fill:#2b2118}\
.caption{font-size:14px;fill:#5b4a38}\
.legend{font-size:14px;fill:#3d3022}\
.number{font-size:13px;font-weight:600;text-anchor:middle}\
.grid{stroke:#8a6a3b;stroke-width:1;fill:none}\
.star{fill:#8a6a3b}\
.stone-black{fill:url(#black)}\
.stone-white{fill:url(#white);stroke:#8b8578;stroke-width:.8}\
.number-black{fill:#fff}\
.number-white{fill:#1a1a1a}\
.last{fill:none;stroke:#e0442e;stroke-width:2.6}\
.threat-black{stroke:#b3261e}\
.threat-white{stroke:#1f4fbf}\
.cross{stroke-width:3.2;stroke-linecap:round}\
.bar{stroke-width:9;stroke-linecap:round;opacity:.28}\
.pick{fill:#7fae4e;opacity:.75}\
.free{fill:#d2604f;opacity:.55}\
.limit-1{fill:#ee7f1a;opacity:.5}\
.limit-2{fill:#ffe45c;opacity:.62}\
.limit-3{fill:#fff6d5;opacity:.62}";

const GRADIENTS: &str = "\
<radialGradient id=\"black\" cx=\".36\" cy=\".3\" r=\".75\">\
<stop offset=\"0\" stop-color=\"#6a6a6a\"/><stop offset=\".55\" stop-color=\"#1d1d1d\"/>\
<stop offset=\"1\" stop-color=\"#000\"/></radialGradient>\
<radialGradient id=\"white\" cx=\".36\" cy=\".3\" r=\".8\">\
<stop offset=\"0\" stop-color=\"#fff\"/><stop offset=\".7\" stop-color=\"#f1eee7\"/>\
<stop offset=\"1\" stop-color=\"#cfc9bb\"/></radialGradient>\
<linearGradient id=\"wood\" x2=\".3\" y2=\"1\">\
<stop offset=\"0\" stop-color=\"#f0d6a0\"/><stop offset=\"1\" stop-color=\"#e2bd7c\"/>\
</linearGradient>";

impl Diagram<'_> {
    /// The board as one self-contained SVG document, with its caption and a legend.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let SvgPart {
            body,
            width,
            height,
        } = self.to_svg_part();
        let styles = svg_styles();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n{styles}\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fffdf8\"/>\n{body}</svg>\n"
        )
    }

    /// The same for a document that shows several boards, and [`svg_styles`] once.
    #[must_use]
    pub fn to_svg_part(&self) -> SvgPart {
        let sheet = Sheet::of(self);
        let mut svg = Svg::default();
        self.write_caption(&mut svg);
        self.write_board(&sheet, &mut svg);
        self.write_fills(&sheet, &mut svg);
        self.write_zones(&sheet, &mut svg);
        for &(colour, ends) in &self.threat_lines {
            if !ends.iter().all(|&end| sheet.shows(end)) {
                continue;
            }
            let [(x1, y1), (x2, y2)] = ends.map(|square| sheet.centre(square));
            svg.element(format_args!(
                "<line class=\"bar threat-{}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>",
                class_of(colour)
            ));
        }
        self.write_stones(&sheet, &mut svg);
        for colour in Colour::BOTH {
            let threats = self.squares_of(Mark::Threat(colour));
            for square in threats.iter().filter(|&square| sheet.shows(square)) {
                svg.threat_sign(colour, sheet.centre(square));
            }
        }
        self.write_legend(&sheet, &mut svg);
        SvgPart {
            body: svg.0,
            width: sheet.width,
            height: sheet.height,
        }
    }

    fn squares_of(&self, mark: Mark) -> SquareSet {
        self.marks.get(&mark).copied().unwrap_or(SquareSet::EMPTY)
    }

    fn write_caption(&self, svg: &mut Svg) {
        let mut y = 26.0;
        for (i, line) in self.caption.iter().enumerate() {
            let class = if i == 0 { "title" } else { "caption" };
            svg.text(class, (MARGIN, y), line);
            y += CAPTION_LINE;
        }
    }

    fn write_board(&self, sheet: &Sheet, svg: &mut Svg) {
        let rules = self.position.rules();
        let (width, height) = (sheet.board_width(), sheet.board_height());
        let (left, top) = (MARGIN, sheet.board_top);
        svg.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"7\" fill=\"url(#wood)\"/>",
            x = left - 34.0,
            y = top - 34.0,
            w = width + 68.0,
            h = height + 68.0,
        ));
        // Where the board goes on beyond what is shown, so do its lines.
        let [low, high] = sheet.view;
        let beyond = |goes_on: bool| if goes_on { CELL / 2.0 } else { 0.0 };
        let (above, below) = (beyond(high.row() + 1 < rules.rows()), beyond(low.row() > 0));
        let (before, after) = (
            beyond(low.column() > 0),
            beyond(high.column() + 1 < rules.columns()),
        );
        let mut path = String::new();
        for column in sheet.columns() {
            let (x, _) = sheet.centre(Square::new(column, low.row()));
            let (from, length) = (top - above, height + above + below);
            let _ = write!(path, "M{x} {from}v{length}");
        }
        for row in sheet.rows() {
            let (_, y) = sheet.centre(Square::new(low.column(), row));
            let (from, length) = (left - before, width + before + after);
            let _ = write!(path, "M{from} {y}h{length}");
        }
        svg.element(format_args!("<path class=\"grid\" d=\"{path}\"/>"));
        for square in rules.squares() {
            if is_star_point(self.position, square) && sheet.shows(square) {
                let (x, y) = sheet.centre(square);
                svg.element(format_args!(
                    "<circle class=\"star\" cx=\"{x}\" cy=\"{y}\" r=\"3.2\"/>"
                ));
            }
        }
        for column in sheet.columns() {
            let (x, _) = sheet.centre(Square::new(column, low.row()));
            let name = Square::column_name(column);
            for y in [top - 18.0, top + height + 27.0] {
                svg.text("coordinate", (x, y), &name);
            }
        }
        for row in sheet.rows() {
            let (_, y) = sheet.centre(Square::new(low.column(), row));
            let name = (row + 1).to_string();
            for x in [left - 22.0, left + width + 22.0] {
                svg.text("coordinate", (x, y + 4.5), &name);
            }
        }
    }

    fn write_fills(&self, sheet: &Sheet, svg: &mut Svg) {
        for fill in self.fills.iter().filter(|fill| sheet.shows(fill.square)) {
            let side = CELL - 3.0;
            let (x, y) = sheet.centre(fill.square);
            let (x, y) = (x - side / 2.0, y - side / 2.0);
            let (colour, words) = (fill.colour, escape(&fill.words));
            svg.element(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"4\" \
                 fill=\"{colour}\"><title>{words}</title></rect>"
            ));
        }
    }

    fn write_zones(&self, sheet: &Sheet, svg: &mut Svg) {
        // The weakest first, so that what matters most lies on top.
        for (mark, squares) in self.marks.iter().rev() {
            if let Some(class) = shade_class(*mark) {
                for square in squares.iter().filter(|&square| sheet.shows(square)) {
                    svg.shade(class, sheet.centre(square), CELL - 2.0);
                }
            }
        }
    }

    fn write_stones(&self, sheet: &Sheet, svg: &mut Svg) {
        for colour in Colour::BOTH {
            let stones = self.position.stones(colour);
            for square in stones.iter().filter(|&square| sheet.shows(square)) {
                let centre = sheet.centre(square);
                svg.stone(colour, centre);
                if let Some(number) = self.numbers.get(&square) {
                    let class = format!("number number-{}", class_of(colour));
                    svg.text(&class, (centre.0, centre.1 + 4.6), &number.to_string());
                }
                if self.last_move.contains(square) {
                    let radius = if self.numbers.is_empty() { 6.0 } else { 12.4 };
                    svg.ring(centre, radius);
                }
            }
        }
    }

    fn write_legend(&self, sheet: &Sheet, svg: &mut Svg) {
        let mut y = sheet.legend_top;
        let x = MARGIN;
        let label_x = x + 22.0;
        if !self.last_move.is_empty() {
            svg.ring((x, y), 6.0);
            svg.text("legend", (label_x, y + 5.0), "the last move");
            y += LEGEND_LINE;
        }
        for mark in self.marks.keys() {
            match (mark, shade_class(*mark)) {
                (Mark::Threat(colour), _) => svg.threat_sign(*colour, (x, y)),
                (_, Some(class)) => svg.shade(class, (x, y), 19.0),
                (_, None) => {}
            }
            svg.text("legend", (label_x, y + 5.0), &mark.meaning());
            y += LEGEND_LINE;
        }
    }
}

const fn class_of(colour: Colour) -> &'static str {
    match colour {
        Colour::Black => "black",
        Colour::White => "white",
    }
}

const fn shade_class(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Threat(_) => None,
        Mark::Pick => Some("pick"),
        Mark::Free => Some("free"),
        Mark::Limit(0 | 1) => Some("limit-1"),
        Mark::Limit(2) => Some("limit-2"),
        Mark::Limit(_) => Some("limit-3"),
    }
}

/// A drawing within a document, its upper left corner at 0 0.
#[derive(Clone, Debug)]
pub struct SvgPart {
    /// Elements of SVG.
    pub body: String,
    /// In user units, one square is 32 of them.
    pub width: f32,
    /// In user units.
    pub height: f32,
}

/// The looks that all parts of a document refer to, written once in it.
#[must_use]
pub fn svg_styles() -> String {
    format!("<style>{STYLE}</style>\n<defs>{GRADIENTS}</defs>\n")
}

/// Where things lie on the sheet.
struct Sheet {
    /// The lower left and the upper right corner of what is shown.
    view: [Square; 2],
    /// The height of the topmost grid line.
    board_top: f32,
    legend_top: f32,
    height: f32,
    width: f32,
}

impl Sheet {
    fn of(diagram: &Diagram<'_>) -> Self {
        let rules = diagram.position.rules();
        let caption = diagram.caption.len() as f32 * CAPTION_LINE;
        let legend_lines = diagram.marks.len() + usize::from(!diagram.last_move.is_empty());
        let last = Square::new(rules.columns() - 1, rules.rows() - 1);
        let mut sheet = Self {
            view: diagram.view.unwrap_or([Square::new(0, 0), last]),
            board_top: MARGIN + caption + if caption > 0.0 { 8.0 } else { 0.0 },
            legend_top: 0.0,
            height: 0.0,
            width: 0.0,
        };
        let board_bottom = sheet.board_top + sheet.board_height();
        sheet.legend_top = board_bottom + 62.0;
        sheet.height = match legend_lines {
            0 => board_bottom + MARGIN,
            lines => sheet.legend_top + lines as f32 * LEGEND_LINE,
        };
        let longest = diagram
            .caption
            .iter()
            .map(|line| line.chars().count())
            .max();
        let words = longest.unwrap_or(0) as f32 * 9.0;
        let board = sheet.board_width() + 2.0 * MARGIN;
        let legend = if legend_lines > 0 { 380.0 } else { 0.0 };
        sheet.width = board.max(words + MARGIN + 10.0).max(legend);
        sheet
    }

    fn board_width(&self) -> f32 {
        let [low, high] = self.view;
        f32::from(high.column() - low.column()) * CELL
    }

    fn board_height(&self) -> f32 {
        let [low, high] = self.view;
        f32::from(high.row() - low.row()) * CELL
    }

    fn columns(&self) -> RangeInclusive<u8> {
        self.view[0].column()..=self.view[1].column()
    }

    fn rows(&self) -> RangeInclusive<u8> {
        self.view[0].row()..=self.view[1].row()
    }

    fn shows(&self, square: Square) -> bool {
        self.columns().contains(&square.column()) && self.rows().contains(&square.row())
    }

    fn centre(&self, square: Square) -> (f32, f32) {
        let low = self.view[0];
        let right = f32::from(square.column()) - f32::from(low.column());
        let up = f32::from(square.row()) - f32::from(low.row());
        let x = MARGIN + right * CELL;
        let y = self.board_top + self.board_height() - up * CELL;
        (x, y)
    }
}

/// The document as it grows, an element a line.
#[derive(Default)]
struct Svg(String);

impl Svg {
    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{element}");
    }

    fn text(&mut self, class: &str, (x, y): (f32, f32), words: &str) {
        let words = escape(words);
        self.element(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>"
        ));
    }

    fn stone(&mut self, colour: Colour, (x, y): (f32, f32)) {
        let class = class_of(colour);
        self.element(format_args!(
            "<circle class=\"stone-{class}\" cx=\"{x}\" cy=\"{y}\" r=\"14.6\"/>"
        ));
    }

    fn ring(&mut self, (x, y): (f32, f32), radius: f32) {
        self.element(format_args!(
            "<circle class=\"last\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"
        ));
    }

    fn shade(&mut self, class: &str, (x, y): (f32, f32), side: f32) {
        let (x, y) = (x - side / 2.0, y - side / 2.0);
        self.element(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" \
             rx=\"4\"/>"
        ));
    }

    /// A slanting cross for Black, an upright one for White: both together make a star.
    fn threat_sign(&mut self, colour: Colour, (x, y): (f32, f32)) {
        let class = class_of(colour);
        let path = match colour {
            Colour::Black => format!("M{} {}l11 11m0 -11l-11 11", x - 5.5, y - 5.5),
            Colour::White => format!("M{} {y}h15m-7.5 -7.5v15", x - 7.5),
        };
        self.element(format_args!(
            "<path class=\"cross threat-{class}\" fill=\"none\" d=\"{path}\"/>"
        ));
    }
}

/// Text as XML has it; the characters that it forbids, besides controls, become spaces.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::Opening;

    fn count(svg: &str, what: &str) -> usize {
        svg.matches(what).count()
    }

    #[test]
    fn a_drawing_holds_every_stone_and_mark_once() {
        let game = "TX-H9".parse::<Opening>().unwrap().game();
        let marked: SquareSet = ["A1", "B2"]
            .map(|name| name.parse().unwrap())
            .into_iter()
            .collect();
        let ends = ["A1", "F6"].map(|name| name.parse().unwrap());
        let svg = Diagram::new(game.position())
            .with_last_move(&game.moves()[1])
            .with_turn_numbers(&game)
            .with_mark(Mark::Threat(Colour::Black), &marked)
            .with_mark(Mark::Free, &marked)
            .with_threat_line(Colour::Black, ends)
            .to_svg();
        assert_eq!(count(&svg, "class=\"stone-black\""), 1);
        assert_eq!(count(&svg, "class=\"stone-white\""), 2);
        assert_eq!(count(&svg, "class=\"number number-white\""), 2);
        assert_eq!(count(&svg, "class=\"bar threat-black\""), 1);
        let with_legend = 1;
        assert_eq!(count(&svg, "class=\"cross threat-black\""), 2 + with_legend);
        assert_eq!(count(&svg, "class=\"free\""), 2 + with_legend);
        assert_eq!(count(&svg, "class=\"last\""), 2 + with_legend);
        assert_eq!(count(&svg, "class=\"star\""), 9);
    }

    #[test]
    fn a_part_of_the_board_shows_its_own_stones_and_coordinates_alone() {
        let game = "TX-H9".parse::<Opening>().unwrap().game();
        let corners = ["H8", "L12"].map(|name| name.parse().unwrap());
        let svg = Diagram::new(game.position())
            .with_view(corners)
            .with_fill("A1".parse().unwrap(), "red", "out of sight".to_owned())
            .with_fill("K9".parse().unwrap(), "red", "<won>".to_owned())
            .to_svg();
        assert_eq!(count(&svg, "class=\"stone-white\""), 2);
        assert_eq!(count(&svg, "class=\"coordinate\""), 4 * 5);
        assert_eq!(count(&svg, "class=\"star\""), 1);
        assert!(svg.contains("<title>&lt;won&gt;</title>"));
        assert!(!svg.contains("out of sight"));
    }

    #[test]
    fn words_of_records_cannot_break_out_of_the_document() {
        let game = "TX-H9".parse::<Opening>().unwrap().game();
        let svg = Diagram::new(game.position())
            .with_caption("</text><script>&\u{1}")
            .to_svg();
        assert!(svg.contains(">&lt;/text&gt;&lt;script&gt;&amp; </text>"));
        assert!(!svg.contains("<script>"));
    }
}
