use gridproof_game::{Colour, Move, Position, Square};
use rustc_hash::FxHashMap;

use crate::builder::{BuildError, renumbered};
use crate::proof::{Answer, Node, Proof, ProofId, Reply};

/// A name for the stones of a position, wide enough that two never get the same by chance.
/// Even then the harm would be a refused proof: the checker compares the stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StonesName(u128);

impl StonesName {
    fn of(position: &Position) -> Self {
        let mut name = Self(0);
        for colour in Colour::BOTH {
            for square in position.stones(colour).iter() {
                name.flip(colour, square);
            }
        }
        name
    }

    fn after(mut self, colour: Colour, mv: &Move) -> Self {
        for &square in mv.stones() {
            self.flip(colour, square);
        }
        self
    }

    fn flip(&mut self, colour: Colour, square: Square) {
        let seed = (2 * square.index() + colour.index() + 1) as u128;
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 ^= (mixed ^ (mixed >> 61)).wrapping_mul(0xda94_2042_e4dd_58b5_2b7e_1516_28ae_d2a7);
    }
}

impl Proof {
    /// The same proof with equal nodes at equal positions merged into one. This is what
    /// makes a tree whose lines of play meet again into a graph.
    pub fn deduplicated(&self) -> Result<Self, BuildError> {
        let names = self.names()?;
        let mut new_ids: Vec<ProofId> = Vec::with_capacity(self.nodes.len());
        let mut nodes: Vec<Node> = Vec::new();
        let mut known: FxHashMap<(StonesName, Node), ProofId> = FxHashMap::default();
        for (node, &name) in self.nodes.iter().zip(&names) {
            let node = renumbered(node, |id| new_ids[id.index()]);
            let next = ProofId(nodes.len() as u32);
            let id = *known.entry((name, node)).or_insert_with_key(|(_, node)| {
                nodes.push(node.clone());
                next
            });
            new_ids.push(id);
        }
        Ok(Self {
            start: self.start.clone(),
            attacker: self.attacker,
            nodes,
        })
    }

    /// Each node's stones; parents come before children when ids run down.
    fn names(&self) -> Result<Vec<StonesName>, BuildError> {
        let mut names: Vec<Option<StonesName>> = vec![None; self.nodes.len()];
        names[self.root().index()] = Some(StonesName::of(&self.start));
        for (id, node) in self.nodes().rev() {
            let here = names[id.index()].expect("every node has a parent with a greater id");
            let mut reach = |child: ProofId, name| match names[child.index()].replace(name) {
                Some(other) if other != name => Err(BuildError::TwoPositions(child)),
                _ => Ok(()),
            };
            match node {
                Node::Attack { then: None, .. } => {}
                Node::Attack { mv, then: Some(id) } => reach(*id, here.after(self.attacker, mv))?,
                Node::Defend { replies } => {
                    for Reply { mv, answer } in replies {
                        if let Answer::Proof(id) = answer {
                            reach(*id, here.after(self.attacker.other(), mv))?;
                        }
                    }
                }
            }
        }
        Ok(names
            .into_iter()
            .map(|name| name.expect("all were reached"))
            .collect())
    }
}
