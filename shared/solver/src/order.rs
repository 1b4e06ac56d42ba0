/// The order of a lambda search: how quiet the attacker's moves may be.
///
/// With p stones a turn, a move of order r leaves at least p + 1 - r threats: with two stones
/// a turn, order 1 is double threats only, order 2 single threats too, order 3 anything.
/// See `docs/theory.md`, "Lambda orders".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order(pub u8);

impl Order {
    /// Victory by continuous double threats (with p stones a turn: by p threats).
    pub const DOUBLE_THREATS: Self = Self(1);
    /// Victory by continuous single threats, or more.
    pub const SINGLE_THREATS: Self = Self(2);

    /// The order whose moves may be quiet: they need not threaten anything.
    #[must_use]
    pub const fn of_quiet_moves(stones_per_turn: u8) -> Self {
        Self(stones_per_turn + 1)
    }

    /// All orders up to this one, the lowest first.
    pub(crate) fn up_to(highest: Self) -> impl Iterator<Item = Self> {
        (1..=highest.0).map(Self)
    }

    /// The least number of threats that a move of this order leaves.
    pub(crate) fn least_threats(self, stones_per_turn: u32) -> u32 {
        (stones_per_turn + 1).saturating_sub(u32::from(self.0))
    }
}
