//! The family of contrasts of one check: an interval for each, all of them right together, and the decision.
//!
//! Knows levels and the margin; does not know when to stop (that is `sequence`) nor what a point stands for.

#[cfg(test)]
#[path = "family_tests.rs"]
mod tests;

use crate::critical::{effective_contrasts, per_contrast, two_sided_t};
use crate::design::{Better, FamilyDesign, Judgement, PlannedContrast};
use crate::differences::{Differences, NoInterval, check_input};
use crate::error::StatsError;

/// Share of the error probability that the reported interval uses; the rest pays for stopping on the data.
const REPORTED_SHARE: f64 = 0.8;
/// An interval is narrow enough once it reaches no further than this share of the margin to either side: it then
/// either lies inside the margin or excludes 1, whatever the ratio.
const OF_MARGIN: f64 = 0.5;
/// ... or than this share of the (log) effect: so far out that 1 is not in question, and known to a third.
const OF_EFFECT: f64 = 1.0 / 3.0;

/// A ratio with its interval. Above 1: the second point of the pair is better than the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Geometric mean over blocks of the improvement.
    pub ratio: f64,
    /// Lower end of the simultaneous interval.
    pub low: f64,
    /// Upper end of the simultaneous interval.
    pub high: f64,
    /// Standard deviation of the log ratio from block to block; about the relative noise of one comparison.
    pub noise: f64,
}

/// What the data say of one contrast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContrastStanding {
    /// The second point is better: the interval lies above 1, and not wholly inside the margin.
    Better,
    /// The second point is worse: the interval lies below 1, and not wholly inside the margin.
    Worse,
    /// The whole interval lies inside the margin: no difference that matters, even if there is one.
    Equivalent,
    /// The interval holds 1 and reaches beyond the margin, or there is none.
    Open,
}

/// One contrast of the family.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// (reference, other), as in the design.
    pub pair: (usize, usize),
    pub judgement: Judgement,
    /// Blocks that hold both points.
    pub blocks: usize,
    /// The effect, or why there is none to report.
    pub estimate: Result<Estimate, NoInterval>,
    pub standing: ContrastStanding,
    /// The interval is as narrow as it needs to be; never true of an open contrast.
    pub settled: bool,
    /// The interval rules out a gain beyond the margin, and shows none.
    pub gain_ruled_out: bool,
}

impl Estimate {
    /// True when 1 lies outside of an interval that is a quarter wider: enough to end an experiment that would else go on to a later end
    /// of its budget. Ending there by the interval itself would be a second chance for chance.
    pub fn is_clear(&self) -> bool {
        let (log_effect, half_width) = (self.ratio.ln(), (self.high / self.low).ln() / 2.0);
        log_effect.abs() > 1.25 * half_width
    }
}

impl Contrast {
    /// True when nothing is gained by measuring this contrast further: the stopping rule for one contrast.
    pub fn finished(&self) -> bool {
        match self.judgement {
            Judgement::BothWays => self.settled,
            Judgement::GainOnly => self.settled || self.gain_ruled_out,
            Judgement::Unjudged => true,
        }
    }

    /// True when it would be settled with an interval twice as wide. What counts of it is not asked: whoever stops because of where
    /// an estimate lies does so because of its error.
    pub(crate) fn settled_twice_over(&self, margin: f64) -> bool {
        let Ok(Estimate { ratio, low, high, .. }) = &self.estimate else { return false };
        narrow_enough((high / low).ln(), ratio.ln(), self.blocks, margin.ln_1p())
    }

    /// True when it shows an effect of the kind that counts.
    fn counts_as_affected(&self) -> bool {
        match self.judgement {
            Judgement::BothWays => {
                matches!(self.standing, ContrastStanding::Better | ContrastStanding::Worse)
            }
            Judgement::GainOnly => self.standing == ContrastStanding::Better,
            Judgement::Unjudged => false,
        }
    }

    /// True when it shows that there is no effect of the kind that counts.
    fn counts_as_not_affected(&self) -> bool {
        match self.judgement {
            Judgement::BothWays => self.standing == ContrastStanding::Equivalent,
            Judgement::GainOnly => self.gain_ruled_out,
            Judgement::Unjudged => true,
        }
    }
}

/// The answer of the whole check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyDecision {
    /// At least one contrast shows an effect of the kind that counts.
    Affected,
    /// Every contrast shows that there is none.
    NotAffected,
    /// Neither.
    Undecided,
}

/// All contrasts of one check.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// In the order of the design's pairs.
    pub contrasts: Vec<Contrast>,
    pub decision: FamilyDecision,
    /// How many independent contrasts the family counts as: 1 to the number of contrasts.
    pub effective: f64,
}

impl Family {
    /// The contrast with the largest ratio, among those that have one.
    ///
    /// Its interval needs no further correction for having been picked: all of the family hold together.
    pub fn best(&self) -> Option<&Contrast> {
        let ratio = |c: &Contrast| c.estimate.as_ref().map_or(f64::NEG_INFINITY, |e| e.ratio);
        self.contrasts.iter().filter(|c| c.estimate.is_ok()).max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }
}

