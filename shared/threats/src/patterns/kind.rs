use std::fmt;

/// What a Connection is worth to its owner, from worst to best.
///
/// The number is that of stones in its best segment when six in a row win; with another k,
/// read it as 6 less the stones that are missing. A *live* one leads to two threats, a *dead*
/// one to a single threat at most. A *sleeping* one is no more now, but can still become two
/// threats that one stone completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ConnectionType {
    /// `O`: nothing that two stones turn into two threats.
    Other,
    /// `L2`: two stones make it two threats.
    Live2,
    /// `D3`
    Dead3,
    /// `S3`: two stones make it two threats, of which one stone completes one.
    Sleep3,
    /// `L3`: one stone makes it two threats.
    Live3,
    /// `D4`: one threat, that two stones complete.
    Dead4,
    /// `S4`: as `D4`, but one stone makes it two threats, of which one stone completes one.
    Sleep4,
    /// `L4`: two threats, that two stones complete.
    Live4,
    /// `D5`: one threat, that one stone completes.
    Dead5,
    /// `L5`: two threats, that one stone completes.
    Live5,
    /// `DW`: more threats than the other side has stones.
    DefinitelyWin,
    /// `WIN`: k in a row.
    Win,
}

impl ConnectionType {
    /// All types, worst first.
    pub const ALL: [Self; 12] = [
        Self::Other,
        Self::Live2,
        Self::Dead3,
        Self::Sleep3,
        Self::Live3,
        Self::Dead4,
        Self::Sleep4,
        Self::Live4,
        Self::Dead5,
        Self::Live5,
        Self::DefinitelyWin,
        Self::Win,
    ];

    /// The paper's name.
    const fn name(self) -> &'static str {
        match self {
            Self::Other => "O",
            Self::Live2 => "L2",
            Self::Dead3 => "D3",
            Self::Sleep3 => "S3",
            Self::Live3 => "L3",
            Self::Dead4 => "D4",
            Self::Sleep4 => "S4",
            Self::Live4 => "L4",
            Self::Dead5 => "D5",
            Self::Live5 => "L5",
            Self::DefinitelyWin => "DW",
            Self::Win => "WIN",
        }
    }

    /// From 0 to 11, worst first: for tables indexed by type.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ConnectionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
