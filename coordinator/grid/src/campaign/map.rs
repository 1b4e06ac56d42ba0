//! The map: for each place of White's nearer stone a small board, on which each square tells
//! what comes of White's other stone there.

use std::collections::BTreeMap;

use gridproof_game::draw::{Diagram, SvgPart, svg_styles};
use gridproof_game::{Colour, Opening, Position, Rules, Square};
use maud::{PreEscaped, html};

use super::index::{Entry, Index, State};

/// One small board.
struct Sheet<'a> {
    first: Square,
    cells: BTreeMap<Square, &'a Entry>,
}

/// How far the map reaches from the centre.
fn reach(index: &Index) -> u8 {
    let names = index.openings.iter().map(|entry| &entry.name);
    let openings = names.filter_map(|name| name.parse::<Opening>().ok());
    openings.map(Opening::reach).max().unwrap_or(0)
}

/// The small boards: one for each nearer stone that openings are named by.
fn sheets(index: &Index) -> Vec<Sheet<'_>> {
    let mut sheets: Vec<Sheet<'_>> = Vec::new();
    let reach = reach(index);
    let by_name: BTreeMap<&str, &Entry> = index
        .openings
        .iter()
        .map(|entry| (entry.name.as_str(), entry))
        .collect();
    for entry in &index.openings {
        let Ok(first) = entry.stones[0].parse::<Square>() else {
            continue;
        };
        if sheets.iter().all(|sheet| sheet.first != first) {
            let second = around(reach)
                .into_iter()
                .flatten()
                .filter(|&second| second != first && second != Rules::CONNECT6.centre());
            let cells = second.filter_map(|second| {
                let opening = Opening::of(&Opening::Reply([first, second]).position())?;
                let entry = by_name.get(opening.to_string().as_str())?;
                Some((second, *entry))
            });
            sheets.push(Sheet {
                first,
                cells: cells.collect(),
            });
        }
    }
    sheets
}

/// The squares of a small board, row by row from the top.
fn around(reach: u8) -> Vec<Vec<Square>> {
    let centre = Rules::CONNECT6.centre();
    let rows = (centre.row() - reach..=centre.row() + reach).rev();
    let columns = centre.column() - reach..=centre.column() + reach;
    rows.map(|row| columns.clone().map(|c| Square::new(c, row)).collect())
        .collect()
}

/// The map in letters, three small boards abreast.
#[must_use]
pub fn terminal_map(index: &Index) -> String {
    let reach = reach(index);
    let sheets = sheets(index);
    let mut text = String::new();
    let title = |sheet: &Sheet<'_>| format!("   White {} and", sheet.first);
    let titles = sheets.iter().map(|sheet| title(sheet).len());
    // Two places for the row's number.
    let board = 2 + 2 * (2 * usize::from(reach) + 1);
    // A small board is narrower than its title.
    let width = titles.max().unwrap_or(0).max(board) + 3;
    let rows = around(reach);
    let columns = rows.first().into_iter().flatten();
    let columns: String = columns
        .map(|square| format!(" {}", Square::column_name(square.column())))
        .collect();
    for abreast in sheets.chunks(3) {
        let in_columns = |text: &dyn Fn(&Sheet<'_>) -> String| -> String {
            let cells = abreast
                .iter()
                .map(|sheet| format!("{:width$}", text(sheet)));
            cells.collect()
        };
        let mut lines = vec![in_columns(&title)];
        for row in &rows {
            lines.push(in_columns(&|sheet| {
                let number = row[0].row() + 1;
                let letters = row
                    .iter()
                    .map(|&square| format!(" {}", letter(sheet, square)));
                format!("{number:>2}{}", letters.collect::<String>())
            }));
        }
        lines.push(in_columns(&|_| format!("  {columns}")));
        for line in lines {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str(&format!(
        "X Black's first stone, O White's nearer stone; as White's other stone:\n\
         # {} wins ({} of {}), . not settled, - not tried\n",
        attacker(index),
        index.won(),
        index.openings.len()
    ));
    text
}

/// The side to be proved winning, as it is written in a sentence.
fn attacker(index: &Index) -> String {
    let colour = Colour::BOTH.into_iter();
    let mut named = colour.map(|colour| colour.to_string());
    let is_it = |name: &String| name.eq_ignore_ascii_case(index.attacker());
    named
        .find(is_it)
        .unwrap_or_else(|| index.attacker().to_owned())
}

fn letter(sheet: &Sheet<'_>, square: Square) -> char {
    if square == Rules::CONNECT6.centre() {
        return 'X';
    }
    if square == sheet.first {
        return 'O';
    }
    match sheet.cells.get(&square).map(|entry| &entry.state) {
        Some(State::Won(_)) => '#',
        Some(State::Unknown) => '.',
        Some(State::Waiting) => '-',
        None => ' ',
    }
}

const WON: &str = "#3a7d44b8";
const UNKNOWN: &str = "#b8432f66";
const WAITING: &str = "#ffffff99";

/// The map as a picture; pointing at a square tells more.
#[must_use]
pub fn svg_map(index: &Index) -> String {
    const ABREAST: usize = 3;
    const TITLE: f32 = 48.0;
    const LEGEND: f32 = 56.0;
    let boards: Vec<_> = sheets(index)
        .iter()
        .map(|sheet| board(sheet, reach(index)))
        .collect();
    let widest = boards.iter().map(|board| board.width).fold(240.0, f32::max);
    let highest = boards.iter().map(|board| board.height).fold(0.0, f32::max);
    let rows = boards.len().div_ceil(ABREAST).max(1);
    let width = widest * boards.len().clamp(2, ABREAST) as f32;
    let legend_top = TITLE + highest * rows as f32;
    let height = legend_top + LEGEND;
    let attacker = attacker(index);
    let (won, all) = (index.won(), index.openings.len());
    let count = |state: fn(&State) -> bool| {
        let entries = index.openings.iter();
        entries.filter(|entry| state(&entry.state)).count()
    };
    let legend = [
        (WON, format!("{attacker} wins ({won})")),
        (
            UNKNOWN,
            format!(
                "not settled ({})",
                count(|state| matches!(state, State::Unknown))
            ),
        ),
        (
            WAITING,
            format!(
                "not tried ({})",
                count(|state| matches!(state, State::Waiting))
            ),
        ),
    ];
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) {
            (PreEscaped(svg_styles()))
            rect width="100%" height="100%" fill="#fffdf8" {}
            text.title x="44" y="30" {
                "White's replies to J10: " (attacker) " wins " (won) " of " (all)
            }
            @for (place, board) in boards.iter().enumerate() {
                @let (x, y) = ((place % ABREAST) as f32, (place / ABREAST) as f32);
                g transform=(format!("translate({} {})", x * widest, TITLE + y * highest)) {
                    (PreEscaped(&board.body))
                }
            }
            @for (place, (fill, words)) in legend.iter().enumerate() {
                @let x = 44.0 + 190.0 * place as f32;
                rect x=(x) y=(legend_top + 8.0) width="19" height="19" rx="4" fill="#e8c98e" {}
                rect x=(x) y=(legend_top + 8.0) width="19" height="19" rx="4" fill=(fill) {}
                text.legend x=(x + 27.0) y=(legend_top + 23.0) { (words) }
            }
        }
    };
    markup.into_string()
}

