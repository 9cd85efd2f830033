//! The contrasts of a study, judged all at once: a study in the terms of `stats`, and what `stats` says of it.

use numawise_facts::{ContrastRole, Metric, Point, PointId, PointPair, PointRole, Reading, Study};
use numawise_stats::{
    Better, ContrastStanding, Estimate, FIRST_INTERIM, Family, FamilyDecision, FamilyDesign, Judgement,
    PlannedContrast, StoppingAdvice,
};
use numawise_tables::{Contrast, ContrastCall};

use crate::{effect_of, obeyed, start, summary};

#[cfg(test)]
#[path = "contrasts_tests.rs"]
mod tests;

/// Probability that all intervals of a check hold their true ratios.
const CONFIDENCE: f64 = 0.95;

/// The step of the clock that times trials, in seconds.
const CLOCK: f64 = 1e-9;

/// The contrasts of a study as `stats` takes them.
struct StudyFamily<'a> {
    /// The contrasts whose points are both there and were placed as the plan says, in the order of the design.
    pairs: Vec<&'a PointPair>,
    /// A contrast that the verdict would rest on has a point that was not placed as the plan says.
    incomplete: bool,
    design: FamilyDesign,
    better: Better,
}

fn family_of(study: &Study) -> StudyFamily<'_> {
    let header = &study.header;
    let index = |id: &PointId| header.points.iter().position(|point| point.id == *id);
    let known = |pair: &PointPair| {
        let judgement = match pair.role {
            ContrastRole::BothWays => Judgement::BothWays,
            ContrastRole::GainOnly => Judgement::GainOnly,
            ContrastRole::Unjudged => Judgement::Unjudged,
        };
        Some(PlannedContrast { reference: index(&pair.from)?, other: index(&pair.to)?, judgement })
    };
    let disobeyed = obeyed::disobeyed(study);
    let obeyed =
        |pair: &&PointPair| !disobeyed.iter().any(|point| **point == pair.from || **point == pair.to);
    let incomplete = header.pairs.iter().any(|pair| pair.role != ContrastRole::Unjudged && !obeyed(&pair));
    let pairs = header.pairs.iter().filter(obeyed);
    let (pairs, contrasts) = pairs.filter_map(|pair| Some((pair, known(pair)?))).unzip();
    let resolution = matches!(header.metric, Metric::WallTime).then_some(CLOCK);
    let design = FamilyDesign { contrasts, margin: header.margin, confidence: CONFIDENCE, resolution };
    let better = if header.metric.higher_is_better() { Better::Higher } else { Better::Lower };
    StudyFamily { pairs, incomplete, design, better }
}

/// True when the stopping rule of `stats` ends the study: nothing that the verdict rests on is gained by measuring on. The points in
/// `dropped` are run no more, as are those that failed too often.
pub fn decided(study: &Study, dropped: &[PointId]) -> bool {
    let StudyFamily { design, better, .. } = family_of(study);
    if design.contrasts.is_empty() {
        return true;
    }
    let advice = numawise_stats::should_stop(&design, &summary::blocks(study), better, &gone(study, dropped));
    matches!(advice, Ok(StoppingAdvice::Stop(_)))
}

/// The points for diagnosis only that are known so well that nothing is gained by running them on, though others are not. The baseline
/// and what may be recommended are never among them: each that ends where it happens to look calm costs coverage.
pub fn finished(study: &Study, dropped: &[PointId]) -> Vec<PointId> {
    let StudyFamily { design, better, .. } = family_of(study);
    let gone = gone(study, dropped);
    let finished = numawise_stats::finished_points(&design, &summary::blocks(study), better, &gone);
    let points = finished.unwrap_or_default().into_iter().filter(|column| !gone.contains(column));
    let points = points.filter_map(|column| study.header.points.get(column));
    points.filter(|point| point.role == PointRole::Diagnosis).map(|point| point.id.clone()).collect()
}

/// The columns of points that are run no more.
fn gone(study: &Study, dropped: &[PointId]) -> Vec<usize> {
    let points = study.header.points.iter().enumerate();
    let run_no_more = |point: &Point| dropped.contains(&point.id) || study.given_up(&point.id);
    points.filter(|(_, point)| run_no_more(point)).map(|(column, _)| column).collect()
}

