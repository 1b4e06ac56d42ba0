//! Rules that a test can break, one at a time, to show that breaking it is noticed.
//!
//! Without the feature `mutations` every rule holds and the compiler knows it.

/// A rule that keeps the solver sound: see `docs/theory.md`, "Zones" and "Guards".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A defender who can complete a line does so instead of blocking.
    DefenderCompletes,
    /// All minimal blocks count, also those with more stones than needed.
    RelaxedBlocks,
    /// A defender who fills the board is not beaten.
    FullBoard,
    /// After a completed line the defender harms by completing his own.
    LimitWhenCompleted,
    /// A threat's empty squares must stay free of the defender.
    KeepThreats,
    /// With a threat on the board the defender harms by coming within p of a line.
    LimitWhenThreatened,
    /// The attacker's own moves must stay free of the defender.
    KeepOwnMoves,
    /// Null stones lower the limits of the zone they leave.
    LowerByNulls,
    /// A node's zone unites those of all replies.
    UniteReplies,
    /// Single stones on a segment of limit 1 are looked at.
    SinglesOnSegments,
    /// Sets of stones on a segment with as high a limit are looked at.
    SetsOnSegments,
    /// A partial move's completions are looked at.
    Extensions,
    /// An excused stone uses up one of its segments' limits.
    LowerByExcused,
    /// Extra stones on the squares that must stay free are not excused.
    ExcuseKeepsFree,
    /// Extra stones up to a segment's limit are not excused.
    ExcuseKeepsLimits,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 15] = [
        Self::DefenderCompletes,
        Self::RelaxedBlocks,
        Self::FullBoard,
        Self::LimitWhenCompleted,
        Self::KeepThreats,
        Self::LimitWhenThreatened,
        Self::KeepOwnMoves,
        Self::LowerByNulls,
        Self::UniteReplies,
        Self::SinglesOnSegments,
        Self::SetsOnSegments,
        Self::Extensions,
        Self::LowerByExcused,
        Self::ExcuseKeepsFree,
        Self::ExcuseKeepsLimits,
    ];
}

#[cfg(feature = "mutations")]
thread_local! {
    static BROKEN: std::cell::Cell<Option<Rule>> = const { std::cell::Cell::new(None) };
}

/// Breaks a rule for this thread, or mends all.
#[cfg(feature = "mutations")]
pub fn break_rule(rule: Option<Rule>) {
    BROKEN.set(rule);
}

#[cfg(feature = "mutations")]
pub(crate) fn holds(rule: Rule) -> bool {
    BROKEN.get() != Some(rule)
}

#[cfg(not(feature = "mutations"))]
#[inline(always)]
pub(crate) const fn holds(_: Rule) -> bool {
    true
}
