//! Where more workers begin to bring less, and what of the machine is used up there.

use numawise_facts::{GridStudy, Machine, PointId, Study};
use numawise_tables::{GridRow, ScalingKnee, UsedUp};
use numawise_units::{CpuSet, Ratio};

#[cfg(test)]
#[path = "knee_tests.rs"]
mod tests;

/// Before a knee, twice as many workers make it faster by this power of 2 at least; behind it, by so much less.
const LEAST_BEFORE: f64 = 0.5;
const LEAST_DROP: f64 = 0.4;
/// How far from the number of cores that the profile gives memory may begin to be full.
const ABOUT: f64 = 1.25;

/// How a curve bends at the k-th of its points: powers of the number of workers by which speed grows before and behind it.
struct Bend {
    at: usize,
    before: f64,
    after: f64,
}

/// The place of the sharpest bend, where the intervals of the medians say that it is one. `points` are workers and places in `rows`.
pub fn knee(
    study: &Study,
    grid: &GridStudy,
    rows: &[GridRow],
    points: &[(u32, usize)],
) -> Option<ScalingKnee> {
    let times: Vec<Time> = points.iter().map(|(_, k)| Time::of(study, &rows[*k])).collect::<Option<_>>()?;
    let workers = |k: usize| f64::from(points[k].0).ln();
    let last = points.len().checked_sub(1)?;
    let power =
        |from: usize, to: usize, fast: f64, slow: f64| (fast / slow).ln() / (workers(to) - workers(from));
    let bends = (1..last).filter_map(|at| {
        let before = power(0, at, times[0].median, times[at].median);
        let after = power(at, last, times[at].median, times[last].median);
        // As good as the intervals let it be before, and as bad: the least that is sure of both.
        let least_before = power(0, at, times[0].low, times[at].high);
        let most_after = power(at, last, times[at].high, times[last].low);
        let is_sharp = before >= LEAST_BEFORE && before - after >= LEAST_DROP;
        (is_sharp && least_before > most_after).then_some(Bend { at, before, after })
    });
    let drop = |bend: &Bend| bend.before - bend.after;
    let bend = bends.max_by(|one, other| drop(one).total_cmp(&drop(other)))?;
    let doubled = |power: f64| Ratio(2.0_f64.powf(power));
    let (here, next) = (points[bend.at], points[bend.at + 1]);
    let nodes = nodes_of(study, &rows[here.1].point);
    Some(ScalingKnee {
        workers: here.0,
        before: doubled(bend.before),
        after: doubled(bend.after),
        reasons: reasons(&study.header.machine, grid, nodes, (here.0, next.0)),
    })
}

/// The median of a point with its interval, as a time for one unit of work.
struct Time {
    median: f64,
    low: f64,
    high: f64,
}

impl Time {
    fn of(study: &Study, row: &GridRow) -> Option<Time> {
        let (median, low, high) = (*row.median.measured()?, *row.low.measured()?, *row.high.measured()?);
        if study.header.metric.higher_is_better() {
            Some(Time { median: 1.0 / median, low: 1.0 / high, high: 1.0 / low })
        } else {
            Some(Time { median, low, high })
        }
    }
}

/// The nodes on whose CPUs the tasks of a point may run.
fn nodes_of(study: &Study, point: &PointId) -> usize {
    let machine = &study.header.machine;
    let tasks = study.header.point(point).into_iter().flat_map(|point| &point.plan().tasks);
    let cpus: CpuSet = tasks.flat_map(|task| task.cpus.iter()).collect();
    let nodes = machine.nodes_with_allowed_cpus().filter(|node| node.cpus.intersects(&cpus));
    nodes.count().max(1)
}

/// What is used up by the first number of workers, and is not enough for the second.
fn reasons(machine: &Machine, grid: &GridStudy, nodes: usize, (here, next): (u32, u32)) -> Vec<UsedUp> {
    let cores = |cpus: &CpuSet| machine.cores(&cpus.intersection(&machine.allowed_cpus)) as u32;
    let of_nodes: Vec<u32> = machine.nodes_with_allowed_cpus().map(|node| cores(&node.cpus)).collect();
    let (all_cores, cpus) = (cores(&machine.allowed_cpus), machine.allowed_cpus.len() as u32);
    let is_full = |size: u32| (here..next).contains(&size);
    let mut reasons = Vec::new();
    let least = of_nodes.iter().copied().min().filter(|_| of_nodes.len() > 1 && nodes == 1);
    if let Some(of_node) = least.filter(|cores| is_full(*cores)) {
        reasons.push(UsedUp::CoresOfNode(of_node));
    }
    if is_full(all_cores) && all_cores < cpus {
        reasons.push(UsedUp::Cores(all_cores));
    }
    if is_full(cpus) {
        reasons.push(UsedUp::Cpus(cpus));
    }
    if let Some(of_one) = grid.saturating_cores {
        let saturating = of_one * nodes as f64;
        if f64::from(here) <= saturating * ABOUT && f64::from(next) >= saturating / ABOUT {
            reasons.push(UsedUp::MemoryBandwidth(of_one));
        }
    }
    reasons
}
