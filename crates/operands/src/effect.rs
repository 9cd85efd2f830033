//! What an instruction does to general registers, forwards and backwards. What is not understood makes registers unknown.

use crate::registers::{Part, RegisterSet, Registers, Source};
use crate::step::{Change, Operation, Step};

#[cfg(test)]
#[path = "effect_tests.rs"]
mod tests;

/// The registers after a step, from those before it.
pub fn after(step: &Step, registers: &mut Registers) {
    let value = |change: &Change| if step.repeats { None } else { result(change, registers) };
    let made = step.changes.map(|change| change.map(|change| (change.to, value(&change))));
    set(step, registers, made);
    registers.ip = step.next_ip();
}

/// The registers before a step, from those after it; of one that repeats, those before its last element.
pub fn before(step: &Step, registers: &mut Registers) {
    complete(step, registers, RegisterSet::NONE);
    let made = step.changes.map(|change| change.map(|change| (change.to, original(&change, registers))));
    set(step, registers, made);
    registers.ip = step.ip;
}

/// All that the step writes is unknown, but for what it makes anew.
fn set(step: &Step, registers: &mut Registers, made: [Option<(u8, Option<u64>)>; 2]) {
    registers.forget(step.writes);
    for (register, value) in made.into_iter().flatten() {
        registers.set(register, value);
    }
}

fn result(change: &Change, registers: &Registers) -> Option<u64> {
    let (a, b) = (registers.value(change.a)?, registers.value(change.b)?);
    let value = combined(change.operation, (a, b), change.is_narrow).wrapping_add(change.plus);
    Some(if change.is_narrow { value & 0xffff_ffff } else { value })
}

/// What becomes of two values; of 32 bits only the lower half counts.
pub fn combined(operation: Operation, (a, b): (u64, u64), is_narrow: bool) -> u64 {
    let bits = if is_narrow { 31 } else { 63 };
    let by = (b & bits) as u32;
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
        Operation::Multiply => a.wrapping_mul(b),
        Operation::ShiftLeft => a << by,
        Operation::ShiftRight => a >> by,
        Operation::ShiftRightSigned => {
            let signed = if is_narrow { Part::Signed(32).of(a) } else { a };
            (signed as i64 >> by) as u64
        }
    }
}

/// Adds what registers hold that are not known, and of which, with one that is known, this step made another: as of `lea rdi, [rbx + rax]`.
/// `registers` are those behind the step, but for those in `stale`.
pub fn complete(step: &Step, registers: &mut Registers, stale: RegisterSet) {
    for change in step.changes.iter().flatten() {
        if let Some((register, value)) = source_of(step, change, registers, stale) {
            registers.set(register, Some(value));
        }
    }
}

fn source_of(step: &Step, change: &Change, registers: &Registers, stale: RegisterSet) -> Option<(u8, u64)> {
    if change.is_narrow || stale.has(change.to) {
        return None;
    }
    let now = registers.whole(change.to)?.wrapping_sub(change.plus);
    let kept = |number: u8| !step.writes.with(stale).has(number);
    let lost = |source: Source| match source {
        Source::Register { number, part: Part::Whole, shift } => {
            (kept(number) && registers.whole(number).is_none()).then_some((number, shift))
        }
        _ => None,
    };
    let known = |source: Source| match source {
        Source::Register { number, .. } if !kept(number) => None,
        source => registers.value(source),
    };
    let ((number, shift), shifted) = match (lost(change.a), lost(change.b), change.operation) {
        (Some(a), None, Operation::Add) => (a, now.wrapping_sub(known(change.b)?)),
        (None, Some(b), Operation::Add) => (b, now.wrapping_sub(known(change.a)?)),
        (Some(a), None, Operation::Subtract) => (a, now.wrapping_add(known(change.b)?)),
        (None, Some(b), Operation::Subtract) => (b, known(change.a)?.wrapping_sub(now)),
        (Some(a), None, Operation::Xor) => (a, now ^ known(change.b)?),
        (None, Some(b), Operation::Xor) => (b, now ^ known(change.a)?),
        _ => return None,
    };
    // Numbers of elements have no bits that are shifted out.
    let value = shifted >> shift;
    (value << shift == shifted).then_some((number, value))
}

/// What the register that was changed held before, where it can be had back. Of 32 bits the upper half is lost.
fn original(change: &Change, registers: &Registers) -> Option<u64> {
    let own = Source::whole(change.to);
    if change.is_narrow {
        return None;
    }
    let now = registers.whole(change.to)?.wrapping_sub(change.plus);
    let (other, is_second) = match (change.a == own, change.b == own) {
        (true, false) if !change.b.is_of(change.to) => (registers.value(change.b)?, false),
        (false, true) if !change.a.is_of(change.to) => (registers.value(change.a)?, true),
        _ => return None,
    };
    match change.operation {
        Operation::Add => Some(now.wrapping_sub(other)),
        Operation::Subtract if is_second => Some(other.wrapping_sub(now)),
        Operation::Subtract => Some(now.wrapping_add(other)),
        Operation::Xor => Some(now ^ other),
        _ => None,
    }
}