/// A small board with White's nearer stone on it; each square tells of the other stone there.
fn board(sheet: &Sheet<'_>, reach: u8) -> SvgPart {
    let rules = Rules::CONNECT6;
    let [black, white] = [rules.centre(), sheet.first].map(|s| [s].into_iter().collect());
    let position = Position::of_stones(rules, &black, &white, Colour::White);
    let position = position.expect("two stones make a position");
    let rows = around(reach);
    let corner = |row: Option<&Vec<Square>>, last: bool| {
        let square = row.and_then(|row| if last { row.last() } else { row.first() });
        square.copied().unwrap_or(rules.centre())
    };
    let mut diagram = Diagram::new(&position)
        .with_view([corner(rows.last(), false), corner(rows.first(), true)])
        .with_caption(&format!("White {} and", sheet.first));
    for (&square, entry) in &sheet.cells {
        let fill = match entry.state {
            State::Won(_) => WON,
            State::Unknown => UNKNOWN,
            State::Waiting => WAITING,
        };
        diagram = diagram.with_fill(square, fill, told(entry));
    }
    diagram.to_svg_part()
}

fn told(entry: &Entry) -> String {
    let nodes = entry.effort.nodes;
    match &entry.state {
        State::Won(won) => {
            let mv = won.mv.as_deref().unwrap_or("any move");
            format!("{}: won with {mv}, {nodes} nodes spent", entry.name)
        }
        State::Unknown => format!("{}: not settled in {nodes} nodes", entry.name),
        State::Waiting => format!("{}: not tried", entry.name),
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::Colour;

    use super::*;

    #[test]
    fn an_opening_shows_on_every_square_that_is_its_image() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::open(folder.path(), Colour::Black).unwrap();
        index.add(&Opening::replies_within(3));
        for entry in &mut index.openings {
            if entry.name == "TX-H8" {
                entry.state = State::Unknown;
            }
        }
        let map = terminal_map(&index);
        // On the board of I8 and on that of H8, where I8 and its mirror image H9 are.
        assert_eq!(
            map.matches(" .").count() + map.matches("\n.").count(),
            4,
            "{map}"
        );
        assert_eq!(map.matches("White ").count(), 9, "{map}");
        let svg = svg_map(&index);
        assert!(svg.starts_with("<svg"));
        assert!(svg.contains("TX-H8: not settled"));
        assert_eq!(svg.matches("class=\"stone-black\"").count(), 9);
        assert_eq!(svg.matches("class=\"stone-white\"").count(), 9);
        for words in [
            ">M<",
            ">13<",
            "Black wins (0)",
            "not settled (1)",
            "not tried (161)",
        ] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(
            map.contains("\n13 ") && map.contains("   G H I J K L M"),
            "{map}"
        );
    }

    #[test]
    fn titles_of_the_smallest_boards_stand_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::open(folder.path(), Colour::Black).unwrap();
        index.add(&Opening::replies_within(1));
        let map = terminal_map(&index);
        let titles = map.lines().next().unwrap();
        assert!(titles.contains("and   "), "{map}");
        assert!(!map.contains("andWhite"), "{map}");
    }
}
