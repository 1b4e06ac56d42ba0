/// Random numbers that are the same for a seed on every machine and in every version: a seed
/// that failed must fail again.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Dice for one purpose out of several.
    #[must_use]
    pub fn of(seed: u64, purpose: u64) -> Self {
        Self(mix(seed ^ mix(purpose)))
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 to one less than `end`; 0 if that is nothing.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.roll() % end }
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// From 0 to 1, without the ends.
    pub fn unit(&mut self) -> f64 {
        ((self.roll() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Heavy-tailed around a scale: the logarithm is normal with the given spread.
    pub fn log_normal(&mut self, scale: f64, spread: f64) -> f64 {
        let (a, b) = (self.unit(), self.unit());
        let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
        scale * (spread * normal).exp()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u64) as usize)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

pub(super) const fn mix(bits: u64) -> u64 {
    let z = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
