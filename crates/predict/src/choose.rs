//! Which points to run: before there are runs, those that tell most of all others; then those that may be the best.

use std::collections::BTreeSet;

use numawise_facts::{PointId, Study};

use crate::capacity::Capacities;
use crate::fit::Fit;
use crate::predict::{Interval, Known, predicted};
use crate::shape::PointShape;

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;

/// Points among which is chosen: of more a part, as even as it goes, with those that have the fewest and the most threads.
const MOST_CANDIDATES: usize = 300;
/// Variance of the logarithm of a run that is assumed before there is any: noise, and what the model leaves out.
const ASSUMED_VARIANCE: f64 = 0.03 * 0.03;
/// A point that promises less than this, as a share of its time, is not worth a run.
pub const LEAST_PROMISE: f64 = 0.002;

/// So many points of each group of points that differ in threads and placement only, in the order in which they tell most.
pub fn points_to_run(study: &Study, most: usize) -> Vec<PointId> {
    let known = Known::of(study);
    let groups: BTreeSet<&[u32]> = known.groups.iter().map(Vec::as_slice).collect();
    let mut chosen = Vec::new();
    for group in groups {
        let places: Vec<usize> = (0..known.shapes.len())
            .filter(|place| known.groups[*place] == group && known.shapes[*place].is_ok())
            .collect();
        let shapes: Vec<&PointShape> =
            places.iter().filter_map(|place| known.shapes[*place].as_ref().ok()).collect();
        let of_group = most_telling(&known.capacities, &shapes, most);
        chosen.extend(of_group.into_iter().map(|one| study.header.points[places[one]].id.clone()));
    }
    chosen
}

/// The places of the shapes after whose runs the least is unknown of all others (active learning of Cohn).
pub fn most_telling(machine: &Capacities, shapes: &[&PointShape], most: usize) -> Vec<usize> {
    let candidates = candidates(shapes);
    let draws = Fit::of(machine, &[]).draws;
    let some = draws.iter().step_by(draws.len().div_ceil(256).max(1));
    let programs: Vec<_> = some.collect();
    let mut rows: Vec<Vec<f64>> = candidates
        .iter()
        .map(|place| programs.iter().map(|program| program.time(shapes[*place]).ln()).collect())
        .collect();
    for row in &mut rows {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter_mut().for_each(|value| *value -= mean);
    }
    let noise = ASSUMED_VARIANCE * programs.len() as f64;
    let product =
        |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let mut chosen = Vec::new();
    while chosen.len() < most.min(candidates.len()) {
        let gain = |one: usize| {
            let own = product(&rows[one], &rows[one]) + noise;
            rows.iter().map(|other| product(&rows[one], other).powi(2)).sum::<f64>() / own
        };
        let free = (0..rows.len()).filter(|one| !chosen.contains(one));
        let Some((best, _)) = free.map(|one| (one, gain(one))).max_by(|one, other| one.1.total_cmp(&other.1))
        else {
            break;
        };
        let with = rows[best].clone();
        let own = product(&with, &with) + noise;
        for row in &mut rows {
            let share = product(row, &with) / own;
            row.iter_mut().zip(&with).for_each(|(value, of)| *value -= share * of);
        }
        chosen.push(best);
    }
    chosen.into_iter().map(|one| candidates[one]).collect()
}

fn candidates(shapes: &[&PointShape]) -> Vec<usize> {
    if shapes.len() <= MOST_CANDIDATES {
        return (0..shapes.len()).collect();
    }
    let threads = || shapes.iter().map(|shape| shape.threads);
    let (least, most) = (threads().fold(f64::INFINITY, f64::min), threads().fold(0.0, f64::max));
    let is_end = |place: &usize| shapes[*place].threads == least || shapes[*place].threads == most;
    let ends: Vec<usize> = (0..shapes.len()).filter(is_end).take(MOST_CANDIDATES / 4).collect();
    let left = MOST_CANDIDATES - ends.len();
    let even = (0..left).map(|one| one * shapes.len() / left);
    ends.iter().copied().chain(even).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The point that promises most to be better than all that were run, or `None` where none promises enough.
pub fn next_point(study: &Study) -> Option<PointId> {
    let known = Known::of(study);
    let fits = known.fits();
    let medians = known.times.iter().filter_map(|times| numawise_stats::median(times).ok());
    let least = medians.fold(f64::INFINITY, f64::min).ln();
    // The same placement by another name is known.
    let known_shapes: Vec<(&[u32], &PointShape)> = (0..known.shapes.len())
        .filter(|place| !known.times[*place].is_empty())
        .filter_map(|place| Some((known.groups[place].as_slice(), known.shapes[place].as_ref().ok()?)))
        .collect();
    let mut best: Option<(usize, f64)> = None;
    let given_up = study.all_given_up();
    for (place, shape) in known.shapes.iter().enumerate() {
        let Ok(shape) = shape else { continue };
        let id = &study.header.points[place].id;
        let Some((_, fit)) = fits.get(known.groups[place].as_slice()) else { continue };
        if !known.times[place].is_empty() || given_up.contains(id) {
            continue;
        }
        if known_shapes.iter().any(|(group, other)| known.groups[place] == *group && *other == shape) {
            continue;
        }
        let interval = predicted(fit, shape, None, known.noise);
        let promise = promise(&interval, least);
        if promise > best.map_or(LEAST_PROMISE, |(_, most)| most) {
            best = Some((place, promise));
        }
    }
    best.map(|(place, _)| study.header.points[place].id.clone())
}

/// By how much a point is better than the best so far, on average over what it may be: a share of that time.
pub fn promise(of: &Interval, least: f64) -> f64 {
    expected_below(least, of.middle, ((of.middle - of.low) / 1.96).max(1e-6))
}

/// How far a normal value is below a limit on average, where what is above counts as 0.
fn expected_below(limit: f64, mean: f64, sd: f64) -> f64 {
    let gap = (limit - mean) / sd;
    let density = (-0.5 * gap * gap).exp() / (2.0 * std::f64::consts::PI).sqrt();
    // Page 1977: within 0.0002 of the normal distribution.
    let cumulative = 1.0 / (1.0 + (-(1.5976 * gap + 0.07056 * gap.powi(3))).exp());
    (sd * (gap * cumulative + density)).max(0.0)
}
