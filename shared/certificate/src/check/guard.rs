//! The rules that keep false wins out, by name, so that the tests can break them one at a
//! time and see that something goes wrong. Outside this crate's own tests they all hold,
//! and the compiler drops the question.

/// A rule of the checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// The attacker places real stones, no more and no fewer than the turn has.
    AttackerPlacesItsStones,
    /// A line said to be completed is.
    CompletionIsReal,
    /// At a defender's turn it must not be able to complete a line.
    DefenderCannotComplete,
    /// The number of threats is that of the stones it takes to hit them, not of segments.
    ThreatsAreHitNotCounted,
    /// Every inclusion-minimal defence counts, not those with the fewest stones only.
    RelaxedDefences,
    /// Moves with a stone on a square of M must be answered.
    SinglesOnMustStayFree,
    /// Moves with a stone on a segment with L = 1 must be answered.
    SinglesOnLimits,
    /// Moves with several stones that break a limit together must be answered.
    GroupsOnLimits,
    /// The null stones of an answered move lower its limits.
    NullStonesLowerLimits,
    /// The attacker's own moves belong to M.
    AttackSquaresStayFree,
    /// So do the stones that complete the line.
    CompletionSquaresStayFree,
    /// A completed line still needs that the defender had none: L = e.
    CompletionLimits,
    /// The empty squares of the attacker's threats belong to M.
    ThreatSquaresStayFree,
    /// With a threat open, L(G) is at most e - p.
    ThreatLimits,
    /// A reply answered like another must keep clear of that one's M.
    ReplayKeepsSquaresFree,
    /// ... and below its L.
    ReplayKeepsLimits,
    /// ... and leaves lower limits behind.
    ReplayLowersLimits,
    /// A shared node stands for one position.
    SharedNodesAgree,
}

/// Which rules hold: all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guards {
    #[cfg(test)]
    broken: Option<Guard>,
}

impl Guards {
    #[inline]
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests break guards"))]
    pub(crate) fn hold(self, guard: Guard) -> bool {
        #[cfg(test)]
        let holds = self.broken != Some(guard);
        #[cfg(not(test))]
        let holds = {
            let _ = guard;
            true
        };
        holds
    }

    #[cfg(test)]
    pub(crate) const fn all_but(guard: Guard) -> Self {
        Self {
            broken: Some(guard),
        }
    }
}
