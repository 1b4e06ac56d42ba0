use gridproof_game::SquareSet;
use rustc_hash::FxHashMap;

use super::CheckedNode;
use super::board::{Board, Side, packed_len};
use super::refusal::Reason;
use super::zone::{NO_LIMIT, Zone};
use crate::event::SharedId;
use crate::place::{place_of, square_at};
use crate::stats::NodeStats;

/// Shared nodes that later parents will name again: each with its stones and its zone,
/// packed, for they are what a large proof's checking keeps in memory.
#[derive(Debug, Default)]
pub(crate) struct SharedNodes {
    nodes: FxHashMap<SharedId, SharedNode>,
    bytes: u64,
}

#[derive(Debug)]
struct SharedNode {
    to_move: Side,
    stats: NodeStats,
    later: u32,
    /// Stones of both sides, then M, as bits; then L.
    packed: Box<[u8]>,
}

/// What an entry costs besides its packed bytes: itself, its place in the table and the
/// allocator's own use.
const OVERHEAD: u64 = 96;

impl SharedNodes {
    /// Remembers the node that the board stands at.
    pub(crate) fn insert(
        &mut self,
        id: SharedId,
        board: &Board,
        to_move: Side,
        proved: &CheckedNode,
        later: u32,
    ) {
        let stones = board.packed_stones();
        let mut packed = Vec::with_capacity(2 * stones.len() + board.segment_count());
        packed.extend_from_slice(stones);
        pack_squares(board, proved.zone.must_stay_free(), &mut packed);
        pack_limits(board, proved.zone.limits(), &mut packed);
        self.bytes += packed.len() as u64 + OVERHEAD;
        let node = SharedNode {
            to_move,
            stats: proved.stats,
            later,
            packed: packed.into(),
        };
        let before = self.nodes.insert(id, node);
        debug_assert!(before.is_none(), "shared nodes are numbered once");
    }

    /// The proof of a shared node, for the position that the board stands at. The node is
    /// forgotten when its last parent has named it.
    pub(crate) fn recall(
        &mut self,
        id: SharedId,
        board: &Board,
        to_move: Side,
        same_position: bool,
    ) -> Result<CheckedNode, Reason> {
        let node = self.nodes.get_mut(&id).ok_or(Reason::UnknownShared(id))?;
        let stones = board.packed_stones();
        let (their_stones, zone) = node.packed.split_at(stones.len());
        if same_position && (node.to_move != to_move || stones != their_stones) {
            return Err(Reason::OtherPosition(id));
        }
        let proved = CheckedNode {
            zone: unpacked_zone(board, zone),
            stats: node.stats,
        };
        node.later -= 1;
        if node.later == 0 {
            self.bytes -= node.packed.len() as u64 + OVERHEAD;
            self.nodes.remove(&id);
        }
        Ok(proved)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn pack_squares(board: &Board, set: &SquareSet, packed: &mut Vec<u8>) {
    let from = packed.len();
    packed.resize(from + packed_len(board.rules()), 0);
    for square in set.iter() {
        let place = place_of(board.rules(), square);
        packed[from + place / 8] |= 1 << (place % 8);
    }
}

fn pack_limits(board: &Board, limits: &[u8], packed: &mut Vec<u8>) {
    if fits_nibbles(board) {
        let nibble = |limit: u8| limit.min(NIBBLE_NO_LIMIT);
        packed.extend(
            limits
                .chunks(2)
                .map(|pair| nibble(pair[0]) | pair.get(1).map_or(0, |high| nibble(*high) << 4)),
        );
    } else {
        packed.extend_from_slice(limits);
    }
}

/// No limit, in four bits.
const NIBBLE_NO_LIMIT: u8 = 15;

fn fits_nibbles(board: &Board) -> bool {
    board.rules().in_a_row() < NIBBLE_NO_LIMIT
}

fn unpacked_zone(board: &Board, packed: &[u8]) -> Zone {
    let (bits, packed_limits) = packed.split_at(packed_len(board.rules()));
    let mut must_stay_free = SquareSet::EMPTY;
    for (&byte, first) in bits.iter().zip((0u64..).step_by(8)) {
        let mut left = byte;
        while left != 0 {
            let place = first + u64::from(left.trailing_zeros());
            must_stay_free.extend(square_at(board.rules(), place));
            left &= left - 1;
        }
    }
    let limits = if fits_nibbles(board) {
        let unpack = |nibble: u8| match nibble {
            NIBBLE_NO_LIMIT => NO_LIMIT,
            limit => limit,
        };
        let mut limits = vec![0; 2 * packed_limits.len()];
        for (pair, byte) in limits.chunks_exact_mut(2).zip(packed_limits) {
            pair[0] = unpack(byte & 15);
            pair[1] = unpack(byte >> 4);
        }
        limits.truncate(board.segment_count());
        limits.into()
    } else {
        packed_limits.into()
    };
    Zone::from_parts(must_stay_free, limits)
}
