//! A proof too large to hold in memory as it stands, told and checked as a stream.
//!
//! On this board White can never complete a line, and Black only those that were left open:
//! five lines with three empty squares each, and six squares where three such lines meet.
//! Black could play at a meeting point at once, which makes more threats than White can
//! hit. It first plays out the five lines instead, one a turn: White must take the third
//! square and has a stone to spare, for any of the other empty squares. So the positions
//! are the sets of squares that White has spent its spare stones on.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};

use gridproof_certificate::{
    CheckLimits, Claim, Event, ProofWriter, SharedId, WriteError, check_file,
};
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use rustc_hash::FxHashMap;

const BOARD: [&str; 19] = [
    "WBBWWBWWWBBWBBBBWBB",
    "WBBB...WWBBBBWWWBBB",
    "WWBWWB.W.BBWBBB.BWW",
    "BWWBBWBBBBBW.WBWWBB",
    "BBWBWBBWBWBW..BBWWW",
    "BW.BWW.WBWWW..B.BBW",
    "W..BWWBW.BBWWWBBWW.",
    "WBBBBBWW.B.BB.W.WBB",
    "BBWW.W.BWBWBBBBW.WB",
    "WB.BB.WBBBBWBBBBBWW",
    "BWB.BBBW.WWB.W.WWBW",
    "WWWWBBBBWBWB.BWWB..",
    "BBBBWBWBWB.WW.WBBW.",
    "WB.B.B.W.WBW.BWBB.B",
    "WWWWBWBWBW.WB.BBWB.",
    "WBWWWWBW.BBBW.BBW.B",
    "BBWBWW.BBW.B.WWBWBB",
    "BWWBWWBB.WBWBBBWBBW",
    "BBBBWW.BBWWWBB..B.W",
];

const LINES: [&str; 5] = [
    "M3 N4 R8",
    "C13 E11 F10",
    "I2 I4 I6",
    "O9 Q11 S13",
    "S5 S7 S8",
];

/// The meeting point first, then two squares of each of its three lines.
const MEETINGS: [&str; 6] = [
    "M14 N14 P14 M15 M16 N15 P17",
    "K7 I9 G11 K5 K3 M9 P12",
    "G6 E6 C6 G3 G1 D9 C10",
    "G18 F18 E18 G17 G14 C14 B13",
    "R1 N5 M6 P1 O1 R4 R6",
    "I12 M8 N7 K12 N12 I13 I17",
];

/// Squares that White has spent its spare stones on, as bits over all empty squares.
type Spent = u64;

/// Which positions are told once, however many ways lead there.
#[derive(Clone, Copy, PartialEq)]
enum Sharing {
    Everywhere,
    /// Those after the last line are told anew for each parent: a small graph under a huge
    /// number of leaves.
    AllButLast,
}

/// The proof, told from the outside in.
struct Lattice {
    sharing: Sharing,
    start: Position,
    squares: Vec<Square>,
    lines: Vec<Vec<usize>>,
    meetings: Vec<Vec<usize>>,
    /// Of each turn's positions: how many parents lead there.
    parents: Vec<FxHashMap<Spent, u32>>,
    told: Vec<FxHashMap<Spent, SharedId>>,
    next_shared: u64,
}

impl Lattice {
    /// Plays out so many lines first.
    fn new(turns: usize, sharing: Sharing) -> Self {
        let mut stones = [SquareSet::EMPTY; 2];
        let mut squares = Vec::new();
        for (row, text) in BOARD.iter().rev().enumerate() {
            for (column, letter) in text.chars().enumerate() {
                let square = Square::new(column as u8, row as u8);
                match Colour::from_letter(letter) {
                    Some(colour) => stones[colour.index()].insert(square),
                    None => squares.push(square),
                }
            }
        }
        let index = |name: &str| {
            let square: Square = name.parse().unwrap();
            squares.iter().position(|s| *s == square).unwrap()
        };
        let read = |names: &str| names.split(' ').map(index).collect::<Vec<_>>();
        let [black, white] = stones;
        let mut lattice = Self {
            sharing,
            start: Position::of_stones(Rules::CONNECT6, &black, &white, Colour::Black).unwrap(),
            lines: LINES[..turns].iter().map(|names| read(names)).collect(),
            meetings: MEETINGS.iter().map(|names| read(names)).collect(),
            squares,
            parents: vec![FxHashMap::default(); turns + 1],
            told: vec![FxHashMap::default(); turns + 1],
            next_shared: 0,
        };
        lattice.parents[0].insert(0, 1);
        for turn in 0..turns {
            let here: Vec<Spent> = lattice.parents[turn].keys().copied().collect();
            for spent in here {
                if lattice.is_open(turn, spent) {
                    for next in [spent].into_iter().chain(lattice.spare(turn, spent)) {
                        *lattice.parents[turn + 1].entry(next).or_default() += 1;
                    }
                }
            }
        }
        lattice
    }

