//! The defender to move: which of its moves need an answer, and what zone the answers give.

use gridproof_game::{Move, Square, SquareSet};
use smallvec::SmallVec;

use super::board::{Board, SegmentId, Side};
use super::guard::{Guard, Guards};
use super::refusal::Reason;
use super::reply::{CheckedReply, ReplyIndex};
use super::zone::Zone;

/// Stones of one defender's move, in ascending order.
pub(crate) type Stones = SmallVec<[Square; 4]>;

/// The defender's situation, before any reply is looked at.
#[derive(Debug)]
pub(crate) struct Defence {
    /// Stones the defender places this turn.
    turn: u8,
    threats: Vec<SegmentId>,
    /// All inclusion-minimal ways to hit every threat.
    bases: Vec<Stones>,
}

impl Defence {
    /// Refuses positions where the defender need not lose whatever it is answered.
    pub(crate) fn new(board: &Board, guards: Guards) -> Result<Self, Reason> {
        let turn = board.turn_length(Side::Defender);
        if guards.hold(Guard::DefenderCannotComplete)
            && let Some(&line) = board.within_reach(Side::Defender, turn).first()
        {
            let stones: Stones = board.empties_of(line).collect();
            let nulls = turn - stones.len();
            return Err(Reason::DefenderWins(Move::new(stones, nulls as u8)));
        }
        if board.empty_count() <= turn {
            return Err(Reason::BoardFills);
        }
        let reach = usize::from(board.rules().stones_per_turn());
        let threats = board.within_reach(Side::Attacker, reach);
        let bases = minimal_hitting_sets(board, &threats, turn, guards);
        Ok(Self {
            turn: turn as u8,
            threats,
            bases,
        })
    }

    #[cfg(test)]
    pub(crate) const fn turn(&self) -> u8 {
        self.turn
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.threats.is_empty()
    }

    /// The position's zone, if the replies answer all that needs an answer; and which of the
    /// replies that takes.
    pub(crate) fn zone(
        &self,
        board: &Board,
        replies: &[CheckedReply],
        guards: Guards,
    ) -> Result<(Zone, Vec<bool>), Reason> {
        let mut zone = Zone::boundless(board);
        let with_nulls =
            |stones: &[Square]| Move::new(stones.iter().copied(), self.turn - stones.len() as u8);
        let index = ReplyIndex::new(replies);
        if let Some(twice) = index.listed_twice() {
            return Err(Reason::ListedTwice(with_nulls(&twice.stones)));
        }
        let mut needed = vec![false; replies.len()];
        let mut queue: Vec<usize> = Vec::new();
        let mut need = |stones: &[Square], queue: &mut Vec<usize>| {
            let Some(reply) = index.find(stones) else {
                return Err(Reason::Unanswered(with_nulls(stones)));
            };
            if !std::mem::replace(&mut needed[reply], true) {
                queue.push(reply);
            }
            Ok(())
        };
        for base in &self.bases {
            need(base, &mut queue)?;
        }
        let mut next = 0;
        while let Some(&reply) = queue.get(next) {
            next += 1;
            let stones = &replies[reply].stones;
            let nulls = self.turn - stones.len() as u8;
            let own = replies[reply].zone(board, replies, guards);
            let own = own.as_ref();
            for_each_minimal_harm(board, own, stones, nulls, guards, |more| {
                let mut both = stones.clone();
                both.extend_from_slice(more);
                both.sort_unstable();
                need(&both, &mut queue)
            })?;
            let lowering = match guards.hold(Guard::NullStonesLowerLimits) {
                true => nulls,
                false => 0,
            };
            zone.absorb(own, lowering);
        }
        if !self.is_quiet() {
            if guards.hold(Guard::ThreatSquaresStayFree) {
                for &threat in &self.threats {
                    zone.keep_free(board.empties_of(threat));
                }
            }
            if guards.hold(Guard::ThreatLimits) {
                zone.keep_out_of_reach(board, self.turn);
            }
        }
        Ok((zone, needed))
    }
}

