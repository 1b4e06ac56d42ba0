use gridproof_game::Rules;

/// The two numbers that decide what a threat is. A board generic over its shape lets the
/// compiler fold them in where they are constant and read them where they are not.
pub trait Shape: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The shape of a game, if this type can be it.
    fn of(rules: &Rules) -> Option<Self>;
    /// k, at most 32 (a longer row fits on no board).
    fn in_a_row(self) -> u32;
    /// p
    fn stones_per_turn(self) -> u32;
}

/// k = 6, p = 2 on a board of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect6;

impl Shape for Connect6 {
    fn of(rules: &Rules) -> Option<Self> {
        (rules.in_a_row() == 6 && rules.stones_per_turn() == 2).then_some(Self)
    }

    #[inline(always)]
    fn in_a_row(self) -> u32 {
        6
    }

    #[inline(always)]
    fn stones_per_turn(self) -> u32 {
        2
    }
}

/// Any k and p, read at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyShape {
    in_a_row: u32,
    stones_per_turn: u32,
}

impl Shape for AnyShape {
    fn of(rules: &Rules) -> Option<Self> {
        Some(Self {
            in_a_row: u32::from(rules.in_a_row()).min(32),
            stones_per_turn: u32::from(rules.stones_per_turn()),
        })
    }

    #[inline(always)]
    fn in_a_row(self) -> u32 {
        self.in_a_row
    }

    #[inline(always)]
    fn stones_per_turn(self) -> u32 {
        self.stones_per_turn
    }
}