    fn nodes(&self) -> u64 {
        let told = |(turn, positions): (usize, &FxHashMap<Spent, u32>)| {
            let times = |parents: &u32| match self.is_shared(turn) {
                true => 1,
                false => u64::from(*parents),
            };
            positions.values().map(times).sum::<u64>()
        };
        2 * self.parents.iter().enumerate().map(told).sum::<u64>()
    }

    fn is_shared(&self, turn: usize) -> bool {
        turn < self.lines.len() || self.sharing == Sharing::Everywhere
    }

    /// Whether this turn's line is still to be had.
    fn is_open(&self, turn: usize, spent: Spent) -> bool {
        let line = self.lines.get(turn);
        line.is_some_and(|line| line.iter().all(|i| spent >> i & 1 == 0))
    }

    /// Where White's spare stone may go once it has taken the third square of the line.
    fn spare(&self, turn: usize, spent: Spent) -> impl Iterator<Item = Spent> + use<> {
        let gone = self.lines[..=turn]
            .iter()
            .flatten()
            .fold(spent, |set, i| set | 1 << i);
        let count = self.squares.len();
        (0..count)
            .filter(move |i| gone >> i & 1 == 0)
            .map(move |i| spent | 1 << i)
    }

    fn mv(&self, places: &[usize], nulls: u8) -> Move {
        Move::new(places.iter().map(|i| self.squares[*i]), nulls)
    }

    fn tell<W: Write>(
        &mut self,
        turn: usize,
        spent: Spent,
        out: &mut ProofWriter<W>,
    ) -> Result<(), WriteError> {
        if let Some(&shared) = self.told[turn].get(&spent) {
            return out.write(&Event::Again(shared));
        }
        let later = match self.is_shared(turn) {
            true => self.parents[turn][&spent] - 1,
            false => 0,
        };
        if later > 0 {
            self.told[turn].insert(spent, SharedId(self.next_shared));
            self.next_shared += 1;
        }
        let open = self.is_open(turn, spent);
        let mv = match open {
            true => self.mv(&self.lines[turn][..2], 0),
            false => self.winning_move(spent),
        };
        out.write(&Event::Attack {
            mv,
            completes: false,
            later,
        })?;
        let next: Vec<Spent> = match open {
            true => [spent].into_iter().chain(self.spare(turn, spent)).collect(),
            false => Vec::new(),
        };
        let replies = next.len() as u32;
        out.write(&Event::Defend { replies, later: 0 })?;
        for after in next {
            let third = self.lines[turn][2];
            let mv = match after == spent {
                true => self.mv(&[third], 1),
                false => self.mv(&[third, (after ^ spent).trailing_zeros() as usize], 0),
            };
            out.write(&Event::Reply { mv, like: None })?;
            self.tell(turn + 1, after, out)?;
        }
        Ok(())
    }

    /// At a meeting point that White has left alone; the other stone on a line of it.
    fn winning_move(&self, spent: Spent) -> Move {
        let untouched = |squares: &&Vec<usize>| squares.iter().all(|i| spent >> i & 1 == 0);
        let meeting = self.meetings.iter().find(untouched);
        self.mv(
            &meeting.expect("there is one meeting more than turns")[..2],
            0,
        )
    }
}

fn told_and_checked(turns: usize, sharing: Sharing) -> u64 {
    let mut lattice = Lattice::new(turns, sharing);
    let nodes = lattice.nodes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lattice.gpf");
    let claim = Claim {
        start: lattice.start.clone(),
        attacker: Colour::Black,
    };
    let file = BufWriter::new(File::create(&path).unwrap());
    let mut writer = ProofWriter::new(file, claim, nodes).unwrap();
    lattice.tell(0, 0, &mut writer).unwrap();
    writer.finish().unwrap();
    drop(lattice);

    let size = std::fs::metadata(&path).unwrap().len();
    println!(
        "{nodes} nodes in {size} bytes; memory so far {}",
        peak_memory()
    );
    let begin = std::time::Instant::now();
    let file = BufReader::new(File::open(&path).unwrap());
    let checked = check_file(file, CheckLimits::default()).unwrap().checked;
    println!(
        "checked in {:?}; memory at most {}",
        begin.elapsed(),
        peak_memory()
    );
    assert_eq!(checked.nodes, nodes);
    assert_eq!(checked.depth, 2 * turns as u32 + 1);
    nodes
}

/// As the system says it, where it does.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.map_or("unknown".to_owned(), |line| line[6..].trim().to_owned())
}

#[test]
fn a_graph_whose_nodes_have_many_parents_is_checked_as_a_stream() {
    assert_eq!(told_and_checked(2, Sharing::Everywhere), 2_766);
    assert_eq!(told_and_checked(2, Sharing::AllButLast), 5_418);
}

#[test]
#[ignore = "takes minutes; run with --release --ignored --nocapture"]
fn a_proof_of_ten_million_nodes_is_checked_in_bounded_memory() {
    told_and_checked(5, Sharing::Everywhere);
    assert!(told_and_checked(5, Sharing::AllButLast) > 10_000_000);
}
