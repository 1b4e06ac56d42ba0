//! Random games whose value is known: small AND/OR graphs with transpositions, symmetries,
//! null moves and zones, made up from a seed.

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};

use super::dice::{Dice, mix};
use super::hostile::random_moves;
use super::world::{Run, Settlement, World};
use gridproof_search::{
    ChildView, JobKind, JobResult, JobSpec, NodeId, NodeKey, Numbers, ReplyState, Status,
    Suggestion,
};

/// A made-up game. What is there to play, who wins at the end and what excuses what is read
/// off a hash of the position, so it is the same however one gets there.
#[derive(Debug)]
pub struct Toy {
    seed: u64,
    root: Position,
    attacker: Colour,
    /// No game goes beyond so many stones.
    most_stones: usize,
    width: u64,
    /// Of a hundred last positions, how many the attacker wins.
    luck: u64,
    values: BTreeMap<NodeKey, bool>,
}

/// The moves of one position.
struct Replies {
    moves: Vec<Move>,
    /// The null move must be settled first.
    null_first: bool,
}

impl Toy {
    /// The game of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::of(seed, 0x70f);
        let (columns, rows) = [(4, 4), (5, 5), (5, 4), (6, 6)][dice.below(4) as usize];
        let stones_per_turn = 1 + dice.below(2) as u32;
        // No line is as long as that: nobody wins but by the rules of the toy.
        let rules = Rules::new(columns, rows, 40, stones_per_turn, stones_per_turn)
            .expect("these are numbers of a game");
        let mut sets = [SquareSet::EMPTY; 2];
        let mut squares: Vec<Square> = rules.squares().collect();
        dice.shuffle(&mut squares);
        let start = 1 + dice.below(3) as usize;
        for (i, &square) in squares.iter().take(start).enumerate() {
            sets[i % 2].insert(square);
        }
        let to_move = Colour::BOTH[dice.below(2) as usize];
        let attacker = Colour::BOTH[dice.below(2) as usize];
        let root = Position::of_stones(rules, &sets[0], &sets[1], to_move)
            .expect("stones on different squares");
        let turns = 3 + dice.below(2) as usize;
        Self {
            seed,
            root,
            attacker,
            most_stones: start + turns * stones_per_turn as usize,
            width: 2 + dice.below(3),
            luck: 35 + dice.below(45),
            values: BTreeMap::new(),
        }
    }

    /// The same game with this side as the attacker.
    #[must_use]
    pub fn attacked_by(seed: u64, attacker: Colour) -> Self {
        Self {
            attacker,
            ..Self::new(seed)
        }
    }

    /// Who wins: found by looking at everything.
    pub fn value(&mut self) -> bool {
        let (root, attacker) = (self.root.clone(), self.attacker);
        let (key, canonical, _) = NodeKey::of(&root, attacker);
        self.value_of(key, &canonical)
    }

    fn value_of(&mut self, key: NodeKey, canonical: &Position) -> bool {
        if let Some(&value) = self.values.get(&key) {
            return value;
        }
        let value = match self.ending(key, canonical) {
            Some(value) => value,
            None if canonical.to_move() == self.attacker => {
                let moves = self.attacks(key, canonical);
                moves.iter().any(|mv| self.value_after(canonical, mv))
            }
            None => {
                let replies = self.replies(key, canonical);
                let null = Move::null(canonical.rules().stones_per_turn());
                (!replies.null_first || self.value_after(canonical, &null))
                    && replies
                        .moves
                        .iter()
                        .all(|mv| self.value_after(canonical, mv))
            }
        };
        self.values.insert(key, value);
        value
    }

    fn value_after(&mut self, canonical: &Position, mv: &Move) -> bool {
        let (key, next, _) = NodeKey::of(&canonical.after(mv), self.attacker);
        self.value_of(key, &next)
    }

    fn dice(&self, key: NodeKey, purpose: u64) -> Dice {
        Dice::of(
            self.seed ^ mix(key.0[0] ^ key.0[1].rotate_left(17)),
            purpose,
        )
    }

    /// The value of a position where a job finds it at once.
    fn ending(&self, key: NodeKey, canonical: &Position) -> Option<bool> {
        let mut dice = self.dice(key, 1);
        let is_last = canonical.stone_count() >= self.most_stones;
        let ends_early = key != self.root_key() && dice.percent(12);
        (is_last || ends_early).then(|| dice.percent(self.luck))
    }

    fn root_key(&self) -> NodeKey {
        NodeKey::of(&self.root, self.attacker).0
    }

    fn some_moves(&self, canonical: &Position, dice: &mut Dice) -> Vec<Move> {
        let mut empties: Vec<Square> = canonical.empties().iter().collect();
        let count = 1 + dice.below(self.width);
        let mut moves = Vec::new();
        for _ in 0..count {
            dice.shuffle(&mut empties);
            let mut stones = empties[..canonical.move_len()].to_vec();
            stones.sort_unstable();
            let mv = Move::full(stones);
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        moves
    }

    fn attacks(&self, key: NodeKey, canonical: &Position) -> Vec<Move> {
        self.some_moves(canonical, &mut self.dice(key, 2))
    }

    fn replies(&self, key: NodeKey, canonical: &Position) -> Replies {
        let mut dice = self.dice(key, 3);
        let mut moves = self.some_moves(canonical, &mut dice);
        if canonical.move_len() == 2 && dice.percent(40) {
            let first = moves[0].stones()[0];
            moves.insert(0, Move::new([first], 1));
        }
        let null_first = dice.percent(35) && canonical.move_len() > 0;
        Replies { moves, null_first }
    }

    /// Whether the proof of one reply answers another too. Only replies that lose can be
    /// answered, or zones would be unsound.
    fn excuses(&mut self, key: NodeKey, canonical: &Position, by: &Move, mv: &Move) -> bool {
        let salt = |mv: &Move| {
            let stones = mv.stones().iter();
            stones.fold(u64::from(mv.nulls()), |salt, square| {
                mix(salt ^ square.index() as u64)
            })
        };
        let mut dice = self.dice(key, 4 ^ mix(salt(by)) ^ salt(mv));
        by != mv && dice.percent(25) && self.value_after(canonical, mv)
    }

    fn spent(&self, key: NodeKey, serial: u16) -> u64 {
        let purpose = 5 + (u64::from(serial) << 8);
        self.dice(key, purpose).log_normal(3_000.0, 1.2) as u64 + 100
    }

    /// What an engine thinks of a position: mostly right.
    fn opinion(&mut self, key: NodeKey, canonical: &Position) -> Status {
        let value = self.value_of(key, canonical);
        let mut dice = self.dice(key, 6);
        let is_right = dice.percent(75);
        let all = Status::ALL;
        let half = dice.below(6) as usize;
        if value == is_right {
            all[half]
        } else {
            all[6 + half]
        }
    }
}

