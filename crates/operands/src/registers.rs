//! General registers, each known or not.

use crate::architecture::Architecture;

#[cfg(test)]
#[path = "registers_tests.rs"]
mod tests;

/// General registers of the architecture that has the most.
const MOST: usize = 32;

/// Registers of a thread at one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    /// The address of the instruction that comes next.
    pub ip: u64,
    architecture: Architecture,
    general: [u64; MOST],
    /// Those of which the value is known.
    known: RegisterSet,
    /// Where the segments begin that threads have for themselves, on x86-64.
    pub fs_base: Option<u64>,
    pub gs_base: Option<u64>,
}

impl Registers {
    /// `general` in the order of their numbers in instructions. The 16 of x86-64: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. The 32
    /// of aarch64: x0 to x30, and sp.
    pub fn new<const N: usize>(ip: u64, general: [u64; N]) -> Registers {
        const { assert!(N == 16 || N == MOST, "the general registers of x86-64 or of aarch64") };
        let mut all = [0; MOST];
        all[..N].copy_from_slice(&general);
        let known = RegisterSet((1 << N) - 1);
        let architecture = if N == 16 { Architecture::X86_64 } else { Architecture::Aarch64 };
        Registers { ip, architecture, general: all, known, fs_base: None, gs_base: None }
    }

    /// Of which these are.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// A general register, where it is known.
    pub(crate) fn whole(&self, register: u8) -> Option<u64> {
        self.known.has(register).then(|| self.general[usize::from(register)])
    }

    pub(crate) fn stack_pointer(&self) -> Option<u64> {
        self.whole(match self.architecture {
            Architecture::X86_64 => 4,
            Architecture::Aarch64 => 31,
        })
    }

    pub(crate) fn value(&self, source: Source) -> Option<u64> {
        match source {
            Source::Constant(value) => Some(value),
            Source::Unknown => None,
            Source::Register { number, part, shift } => {
                self.whole(number).map(|whole| part.of(whole).wrapping_shl(u32::from(shift)))
            }
        }
    }

    /// Sets a general register; nothing for one that is not.
    pub(crate) fn set(&mut self, register: u8, value: Option<u64>) {
        let Some(place) = self.general.get_mut(usize::from(register)) else { return };
        // What is not known compares as equal.
        *place = value.unwrap_or(0);
        self.known = self.known.without(RegisterSet::of(register));
        if value.is_some() {
            self.known = self.known.with(RegisterSet::of(register));
        }
    }

    pub(crate) fn forget(&mut self, registers: RegisterSet) {
        let lost = self.known.common(registers);
        self.known = self.known.without(lost);
        // What is not known compares as equal.
        let mut rest = lost.0 as u32;
        while rest != 0 {
            self.general[rest.trailing_zeros() as usize] = 0;
            rest &= rest - 1;
        }
    }
}

/// A value that an instruction makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Constant(u64),
    /// Part of a general register, shifted to the left.
    Register {
        number: u8,
        part: Part,
        shift: u8,
    },
    /// Not a general register, or not understood.
    Unknown,
}

impl Source {
    pub const fn whole(number: u8) -> Source {
        Source::Register { number, part: Part::Whole, shift: 0 }
    }

    pub fn is_of(self, register: u8) -> bool {
        matches!(self, Source::Register { number, .. } if number == register)
    }
}

/// The part of a register that counts: all of it, or so many of its lower bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Unsigned(u8),
    Signed(u8),
}

impl Part {
    pub fn of(self, value: u64) -> u64 {
        match self {
            Part::Whole => value,
            Part::Unsigned(bits) => value & ((1 << bits) - 1),
            Part::Signed(bits) => (((value << (64 - bits)) as i64) >> (64 - bits)) as u64,
        }
    }
}

/// Registers of all sorts: the general ones by their numbers, then those of vectors, flags and masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RegisterSet(pub u128);

impl RegisterSet {
    pub const NONE: RegisterSet = RegisterSet(0);
    /// Numbers of the first ones.
    pub const VECTORS: u8 = 32;
    pub const FLAGS: u8 = 64;
    pub const MASKS: u8 = 96;

    pub const fn of(number: u8) -> RegisterSet {
        RegisterSet(1 << number)
    }

    pub fn has(self, number: u8) -> bool {
        self.0 >> number & 1 != 0
    }

    pub fn with(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }

    pub fn without(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & !other.0)
    }

    pub fn common(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}
