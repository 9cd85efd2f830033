//! A row for every placement, and the comparisons that are not with the operating system's.

use numawise_facts::{Effect, PointRole, Reading};
use numawise_tables::{Contrast, ContrastCall, PointSummary};

use super::{Check, words};
use crate::amount;

pub struct PointRow<'a> {
    pub point: &'a PointSummary,
    pub median: String,
    /// `1.230 s to 1.241 s`, or nothing.
    pub interval: String,
    pub baseline: bool,
    /// The comparison with the operating system's placement.
    pub contrast: Option<&'a Contrast>,
    pub notes: Vec<String>,
}

impl PointRow<'_> {
    pub fn effect(&self) -> Option<Effect> {
        self.contrast?.effect.measured().copied()
    }

    pub fn call(&self) -> Option<ContrastCall> {
        self.contrast.map(|contrast| contrast.call)
    }

    /// `better`, `baseline`, ...
    pub fn call_text(&self) -> &'static str {
        match self.call() {
            Some(call) => words::call(call),
            None if self.baseline => "baseline",
            None => "",
        }
    }

    /// `1.87x (1.82x to 1.93x)`
    pub fn effect_text(&self) -> String {
        match self.effect() {
            Some(effect) => effect_text(effect),
            None if self.baseline => "1x".to_owned(),
            None => String::new(),
        }
    }
}

pub fn effect_text(effect: Effect) -> String {
    format!("{} ({} to {})", effect.ratio, effect.low, effect.high)
}

/// The rows, in the order of the study.
pub fn rows<'a>(check: &Check<'a>) -> Vec<PointRow<'a>> {
    let baseline = check.analysis.points.iter().find(|point| point.role == PointRole::Baseline);
    check
        .analysis
        .points
        .iter()
        .map(|point| {
            let is_baseline = baseline.is_some_and(|b| b.id == point.id);
            let contrast = check
                .analysis
                .contrasts
                .iter()
                .find(|c| baseline.is_some_and(|b| c.from == b.id) && c.to == point.id);
            PointRow {
                point,
                median: amount::reading(&check.study.header.metric, &point.median),
                interval: interval(check, point),
                baseline: is_baseline,
                contrast,
                notes: notes(check, point, contrast),
            }
        })
        .collect()
}

/// The comparisons that no row shows.
pub fn other_contrasts<'a>(check: &Check<'a>) -> Vec<&'a Contrast> {
    let shown: Vec<&Contrast> = rows(check).iter().filter_map(|row| row.contrast).collect();
    check.analysis.contrasts.iter().filter(|c| !shown.contains(c)).collect()
}

fn interval(check: &Check, point: &PointSummary) -> String {
    let metric = &check.study.header.metric;
    match (point.median_low.measured(), point.median_high.measured()) {
        (Some(low), Some(high)) => {
            let (low, high) = (amount::value(metric, *low), amount::value(metric, *high));
            // A unit that both share is said once.
            match (low.split_once(' '), high.split_once(' ')) {
                (Some((number, a)), Some((_, b))) if a == b => format!("{number} to {high}"),
                _ => format!("{low} to {high}"),
            }
        }
        _ => String::new(),
    }
}

fn notes(check: &Check, point: &PointSummary, contrast: Option<&Contrast>) -> Vec<String> {
    let mut notes = Vec::new();
    if check.analysis.recommended.as_ref() == Some(&point.id) {
        notes.push("recommended".to_owned());
    }
    if point.role == PointRole::Diagnosis {
        notes.push("for diagnosis only".to_owned());
    }
    if let Some(Reading::Unavailable { unavailable }) = contrast.map(|contrast| &contrast.effect) {
        notes.push(format!("no comparison: {unavailable}"));
    }
    if let Reading::Unavailable { unavailable } = &point.median {
        notes.push(format!("no median: {unavailable}"));
    }
    if point.failed > 0 {
        notes.push(format!("{} failed", point.failed));
    }
    if point.disturbed > 0 {
        notes.push(format!("{} disturbed", point.disturbed));
    }
    if let Some(variation) = point.variation.measured().filter(|_| point.varies) {
        notes.push(format!("runs vary by {}", variation.percent()));
    }
    notes
}
