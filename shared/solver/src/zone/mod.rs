//! Zones: what a proof needs the defender to leave alone.
//!
//! A zone of a won position is a pair (M, L). M holds the squares that must stay free of the
//! defender; L(G) is, for a segment G without an attacker's stone, the number of extra
//! defender stones on G that does harm. The attacker still wins with extra defender stones φ
//! if φ has no square of M and fewer than L(G) on every G. See `docs/theory.md`, "Zones".

mod limits;
mod sets;

use std::rc::Rc;

use gridproof_game::{Colour, Rules, Square, SquareSet};
use gridproof_threats::windows::{Windows, all_cells, covering};
use gridproof_threats::{AnyShape, Geometry, LANES, Lanes, LineId, Shape, ThreatBoard};
use smallvec::SmallVec;

use crate::mutation::{Rule, holds};

pub(crate) use sets::sets_on_segments;

use limits::Limits;

/// Stones that belong together, ascending.
pub(crate) type Stones = SmallVec<[Square; 4]>;

/// What a proof needs the defender to leave alone: the pair (M, L).
///
/// L is kept as nested sets: bit s of `limits[l][line]` says that the segment that
/// starts at s on that line has a limit of at most l + 1. Lowering all limits by one is then
/// a shift of the rows, and uniting two zones an OR over long rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    keep_free: SquareSet,
    limits: Limits,
    /// k: no segment has a higher limit.
    rows: usize,
}

impl Zone {
    /// The zone that forbids nothing.
    pub(crate) fn unlimited<S: Shape>(board: &ThreatBoard<S>) -> Self {
        // Rows of whole lanes; no segment of a line that is not there is ever limited.
        let lines = board.geometry().line_count().next_multiple_of(LANES);
        let rows = board.shape().in_a_row() as usize;
        Self {
            keep_free: SquareSet::EMPTY,
            limits: Limits::none(lines * rows),
            rows,
        }
    }

