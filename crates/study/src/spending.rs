//! What of the time given is spent, and what a block will take: all counts, from the begin of the check on.

use std::collections::BTreeMap;

use numawise_facts::notice::StudyNotice;
use numawise_facts::{ContrastRole, Notice, PointId, PointPair, PointRole, Study, StudyHeader};
use numawise_units::{Arrange, Nanoseconds};

use crate::clock::Clock;
use crate::design::{PlannedPoint, StudyDesign};

#[cfg(test)]
#[path = "spending_tests.rs"]
mod tests;

/// Kept for what comes after the last trial, as multiples of the last analysis between blocks: the whole analysis, and the report.
const REPORT: u64 = 3;

/// The time of a study, as it goes.
pub struct Spending<'a> {
    clock: &'a dyn Clock,
    /// What trials took before this process took the study up.
    earlier: Nanoseconds,
    /// How long the program, or the whole system, was stopped meanwhile: nobody's time.
    stopped: Nanoseconds,
    /// From the begin of each trial to the begin of what follows, by point.
    trials: BTreeMap<PointId, Vec<Nanoseconds>>,
    /// What was last done between two blocks.
    between: Nanoseconds,
}

impl<'a> Spending<'a> {
    /// Of a study whose first `earlier` trials were run by another process.
    pub fn new(clock: &'a dyn Clock, study: &Study, earlier: usize) -> Self {
        let mut trials: BTreeMap<PointId, Vec<Nanoseconds>> = BTreeMap::new();
        for trial in &study.trials {
            trials.entry(trial.point.clone()).or_default().push(trial.running());
        }
        let before = study.trials.iter().take(earlier);
        let earlier = before.fold(Nanoseconds(0), |sum, trial| sum + trial.running());
        Spending { clock, earlier, stopped: Nanoseconds(0), trials, between: Nanoseconds(0) }
    }

    pub fn now(&self) -> Nanoseconds {
        self.clock.elapsed()
    }

    /// What is left of the time given.
    pub fn left(&self, header: &StudyHeader) -> Nanoseconds {
        header.budget.saturating_sub((self.earlier + self.now()).saturating_sub(self.stopped))
    }

    /// A trial that began at `begun` is over; in `stopped` of its time nothing ran.
    pub fn trial(&mut self, point: &PointId, begun: Nanoseconds, stopped: Nanoseconds) {
        self.stopped = self.stopped + stopped;
        let took = self.now().saturating_sub(begun).saturating_sub(stopped);
        self.trials.entry(point.clone()).or_default().push(took);
    }

    /// What came between two blocks began at `begun`, and is over.
    pub fn between(&mut self, begun: Nanoseconds) {
        self.between = self.now().saturating_sub(begun);
    }

    /// What a trial of a point will take: the middle of those that it had.
    pub fn known(&self, point: &PointId) -> Option<Nanoseconds> {
        self.trials.get(point).and_then(|times| middle(times))
    }

    /// The same of the slowest point: what one may take that had none.
    pub fn slowest(&self) -> Nanoseconds {
        self.trials.values().filter_map(|times| middle(times)).max().unwrap_or_default()
    }

    /// What `blocks` blocks of these points will take, and what comes after them.
    pub fn of_blocks<'p>(&self, points: impl Iterator<Item = &'p PointId>, blocks: u32) -> Nanoseconds {
        let unknown = self.slowest();
        let each = points.map(|point| self.known(point).unwrap_or(unknown));
        let block = each.fold(self.between, |sum, took| sum + took);
        Nanoseconds(block.0.saturating_mul(u64::from(blocks)).saturating_add(self.between.0 * REPORT))
    }
}

fn middle(times: &[Nanoseconds]) -> Option<Nanoseconds> {
    let mut times = times.to_vec();
    times.arrange();
    times.get(times.len() / 2).copied()
}

/// The point that a check loses least by leaving out: never the baseline, nor the first of those that are to be compared with it: designs
/// begin with what matters.
pub fn least_worth<'p>(
    points: impl Iterator<Item = (&'p PointId, PointRole)>,
    pairs: &[PointPair],
) -> Option<PointId> {
    let points: Vec<(&PointId, PointRole)> = points.collect();
    let first = points.iter().find(|(_, role)| *role == PointRole::Candidate).map(|(id, _)| *id);
    let worth = |id: &PointId, role: PointRole| {
        let judged: Vec<ContrastRole> =
            pairs.iter().filter(|pair| pair.to == *id).map(|pair| pair.role).collect();
        match role {
            PointRole::Diagnosis if !judged.contains(&ContrastRole::BothWays) => 0,
            PointRole::Diagnosis => 1,
            _ if !judged.contains(&ContrastRole::BothWays) => 2,
            _ => 3,
        }
    };
    let may_go = points.iter().filter(|(id, role)| *role != PointRole::Baseline && Some(*id) != first);
    // The last of those that are worth as little.
    let mut least: Option<(u32, &PointId)> = None;
    for (id, role) in may_go {
        let worth = worth(id, *role);
        if least.is_none_or(|(lowest, _)| worth <= lowest) {
            least = Some((worth, id));
        }
    }
    least.map(|(_, id)| id.clone())
}

/// A design without what does not fit into `left` when each trial takes `one`, `repeats` times; the rest may still not fit.
pub fn fitting(mut design: StudyDesign, one: Nanoseconds, repeats: u32, left: Nanoseconds) -> StudyDesign {
    let needs =
        |points: usize| Nanoseconds(one.0.saturating_mul(u64::from(repeats)).saturating_mul(points as u64));
    let all = needs(design.points.len());
    while needs(design.points.len()) > left {
        let points = design.points.iter().map(|point| (&point.id, point.role));
        let Some(gone) = least_worth(points, &design.pairs) else { break };
        design.pairs.retain(|pair| pair.from != gone && pair.to != gone);
        let (gone, kept): (Vec<_>, Vec<_>) = design.points.into_iter().partition(|point| point.id == gone);
        design.points = kept;
        let too_long = gone.into_iter().map(|PlannedPoint { id: point, levels, .. }| {
            Notice::from(StudyNotice::NoTimeFor { point, levels, repeats, needs: all, budget: left })
        });
        design.not_tried.extend(too_long);
    }
    design
}
