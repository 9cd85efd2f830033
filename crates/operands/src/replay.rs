//! Instructions done once more: where an address was lost since, it is computed again from the registers that were kept, and from a copy of the
//! stack, where compilers without optimisation have all variables.

use crate::effect;
use crate::registers::Registers;
use crate::step::{Access, Direction, Step};

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;

/// A copy of the stack of a thread, as it was when the thread was interrupted.
#[derive(Debug, Clone, Copy, Default)]
pub struct StackCopy<'a> {
    /// The address of the first byte.
    pub begin: u64,
    pub bytes: &'a [u8],
}

impl StackCopy<'_> {
    /// So many bytes, 8 at most.
    fn value(&self, address: u64, bytes: u32) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.begin)?).ok()?;
        let found = self.bytes.get(at..at.checked_add(bytes as usize)?)?;
        (found.len() <= 8).then(|| found.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

/// What the step `slow` accessed. `way` are the steps that were done last, the last one first, and `registers` are those behind it.
pub fn replayed(
    way: &[&Step],
    slow: usize,
    registers: &Registers,
    stack: &StackCopy<'_>,
) -> Option<Vec<Access>> {
    // What was stored where, as far as it is known.
    let mut stores: Vec<(usize, Access)> = Vec::new();
    let mut registers = registers.clone();
    for (place, step) in way.iter().enumerate() {
        effect::before(step, &mut registers);
        let stored = step.accesses(&registers).into_iter().flatten();
        stores.extend(stored.filter(|of| of.direction != Direction::Read).map(|of| (place, of)));
    }
    let is_as_it_was = |place: usize, address: u64, bytes: u32| {
        let overlaps = |of: &Access| {
            of.address < address.saturating_add(bytes.into())
                && address < of.address.saturating_add(of.bytes.into())
        };
        !stores.iter().any(|(behind, of)| *behind < place && overlaps(of))
    };
    for (place, step) in way.iter().enumerate().skip(slow + 1).rev() {
        let loaded = step.load.and_then(|load| {
            let accesses = step.accesses(&registers)?;
            let [access] = accesses.as_slice() else { return None };
            let value = stack.value(access.address, access.bytes)?;
            is_as_it_was(place, access.address, access.bytes).then(|| (load.to, load.part.of(value)))
        });
        effect::after(step, &mut registers);
        if let Some((to, value)) = loaded {
            registers.set(to, Some(value));
        }
    }
    way[slow].accesses(&registers)
}
