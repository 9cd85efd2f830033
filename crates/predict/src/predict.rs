//! From a study to a time for each of its points.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numawise_facts::{FactorKind, Metric, Outcome, Point, PointId, Reading, Study, StudyHeader, Trial};
use numawise_stats::median;
use numawise_tables::{PredictedFigure, PredictedPoint, Prediction, PredictionErrors, TimeBound, TimePart};
use numawise_units::Ratio;

use crate::capacity::Capacities;
use crate::fit::{FEWEST_RUNS, Fit, Observed};
use crate::model::Program;
use crate::shape::{NoShape, Part, PointShape};

/// The median noise of one run where no point was run twice, as a share: that of quiet machines (`docs/truth-null.md`).
const NOISE: f64 = 0.02;
/// An interval whose ends differ by more says nothing that helps to choose.
const WIDEST: f64 = 3.0;
/// Parts below this share are not named.
const LEAST_PART: f64 = 0.01;

/// Where a time lies: its logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub middle: f64,
    pub low: f64,
    pub high: f64,
}

/// The points of a study that the model may compare, and what was measured of them.
pub(crate) struct Known {
    pub capacities: Capacities,
    pub shapes: Vec<Result<PointShape, String>>,
    /// The values of the trials that count, as times.
    pub times: Vec<Vec<f64>>,
    /// Points with a trial, whatever it gave.
    pub tried: Vec<bool>,
    /// Points are alike but for threads and placement where these are equal.
    pub groups: Vec<Vec<u32>>,
    /// Shares of memory that were seen on the node of the first thread.
    pub at_first: Vec<Option<f64>>,
    /// Standard deviation of the logarithm of one trial.
    pub noise: f64,
}

impl Known {
    pub fn of(study: &Study) -> Known {
        let header = &study.header;
        let saturating = header.grid.as_ref().and_then(|grid| grid.saturating_cores);
        let capacities = Capacities::of(&header.machine, saturating);
        let shape = |point: &Point| {
            let shape = PointShape::of(&capacities, point.plan()).map_err(NoShape::reason)?;
            match too_large(&capacities, &shape, study) {
                Some(reason) => Err(reason),
                None => Ok(shape),
            }
        };
        let shapes: Vec<_> = header.points.iter().map(shape).collect();
        let places: HashMap<&PointId, usize> =
            header.points.iter().enumerate().map(|(place, point)| (&point.id, place)).collect();
        let (mut times, mut seen) = (vec![Vec::new(); shapes.len()], vec![None; shapes.len()]);
        for trial in study.trials.iter().filter(|trial| counts(trial)) {
            let Some(&place) = places.get(&trial.point) else { continue };
            let value = header.value(trial).filter(|value| value.is_finite() && *value > 0.0);
            times[place].extend(value.map(|value| as_time(&header.metric, value)));
            if let Ok(shape) = &shapes[place] {
                seen[place] = at_first_node(shape, trial).or(seen[place]);
            }
        }
        let mut tried = vec![false; shapes.len()];
        for trial in study.trials.iter().filter(|trial| !trial.is_warm_up()) {
            places.get(&trial.point).into_iter().for_each(|place| tried[*place] = true);
        }
        let noise = noise(&times);
        let groups = header.points.iter().map(|point| group(header, &point.id)).collect();
        Known { capacities, shapes, times, tried, groups, at_first: seen, noise }
    }

    /// Of each group with enough runs.
    pub fn fits(&self) -> BTreeMap<&[u32], GroupFit> {
        let mut fits = BTreeMap::new();
        for group in self.groups.iter().map(Vec::as_slice).collect::<BTreeSet<_>>() {
            let (places, observed): (Vec<usize>, Vec<Observed>) = self.observed(group).into_iter().unzip();
            if observed.len() >= FEWEST_RUNS {
                fits.insert(group, (places, Fit::of(&self.capacities, &observed)));
            }
        }
        fits
    }