/// The contrasts of a study with what they say, and the family as `stats` gave it.
pub struct Judged {
    pub contrasts: Vec<Contrast>,
    /// A contrast that the verdict would rest on is left out, since a plan was not obeyed.
    pub incomplete: bool,
    /// All effects that were found are of the order of what starting a program takes: they are no effects of the placement.
    pub of_a_start: bool,
    /// Nothing was found, and some points have fewer repeats than data may be judged by: the time given ended before, or somebody
    /// ended it.
    pub too_few: bool,
    pub family: Option<Family>,
    pub design: FamilyDesign,
}

impl Judged {
    pub fn contrast(&self, from: &PointId, to: &PointId) -> Option<&Contrast> {
        self.contrasts.iter().find(|c| c.from == *from && c.to == *to)
    }

    /// What the data say of a contrast.
    pub fn estimate(&self, contrast: &Contrast) -> Option<&Estimate> {
        let index = self.contrasts.iter().position(|c| c.from == contrast.from && c.to == contrast.to)?;
        self.family.as_ref()?.contrasts.get(index)?.estimate.as_ref().ok()
    }

    /// The contrasts that count in either direction.
    pub fn both_ways(&self) -> impl Iterator<Item = &Contrast> {
        let judged = self.contrasts.iter().zip(&self.design.contrasts);
        judged.filter(|(_, plan)| plan.judgement == Judgement::BothWays).map(|(contrast, _)| contrast)
    }

    /// The contrasts that count in any way, with whether a gain is ruled out.
    pub fn counting(&self) -> impl Iterator<Item = (&Contrast, bool)> {
        let judged = self.contrasts.iter().zip(&self.design.contrasts).enumerate();
        let counting = judged.filter(|(_, (_, plan))| plan.judgement != Judgement::Unjudged);
        counting.map(|(k, (contrast, _))| {
            // Few repeats decide nothing, however alike they are.
            let ruled_out = contrast.repeats as usize >= FIRST_INTERIM
                && self.family.as_ref().is_some_and(|family| family.contrasts[k].gain_ruled_out);
            (contrast, ruled_out)
        })
    }

    /// What the family says as a whole.
    pub fn decision(&self) -> FamilyDecision {
        match self.family.as_ref().map_or(FamilyDecision::Undecided, |family| family.decision) {
            FamilyDecision::Affected if self.of_a_start => FamilyDecision::Undecided,
            _ if self.too_few => FamilyDecision::Undecided,
            decision => decision,
        }
    }
}

/// Judges every pair of the study.
pub fn judge(study: &Study) -> Judged {
    let StudyFamily { pairs, incomplete, design, better } = family_of(study);
    let family = if design.contrasts.is_empty() {
        Err("there is nothing to compare".to_owned())
    } else {
        numawise_stats::analyse(&design, &summary::blocks(study), better).map_err(|e| e.to_string())
    };
    let contrasts = pairs.iter().enumerate().map(|(k, pair)| {
        let judged = family.as_ref().map(|family| &family.contrasts[k]);
        let estimate =
            judged.map_err(Clone::clone).and_then(|c| c.estimate.as_ref().map_err(ToString::to_string));
        Contrast {
            from: pair.from.clone(),
            to: pair.to.clone(),
            effect: estimate.map_or_else(Reading::unavailable, effect_of),
            call: judged.map_or(ContrastCall::Open, |c| call(c.standing)),
            repeats: judged.map_or(0, |c| c.blocks as u32),
        }
    });
    let mut contrasts: Vec<Contrast> = contrasts.collect();
    let mut of_a_start = false;
    for contrast in contrasts.iter_mut().filter(|contrast| start::is_of_a_start(study, contrast)) {
        contrast.call = ContrastCall::Open;
        of_a_start = true;
    }
    let mut too_few = false;
    for (contrast, plan) in contrasts.iter_mut().zip(&design.contrasts) {
        if (contrast.repeats as usize) < FIRST_INTERIM {
            contrast.call = ContrastCall::Open;
            too_few |= plan.judgement != Judgement::Unjudged;
        }
    }
    let judged =
        Judged { contrasts, incomplete, of_a_start: false, too_few: false, family: family.ok(), design };
    let others = judged.counting().any(|(contrast, _)| contrast.call == ContrastCall::Better)
        || judged.both_ways().any(|contrast| contrast.call == ContrastCall::Worse);
    Judged { of_a_start: of_a_start && !others, too_few: too_few && !others, ..judged }
}

fn call(standing: ContrastStanding) -> ContrastCall {
    match standing {
        ContrastStanding::Better => ContrastCall::Better,
        ContrastStanding::Worse => ContrastCall::Worse,
        ContrastStanding::Equivalent => ContrastCall::Same,
        ContrastStanding::Open => ContrastCall::Open,
    }
}