impl World for Toy {
    fn root(&self) -> (Position, Colour) {
        (self.root.clone(), self.attacker)
    }

    fn run(&mut self, job: &JobSpec) -> Run {
        let (key, position) = (job.id.key, &job.position);
        let spent = self.spent(key, job.id.serial);
        let quick = |result| Run::of_end(result, spent);
        let fails_at_first = job.id.serial == 0 && self.dice(key, 7).percent(15);
        if fails_at_first {
            return quick(JobResult::Unknown);
        }
        match (job.id.kind, self.ending(key, position)) {
            (_, Some(true)) => quick(JobResult::Won),
            (JobKind::Engine, Some(false)) => quick(JobResult::NoMoreMoves),
            (JobKind::Verifier, Some(false)) => quick(JobResult::Refuted),
            (JobKind::Engine, None) => {
                let moves = self.attacks(key, position);
                let Some(mv) = moves.into_iter().find(|mv| !job.known.contains(mv)) else {
                    return quick(JobResult::NoMoreMoves);
                };
                let (next_key, next, _) = NodeKey::of(&position.after(&mv), self.attacker);
                let status = self.opinion(next_key, &next);
                quick(JobResult::Moves(vec![Suggestion { mv, status }]))
            }
            (JobKind::Verifier, None) => {
                let Replies { moves, null_first } = self.replies(key, position);
                let mut dice = self.dice(key, 8);
                let mut open = if null_first {
                    vec![Move::null(position.rules().stones_per_turn())]
                } else {
                    moves
                };
                // The budget may run out before all is looked at.
                if dice.percent(20) {
                    open.truncate(1);
                }
                Run::of_open(open, spent)
            }
        }
    }

