//! What a defender to move can do about the attacker's threats.

use gridproof_game::Colour;
use gridproof_threats::{BlockList, Blocks, Shape, ThreatBoard};

use crate::mutation::{Rule, holds};

#[derive(Debug)]
pub(crate) enum Defence {
    /// He completes a line at once, or fills the board so that nobody wins.
    Holds,
    /// He must block in one of these ways, each with as few stones as it can have: one empty
    /// way if nothing threatens, and none if he cannot block.
    Blocks(BlockList),
}

/// The defender's ways out of the position on the board, where he is to move.
pub(crate) fn defence<S: Shape>(board: &ThreatBoard<S>, attacker: Colour) -> Defence {
    if holds(Rule::DefenderCompletes) && board.can_complete(attacker.other()) {
        return Defence::Holds;
    }
    let p = board.shape().stones_per_turn() as usize;
    let fills = if holds(Rule::FullBoard) { p } else { 0 };
    if board.empty_count() <= fills {
        return Defence::Holds;
    }
    let mut blocks = board.minimal_blocks(attacker);
    if !holds(Rule::RelaxedBlocks) {
        let least = blocks.iter().map(Blocks::len).min();
        blocks.retain(|block| Some(block.len()) == least);
    }
    Defence::Blocks(blocks)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gridproof_game::{Rules, Square};
    use gridproof_threats::{Connect6, Geometry};

    use super::*;

    /// Four in a row with room on both sides but an enemy further on: E10 alone blocks, and
    /// so do the squares on either side together, with a stone more than needed.
    fn blocks() -> Vec<Vec<String>> {
        let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
        let mut board = ThreatBoard::<Connect6>::new(geometry).expect("the rules of Connect6");
        let at = |name: &str| name.parse::<Square>().expect("a square");
        board.place_all(&["B10", "C10", "D10", "F10"].map(at), Colour::Black);
        board.place_all(&["I10"].map(at), Colour::White);
        let Defence::Blocks(blocks) = defence(&board, Colour::Black) else {
            panic!("nobody completes a line here")
        };
        blocks
            .iter()
            .map(|block| block.iter().map(ToString::to_string).collect())
            .collect()
    }

    #[test]
    fn blocks_with_more_stones_than_needed_count_too() {
        let blocks = blocks();
        assert!(blocks.contains(&vec!["E10".to_owned()]), "{blocks:?}");
        assert!(
            blocks.contains(&vec!["A10".to_owned(), "G10".to_owned()]),
            "{blocks:?}"
        );
    }

    #[cfg(feature = "mutations")]
    #[test]
    fn leaving_them_out_is_noticed() {
        crate::mutation::break_rule(Some(Rule::RelaxedBlocks));
        let blocks = blocks();
        crate::mutation::break_rule(None);
        assert!(blocks.iter().all(|block| block.len() == 1));
    }
}
