//! When to look at the data, and whether what is seen is enough to stop.
//!
//! Looks come at fixed numbers of blocks that do not depend on the data; between them nobody may stop on what the
//! data say. Time budgets are not known here: ending because time is up is always allowed.

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;

use crate::differences::check_input;
use crate::error::StatsError;
use crate::family::{Better, Decision, Design, analyse};

/// The first number of blocks at which data may decide.
pub const FIRST_LOOK: usize = 5;

/// The next number of blocks at which to look, after `blocks` blocks: 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, ...
///
/// Each look lies a quarter further on (at least one block), so that the number of looks grows with the logarithm of
/// the length of the experiment, and with it the error that looking costs.
pub fn next_look(blocks: usize) -> usize {
    let mut look = FIRST_LOOK;
    while look <= blocks {
        look += (look / 4).max(1);
    }
    look
}

/// Whether `blocks` is one of the numbers of blocks at which data may decide.
pub fn is_look(blocks: usize) -> bool {
    blocks >= FIRST_LOOK && next_look(blocks - 1) == blocks
}

/// What to do after a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Go on at least to this number of blocks, unless the budget ends before.
    Continue { next_look: usize },
    /// Every interval is as narrow as it needs to be; with the decision, which is then never `Undecided`.
    Stop(Decision),
}

/// Whether the data so far are enough. Call it after every block; between looks it always says `Continue`.
///
/// # Errors
/// As [`analyse`].
pub fn should_stop(
    design: &Design,
    blocks: &[Vec<Option<f64>>],
    better: Better,
) -> Result<Advice, StatsError> {
    let go_on = Advice::Continue { next_look: next_look(blocks.len()) };
    if !is_look(blocks.len()) {
        check_input(design, blocks)?;
        return Ok(go_on);
    }
    let family = analyse(design, blocks, better)?;
    let settled = family.contrasts.iter().all(|c| c.settled);
    Ok(if settled { Advice::Stop(family.decision) } else { go_on })
}
