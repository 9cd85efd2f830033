//! What the levels of a factor change: times, times in some combinations only, or how trials scatter.

use std::collections::HashMap;

use numawise_facts::finding::{Advice, EvidenceSubject, GridAdvice, GridQuantity, GridSubject};
use numawise_facts::{Effect, Finding, FindingId, Reading};
use numawise_stats::{Contrast, ContrastStanding};
use numawise_tables::{LevelEffects, SpreadChange};

use super::super::scaling::OF_WORKERS;
use super::{Case, count, effect, finding};

pub fn all(case: &Case<'_>) -> Vec<Finding> {
    let factors: Vec<Factor<'_>> = (0..case.grid.factors.len())
        .filter(|k| {
            !OF_WORKERS.contains(&case.grid.factors[*k].kind) && case.grid.factors[*k].levels.len() > 1
        })
        .map(|k| Factor::of(case, k))
        .collect();
    let levels = factors.iter().map(|factor| factor.levels.len() - 1).sum();
    let combinations =
        factors.iter().flat_map(|factor| &factor.levels[1..]).map(|level| level.pairs.len()).sum();
    factors
        .iter()
        .flat_map(|factor| {
            let means = factor.means(levels);
            let matters = factor.matters(&means);
            let depends = factor.depends(combinations);
            let scatters = factor.scatters(&means);
            [matters, depends, scatters].into_iter().flatten()
        })
        .collect()
}

/// A factor with its levels.
struct Factor<'a> {
    case: &'a Case<'a>,
    name: &'a str,
    levels: Vec<Level<'a>>,
    effects: Option<&'a LevelEffects>,
}

struct Level<'a> {
    name: &'a str,
    /// The points at it.
    points: Vec<usize>,
    /// The points at the first level and at this one, all else alike.
    pairs: Vec<(usize, usize)>,
}

/// The mean over combinations of a level against the first; none where too few blocks have them all.
type Mean = Option<(Contrast, Effect)>;

