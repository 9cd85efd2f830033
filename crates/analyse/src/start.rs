//! Effects that are no larger than what starting a program takes: they say nothing of the work that it does.

use numawise_facts::{Metric, Study, StudyHeader};
use numawise_tables::Contrast;

use crate::summary;

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;

/// Of the order of a start is what lies below half an order of magnitude above it: loading and relocating a library takes as long
/// as a program that does nothing, and the kernel's choice of a CPU changes both by as much again.
const ORDER: f64 = 3.0;

/// Whether the two points differ by no more than starts do: only where times are compared, the program is short, and the cost of a
/// start was measured.
pub fn is_of_a_start(study: &Study, contrast: &Contrast) -> bool {
    let (Metric::WallTime, Some(start)) = (&study.header.metric, study.header.start_cost.measured()) else {
        return false;
    };
    let Some(effect) = contrast.effect.measured() else { return false };
    let times: Vec<f64> =
        summary::trials(study, &contrast.from).filter_map(|trial| study.header.value(trial)).collect();
    let Ok(time) = numawise_stats::median(&times) else { return false };
    let difference = (time - time / effect.ratio.0).abs();
    time < StudyHeader::SHORT.seconds() && difference <= ORDER * start.seconds()
}
