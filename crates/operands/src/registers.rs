//! General registers, each known or not.

use iced_x86::Register;

#[cfg(test)]
#[path = "registers_tests.rs"]
mod tests;

/// Number of general registers.
pub const GENERAL: usize = 16;

/// Registers of a thread at one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    /// The address of the instruction that comes next.
    pub ip: u64,
    general: [Option<u64>; GENERAL],
    /// Where the segments begin that threads have for themselves.
    pub fs_base: Option<u64>,
    pub gs_base: Option<u64>,
}

impl Registers {
    /// `general` in the order of their numbers in instructions: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
    pub fn new(ip: u64, general: [u64; GENERAL]) -> Registers {
        Registers { ip, general: general.map(Some), fs_base: None, gs_base: None }
    }

    /// The whole register that this one is a part of, as far as it is known.
    pub(crate) fn whole(&self, register: Register) -> Option<u64> {
        self.general[place(register)?]
    }

    /// The value of a register of an address: a general one, its lower half, or the begin of a segment.
    pub(crate) fn of_address(&self, register: Register) -> Option<u64> {
        match register {
            // In 64-bit mode these begin at 0.
            Register::None | Register::CS | Register::DS | Register::ES | Register::SS => Some(0),
            Register::FS => self.fs_base,
            Register::GS => self.gs_base,
            _ if register.size() == 8 => self.whole(register),
            _ if register.size() == 4 => self.whole(register).map(|value| value & 0xffff_ffff),
            _ => None,
        }
    }

    /// Sets the register that this one is a part of; nothing for one that is not general.
    pub(crate) fn set(&mut self, register: Register, value: Option<u64>) {
        if let Some(place) = place(register) {
            self.general[place] = value;
        }
    }
}

fn place(register: Register) -> Option<usize> {
    let whole = register.full_register();
    whole.is_gpr64().then(|| whole.number())
}
