//! What [`super::entry`] saves of a call, on the stack of its caller.

use core::ffi::c_int;

/// Arguments that go in registers; none of the functions has more.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 6;
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 8;

/// One call in progress. Its place and its order are those of `entry`.
#[repr(C)]
pub struct Frame {
    /// Which function, in the table.
    pub number: u64,
    /// When the call began, in ticks.
    pub since: u64,
    /// What the function gave.
    pub result: usize,
    /// The descriptor that it is about.
    pub descriptor: c_int,
    /// 1: its time and bytes count.
    pub counts: u32,
    registers: [usize; REGISTERS],
}

impl Frame {
    pub fn address(&self) -> usize {
        (&raw const *self).addr()
    }

    pub fn argument(&self, number: u8) -> usize {
        self.registers.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// An argument that is an int: the upper half of its register may hold anything.
    pub fn int(&self, number: u8) -> c_int {
        self.argument(number) as c_int
    }
}

pub const FRAME_BYTES: usize = size_of::<Frame>();