    /// Roughly the bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        128 + 4 * self.limits.len()
    }

    /// The attacker has completed a line: the defender does harm by having one too.
    #[must_use]
    pub fn completed<S: Shape>(board: &ThreatBoard<S>, defender: Colour) -> Self {
        let mut zone = Self::unlimited(board);
        if holds(Rule::LimitWhenCompleted) {
            zone.limit_by_empties(board, defender, 0);
        }
        zone
    }

    /// The defender is to move and all his replies are answered.
    #[must_use]
    pub(crate) fn of_defence<'a, S: Shape>(
        board: &ThreatBoard<S>,
        attacker: Colour,
        replies: impl Iterator<Item = ZoneOfReply<'a>>,
    ) -> Self {
        let p = board.shape().stones_per_turn() as usize;
        let mut replies = replies.peekable();
        // Zones are long: the first is copied as it is if it can be, not united with nothing.
        let first = replies.next_if(|reply| reply.like.is_none() && reply.stones.len() == p);
        let mut zone = match first {
            Some(first) => Self::clone(first.zone),
            None => Self::unlimited(board),
        };
        for reply in replies {
            if !holds(Rule::UniteReplies) {
                zone = Self::unlimited(board);
            }
            zone.unite_reply(board, &reply, p);
        }
        if board.can_complete(attacker) {
            zone.guard_threats(board, attacker);
        }
        zone
    }

    /// The attacker threatens: what that alone needs, without the replies.
    pub(crate) fn of_threats<S: Shape>(board: &ThreatBoard<S>, attacker: Colour) -> Self {
        let mut zone = Self::unlimited(board);
        zone.guard_threats(board, attacker);
        zone
    }

    /// Adds what the threats on the board need to the zone of a position before it, where the
    /// attacker threatened too, and which the defender's whole move of these stones and an answer
    /// led away from. Of segments that are still open to the defender those alone have fewer empty
    /// squares than before that have such a stone: the others have their limits already.
    pub(crate) fn add_threats<S: Shape>(
        &mut self,
        board: &ThreatBoard<S>,
        attacker: Colour,
        block: &[Square],
    ) {
        if holds(Rule::KeepThreats) {
            board.add_threat_empties(attacker, &mut self.keep_free);
        }
        if !holds(Rule::LimitWhenThreatened) {
            return;
        }
        let shape = board.shape();
        let (k, p) = (shape.in_a_row() as i32, shape.stones_per_turn() as i32);
        let (defender, lines) = (attacker.other(), self.lines());
        for at in block
            .iter()
            .flat_map(|&stone| board.geometry().on_lines(stone))
        {
            let open = board.open_on(at.line, defender) & covering(shape, at.offset);
            if open == 0 {
                continue;
            }
            let windows = Windows::count(shape, board.stones_on(at.line, defender));
            let rows = self.limits[at.line.index()..].iter_mut().step_by(lines);
            for (limits, row) in rows.zip(1..) {
                *limits |= windows.at_least(k - row - p) & open;
            }
        }
    }

    /// Adds the zone of a reply.
    pub(crate) fn add_reply<S: Shape>(&mut self, board: &ThreatBoard<S>, reply: &ZoneOfReply<'_>) {
        let p = board.shape().stones_per_turn() as usize;
        if !holds(Rule::UniteReplies) {
            *self = Self::unlimited(board);
        }
        self.unite_reply(board, reply, p);
    }

    fn unite_reply<S: Shape>(&mut self, board: &ThreatBoard<S>, reply: &ZoneOfReply<'_>, p: usize) {
        let nulls_of = |stones: &[Square]| {
            if holds(Rule::LowerByNulls) {
                p - stones.len()
            } else {
                0
            }
        };
        let nulls = nulls_of(reply.stones);
        let Some(like) = reply.like else {
            return self.unite_lowered(reply.zone, nulls);
        };
        // What that other reply needs is in already, unless it is lowered less.
        if nulls > nulls_of(like) || !holds(Rule::UniteReplies) {
            self.unite_lowered(reply.zone, nulls);
        }
        let extra = without(reply.stones, like);
        self.unite_lines_through(board, reply.zone, &extra, nulls);
    }

    /// Unites with what another zone becomes on the lines of some excused stones, lowered.
    fn unite_lines_through<S: Shape>(
        &mut self,
        board: &ThreatBoard<S>,
        other: &Self,
        stones: &[Square],
        nulls: usize,
    ) {
        let last = self.rows - 1;
        for line in self.lines_through(board.geometry(), stones) {
            let lowered = other.rows_with_stones(board.shape(), board.geometry(), line, stones);
            for (row, limits) in self.rows_mut(line).enumerate() {
                *limits |= lowered[(row + nulls).min(last)];
            }
        }
    }

    /// The lines of some stones on which there are segments; some come more than once.
    fn lines_through<'a>(
        &self,
        geometry: &'a Geometry,
        stones: &'a [Square],
    ) -> impl Iterator<Item = LineId> + use<'a> {
        let lines = self.lines();
        let through = stones.iter().flat_map(|&stone| geometry.on_lines(stone));
        through
            .map(|at| at.line)
            .filter(move |line| line.index() < lines)
    }

    fn rows_mut(&mut self, line: LineId) -> impl Iterator<Item = &mut u32> {
        let lines = self.lines();
        self.limits.iter_mut().skip(line.index()).step_by(lines)
    }

    /// The limits of a line, row by row, once some excused stones stand on the board.
    fn rows_with_stones<S: Shape>(
        &self,
        shape: S,
        geometry: &Geometry,
        line: LineId,
        stones: &[Square],
    ) -> SmallVec<[u32; 8]> {
        let rows = self.limits.iter().skip(line.index()).step_by(self.lines());
        let mut lowered: SmallVec<[u32; 8]> = rows.copied().collect();
        for offset in offsets_on(geometry, stones, line) {
            lower_covered(&mut lowered, covering(shape, offset));
        }
        lowered
    }

    /// Takes in what every position with a threat of the attacker needs: that its threats
    /// stay open, and that the defender cannot complete a line instead of blocking.
    fn guard_threats<S: Shape>(&mut self, board: &ThreatBoard<S>, attacker: Colour) {
        if holds(Rule::KeepThreats) {
            board.add_threat_empties(attacker, &mut self.keep_free);
        }
        if holds(Rule::LimitWhenThreatened) {
            let p = board.shape().stones_per_turn() as i32;
            self.limit_by_empties(board, attacker.other(), p);
        }
    }

    /// L(G) = min(L(G), max(1, e - spare)) for every segment G open to the defender, where e
    /// is the number of its empty squares.
    fn limit_by_empties<S: Shape>(&mut self, board: &ThreatBoard<S>, defender: Colour, spare: i32) {
        let k = board.shape().in_a_row() as i32;
        let lines = self.lines();
        let without_stones = (k - spare).max(1) as usize;
        for first in (0..lines).step_by(LANES) {
            let (stones, open) = board.lanes_from(first, defender);
            // Most lines: all their segments are as empty as can be.
            if stones.0 == [0; LANES] {
                for limits in self.limits.chunks_exact_mut(lines).skip(without_stones - 1) {
                    for (limits, open) in limits[first..].iter_mut().zip(open.0) {
                        *limits |= open;
                    }
                }
                continue;
            }
            let windows = Windows::count(board.shape(), stones);
            for (limits, row) in self.limits.chunks_exact_mut(lines).zip(1..) {
                let limits = limits[first..].first_chunk_mut();
                let limits: &mut [u32; LANES] = limits.expect("rows are of whole lanes");
                *limits = (Lanes(*limits) | (windows.at_least(k - row - spare) & open)).0;
            }
        }
    }

    fn has_line(&self, line: LineId) -> bool {
        line.index() < self.lines()
    }

    fn lines(&self) -> usize {
        self.limits.len() / self.rows
    }

    /// Segment starts on a line whose limit is at most `limit` (1 or more).
    #[inline]
    pub(crate) fn limited(&self, line: LineId, limit: usize) -> u32 {
        self.limits[(limit.min(self.rows) - 1) * self.lines() + line.index()]
    }

    /// M.
    pub(crate) fn keep_free(&self) -> &SquareSet {
        &self.keep_free
    }

    /// Adds squares to M: the attacker's own moves.
    pub fn keep(&mut self, squares: &[Square]) {
        if holds(Rule::KeepOwnMoves) {
            self.keep_free.extend(squares.iter().copied());
        }
    }

    /// Unites (M by union, L by minimum) with another zone whose limits are lowered by `stones`,
    /// never under 1: what the other proof needs when so many of the defender's stones may fall
    /// anywhere.
    fn unite_lowered(&mut self, other: &Self, stones: usize) {
        self.keep_free.unite(&other.keep_free);
        let lines = self.lines();
        let last = self.rows - 1;
        for (row, mine) in self.limits.chunks_exact_mut(lines).enumerate() {
            let theirs = &other.limits[(row + stones).min(last) * lines..][..lines];
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine |= theirs;
            }
        }
    }

    /// The zone of the same proof once some excused defender stones stand on the board.
    pub(crate) fn with_stones<S: Shape>(
        &self,
        shape: S,
        geometry: &Geometry,
        stones: &[Square],
    ) -> Self {
        let mut zone = self.clone();
        for line in self.lines_through(geometry, stones) {
            let lowered = self.rows_with_stones(shape, geometry, line, stones);
            for (limits, lowered) in zone.rows_mut(line).zip(lowered) {
                *limits = lowered;
            }
        }
        zone
    }

    /// Whether extra defender stones leave the proof as it is.
    #[must_use]
    pub fn excuses<S: Shape>(&self, shape: S, geometry: &Geometry, stones: &[Square]) -> bool {
        match *stones {
            [] => true,
            [a] => self.excuses_one(shape, geometry, a),
            [a, b] => {
                self.excuses_one(shape, geometry, a)
                    && self.excuses_one(shape, geometry, b)
                    && self.excuses_together(shape, geometry, [a, b])
            }
            _ => self.excuses_all(shape, geometry, stones),
        }
    }

    #[inline]
    fn excuses_one<S: Shape>(&self, shape: S, geometry: &Geometry, stone: Square) -> bool {
        if holds(Rule::ExcuseKeepsFree) && self.keep_free.contains(stone) {
            return false;
        }
        // The line that stands for those too short has no segments.
        let harmed = geometry.on_lines(stone).iter().fold(0, |harmed, at| {
            let limited = self.limits[..self.lines()].get(at.line.index());
            harmed | limited.copied().unwrap_or(0) & covering(shape, at.offset)
        });
        !holds(Rule::ExcuseKeepsLimits) || harmed == 0
    }

    /// Two stones each of which is excused.
    #[inline]
    fn excuses_together<S: Shape>(
        &self,
        shape: S,
        geometry: &Geometry,
        [a, b]: [Square; 2],
    ) -> bool {
        let on_lines = geometry.on_lines(a).iter().zip(geometry.on_lines(b));
        let mut common = on_lines.filter(|(a, b)| a.line == b.line && self.has_line(a.line));
        let harmless = common.all(|(a, b)| {
            let both = covering(shape, a.offset) & covering(shape, b.offset);
            both & self.limited(a.line, 2) == 0
        });
        !holds(Rule::ExcuseKeepsLimits) || harmless
    }

    fn excuses_all<S: Shape>(&self, shape: S, geometry: &Geometry, stones: &[Square]) -> bool {
        let free =
            |stone: &Square| !holds(Rule::ExcuseKeepsFree) || !self.keep_free.contains(*stone);
        let within_limits = |stone: &Square| {
            !holds(Rule::ExcuseKeepsLimits)
                || geometry
                    .on_lines(*stone)
                    .iter()
                    .filter(|at| self.has_line(at.line))
                    .all(|at| {
                        let mask = offsets_on(geometry, stones, at.line)
                            .fold(0u32, |mask, offset| mask | 1 << offset);
                        let count = Windows::count(shape, mask);
                        (1..=mask.count_ones() as usize).all(|stones| {
                            count.at_least(stones as i32) & self.limited(at.line, stones) == 0
                        })
                    })
        };
        stones.iter().all(free) && stones.iter().all(within_limits)
    }

    /// As [`Zone::excuses`], for callers without a board at hand.
    #[must_use]
    pub fn excuses_in(&self, rules: &Rules, stones: &[Square]) -> bool {
        let shape = AnyShape::of(rules).expect("any rules have this shape");
        self.excuses(shape, &Geometry::new(*rules), stones)
    }

    /// Squares where a single extra stone does harm: M and the segments of limit 1, or of a
    /// higher limit for the coarser published zones (the Z of that number: `docs/theory.md`, "Zones").
    #[must_use]
    pub fn squares<S: Shape>(&self, board: &ThreatBoard<S>, limit: usize) -> SquareSet {
        let mut set = self.keep_free;
        for line in board.geometry().lines() {
            let segments = self.limited(line, limit);
            if segments != 0 {
                let cells = all_cells(board.shape(), segments) & board.empties_on(line);
                set.extend(board.geometry().squares_of(line, cells));
            }
        }
        set
    }
}

