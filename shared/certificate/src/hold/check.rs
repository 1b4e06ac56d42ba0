use gridproof_game::{Colour, Move, Position, Rules, Square, State, Symmetry, lines};
use rustc_hash::FxHashSet;

use super::refusal::HoldRefusal;
use super::{HoldLink, HoldNode, HoldProof};
use crate::place::{place_of, square_at};
use crate::supported::supports;

/// A proof that has been checked: the holder does not lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldChecked {
    /// Where the game stands.
    pub start: Position,
    /// The side that does not lose.
    pub holder: Colour,
    /// Positions with a strategy of their own.
    pub nodes: u64,
    /// How many of them end in a pairing.
    pub pairings: u64,
    /// Moves on the longest way.
    pub depth: u32,
}

/// Checks a proof that a side does not lose. No search; nothing is taken on trust.
pub fn check_hold(proof: &HoldProof) -> Result<HoldChecked, HoldRefusal> {
    let rules = *proof.start.rules();
    supports(&rules)?;
    if proof.start.state() != State::Open {
        return Err(HoldRefusal::Over);
    }
    if proof.nodes.is_empty() {
        return Err(HoldRefusal::Empty);
    }
    let mut checker = Checker::new(proof);
    for node in (0..proof.nodes.len()).rev() {
        checker.check(node)?;
    }
    let is_pairing = |node: &&HoldNode| matches!(node, HoldNode::Pairing { .. });
    Ok(HoldChecked {
        start: proof.start.clone(),
        holder: proof.holder,
        nodes: proof.nodes.len() as u64,
        pairings: proof.nodes.iter().filter(is_pairing).count() as u64,
        depth: checker.deepest,
    })
}

/// What stands on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Empty,
    Holder,
    Opponent,
}

/// A position, by places.
#[derive(Clone, Debug)]
struct Board {
    cells: Vec<Cell>,
    to_move: Colour,
    depth: u32,
}

struct Checker<'a> {
    proof: &'a HoldProof,
    rules: Rules,
    segments: Vec<Vec<usize>>,
    /// Per symmetry: where it takes each place.
    images: Vec<Vec<usize>>,
    /// Positions that links lead to, packed. They are dropped once they are checked.
    positions: Vec<Option<Packed>>,
    deepest: u32,
}

/// A position in two bits a square, with the side to move, and the most moves that lead there.
#[derive(Clone, Debug)]
struct Packed {
    bits: Box<[u8]>,
    to_move: Colour,
    depth: u32,
}

impl<'a> Checker<'a> {
    fn new(proof: &'a HoldProof) -> Self {
        let rules = *proof.start.rules();
        let of_line = |line: &gridproof_game::Line| -> Vec<Vec<usize>> {
            let places =
                |squares: &[Square]| squares.iter().map(|&s| place_of(&rules, s)).collect();
            line.segments(&rules).map(places).collect()
        };
        let images = Symmetry::all(&rules).map(|symmetry| {
            let image = |square| place_of(&rules, symmetry.apply(&rules, square));
            rules.squares().map(image).collect()
        });
        let start = Board {
            cells: rules
                .squares()
                .map(|square| match proof.start.at(square) {
                    None => Cell::Empty,
                    Some(colour) if colour == proof.holder => Cell::Holder,
                    Some(_) => Cell::Opponent,
                })
                .collect(),
            to_move: proof.start.to_move(),
            depth: 0,
        };
        let mut positions = vec![None; proof.nodes.len()];
        if let Some(root) = positions.last_mut() {
            *root = Some(start.packed());
        }
        Self {
            proof,
            rules,
            segments: lines(&rules).iter().flat_map(of_line).collect(),
            images: images.collect(),
            positions,
            deepest: 0,
        }
    }

    fn check(&mut self, node: usize) -> Result<(), HoldRefusal> {
        let packed = self.positions[node].take();
        let board = Board::unpacked(&packed.ok_or(HoldRefusal::Unreached(node))?, &self.rules);
        self.deepest = self.deepest.max(board.depth);
        let proof = self.proof;
        match &proof.nodes[node] {
            HoldNode::Hold { mv, then } => self.check_hold(node, &board, mv, *then),
            HoldNode::Oppose { replies } => self.check_replies(node, &board, replies),
            HoldNode::Pairing { groups } => self.check_pairing(node, &board, groups),
        }
    }

    fn check_hold(
        &mut self,
        node: usize,
        board: &Board,
        mv: &Move,
        then: Option<HoldLink>,
    ) -> Result<(), HoldRefusal> {
        self.check_side(node, board, self.proof.holder)?;
        let after = self.played(node, board, mv)?;
        self.deepest = self.deepest.max(after.depth);
        let completes = self.has_line(&after, Cell::Holder);
        match then {
            None if completes => Ok(()),
            None => Err(HoldRefusal::CompletesNothing {
                node,
                mv: mv.clone(),
                position: self.shown(board),
            }),
            Some(_) if completes => Err(HoldRefusal::GoesOnAfterCompletion {
                node,
                mv: mv.clone(),
            }),
            Some(link) => self.lead_to(node, &after, link),
        }
    }

