//! Every number that was tuned, and the command that made it.

use gridproof_solver::Order;

use crate::candidates::Width;
use crate::evaluate::{ByMissing, Potential, SIndexWeights};
use crate::opening_shape::OpeningShape;

/// Worth of segments for the first choice of the attacker's quiet moves.
pub(crate) const QUIET: Potential = Potential {
    own: [400, 200, 120, 18, 8, 1],
    blocked: [0, 60, 60, 9, 3, 0],
    straight: 8,
    diagonal: 11,
};

pub(crate) const QUIET_WIDTH: Width = Width {
    half_moves: 60,
    moves: 600,
};

/// Percent of a job that the solver may spend before anything is ranked. Ten openings with 12
/// million nodes each: five proved with 69% of 450,000 nodes, three of eight with 42% of 240,000,
/// two of eight with 84% of 900,000; ranking gets 140,000 in each. Not measured with more nodes.
pub(crate) const SOLVER_SHARE: u64 = 69;

/// How many moves one job suggests, since ranking them is what costs.
pub(crate) const SUGGESTIONS: usize = 8;

/// The same for a side that has one stone.
pub(crate) const FIRST_SUGGESTIONS: usize = 24;

/// The shapes that a side's next two stones make with its only one, best first. All of 81
/// openings that were proved are won by one of these: 65, 13, 2 and 1. There are 24 ways to place
/// them, and the ranking had left many out for worse.
pub(crate) const OPENING_SHAPES: [OpeningShape; 4] = [
    // J10 with I11 J12
    [2, 4, 2],
    // with J9 I10
    [1, 1, 2],
    // with K9 K10
    [1, 2, 1],
    // with K9 K11
    [2, 2, 4],
];

/// What moves are ranked by, less being better.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rank {
    /// Per unit of worth, before a move is verified.
    pub(crate) worth: i32,
    /// Per square where one more stone of the defender matters.
    pub(crate) zone_square: i32,
    /// Per semi-null move that was not beaten.
    pub(crate) open_semi_null: i32,
    /// Per reply that the verifier leaves open.
    pub(crate) open_reply: i32,
    /// An open reply with a null stone counts as so many full ones.
    pub(crate) open_partial: u32,
    /// Per unit of worth, among verified moves.
    pub(crate) worth_of_verified: i32,
}

pub(crate) const RANK: Rank = Rank {
    worth: 3,
    zone_square: 8,
    open_semi_null: 120,
    open_reply: 8,
    open_partial: 5,
    worth_of_verified: 3,
};

/// What each stage of the ranking may look at and spend. Shares are percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages {
    /// How quiet the moves that beat the null move may be.
    pub(crate) null_order: Order,
    pub(crate) null_share: u64,
    pub(crate) null_nodes: u64,
    pub(crate) semi_null_share: u64,
    pub(crate) semi_null_moves: usize,
    pub(crate) semi_null_nodes: u64,
    /// A move is dropped when it leaves so many more semi-null moves open than the best.
    pub(crate) semi_null_slack: u32,
    pub(crate) verified_moves: usize,
    pub(crate) verifier_nodes: u64,
    /// Nodes for all replies together: a move that needs more leaves too many open.
    pub(crate) verifier_most: u64,
    /// A move that leaves no more open than this is verified again,
    pub(crate) retry_open: u32,
    /// with so many nodes for each reply
    pub(crate) retry_nodes: u64,
    /// and so many for all.
    pub(crate) retry_most: u64,
}

impl Stages {
    /// For a game of so many stones a turn.
    pub(crate) const fn of(stones_per_turn: u8) -> Self {
        match stones_per_turn {
            1 => STAGES_OF_ONE_STONE,
            _ => STAGES_OF_CONNECT6,
        }
    }
}

/// With one stone a turn there are few moves, and telling them apart takes longer: beating the null
/// move needs quiet moves itself. Set by hand.
const STAGES_OF_ONE_STONE: Stages = Stages {
    null_order: Order(2),
    null_share: 40,
    null_nodes: 1_500,
    semi_null_share: 40,
    semi_null_moves: 12,
    semi_null_nodes: 400,
    semi_null_slack: 4,
    verified_moves: 5,
    verifier_nodes: 400,
    verifier_most: 30_000,
    retry_open: 20,
    retry_nodes: 4_000,
    retry_most: 60_000,
};

