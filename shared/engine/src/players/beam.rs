//! The beam-search agent, rebuilt from its paper: the active area, the s-index evaluation and
//! minimax beam search.

use std::sync::Arc;

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, Square, State};
use gridproof_solver::Budget;
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard};

use super::{Player, PlayerError};
use crate::best::Best;
use crate::candidates::near_stones;
use crate::evaluate::{SIndex, SIndexWeights};

/// The agent of the beam-search paper.
#[derive(Clone, Debug)]
pub struct Beam {
    geometry: Arc<Geometry>,
    /// Plies looked ahead; the paper found 1 the best trade.
    depth: usize,
    /// Lines of play kept at each ply of its own.
    width: usize,
    weights: SIndexWeights,
}

/// A line of play: its first move, and where it stands now.
#[derive(Clone, Debug)]
struct Line {
    first: Move,
    position: Position,
    worth: f64,
}

impl Beam {
    #[must_use]
    pub fn new(rules: Rules, depth: usize, width: usize, weights: SIndexWeights) -> Self {
        Self {
            geometry: Arc::new(Geometry::new(rules)),
            depth: depth.max(1),
            width: width.max(1),
            weights,
        }
    }

    fn pick<S: Shape>(&self, position: &Position) -> Option<Move> {
        let us = position.to_move();
        let mut lines: Vec<Line> = Vec::new();
        for ply in 0..self.depth {
            let mut next: Vec<Line> = Vec::new();
            if ply == 0 {
                next = self.best_moves::<S>(position, us, self.width, None);
            } else {
                let ours = ply % 2 == 0;
                for line in &lines {
                    if line.position.state() != State::Open {
                        next.push(line.clone());
                        continue;
                    }
                    let keep = if ours { self.width } else { 1 };
                    next.extend(self.best_moves::<S>(&line.position, us, keep, Some(&line.first)));
                }
            }
            next.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            next.truncate(self.width);
            lines = next;
        }
        lines.into_iter().next().map(|line| line.first)
    }

    /// The moves that are best for the side to move, as `us` sees it.
    fn best_moves<S: Shape>(
        &self,
        position: &Position,
        us: Colour,
        keep: usize,
        first: Option<&Move>,
    ) -> Vec<Line> {
        let mut board = ThreatBoard::<S>::of_position(Arc::clone(&self.geometry), position)
            .expect("the shape was chosen by the rules");
        let mut area = near_stones(&board);
        if area.len() < position.move_len() {
            area = position.empties().iter().collect();
        }
        // The opponent is taken to choose what is worst for us.
        let sign = if position.to_move() == us { 1.0 } else { -1.0 };
        let mut best = Best::of(keep);
        let start = SIndex::of(&board);
        let mut chosen = Vec::new();
        let mut scorer = Scorer {
            us,
            mover: position.to_move(),
            weights: &self.weights,
            area: &area,
            sign,
        };
        scorer.choose(
            &mut board,
            start,
            position.move_len(),
            0,
            &mut chosen,
            &mut best,
        );
        best.into_vec()
            .into_iter()
            .map(|(worth, stones)| {
                let mv = Move::full(stones);
                let position = position.after(&mv);
                Line {
                    first: first.cloned().unwrap_or(mv),
                    position,
                    worth: sign * worth,
                }
            })
            .collect()
    }
}

struct Scorer<'a> {
    us: Colour,
    mover: Colour,
    weights: &'a SIndexWeights,
    area: &'a [Square],
    sign: f64,
}

impl Scorer<'_> {
    /// Scores all ways to place `more` stones on the area's squares from `from` on.
    fn choose<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        index: SIndex,
        more: usize,
        from: usize,
        chosen: &mut Vec<Square>,
        best: &mut Best<f64, Vec<Square>>,
    ) {
        for (i, &square) in self.area.iter().enumerate().skip(from) {
            let index = index.with(board, square, self.mover);
            chosen.push(square);
            if more == 1 {
                let worth = index.worth(self.us, self.weights);
                best.offer(self.sign * worth, || chosen.clone());
            } else {
                board.place(square, self.mover);
                self.choose(board, index, more - 1, i + 1, chosen, best);
                board.undo();
            }
            chosen.pop();
        }
    }
}

impl Player for Beam {
    fn name(&self) -> String {
        format!("beam:{},{}", self.depth, self.width)
    }

    fn choose(&mut self, game: &Game, _: &mut Budget<'_>) -> Result<Move, PlayerError> {
        let position = game.position();
        super::check_open(position)?;
        if position.stone_count() == 0 && position.move_len() == 1 {
            return Ok(Move::full([position.rules().centre()]));
        }
        let mv = if Connect6::of(position.rules()).is_some() {
            self.pick::<Connect6>(position)
        } else {
            self.pick::<AnyShape>(position)
        };
        mv.ok_or(PlayerError::NoMove)
    }
}
