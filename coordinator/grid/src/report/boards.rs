//! Boards of what was proved.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gridproof_game::draw::{Diagram, Mark};
use gridproof_game::{Move, SquareSet, read_game};
use maud::{Markup, html};

use super::Report;
use crate::logs::SearchState;

/// More boards than this are no longer looked at.
const DRAWN: usize = 12;

impl Report {
    /// What was proved in this time, each as a board with the winning move; what was proved
    /// before is drawn as far as there is room.
    pub(super) fn boards_card(&self) -> Markup {
        let mut proved: Vec<&SearchState> =
            self.searches.iter().filter(|s| s.is_proved()).collect();
        let is_new = |search: &SearchState| self.newly_proved.contains(&search.name);
        proved.sort_by_key(|search| !is_new(search));
        let drawn = proved.iter().filter_map(|search| {
            let address = picture(search)?;
            Some((*search, address))
        });
        let boards: Vec<_> = drawn.take(DRAWN).collect();
        html! {
            @if !boards.is_empty() {
                h2 { "Proved" }
                div.boards {
                    @for (search, address) in &boards {
                        figure.card {
                            img src=(address) alt=(in_words(search)) width="380";
                            figcaption { (in_words(search)) }
                        }
                    }
                }
            }
        }
    }
}

fn in_words(search: &SearchState) -> String {
    let winner = match search.attacker.as_str() {
        "white" => "White",
        _ => "Black",
    };
    let first = search.certificate.as_ref();
    let first = first.and_then(|proof| proof.first_move.as_deref());
    let with = first.map_or_else(String::new, |mv| format!(" with {mv}"));
    format!("{}: {winner} wins{with}", search.name)
}

/// The root and the winning move, as the address of a picture that holds itself: its styles are
/// its own. Nothing where the journal does not have the position.
fn picture(search: &SearchState) -> Option<String> {
    let game = read_game(search.position.as_bytes()).ok()?;
    let first = search.certificate.as_ref();
    let first = first.and_then(|proof| proof.first_move.as_deref()?.parse::<Move>().ok());
    let stones = first.iter().flat_map(Move::stones).copied();
    let picked: SquareSet = stones.collect();
    let diagram = Diagram::new(game.position()).with_mark(Mark::Pick, &picked);
    let encoded = BASE64_STANDARD.encode(diagram.to_svg());
    Some(format!("data:image/svg+xml;base64,{encoded}"))
}
