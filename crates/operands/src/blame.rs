//! The access that held a thread up.

use iced_x86::Register;

use crate::effect;
use crate::listing::{Access, Listing};
use crate::pass::once_around;
use crate::registers::Registers;

#[cfg(test)]
#[path = "blame_tests.rs"]
mod tests;

/// What a thread was waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    /// These accesses of one instruction.
    Accesses(Vec<Access>),
    /// This instruction, at an address that does not follow from the registers: what it accesses at other times may tell.
    Unknown { ip: u64 },
    /// No instruction that accesses memory is near, or the code is not there.
    Nothing,
}

/// How far back the load is looked for whose result was needed.
const FAR: usize = 24;

/// What a thread with these registers was waiting for, when it was interrupted one instruction late.
pub fn blame(listing: &Listing, registers: &Registers) -> Blame {
    let Some(at) = listing.find(registers.ip) else { return Blame::Nothing };
    // At the head of a loop it came from its end, nearly always; then nothing from before the loop is blamed.
    let latch = listing.latch(at);
    let Some(last) = latch.or_else(|| listing.before(at)) else { return Blame::Nothing };
    let first = if latch.is_some() { at } else { 0 };
    let Some(slow) = memory_or_source(listing, first, last) else { return Blame::Nothing };
    let ip = listing.steps()[slow].ip();
    let accesses = backwards(listing, registers, slow, last).or_else(|| forwards(listing, registers, ip));
    accesses.map_or(Blame::Unknown { ip }, Blame::Accesses)
}

/// The instruction itself where it accesses memory; else the nearest before it, from `first` on, that loads what it needs: a register, or
/// the flags that a branch goes by.
fn memory_or_source(listing: &Listing, first: usize, last: usize) -> Option<usize> {
    let steps = listing.steps();
    if steps[last].accesses_memory() {
        return Some(last);
    }
    let mut needed: Vec<Register> = steps[last].reads().collect();
    let mut flags = steps[last].instruction.rflags_read();
    let mut at = last;
    for _ in 0..FAR {
        at = listing.before(at).filter(|at| *at >= first)?;
        let step = &steps[at];
        let makes: Vec<Register> = step.writes().filter(|register| needed.contains(register)).collect();
        let sets = step.instruction.rflags_modified() & flags;
        if makes.is_empty() && sets == 0 {
            continue;
        }
        if step.accesses_memory() {
            return Some(at);
        }
        // What it was made of is needed in its place.
        needed.retain(|register| !makes.contains(register));
        needed.extend(step.reads());
        flags = flags & !sets | step.instruction.rflags_read();
    }
    None
}

/// The accesses as they were, by undoing what was done since.
fn backwards(listing: &Listing, registers: &Registers, slow: usize, last: usize) -> Option<Vec<Access>> {
    let mut registers = registers.clone();
    for step in listing.steps()[slow..=last].iter().rev() {
        effect::before(step, &mut registers);
    }
    listing.steps()[slow].accesses(&registers)
}

/// The accesses as they will be when the loop comes there again: of the next element, of the same memory nearly always.
fn forwards(listing: &Listing, registers: &Registers, ip: u64) -> Option<Vec<Access>> {
    let pass = once_around(listing, registers)?;
    let again: Vec<Access> = pass.accesses.into_iter().filter(|access| access.ip == ip).collect();
    (!again.is_empty()).then_some(again)
}
