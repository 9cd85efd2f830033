//! Plain numbers from estimates, quotients and spans of them, and which are sure enough for a statement.

use numawise_facts::{Estimate, Profile, Reading};
use numawise_tables::{Cell, ValueSpan};
use numawise_units::{BytesPerSecond, Latency, NodeId, Ratio};

/// Figures that lie closer together than this count as one.
pub(super) const ALIKE: f64 = 1.05;

/// What has a plain number in base units.
pub(super) trait Figure: Copy {
    fn plain(self) -> f64;
}

impl Figure for Latency {
    fn plain(self) -> f64 {
        self.0
    }
}

impl Figure for BytesPerSecond {
    fn plain(self) -> f64 {
        self.0
    }
}

/// The estimate in plain numbers. A profile may come from a file: what cannot have been measured is not taken for a figure.
pub(super) fn plain<T: Figure>(reading: &Reading<Estimate<T>>) -> Reading<Estimate<f64>> {
    match reading {
        Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
        Reading::Measured(estimate) => {
            let (median, low, high) = (estimate.median.plain(), estimate.low.plain(), estimate.high.plain());
            if !is_figure(median) || !is_figure(low) || !is_figure(high) || low > median || high < median {
                return Reading::unavailable(format!(
                    "the profile holds {median} with an interval from {low} to {high}, which cannot have been measured"
                ));
            }
            let (samples, disturbed) = (estimate.samples, estimate.disturbed);
            Reading::Measured(Estimate { median, low, high, samples, disturbed })
        }
    }
}

fn is_figure(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// One divided by the other, with bounds that hold wherever in their intervals both are: the least of one by the greatest of
/// the other, and the reverse. That is wider than a 95 % interval of the ratio of two that vary independently.
pub(super) fn quotient(above: &Estimate<f64>, below: &Estimate<f64>) -> Estimate<f64> {
    Estimate {
        median: above.median / below.median,
        low: above.low / below.high,
        high: above.high / below.low,
        samples: above.samples.min(below.samples),
        disturbed: above.disturbed.saturating_add(below.disturbed),
    }
}

/// Both figures, or the reason of the first that is missing.
pub(super) fn both<'a, T, U>(one: &'a Reading<T>, other: &'a Reading<U>) -> Reading<(&'a T, &'a U)> {
    match (one, other) {
        (Reading::Measured(one), Reading::Measured(other)) => Reading::Measured((one, other)),
        (Reading::Unavailable { unavailable }, _) | (_, Reading::Unavailable { unavailable }) => {
            Reading::Unavailable { unavailable: unavailable.clone() }
        }
    }
}

/// The least and the greatest median.
pub(super) fn range(cells: &[Vec<Cell>]) -> Option<(f64, f64)> {
    span(cells.iter().flatten().flatten().filter_map(|cell| Some(cell.measured()?.median)))
}

/// The least and the greatest of some numbers.
pub(super) fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |span, value| match span {
        None => Some((value, value)),
        Some((least, most)) => Some((least.min(value), most.max(value))),
    })
}

/// An estimate whose half interval is a greater part of its median than this says too little to rest a statement on.
pub(super) const VAGUE: f64 = 0.25;

/// Half of an interval as a part of its median; none for a single measurement.
pub(super) fn half(estimate: &Estimate<f64>) -> Option<f64> {
    (estimate.samples > 1).then(|| (estimate.high - estimate.low) / 2.0 / estimate.median)
}

pub(super) fn is_vague(estimate: &Estimate<f64>) -> bool {
    half(estimate).is_some_and(|half| half > VAGUE)
}

/// A figure that is sure enough to rest a statement on.
pub(super) fn certain<T: Figure>(reading: &Reading<Estimate<T>>) -> Option<Estimate<T>> {
    if is_vague(plain(reading).measured()?) { None } else { reading.measured().copied() }
}

/// The median of values that are alike, or the least and the greatest.
pub(super) fn value_span<T>(values: &[f64], value: impl Fn(f64) -> T) -> Option<ValueSpan<T>> {
    let (least, most) = span(values.iter().copied())?;
    Some(if most <= least * ALIKE {
        ValueSpan::Alike(value(numawise_stats::median(values).unwrap_or(least)))
    } else {
        ValueSpan::Between(value(least), value(most))
    })
}

/// Whether a node has CPUs that measured; where nobody names them, whether anything was measured from it.
pub(super) fn has_cpus(profile: &Profile, node: NodeId) -> bool {
    let known = profile.header.nodes.iter().find(|known| known.id == node);
    match known.map(|known| &known.cpus) {
        Some(Reading::Measured(cpus)) => !cpus.is_empty(),
        Some(Reading::Unavailable { .. }) | None => profile.latency.iter().any(|cell| cell.from == node),
    }
}

/// The widest interval: half of it, as a part of its median. Of a single measurement there is none.
pub(super) fn widest(cells: &[Vec<Cell>]) -> Option<Ratio> {
    let known = cells.iter().flatten().flatten().filter_map(Reading::measured);
    span(known.filter_map(half)).map(|(_, most)| Ratio(most))
}