    /// Why there is no fit for a point.
    pub fn too_few(&self, place: usize) -> String {
        let run = self.observed(&self.groups[place]).len();
        format!(
            "{run} of the points with the same values of the other factors were run, and {FEWEST_RUNS} are needed"
        )
    }

    /// The measured points of a group, by their places.
    pub fn observed(&self, group: &[u32]) -> Vec<(usize, Observed)> {
        let one = |place: usize| {
            let shape = self.shapes[place].as_ref().ok()?.clone();
            let time = median(&self.times[place]).ok()?.ln();
            let noise = self.noise / (self.times[place].len() as f64).sqrt();
            Some((place, Observed { shape, time, noise, at_first_node: self.at_first[place] }))
        };
        (0..self.shapes.len()).filter(|place| self.groups[*place] == group).filter_map(one).collect()
    }
}

/// The programs that agree with the measured points of a group, and the places of these.
pub(crate) type GroupFit = (Vec<usize>, Fit);

fn counts(trial: &Trial) -> bool {
    !trial.is_warm_up() && !trial.is_interrupted() && matches!(trial.outcome, Outcome::Measured { .. })
}

/// The work is the same at all points: a rate is the inverse of a time.
pub fn as_time(metric: &Metric, value: f64) -> f64 {
    if metric.higher_is_better() { 1.0 / value } else { value }
}

/// The levels of factors that change more than the placement.
fn group(header: &StudyHeader, point: &PointId) -> Vec<u32> {
    let Some(grid) = &header.grid else { return Vec::new() };
    let levels = grid.run(point).map_or(&[][..], |run| &run.levels);
    let placing =
        [FactorKind::Threads, FactorKind::Place, FactorKind::Memory, FactorKind::Order, FactorKind::Step];
    let others = grid.factors.iter().zip(levels).filter(|(factor, _)| !placing.contains(&factor.kind));
    others.map(|(_, level)| *level).collect()
}

/// The pooled standard deviation of repeats; of none, what is usual.
fn noise(times: &[Vec<f64>]) -> f64 {
    let (mut squares, mut free) = (0.0, 0.0);
    for times in times.iter().filter(|times| times.len() > 1) {
        let logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        free += logs.len() as f64 - 1.0;
    }
    // As if there were as many repeats more of a quiet machine, lest two that agree by chance count as exact.
    const AS_IF: f64 = 3.0;
    ((squares + AS_IF * NOISE.powi(2)) / (free + AS_IF)).sqrt()
}

fn at_first_node(shape: &PointShape, trial: &Trial) -> Option<f64> {
    let (node, _) = shape.first_node?;
    let pages = trial.observation.measured()?.pages.measured()?;
    let by_node = pages.own_and_shared();
    let all: u64 = by_node.iter().map(|(_, bytes)| bytes.0).sum();
    let there = by_node.iter().find(|(of, _)| *of == node).map_or(0, |(_, bytes)| bytes.0);
    (all > 0).then(|| there as f64 / all as f64)
}

/// Why the program's memory does not fit, as far as it was seen.
fn too_large(capacities: &Capacities, shape: &PointShape, study: &Study) -> Option<String> {
    let peaks = study.trials.iter().filter(|trial| counts(trial)).filter_map(|trial| {
        trial.observation.measured().and_then(|seen| seen.usage.peak_memory.measured()).copied()
    });
    let needed = peaks.max()?;
    let given: Option<u64> = shape
        .givers
        .iter()
        .map(|node| capacities.place(*node).and_then(|place| capacities.nodes[place].memory))
        .sum();
    let given = numawise_units::Bytes(given?);
    (needed > given).then(|| format!("the program takes {needed}, and its nodes have {given}"))
}

