//! Effects that are no larger than what starting a program takes: they say nothing of the work that it does.

use numawise_facts::{Metric, Study, StudyHeader};
use numawise_tables::{Contrast, ContrastCall};
use numawise_units::Ratio;

use crate::summary;

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;

/// Of the order of a start is what lies below half an order of magnitude above it: loading and relocating a library takes as long
/// as a program that does nothing, and the kernel's choice of a CPU changes both by as much again.
const ORDER: f64 = 3.0;
/// What starts of a program that is not short can differ by: one placement starts it a whole start later than another. More would hide
/// what a placement brings where starts are slow, as in a virtual machine.
const WHOLE: f64 = 1.0;

/// Whether the two points differ by no more than starts do: what was found of them says nothing. Of a program that is not short only
/// what would be found otherwise is of a start; that its runs are alike or noisy has other reasons.
pub fn is_of_a_start(study: &Study, contrast: &Contrast) -> bool {
    let Some(effect) = contrast.effect.measured() else { return false };
    let times: Vec<f64> =
        summary::trials(study, &contrast.from).filter_map(|trial| study.header.value(trial)).collect();
    let Ok(time) = numawise_stats::median(&times) else { return false };
    let found = matches!(contrast.call, ContrastCall::Better | ContrastCall::Worse);
    let asked = found || (contrast.call == ContrastCall::Open && is_short(study, time));
    asked && starts_differ_so(study, time, effect.ratio)
}

/// Whether runs of so many seconds and others that are so many times as good differ by no more than starts do: only where times are
/// compared, and the cost of a start was measured.
pub fn starts_differ_so(study: &Study, time: f64, ratio: Ratio) -> bool {
    let (Metric::WallTime, Some(start)) = (&study.header.metric, study.header.start_cost.measured()) else {
        return false;
    };
    let starts = if is_short(study, time) { ORDER } else { WHOLE };
    (time - time / ratio.0).abs() <= starts * start.seconds()
}

/// Whether starting is most of what a run of so many seconds does, or may be.
fn is_short(study: &Study, time: f64) -> bool {
    let start = study.header.start_cost.measured().map_or(0.0, |start| start.seconds());
    time < StudyHeader::SHORT.seconds() || time <= ORDER * start
}
