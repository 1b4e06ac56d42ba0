//! Sets of squares that lie on a segment together.

use gridproof_game::SquareSet;
use gridproof_threats::windows::{all_cells, covering, offsets};
use gridproof_threats::{LineId, Shape, ThreatBoard};
use smallvec::SmallVec;

use super::Stones;

/// All sets of `count` of some squares that lie on one of a line's chosen segments together.
pub(crate) fn sets_on_segments<S: Shape>(
    board: &ThreatBoard<S>,
    count: usize,
    among: &SquareSet,
    segments_of: impl Fn(LineId) -> u32,
    mut found: impl FnMut(Stones),
) {
    for line in board.geometry().lines() {
        let segments = segments_of(line);
        if segments != 0 {
            let cells = offsets(all_cells(board.shape(), segments) & board.empties_on(line))
                .filter(|&offset| among.contains(board.geometry().square(line, offset)))
                .fold(0u32, |mask, offset| mask | 1 << offset);
            let mut chosen = SmallVec::<[u8; 4]>::new();
            choose(
                board.shape(),
                segments,
                cells,
                count,
                &mut chosen,
                &mut |set| {
                    let mut stones: Stones = set
                        .iter()
                        .map(|&offset| board.geometry().square(line, offset))
                        .collect();
                    stones.sort_unstable();
                    found(stones);
                },
            );
        }
    }
}

/// All ways to choose `count` of some offsets that lie on one of some segments together.
fn choose<S: Shape>(
    shape: S,
    segments: u32,
    cells: u32,
    count: usize,
    chosen: &mut SmallVec<[u8; 4]>,
    found: &mut impl FnMut(&[u8]),
) {
    if chosen.len() == count {
        found(chosen);
        return;
    }
    for offset in offsets(cells) {
        let together = segments & covering(shape, offset);
        if together != 0 {
            let higher = cells & !(u32::MAX >> (31 - u32::from(offset)));
            chosen.push(offset);
            choose(shape, together, higher, count, chosen, found);
            chosen.pop();
        }
    }
}
