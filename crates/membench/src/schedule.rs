//! Where the time goes, and what is left out where it is short.
//!
//! A plan is made before anybody knows how fast the machine is. In a guest whose memory is emulated, or whose CPUs are shared,
//! some steps take what they take, however little they were allowed. So each step teaches what steps of its sort take beyond
//! their allowance; what is left is shared with that in mind; and where even the least of all that is left would not fit, the
//! least important steps are left out, and named. Pure: the caller tells the time.

use numawise_facts::{Mix, Target, Workers};

use crate::layout::Layout;
use crate::plan::{Experiment, PlannedStep};

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;

/// No step is worth anything in less time, unless it was planned so.
const LEAST_SECONDS: f64 = 0.1;
/// A step keeps at least this share of its time, and gets no more than so many times of it.
const SHARES: (f64, f64) = (0.25, 1.5);
/// The share of the budget that may be planned: the rest is for what nobody foresaw.
const USABLE: f64 = 0.92;

/// Steps whose time beyond their allowance is alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Memory,
    Bandwidth,
    Loaded,
    Latency,
    WorkingSets,
    TlbMisses,
    Transfer,
}

impl Sort {
    fn of(experiment: &Experiment) -> Sort {
        match experiment {
            Experiment::Fill(_) | Experiment::FillBase(_) => Sort::Memory,
            Experiment::Bandwidth { .. } => Sort::Bandwidth,
            Experiment::Loaded { .. } => Sort::Loaded,
            Experiment::Latency { .. } => Sort::Latency,
            Experiment::WorkingSets { .. } => Sort::WorkingSets,
            Experiment::TlbMisses { .. } => Sort::TlbMisses,
            Experiment::Transfer { .. } => Sort::Transfer,
        }
    }
}

/// How many of what a step does once, beyond its allowance: nodes whose memory is got.
fn units(experiment: &Experiment) -> f64 {
    match experiment {
        Experiment::Fill(nodes) => nodes.len().max(1) as f64,
        _ => 1.0,
    }
}

/// What has been learnt, and what the whole may take.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    budget: f64,
    /// Beyond this, steps are left out.
    limit: f64,
    /// Seconds beyond the allowance of a unit, the most that were seen.
    beyond: Vec<(Sort, f64)>,
}

impl Schedule {
    /// Nothing is left out while there is time up to `limit`, which is the budget, but for tests that have less time.
    pub fn new(budget: f64, limit: f64) -> Schedule {
        Schedule { budget, limit, beyond: Vec::new() }
    }