    fn check_replies(
        &mut self,
        node: usize,
        board: &Board,
        replies: &[(Move, HoldLink)],
    ) -> Result<(), HoldRefusal> {
        self.check_side(node, board, self.proof.holder.other())?;
        let stones = self.turn_length(board);
        if let Some(mv) = self.completing(board, stones) {
            return Err(HoldRefusal::OpponentWins {
                node,
                mv,
                position: self.shown(board),
            });
        }
        let mut listed = FxHashSet::default();
        for (mv, link) in replies {
            if !listed.insert(mv) {
                let mv = mv.clone();
                return Err(HoldRefusal::ListedTwice { node, mv });
            }
            let after = self.played(node, board, mv)?;
            self.lead_to(node, &after, *link)?;
        }
        let p = usize::from(self.rules.stones_per_turn());
        let threats = self.threats_of_holder(board, p);
        let empties = board.empties();
        let mut chosen = Vec::with_capacity(stones);
        let unanswered = first_choice(&empties, stones, &mut chosen, &mut |choice| {
            let blocks = |threat: &Vec<usize>| threat.iter().any(|place| choice.contains(place));
            threats.iter().all(blocks) && !listed.contains(&self.mv(choice))
        });
        match unanswered {
            None => Ok(()),
            Some(choice) => Err(HoldRefusal::Unanswered {
                node,
                mv: self.mv(&choice),
                position: self.shown(board),
            }),
        }
    }

    fn check_pairing(
        &self,
        node: usize,
        board: &Board,
        groups: &[Vec<Square>],
    ) -> Result<(), HoldRefusal> {
        let p = usize::from(self.rules.stones_per_turn());
        if board.is_bare() && self.rules.first_stones() > self.rules.stones_per_turn() {
            return Err(HoldRefusal::FirstTurn(node));
        }
        let mut group_at = vec![None; board.cells.len()];
        let mut sizes = Vec::with_capacity(groups.len());
        for (index, group) in groups.iter().enumerate() {
            for &square in group {
                let place = place_of(&self.rules, square);
                if !self.rules.contains(square)
                    || board.cells[place] != Cell::Empty
                    || group_at[place].is_some()
                {
                    return Err(HoldRefusal::GroupSquare { node, square });
                }
                group_at[place] = Some(index);
            }
            if group.len() <= p {
                return Err(HoldRefusal::GroupSize {
                    node,
                    found: group.len(),
                    needed: p + 1,
                });
            }
            sizes.push(group.len());
        }
        for segment in &self.segments {
            if segment
                .iter()
                .any(|&place| board.cells[place] == Cell::Holder)
            {
                continue;
            }
            let is_on_segment = |group: usize| {
                let on_it = segment
                    .iter()
                    .filter(|place| group_at[**place] == Some(group));
                on_it.count() == sizes[group]
            };
            let mut groups = segment.iter().filter_map(|&place| group_at[place]);
            if !groups.any(is_on_segment) {
                return Err(HoldRefusal::Unpaired {
                    node,
                    from: self.square(segment[0]),
                    to: self.square(segment[segment.len() - 1]),
                    position: self.shown(board),
                });
            }
        }
        Ok(())
    }

    fn check_side(&self, node: usize, board: &Board, expected: Colour) -> Result<(), HoldRefusal> {
        if board.to_move == expected {
            return Ok(());
        }
        Err(HoldRefusal::WrongSide {
            node,
            expected,
            found: board.to_move,
            position: self.shown(board),
        })
    }

    /// The position after a legal move of the side to move.
    fn played(&self, node: usize, board: &Board, mv: &Move) -> Result<Board, HoldRefusal> {
        let own = self.cell(board.to_move);
        let mut after = board.clone();
        let is_free = |square: &Square| {
            self.rules.contains(*square)
                && board.cells[place_of(&self.rules, *square)] == Cell::Empty
        };
        let stones = self.turn_length(board);
        if stones == 0 || !mv.is_full() || mv.len() != stones || !mv.stones().iter().all(is_free) {
            return Err(HoldRefusal::Illegal {
                node,
                mv: mv.clone(),
                position: self.shown(board),
            });
        }
        for &square in mv.stones() {
            after.cells[place_of(&self.rules, square)] = own;
        }
        after.to_move = board.to_move.other();
        after.depth += 1;
        Ok(after)
    }

    /// Notes the position of a link's node, or compares it with what another way led to.
    fn lead_to(&mut self, node: usize, board: &Board, link: HoldLink) -> Result<(), HoldRefusal> {
        let to = link.node as usize;
        let images = &self.images;
        let Some(image) = images
            .get(usize::from(link.symmetry.index()))
            .filter(|_| to < node)
        else {
            let link = link.node;
            return Err(HoldRefusal::Link { node, link });
        };
        let mut turned = board.clone();
        for (place, &cell) in board.cells.iter().enumerate() {
            turned.cells[image[place]] = cell;
        }
        let new = turned.packed();
        match &mut self.positions[to] {
            None => self.positions[to] = Some(new),
            Some(known) if known.bits == new.bits && known.to_move == new.to_move => {
                known.depth = known.depth.max(new.depth);
            }
            Some(_) => return Err(HoldRefusal::OtherPosition(to)),
        }
        Ok(())
    }

