//! Random small positions, and the claims of solver and verifiers held against the oracle.

use gridproof_certificate::check;
use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use gridproof_oracle::Oracle;
use gridproof_solver::{
    Budget, Coverage, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions, Win,
};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

/// (m, n, k, p) and the most empty squares that the oracle can stand.
pub(crate) const VARIANTS: [([u32; 4], usize); 20] = [
    ([3, 3, 3, 1], 8),
    ([4, 3, 3, 1], 11),
    ([5, 3, 3, 1], 11),
    ([4, 4, 4, 1], 12),
    ([6, 3, 4, 1], 12),
    ([5, 5, 4, 1], 11),
    ([5, 5, 5, 1], 12),
    ([7, 3, 5, 1], 12),
    ([4, 4, 3, 1], 12),
    ([5, 4, 4, 1], 12),
    ([4, 3, 3, 2], 11),
    ([4, 4, 4, 2], 11),
    ([5, 4, 4, 2], 11),
    ([6, 3, 4, 2], 11),
    ([5, 5, 5, 2], 10),
    ([7, 3, 5, 2], 11),
    ([6, 4, 5, 2], 10),
    ([8, 3, 6, 2], 11),
    ([7, 4, 6, 2], 10),
    ([4, 4, 4, 3], 10),
];

/// Memory for a search: enough, and so little that it keeps forgetting zones and often gives up.
const MUCH: usize = SolverOptions::DEFAULT_MEMORY;
const LITTLE: usize = 1 << 16;

/// One small game, the truth about it, and a source of positions.
pub(crate) struct Case {
    rules: Rules,
    most_empty: usize,
    solver: Solver,
    oracle: Oracle,
    rng: StdRng,
}

impl Case {
    pub(crate) fn new(([m, n, k, p], most_empty): ([u32; 4], usize), seed: u64) -> Self {
        let rules = Rules::new(m, n, k, p, 1).expect("a legal variant");
        Self {
            rules,
            most_empty,
            solver: Solver::new(rules),
            oracle: Oracle::new(rules),
            rng: StdRng::seed_from_u64(seed),
        }
    }

    /// Lets solver and verifiers loose on a random position. The number of wins they claimed,
    /// or the claim that is false.
    pub(crate) fn try_one(&mut self) -> Result<u32, String> {
        let position = self.random_position();
        Ok(self.try_solver(&position)? + self.try_verifiers(&position)?)
    }

    /// A position that is still open, with few enough empty squares.
    fn random_position(&mut self) -> Position {
        loop {
            let mut squares: Vec<Square> = self.rules.squares().collect();
            squares.shuffle(&mut self.rng);
            let most = self.most_empty.min(self.rules.area() - 1);
            let empty = self.rng.random_range(2..=most);
            let black_share = self.rng.random_range(30..=70);
            let mut sets = [SquareSet::EMPTY; 2];
            for &square in &squares[empty..] {
                let white = self.rng.random_range(0..100) >= black_share;
                sets[usize::from(white)].insert(square);
            }
            let to_move = *Colour::BOTH.choose(&mut self.rng).expect("two colours");
            if let Ok(position) = Position::of_stones(self.rules, &sets[0], &sets[1], to_move)
                && position.state() == State::Open
            {
                return position;
            }
        }
    }

    fn try_solver(&mut self, position: &Position) -> Result<u32, String> {
        let attacker = position.to_move();
        let p = self.rules.stones_per_turn();
        // With one stone a turn the searches of quiet moves begin a step later.
        let highest = p + if p == 1 { 3 } else { 1 };
        let mut wins = 0;
        for (exhaustive, memory) in [(false, MUCH), (true, MUCH), (true, LITTLE)] {
            for order in 1..=highest {
                let options = SolverOptions {
                    exhaustive,
                    memory,
                    ..SolverOptions::of_order(Order(order))
                };
                let mut budget = Budget::of_nodes(20_000);
                let outcome = self.solver.win(position, options, &mut budget);
                match outcome.expect("the position is open") {
                    Outcome::Won(win) => {
                        self.examine(position, attacker, &win, &format!("order {order}"))?;
                        wins += 1;
                    }
                    Outcome::NoWin if order == highest && exhaustive => {
                        if self.oracle.wins(position, attacker) {
                            return Err(format!("a win of {attacker} denied: {position:?}"));
                        }
                    }
                    Outcome::NoWin | Outcome::Unknown => {}
                }
            }
        }
        Ok(wins)
    }

    fn try_verifiers(&mut self, position: &Position) -> Result<u32, String> {
        let attacker = position.to_move().other();
        let mut wins = 0;
        for coverage in Coverage::ALL {
            for replay_siblings in [false, true] {
                let options = VerifierOptions {
                    nodes_per_reply: 5_000,
                    solver: SolverOptions {
                        coverage,
                        order: Order(if coverage == Coverage::Wu { 1 } else { 3 }),
                        exhaustive: true,
                        replay_siblings,
                        ..SolverOptions::default()
                    },
                    ..VerifierOptions::default()
                };
                let mut budget = Budget::of_nodes(50_000);
                let run = self.solver.verify(position, options, &mut budget, &mut ());
                if let Verdict::Proved(win) = run.expect("the position is open").verdict {
                    self.examine(position, attacker, &win, &format!("verifier {coverage}"))?;
                    wins += 1;
                }
            }
        }
        Ok(wins)
    }

    /// A claimed win is true, the checker accepts its proof, and it stays a win with extra
    /// defender stones that its zone excuses.
    fn examine(
        &mut self,
        position: &Position,
        attacker: Colour,
        win: &Win,
        how: &str,
    ) -> Result<(), String> {
        let told = format!("by {how} for {attacker} in {}: {position:?}", self.rules);
        if !self.oracle.wins(position, attacker) {
            return Err(format!("a false win {told}"));
        }
        if let Err(refusal) = check(&win.proof) {
            return Err(format!("the checker says \"{refusal}\" {told}"));
        }
        let mut free: Vec<Square> = position.empties().iter().collect();
        for _ in 0..6 {
            free.shuffle(&mut self.rng);
            let mut chosen = Vec::new();
            for &square in free.iter().take(self.rng.random_range(1..=6)) {
                chosen.push(square);
                if !win.zone.excuses_in(&self.rules, &chosen) {
                    chosen.pop();
                }
            }
            let extra: SquareSet = chosen.iter().copied().collect();
            let stones = |colour: Colour| match colour == attacker {
                true => *position.stones(colour),
                false => position.stones(colour).union(&extra),
            };
            let [black, white] = Colour::BOTH.map(stones);
            let more = Position::of_stones(self.rules, &black, &white, position.to_move());
            if !more.is_ok_and(|more| self.oracle.wins(&more, attacker)) {
                return Err(format!("a zone excuses {chosen:?}, wrongly, {told}"));
            }
        }
        Ok(())
    }
}