    /// Takes in that a step took so long where it was allowed so much.
    pub fn learn(&mut self, experiment: &Experiment, allowed: f64, took: f64) {
        let (sort, beyond) = (Sort::of(experiment), ((took - allowed) / units(experiment)).max(0.0));
        match self.beyond.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, most)) => *most = most.max(beyond),
            None => self.beyond.push((sort, beyond)),
        }
    }

    fn beyond(&self, experiment: &Experiment) -> f64 {
        let known = self.beyond.iter().find(|(sort, _)| *sort == Sort::of(experiment));
        known.map_or(0.0, |(_, beyond)| beyond * units(experiment))
    }

    /// What a step takes at the least.
    fn least(&self, step: &PlannedStep) -> f64 {
        let planned = step.expected.seconds();
        (planned * SHARES.0).max(LEAST_SECONDS.min(planned)) + self.beyond(&step.experiment)
    }

    /// Whether all that is left fits.
    fn fits(&self, elapsed: f64, left: &[PlannedStep]) -> bool {
        left.iter().map(|step| self.least(step)).sum::<f64>() <= self.limit * USABLE - elapsed
    }

    /// What the next step, the first of those that are left, may take.
    pub fn allowance(&self, elapsed: f64, left: &[PlannedStep]) -> f64 {
        let Some(next) = left.first() else { return LEAST_SECONDS };
        let planned: f64 = left.iter().map(|step| step.expected.seconds()).sum();
        let beyond: f64 = left.iter().map(|step| self.beyond(&step.experiment)).sum();
        let usable = self.budget * USABLE - elapsed - beyond;
        let share = (usable / planned.max(1e-9)).clamp(SHARES.0, SHARES.1);
        let planned = next.expected.seconds();
        (planned * share).max(LEAST_SECONDS.min(planned))
    }

    /// What the steps that are left will probably take.
    pub fn expected(&self, elapsed: f64, left: &[PlannedStep]) -> f64 {
        let planned: f64 =
            left.iter().map(|step| step.expected.seconds() + self.beyond(&step.experiment)).sum();
        planned.min((self.budget - elapsed).max(0.0))
    }

    /// Takes the least important of the steps that are left away until the rest fits, the last of equals first; memory that
    /// nobody uses any more goes with them. Nothing is taken before a step was made: then nothing is known.
    pub fn leave_out(&self, elapsed: f64, left: &mut Vec<PlannedStep>, layout: &Layout) -> Vec<PlannedStep> {
        let mut out = Vec::new();
        while !self.beyond.is_empty() && !self.fits(elapsed, left) {
            let measuring =
                (0..left.len()).filter(|nth| importance(&left[*nth].experiment, layout) < FOR_OTHERS);
            let Some(nth) =
                measuring.min_by_key(|nth| (importance(&left[*nth].experiment, layout), left.len() - nth))
            else {
                break;
            };
            out.push(left.remove(nth));
            drop_unused_memory(left);
        }
        out
    }
}

/// Getting memory is as important as what uses it.
const FOR_OTHERS: u8 = u8::MAX;

/// How much a reader would miss a step: local memory most, and of it reads.
fn importance(experiment: &Experiment, layout: &Layout) -> u8 {
    let local = |from, to| layout.row(from).is_some_and(|row| row.local == Some(to));
    match *experiment {
        Experiment::Fill(_) | Experiment::FillBase(_) => FOR_OTHERS,
        Experiment::Latency { from, to } if local(from, to) => 8,
        Experiment::Bandwidth { workers: Workers::Node(from), target: Target::Node(to), mix: Mix::Read }
            if local(from, to) =>
        {
            8
        }
        Experiment::Latency { .. } => 7,
        Experiment::Bandwidth { workers: Workers::Node(_), mix: Mix::Read, .. } => 6,
        Experiment::Bandwidth { workers: Workers::Machine, mix: Mix::Read, .. } => 5,
        Experiment::Bandwidth { workers: Workers::Core(_), mix: Mix::Read, .. } => 4,
        Experiment::Bandwidth { workers: Workers::Node(from), target: Target::Node(to), .. }
            if local(from, to) =>
        {
            3
        }
        Experiment::Loaded { from, to, .. } | Experiment::WorkingSets { from, to } if local(from, to) => 3,
        Experiment::Bandwidth { .. } | Experiment::TlbMisses { .. } => 2,
        Experiment::Loaded { .. } | Experiment::WorkingSets { .. } => 1,
        Experiment::Transfer { .. } => 0,
    }
}

/// Memory that is given back before anything is measured in it need not be got.
fn drop_unused_memory(steps: &mut Vec<PlannedStep>) {
    let gets = |step: &PlannedStep| matches!(step.experiment, Experiment::Fill(_) | Experiment::FillBase(_));
    // Transfers have a line of their own.
    let uses = |step: &PlannedStep| !gets(step) && !matches!(step.experiment, Experiment::Transfer { .. });
    let used = |nth: usize| {
        let after = &steps[nth + 1..];
        after.iter().take_while(|step| !gets(step)).any(uses)
    };
    let keep: Vec<bool> = (0..steps.len()).map(|nth| !gets(&steps[nth]) || used(nth)).collect();
    let mut keep = keep.into_iter();
    steps.retain(|_| keep.next().unwrap_or(true));
}