    /// Stones of the turn at hand.
    fn turn_length(&self, board: &Board) -> usize {
        let wanted = match board.is_bare() && board.to_move == Colour::Black {
            true => self.rules.first_stones(),
            false => self.rules.stones_per_turn(),
        };
        board.empties().len().min(usize::from(wanted))
    }

    /// A move of the opponent that completes a line: a segment without a stone of the holder in
    /// which it misses so few stones.
    fn completing(&self, board: &Board, stones: usize) -> Option<Move> {
        let missing = |segment: &Vec<usize>| {
            let free = |cell| segment.iter().all(|&place| board.cells[place] != cell);
            let empty = |place: &&usize| board.cells[**place] == Cell::Empty;
            let missing: Vec<usize> = segment.iter().filter(empty).copied().collect();
            (free(Cell::Holder) && missing.len() <= stones).then_some(missing)
        };
        let missing = self.segments.iter().find_map(missing)?;
        Some(self.mv(&missing))
    }

    /// The empty places of each segment without a stone of the opponent in which the holder
    /// misses at most so many stones.
    fn threats_of_holder(&self, board: &Board, stones: usize) -> Vec<Vec<usize>> {
        let missing = |segment: &Vec<usize>| {
            let closed = segment
                .iter()
                .any(|&place| board.cells[place] == Cell::Opponent);
            let empty = |place: &&usize| board.cells[**place] == Cell::Empty;
            let missing: Vec<usize> = segment.iter().filter(empty).copied().collect();
            (!closed && missing.len() <= stones).then_some(missing)
        };
        self.segments.iter().filter_map(missing).collect()
    }

    fn has_line(&self, board: &Board, cell: Cell) -> bool {
        let is_whole =
            |segment: &Vec<usize>| segment.iter().all(|&place| board.cells[place] == cell);
        self.segments.iter().any(is_whole)
    }

    fn cell(&self, colour: Colour) -> Cell {
        match colour == self.proof.holder {
            true => Cell::Holder,
            false => Cell::Opponent,
        }
    }

    fn square(&self, place: usize) -> Square {
        square_at(&self.rules, place as u64).expect("places are those of the board")
    }

    fn mv(&self, places: &[usize]) -> Move {
        Move::full(places.iter().map(|&place| self.square(place)))
    }

    /// The position, for people.
    fn shown(&self, board: &Board) -> String {
        let of = |colour: Colour| {
            let cell = self.cell(colour);
            let places = (0..board.cells.len()).filter(|&place| board.cells[place] == cell);
            let names: Vec<_> = places.map(|place| self.square(place).to_string()).collect();
            match names.is_empty() {
                true => "nowhere".to_owned(),
                false => format!("on {}", names.join(" ")),
            }
        };
        let (black, white) = (of(Colour::Black), of(Colour::White));
        format!("with Black {black} and White {white}")
    }
}

impl Board {
    fn empties(&self) -> Vec<usize> {
        let is_empty = |place: &usize| self.cells[*place] == Cell::Empty;
        (0..self.cells.len()).filter(is_empty).collect()
    }

    fn is_bare(&self) -> bool {
        self.cells.iter().all(|cell| *cell == Cell::Empty)
    }

    fn packed(&self) -> Packed {
        let four = |cells: &[Cell]| {
            let bits = cells.iter().enumerate();
            bits.fold(0, |byte, (at, &cell)| byte | (cell as u8) << (2 * at))
        };
        Packed {
            bits: self.cells.chunks(4).map(four).collect(),
            to_move: self.to_move,
            depth: self.depth,
        }
    }

    fn unpacked(packed: &Packed, rules: &Rules) -> Self {
        let cell = |place: usize| match packed.bits[place / 4] >> (2 * (place % 4)) & 3 {
            0 => Cell::Empty,
            1 => Cell::Holder,
            _ => Cell::Opponent,
        };
        Self {
            cells: (0..rules.area()).map(cell).collect(),
            to_move: packed.to_move,
            depth: packed.depth,
        }
    }
}

/// The first choice of so many of some places that is as wanted.
fn first_choice(
    places: &[usize],
    count: usize,
    chosen: &mut Vec<usize>,
    wanted: &mut impl FnMut(&[usize]) -> bool,
) -> Option<Vec<usize>> {
    if count == 0 {
        return wanted(chosen).then(|| chosen.clone());
    }
    for (at, &place) in places.iter().enumerate() {
        chosen.push(place);
        let found = first_choice(&places[at + 1..], count - 1, chosen, wanted);
        chosen.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}
