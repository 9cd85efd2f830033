//! Code for tests.

use iced_x86::code_asm::CodeAssembler;

use crate::{Architecture, Listing, Registers};

pub const BEGIN: u64 = 0x40_1000;

/// A function at [`BEGIN`].
pub fn function(write: impl FnOnce(&mut CodeAssembler)) -> Listing {
    Listing::of(Architecture::X86_64, BEGIN, &bytes(write))
}

pub fn bytes(write: impl FnOnce(&mut CodeAssembler)) -> Vec<u8> {
    let mut assembler = CodeAssembler::new(64).unwrap();
    write(&mut assembler);
    assembler.assemble(BEGIN).unwrap()
}

/// Registers at an instruction of a listing: the k-th holds 0x10000 * (k + 1).
pub fn registers_at(listing: &Listing, step: usize) -> Registers {
    let general: [u64; 16] = std::array::from_fn(|k| 0x1_0000 * (k as u64 + 1));
    Registers::new(listing.steps()[step].ip(), general)
}

pub const RAX: u64 = 0x1_0000;
pub const RCX: u64 = 0x2_0000;
pub const RBX: u64 = 0x4_0000;
pub const RSP: u64 = 0x5_0000;
pub const RSI: u64 = 0x7_0000;
pub const RDI: u64 = 0x8_0000;