/// What answers a reply of the defender: a proof made for it, or one made for another reply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZoneOfReply<'a> {
    /// Of the proof.
    pub(crate) zone: &'a Rc<Zone>,
    pub(crate) stones: &'a [Square],
    /// The stones of the other reply, which stands earlier or later in the same list.
    pub(crate) like: Option<&'a [Square]>,
}

impl ZoneOfReply<'_> {
    /// The zone of the position after the reply.
    pub(crate) fn after<S: Shape>(&self, board: &ThreatBoard<S>) -> Rc<Zone> {
        match self.like {
            None => Rc::clone(self.zone),
            Some(like) => {
                let extra = without(self.stones, like);
                let (shape, geometry) = (board.shape(), board.geometry());
                Rc::new(self.zone.with_stones(shape, geometry, &extra))
            }
        }
    }
}

/// The stones of one move that are not in another.
pub(crate) fn without(stones: &[Square], others: &[Square]) -> Stones {
    let mut left = Stones::from_slice(stones);
    left.retain(|stone| !others.contains(stone));
    left
}

/// Where on a line some stones stand.
fn offsets_on<'a>(
    geometry: &'a Geometry,
    stones: &'a [Square],
    line: LineId,
) -> impl Iterator<Item = u8> + 'a {
    let places = stones.iter().flat_map(|&stone| geometry.on_lines(stone));
    places.filter(move |at| at.line == line).map(|at| at.offset)
}

/// Lowers the limits of a line's segments that cover one excused stone more.
fn lower_covered(limits: &mut [u32], covered: u32) {
    if holds(Rule::LowerByExcused) {
        for row in 1..limits.len() {
            limits[row - 1] |= limits[row] & covered;
        }
    }
}
