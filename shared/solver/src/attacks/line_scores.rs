use gridproof_threats::windows::{Windows, all_cells, offsets};
use gridproof_threats::{LineId, MAX_LINES, Shape};

/// Sums of so much, for as many segments as there can be, fit into a word.
const MOST_WEIGHT: u32 = 1 << 20;

/// What the attacker's segments of one line are worth to each square.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineScore {
    /// What it was worked out for: another stone changes one of these.
    stones: u32,
    open: u32,
    /// Offsets with a score.
    pub(super) scored: u32,
    pub(super) scores: [u32; 32],
}

/// What lines were worth when they were last looked at. Few of them change from one position to
/// the next.
#[derive(Debug)]
pub(super) struct LineScores(Vec<LineScore>);

impl LineScores {
    pub(super) fn new() -> Self {
        let unknown = LineScore {
            stones: 0,
            open: 0,
            scored: 0,
            scores: [0; 32],
        };
        Self(vec![unknown; MAX_LINES])
    }

    #[inline]
    pub(super) fn of<S: Shape>(
        &mut self,
        shape: S,
        line: LineId,
        stones: u32,
        open: u32,
    ) -> &LineScore {
        let known = &mut self.0[line.index()];
        if (known.stones, known.open) != (stones, open) {
            known.work_out(shape, stones, open);
        }
        known
    }
}

impl LineScore {
    /// A segment of n stones is worth 1 + 3 + 9 + ..., n terms, to each of its squares.
    fn work_out<S: Shape>(&mut self, shape: S, stones: u32, open: u32) {
        (self.stones, self.open) = (stones, open);
        self.scores = [0; 32];
        let k = shape.in_a_row();
        let windows = Windows::count(shape, stones);
        let occupied = windows.at_least(1) & open;
        self.scored = all_cells(shape, occupied);
        let mut weight: u32 = 1;
        for count in 1..k as i32 {
            let segments = windows.at_least(count) & open;
            if segments == 0 {
                break;
            }
            for start in offsets(segments) {
                let first = usize::from(start);
                for score in &mut self.scores[first..first + k as usize] {
                    *score += weight;
                }
            }
            weight = (3 * weight).min(MOST_WEIGHT);
        }
    }
}
