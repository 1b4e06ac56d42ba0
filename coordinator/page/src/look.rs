//! What the screens need of the coordinator. Looking changes nothing in the search.

use gridproof_game::{Colour, Move, Position, Symmetry};
use gridproof_grid::coordinator::{
    ChildOrder, Coordinator, CoordinatorGone, NodeDetails, NodeStatus, Page, hardest_reply,
    most_proving, turned_line,
};
use gridproof_search::{NodeId, SearchId, SearchView};

use crate::address::{Place, PlaceError};

/// A search as it was asked for.
#[derive(Clone, Debug)]
pub struct SearchRoot {
    pub view: SearchView,
    pub name: String,
    pub position: Position,
}

/// A position, and what the search knows of it.
#[derive(Clone, Debug)]
pub struct Sight {
    pub root: SearchRoot,
    pub place: Place,
    pub position: Position,
    /// None if the search has not come to this position.
    pub node: Option<Node>,
}

/// What the search knows of a position, in the orientation of whoever looks.
#[derive(Clone, Debug)]
pub struct Node {
    pub details: NodeDetails,
}

/// Which moves of a position are shown.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub order: ChildOrder,
    pub statuses: Vec<NodeStatus>,
    pub offset: usize,
}

/// Moves on one page.
pub const PER_PAGE: usize = 50;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
}

/// A search's root.
pub async fn root(coordinator: &Coordinator, search: SearchId) -> Result<SearchRoot, LookError> {
    let snapshot = coordinator.search(search).await?;
    let found = snapshot.ok_or(PlaceError::UnknownSearch(search))?;
    Ok(SearchRoot {
        name: gridproof_grid::search_name(&found.game, &found.root, found.view.attacker),
        view: found.view,
        position: found.root,
    })
}

/// What is known of a place.
pub async fn sight(
    coordinator: &Coordinator,
    place: Place,
    selection: Selection,
) -> Result<Sight, LookError> {
    let root = root(coordinator, place.search).await?;
    let position = place.position(&root.position)?;
    let attacker = root.view.attacker;
    let wanted = position.clone();
    let found = coordinator
        .ask(move |core| core.find(&wanted, attacker))
        .await?;
    let node = match found {
        Some((id, to_node)) => {
            let page = Page {
                offset: selection.offset,
                limit: PER_PAGE,
            };
            let details = coordinator
                .node(id, selection.order, selection.statuses, page)
                .await?;
            details.map(|details| Node::turned(details, to_node))
        }
        None => None,
    };
    Ok(Sight {
        root,
        place,
        position,
        node,
    })
}

impl Node {
    fn turned(mut details: NodeDetails, to_node: Symmetry) -> Self {
        let back = to_node.inverse();
        let rules = *details.position.rules();
        for child in &mut details.children {
            child.mv = child.mv.map(|square| back.apply(&rules, square));
        }
        Self { details }
    }
}

impl Sight {
    #[must_use]
    pub fn attacker(&self) -> Colour {
        self.root.view.attacker
    }

    #[must_use]
    pub fn is_attackers_turn(&self) -> bool {
        self.position.to_move() == self.attacker()
    }

    /// The node, if the search has come here.
    #[must_use]
    pub fn id(&self) -> Option<NodeId> {
        self.node.as_ref().map(|node| node.details.node)
    }
}

/// Ways on that the search itself would go.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// What both sides would play as things stand.
    pub most_proving: Vec<Move>,
    /// To the open reply that is farthest from a proof.
    pub hardest: Vec<Move>,
}

/// The ways on from a node.
pub async fn ways(coordinator: &Coordinator, sight: &Sight) -> Result<Ways, LookError> {
    let Some(id) = sight.id() else {
        return Ok(Ways::default());
    };
    let at = sight.position.clone();
    let ways = coordinator.ask(move |core| Ways {
        most_proving: turned_line(at.clone(), &most_proving(core, id)),
        hardest: turned_line(at, &hardest_reply(core, id)),
    });
    Ok(ways.await?)
}

/// An address of a node: a search that it belongs to, and moves that lead to it.
pub async fn place_of(coordinator: &Coordinator, node: NodeId) -> Result<Option<Place>, LookError> {
    let found = coordinator.ask(move |core| {
        let mut way = Vec::new();
        let mut at = node;
        loop {
            if let Some(view) = core.searches().find(|view| view.root == at) {
                let root = core.position(view.root)?;
                let root = root.transformed(view.symmetry.inverse());
                way.reverse();
                let moves = turned_line(root, &way);
                return Some(Place {
                    search: view.search,
                    moves,
                });
            }
            let parent = core.parents(at).into_iter().min()?;
            let children = core.children(parent).into_iter();
            let mv = children
                .filter(|child| child.node == at)
                .map(|child| child.mv)
                .next()?;
            way.push((at, mv));
            at = parent;
        }
    });
    Ok(found.await?)
}