/// All inclusion-minimal sets of at most `most` empty squares that hit every segment of
/// `threats`; the empty set alone when there is nothing to hit.
fn minimal_hitting_sets(
    board: &Board,
    threats: &[SegmentId],
    most: usize,
    guards: Guards,
) -> Vec<Stones> {
    let threats: Vec<Stones> = threats
        .iter()
        .map(|&threat| board.empties_of(threat).collect())
        .collect();
    let mut found = Vec::new();
    extend_hitting_set(&threats, most, &mut Stones::new(), &mut found);
    found.sort_unstable();
    found.dedup();
    if !guards.hold(Guard::RelaxedDefences) {
        let fewest = found.iter().map(SmallVec::len).min().unwrap_or(0);
        found.retain(|set| set.len() == fewest);
    }
    if !guards.hold(Guard::ThreatsAreHitNotCounted) && threats.len() > most {
        found.clear();
    }
    found
}

fn extend_hitting_set(threats: &[Stones], most: usize, set: &mut Stones, found: &mut Vec<Stones>) {
    let hits = |threat: &Stones, set: &[Square]| threat.iter().any(|square| set.contains(square));
    if let Some(open) = threats.iter().find(|threat| !hits(threat, set)) {
        if set.len() < most {
            for &square in open {
                set.push(square);
                extend_hitting_set(threats, most, set, found);
                set.pop();
            }
        }
        return;
    }
    let hits_alone = |square: &Square| {
        threats.iter().any(|threat| {
            threat.contains(square) && threat.iter().filter(|s| set.contains(s)).count() == 1
        })
    };
    if set.iter().all(hits_alone) {
        let mut sorted = set.clone();
        sorted.sort_unstable();
        found.push(sorted);
    }
}

/// Calls `then` for each inclusion-minimal set of at most `most` squares, empty once `stones`
/// are placed, on which further defender's stones do harm; some come more than once. A move
/// that contains none of them is excused.
fn for_each_minimal_harm<E>(
    board: &Board,
    zone: &Zone,
    stones: &[Square],
    most: u8,
    guards: Guards,
    mut then: impl FnMut(&[Square]) -> Result<(), E>,
) -> Result<(), E> {
    if most == 0 {
        return Ok(());
    }
    let free = |square: &Square| board.is_empty_at(*square) && !stones.contains(square);
    let empties_of = |segment| board.squares_of(segment).iter().copied().filter(free);
    let mut singles = SquareSet::EMPTY;
    if guards.hold(Guard::SinglesOnMustStayFree) {
        singles.extend(zone.must_stay_free().iter().filter(free));
    }
    if guards.hold(Guard::SinglesOnLimits) {
        for segment in zone.segments_with_limit(1) {
            singles.extend(empties_of(segment));
        }
    }
    for square in singles.iter() {
        then(&[square])?;
    }
    for size in 2..=most {
        if !guards.hold(Guard::GroupsOnLimits) {
            break;
        }
        for segment in zone.segments_with_limit(size) {
            let others: Stones = empties_of(segment)
                .filter(|square| !singles.contains(*square))
                .collect();
            for_each_subset(&others, size.into(), &mut Stones::new(), &mut |set| {
                match no_part_does_harm(board, zone, set) {
                    true => then(set),
                    false => Ok(()),
                }
            })?;
        }
    }
    Ok(())
}

/// Whether every proper subset of a set that fills some segment's limit exactly is excused,
/// its single squares being known to be.
fn no_part_does_harm(board: &Board, zone: &Zone, set: &[Square]) -> bool {
    set.iter()
        .flat_map(|square| board.segments_through(*square))
        .all(|&segment| {
            zone.limit(segment).is_none_or(|limit| {
                let on_segment = |stone: &&Square| board.squares_of(segment).contains(stone);
                usize::from(limit) >= set.len()
                    || set.iter().filter(on_segment).count() < usize::from(limit)
            })
        })
}

fn for_each_subset<E>(
    squares: &[Square],
    size: usize,
    chosen: &mut Stones,
    then: &mut impl FnMut(&[Square]) -> Result<(), E>,
) -> Result<(), E> {
    if chosen.len() == size {
        return then(chosen);
    }
    for (i, &square) in squares.iter().enumerate() {
        chosen.push(square);
        for_each_subset(&squares[i + 1..], size, chosen, then)?;
        chosen.pop();
    }
    Ok(())
}