/// Intervals for all contrasts of `design`, and the decision.
///
/// `blocks[b][p]` is the metric of point p in block b (any unit, above 0), `None` where that trial failed or is
/// marked disturbed. May be asked at any moment, after any number of blocks; what is promised of the answer holds
/// if the experiment ended by [`crate::should_stop`], by its budget, or by a person who had not seen the results.
///
/// # Errors
/// Input that cannot be used: see [`StatsError`]. Too few blocks are no error: the contrast then says so itself.
pub fn analyse(
    design: &FamilyDesign,
    blocks: &[Vec<Option<f64>>],
    better: Better,
) -> Result<Family, StatsError> {
    check_input(design, blocks)?;
    let all: Vec<Differences> =
        design.contrasts.iter().map(|plan| Differences::new(design, plan.pair(), blocks, better)).collect();
    let columns: Vec<&[Option<f64>]> =
        all.iter().filter(|d| d.no_interval().is_none()).map(|d| d.by_block.as_slice()).collect();
    let effective = effective_contrasts(&columns);
    let mut critical = Critical { level: reported_level(design, effective), last: None };
    let contrasts: Vec<Contrast> = design
        .contrasts
        .iter()
        .zip(&all)
        .map(|(plan, d)| match d.no_interval() {
            Some(reason) => Contrast {
                pair: plan.pair(),
                judgement: plan.judgement,
                blocks: d.count,
                estimate: Err(reason),
                standing: ContrastStanding::Open,
                settled: false,
                gain_ruled_out: false,
            },
            None => contrast(plan, d, critical.at(d.count - 1), design.margin.ln_1p()),
        })
        .collect();
    let decision = decide(&contrasts);
    Ok(Family { contrasts, decision, effective })
}

/// The level, per contrast, of the reported intervals of a family that counts as `effective` contrasts.
pub(crate) fn reported_level(design: &FamilyDesign, effective: f64) -> f64 {
    per_contrast((1.0 - design.confidence) * REPORTED_SHARE, effective)
}

/// Whether an interval of this half width around this log effect, from so many blocks, is narrow enough to stop.
///
/// Depends on the location only where the effect is large beside its uncertainty, so that stopping hardly favours
/// estimates that happen to lie high or low. The factor n/(n - 1) keeps few blocks that happen to look calm from
/// ending the experiment.
pub(crate) fn narrow_enough(half_width: f64, log_effect: f64, blocks: usize, log_margin: f64) -> bool {
    let target = (OF_MARGIN * log_margin).max(OF_EFFECT * log_effect.abs());
    blocks > 1 && half_width * (blocks as f64 / (blocks - 1) as f64) <= target
}

fn contrast(plan: &PlannedContrast, d: &Differences, t: f64, log_margin: f64) -> Contrast {
    let half = d.half_width(t);
    let inside = d.mean.abs() + half < log_margin;
    let excludes = d.mean.abs() > half;
    let standing = match (inside, excludes) {
        (true, _) => ContrastStanding::Equivalent,
        (_, true) if d.mean > 0.0 => ContrastStanding::Better,
        (_, true) => ContrastStanding::Worse,
        _ => ContrastStanding::Open,
    };
    let estimate = Estimate {
        ratio: d.mean.exp(),
        low: (d.mean - half).exp(),
        high: (d.mean + half).exp(),
        noise: d.sd,
    };
    let settled = narrow_enough(half, d.mean, d.count, log_margin);
    Contrast {
        pair: plan.pair(),
        judgement: plan.judgement,
        blocks: d.count,
        estimate: Ok(estimate),
        standing,
        settled,
        gain_ruled_out: standing != ContrastStanding::Better && gain_ruled_out(half, d.mean, log_margin),
    }
}

/// Whether an interval of this half width around this log effect lies below a gain of the margin.
pub(crate) fn gain_ruled_out(half_width: f64, log_effect: f64, log_margin: f64) -> bool {
    log_effect + half_width < log_margin
}

fn decide(contrasts: &[Contrast]) -> FamilyDecision {
    if contrasts.iter().any(Contrast::counts_as_affected) {
        FamilyDecision::Affected
    } else if contrasts.iter().all(Contrast::counts_as_not_affected) {
        FamilyDecision::NotAffected
    } else {
        FamilyDecision::Undecided
    }
}

/// Critical values by degrees of freedom; contrasts mostly share one, so the last is kept.
struct Critical {
    level: f64,
    last: Option<(usize, f64)>,
}

impl Critical {
    fn at(&mut self, df: usize) -> f64 {
        match self.last {
            Some((known, t)) if known == df => t,
            _ => {
                let t = two_sided_t(self.level, df);
                self.last = Some((df, t));
                t
            }
        }
    }
}
