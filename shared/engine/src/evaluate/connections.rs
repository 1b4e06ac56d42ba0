//! What Connections are worth by their types.

use gridproof_game::Colour;
use gridproof_threats::patterns::Catalogue;
use gridproof_threats::{Shape, ThreatBoard};

use crate::weights::CONNECTIONS;

/// What all Connections are worth to a side that has just moved.
pub(crate) fn connection_worth<S: Shape>(
    board: &ThreatBoard<S>,
    us: Colour,
    catalogue: &Catalogue,
) -> i64 {
    let side = |colour, weights: &[i32; 12]| -> i64 {
        let lines = board.geometry().lines();
        lines
            .flat_map(|line| board.connections(line, colour))
            .map(|connection| i64::from(weights[catalogue.type_of(&connection).index()]))
            .sum()
    };
    side(us, &CONNECTIONS.own) - side(us.other(), &CONNECTIONS.other)
}
