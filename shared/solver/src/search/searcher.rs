use std::rc::Rc;

use gridproof_game::{Colour, Position, Square};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use super::{Search, Turn};
use crate::attacks::{History, MoveGenerator};
use crate::budget::Budget;
use crate::fours::FourSearch;
use crate::options::SolverOptions;
use crate::outcome::{Outcome, Win};
use crate::threes::ThreeSearch;
use crate::tree::{Number, Tree};

/// A board, and what searches of its positions hand on to each other.
#[derive(Debug)]
pub(crate) struct Searcher<S: Shape> {
    pub(crate) board: ThreatBoard<S>,
    pub(crate) attacker: Colour,
    generator: MoveGenerator,
    history: History,
    fours: FourSearch,
    threes: ThreeSearch,
    wins: FxHashMap<u64, Square>,
    /// Of the last search; its memory is used again.
    tree: Tree,
    pub(crate) last: LastSearch,
}

/// How the last search ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastSearch {
    /// How much was left to prove.
    pub(crate) proof: Number,
    /// Every move that it knew has failed.
    pub(crate) tried_all: bool,
}

impl<S: Shape> Searcher<S> {
    pub(crate) fn new(board: ThreatBoard<S>, attacker: Colour) -> Self {
        Self {
            board,
            attacker,
            generator: MoveGenerator::new(),
            history: History::new(),
            fours: FourSearch::default(),
            threes: ThreeSearch::default(),
            wins: FxHashMap::default(),
            tree: Tree::default(),
            last: LastSearch {
                proof: 1,
                tried_all: false,
            },
        }
    }

    /// Searches the board's position, which is `start` with the attacker to move, for a win of
    /// exactly the options' order, with so many of the budget's nodes.
    pub(crate) fn search(
        &mut self,
        start: &Position,
        options: SolverOptions,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Outcome {
        self.tree.clear(options.memory);
        budget.within(nodes, |budget| {
            let mut search = Search {
                board: &mut self.board,
                attacker: self.attacker,
                options,
                generator: &mut self.generator,
                history: &mut self.history,
                fours: &mut self.fours,
                threes: &mut self.threes,
                wins: &mut self.wins,
                budget,
                tree: &mut self.tree,
                narrowed: false,
                quiet_moves: 0,
                root: None,
                turn: Turn::default(),
            };
            let root = search.run();
            let node = *search.tree.get(root);
            self.last = LastSearch {
                proof: node.proof,
                tried_all: node.disproof == 0 && !search.is_over(),
            };
            match (node.proof, node.disproof) {
                (0, _) => {
                    let proof = search.proof(root, start);
                    let zone = search.zone(root);
                    search.tree.take_zone(root);
                    Outcome::Won(Box::new(Win {
                        proof,
                        zone: Rc::unwrap_or_clone(zone),
                        order: options.order,
                    }))
                }
                (_, 0) if !search.narrowed && !search.is_over() => Outcome::NoWin,
                _ => Outcome::Unknown,
            }
        })
    }
}