    fn settle(
        &mut self,
        _: NodeId,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let (key, canonical, _) = NodeKey::of(position, attacker);
        let Replies { moves, null_first } = self.replies(key, &canonical);
        let is_proved = |mv: &Move| {
            let child = children.iter().find(|child| child.mv == *mv);
            child.is_some_and(|child| child.numbers == Numbers::PROVED)
        };
        let proved: Vec<Move> = children
            .iter()
            .filter(|child| child.numbers == Numbers::PROVED)
            .map(|child| child.mv.clone())
            .collect();
        let null = Move::null(position.rules().stones_per_turn());
        if null_first && !is_proved(&null) {
            return Settlement::default();
        }
        let mut settlement = Settlement::default();
        let mut is_complete = true;
        for mv in moves {
            if is_proved(&mv) {
                continue;
            }
            let is_excused = proved
                .iter()
                .any(|by| self.excuses(key, &canonical, by, &mv));
            let child = children.iter().find(|child| child.mv == mv);
            match child.map(|child| child.state) {
                Some(ReplyState::Live) if is_excused => settlement.excused.push(mv),
                Some(ReplyState::Live) => is_complete = false,
                _ if is_excused => {}
                Some(ReplyState::Excused) | None => {
                    is_complete = false;
                    settlement.needed.push(mv);
                }
            }
        }
        settlement.closed = is_complete;
        settlement
    }

    fn is_won(&mut self, job: &JobSpec) -> bool {
        self.value_of(job.id.key, &job.position)
    }

    fn is_refuted(&mut self, job: &JobSpec) -> bool {
        self.ending(job.id.key, &job.position) == Some(false)
    }

    fn hints(&mut self, position: &Position) -> Vec<Move> {
        let (key, canonical, _) = NodeKey::of(position, self.attacker);
        if self.ending(key, &canonical).is_some() {
            return Vec::new();
        }
        self.attacks(key, &canonical)
    }

    fn pointless(&mut self, job: &JobSpec, count: usize, dice: &mut Dice) -> Vec<Move> {
        let wins = job.id.kind == JobKind::Verifier;
        let mut moves = random_moves(job, count.min(8), dice);
        let ends = self.ending(job.id.key, &job.position).is_some();
        moves.retain(|mv| !ends && self.value_after(&job.position, mv) == wins);
        moves
    }

    fn lie(&mut self, job: &JobSpec, honest: &Run, dice: &mut Dice) -> Run {
        let mut run = honest.clone();
        run.findings.clear();
        run.result = match (job.id.kind, dice.below(4)) {
            (_, 0) => JobResult::Won,
            (JobKind::Engine, 1) => JobResult::NoMoreMoves,
            (JobKind::Verifier, 1) => JobResult::Refuted,
            (JobKind::Verifier, 2) => match &honest.result {
                JobResult::Open(moves) => JobResult::Open(moves[..1].to_vec()),
                _ => JobResult::Unknown,
            },
            (JobKind::Engine, 2) => match &honest.result {
                JobResult::Moves(moves) => {
                    let mut moves = moves.clone();
                    moves[0].status = Status::Lost;
                    JobResult::Moves(moves)
                }
                _ => JobResult::Unknown,
            },
            _ => JobResult::Unknown,
        };
        run
    }
}
