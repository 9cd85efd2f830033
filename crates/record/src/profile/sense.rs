//! Whether a profile makes sense: figures that could have been measured, and nodes of which each is there once.

use numawise_facts::{BufferSpread, Estimate, Profile, Reading};
use numawise_units::{Bytes, BytesPerSecond, Latency, NodeId, NodeSet};

/// No memory answers later than after a second.
const MOST_NANOSECONDS: f64 = 1e9;
/// In a second, of all of a machine; a thousand times that of the largest.
const MOST_BYTES: f64 = 1e16;
/// Addresses have at most 57 bits.
const MOST_MEMORY: u64 = 1 << 57;

/// The first thing that cannot be. Others divide by these figures, and show them.
pub(super) fn nonsense(profile: &Profile) -> Option<String> {
    of_nodes(profile)
        .or_else(|| of_figures(profile))
        .or_else(|| of_trials(profile))
        .or_else(|| of_buffers(profile))
        .or_else(|| twice(profile))
}

fn of_nodes(profile: &Profile) -> Option<String> {
    let mut taken = NodeSet::new();
    profile.header.nodes.iter().find_map(|node| {
        let memory = node.memory.measured().filter(|bytes| bytes.0 >= MOST_MEMORY);
        if let Some(Bytes(bytes)) = memory {
            return Some(format!(
                "node {} with {bytes} bytes of memory cannot be; the most is 2^57",
                node.id
            ));
        }
        (!taken.insert(node.id)).then(|| format!("node {} is there twice", node.id))
    })
}

fn of_figures(profile: &Profile) -> Option<String> {
    let latency = |what, reading: &Reading<Estimate<Latency>>| {
        let estimate = reading.measured()?;
        checked(what, estimate, |latency| latency.0, (MOST_NANOSECONDS, "ns"))
    };
    let rate = |what, estimate: &Estimate<_>| {
        checked(
            what,
            estimate,
            |rate: numawise_units::BytesPerSecond| rate.0,
            (MOST_BYTES, "bytes per second"),
        )
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
            let wrong = declared.map(|rate| rate.0).find(|rate| !is_sane(*rate, MOST_BYTES))?;
            Some(format!("a declared bandwidth of {wrong} bytes per second cannot be"))
        })
        .or_else(|| {
            loads().find_map(|point| {
                checked("latency under load", &point.latency, |latency| latency.0, (MOST_NANOSECONDS, "ns"))
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
        let limit = (MOST_BYTES, "bytes per second");
        checked("bandwidth of a loop in its trial", trial.rate.measured()?, |rate| rate.0, limit)
    })
}

/// The lowest and the highest of several buffers.
fn of_buffers(profile: &Profile) -> Option<String> {
    fn wrong<T: Copy>(
        spread: &Reading<BufferSpread<T>>,
        number: impl Fn(T) -> f64,
        most: f64,
    ) -> Option<String> {
        let spread = spread.measured()?;
        let (lowest, highest) = (number(spread.lowest), number(spread.highest));
        let sane = is_sane(lowest, most) && is_sane(highest, most) && lowest <= highest;
        (!sane || spread.buffers < 2)
            .then(|| format!("figures from {lowest} to {highest} on {} buffers cannot be", spread.buffers))
    }
    let of_latency = |latency: Latency| latency.0;
    let of_rate = |rate: BytesPerSecond| rate.0;
    let latencies =
        profile.latency.iter().find_map(|cell| wrong(&cell.buffers, of_latency, MOST_NANOSECONDS));
    latencies.or_else(|| profile.bandwidth.iter().find_map(|cell| wrong(&cell.buffers, of_rate, MOST_BYTES)))
}

/// A cell that is in its matrix twice: which of them counts?
fn twice(profile: &Profile) -> Option<String> {
    let mut pairs: Vec<(NodeId, NodeId)> = profile.latency.iter().map(|cell| (cell.from, cell.to)).collect();
    pairs.sort_unstable();
    let (from, to) = pairs.windows(2).find(|pair| pair[0] == pair[1])?[0];
    Some(format!("the latency from node {from} to node {to} is there twice"))
}

fn is_sane(figure: f64, most: f64) -> bool {
    figure > 0.0 && figure <= most
}

fn checked<T: Copy>(
    what: &str,
    estimate: &Estimate<T>,
    number: impl Fn(T) -> f64,
    (most, unit): (f64, &str),
) -> Option<String> {
    let [low, median, high] = [estimate.low, estimate.median, estimate.high].map(number);
    let sane = is_sane(low, most) && low <= median && median <= high && high <= most;
    (!sane).then(|| {
        format!(
            "a {what} of {median} with an interval from {low} to {high} cannot be; expected {unit} above 0 and at most {most:e}, \
             in order"
        )
    })
}
