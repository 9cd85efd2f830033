//! The access that held a thread up.

use crate::effect;
use crate::listing::Listing;
use crate::pass::forwards;
use crate::registers::{RegisterSet, Registers, Source};
use crate::replay::{StackCopy, replayed};
use crate::step::{Access, Direction, Flow, Step};

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
/// How far back a branch or a store is looked for that nothing depends on: as many instructions as compilers have from the store of a loop
/// to its end. What is gained by it: the example `blame` of numawise-observe.
const NEAR: usize = 8;

/// What a thread with these registers was waiting for, when it was interrupted one instruction late.
pub fn blame(listing: &Listing, registers: &Registers, stack: &StackCopy<'_>) -> Blame {
    let Some(at) = listing.find(registers.ip) else { return Blame::Nothing };
    let step = &listing.steps()[at];
    // Interrupts come between the elements of a long copy, and it is gone on with.
    if step.repeats && step.accesses_memory() {
        return step.accesses(registers).map_or(Blame::Unknown { ip: step.ip }, Blame::Accesses);
    }
    let way = Way::to(listing, at);
    let Some(slow) = way.slow(registers) else { return Blame::Nothing };
    let accesses = way.backwards(slow, registers);
    let accesses = accesses.or_else(|| replayed(&way.0, slow, registers, stack));
    let accesses = accesses.or_else(|| forwards(listing, registers, way.0[slow].ip));
    let accesses = accesses.or_else(|| way.next_node(slow, registers));
    accesses.map_or(Blame::Unknown { ip: way.0[slow].ip }, Blame::Accesses)
}

/// The instructions that were done last, from the interrupted one back.
struct Way<'a>(Vec<&'a Step>);

impl<'a> Way<'a> {
    /// To an instruction. At the head of a loop it came from its end, nearly always, and nothing before the loop is blamed in it.
    fn to(listing: &'a Listing, interrupted: usize) -> Way<'a> {
        let mut way = Vec::with_capacity(FAR);
        let mut passed = Vec::with_capacity(FAR);
        let mut at = interrupted;
        while passed.len() < FAR {
            let latch = listing.latch(at);
            if latch.is_some_and(|latch| passed.contains(&latch) && (at..=latch).contains(&interrupted)) {
                break;
            }
            let from = [latch, listing.before(at), listing.jump_to(at)];
            let Some(before) = from.into_iter().flatten().find(|before| !passed.contains(before)) else {
                break;
            };
            passed.push(before);
            way.push(&listing.steps()[before]);
            at = before;
        }
        Way(way)
    }

    /// Which of them waited for memory.
    fn slow(&self, registers: &Registers) -> Option<usize> {
        let first = self.0.first()?;
        let may_wait = |step: &Step| step.accesses_memory() && !is_cached(step, registers);
        if may_wait(first) {
            return Some(0);
        }
        // What a branch goes by is waited for when the branch was foretold wrongly, and then some of what comes behind is done.
        let near = || self.0.iter().take(NEAR);
        let of_branch = || {
            let branch = near().position(|step| matches!(step.flow, Flow::Branch(_)))?;
            self.source(branch, may_wait)
        };
        // Nothing needs what a store does: when too many wait to be done, all that comes behind them stops.
        let stores = |step: &Step| step.memory.iter().any(|memory| memory.direction != Direction::Read);
        let is_read = first.accesses_memory();
        let nearest = || near().position(|step| if is_read { may_wait(step) } else { stores(step) });
        let itself = || is_read.then_some(0);
        self.source(0, may_wait).or_else(of_branch).or_else(nearest).or_else(itself)
    }

    /// The nearest that loads what one of them needs: a register, or the flags that a branch goes by.
    fn source(&self, of: usize, may_wait: impl Fn(&Step) -> bool) -> Option<usize> {
        let mut needed = self.0[of].reads;
        for (place, step) in self.0.iter().enumerate().skip(of + 1) {
            let makes = step.writes.common(needed);
            if makes.is_empty() {
                continue;
            }
            if may_wait(step) {
                return Some(place);
            }
            // What it was made of is needed in its place.
            needed = needed.without(makes).with(step.reads);
        }
        None
    }

    /// The accesses as they were, by undoing what was done since.
    fn backwards(&self, slow: usize, registers: &Registers) -> Option<Vec<Access>> {
        let mut registers = self.behind(slow, registers);
        effect::before(self.0[slow], &mut registers);
        self.complete(slow, &mut registers);
        self.0[slow].accesses(&registers)
    }

    /// Adds what registers held before a step, by what was made of them before that.
    fn complete(&self, slow: usize, registers: &mut Registers) {
        let mut stale = RegisterSet::NONE;
        for step in &self.0[slow + 1..] {
            effect::complete(step, registers, stale);
            stale = stale.with(step.writes);
        }
    }

    /// The registers when it was done.
    fn behind(&self, slow: usize, registers: &Registers) -> Registers {
        let mut registers = registers.clone();
        self.0[..slow].iter().for_each(|step| effect::before(step, &mut registers));
        registers
    }

    /// What a load of a chain accesses when it has gone on by one node: the pointer that it went by is lost, but
    /// led to one of the same.
    fn next_node(&self, slow: usize, registers: &Registers) -> Option<Vec<Access>> {
        let step = self.0[slow];
        let [memory] = &*step.memory else { return None };
        let Source::Register { number, .. } = memory.base else { return None };
        // What makes something else of the pointer first, such as the place of an element by its number, ends the chain.
        let next = self.0[slow + 1..].iter().find(|other| other.writes.has(number));
        let goes_on = next.is_some_and(|other| other.memory == step.memory);
        let is_lost = step.writes.has(number) && step.changes == [None, None];
        (is_lost && goes_on).then(|| step.accesses(&self.behind(slow, registers))).flatten()
    }
}

/// A read of a constant or a variable that lies on the stack: it is in the cache, unless nothing else can be what was waited for.
fn is_cached(step: &Step, registers: &Registers) -> bool {
    step.memory.iter().all(|memory| memory.is_near(registers))
}
