//! Findings: named conclusions with evidence, cost and advice. One file for each family of evidence.

mod hbm;
mod memory;
mod noise;
mod shape;
mod threads;

use numawise_facts::{Effect, Finding, Reading, Study};
use numawise_tables::{Contrast, ContrastCall, Expected, PointSummary, Verdict};

use crate::contrasts::Judged;

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// What a finding may look at.
struct Case<'a> {
    study: &'a Study,
    judged: &'a Judged,
    points: &'a [PointSummary],
    verdict: &'a Verdict,
    expected: &'a Reading<Expected>,
}

impl<'a> Case<'a> {
    fn point(&self, id: &str) -> Option<&'a PointSummary> {
        self.points.iter().find(|point| point.id.0 == id)
    }

    /// The baseline.
    fn os(&self) -> &'a PointSummary {
        &self.points[0]
    }

    fn contrast(&self, from: &str, to: &str) -> Option<&'a Contrast> {
        self.judged.contrast(from, to)
    }

    /// The effect of a contrast that is decided for the better.
    fn gain(&self, from: &str, to: &str) -> Option<Effect> {
        let contrast = self.contrast(from, to)?;
        contrast.effect.measured().copied().filter(|_| contrast.call == ContrastCall::Better)
    }

    /// The effect of a contrast that is decided for the worse.
    fn loss(&self, from: &str, to: &str) -> Option<Effect> {
        let contrast = self.contrast(from, to)?;
        contrast.effect.measured().copied().filter(|_| contrast.call == ContrastCall::Worse)
    }
}

/// All findings of a study, in the order of their identifiers.
pub fn all(
    study: &Study,
    judged: &Judged,
    points: &[PointSummary],
    verdict: &Verdict,
    expected: &Reading<Expected>,
) -> Vec<Finding> {
    let case = Case { study, judged, points, verdict, expected };
    let rules = [
        memory::first_touch_by_one_thread,
        threads::migrate,
        shape::idle_bandwidth,
        shape::process_per_node,
        hbm::unused,
        noise::too_noisy_or_short,
    ];
    rules.iter().filter_map(|rule| rule(&case)).collect()
}

/// The cost of what was found: an effect, or why there is none.
fn cost(effect: Option<Effect>, otherwise: &'static str) -> Reading<Effect> {
    effect.map_or_else(|| Reading::unavailable(otherwise), Reading::Measured)
}
