//! The stopping rule: when data may be analysed, and whether they are enough to stop.
//!
//! Interim analyses come at fixed numbers of blocks that do not depend on the data; between them nobody may stop on what the
//! data say. Time budgets are not known here: ending because time is up is always allowed. There is one such rule: the
//! simulated checks of the tests and `numawise check` both call [`should_stop`].

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;

use crate::design::{Better, FamilyDesign};
use crate::differences::check_input;
use crate::error::StatsError;
use crate::family::{Contrast, FamilyDecision, analyse};

/// The number of blocks at the first interim analysis.
pub const FIRST_INTERIM: usize = 5;

/// The number of blocks at the next interim analysis after `blocks` blocks: 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, ...
///
/// Each lies a quarter further on (at least one block), so that their number grows with the logarithm of the length of the
/// experiment, and with it the error that they cost.
pub fn next_interim(blocks: usize) -> usize {
    let mut interim = FIRST_INTERIM;
    while interim <= blocks {
        interim += (interim / 4).max(1);
    }
    interim
}

/// Whether `blocks` is one of the numbers of blocks at which data may decide.
pub fn is_interim(blocks: usize) -> bool {
    blocks >= FIRST_INTERIM && next_interim(blocks - 1) == blocks
}

/// What to do after a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppingAdvice {
    /// Go on at least to this number of blocks, unless the budget ends before.
    Continue { next_interim: usize },
    /// Every contrast is finished; with the decision, which is `Undecided` only where contrasts were given up.
    Stop(FamilyDecision),
}

/// Whether the data so far are enough: every contrast is finished, as [`Contrast::finished`] says, or a point of it is among
/// `given_up` and will never be run again. Call it after every block; between interim analyses it always says `Continue`.
///
/// # Errors
/// As [`analyse`].
pub fn should_stop(
    design: &FamilyDesign,
    blocks: &[Vec<Option<f64>>],
    better: Better,
    given_up: &[usize],
) -> Result<StoppingAdvice, StatsError> {
    let go_on = StoppingAdvice::Continue { next_interim: next_interim(blocks.len()) };
    if !is_interim(blocks.len()) {
        check_input(design, blocks)?;
        return Ok(go_on);
    }
    let family = analyse(design, blocks, better)?;
    let lost =
        |contrast: &Contrast| given_up.contains(&contrast.pair.0) || given_up.contains(&contrast.pair.1);
    let enough = family.contrasts.iter().all(|contrast| contrast.finished() || lost(contrast));
    Ok(if enough { StoppingAdvice::Stop(family.decision) } else { go_on })
}

/// The points that nothing is gained by running further, though the experiment goes on: they have a contrast, and all of theirs are
/// known twice as well as [`should_stop`] asks for (less would cost coverage: `docs/statistics.md`). To be asked after every block, as
/// that; between interim analyses there are none. A point that rests does so to the end, and counts as given up.
///
/// # Errors
/// As [`analyse`].
pub fn finished_points(
    design: &FamilyDesign,
    blocks: &[Vec<Option<f64>>],
    better: Better,
    given_up: &[usize],
) -> Result<Vec<usize>, StatsError> {
    if !is_interim(blocks.len()) {
        check_input(design, blocks)?;
        return Ok(Vec::new());
    }
    let family = analyse(design, blocks, better)?;
    let gone = |point: usize| given_up.contains(&point);
    let finished = |contrast: &Contrast| {
        contrast.settled_twice_over(design.margin) || gone(contrast.pair.0) || gone(contrast.pair.1)
    };
    let of = |point: usize| {
        family.contrasts.iter().filter(move |contrast| contrast.pair.0 == point || contrast.pair.1 == point)
    };
    let points = 0..blocks.first().map_or(0, Vec::len);
    Ok(points.filter(|point| of(*point).next().is_some() && of(*point).all(finished)).collect())
}