/// A time for every point of a study: that which the runs so far say.
pub fn predict(study: &Study) -> Prediction {
    let known = Known::of(study);
    let fits = known.fits();
    let metric = &study.header.metric;
    let points = rows(study, |place| {
        let times = &known.times[place];
        let measured = match median(times) {
            Ok(time) => Reading::Measured(as_time(metric, time)),
            Err(_) if known.tried[place] => Reading::unavailable("its runs gave no value"),
            Err(_) => Reading::unavailable("it was not run"),
        };
        let figures = figures(&known, place, fits.get(known.groups[place].as_slice()), metric);
        (times.len() as u32, measured, figures.into())
    });
    table(study, points)
}

/// A row for each point of a study: its runs, what they measured, and what is predicted.
pub(crate) fn rows(
    study: &Study,
    of: impl Fn(usize) -> (u32, Reading<f64>, Reading<Figures>),
) -> Vec<PredictedPoint> {
    let grid = study.header.grid.as_ref();
    let row = |(place, point): (usize, &Point)| {
        let (runs, measured, figures) = of(place);
        let run = grid.and_then(|grid| Some((grid, grid.run(&point.id)?)));
        PredictedPoint {
            point: point.id.clone(),
            levels: run.map(|(grid, run)| grid.levels(run).map(str::to_owned).collect()).unwrap_or_default(),
            threads: run.and_then(|(_, run)| run.workers),
            runs,
            measured,
            parts: figures.as_ref().map(|(_, parts)| parts.clone()),
            predicted: figures.map(|(figure, _)| figure),
        }
    };
    study.header.points.iter().enumerate().map(row).collect()
}

pub(crate) fn table(study: &Study, points: Vec<PredictedPoint>) -> Prediction {
    Prediction {
        factors: study.header.grid.as_ref().map(|grid| grid.factors.clone()).unwrap_or_default(),
        best: best(&points, &study.header.metric),
        run: points.iter().filter(|point| point.runs > 0).count() as u32,
        errors: errors(&points),
        points,
    }
}

/// What is predicted of a point.
pub(crate) type Figures = (PredictedFigure, Vec<TimePart>);

fn figures(known: &Known, place: usize, fit: Option<&GroupFit>, metric: &Metric) -> Result<Figures, String> {
    let shape = known.shapes[place].as_ref().map_err(Clone::clone)?;
    let (places, fit) = fit.ok_or_else(|| known.too_few(place))?;
    let own = places.iter().position(|other| *other == place);
    // The median of as many runs as it has, or would have, is what the interval is for.
    let repeats = if own.is_some() { known.times[place].len() } else { typical_repeats(&known.times) };
    let interval = predicted(fit, shape, own, known.noise / (repeats.max(1) as f64).sqrt());
    let figure = figure(&interval, metric).ok_or_else(|| format!("the runs do not tell: {}", too_wide()))?;
    Ok((figure, parts(fit, shape)))
}

/// An interval of logarithms in the units of the metric; `None` where it is [`too_wide`].
pub(crate) fn figure(of: &Interval, metric: &Metric) -> Option<PredictedFigure> {
    let figure = |log: f64| as_time(metric, log.exp());
    let (one, other) = (figure(of.low), figure(of.high));
    let figure = PredictedFigure { value: figure(of.middle), low: one.min(other), high: one.max(other) };
    (figure.high / figure.low <= WIDEST).then_some(figure)
}

/// Why an interval is of no use.
pub(crate) fn too_wide() -> String {
    format!("the ends of its 95 % interval differ by more than {WIDEST} times")
}

fn typical_repeats(times: &[Vec<f64>]) -> usize {
    let counts: Vec<f64> =
        times.iter().filter(|times| !times.is_empty()).map(|times| times.len() as f64).collect();
    median(&counts).map_or(1, |count| count as usize)
}

