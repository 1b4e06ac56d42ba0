//! Made-up searches of any size, with job costs and branching like those of recorded ones.

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};

use super::dice::{Dice, mix};
use super::hostile::random_moves;
use super::tape::Tape;
use super::world::{Run, Settlement, World};
use gridproof_search::{
    ChildView, JobKind, JobResult, JobSpec, NodeId, NodeKey, ReplyState, Status, Suggestion,
};

/// What a made-up search looks like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Turns of the attacker from the root to the last positions.
    pub depth: u32,
    /// Open replies that a verifier leaves: typical number, and how much it varies.
    pub replies: (f64, f64),
    /// Of a hundred won attacker's positions, how many the first engine job wins outright.
    pub quick_wins: u64,
    /// Of a hundred won defender's positions, how many the verifier proves outright.
    pub quick_proofs: u64,
    /// Of a hundred won attacker's positions, in how many each suggestion wins.
    pub good_suggestions: u64,
    /// Moves that are tried in a lost attacker's position.
    pub hopeless_moves: u64,
    /// Of a hundred open replies, how many another reply's proof excuses.
    pub excused: u64,
    /// Costs of real jobs to draw from, ascending.
    pub engine_costs: Vec<u64>,
    pub verifier_costs: Vec<u64>,
}

impl Shape {
    /// Costs as measured on a recorded search.
    #[must_use]
    pub fn with_costs_of(tape: &Tape, depth: u32) -> Self {
        Self {
            depth,
            replies: (12.0, 0.8),
            quick_wins: 45,
            quick_proofs: 35,
            good_suggestions: 60,
            hopeless_moves: 3,
            excused: 15,
            engine_costs: tape.costs(JobKind::Engine),
            verifier_costs: tape.costs(JobKind::Verifier),
        }
    }
}

/// A made-up search that the attacker wins. The answers depend on positions alone, so every
/// policy and every number of workers meets the same search.
#[derive(Debug)]
pub struct Synthetic {
    seed: u64,
    shape: Shape,
    root: Position,
    /// Which positions are won, as far as anybody has come.
    values: BTreeMap<NodeKey, bool>,
}

const ATTACKER: Colour = Colour::Black;

impl Synthetic {
    #[must_use]
    pub fn new(seed: u64, shape: Shape) -> Self {
        let rules = Rules::CONNECT6;
        let mut stones = SquareSet::EMPTY;
        stones.insert(rules.centre());
        let root = Position::of_stones(rules, &stones, &SquareSet::EMPTY, ATTACKER.other())
            .expect("a stone on a board");
        let (key, root, _) = NodeKey::of(&root, ATTACKER);
        Self {
            seed,
            shape,
            root,
            values: BTreeMap::from([(key, true)]),
        }
    }

    fn dice(&self, key: NodeKey, purpose: u64) -> Dice {
        Dice::of(
            self.seed ^ mix(key.0[0] ^ key.0[1].rotate_left(29)),
            purpose,
        )
    }

    fn turns_left(&self, position: &Position) -> u32 {
        let own = position.stones(ATTACKER).len() as u32;
        let turns = own.saturating_sub(1) / 2;
        self.shape.depth.saturating_sub(turns)
    }

    fn value(&self, key: NodeKey) -> bool {
        self.values.get(&key).copied().unwrap_or(false)
    }

    fn some_move(position: &Position, dice: &mut Dice) -> Move {
        let empties: Vec<Square> = position.empties().iter().collect();
        let first = dice.below(empties.len() as u64) as usize;
        let skip = 1 + dice.below(empties.len() as u64 - 1) as usize;
        Move::full([empties[first], empties[(first + skip) % empties.len()]])
    }

    /// Notes the value of the position after a move; what is known already stands.
    fn note(&mut self, position: &Position, mv: &Move, value: bool) {
        let (key, ..) = NodeKey::of(&position.after(mv), ATTACKER);
        self.values.entry(key).or_insert(value);
    }

    fn cost(&self, job: &JobSpec) -> u64 {
        let costs = match job.id.kind {
            JobKind::Engine => &self.shape.engine_costs,
            JobKind::Verifier => &self.shape.verifier_costs,
        };
        let mut dice = self.dice(job.id.key, 11 + job.known.len() as u64);
        dice.pick(costs).copied().unwrap_or(10_000).max(1)
    }

