//! The beam-search agent, rebuilt from its paper: the active area, the s-index evaluation and
//! minimax beam search.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, Square, State};
use gridproof_solver::Budget;
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use super::{Player, PlayerError};
use crate::best::Best;
use crate::candidates::near_stones;
use crate::evaluate::{SIndex, SIndexWeights};

/// The agent of the beam-search paper.
#[derive(Clone, Debug)]
pub struct Beam {
    board: AnyBoard,
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
    /// A player that keeps the best `width` lines of play, each `depth` plies long.
    #[must_use]
    pub fn new(rules: Rules, depth: usize, width: usize, weights: SIndexWeights) -> Self {
        Self {
            board: AnyBoard::of_rules(rules),
            depth: depth.max(1),
            width: width.max(1),
            weights,
        }
    }

    fn pick(&mut self, position: &Position) -> Option<Move> {
        let us = position.to_move();
        let mut lines = self.best_moves(position, us, self.width, None);
        for ply in 1..self.depth {
            let keep = if ply % 2 == 0 { self.width } else { 1 };
            let mut next: Vec<Line> = Vec::new();
            for line in lines {
                match line.position.state() {
                    State::Open => {
                        next.extend(self.best_moves(&line.position, us, keep, Some(&line.first)));
                    }
                    _ => next.push(line),
                }
            }
            next.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            next.truncate(self.width);
            lines = next;
        }
        lines.into_iter().next().map(|line| line.first)
    }

    /// The moves that are best for the side to move, as `us` sees it.
    fn best_moves(
        &mut self,
        position: &Position,
        us: Colour,
        keep: usize,
        first: Option<&Move>,
    ) -> Vec<Line> {
        let mover = position.to_move();
        // The opponent is taken to choose what is worst for us.
        let sign = if mover == us { 1.0 } else { -1.0 };
        let mut search = Enumeration {
            us,
            mover,
            weights: &self.weights,
            sign,
            area: Vec::new(),
            chosen: Vec::new(),
            best: Best::of(keep),
        };
        self.board.update(position);
        with_board!(&mut self.board, |board| {
            search.area = near_stones(board);
            if search.area.len() < position.move_len() {
                search.area = position.empties().iter().collect();
            }
            search.choose(board, SIndex::of(board), position.move_len(), 0);
        });
        let best = search.best.into_vec().into_iter();
        best.map(|(worth, stones)| {
            let mv = Move::full(stones);
            Line {
                position: position.after(&mv),
                first: first.cloned().unwrap_or(mv),
                worth: sign * worth,
            }
        })
        .collect()
    }
}

/// Goes through all moves on an area and keeps the best.
struct Enumeration<'a> {
    us: Colour,
    mover: Colour,
    weights: &'a SIndexWeights,
    sign: f64,
    area: Vec<Square>,
    chosen: Vec<Square>,
    best: Best<f64, Vec<Square>>,
}

impl Enumeration<'_> {
    /// Scores all ways to place `more` stones on the area's squares from `from` on.
    fn choose<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        index: SIndex,
        more: usize,
        from: usize,
    ) {
        for i in from..self.area.len() {
            let square = self.area[i];
            let index = index.with(board, square, self.mover);
            self.chosen.push(square);
            if more == 1 {
                let worth = index.worth(self.us, self.weights);
                self.best.offer(self.sign * worth, || self.chosen.clone());
            } else {
                board.place(square, self.mover);
                self.choose(board, index, more - 1, i + 1);
                board.undo();
            }
            self.chosen.pop();
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
        self.pick(position).ok_or(PlayerError::NoMove)
    }
}
