use std::rc::Rc;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Position};
use gridproof_threats::{Shape, ThreatBoard};

use super::{Found, Search, SearchOptions};
use crate::attacks::{Generator, History};
use crate::limits::Budget;
use crate::tree::Tree;
use crate::zone::Zone;

/// A board, and what searches of its positions hand on to each other.
#[derive(Debug)]
pub(crate) struct Desk<S: Shape> {
    pub(crate) board: ThreatBoard<S>,
    pub(crate) attacker: Colour,
    generator: Generator,
    history: History,
    /// Of the search before.
    tree: Tree,
}

impl<S: Shape> Desk<S> {
    pub(crate) fn new(board: ThreatBoard<S>, attacker: Colour) -> Self {
        Self {
            board,
            attacker,
            generator: Generator::new(),
            history: History::new(),
            tree: Tree::default(),
        }
    }

    /// Searches the board's position, which is `start` with the attacker to move, with so many
    /// of the budget's nodes; gives the proof of a win and its zone.
    pub(crate) fn search(
        &mut self,
        start: &Position,
        options: SearchOptions,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> (Found, Option<(Proof, Rc<Zone>)>) {
        self.tree.clear(options.memory);
        budget.within(nodes, |budget| {
            let mut search = Search {
                board: &mut self.board,
                attacker: self.attacker,
                options,
                generator: &mut self.generator,
                history: &mut self.history,
                budget,
                tree: &mut self.tree,
                narrowed: false,
            };
            let (root, found) = search.run_attack();
            let won = (found == Found::Won).then(|| (search.proof(root, start), search.zone(root)));
            (found, won)
        })
    }
}
