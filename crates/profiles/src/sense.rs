//! Whether a profile makes sense: figures that could have been measured, and nodes of which each is there once.

use std::ops::RangeInclusive;

use numawise_facts::{BufferSpread, Estimate, Profile, Reading};
use numawise_units::{Arrange, Bytes, BytesPerSecond, Latency, Nanoseconds, NodeId, NodeSet};

/// No memory answers within a billionth of a nanosecond, or later than after a second.
const NANOSECONDS: RangeInclusive<f64> = 1e-9..=1e9;
/// In a second: a line of memory, and of all of a machine a thousand times what the largest has.
const BYTES: RangeInclusive<f64> = 1.0..=1e16;
/// Firmware tells bandwidths in MB/s.
const DECLARED_BYTES: RangeInclusive<f64> = 1e6..=1e16;
/// The last second of the year 9999.
const LAST_DATE: u64 = 253_402_300_799;
/// Ten years: nobody waits longer.
const LONGEST: Nanoseconds = Nanoseconds(10 * 366 * 86_400 * 1_000_000_000);
/// Addresses have at most 57 bits.
const MOST_MEMORY: u64 = 1 << 57;

/// The first thing that cannot be. Others divide by these figures, and show them.
pub(crate) fn nonsense(profile: &Profile) -> Option<String> {
    let notices = || numawise_facts::notice::unlikely_number(&profile.header.notices);
    of_nodes(profile)
        .or_else(|| of_times(profile))
        .or_else(|| of_figures(profile))
        .or_else(|| of_trials(profile))
        .or_else(|| of_buffers(profile))
        .or_else(|| twice(profile))
        .or_else(|| {
            let number = notices()?;
            Some(format!(
                "header.notices{}: found {}, expected a number from 0 to 2^52",
                number.place, number.found
            ))
        })
}

fn of_times(profile: &Profile) -> Option<String> {
    let header = &profile.header;
    if let Some(taken) = header.taken.measured().filter(|taken| **taken > LAST_DATE) {
        return Some(format!(
            "{taken} seconds since 1970 cannot be its date; expected one before the year 10000"
        ));
    }
    let waits = profile.loaded.iter().filter_map(|curve| curve.points.measured()).flatten();
    let spans = header.took.measured().into_iter().chain(waits.filter_map(|point| point.delay.measured()));
    let long = spans.copied().find(|span| *span > LONGEST)?;
    Some(format!("a span of {} ns cannot be; expected at most ten years", long.0))
}

fn of_nodes(profile: &Profile) -> Option<String> {
    let mut taken = NodeSet::new();
    profile
        .header
        .nodes
        .iter()
        .find_map(|node| {
            let memory = node.memory.measured().filter(|bytes| bytes.0 >= MOST_MEMORY);
            if let Some(Bytes(bytes)) = memory {
                return Some(format!(
                    "node {} with {bytes} bytes of memory cannot be; the most is 2^57",
                    node.id
                ));
            }
            (!taken.insert(node.id)).then(|| format!("node {} is there twice", node.id))
        })
        .or_else(|| {
            let buffers = profile.latency.iter().filter_map(|cell| cell.bytes.measured());
            let sets = profile.working_sets.iter().flat_map(|curve| &curve.points).map(|point| &point.bytes);
            let wrong = buffers.chain(sets).find(|bytes| bytes.0 >= MOST_MEMORY)?;
            Some(format!("a buffer of {} bytes cannot be; the most is 2^57", wrong.0))
        })
}

