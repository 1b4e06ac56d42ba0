//! The board of the workbench, and what can be drawn on it.

use std::sync::Arc;

use gridproof_certificate::ZoneSquares;
use gridproof_game::{Colour, Square, SquareSet, State as GameState};
use gridproof_threats::{AnyBoard, Geometry, with_board};
use maud::{Markup, html};

use crate::board::{Board, Layer, Variation};
use crate::look::Sight;
use crate::texts::workbench as words;
use crate::{show, texts};

/// The board with everything that can be drawn on it.
pub(super) fn board(sight: &Sight, zone: &[Layer]) -> Markup {
    let first = show::moves_played(&sight.root.position) + 1;
    let mut board = Board::new(&sight.position)
        .with_moves(first, &sight.place.moves)
        .with_variations(variations(sight));
    for layer in zone.iter().cloned().chain(threats(sight)) {
        board = board.with_layer(layer);
    }
    if sight.position.state() == GameState::Open {
        board = board.playable();
    }
    board.draw()
}

/// Letters for the first moves of the table, as many as there are.
pub(super) fn letters() -> impl Iterator<Item = char> {
    ('a'..='z').chain('A'..='Z')
}

/// The moves of the table, by their letters.
#[must_use]
pub fn variations(sight: &Sight) -> Vec<Variation> {
    let children = sight.node.iter().flat_map(|node| &node.details.children);
    children
        .zip(letters())
        .map(|(child, letter)| Variation {
            mv: child.mv.clone(),
            letter,
            state: show::status_name(child.status),
        })
        .collect()
}

fn threats(sight: &Sight) -> Vec<Layer> {
    if sight.position.state() != GameState::Open {
        return Vec::new();
    }
    let geometry = Arc::new(Geometry::new(*sight.position.rules()));
    let any = AnyBoard::of_position(geometry, &sight.position);
    let k = sight.position.rules().in_a_row();
    Colour::BOTH
        .into_iter()
        .map(|colour| {
            let (squares, lines) = with_board!(&any, |board| {
                let ends = |segment: gridproof_threats::Segment| {
                    let last = segment.start + k - 1;
                    [segment.start, last].map(|at| board.geometry().square(segment.line, at))
                };
                let lines: Vec<[Square; 2]> = board.threat_segments(colour).map(ends).collect();
                let squares: SquareSet = board.threat_empties(colour);
                (squares, lines)
            });
            let name = match colour {
                Colour::Black => "threats-black",
                Colour::White => "threats-white",
            };
            Layer {
                name,
                switch: "threats",
                squares,
                lines,
            }
        })
        .collect()
}

/// A zone, the strictest squares on top.
#[must_use]
pub fn layers_of_zone(zone: Option<ZoneSquares>) -> Vec<Layer> {
    let Some(zone) = zone else {
        return Vec::new();
    };
    let layer = |name, squares| Layer {
        name,
        switch: "zone",
        squares,
        lines: Vec::new(),
    };
    // A square is drawn once, by what is strictest about it.
    let mut drawn = zone.must_stay_free;
    let mut layers = vec![layer("zone-free", zone.must_stay_free)];
    for (limit, name) in [(1, "zone-1"), (2, "zone-2"), (3, "zone-3")] {
        if let Some(squares) = zone.limited.get(&limit) {
            layers.push(layer(name, squares.difference(&drawn)));
            drawn = drawn.union(squares);
        }
    }
    layers
}

/// What the colours of a zone mean.
#[must_use]
pub fn zone_legend() -> Markup {
    html! {
        ul .legend {
            @for (name, meaning) in texts::zone::LEGEND {
                li { span .swatch .(name) {} (meaning) }
            }
            li { (texts::zone::ELSEWHERE) }
        }
    }
}

/// Each box shows or hides a layer; styles alone do it.
pub(super) fn switches(is_proved: bool, has_zone: bool) -> Markup {
    html! {
        fieldset .switches {
            legend .hidden { (words::DRAWN) }
            @for (layer, words) in [
                ("variations", words::MOVES_LAYER),
                ("threats", words::THREATS_LAYER),
                ("last", words::LAST_LAYER),
            ] {
                label { input type="checkbox" data-layer=(layer) checked; " " (words) }
            }
            @if has_zone {
                label { input type="checkbox" data-layer="zone" checked; " " (words::ZONE_LAYER) }
            } @else if is_proved {
                a href="?zone=true" { (words::SHOW_ZONE) }
            }
        }
    }
}
