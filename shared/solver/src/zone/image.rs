//! A zone as it lies when the board is turned or mirrored.

use gridproof_game::Symmetry;
use gridproof_threats::Geometry;

use super::Zone;

impl Zone {
    /// The zone of the same proof on the board turned or mirrored.
    #[must_use]
    pub fn transformed(&self, geometry: &Geometry, symmetry: Symmetry) -> Self {
        let rules = geometry.rules();
        let mut image = Self {
            keep_free: symmetry.apply_to_set(rules, &self.keep_free),
            limits: vec![0; self.limits.len()],
            levels: self.levels,
        };
        let lines = self.lines();
        for line in geometry.lines() {
            let last = geometry.length(line) - 1;
            let [from, to] =
                [0, last].map(|offset| symmetry.apply(rules, geometry.square(line, offset)));
            let mut shared = geometry.on_lines(from).iter().zip(geometry.on_lines(to));
            let (there, _) = shared
                .find(|(from, to)| geometry.is_real(from.line) && from.line == to.line)
                .expect("a symmetry takes lines to lines");
            let runs_back = there.offset != 0;
            let starts = geometry.starts(line).count_ones();
            for level in 0..self.levels {
                let limits = self.limits[level * lines + line.index()];
                image.limits[level * lines + there.line.index()] = if runs_back {
                    limits.reverse_bits() >> (u32::BITS - starts)
                } else {
                    limits
                };
            }
        }
        image
    }
}
