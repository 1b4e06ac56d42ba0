//! The map: for each place of White's nearer stone a small board, on which each square tells
//! what comes of White's other stone there.

use std::collections::BTreeMap;

use gridproof_game::{Opening, Rules, Square};
use maud::{PreEscaped, html};

use super::index::{Entry, Index, State};

/// One small board.
struct Sheet<'a> {
    rules: Rules,
    /// White's nearer stone. In games of one stone a turn there is none.
    first: Option<Square>,
    cells: BTreeMap<Square, &'a Entry>,
}

impl Sheet<'_> {
    fn title(&self) -> String {
        match self.first {
            Some(first) => format!("White {first} and"),
            None => format!("{}, White's reply", self.rules.short_name()),
        }
    }
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
        let Ok(opening) = entry.name.parse::<Opening>() else {
            continue;
        };
        let rules = opening.rules();
        let first = match opening {
            Opening::Reply([first, _]) => Some(first),
            Opening::OneStone { .. } | Opening::Connect623 => None,
        };
        let is_known = |sheet: &Sheet<'_>| sheet.first == first && sheet.rules == rules;
        if !sheets.iter().any(is_known) {
            let second = around(&rules, reach)
                .into_iter()
                .flatten()
                .filter(|&second| Some(second) != first && second != rules.centre());
            let cells = second.filter_map(|second| {
                let opening = match first {
                    Some(first) => Opening::Reply([first, second]),
                    None => Opening::OneStone {
                        rules,
                        reply: second,
                    },
                };
                let opening = Opening::of(&opening.position())?;
                let entry = by_name.get(opening.to_string().as_str())?;
                Some((second, *entry))
            });
            sheets.push(Sheet {
                rules,
                first,
                cells: cells.collect(),
            });
        }
    }
    sheets
}

/// The squares of a small board, row by row from the top.
fn around(rules: &Rules, reach: u8) -> Vec<Vec<Square>> {
    let centre = rules.centre();
    let near = |at: u8, side: u8| at.saturating_sub(reach)..=(at + reach).min(side - 1);
    let rows = near(centre.row(), rules.rows()).rev();
    let columns = near(centre.column(), rules.columns());
    rows.map(|row| columns.clone().map(|c| Square::new(c, row)).collect())
        .collect()
}

/// The map in letters, three small boards abreast.
#[must_use]
pub fn terminal_map(index: &Index) -> String {
    let reach = reach(index);
    let sheets = sheets(index);
    let mut text = String::new();
    let titles = sheets.iter().map(|sheet| sheet.title().len());
    let board = 2 * (2 * usize::from(reach) + 1);
    // A small board is narrower than its title.
    let width = titles.max().unwrap_or(0).max(board) + 2;
    for abreast in sheets.chunks(3) {
        let in_columns = |text: &dyn Fn(&Sheet<'_>) -> String| -> String {
            let cells = abreast
                .iter()
                .map(|sheet| format!("{:width$}", text(sheet)));
            cells.collect()
        };
        let mut lines = vec![in_columns(&Sheet::title)];
        for row in 0..=2 * usize::from(reach) {
            lines.push(in_columns(&|sheet| {
                let rows = around(&sheet.rules, reach);
                let row = rows.get(row).map_or(&[][..], |row| &row[..]);
                let letters = row.iter().map(|&square| letter(sheet, square).to_string());
                letters.collect::<Vec<_>>().join(" ")
            }));
        }
        for line in lines {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    let stones = match sheets.iter().all(|sheet| sheet.first.is_none()) {
        true => "X Black's first stone; as White's stone:",
        false => "X Black's first stone, O White's nearer stone; as White's other stone:",
    };
    text.push_str(&format!(
        "{stones}\n# {} wins ({} of {}), . not settled, - not tried\n",
        index.attacker(),
        index.won(),
        index.openings.len()
    ));
    text
}

fn letter(sheet: &Sheet<'_>, square: Square) -> char {
    if square == sheet.rules.centre() {
        return 'X';
    }
    if Some(square) == sheet.first {
        return 'O';
    }
    match sheet.cells.get(&square).map(|entry| &entry.state) {
        Some(State::Won(_)) => '#',
        Some(State::Unknown) => '.',
        Some(State::Waiting) => '-',
        None => ' ',
    }
}

/// The map as a picture; pointing at a square tells more.
#[must_use]
pub fn svg_map(index: &Index) -> String {
    const CELL: usize = 18;
    let reach = usize::from(reach(index));
    let sheets = sheets(index);
    let side = (2 * reach + 1) * CELL;
    let step = side + 2 * CELL;
    let rows = sheets.len().div_ceil(3).max(1);
    let (width, height) = (3 * step, rows * (step + CELL) + 2 * CELL);
    let title = format!(
        "{} of {} replies: {} wins",
        index.won(),
        index.openings.len(),
        index.attacker()
    );
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) font-family="sans-serif" font-size="12" {
            rect width="100%" height="100%" fill="#fbf8f1" {}
            text x=(CELL) y=(CELL) { (title) }
            @for (place, sheet) in sheets.iter().enumerate() {
                g transform=(format!(
                    "translate({} {})", (place % 3) * step + CELL, (place / 3) * (step + CELL) + 3 * CELL
                )) {
                    text x="0" y="-4" { (sheet.title()) }
                    @for (y, row) in around(&sheet.rules, reach as u8).iter().enumerate() {
                        @for (x, &square) in row.iter().enumerate() {
                            (cell(sheet, square, x * CELL, y * CELL, CELL))
                        }
                    }
                }
            }
        }
    };
    markup.into_string()
}

fn cell(sheet: &Sheet<'_>, square: Square, x: usize, y: usize, size: usize) -> PreEscaped<String> {
    let entry = sheet.cells.get(&square);
    let fill = match entry.map(|entry| &entry.state) {
        Some(State::Won(_)) => "#3a7d44",
        Some(State::Unknown) => "#d9cfb8",
        Some(State::Waiting) => "#f1ebdc",
        None => "none",
    };
    let stone = match square {
        _ if square == sheet.rules.centre() => Some("#111"),
        _ if Some(square) == sheet.first => Some("#fff"),
        _ => None,
    };
    html! {
        rect x=(x) y=(y) width=(size - 1) height=(size - 1) fill=(fill) {
            @if let Some(entry) = entry { title { (told(entry)) } }
        }
        @if let Some(stone) = stone {
            circle cx=(x + size / 2) cy=(y + size / 2) r=(size / 2 - 2) fill=(stone) stroke="#111" {}
        }
    }
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
    }

    #[test]
    fn titles_of_the_smallest_boards_stand_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::open(folder.path(), Colour::Black).unwrap();
        index.add(&Opening::replies_within(1));
        let map = terminal_map(&index);
        let titles = map.lines().next().unwrap();
        assert!(titles.contains("and  White"), "{map}");
        assert!(!map.contains("andWhite"), "{map}");
    }
}
