//! How long jobs take: quantiles from a histogram, in little memory.

use std::collections::BTreeMap;

use crate::job::{JobKind, Level};

/// Counts of values by size: four buckets to each doubling, so a quantile is off by at most a
/// fifth.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: Vec<u32>,
    total: u64,
}

impl Histogram {
    pub(super) fn add(&mut self, value: u64) {
        let bucket = bucket_of(value);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.total += 1;
    }

    /// A value that at least `percent` of a hundred do not exceed; none while too few are in
    /// to tell.
    pub(super) fn quantile(&self, percent: u64) -> Option<u64> {
        const ENOUGH: u64 = 20;
        if self.total < ENOUGH {
            return None;
        }
        let mut left = (self.total * percent).div_ceil(100);
        let at = self.counts.iter().position(|&count| {
            left = left.saturating_sub(u64::from(count));
            left == 0
        });
        at.map(end_of)
    }
}

fn bucket_of(value: u64) -> usize {
    if value < 8 {
        return value as usize;
    }
    let doublings = value.ilog2();
    let quarter = (value >> (doublings - 2)) & 3;
    (doublings as usize - 3) * 4 + quarter as usize + 8
}

/// The largest value in a bucket.
fn end_of(bucket: usize) -> u64 {
    if bucket < 8 {
        return bucket as u64;
    }
    let (doublings, quarter) = ((bucket - 8) / 4 + 3, (bucket - 8) % 4);
    let width = 1u64 << (doublings - 2);
    (1u64 << doublings).saturating_add((quarter as u64 + 1).saturating_mul(width) - 1)
}

/// What jobs of one kind and level took so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) millis: Histogram,
    pub(super) nodes: Histogram,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Durations(BTreeMap<(JobKind, Level), Sample>);

impl Durations {
    pub(super) fn add(&mut self, kind: JobKind, level: Level, millis: u64, nodes: u64) {
        let sample = self.0.entry((kind, level)).or_default();
        sample.millis.add(millis);
        sample.nodes.add(nodes);
    }

    /// Jobs that run longer than this are stragglers.
    pub(super) fn straggler_after(&self, kind: JobKind, level: Level) -> Option<u64> {
        self.0.get(&(kind, level))?.millis.quantile(99)
    }

    /// What nearly all jobs of this kind stay under, in milliseconds at a speed in nodes a
    /// second.
    pub(super) fn expected(&self, kind: JobKind, level: Level, speed: u64) -> Option<u64> {
        let sample = self.0.get(&(kind, level))?;
        if speed == 0 {
            return sample.millis.quantile(95);
        }
        Some(sample.nodes.quantile(95)?.saturating_mul(1000) / speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_hold_what_they_end_with() {
        let mut last = 0;
        for value in 0..100_000 {
            let bucket = bucket_of(value);
            assert!(bucket == last || bucket == last + 1, "at {value}");
            assert!(value <= end_of(bucket));
            assert_eq!(bucket_of(end_of(bucket)), bucket);
            last = bucket;
        }
        assert_eq!(end_of(bucket_of(u64::MAX)), u64::MAX);
    }

    #[test]
    fn a_quantile_is_off_by_a_fifth_at_most() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(99), None);
        for value in 1..=1000 {
            histogram.add(value);
        }
        for (percent, exact) in [(50, 500), (95, 950), (99, 990)] {
            let found = histogram.quantile(percent).unwrap();
            assert!(
                found >= exact && found <= exact * 5 / 4,
                "{percent}: {found}"
            );
        }
    }
}
