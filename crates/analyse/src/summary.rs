//! Which trials count, and as which numbers; tables of them: a row for every point, and what could not be measured.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::notice::{ObservedFigure, StudyNotice};
use numawise_facts::{
    Machine, MetricProblem, NamedMetric, Notice, Observation, OtherValue, Outcome, Point, PointId, Reading,
    Reason, ResidencySample, Study, Trial, TrialFrequency,
};
use numawise_tables::PointSummary;
use numawise_units::{Arrange, Bytes, Hertz, Nanoseconds, NodeId, Ratio};

use crate::{middle, reading, share};

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;

/// Runs that differ from each other by more than this are worth a word; well-behaved programs stay below it.
const NOTEWORTHY_VARIATION: Ratio = Ratio(0.05);

/// Disturbed trials are left out as long as this many blocks stay whole for every point.
const ENOUGH: usize = 5;

/// True when disturbed trials are left out of this study: enough undisturbed ones stay at every point that decides anything. On a
/// machine that is never quiet leaving them out would leave nothing, so they count there, and the report says so. A point that was
/// dropped, or not reached in the time given, decides nothing and does not hold the others up.
pub fn left_out(study: &Study) -> bool {
    let mut trials: HashMap<&PointId, (usize, usize)> = HashMap::new();
    for trial in study.trials.iter().filter(|t| !t.is_warm_up() && !t.is_interrupted()) {
        if matches!(trial.outcome, Outcome::Measured { .. }) {
            let (all, quiet) = trials.entry(&trial.point).or_default();
            *all += 1;
            *quiet += usize::from(trial.disturbances.is_empty());
        }
    }
    let mut deciding = trials.values().filter(|(all, _)| *all >= ENOUGH).peekable();
    deciding.peek().is_some() && deciding.all(|(_, quiet)| *quiet >= ENOUGH)
}

/// True for a trial that ran through, but not alone.
pub fn is_uncertain(trial: &Trial) -> bool {
    !trial.disturbances.is_empty() && !trial.is_interrupted()
}

/// The trials of a point that count, in their order.
pub fn trials<'a>(study: &'a Study, point: &'a PointId) -> impl Iterator<Item = &'a Trial> {
    counting(study, point, left_out(study))
}

/// The trials that count, by the points of the study in their order.
pub fn counting_by_point(study: &Study) -> Vec<Vec<&Trial>> {
    let left_out = left_out(study);
    let mut all = by_point(study);
    all.iter_mut().for_each(|here| here.retain(|trial| counts(trial, left_out)));
    all
}

fn counts(trial: &Trial, left_out: bool) -> bool {
    !trial.is_warm_up() && !trial.is_interrupted() && (!left_out || trial.disturbances.is_empty())
}

fn counting<'a>(study: &'a Study, point: &'a PointId, left_out: bool) -> impl Iterator<Item = &'a Trial> {
    study.trials.iter().filter(move |trial| trial.point == *point && counts(trial, left_out))
}

/// The trials of each point, in the order of the points and in their own, gathered in one pass: a grid has hundreds of points.
pub fn by_point(study: &Study) -> Vec<Vec<&Trial>> {
    let points = &study.header.points;
    let columns: HashMap<&PointId, usize> =
        points.iter().enumerate().map(|(column, point)| (&point.id, column)).collect();
    let mut all = vec![Vec::new(); points.len()];
    for trial in &study.trials {
        if let Some(column) = columns.get(&trial.point) {
            all[*column].push(trial);
        }
    }
    all
}

/// Blocks by points: the metric for one unit of work, `None` where there is none that counts.
pub fn blocks(study: &Study) -> Vec<Vec<Option<f64>>> {
    let last = study.trials.iter().map(|trial| trial.block).max().unwrap_or(0) as usize;
    let mut blocks = vec![vec![None; study.header.points.len()]; last];
    for (column, here) in counting_by_point(study).iter().enumerate() {
        for trial in here {
            blocks[trial.block as usize - 1][column] = study.header.value(trial);
        }
    }
    blocks
}

/// The metric for one unit of work of all trials that count, by point.
pub fn samples(study: &Study) -> HashMap<&PointId, Vec<f64>> {
    let values = |trials: &Vec<&Trial>| trials.iter().filter_map(|trial| study.header.value(trial)).collect();
    let points = study.header.points.iter().zip(counting_by_point(study));
    points.map(|(point, trials)| (&point.id, values(&trials))).collect()
}

