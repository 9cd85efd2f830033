//! One pass of the loop around an instruction.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::effect;
use crate::listing::Listing;
use crate::registers::Registers;
use crate::step::{Access, Flow, Step};

#[cfg(test)]
#[path = "pass_tests.rs"]
mod tests;

/// Instructions of one pass, at most: what needs more is no loop that a sample says something about.
const MOST: usize = 4096;
/// How far an instruction is looked for that comes again; it is looked for with each sample (`examples/speed.rs`: below 20 us).
const AHEAD: usize = 1024;

/// What a loop does from one instruction until it is there again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    pub accesses: Vec<Access>,
    /// Instructions that access memory at addresses that do not follow from the registers.
    pub unknown: Vec<u64>,
    /// Each pass does the same, as there is one way through. Only then do the accesses stand for all of them.
    pub is_certain: bool,
}

/// The pass that begins at the instruction that comes next; nothing where it does not come to that one again, as far as the code alone
/// tells. Branches forwards are not taken, branches backwards are taken where they lead before the begin.
pub fn once_around(listing: &Listing, registers: &Registers) -> Option<Pass> {
    let mut pass = Pass { accesses: Vec::new(), unknown: Vec::new(), is_certain: true };
    let certain = walk(listing, registers, MOST, |step, registers| {
        if step.accesses_memory() {
            match step.accesses(registers) {
                Some(accesses) => pass.accesses.extend(accesses),
                None => pass.unknown.push(step.ip),
            }
        }
        ControlFlow::<Infallible>::Continue(())
    });
    pass.is_certain = certain.continue_value().flatten()?;
    Some(pass)
}

/// What an instruction will access when the loop comes to it: the next element, of the same memory nearly always.
pub(crate) fn forwards(listing: &Listing, registers: &Registers, ip: u64) -> Option<Vec<Access>> {
    let found = walk(listing, registers, AHEAD, |step, registers| {
        if step.ip == ip { ControlFlow::Break(step.accesses(registers)) } else { ControlFlow::Continue(()) }
    });
    found.break_value().flatten()
}

/// Goes over a pass, instruction by instruction with the registers before it. Goes on to whether there is only one way, and to nothing
/// where it does not close.
fn walk<T>(
    listing: &Listing,
    registers: &Registers,
    most: usize,
    mut each: impl FnMut(&Step, &Registers) -> ControlFlow<T>,
) -> ControlFlow<T, Option<bool>> {
    let Some(begin) = listing.find(registers.ip) else { return ControlFlow::Continue(None) };
    let mut registers = registers.clone();
    let mut is_certain = true;
    let mut at = begin;
    for _ in 0..most {
        let step = &listing.steps()[at];
        each(step, &registers)?;
        effect::after(step, &mut registers);
        let next = match step.flow {
            Flow::Next => listing.behind(at),
            Flow::Jump(to) => listing.find(to),
            Flow::Branch(to) => match listing.find(to) {
                Some(back) if back <= begin && back <= at => Some(back),
                // Out of the loop, or over a part of it: which of them only a run tells.
                Some(_) => {
                    is_certain = false;
                    listing.behind(at)
                }
                None => listing.behind(at),
            },
            // What is called changes registers and memory that nobody knows of here.
            Flow::Call | Flow::Away => None,
        };
        match next {
            None => return ControlFlow::Continue(None),
            Some(next) if next == begin => return ControlFlow::Continue(Some(is_certain)),
            Some(next) => at = next,
        }
    }
    ControlFlow::Continue(None)
}
