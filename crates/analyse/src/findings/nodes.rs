//! NW007: runs that differ because the operating system chose another node for each.

use std::collections::BTreeMap;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, RunGroup,
    RunGroupQuantity,
};
use numawise_facts::{Effect, Finding, FindingId, PointRole, Reading, Trial};
use numawise_tables::ContrastCall;
use numawise_units::Ratio;

use super::{Case, Decided, plain};
use crate::comparison::Comparison;
use crate::inside::RunPlaces;
use crate::{start, summary};

/// Confidence of the comparison of groups, all of them together.
const CONFIDENCE: f64 = 0.95;
/// Share of a run's memory or CPU time on one node from which the run counts as being there.
const THERE: f64 = 0.80;
/// A way of telling runs apart has to place this share of them.
const PLACED: f64 = 2.0 / 3.0;
/// Runs of a group, and of all others, at the least.
const RUNS: usize = 2;

/// A run of the baseline: its metric and where it was.
struct Run {
    value: f64,
    places: RunPlaces,
}

/// One group of runs, held against all others that the same way of telling runs apart places.
struct Split {
    best: RunGroup,
    groups: BTreeMap<RunGroup, Vec<f64>>,
    effect: Effect,
}

impl Split {
    fn all(&self) -> usize {
        self.groups.values().map(Vec::len).sum()
    }

    /// What a run gains that is always as the best are: they are that much better than the others, which are so many.
    fn gain(&self) -> Effect {
        let others = self.all() - self.groups[&self.best].len();
        let share = others as f64 / self.all() as f64;
        let part = |ratio: Ratio| Ratio(ratio.0.powf(share));
        Effect { ratio: part(self.effect.ratio), low: part(self.effect.low), high: part(self.effect.high) }
    }
}

/// The operating system runs the program now on this node, now on that, or now with its memory and now without, and that
/// is why its runs differ.
pub fn chosen_anew(case: &Case) -> Option<Finding> {
    let runs = runs(case);
    let ways: [fn(&RunPlaces) -> Option<RunGroup>; 3] = [together, of_cpus, of_memory];
    let split = ways.iter().filter_map(|way| split(case, &runs, *way, ways.len()));
    let split = split.max_by(|a, b| a.gain().ratio.0.total_cmp(&b.gain().ratio.0))?;
    let runs_of = |group| EvidenceSubject::Runs { point: case.baseline.id.clone(), group };
    let all = Amount::Count(split.all() as u64);
    let mut evidence = Vec::new();
    for (group, values) in &split.groups {
        let (count, subject) = (Amount::Count(values.len() as u64), runs_of(*group));
        evidence.push(plain(
            RunGroupQuantity::RunsOfGroup.into(),
            count,
            Some(all),
            subject,
            EvidenceSource::Observations,
        ));
        evidence.extend(median(values, runs_of(*group)));
    }
    evidence.push(Evidence {
        quantity: RunGroupQuantity::EffectOfGroup.into(),
        value: Reading::Measured(Amount::Ratio(split.effect.ratio)),
        of: None,
        interval: Some((Amount::Ratio(split.effect.low), Amount::Ratio(split.effect.high))),
        subject: runs_of(split.best),
        source: EvidenceSource::Trials,
    });
    let cure = cure(case);
    let gain = cure.and_then(|between| case.gain(Some(between)));
    evidence.extend(gain.map(|gain: Decided| gain.evidence(EvidenceQuantity::EffectOfPlacement)));
    Some(Finding {
        id: FindingId::NodeChosenAnew,
        evidence,
        cost: Reading::Measured(gain.map_or_else(|| split.gain(), |gain| gain.effect)),
        cure: cure.map(|between| between.to.request.clone()),
        advice: cure
            .map(|between| AdvisedStep {
                advice: Advice::FixTheNode { placement: between.to.id.clone() },
                brought: super::cost(gain, "a difference in the median is not decided"),
            })
            .into_iter()
            .collect(),
    })
}

/// The runs that count and were watched.
fn runs(case: &Case) -> Vec<Run> {
    let machine = &case.study.header.machine;
    let run = |trial: &Trial| {
        let observation = trial.observation.measured()?;
        Some(Run { value: case.study.header.value(trial)?, places: RunPlaces::of(machine, observation)? })
    };
    summary::trials(case.study, &case.baseline.id).filter_map(run).collect()
}