/// A row for every point.
pub fn points(study: &Study) -> Vec<PointSummary> {
    let left_out = left_out(study);
    let by_point = by_point(study);
    let points = study.header.points.iter().zip(&by_point);
    points.map(|(point, trials)| summarise(study, point, trials, left_out)).collect()
}

/// The places of the points with a median, the best first.
pub fn by_median(study: &Study, points: &[PointSummary]) -> Vec<usize> {
    let median = |k: &usize| points[*k].median.measured().copied();
    let mut order: Vec<(usize, f64)> = (0..points.len()).filter_map(|k| Some((k, median(&k)?))).collect();
    let is_rate = study.header.metric.higher_is_better();
    order
        .arrange_by(|(_, one), (_, other)| if is_rate { other.total_cmp(one) } else { one.total_cmp(other) });
    order.into_iter().map(|(k, _)| k).collect()
}

fn summarise(study: &Study, point: &Point, trials: &[&Trial], left_out: bool) -> PointSummary {
    let counted = trials.iter().filter(|trial| counts(trial, left_out));
    let samples: Vec<f64> = counted.filter_map(|trial| study.header.value(trial)).collect();
    let here = || trials.iter().filter(|trial| !trial.is_warm_up());
    let seen: Vec<&Observation> = trials
        .iter()
        .filter(|trial| succeeded(trial))
        .filter_map(|trial| trial.observation.measured())
        .collect();
    let interval = numawise_stats::median_interval(&samples, 0.95);
    let interval = interval.map_err(|e| e.to_string());
    let summary = numawise_stats::summarise(&samples);
    let variation = summary.as_ref().ok().and_then(|s| s.variation).map(Ratio);
    let machine = &study.header.machine;
    PointSummary {
        id: point.id.clone(),
        levels: point.levels.clone(),
        role: point.role,
        placement: point.plan().clone(),
        median: numawise_stats::median(&samples).map_err(|e| e.to_string()).into(),
        median_low: interval.clone().map(|i| i.low).into(),
        median_high: interval.map(|i| i.high).into(),
        varies: variation.is_some_and(|variation| variation > NOTEWORTHY_VARIATION),
        variation: reading(variation, "it needs two valid trials"),
        failed: here().filter(|trial| !matches!(trial.outcome, Outcome::Measured { .. })).count() as u32,
        disturbed: here().filter(|trial| !trial.disturbances.is_empty()).count() as u32,
        pages: typical_of_all(&seen, |sample| sample.by_node.clone()),
        cpu_share: cpu_share(machine, &seen),
        threads_seen: match seen.last() {
            Some(observation) => observation.threads.clone().map(|threads| threads.len() as u32),
            None => Reading::unavailable(NOT_WATCHED),
        },
        migrations: median_of(&seen, |o| o.migrations.measured().copied()),
        peak_memory: median_of(&seen, |o| o.usage.peak_memory.measured().copied()),
        frequency: frequency(&seen),
        frequency_by_node: frequency_by_node(machine, &seen),
        samples,
    }
}

const NOT_WATCHED: &str = "no trial of this point was watched";

/// What was seen of the trials of a point that succeeded, the warm-up included.
pub fn watched<'a>(study: &'a Study, point: &'a Point) -> impl Iterator<Item = &'a Observation> {
    measured(study, point).filter_map(|trial| trial.observation.measured())
}

/// The trials of a point that succeeded, the warm-up included.
pub fn measured<'a>(study: &'a Study, point: &'a Point) -> impl Iterator<Item = &'a Trial> {
    study.trials.iter().filter(|trial| trial.point == point.id && succeeded(trial))
}

fn succeeded(trial: &Trial) -> bool {
    matches!(trial.outcome, Outcome::Measured { .. })
}

fn median_of<T: Ord + Copy>(seen: &[&Observation], of: impl Fn(&Observation) -> Option<T>) -> Reading<T> {
    reading(middle(seen.iter().filter_map(|observation| of(observation)).collect()), NOT_WATCHED)
}

/// The memory by node of the trial with the middle amount, of what `by_node` takes of a sample.
pub fn typical(
    study: &Study,
    point: &Point,
    by_node: impl Fn(&ResidencySample) -> Vec<(NodeId, Bytes)>,
) -> Reading<Vec<(NodeId, Bytes)>> {
    typical_of_all(&watched(study, point).collect::<Vec<_>>(), by_node)
}

