//! Findings of a study of a grid: what may be chosen otherwise, with the point at which that was run.
//!
//! All comparisons are between the points of the study, block by block. Those of one kind of finding share one error probability
//! (`docs/statistics.md`); how trials scatter has a share of its own ([`super::levels`]).

mod failures;
mod levels;
mod workers;

use std::collections::HashMap;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, GridAdvice,
    GridQuantity,
};
use numawise_facts::{Effect, Finding, FindingId, GridStudy, PointId, Reading, Study};
use numawise_stats::{Contrast, FamilyDesign, PlannedContrast};
use numawise_tables::{GridRow, LevelEffects, ScalingSeries};
use numawise_units::Arrange;

use super::{better, resolution};

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// Probability that no finding of a kind is said of a study where there is nothing of it.
const CONFIDENCE: f64 = 0.95;

/// What a finding may look at.
struct Case<'a> {
    study: &'a Study,
    grid: &'a GridStudy,
    /// In the order of the points.
    rows: &'a [GridRow],
    scaling: &'a [ScalingSeries],
    effects: &'a [LevelEffects],
    /// The best point.
    best: Option<usize>,
    /// Of the points, how many have a better median; none of one without.
    rank: Vec<Option<usize>>,
    /// By block and point.
    blocks: Vec<Vec<Option<f64>>>,
    columns: HashMap<&'a PointId, usize>,
    /// Of the points, whether all their trials failed, or the last ones so often that they are run no more.
    failed: Vec<bool>,
}

/// What is in the tables already.
pub struct Known<'a> {
    pub rows: &'a [GridRow],
    pub scaling: &'a [ScalingSeries],
    pub effects: &'a [LevelEffects],
    /// The places of the rows with a median, the best first.
    pub order: &'a [usize],
    /// By block and point.
    pub blocks: Vec<Vec<Option<f64>>>,
}

/// All findings, the greatest cost first, and those last whose cost was not measured.
pub fn all(study: &Study, grid: &GridStudy, known: Known<'_>) -> Vec<Finding> {
    let mut rank = vec![None; known.rows.len()];
    known.order.iter().enumerate().for_each(|(better, row)| rank[*row] = Some(better));
    let case = Case {
        study,
        grid,
        rows: known.rows,
        scaling: known.scaling,
        effects: known.effects,
        best: known.order.first().copied(),
        rank,
        blocks: known.blocks,
        columns: known.rows.iter().enumerate().map(|(k, row)| (&row.point, k)).collect(),
        failed: failures::failed(study, known.rows),
    };
    let mut findings = levels::all(&case);
    findings.extend(workers::all(&case));
    findings.extend(failures::finding_of(&case));
    let cost = |finding: &Finding| finding.cost.measured().map_or(0.0, |effect| effect.ratio.0);
    findings.arrange_by(|one, other| cost(other).total_cmp(&cost(one)));
    findings
}

impl Case<'_> {
    /// The second of two values of each block against the first, where the interval is one of `of` that hold together.
    fn compare(
        &self,
        of: usize,
        values: impl Fn(&[Option<f64>]) -> Option<(f64, f64)>,
    ) -> Option<(Contrast, Effect)> {
        let both = |block: &Vec<Option<f64>>| {
            values(block).map_or_else(|| vec![None, None], |(one, other)| vec![Some(one), Some(other)])
        };
        let blocks: Vec<_> = self.blocks.iter().map(both).collect();
        let design = FamilyDesign {
            contrasts: vec![PlannedContrast::both_ways(0, 1)],
            margin: self.study.header.margin,
            confidence: 1.0 - (1.0 - CONFIDENCE) / of.max(1) as f64,
            resolution: resolution(self.study),
        };
        let family = numawise_stats::analyse(&design, &blocks, better(self.study)).ok()?;
        let contrast = family.contrasts.into_iter().next()?;
        let estimate = *contrast.estimate.as_ref().ok()?;
        Some((contrast, Effect::new(estimate.ratio, estimate.low, estimate.high)))
    }

    /// One point against another.
    fn compare_points(&self, from: usize, to: usize, of: usize) -> Option<(Contrast, Effect)> {
        self.compare(of, |block| Some((block[from]?, block[to]?)))
    }

    /// A row that says something: it has trials that count, and more will come of it.
    fn counts(&self, row: usize) -> bool {
        self.rows[row].repeats > 0 && !self.failed[row]
    }

    /// The best of these points by their medians.
    fn best_of(&self, rows: &[usize]) -> Option<usize> {
        let ranked = rows.iter().filter_map(|row| Some((self.rank[*row]?, *row)));
        ranked.min().map(|(_, row)| row)
    }

    fn points(&self, from: usize, to: usize) -> EvidenceSubject {
        EvidenceSubject::Points { from: self.rows[from].point.clone(), to: self.rows[to].point.clone() }
    }

    fn point(&self, row: usize) -> EvidenceSubject {
        EvidenceSubject::Point { point: self.rows[row].point.clone() }
    }

    fn run(&self, row: usize, brought: Reading<Effect>) -> AdvisedStep {
        let point = self.rows[row].point.clone();
        AdvisedStep { advice: Advice::Grid(GridAdvice::RunPoint { point }), brought }
    }
}

fn finding(
    id: FindingId,
    evidence: Vec<Evidence>,
    cost: Reading<Effect>,
    advice: Vec<AdvisedStep>,
) -> Finding {
    // What cures it is a point, which has more than a placement: it is the first advice.
    Finding { id, evidence, cost, cure: None, advice }
}

/// A ratio with its interval.
fn effect(quantity: GridQuantity, effect: Effect, subject: EvidenceSubject) -> Evidence {
    Evidence {
        quantity: EvidenceQuantity::Grid(quantity),
        value: Reading::Measured(Amount::Ratio(effect.ratio)),
        of: None,
        interval: Some((Amount::Ratio(effect.low), Amount::Ratio(effect.high))),
        subject,
        source: EvidenceSource::Contrast,
    }
}

/// A value of the trials without an interval.
fn plain(quantity: GridQuantity, value: Amount, of: Option<Amount>, subject: EvidenceSubject) -> Evidence {
    let (quantity, value) = (EvidenceQuantity::Grid(quantity), Reading::Measured(value));
    Evidence { quantity, value, of, interval: None, subject, source: EvidenceSource::Trials }
}

/// A number of cores of the profile, or why it has none.
fn of_profile(value: Reading<u64>, subject: EvidenceSubject) -> Evidence {
    Evidence {
        quantity: EvidenceQuantity::Grid(GridQuantity::SaturatingCores),
        value: value.map(Amount::Count),
        of: None,
        interval: None,
        subject,
        source: EvidenceSource::Profile,
    }
}

/// A number of the design of the study.
fn count(quantity: GridQuantity, value: usize, of: Option<usize>, subject: EvidenceSubject) -> Evidence {
    let count = |number: usize| Amount::Count(number as u64);
    Evidence { source: EvidenceSource::Design, ..plain(quantity, count(value), of.map(count), subject) }
}
