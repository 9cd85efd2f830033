//! The pin plan: `1;0-3;0;1;2;3` is the version, the CPUs of the task, and the CPUs of threads 0, 1, 2 and 3.

use core::fmt;

use crate::Variable;
use crate::mask::{self, MOST_WORDS};

#[cfg(test)]
#[path = "pin_tests.rs"]
mod tests;

/// The variable that carries the plan.
pub const PLAN: Variable = Variable(c"NUMAWISE_PIN");
/// `1`: the agent writes one line on standard error for each thread.
pub const VERBOSE: Variable = Variable(c"NUMAWISE_PIN_VERBOSE");
/// Set by the user: beginnings of names of libraries whose threads are helpers, separated by commas.
pub const LEAVE: Variable = Variable(c"NUMAWISE_PIN_LEAVE");

/// The value of [`VERBOSE`] that switches the lines on.
pub const VERBOSE_ON: &str = "1";

const VERSION: &str = "1";
/// In the place of the version: the plan is read and followed thread by thread as any other, but places nothing.
const INERT: &str = "0";
const SEPARATOR: u8 = b';';

/// What the agent does with a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanEffect {
    /// Gives each thread its CPUs.
    Places,
    /// Does the same work, but leaves every mask as it is: what a run costs that is to be compared with one that places.
    Inert,
}

/// Writes the plan of a task whose thread k has the k-th of `threads`, each a set as words of bits.
pub fn encode<'a>(
    effect: PlanEffect,
    task: &'a [u64],
    threads: impl IntoIterator<Item = &'a [u64]>,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    out.write_str(match effect {
        PlanEffect::Places => VERSION,
        PlanEffect::Inert => INERT,
    })?;
    for set in core::iter::once(task).chain(threads) {
        out.write_char(char::from(SEPARATOR))?;
        mask::write_list(set, out)?;
    }
    Ok(())
}

/// Where a decoded plan lies in words of bits: set 0 is the task's, set k + 1 that of thread k, each `words` long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinPlanLayout {
    pub words: usize,
    /// Number of threads; at least 1.
    pub threads: usize,
    pub effect: PlanEffect,
}

/// What is wrong with an encoded plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinPlanError {
    /// Another version, or no plan at all.
    Version,
    /// The CPUs of the task are no list.
    Task,
    /// No thread, or the CPUs of one are no list of CPUs of the task.
    Thread,
    /// More threads than the pool takes.
    TooLarge,
}

/// Reads a plan into `pool`, which must be all zeros.
pub fn decode(text: &[u8], pool: &mut [u64]) -> Result<PinPlanLayout, PinPlanError> {
    let mut parts = text.split(|byte| *byte == SEPARATOR);
    let effect = match parts.next() {
        Some(version) if version == VERSION.as_bytes() => PlanEffect::Places,
        Some(version) if version == INERT.as_bytes() => PlanEffect::Inert,
        _ => return Err(PinPlanError::Version),
    };
    let task = pool.get_mut(..MOST_WORDS).ok_or(PinPlanError::TooLarge)?;
    mask::read_list(parts.next().ok_or(PinPlanError::Task)?, task).ok_or(PinPlanError::Task)?;
    let words = task.iter().rposition(|word| *word != 0).ok_or(PinPlanError::Task)? + 1;
    let (task, rest) = pool.split_at_mut_checked(words).ok_or(PinPlanError::TooLarge)?;
    let mut sets = rest.chunks_exact_mut(words);
    let mut threads = 0;
    for part in parts {
        let set = sets.next().ok_or(PinPlanError::TooLarge)?;
        mask::read_list(part, set).ok_or(PinPlanError::Thread)?;
        if !mask::is_subset(set, task) {
            return Err(PinPlanError::Thread);
        }
        threads += 1;
    }
    match threads {
        0 => Err(PinPlanError::Thread),
        threads => Ok(PinPlanLayout { words, threads, effect }),
    }
}
