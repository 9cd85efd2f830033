use iced_x86::code_asm::*;

use super::*;
use crate::code::{RBX, RCX, RSI, RSP, function, registers_at};

/// Numbers of general registers.
const A: u8 = 0;
const C: u8 = 1;
const B: u8 = 3;
const S: u8 = 4;

/// What a register holds after one instruction.
fn holds(register: u8, write: impl FnOnce(&mut CodeAssembler)) -> Option<u64> {
    let listing = function(write);
    let mut registers = registers_at(&listing, 0);
    after(&listing.steps()[0], &mut registers);
    registers.whole(register)
}

#[test]
fn arithmetic_of_addresses_is_followed() {
    assert_eq!(holds(B, |a| a.mov(rbx, rcx).unwrap()), Some(RCX));
    assert_eq!(holds(B, |a| a.mov(ebx, -1i32).unwrap()), Some(0xffff_ffff), "the upper half is cleared");
    assert_eq!(holds(B, |a| a.add(rbx, -8i32).unwrap()), Some(RBX - 8));
    assert_eq!(holds(B, |a| a.sub(ebx, ecx).unwrap()), Some(RBX - RCX));
    assert_eq!(holds(B, |a| a.lea(rbx, ptr(rcx + rsi * 2 + 4)).unwrap()), Some(RCX + 2 * RSI + 4));
    assert_eq!(holds(B, |a| a.shl(rbx, 3).unwrap()), Some(RBX << 3));
    assert_eq!(holds(B, |a| a.imul_3(rbx, rcx, 24).unwrap()), Some(RCX * 24));
    assert_eq!(holds(B, |a| a.xor(ebx, ebx).unwrap()), Some(0));
    assert_eq!(holds(B, |a| a.movsxd(rbx, ecx).unwrap()), Some(RCX));
    assert_eq!(holds(S, |a| a.push(rbx).unwrap()), Some(RSP - 8));
}

#[test]
fn what_comes_from_memory_or_is_not_understood_is_unknown() {
    assert_eq!(holds(B, |a| a.mov(rbx, ptr(rcx)).unwrap()), None);
    assert_eq!(holds(B, |a| a.mov(bl, 1).unwrap()), None);
    assert_eq!(holds(A, |a| a.mul(rbx).unwrap()), None);
    assert_eq!(holds(B, |a| a.shl(rbx, cl).unwrap()), None);
    let popped = function(|a| a.pop(rbx).unwrap());
    let mut registers = registers_at(&popped, 0);
    after(&popped.steps()[0], &mut registers);
    assert_eq!((registers.whole(B), registers.whole(S)), (None, Some(RSP + 8)));
}

#[test]
fn what_can_be_undone_is() {
    let all: [fn(&mut CodeAssembler); 9] = [
        |a| a.add(rbx, rcx).unwrap(),
        |a| a.add(rbx, 64).unwrap(),
        |a| a.sub(rbx, rcx).unwrap(),
        |a| a.inc(rbx).unwrap(),
        |a| a.dec(rbx).unwrap(),
        |a| a.neg(rbx).unwrap(),
        |a| a.not(rbx).unwrap(),
        |a| a.lea(rbx, ptr(rbx + rcx * 4 - 8)).unwrap(),
        |a| a.push(rbx).unwrap(),
    ];
    for write in all {
        let listing = function(write);
        let begin = registers_at(&listing, 0);
        let mut registers = begin.clone();
        after(&listing.steps()[0], &mut registers);
        before(&listing.steps()[0], &mut registers);
        assert_eq!(registers, begin, "{:?}", listing.steps()[0].changes);
    }
}

#[test]
fn what_was_lost_stays_unknown() {
    let all: [fn(&mut CodeAssembler); 6] = [
        |a| a.add(rbx, rbx).unwrap(),
        |a| a.add(ebx, 1).unwrap(),
        |a| a.mov(rbx, rcx).unwrap(),
        |a| a.lea(rbx, ptr(rbx + rbx)).unwrap(),
        |a| a.and(rbx, 8).unwrap(),
        |a| a.mov(rbx, ptr(rbx)).unwrap(),
    ];
    for write in all {
        let listing = function(write);
        let mut registers = registers_at(&listing, 0);
        before(&listing.steps()[0], &mut registers);
        assert_eq!(registers.whole(B), None);
        assert_eq!(registers.whole(C), Some(RCX));
    }
}
