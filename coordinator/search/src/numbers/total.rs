//! How children's numbers make one.

use super::{INFINITE, LARGEST, Number};

/// The answer to a node being counted once for every way that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Overcounting {
    /// None: numbers add up, as in a tree.
    Sum,
    /// Weak proof numbers (Ueda and others, 2008): the largest number of a child, plus a little
    /// for each other open child. A shared node counts in full once at most.
    #[default]
    Weak,
}

/// What each other open child adds to the largest. The published one adds too little here: a
/// move that leaves 9 replies open, one of them hard, looked worse than one that leaves 27. Of
/// nine hard openings with 34 million nodes seven were proved with 1 for each, seven with an eighth
/// of its number, and eight with this.
const fn weak_share(number: Number) -> Number {
    let share = if number < 16 { 2 } else { number / 8 };
    if share < number { share } else { number }
}

/// The least of one number over children and the total of the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total {
    overcounting: Overcounting,
    pub(crate) least: Number,
    most: Number,
    sum: Number,
    /// What all children add where only the largest counts in full.
    shares: Number,
    pub(crate) count: u32,
    infinite: bool,
}

impl Total {
    pub(crate) fn new(overcounting: Overcounting) -> Self {
        Self {
            overcounting,
            least: INFINITE,
            most: 0,
            sum: 0,
            shares: 0,
            count: 0,
            infinite: false,
        }
    }

    /// Takes in a child: the number of which the least counts, then that which adds up.
    pub(crate) fn take(&mut self, chosen: Number, added: Number) {
        self.count += 1;
        self.least = self.least.min(chosen);
        if added == INFINITE {
            self.infinite = true;
        } else if added > 0 {
            self.most = self.most.max(added);
            self.sum = self.sum.saturating_add(added).min(LARGEST);
            self.shares = self.shares.saturating_add(weak_share(added));
        }
    }

    pub(crate) fn all(&self) -> Number {
        if self.infinite {
            return INFINITE;
        }
        match self.overcounting {
            Overcounting::Sum => self.sum,
            Overcounting::Weak => {
                let others = self.shares.saturating_sub(weak_share(self.most));
                self.most.saturating_add(others).min(LARGEST)
            }
        }
    }
}
