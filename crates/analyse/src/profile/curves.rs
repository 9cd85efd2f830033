//! Curves: latency by working set with its caches, latency by load with its knee.

use numawise_facts::{Estimate, LoadPoint, LoadedLatency, Machine, Profile, Reading, WorkingSets};
use numawise_tables::{CacheStep, KneeReason, LoadKnee, LoadedCurve, WorkingSetCurve};
use numawise_units::{Arrange, Bytes, BytesPerSecond, CpuId, Latency, Ratio};

use super::figures::{half, is_vague, plain};

/// A working set of this many times the last cache is taken for memory.
const BEYOND: u64 = 4;
/// The share of the peak from which more load is not worth its latency.
const NEAR: f64 = 0.95;

pub(super) fn working_sets(profile: &Profile, machine: Option<&Machine>) -> Vec<WorkingSetCurve> {
    profile.working_sets.iter().map(|curve| working_set(curve, machine)).collect()
}

fn working_set(curve: &WorkingSets, machine: Option<&Machine>) -> WorkingSetCurve {
    let points: Vec<(Bytes, Reading<Estimate<Latency>>)> = curve
        .points
        .iter()
        .map(|point| (point.bytes, plain(&point.latency).map(|estimate| latency(&estimate))))
        .collect();
    let caches = caches(machine, curve.cpu).map(|caches| steps(&caches, &points));
    let memory = match &caches {
        Reading::Measured(steps) => beyond(steps, &points),
        Reading::Unavailable { .. } => Reading::unavailable(
            "without the sizes of the caches nobody knows which working sets are beyond them",
        ),
    };
    WorkingSetCurve { from: curve.from, to: curve.to, cpu: curve.cpu, points, caches, memory }
}

fn latency(plain: &Estimate<f64>) -> Estimate<Latency> {
    let Estimate { median, low, high, samples, disturbed } = *plain;
    Estimate { median: Latency(median), low: Latency(low), high: Latency(high), samples, disturbed }
}

/// Level, size and number of CPUs of the caches of a CPU, in ascending order of levels.
fn caches(machine: Option<&Machine>, cpu: CpuId) -> Reading<Vec<(u32, Bytes, u32)>> {
    let Some(machine) = machine else {
        return Reading::unavailable("the profile was analysed without the machine that it was taken on");
    };
    let mut caches: Vec<(u32, Bytes, u32)> = machine
        .caches
        .iter()
        .filter(|cache| cache.cpus.contains(cpu) && cache.size > Bytes(0))
        .map(|cache| (cache.level, cache.size, cache.cpus.len() as u32))
        .collect();
    caches.arrange();
    caches.dedup_by_key(|cache| cache.0);
    if caches.is_empty() {
        Reading::unavailable(format!("the machine does not say which caches CPU {cpu} has"))
    } else {
        Reading::Measured(caches)
    }
}

fn steps(caches: &[(u32, Bytes, u32)], points: &[(Bytes, Reading<Estimate<Latency>>)]) -> Vec<CacheStep> {
    let mut below = Bytes(0);
    let mut steps = Vec::new();
    for &(level, size, shared_by) in caches {
        let fits = |bytes: Bytes| bytes > below && bytes.0 <= size.0 / 4 * 3;
        let inside: Vec<f64> = points
            .iter()
            .filter(|(bytes, _)| fits(*bytes))
            .filter_map(|(_, latency)| Some(latency.measured()?.median.0))
            .collect();
        let latency = numawise_stats::median(&inside).ok().map(Latency);
        let why = "no working set was measured that fits into this cache and not into the one before";
        steps.push(CacheStep { level, size, shared_by, latency: crate::reading(latency, why) });
        below = size;
    }
    steps
}

fn beyond(steps: &[CacheStep], points: &[(Bytes, Reading<Estimate<Latency>>)]) -> Reading<Latency> {
    let last = steps.last().map_or(Bytes(0), |step| step.size);
    let far = points.iter().rev().filter(|(bytes, _)| bytes.0 >= last.0.saturating_mul(BEYOND));
    match far.filter_map(|(_, latency)| latency.measured()).next() {
        Some(latency) => Reading::Measured(latency.median),
        None => Reading::unavailable(format!(
            "no working set of at least {BEYOND} times the last cache ({last}) was measured"
        )),
    }
}

pub(super) fn loaded(profile: &Profile) -> Vec<LoadedCurve> {
    profile.loaded.iter().map(loaded_curve).collect()
}

