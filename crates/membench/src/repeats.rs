//! When repetitions are enough, and what they come to.
//!
//! **Which statistic.** What disturbs a measurement of memory only makes it slower: other programs, a hypervisor that runs
//! another guest, interrupts. So a repetition that is known to be disturbed (see `team`) tells of something else than this
//! memory, and is thrown away. Of the others the median is reported: unlike the best, it does not grow better with the number
//! of repetitions; unlike the mean, one unseen disturbance does not move it. Repetitions are short and many, so that a
//! disturbance spoils few of them. The interval is that of the order statistics, which assumes nothing about how values are
//! distributed but that repetitions are independent; where they drift, it is too narrow.

#[cfg(test)]
#[path = "repeats_tests.rs"]
mod tests;

use numawise_facts::{BufferSpread, Estimate};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// So many repetitions at least.
    pub least: usize,
    /// So many at most that count.
    pub most: usize,
    /// Sure enough: half the interval's width, as a share of the median.
    pub precision: f64,
}

/// For one disturbed repetition another is made, but in all no more than this many times [`Rule::most`].
const PATIENCE: usize = 10;
/// So many undisturbed ones are worth more than any number of disturbed ones.
const ENOUGH_QUIET: usize = 3;
/// Where there are fewer, one of so many of the disturbed ones counts: those that lost the least time.
const LEAST_DISTURBED: usize = 4;

/// The range of so many values holds the median with 93.75 %.
const LEAST_FOR_AN_INTERVAL: usize = 5;

/// Repetitions of one measurement.
#[derive(Debug, Clone)]
pub struct Repeats {
    rule: Rule,
    quiet: Vec<f64>,
    /// Values with the share of time that was lost.
    disturbed: Vec<(f64, f64)>,
}

/// What repetitions came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    pub estimate: Estimate<f64>,
    /// There were too few undisturbed repetitions: disturbed ones count too.
    pub disturbed: bool,
    /// How far buffers differ, where there were several.
    pub buffers: Option<BufferSpread<f64>>,
}

/// The values that count of some repetitions.
struct Counted {
    values: Vec<f64>,
    /// How many do not.
    thrown: u32,
    disturbed: bool,
}

impl Repeats {
    pub fn new(rule: Rule) -> Self {
        Repeats { rule, quiet: Vec::new(), disturbed: Vec::new() }
    }

    /// Takes one repetition in; where it was disturbed, with the share of its time that was lost.
    pub fn push(&mut self, value: f64, lost: Option<f64>) {
        // A value that is no number is no measurement at all.
        if !(value.is_finite() && value > 0.0) {
            return;
        }
        match lost {
            None => self.quiet.push(value),
            Some(lost) => self.disturbed.push((value, lost)),
        }
    }

    /// Whether more repetitions would add nothing, or must not be made.
    pub fn enough(&self) -> bool {
        let (quiet, all) = (self.quiet.len(), self.quiet.len() + self.disturbed.len());
        if quiet >= self.rule.most || all >= self.rule.most * PATIENCE {
            return true;
        }
        quiet >= self.rule.least && {
            let estimate = estimate(&self.quiet, 0);
            estimate.high - estimate.low <= 2.0 * self.rule.precision * estimate.median
        }
    }

    /// Repetitions so far, disturbed ones included.
    pub fn len(&self) -> usize {
        self.quiet.len() + self.disturbed.len()
    }

    /// What they come to; nothing where there are none.
    pub fn outcome(&self) -> Option<Outcome> {
        let counted = self.counted()?;
        Some(Outcome {
            estimate: estimate(&counted.values, counted.thrown),
            disturbed: counted.disturbed,
            buffers: None,
        })
    }