fn typical_of_all(
    all: &[&Observation],
    by_node: impl Fn(&ResidencySample) -> Vec<(NodeId, Bytes)>,
) -> Reading<Vec<(NodeId, Bytes)>> {
    let of = |observation: &&Observation| Some(by_node(observation.pages.measured()?));
    let total = |pages: &Vec<(NodeId, Bytes)>| pages.iter().map(|(_, bytes)| *bytes).sum::<Bytes>();
    let Some(typical) = middle(all.iter().filter_map(of).map(|pages| total(&pages)).collect()) else {
        let why = all.iter().find_map(|o| o.pages.reason().cloned());
        return why.map_or_else(
            || Reading::unavailable(NOT_WATCHED),
            |why| Reading::Unavailable { unavailable: why },
        );
    };
    let chosen = all.iter().rev().filter_map(of).find(|pages| total(pages) == typical);
    reading(chosen, NOT_WATCHED)
}

/// The mean frequency of the CPUs on which the program worked, in a typical run.
fn frequency(seen: &[&Observation]) -> Reading<Hertz> {
    typical_of(seen.iter().map(|o| {
        let mean = |of: &TrialFrequency| {
            of.mean().map_or_else(|| Reading::unavailable(NOT_WATCHED), Reading::Measured)
        };
        o.frequency.as_ref().and_then(mean)
    }))
}

/// The middle of what runs measured, or the first reason why none did.
pub fn typical_of<T: Ord + Copy>(runs: impl Iterator<Item = Reading<T>>) -> Reading<T> {
    let runs: Vec<Reading<T>> = runs.collect();
    let measured = runs.iter().filter_map(|run| run.measured().copied()).collect();
    match (middle(measured), runs.iter().find_map(Reading::reason)) {
        (Some(typical), _) => Reading::Measured(typical),
        (None, Some(reason)) => Reading::Unavailable { unavailable: reason.clone() },
        (None, None) => Reading::unavailable(NOT_WATCHED),
    }
}

fn frequency_by_node(machine: &Machine, seen: &[&Observation]) -> Vec<(NodeId, Hertz)> {
    let of_node = |node: NodeId| {
        let mean =
            |o: &&Observation| o.frequency.measured()?.mean_of(|cpu| machine.node_of(cpu) == Some(node));
        Some((node, middle(seen.iter().filter_map(mean).collect())?))
    };
    machine.nodes.iter().filter_map(|node| of_node(node.id)).collect()
}

/// The share of CPU time on each node, over all watched trials of a point.
fn cpu_share(machine: &Machine, seen: &[&Observation]) -> Reading<Vec<(NodeId, Ratio)>> {
    let mut time: BTreeMap<NodeId, f64> = BTreeMap::new();
    for observation in seen {
        for thread in observation.threads.measured().into_iter().flatten() {
            for (cpu, spent) in &thread.cpu_time_on {
                if let Some(node) = machine.node_of(*cpu) {
                    *time.entry(node).or_default() += spent.seconds();
                }
            }
        }
    }
    let all: f64 = time.values().sum();
    let shares: Option<Vec<_>> = time.into_iter().map(|(node, t)| Some((node, share(t, all)?))).collect();
    reading(shares.filter(|s| !s.is_empty()), "no thread was seen using CPU time: the trials are too short")
}

/// Watching shorter than this says nothing of its cost: a tick of the kernel's clock is more than what it took.
const LONG_ENOUGH: Nanoseconds = Nanoseconds(10_000_000);

/// The highest share of one CPU that sampling took in any trial that counts and was watched long enough to tell.
pub fn sampling_cost(study: &Study) -> Reading<Ratio> {
    let costs = study.trials.iter().filter(|trial| !trial.is_warm_up()).filter_map(|trial| {
        let sampler = &trial.observation.measured()?.sampler;
        let long = sampler.span >= LONG_ENOUGH;
        share(sampler.cpu_time.seconds(), sampler.span.seconds()).filter(|_| long)
    });
    reading(costs.reduce(|a, b| if b.0 > a.0 { b } else { a }), NOT_WATCHED)
}

/// What could not be measured, each reason once, in the order of first appearance. Reasons that tell times or sizes of their trial
/// count as one.
pub fn unavailable(study: &Study) -> Vec<Notice> {
    let mut all = not_observed(study);
    let mut failures: Vec<Notice> = Vec::new();
    // Looked for among those of the same point only.
    let mut known: HashMap<&PointId, Vec<usize>> = HashMap::new();
    let mut add = |point, notice: Notice| {
        let here = known.entry(point).or_default();
        if here.iter().all(|place| failures[*place] != notice) {
            here.push(failures.len());
            failures.push(notice);
        }
    };
    for trial in study.trials.iter().filter(|t| !t.is_warm_up()) {
        let point = trial.point.clone();
        match &trial.outcome {
            Outcome::Measured { .. } => {}
            Outcome::Failed { failure, .. } => {
                let failure = failure.clone();
                add(&trial.point, StudyNotice::ProgramFailed { point, failure }.into());
            }
            Outcome::NoMetric { problem, .. } => {
                add(&trial.point, StudyNotice::NoMetric { point, problem: problem.clone() }.into());
            }
        }
    }
    all.extend(failures);
    all.extend(other_metrics(study));
    all
}

