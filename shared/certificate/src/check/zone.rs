use gridproof_game::{Square, SquareSet};

use super::board::{Board, SegmentId};

/// What must not change for a proof to stay good: the pair (M, L).
///
/// The attacker still wins with more defender's stones on the board as long as none lies on
/// a square of M and each segment G, counted by itself, gets fewer than L(G) of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// M.
    must_stay_free: SquareSet,
    /// L, per segment of the board.
    limits: Box<[u8]>,
}

/// L(G) of a segment that the defender can never complete. Others lie between 1 and k.
pub(crate) const NO_LIMIT: u8 = u8::MAX;

/// Why a zone does not excuse stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    OnMustStayFree(Square),
    TooManyOn(SegmentId),
}

impl Zone {
    /// Excuses every stone: what no proof has, and every union starts from.
    pub(crate) fn boundless(board: &Board) -> Self {
        Self {
            must_stay_free: SquareSet::EMPTY,
            limits: vec![NO_LIMIT; board.segment_count()].into(),
        }
    }

    /// The attacker has completed a line. Nothing matters but that the defender had not
    /// completed one before.
    pub(crate) fn of_completion(board: &Board) -> Self {
        Self {
            must_stay_free: SquareSet::EMPTY,
            limits: board.defender_limits(0).collect(),
        }
    }

    pub(crate) fn from_parts(must_stay_free: SquareSet, limits: Box<[u8]>) -> Self {
        Self {
            must_stay_free,
            limits,
        }
    }

    /// M: squares that must stay free of the defender.
    #[must_use]
    pub const fn must_stay_free(&self) -> &SquareSet {
        &self.must_stay_free
    }

    pub(crate) fn limits(&self) -> &[u8] {
        &self.limits
    }

    /// L of a segment: the number of further stones on it that does harm.
    pub(crate) fn limit(&self, segment: SegmentId) -> Option<u8> {
        Some(self.limits[segment.index()]).filter(|limit| *limit != NO_LIMIT)
    }

    pub(crate) fn segments_with_limit(&self, limit: u8) -> impl Iterator<Item = SegmentId> + '_ {
        (0u16..)
            .zip(self.limits.iter())
            .filter(move |(_, own)| **own == limit)
            .map(|(i, _)| SegmentId::from_index(i))
    }

    pub(crate) fn keep_free(&mut self, squares: impl IntoIterator<Item = Square>) {
        self.must_stay_free.extend(squares);
    }

    /// Takes in the zone of a position that the defender reaches with `nulls` null stones.
    /// Those stones may turn up anywhere, so every limit is lowered by them; a limit that
    /// cannot be lowered stays at 1, and the moves that break it are looked at one by one.
    pub(crate) fn absorb(&mut self, child: &Self, nulls: u8) {
        self.must_stay_free.unite(&child.must_stay_free);
        for (own, &limit) in self.limits.iter_mut().zip(&child.limits) {
            let unlimited = if limit == NO_LIMIT { NO_LIMIT } else { 0 };
            *own = (*own).min(limit.saturating_sub(nulls).max(1) | unlimited);
        }
    }

    /// The defender must not complete a line with the `stones` of this turn while the
    /// attacker holds a threat: where it can complete one at all, so many must be missing.
    pub(crate) fn keep_out_of_reach(&mut self, board: &Board, stones: u8) {
        for (own, limit) in self.limits.iter_mut().zip(board.defender_limits(stones)) {
            *own = (*own).min(limit.max(1));
        }
    }

    /// Whether further defender's stones do no harm.
    pub(crate) fn excuses(&self, board: &Board, stones: &[Square]) -> Result<(), Harm> {
        for &square in stones {
            if self.must_stay_free.contains(square) {
                return Err(Harm::OnMustStayFree(square));
            }
            for &segment in board.segments_through(square) {
                let on_segment = |stone: &&Square| board.squares_of(segment).contains(stone);
                if stones.iter().filter(on_segment).count() >= self.limits[segment.index()].into() {
                    return Err(Harm::TooManyOn(segment));
                }
            }
        }
        Ok(())
    }

    /// The zone once these excused stones lie on the board.
    pub(crate) fn with_stones(&self, board: &Board, stones: &[Square]) -> Self {
        let mut lowered = self.clone();
        for &square in stones {
            for &segment in board.segments_through(square) {
                let limit = &mut lowered.limits[segment.index()];
                if *limit != NO_LIMIT {
                    *limit = limit.saturating_sub(1);
                }
            }
        }
        lowered
    }
}