/// Tuned for Connect6, and used for all games of several stones a turn.
const STAGES_OF_CONNECT6: Stages = Stages {
    null_order: Order::DOUBLE_THREATS,
    null_share: 14,
    null_nodes: 180,
    semi_null_share: 26,
    semi_null_moves: 24,
    semi_null_nodes: 150,
    semi_null_slack: 4,
    verified_moves: 5,
    verifier_nodes: 100,
    verifier_most: 15_000,
    retry_open: 20,
    retry_nodes: 4_000,
    retry_most: 60_000,
};

/// The half-move evaluation, as the defensive-strategy thesis prints it.
pub(crate) const HALF_MOVE: HalfMove = HalfMove {
    empty: 2.0,
    stones: [4096.0, 2048.0, 1024.0, 512.0, 256.0],
    free_directions: [
        1.0,
        1.0,
        1.000_001_818_62,
        1.000_003_637_25,
        1.000_007_265_62,
    ],
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfMove {
    pub(crate) empty: f64,
    /// By distance, from 1.
    pub(crate) stones: [f64; 5],
    /// By the number of directions without a stone of the other side. The thesis names no
    /// value for none.
    pub(crate) free_directions: [f64; 5],
}

/// The beam-search paper's table 2, of its first agent. The paper has no 1-index.
pub const BEAM_BY_HAND: SIndexWeights = SIndexWeights {
    own: [1e30, 1e6, 1e6, 1e3, 1e2, 0.0],
    other: [-1e29, -1e10, -1e10, -1e4, -1e2, 0.0],
};

/// The same after self-play: 61 won and 39 lost against those by hand. Made by
/// `cargo bench -p gridproof-engine --bench tune_beam -- 3`, rounded.
pub const BEAM_TUNED: SIndexWeights = SIndexWeights {
    own: [1e30, 3.46e5, 1.12e6, 4.2e3, 87.0, 0.0],
    other: [-1e29, -7.07e9, -1.01e10, -6.14e3, -101.0, 0.0],
};

/// The playing engine. `judged` and `connections` were chosen over matches of 300 games with
/// 2,000 nodes: 12 and 100 won 281 against `defensive-search` and 296 against `beam:1,1`. All
/// moves in the order of their Connections won about 71 and 96 in a hundred.
pub(crate) const PLAY: Play = Play {
    potential: Potential {
        own: [400, 200, 120, 18, 8, 1],
        blocked: [0, 150, 150, 24, 8, 1],
        straight: 8,
        diagonal: 9,
    },
    width_without_search: Width {
        half_moves: 16,
        moves: 12,
    },
    width: Width {
        half_moves: 36,
        moves: 60,
    },
    width_in_danger: Width {
        half_moves: 60,
        moves: 300,
    },
    ours: [400, 90, 60, 20, 8, 1],
    theirs: [400, 60, 50, 18, 8, 1],
    judged: 12,
    connections: 100,
    win_share: 25,
    danger_share: 10,
    check_fraction: 2,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// Chooses the moves to look at, for both sides.
    pub(crate) potential: Potential,
    /// No more than this where moves are not checked: it is what such a player's time goes into.
    pub(crate) width_without_search: Width,
    pub(crate) width: Width,
    /// When the opponent wins if we do nothing: the saving move may be an odd one.
    pub(crate) width_in_danger: Width,
    pub(crate) ours: ByMissing<i32>,
    pub(crate) theirs: ByMissing<i32>,
    /// So many moves with the best potential are put in order by their Connections,
    pub(crate) judged: usize,
    /// of which each unit counts as so much potential.
    pub(crate) connections: i32,
    /// Percent of a move's nodes for the search for a win.
    pub(crate) win_share: u64,
    /// Percent for the opponent's win if we did nothing.
    pub(crate) danger_share: u64,
    /// A move is checked for a win of the opponent with this part of the nodes left.
    pub(crate) check_fraction: u64,
}

/// Worth of Connections by type, from O to WIN, for the side that has just moved. Set by hand:
/// what the other side can turn into three threats at once counts more than what we have.
pub(crate) const CONNECTIONS: ConnectionWeights = ConnectionWeights {
    own: [0, 10, 12, 30, 60, 60, 90, 200, 70, 210, 100_000, 1_000_000],
    other: [
        0, 10, 12, 40, 120, 5_000, 5_000, 20_000, 5_000, 20_000, 50_000, 1_000_000,
    ],
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionWeights {
    pub(crate) own: [i32; 12],
    pub(crate) other: [i32; 12],
}