/// Metrics by which points are not compared, which trials have not given: each problem once, with how many.
fn other_metrics(study: &Study) -> Vec<Notice> {
    let names = || study.header.grid.iter().flat_map(|grid| &grid.other_metrics);
    let mut all: Vec<(&NamedMetric, &MetricProblem, u64)> = Vec::new();
    for trial in study.trials.iter().filter(|trial| !trial.is_warm_up()) {
        for (named, value) in names().zip(&trial.other_values) {
            let OtherValue::Missing(problem) = value else { continue };
            match all.iter_mut().find(|(other, of, _)| *other == named && *of == problem) {
                Some((_, _, trials)) => *trials += 1,
                None => all.push((named, problem, 1)),
            }
        }
    }
    let notice = |(named, problem, trials): (&NamedMetric, &MetricProblem, u64)| {
        let (metric, problem) = (Box::new(named.clone()), problem.clone());
        StudyNotice::OtherMetricMissing { metric, problem, trials }.into()
    };
    all.into_iter().map(notice).collect()
}

fn not_observed(study: &Study) -> Vec<Notice> {
    let mut all: Vec<(ObservedFigure, &Reason, u64, u64)> = Vec::new();
    let mut places: HashMap<(ObservedFigure, String), usize> = HashMap::new();
    // Most trials give the same reasons, word by word.
    let mut exact: HashMap<(ObservedFigure, &str), usize> = HashMap::new();
    // Trials are counted as everywhere: those that only look, and warm up, where there are no others.
    let has_others = study.trials_beyond_warm_up() > 0;
    let counted = study.trials.iter().filter(|trial| !has_others || !trial.is_warm_up());
    for (what, reason) in counted.flat_map(|trial| missing(&trial.observation)) {
        let next = all.len();
        let place = *exact
            .entry((what, reason.0.as_ref()))
            .or_insert_with(|| *places.entry((what, without_numbers(&reason.0))).or_insert(next));
        match all.get_mut(place) {
            Some((_, first, trials, others)) => {
                *trials += 1;
                *others += u64::from(*first != reason);
            }
            None => all.push((what, reason, 1, 0)),
        }
    }
    let notice = |(what, reason, trials, others)| {
        let reason = Reason::clone(reason);
        StudyNotice::NotObserved { what, reason, trials, others }
    };
    all.into_iter().map(notice).map(Notice::from).collect()
}

/// A reason without its numbers, and without the units behind them, which change with the numbers.
fn without_numbers(reason: &str) -> String {
    let has_digit = |word: &str| word.bytes().any(|b| b.is_ascii_digit());
    let mut words: Vec<&str> = Vec::new();
    let mut after_number = false;
    for word in reason.split_whitespace() {
        let unit = word.trim_end_matches([',', ';', ')', ':']);
        let is_unit = after_number && unit.chars().count() <= 3;
        after_number = has_digit(word);
        words.push(if after_number || is_unit { "0" } else { word });
    }
    words.dedup_by(|next, last| *next == "0" && *last == "0");
    words.join(" ")
}

/// The figures that an observation lacks, with the reasons.
fn missing(observation: &Reading<Observation>) -> Vec<(ObservedFigure, &Reason)> {
    let o = match observation {
        Reading::Measured(observation) => observation,
        Reading::Unavailable { unavailable } => return vec![(ObservedFigure::Everything, unavailable)],
    };
    let figures = [
        (ObservedFigure::Threads, o.threads.reason()),
        (ObservedFigure::MemoryByNode, o.pages.reason()),
        (ObservedFigure::Migrations, o.migrations.reason()),
        (ObservedFigure::RunQueueDelay, o.run_delay.reason()),
        (ObservedFigure::PeakMemory, o.usage.peak_memory.reason()),
        (ObservedFigure::StealTime, o.noise.steal.reason()),
        (ObservedFigure::OtherLoad, o.noise.other_load.reason()),
    ];
    figures.into_iter().filter_map(|(what, reason)| Some((what, reason?))).collect()
}
