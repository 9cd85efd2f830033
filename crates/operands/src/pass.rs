//! One pass of the loop around an instruction.

use crate::effect;
use crate::listing::{Access, Flow, Listing};
use crate::registers::Registers;

#[cfg(test)]
#[path = "pass_tests.rs"]
mod tests;

/// Instructions of one pass, at most: what needs more is no loop that a sample tells of.
const MOST: usize = 4096;

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
    let begin = listing.find(registers.ip)?;
    let mut registers = registers.clone();
    let mut pass = Pass { accesses: Vec::new(), unknown: Vec::new(), is_certain: true };
    let mut at = begin;
    for _ in 0..MOST {
        let step = &listing.steps()[at];
        if step.accesses_memory() {
            match step.accesses(&registers) {
                Some(accesses) => pass.accesses.extend(accesses),
                None => pass.unknown.push(step.ip()),
            }
        }
        effect::after(step, &mut registers);
        let next = || listing.find(step.instruction.next_ip());
        at = match step.flow() {
            Flow::Next => next()?,
            Flow::Jump(to) => listing.find(to)?,
            Flow::Branch(to) => match listing.find(to) {
                Some(back) if back <= begin && back <= at => back,
                // Out of the loop, or over a part of it: which of them only a run tells.
                Some(_) => {
                    pass.is_certain = false;
                    next()?
                }
                None => next()?,
            },
            // What is called changes registers and memory that nobody knows of here.
            Flow::Call | Flow::Away => return None,
        };
        if at == begin {
            return Some(pass);
        }
    }
    None
}
