//! How many more blocks, and whether noise was to blame.
//!
//! Both take a finished analysis and extrapolate its noise; neither looks at raw values.

#[cfg(test)]
#[path = "planning_tests.rs"]
mod tests;

use crate::critical::two_sided_t;
use crate::design::{FamilyDesign, Judgement};
use crate::family::{Contrast, Family, gain_ruled_out, narrow_enough, reported_level};

/// Beyond so many blocks an estimate is not worth a sentence: nobody runs that many.
const OUT_OF_REACH: usize = 1000;

/// About how many blocks in all would let the experiment stop by itself, if noise and ratios stay as they are.
///
/// The number already run when every contrast is finished; `None` when more than a thousand would be needed, or when a contrast
/// has no interval to extrapolate from. A rough figure: it rests on the noise of the blocks seen, and leaves out the
/// metric's step.
pub fn blocks_needed(design: &FamilyDesign, family: &Family) -> Option<usize> {
    let level = reported_level(design, family.effective);
    let run = family.contrasts.iter().map(|c| c.blocks).max().unwrap_or(0);
    family
        .contrasts
        .iter()
        .filter(|c| !c.finished())
        .try_fold(run, |most, c| Some(most.max(blocks_for(c, design.margin.ln_1p(), level)?)))
}

/// The smallest number of blocks, not below those run, at which this contrast would be finished.
fn blocks_for(contrast: &Contrast, log_margin: f64, level: f64) -> Option<usize> {
    let e = contrast.estimate.as_ref().ok()?;
    let gain_only = contrast.judgement == Judgement::GainOnly;
    let enough = |n: usize| {
        let half = two_sided_t(level, n - 1) * e.noise / (n as f64).sqrt();
        narrow_enough(half, e.ratio.ln(), n, log_margin)
            || (gain_only && gain_ruled_out(half, e.ratio.ln(), log_margin))
    };
    let (mut low, mut high) = (contrast.blocks.max(2), OUT_OF_REACH);
    if low > high || !enough(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// How the achieved precision compares with the margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Half the width of the widest interval, as a share: 0.04 means "give or take 4 %".
    pub half_width: f64,
    /// Largest standard deviation of the log ratio from block to block.
    pub spread: f64,
    /// The widest interval is wider than the margin on both sides: even an effect of exactly 1 could not have been
    /// told from one that matters.
    pub too_noisy: bool,
}

/// The precision of a finished check; `None` when no contrast has an interval.
pub fn noise(design: &FamilyDesign, family: &Family) -> Option<Noise> {
    let known = || family.contrasts.iter().filter_map(|c| c.estimate.as_ref().ok());
    let log_half = known().map(|e| 0.5 * (e.high / e.low).ln()).reduce(f64::max)?;
    let spread = known().map(|e| e.noise).reduce(f64::max)?;
    Some(Noise { half_width: log_half.exp_m1(), spread, too_noisy: log_half >= design.margin.ln_1p() })
}