fn of_figures(profile: &Profile) -> Option<String> {
    let latency = |what, reading: &Reading<Estimate<Latency>>| {
        let estimate = reading.measured()?;
        checked(what, estimate, |latency| latency.0, (NANOSECONDS, "ns"))
    };
    let rate = |what, estimate: &Estimate<_>| {
        checked(what, estimate, |rate: BytesPerSecond| rate.0, (BYTES, "bytes per second"))
    };
    let idle = profile.latency.iter().find_map(|cell| {
        latency("latency", &cell.latency).or_else(|| latency("latency", &cell.with_tlb_misses))
    });
    let points = || profile.working_sets.iter().flat_map(|curve| &curve.points);
    let loads = || profile.loaded.iter().filter_map(|curve| curve.points.measured()).flatten();
    idle.or_else(|| points().find_map(|point| latency("latency of a working set", &point.latency)))
        .or_else(|| profile.bandwidth.iter().find_map(|cell| rate("bandwidth", cell.rate.measured()?)))
        .or_else(|| {
            let declared = profile.bandwidth.iter().filter_map(|cell| cell.declared.measured());
            let wrong = declared.map(|rate| rate.0).find(|rate| !DECLARED_BYTES.contains(rate))?;
            Some(format!(
                "a declared bandwidth of {wrong} bytes per second cannot be; expected at least 1 MB/s and at most 1e16"
            ))
        })
        .or_else(|| {
            loads().find_map(|point| {
                checked("latency under load", &point.latency, |latency| latency.0, (NANOSECONDS, "ns"))
                    .or_else(|| rate("bandwidth under load", &point.bandwidth))
            })
        })
        .or_else(|| profile.transfers.iter().find_map(|cell| latency("latency of a transfer", &cell.latency)))
}

/// What loops came to in their trials.
fn of_trials(profile: &Profile) -> Option<String> {
    let with = profile.bandwidth.iter().map(|cell| &cell.with);
    let with = with.chain(profile.loaded.iter().map(|curve| &curve.with));
    let mut trials = with.filter_map(Reading::measured).flat_map(|choice| &choice.trials);
    trials.find_map(|trial| {
        let limit = (BYTES, "bytes per second");
        checked("bandwidth of a loop in its trial", trial.rate.measured()?, |rate| rate.0, limit)
    })
}

/// Figures of buffers differ by no more than so many medians.
const FARTHEST_APART: f64 = 1000.0;

/// The lowest and the highest of several buffers.
fn of_buffers(profile: &Profile) -> Option<String> {
    fn wrong<T: Copy>(
        (spread, of_all): (&Reading<BufferSpread<T>>, &Reading<Estimate<T>>),
        number: impl Fn(T) -> f64,
        may_be: RangeInclusive<f64>,
    ) -> Option<String> {
        let spread = spread.measured()?;
        let (lowest, highest) = (number(spread.lowest), number(spread.highest));
        let median = of_all.measured().map_or(highest, |of_all| number(of_all.median));
        let sane = may_be.contains(&lowest)
            && may_be.contains(&highest)
            && lowest <= highest
            && highest - lowest <= FARTHEST_APART * median;
        (!sane || spread.buffers < 2)
            .then(|| format!("figures from {lowest} to {highest} on {} buffers cannot be", spread.buffers))
    }
    let of_latency = |latency: Latency| latency.0;
    let of_rate = |rate: BytesPerSecond| rate.0;
    let mut latencies = profile.latency.iter().map(|cell| (&cell.buffers, &cell.latency));
    let mut rates = profile.bandwidth.iter().map(|cell| (&cell.buffers, &cell.rate));
    latencies
        .find_map(|cell| wrong(cell, of_latency, NANOSECONDS))
        .or_else(|| rates.find_map(|cell| wrong(cell, of_rate, BYTES)))
}

/// A cell that is in its matrix twice: which of them counts?
fn twice(profile: &Profile) -> Option<String> {
    let mut pairs: Vec<(NodeId, NodeId)> = profile.latency.iter().map(|cell| (cell.from, cell.to)).collect();
    pairs.arrange();
    let (from, to) = pairs.windows(2).find(|pair| pair[0] == pair[1])?[0];
    Some(format!("the latency from node {from} to node {to} is there twice"))
}

fn checked<T: Copy>(
    what: &str,
    estimate: &Estimate<T>,
    number: impl Fn(T) -> f64,
    (may_be, unit): (RangeInclusive<f64>, &str),
) -> Option<String> {
    let [low, median, high] = [estimate.low, estimate.median, estimate.high].map(number);
    let sane = may_be.contains(&low) && low <= median && median <= high && may_be.contains(&high);
    (!sane).then(|| {
        format!(
            "a {what} of {median} with an interval from {low} to {high} cannot be; expected {unit} from {:e} to {:e}, in \
             order",
            may_be.start(),
            may_be.end()
        )
    })
}
