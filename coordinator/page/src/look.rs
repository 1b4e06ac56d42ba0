//! What the screens need of the coordinator. Looking changes nothing in the search.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gridproof_game::{Colour, Move, Position, Symmetry};
use gridproof_grid::coordinator::{
    ChildFilter, ChildOrder, Coordinator, CoordinatorGone, NodeDetails, Page, hardest_reply,
    most_proving, turned_line,
};
use gridproof_search::{Core, NodeId, SearchId, SearchView};

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
    pub filter: ChildFilter,
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
                .node(id, selection.order, selection.filter, page)
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
    /// To where most is left undone: the open move with the most work below it.
    pub largest: Option<Move>,
}

/// The ways on from a node.
pub async fn ways(coordinator: &Coordinator, sight: &Sight) -> Result<Ways, LookError> {
    let Some(id) = sight.id() else {
        return Ok(Ways::default());
    };
    let at = sight.position.clone();
    let ways = coordinator.ask(move |core| {
        let open = core.children(id).into_iter();
        let open = open.filter(|child| !child.numbers.is_solved());
        let work = |node| core.node(node).map_or(0, |view| view.work);
        let largest = open.max_by_key(|child| (work(child.node), Reverse(child.node)));
        let largest = largest.map(|child| (child.node, child.mv));
        Ways {
            most_proving: turned_line(at.clone(), &most_proving(core, id)),
            hardest: turned_line(at.clone(), &hardest_reply(core, id)),
            largest: turned_line(at, largest.as_slice()).pop(),
        }
    });
    Ok(ways.await?)
}

/// An address of a node: a search that it belongs to, and moves that lead to it.
pub async fn place_of(coordinator: &Coordinator, node: NodeId) -> Result<Option<Place>, LookError> {
    let places = places_of(coordinator, vec![node]).await?;
    Ok(places.into_iter().next().flatten())
}

/// The same for several nodes.
pub async fn places_of(
    coordinator: &Coordinator,
    nodes: Vec<NodeId>,
) -> Result<Vec<Option<Place>>, LookError> {
    let found =
        coordinator.ask(move |core| nodes.iter().map(|&node| way_to(core, node, None)).collect());
    Ok(found.await?)
}

/// The last moves of ways that are drawn.
const WAYS_SHOWN: usize = 8;

/// The ways that lead to a node, one for each move that ends in it.
pub async fn ways_to(coordinator: &Coordinator, node: NodeId) -> Result<Vec<Place>, LookError> {
    let found = coordinator.ask(move |core| {
        let parents = BTreeSet::from_iter(core.parents(node));
        let moves = parents.into_iter().flat_map(|parent| {
            let children = core.children(parent).into_iter();
            let to_node = children.filter(|child| child.node == node);
            to_node.map(move |child| (parent, child.mv))
        });
        let ways = moves.filter_map(|last| way_to(core, node, Some(last)));
        ways.take(WAYS_SHOWN).collect()
    });
    Ok(found.await?)
}

/// Up by the oldest parents to a search's root; by a certain move of a parent first, if one is
/// named.
fn way_to(core: &Core, node: NodeId, mut last: Option<(NodeId, Move)>) -> Option<Place> {
    let mut way = Vec::new();
    let mut at = node;
    loop {
        let root = core.searches().find(|view| view.root == at);
        if let (Some(view), None) = (root, &last) {
            let root = core.position(view.root)?;
            let root = root.transformed(view.symmetry.inverse());
            way.reverse();
            return Some(Place {
                search: view.search,
                moves: turned_line(root, &way),
            });
        }
        let (parent, mv) = last.take().or_else(|| {
            let parent = core.parents(at).into_iter().min()?;
            let mut children = core.children(parent).into_iter();
            Some((parent, children.find(|child| child.node == at)?.mv))
        })?;
        way.push((at, mv));
        at = parent;
    }
}

/// Addresses of nodes, or of the positions after moves of theirs.
pub async fn places_after(
    coordinator: &Coordinator,
    moves: Vec<(NodeId, Option<Move>)>,
) -> Result<Vec<Option<Place>>, LookError> {
    let found = coordinator.ask(move |core| {
        let place = |(node, mv): &(NodeId, Option<Move>)| {
            let Some(mv) = mv else {
                return way_to(core, *node, None);
            };
            let mut children = core.children(*node).into_iter();
            let child = children.find(|child| child.mv == *mv)?;
            way_to(core, child.node, Some((*node, child.mv)))
        };
        moves.iter().map(place).collect()
    });
    Ok(found.await?)
}
