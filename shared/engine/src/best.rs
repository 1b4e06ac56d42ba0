/// The best few of many, best first. Of equals, those offered first are the better ones.
#[derive(Clone, Debug)]
pub(crate) struct Best<W, T> {
    keep: usize,
    found: Vec<(W, T)>,
}

impl<W: PartialOrd + Copy, T> Best<W, T> {
    pub(crate) const fn of(keep: usize) -> Self {
        Self {
            keep,
            found: Vec::new(),
        }
    }

    /// Most of what is offered is not good enough, so it is only made when it is.
    #[inline]
    pub(crate) fn offer(&mut self, worth: W, make: impl FnOnce() -> T) {
        let is_full = self.found.len() == self.keep;
        if is_full && self.found.last().is_none_or(|(worst, _)| *worst >= worth) {
            return;
        }
        let place = self.found.partition_point(|(known, _)| *known >= worth);
        if is_full {
            self.found.pop();
        }
        self.found.insert(place, (worth, make()));
    }

    pub(crate) fn into_vec(self) -> Vec<(W, T)> {
        self.found
    }
}