fn loaded_curve(curve: &LoadedLatency) -> LoadedCurve {
    let points = points(&curve.points);
    let peak = points.as_ref().map(|points| peak(points));
    let sure = sure(&points);
    let doubled = match &sure {
        Reading::Measured(points) => {
            doubled(points).map_or_else(|| never(points), |(_, rate)| Reading::Measured(rate))
        }
        Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
    };
    LoadedCurve {
        from: curve.from,
        to: curve.to,
        mix: curve.mix,
        workers: curve.workers,
        threads: curve.threads.clone(),
        unloaded: points.as_ref().map(|points| points[0].latency.median),
        peak,
        doubled,
        knee: sure.map(|points| knee(points)),
        points,
    }
}

/// At least one point, all with figures.
fn points(points: &Reading<Vec<LoadPoint>>) -> Reading<Vec<LoadPoint>> {
    let Some(all) = points.measured() else { return points.clone() };
    let sound = |point: &&LoadPoint| {
        let latency = plain(&Reading::Measured(point.latency));
        latency.measured().is_some() && plain(&Reading::Measured(point.bandwidth)).measured().is_some()
    };
    let sound: Vec<LoadPoint> = all.iter().filter(sound).cloned().collect();
    if sound.is_empty() {
        Reading::unavailable("the profile has no point of this curve")
    } else {
        Reading::Measured(sound)
    }
}

/// The points, if the latency at the least load is sure enough to say what is twice of it.
fn sure(points: &Reading<Vec<LoadPoint>>) -> Reading<&Vec<LoadPoint>> {
    let Some(all) = points.measured() else { return points.as_ref() };
    let first = plain(&Reading::Measured(all[0].latency));
    match first.measured().filter(|latency| is_vague(latency)).and_then(half) {
        Some(half) if half >= 1.0 => Reading::unavailable(
            "the latency at the least load is not known: its interval is wider than the figure itself",
        ),
        Some(half) => Reading::unavailable(format!(
            "the latency at the least load is known only to ±{:.0} %",
            half * 100.0
        )),
        None => points.as_ref(),
    }
}

fn peak(points: &[LoadPoint]) -> (BytesPerSecond, Latency) {
    let most = points.iter().max_by(|one, other| one.bandwidth.median.0.total_cmp(&other.bandwidth.median.0));
    let most = most.unwrap_or(&points[0]);
    (most.bandwidth.median, most.latency.median)
}

/// The number of the first point from which on latency is at least twice the first one's, and the bandwidth where the line
/// before crosses that. A single point that was disturbed does not make a knee.
fn doubled(points: &[LoadPoint]) -> Option<(usize, BytesPerSecond)> {
    let twice = 2.0 * points[0].latency.median.0;
    let before = points.iter().rposition(|point| point.latency.median.0 < twice)?;
    let k = before + 1;
    if k == points.len() {
        return None;
    }
    let (before, after) = (&points[k - 1], &points[k]);
    let rise = after.latency.median.0 - before.latency.median.0;
    let share = (twice - before.latency.median.0) / rise;
    let (from, to) = (before.bandwidth.median.0, after.bandwidth.median.0);
    Some((k, BytesPerSecond(from + (to - from) * share)))
}

fn never(points: &[LoadPoint]) -> Reading<BytesPerSecond> {
    let most = points.iter().map(|point| point.latency.median.0).fold(0.0, f64::max);
    let ratio = Ratio(most / points[0].latency.median.0);
    Reading::unavailable(format!(
        "latency did not stay doubled: it was at most {ratio} that of the least load"
    ))
}

fn knee(points: &[LoadPoint]) -> LoadKnee {
    let (most, _) = peak(points);
    let near = points.iter().position(|point| point.bandwidth.median.0 >= NEAR * most.0).unwrap_or(0);
    let by_peak = &points[near];
    let (bandwidth, latency, why) = match doubled(points) {
        Some((k, rate)) if k < near || (k == near && rate.0 < by_peak.bandwidth.median.0) => {
            (rate, Latency(2.0 * points[0].latency.median.0), KneeReason::LatencyDoubled)
        }
        _ => (by_peak.bandwidth.median, by_peak.latency.median, KneeReason::NearPeak),
    };
    LoadKnee { bandwidth, latency, share: Ratio(bandwidth.0 / most.0), why }
}