    /// The values that count, which are not none.
    fn counted(&self) -> Option<Counted> {
        let thrown = self.disturbed.len() as u32;
        if self.quiet.len() >= ENOUGH_QUIET || (self.disturbed.is_empty() && !self.quiet.is_empty()) {
            return Some(Counted { values: self.quiet.clone(), thrown, disturbed: false });
        }
        let mut disturbed = self.disturbed.clone();
        disturbed.sort_by(|a, b| a.1.total_cmp(&b.1));
        let kept = (disturbed.len() / LEAST_DISTURBED).max(ENOUGH_QUIET).min(disturbed.len());
        let thrown = (disturbed.len() - kept) as u32;
        let values = self.quiet.iter().copied().chain(disturbed[..kept].iter().map(|(value, _)| *value));
        let values: Vec<f64> = values.collect();
        (!values.is_empty()).then_some(Counted { values, thrown, disturbed: true })
    }
}

/// What repetitions on several buffers come to, one [`Repeats`] for each.
///
/// A level that one buffer has as a whole shows in none of its repetitions, and an interval over repetitions would pretend that
/// it is sure. So the median is that of the buffers' medians, and the interval holds all of these, besides what the
/// repetitions vary within their buffers. Where some buffers had quiet repetitions, those that had none tell nothing.
pub fn over_buffers(buffers: &[Repeats]) -> Option<Outcome> {
    let mut counted: Vec<Counted> = buffers.iter().filter_map(Repeats::counted).collect();
    if counted.iter().any(|one| !one.disturbed) {
        counted.retain(|one| !one.disturbed);
    }
    if counted.len() < 2 {
        let only = counted.pop()?;
        let Counted { values, thrown, disturbed } = only;
        return Some(Outcome { estimate: estimate(&values, thrown), disturbed, buffers: None });
    }
    let level = |one: &Counted| numawise_stats::median(&one.values).unwrap_or(one.values[0]);
    let levels: Vec<f64> = counted.iter().map(level).collect();
    let median = numawise_stats::median(&levels).unwrap_or(levels[0]);
    let around = |(one, level): (&Counted, &f64)| -> Vec<f64> {
        one.values.iter().map(|value| value * median / level).collect()
    };
    let within: Vec<f64> = counted.iter().zip(&levels).flat_map(around).collect();
    let within = estimate(&within, counted.iter().map(|one| one.thrown).sum());
    let lowest = levels.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = levels.iter().copied().fold(0.0, f64::max);
    let (low, high) = (within.low.min(lowest).min(median), within.high.max(highest).max(median));
    Some(Outcome {
        estimate: Estimate { median, low, high, ..within },
        disturbed: counted.iter().any(|one| one.disturbed),
        buffers: Some(BufferSpread {
            lowest,
            highest,
            buffers: counted.len() as u32,
            apart: are_apart(&counted, &levels),
        }),
    })
}

/// Whether the intervals of the lowest and of the highest level do not meet. Of too few values there is no interval to ask.
fn are_apart(counted: &[Counted], levels: &[f64]) -> bool {
    let by_level = |a: &usize, b: &usize| levels[*a].total_cmp(&levels[*b]);
    let of = |nth: usize| {
        let values = &counted[nth].values;
        (values.len() >= LEAST_FOR_AN_INTERVAL).then(|| estimate(values, 0))
    };
    let lowest = (0..levels.len()).min_by(by_level).and_then(of);
    let highest = (0..levels.len()).max_by(by_level).and_then(of);
    lowest.zip(highest).is_some_and(|(lowest, highest)| lowest.high < highest.low)
}

/// The median with the interval of the order statistics. `values` is not empty.
fn estimate(values: &[f64], disturbed: u32) -> Estimate<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let at = rank(n);
    let median = numawise_stats::median(&sorted).unwrap_or(sorted[n / 2]);
    Estimate { median, low: sorted[at], high: sorted[n - 1 - at], samples: n as u32, disturbed }
}

/// How many values lie outside of the 95 % interval of the median on each side: the most for which so many or fewer of n fair
/// throws have a chance of at most 2.5 %. With fewer than six values the whole range is the best there is (93.75 % with five).
fn rank(n: usize) -> usize {
    let mut term = 0.5f64.powi(n as i32);
    let mut at_most = term;
    for at in 0..n / 2 {
        term *= (n - at) as f64 / (at + 1) as f64;
        at_most += term;
        if at_most > 0.025 {
            return at;
        }
    }
    0
}
