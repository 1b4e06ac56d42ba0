//! Wins by threats, looked for with a few nodes: each move makes as many threats as the other
//! side has stones, and that side may block everywhere at once. Each real way to block is weaker,
//! so the same moves win against every one of them.

use gridproof_game::{Colour, Square, SquareSet};
use gridproof_threats::{Attack, AttackList, BlockList, Blocks, Shape, ThreatBoard};
use smallvec::SmallVec;

use crate::weights::QUIET;

/// Moves of the attacker in one line.
const DEPTH: usize = 12;
/// Attacks that are looked at in a position, by how deep it is.
const WIDTHS: [usize; DEPTH] = [10, 6, 5, 4, 3, 3, 2, 2, 2, 2, 2, 1];

/// A win that was found.
#[derive(Clone, Debug)]
pub(super) struct ThreatWin {
    /// Turns until the line is complete, both sides' counted.
    pub(super) turns: i32,
    /// Its first move, which may leave stones free.
    pub(super) first: Blocks,
    /// Where a stone of the other side may make a difference.
    pub(super) relevant: SquareSet,
}

/// Looks for wins by threats.
#[derive(Clone, Debug, Default)]
pub(super) struct Tactics {
    lists: Vec<AttackList>,
    /// Nodes looked at since the start.
    pub(super) nodes: u64,
    most: u64,
}

impl Tactics {
    /// A win of `attacker`, who is to move, that takes no more than so many nodes to find.
    pub(super) fn win<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        nodes: u64,
    ) -> Option<ThreatWin> {
        self.most = self.nodes + nodes;
        self.lists.resize_with(DEPTH, AttackList::new);
        self.deepen(board, attacker, 0)
    }

    fn deepen<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        depth: usize,
    ) -> Option<ThreatWin> {
        self.nodes += 1;
        if let Some(stones) = board.completing_stones(attacker) {
            return Some(ThreatWin {
                turns: 1,
                relevant: board.threat_empties(attacker),
                first: stones.into(),
            });
        }
        if depth == DEPTH || self.nodes >= self.most {
            return None;
        }
        let p = board.shape().stones_per_turn();
        let defender = attacker.other();
        let must_block = board.can_complete(defender);
        let blocks = if must_block {
            board.minimal_blocks(defender)
        } else {
            BlockList::new()
        };
        if must_block && blocks.is_empty() {
            return None;
        }
        let mut attacks = std::mem::take(&mut self.lists[depth]);
        board.attacks_into(attacker, p, &mut attacks);
        let tried = if must_block {
            with_blocks(board, &attacks, &blocks, attacker, p)
        } else {
            in_order(board, &attacks, attacker, WIDTHS[depth])
        };
        self.lists[depth] = attacks;
        let tried = tried?;
        if let [(threats, stones)] = &tried[..]
            && *threats > p
        {
            board.place_all(stones, attacker);
            let mut relevant = board.threat_empties(attacker);
            board.undo_all(stones.len());
            relevant.extend(stones.iter().copied());
            return Some(ThreatWin {
                turns: 3,
                first: stones.clone(),
                relevant,
            });
        }
        for (_, stones) in tried {
            if self.nodes >= self.most {
                return None;
            }
            if let Some(win) = self.follow(board, attacker, stones, depth) {
                return Some(win);
            }
        }
        None
    }

    /// Plays an attack and all blocks of it, and goes on.
    fn follow<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        stones: Blocks,
        depth: usize,
    ) -> Option<ThreatWin> {
        let defender = attacker.other();
        board.place_all(&stones, attacker);
        let mut everywhere = SquareSet::EMPTY;
        for block in board.minimal_blocks(attacker) {
            everywhere.extend(block.iter().copied());
        }
        let relevant = board.threat_empties(attacker);
        let mut placed = stones.len();
        for square in everywhere.iter() {
            board.place(square, defender);
            placed += 1;
        }
        // Stones that he could not all place may make a line that he could not make.
        let win = match board.has_completed(defender) {
            true => None,
            false => self.deepen(board, attacker, depth + 1),
        };
        board.undo_all(placed);
        let mut win = win?;
        win.turns += 2;
        win.relevant = win.relevant.union(&relevant);
        win.relevant.extend(stones.iter().copied());
        win.first = stones;
        Some(win)
    }
}

type Tried = SmallVec<[(u32, Blocks); 16]>;

/// The attacks that look best; one alone where it wins at once.
fn in_order<S: Shape>(
    board: &ThreatBoard<S>,
    attacks: &[Attack],
    attacker: Colour,
    width: usize,
) -> Option<Tried> {
    let p = board.shape().stones_per_turn();
    if let Some(attack) = attacks.iter().find(|attack| attack.threats > p) {
        return Some(SmallVec::from_iter([(
            attack.threats,
            attack.stones.clone(),
        )]));
    }
    let mut known: SmallVec<[(Square, i32); 32]> = SmallVec::new();
    let mut gain = |square: Square| match known.iter().find(|(other, _)| *other == square) {
        Some((_, gain)) => *gain,
        None => {
            let gain = QUIET.gain(board, square, attacker);
            known.push((square, gain));
            gain
        }
    };
    let mut order: SmallVec<[(i32, usize); 64]> = SmallVec::new();
    for (i, attack) in attacks.iter().enumerate() {
        let worth = attack.stones.iter().map(|&stone| gain(stone)).sum::<i32>();
        // A stone that is left free is worth something too.
        let free = p as i32 - attack.stones.len() as i32;
        order.push((-worth - 600 * free, i));
    }
    order.sort_unstable();
    let best = order.iter().take(width);
    let tried: Tried = best
        .map(|&(_, i)| (attacks[i].threats, attacks[i].stones.clone()))
        .collect();
    (!tried.is_empty()).then_some(tried)
}

/// The attacks that also block.
fn with_blocks<S: Shape>(
    board: &mut ThreatBoard<S>,
    attacks: &[Attack],
    blocks: &BlockList,
    attacker: Colour,
    p: u32,
) -> Option<Tried> {
    let mut tried = Tried::new();
    for attack in attacks {
        for block in blocks {
            let mut stones = attack.stones.clone();
            stones.extend(
                block
                    .iter()
                    .filter(|stone| !attack.stones.contains(stone))
                    .copied(),
            );
            if stones.len() > p as usize {
                continue;
            }
            stones.sort_unstable();
            if !tried.iter().any(|(_, known)| *known == stones) {
                let threats = board.threats_after(attacker, &stones);
                if threats > p {
                    return Some(SmallVec::from_iter([(threats, stones)]));
                }
                tried.push((threats, stones));
            }
        }
    }
    tried.truncate(6);
    (!tried.is_empty()).then_some(tried)
}