impl<'a> Factor<'a> {
    fn of(case: &'a Case<'a>, factor: usize) -> Factor<'a> {
        let of = &case.grid.factors[factor];
        let runs = case.grid.runs.iter().enumerate().filter(|(k, _)| case.counts(*k));
        let all: HashMap<&[u32], usize> = runs.map(|(k, run)| (run.levels.as_slice(), k)).collect();
        let mut levels: Vec<Level<'a>> =
            of.levels.iter().map(|name| Level { name, points: vec![], pairs: vec![] }).collect();
        for (k, run) in case.grid.runs.iter().enumerate().filter(|(k, _)| case.counts(*k)) {
            let mut at_first = run.levels.clone();
            at_first[factor] = 0;
            let Some(level) = levels.get_mut(run.levels[factor] as usize) else { continue };
            level.points.push(k);
            level.pairs.extend(all.get(at_first.as_slice()).map(|first| (*first, k)));
        }
        let effects = case.effects.iter().find(|effects| effects.factor == of.name);
        Factor { case, name: &of.name, levels, effects }
    }

    fn means(&self, of: usize) -> Vec<Mean> {
        self.levels.iter().map(|level| self.mean(level, of)).collect()
    }

    /// In each block the geometric means over all combinations; a block without one of them says nothing, since it would mix other
    /// points.
    fn mean(&self, level: &Level<'_>, of: usize) -> Mean {
        let pairs = (!level.pairs.is_empty()).then_some(&level.pairs)?;
        self.case.compare(of, |block| {
            let mut logs = (0.0, 0.0);
            for (first, here) in pairs {
                logs = (logs.0 + block[*first]?.ln(), logs.1 + block[*here]?.ln());
            }
            let mean = |sum: f64| (sum / pairs.len() as f64).exp();
            Some((mean(logs.0), mean(logs.1)))
        })
    }

    fn subject(&self, level: usize) -> EvidenceSubject {
        let name = |level: usize| self.levels[level].name.to_owned();
        EvidenceSubject::Grid(GridSubject::Levels {
            factor: self.name.to_owned(),
            from: name(0),
            to: name(level),
        })
    }

    /// The level that is best for sure, or, where the first is, that which is worst.
    fn matters(&self, means: &[Mean]) -> Option<Finding> {
        let decided = |wanted: ContrastStanding| {
            let means = means.iter().enumerate().skip(1).filter_map(|(k, mean)| Some((k, mean.as_ref()?)));
            means.filter(move |(_, (contrast, _))| contrast.standing == wanted).map(|(k, mean)| (k, mean.1))
        };
        let by_ratio =
            |one: &(usize, Effect), other: &(usize, Effect)| one.1.ratio.0.total_cmp(&other.1.ratio.0);
        let best = decided(ContrastStanding::Better).max_by(by_ratio);
        let worst = decided(ContrastStanding::Worse).min_by(by_ratio);
        let (cost, cure) = match (best, worst) {
            (Some((level, effect)), _) => (effect, level),
            (None, Some((_, effect))) => (effect.inverse(), 0),
            (None, None) => return None,
        };
        let evidence = |(level, of): (usize, Effect)| {
            [
                effect(GridQuantity::EffectOfLevel, of, self.subject(level)),
                count(GridQuantity::Combinations, self.levels[level].pairs.len(), None, self.subject(level)),
            ]
        };
        let evidence = best.into_iter().chain(worst).flat_map(evidence).collect();
        let cost = Reading::Measured(cost);
        let cure = self.case.best_of(&self.levels[cure].points);
        let advice = cure.map(|point| self.case.run(point, cost.clone())).into_iter().collect();
        Some(finding(FindingId::LevelMatters, evidence, cost, advice))
    }

    /// The level that is better at one combination of the others and worse at another, both for sure.
    fn depends(&self, of: usize) -> Option<Finding> {
        self.effects?.depends?;
        let is_rate = self.case.study.header.metric.higher_is_better();
        let gain = |(first, here): (usize, usize)| {
            let median = |row: usize| self.case.rows[row].median.measured().copied();
            let gain = median(first)? / median(here)?;
            Some(if is_rate { 1.0 / gain } else { gain })
        };
        let ends = self.levels.iter().skip(1).filter_map(|level| {
            let gains = || level.pairs.iter().filter_map(|pair| Some((*pair, gain(*pair)?)));
            let by_gain =
                |one: &((usize, usize), f64), other: &((usize, usize), f64)| one.1.total_cmp(&other.1);
            let (least, most) = (gains().min_by(by_gain)?, gains().max_by(by_gain)?);
            Some((least.0, most.0, most.1 / least.1))
        });
        let (least, most, _) = ends.max_by(|one, other| one.2.total_cmp(&other.2))?;
        let decided = |(from, to): (usize, usize), wanted: ContrastStanding| {
            let (contrast, of) = self.case.compare_points(from, to, of)?;
            (contrast.standing == wanted)
                .then(|| effect(GridQuantity::EffectAtCombination, of, self.case.points(from, to)))
        };
        let evidence =
            vec![decided(most, ContrastStanding::Better)?, decided(least, ContrastStanding::Worse)?];
        let cost = Reading::unavailable("it is another one at each combination of the other factors");
        let advice = Advice::Grid(GridAdvice::ChooseTogether { factor: self.name.to_owned() });
        Some(finding(FindingId::LevelDepends, evidence, cost, vec![advice.into()]))
    }

    /// The level at which trials scatter least, or, where that is the first, that at which they scatter most.
    fn scatters(&self, means: &[Mean]) -> Option<Finding> {
        let levels = self.effects?.levels.iter().enumerate();
        let changes = levels.filter_map(|(k, level)| Some((k, *level.spread.measured()?)));
        let changes: Vec<(usize, SpreadChange)> = changes.filter(|(_, change)| change.differs).collect();
        let ratio = |of: &(usize, SpreadChange)| of.1.ratio.ratio.0;
        let by_ratio =
            |one: &(usize, SpreadChange), other: &(usize, SpreadChange)| ratio(one).total_cmp(&ratio(other));
        let steadiest = changes.iter().copied().filter(|of| ratio(of) < 1.0).min_by(by_ratio);
        let (level, change) = steadiest.or_else(|| changes.iter().copied().max_by(by_ratio))?;
        let mut evidence = vec![effect(GridQuantity::ScatterOfLevel, change.ratio, self.subject(level))];
        let mean = means[level].as_ref();
        evidence.extend(mean.map(|(_, of)| effect(GridQuantity::EffectOfLevel, *of, self.subject(level))));
        let cost = match mean.map(|(contrast, _)| contrast.standing) {
            Some(ContrastStanding::Equivalent) => "times are as good on average: only their scatter changes",
            Some(ContrastStanding::Better | ContrastStanding::Worse) => {
                "what times are on average differs too, and is a finding of its own"
            }
            Some(ContrastStanding::Open) | None => "the data do not tell times on average apart",
        };
        let steady = if steadiest.is_some() { level } else { 0 };
        let point = self.case.best_of(&self.levels[steady].points);
        let brought = || Reading::unavailable("it changes the scatter, which is among the evidence");
        let advice = point.map(|point| self.case.run(point, brought())).into_iter().collect();
        Some(finding(FindingId::LevelScatters, evidence, Reading::unavailable(cost), advice))
    }
}
