//! Which memory an interrupted thread was at.

use numawise_facts::objects::AccessMethod;
use numawise_operands::{Blame, Listing, StackCopy, blame, once_around};

use super::input::TimeSample;

pub fn memory_of(method: AccessMethod, listing: &Listing, sample: &TimeSample<'_>) -> Blame {
    let registers = &sample.registers;
    if method == AccessMethod::Waited {
        return blame(listing, registers, &StackCopy { begin: sample.stack.sp, bytes: sample.stack.bytes });
    }
    let pass = once_around(listing, registers).filter(|pass| pass.is_certain && pass.unknown.is_empty());
    match pass {
        Some(pass) if !pass.accesses.is_empty() => Blame::Accesses(pass.accesses),
        _ => Blame::Nothing,
    }
}
