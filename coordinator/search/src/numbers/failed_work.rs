//! Work that has led nowhere so far.

use super::Number;

/// About how many answers there are to what is open, at a node and below it. What is proved or
/// has failed counts for nothing; a node that can be reached in two ways counts twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FailedWork(u32);

impl FailedWork {
    pub(crate) const NOTHING: Self = Self(0);

    pub(crate) const fn answers(answers: u16) -> Self {
        Self(answers as u32)
    }

    pub(crate) const fn and(self, below: Self) -> Self {
        Self(self.0.saturating_add(below.0))
    }

    /// To four binary digits. All nodes keep it so: then most answers change nothing a few moves
    /// further up, and what lies there need not be worked out again for each.
    pub(crate) const fn rounded(self) -> Self {
        let digits = u32::BITS - self.0.leading_zeros();
        let dropped = digits.saturating_sub(4);
        let half = (1 << dropped) / 2;
        Self((self.0.saturating_add(half) >> dropped) << dropped)
    }

    pub(crate) const fn count(self) -> Number {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_large_counts_four_digits_are_kept() {
        for (exact, kept) in [
            (0, 0),
            (15, 15),
            (17, 18),
            (40, 40),
            (41, 40),
            (0b1111_1000, 256),
        ] {
            assert_eq!(FailedWork(exact).rounded(), FailedWork(kept), "{exact}");
        }
        assert!(FailedWork(u32::MAX).rounded().0 >= u32::MAX / 16 * 15);
    }

    #[test]
    fn counts_stop_before_they_overflow() {
        let most = FailedWork(u32::MAX);
        assert_eq!(most.and(FailedWork::answers(7)), most);
    }
}