/// Where the time of a point lies; of one that was run itself (`own`: its place among those that were), what the others say of it.
pub fn predicted(fit: &Fit, shape: &PointShape, own: Option<usize>, noise: f64) -> Interval {
    let even = 1.0 / fit.draws.len() as f64;
    let weight = |draw: usize| own.map_or(even, |own| fit.without[own][draw]);
    let mut logs: Vec<(f64, f64, f64)> = fit
        .draws
        .iter()
        .zip(&fit.unmodelled)
        .enumerate()
        .map(|(draw, (program, normal))| {
            let log = program.time(shape).ln();
            let spread = (program.sigma.powi(2) + noise.powi(2)).sqrt();
            (log, log + spread * normal, weight(draw))
        })
        .collect();
    logs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let middle = quantile(logs.iter().map(|(log, _, weight)| (*log, *weight)), 0.5);
    logs.sort_by(|one, other| one.1.total_cmp(&other.1));
    let of = |share: f64| quantile(logs.iter().map(|(_, log, weight)| (*log, *weight)), share);
    let (low, high) = (of(0.025).min(middle), of(0.975).max(middle));
    Interval {
        middle,
        low: middle - fit.stretch * (middle - low),
        high: middle + fit.stretch * (high - middle),
    }
}

/// Of sorted values with weights that add up to 1.
fn quantile(sorted: impl Iterator<Item = (f64, f64)>, share: f64) -> f64 {
    let (mut below, mut last) = (0.0, f64::NAN);
    for (value, weight) in sorted {
        last = value;
        below += weight;
        if below >= share {
            break;
        }
    }
    last
}

/// What the time of a point is made of, on average over the programs that may be it.
pub(crate) fn parts(fit: &Fit, shape: &PointShape) -> Vec<TimePart> {
    let mut shares: BTreeMap<TimeBound, f64> = BTreeMap::new();
    let mut add = |bound: Option<TimeBound>, share: f64| {
        if let Some(bound) = bound {
            *shares.entry(bound).or_default() += share / fit.draws.len() as f64;
        }
    };
    for terms in fit.draws.iter().map(|program: &Program| program.terms(shape)) {
        add(Some(TimeBound::Serial), terms.serial);
        add(Some(TimeBound::Compute), terms.compute);
        add(Some(TimeBound::Latency), terms.latency);
        add(Some(TimeBound::CoreBandwidth), terms.core);
        add(terms.fullest_memory.map(bound), terms.memory);
        add(terms.fullest_link.map(bound), terms.link);
        add(Some(TimeBound::Synchronisation), terms.sync);
        add(Some(TimeBound::ThreadLimit), terms.limit);
    }
    let mut parts: Vec<TimePart> = shares
        .into_iter()
        .filter(|(_, share)| *share >= LEAST_PART)
        .map(|(bound, share)| TimePart { bound, share: Ratio(share) })
        .collect();
    parts.sort_by(|one, other| other.share.0.total_cmp(&one.share.0));
    parts
}

fn bound(part: Part) -> TimeBound {
    match part {
        Part::Memory(node) => TimeBound::MemoryBandwidth(node),
        Part::Link(from, to) => TimeBound::LinkBandwidth(from, to),
    }
}

fn best(points: &[PredictedPoint], metric: &Metric) -> Reading<PointId> {
    let with_figures = points.iter().filter_map(|point| Some((point, as_time(metric, point.figure()?))));
    match with_figures.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((point, _)) => Reading::Measured(point.point.clone()),
        None => Reading::unavailable("no point was run or can be predicted"),
    }
}

fn errors(points: &[PredictedPoint]) -> Reading<PredictionErrors> {
    let off: Vec<f64> =
        points.iter().filter_map(|point| point.error().measured().map(|error| error.0.abs())).collect();
    match median(&off) {
        Ok(middle) => Reading::Measured(PredictionErrors {
            median: Ratio(middle),
            largest: Ratio(off.iter().copied().fold(0.0, f64::max)),
        }),
        Err(_) => Reading::unavailable("no point that was run can be predicted from the others"),
    }
}
