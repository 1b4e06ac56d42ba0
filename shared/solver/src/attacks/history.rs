use gridproof_game::Square;

/// What won and what held before. It only orders moves: nothing is concluded from it.
#[derive(Clone, Debug)]
pub(crate) struct History {
    won: Vec<u16>,
    held: Vec<i16>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            won: vec![0; Square::COUNT],
            held: vec![0; Square::COUNT],
        }
    }

    /// The first look at a defender's reply did not win, or did.
    pub(crate) fn note_reply(&mut self, stones: &[Square], held: bool) {
        for stone in stones {
            let score = &mut self.held[stone.index()];
            *score += ((if held { 1024 } else { -1024 }) - *score) / 16;
        }
    }

    /// How likely a reply is to hold.
    pub(crate) fn holds(&self, stones: &[Square]) -> i32 {
        let scores = stones
            .iter()
            .map(|stone| i32::from(self.held[stone.index()]));
        scores.max().unwrap_or(0)
    }

    pub(crate) fn reward(&mut self, stones: &[Square]) {
        for stone in stones {
            let score = &mut self.won[stone.index()];
            *score = (*score + 8).min(64);
        }
    }

    pub(crate) fn of(&self, square: Square) -> u32 {
        u32::from(self.won[square.index()])
    }
}