    fn suggest(&mut self, job: &JobSpec) -> JobResult {
        let key = job.id.key;
        let value = self.value(key);
        let mut dice = self.dice(key, 1);
        let is_last = self.turns_left(&job.position) == 0;
        if value && (is_last || dice.percent(self.shape.quick_wins)) {
            return JobResult::Won;
        }
        let tried = job.known.len() as u64;
        if !value && (is_last || tried >= self.shape.hopeless_moves) {
            return JobResult::NoMoreMoves;
        }
        let mut dice = self.dice(key, 100 + tried);
        // Moves may have been taken back, so that as many are known as once before.
        let mv = loop {
            let mv = Self::some_move(&job.position, &mut dice);
            if !job.known.contains(&mv) {
                break mv;
            }
        };
        let wins = value && dice.percent(self.shape.good_suggestions);
        self.note(&job.position, &mv, wins);
        let hopeful = [
            Status::AlmostWon,
            Status::Strong3,
            Status::Strong2,
            Status::Unclear,
        ];
        let doubtful = [
            Status::Strong3,
            Status::Strong1,
            Status::Unclear,
            Status::Weak1,
        ];
        let opinions = if wins { &hopeful } else { &doubtful };
        let status = dice.pick(opinions).copied().unwrap_or_default();
        JobResult::Moves(vec![Suggestion { mv, status }])
    }

    fn replies(&self, key: NodeKey, position: &Position) -> Vec<Move> {
        let mut dice = self.dice(key, 2);
        let (typical, spread) = self.shape.replies;
        let count = dice.log_normal(typical, spread).clamp(1.0, 400.0) as usize;
        let mut moves: Vec<Move> = Vec::with_capacity(count);
        while moves.len() < count {
            let mv = Self::some_move(position, &mut dice);
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        moves
    }

    fn verify(&mut self, job: &JobSpec) -> JobResult {
        let key = job.id.key;
        let value = self.value(key);
        let mut dice = self.dice(key, 3);
        let is_last = self.turns_left(&job.position) == 0;
        let is_root = job.position == self.root;
        if value && (is_last || !is_root && dice.percent(self.shape.quick_proofs)) {
            return JobResult::Won;
        }
        if !value && is_last {
            return JobResult::Refuted;
        }
        let moves = self.replies(key, &job.position);
        let bad = dice.below(moves.len() as u64) as usize;
        for (i, mv) in moves.iter().enumerate() {
            // Most replies to a bad move lose all the same: that is why it looked good.
            let wins = value || i != bad && dice.percent(70);
            self.note(&job.position, mv, wins);
        }
        JobResult::Open(moves)
    }

    fn is_excused(&self, key: NodeKey, by: usize, mv: usize) -> bool {
        let mut dice = self.dice(key, 1 << 32 | mv as u64);
        dice.percent(self.shape.excused) && dice.below(mv as u64 + 1) as usize == by && by != mv
    }
}

impl World for Synthetic {
    fn root(&self) -> (Position, Colour) {
        (self.root.clone(), ATTACKER)
    }

    fn run(&mut self, job: &JobSpec) -> Run {
        let spent = self.cost(job);
        let result = match job.id.kind {
            JobKind::Engine => self.suggest(job),
            JobKind::Verifier => self.verify(job),
        };
        match result {
            JobResult::Open(moves) => {
                let mut dice = self.dice(job.id.key, 4);
                Run {
                    answered: vec![Self::some_move(&job.position, &mut dice)],
                    ..Run::of_open(moves, spent)
                }
            }
            result => Run::of_end(result, spent),
        }
    }

    fn run_knowing(&mut self, job: &JobSpec, answered: &[Move]) -> Run {
        let mut run = self.run(job);
        if let JobResult::Open(moves) = &mut run.result
            && !answered.is_empty()
        {
            // Nodes are left for the others, of which all but one that can be answered are.
            let first = moves[0].clone();
            moves.retain(|mv| {
                let (key, ..) = NodeKey::of(&job.position.after(mv), ATTACKER);
                *mv == first || !self.value(key)
            });
            run.findings.retain(|(_, mv)| moves.contains(mv));
        }
        run
    }

    fn settle(
        &mut self,
        _: NodeId,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let mut settlement = Settlement {
            closed: true,
            ..Settlement::default()
        };
        let value = self.value(key);
        for (i, child) in children.iter().enumerate() {
            if child.numbers.is_proved() || child.state == ReplyState::Excused {
                continue;
            }
            let proved = children
                .iter()
                .enumerate()
                .filter(|(_, other)| other.numbers.is_proved());
            let mut proved = proved.map(|(by, _)| by);
            if value && proved.any(|by| self.is_excused(key, by, i)) {
                settlement.excused.push(child.mv.clone());
            } else {
                settlement.closed = false;
            }
        }
        settlement
    }

    fn pointless(&mut self, job: &JobSpec, count: usize, dice: &mut Dice) -> Vec<Move> {
        let wins = job.id.kind == JobKind::Verifier;
        let moves = random_moves(job, count, dice);
        for mv in &moves {
            self.note(&job.position, mv, wins);
        }
        moves
    }

    fn is_won(&mut self, job: &JobSpec) -> bool {
        self.value(job.id.key)
    }

    fn is_refuted(&mut self, job: &JobSpec) -> bool {
        !self.value(job.id.key)
    }
}
