//! Learns from stores which replies are hard to answer.
//!
//! A logistic regression over the [features](gridproof_search::reply_features) of the positions
//! after replies, fitted to whether the first look at each won. Openings are split by their keys:
//! those of one half are learnt from, and what is learnt is measured on the other.

use std::collections::{BTreeMap, BTreeSet};

use gridproof_search::{
    Core, FEATURES, Fact, Features, JobResult, NodeId, Options, REPLY_UNIT, ReplyModel, Side,
    reply_features,
};

use crate::store::{Record, Store, StoreError};

/// A position after a reply, and whether the first look at it found no win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    features: Features,
    is_hard: bool,
    /// Of which half its openings are; those of both are held back.
    half: Half,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Learnt,
    HeldBack,
}

/// What stores tell of replies.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    samples: Vec<Sample>,
}

/// How well a model tells some replies apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub replies: usize,
    pub hard: usize,
    /// In how many of a hundred pairs of a hard and an easy reply the hard one is told to be it:
    /// 50 is luck.
    pub right: f64,
}

/// What was learnt.
#[derive(Clone, Debug)]
pub struct Learnt {
    pub model: ReplyModel,
    pub learnt: Score,
    pub held_back: Score,
}

/// Nothing can be learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the stores tell of no reply to a second turn that was hard and none that was easy: give those \
     of campaigns (`gridproof openings`)"
)]
pub struct NothingToLearn;

impl Lessons {
    /// Reads a store. What was read before stays.
    pub fn read(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let mut facts = Vec::new();
        for record in store.records() {
            if let Record::Fact(fact) = record? {
                facts.push(fact);
            }
        }
        let mut first_looks: BTreeMap<NodeId, bool> = BTreeMap::new();
        for fact in &facts {
            if let Fact::Answered { node, answer, .. } = fact {
                let is_hard = !matches!(answer, JobResult::Won);
                first_looks.entry(*node).or_insert(is_hard);
            }
        }
        let core = Core::replay(Options::default(), facts)
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        let halves = halves(&core);
        for (node, is_hard) in first_looks {
            let view = core.node(node).zip(core.position(node));
            let Some((view, position)) = view.filter(|(view, _)| view.side == Side::Attacker)
            else {
                continue;
            };
            if let Some(features) = reply_features(&position, view.attacker) {
                let half = halves.get(&node).copied().unwrap_or(Half::HeldBack);
                self.samples.push(Sample {
                    features,
                    is_hard,
                    half,
                });
            }
        }
        Ok(())
    }

    /// Fits a model to one half. The same stores give the same model.
    pub fn learn(&self) -> Result<Learnt, NothingToLearn> {
        let of = |half| {
            let samples = self
                .samples
                .iter()
                .filter(move |sample| sample.half == half);
            samples.collect::<Vec<_>>()
        };
        let (ours, others) = (of(Half::Learnt), of(Half::HeldBack));
        let hard = ours.iter().filter(|sample| sample.is_hard).count();
        if hard == 0 || hard == ours.len() {
            return Err(NothingToLearn);
        }
        let model = fit(&ours);
        Ok(Learnt {
            learnt: score(&model, &ours),
            held_back: score(&model, &others),
            model,
        })
    }
}

/// Of which half the openings are that lead to each node.
fn halves(core: &Core) -> BTreeMap<NodeId, Half> {
    let mut halves = BTreeMap::new();
    for search in core.searches() {
        let Some(root) = core.node(search.root) else {
            continue;
        };
        let half = match root.key.0[0] % 2 {
            0 => Half::Learnt,
            _ => Half::HeldBack,
        };
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![search.root]);
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            let known = halves.entry(node).or_insert(half);
            if *known != half {
                *known = Half::HeldBack;
            }
            waiting.extend(core.children(node).iter().map(|child| child.node));
        }
    }
    halves
}

const ROUNDS: usize = 800;
const RATE: f64 = 0.5;
/// Keeps weights small that little speaks for.
const DECAY: f64 = 0.003;

/// Gradient descent on all samples together.
fn fit(samples: &[&Sample]) -> ReplyModel {
    let largest: Vec<f64> = (0..FEATURES.len())
        .map(|at| {
            let counts = samples.iter().map(|sample| sample.features[at].abs());
            f64::from(counts.max().unwrap_or(1).max(1))
        })
        .collect();
    let scaled = |sample: &Sample, at: usize| f64::from(sample.features[at]) / largest[at];
    let mut weights = [0.0; FEATURES.len()];
    for _ in 0..ROUNDS {
        let mut slope = [0.0; FEATURES.len()];
        for sample in samples {
            let logit: f64 = (0..FEATURES.len())
                .map(|at| weights[at] * scaled(sample, at))
                .sum();
            let odds = 1.0 / (1.0 + (-logit).exp());
            let error = odds - f64::from(u8::from(sample.is_hard));
            for (at, slope) in slope.iter_mut().enumerate() {
                *slope += error * scaled(sample, at);
            }
        }
        for (at, weight) in weights.iter_mut().enumerate() {
            let decay = if at == 0 { 0.0 } else { DECAY };
            *weight -= RATE * (slope[at] / samples.len() as f64 + decay * *weight);
        }
    }
    let mut whole = Features::default();
    for (at, whole) in whole.iter_mut().enumerate() {
        *whole = (weights[at] / largest[at] * f64::from(REPLY_UNIT)).round() as i32;
    }
    ReplyModel::new(whole)
}

fn score(model: &ReplyModel, samples: &[&Sample]) -> Score {
    let logits = |is_hard| {
        let samples = samples
            .iter()
            .filter(move |sample| sample.is_hard == is_hard);
        samples
            .map(|sample| model.logit(&sample.features))
            .collect::<Vec<_>>()
    };
    let (hard, easy) = (logits(true), logits(false));
    let mut right = 0.0;
    for one in &hard {
        for other in &easy {
            right += match one.cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    Score {
        replies: samples.len(),
        hard: hard.len(),
        right: 100.0 * right / (hard.len() * easy.len()).max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(count: i32, is_hard: bool, half: Half) -> Sample {
        let mut features = Features::default();
        (features[0], features[2]) = (1, count);
        Sample {
            features,
            is_hard,
            half,
        }
    }

    #[test]
    fn what_tells_hard_replies_is_learnt_and_holds_for_others() {
        let mut lessons = Lessons::default();
        for (count, half) in (0..60).zip([Half::Learnt, Half::HeldBack].iter().cycle()) {
            lessons.samples.push(sample(count, count < 20, *half));
        }
        let learnt = lessons.learn().unwrap();
        assert_eq!((learnt.learnt.replies, learnt.learnt.hard), (30, 10));
        assert_eq!(learnt.held_back.right, 100.0);
        let logit = |count| {
            learnt
                .model
                .logit(&sample(count, true, Half::Learnt).features)
        };
        assert!(logit(0) > 0 && logit(50) < 0);
        assert_eq!(learnt.model, lessons.learn().unwrap().model);
    }

    #[test]
    fn of_one_kind_alone_nothing_is_learnt() {
        let mut lessons = Lessons::default();
        assert_eq!(lessons.learn().unwrap_err(), NothingToLearn);
        lessons.samples.push(sample(3, true, Half::Learnt));
        assert_eq!(lessons.learn().unwrap_err(), NothingToLearn);
    }
}