fn of_cpus(places: &RunPlaces) -> Option<RunGroup> {
    let (node, share) = places.cpu_time.first()?;
    (share.0 >= THERE).then_some(RunGroup::CpusOn(*node))
}

fn of_memory(places: &RunPlaces) -> Option<RunGroup> {
    let memory = places.memory.as_ref()?;
    (memory.there.0 >= THERE).then_some(RunGroup::MemoryOn(memory.home))
}

fn together(places: &RunPlaces) -> Option<RunGroup> {
    let memory = places.memory.as_ref().filter(|memory| memory.there.0 >= THERE)?;
    let away = places.away_from(memory.home).0;
    // Threads on both nodes are neither: of which there are a few more is no choice of a node.
    if 1.0 - away >= THERE { Some(RunGroup::Together) } else { (away >= THERE).then_some(RunGroup::Apart) }
}

/// The runs as one way tells them apart, where those of one group are decidedly better than the others.
fn split(case: &Case, runs: &[Run], way: fn(&RunPlaces) -> Option<RunGroup>, ways: usize) -> Option<Split> {
    let mut groups: BTreeMap<RunGroup, Vec<f64>> = BTreeMap::new();
    for run in runs {
        if let Some(group) = way(&run.places) {
            groups.entry(group).or_default().push(run.value);
        }
    }
    let placed: usize = groups.values().map(Vec::len).sum();
    if groups.len() < 2 || (placed as f64) < PLACED * runs.len() as f64 {
        return None;
    }
    let higher = case.study.header.metric.higher_is_better();
    // Every group is a chance for chance.
    let confidence = 1.0 - (1.0 - CONFIDENCE) / (ways * groups.len()) as f64;
    let candidates = groups.iter().filter_map(|(group, own)| {
        let others: Vec<f64> = groups
            .iter()
            .filter(|(other, _)| *other != group)
            .flat_map(|(_, values)| values)
            .copied()
            .collect();
        if own.len() < RUNS || others.len() < RUNS {
            return None;
        }
        let (better, worse) = if higher { (own, &others) } else { (&others, own) };
        let found = numawise_stats::compare_groups(better, worse, confidence).ok()?;
        let effect = Effect::new(found.ratio, found.low, found.high);
        let of_others = numawise_stats::median(&others).ok()?;
        let counts = effect.low.0 > 1.0
            && effect.ratio.0 > 1.0 + case.study.header.margin
            && !start::starts_differ_so(case.study, of_others, effect.ratio);
        counts.then_some((*group, effect))
    });
    let (best, effect) = candidates.max_by(|a, b| a.1.ratio.0.total_cmp(&b.1.ratio.0))?;
    Some(Split { best, groups, effect })
}

/// The median of a group with its interval.
fn median(values: &[f64], subject: EvidenceSubject) -> Option<Evidence> {
    let median = numawise_stats::median(values).ok()?;
    let interval = numawise_stats::median_interval(values, 0.95).ok();
    Some(Evidence {
        quantity: RunGroupQuantity::MetricOfGroup.into(),
        value: Reading::Measured(Amount::Metric(median)),
        of: None,
        interval: interval.map(|found| (Amount::Metric(found.low), Amount::Metric(found.high))),
        subject,
        source: EvidenceSource::Trials,
    })
}

/// The placement that removes it: the best that is decidedly better, else one inside a node that is not decidedly worse.
fn cure<'a>(case: &Case<'a>) -> Option<Comparison<'a>> {
    let header = &case.study.header;
    let baseline = header.baseline()?;
    let candidates = header.points.iter().filter(|point| point.role == PointRole::Candidate);
    let compared: Vec<_> = candidates
        .filter_map(|to| {
            let between = Comparison { from: baseline, to };
            Some((between, case.contrast(between)?))
        })
        .collect();
    let ratio = |contrast: &numawise_tables::Contrast| contrast.effect.measured().map_or(0.0, |e| e.ratio.0);
    let better = compared.iter().filter(|(_, contrast)| contrast.call == ContrastCall::Better);
    let best = better.max_by(|a, b| ratio(a.1).total_cmp(&ratio(b.1)));
    let inside = || {
        compared.iter().find(|(between, contrast)| {
            let nodes = between.to.levels.placement.nodes.as_ref();
            nodes.is_some_and(|nodes| nodes.len() == 1) && contrast.call != ContrastCall::Worse
        })
    };
    best.or_else(inside).map(|(between, _)| *between)
}
