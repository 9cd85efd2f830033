use iced_x86::code_asm::*;

use super::StackCopy;
use crate::code::{RBX, RSP, function, registers_at};
use crate::{Architecture, Blame, Listing, Registers, blame};

/// Above the stack pointer, as far as it was copied.
const COPIED: usize = 64;
const ARRAY: u64 = 0x7000_0000_0000;

/// The address that is blamed at a step, with these words on the stack, by their distance from its pointer.
fn blamed(listing: &Listing, step: usize, words: &[(usize, u64)]) -> Option<u64> {
    let mut bytes = [0; COPIED];
    for (at, word) in words {
        bytes[*at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    let stack = StackCopy { begin: RSP, bytes: &bytes };
    match blame(listing, &registers_at(listing, step), &stack) {
        Blame::Accesses(accesses) => Some(accesses[0].address),
        Blame::Unknown { .. } | Blame::Nothing => None,
    }
}

/// `table[at]` without optimisation: the load is into the register of its address.
fn element(store_to: Option<u64>) -> Listing {
    function(|a| {
        a.mov(rax, ptr(rsp + 8)).unwrap();
        a.lea(rdx, ptr(rax * 8)).unwrap();
        a.mov(rax, ptr(rsp + 16)).unwrap();
        a.add(rax, rdx).unwrap();
        if let Some(place) = store_to {
            a.mov(ptr(rsp + place), rcx).unwrap();
        }
        a.mov(rax, ptr(rax)).unwrap();
        a.test(rax, rax).unwrap();
        a.ret().unwrap();
    })
}

#[test]
fn an_address_of_variables_on_the_stack_is_computed_once_more() {
    let variables = [(8, 5), (16, ARRAY)];
    assert_eq!(blamed(&element(None), 5, &variables), Some(ARRAY + 40));
    assert_eq!(blamed(&element(Some(32)), 6, &variables), Some(ARRAY + 40), "another variable was stored");
}

#[test]
fn variables_that_were_stored_since_or_were_not_copied_say_nothing() {
    let variables = [(8, 5), (16, ARRAY)];
    for place in [16, 12, 20] {
        assert_eq!(blamed(&element(Some(place)), 6, &variables), None, "stored at {place}");
    }
    let far = function(|a| {
        a.mov(rax, ptr(rsp + COPIED - 4)).unwrap();
        a.mov(rax, ptr(rax)).unwrap();
        a.test(rax, rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&far, 2, &variables), None, "half of it was copied");
    let elsewhere = function(|a| {
        a.mov(rax, ptr(rbx)).unwrap();
        a.mov(rax, ptr(rax)).unwrap();
        a.test(rax, rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&elsewhere, 2, &[(0, RBX)]), None, "a pointer of the heap");
}

#[test]
fn narrow_variables_are_extended_as_the_load_does_it() {
    type Load = fn(&mut CodeAssembler);
    let cases: [(Load, u64); 4] = [
        (|a| a.mov(eax, dword_ptr(rsp + 8)).unwrap(), 0xffff_ff80),
        (|a| a.movsxd(rax, dword_ptr(rsp + 8)).unwrap(), 0xffff_ffff_ffff_ff80),
        (|a| a.movzx(eax, byte_ptr(rsp + 8)).unwrap(), 0x80),
        (|a| a.movsx(rax, byte_ptr(rsp + 8)).unwrap(), 0xffff_ffff_ffff_ff80),
    ];
    for (load, index) in cases {
        let listing = function(|a| {
            a.mov(rdx, ptr(rsp + 16)).unwrap();
            load(a);
            a.add(rax, rdx).unwrap();
            a.mov(eax, ptr(rax)).unwrap();
            a.test(eax, eax).unwrap();
            a.ret().unwrap();
        });
        let stack = [(8, 0x1234_5678_ffff_ff80), (16, ARRAY)];
        assert_eq!(blamed(&listing, 4, &stack), Some(ARRAY.wrapping_add(index)), "{index:x}");
    }
}

#[test]
fn code_of_aarch64_is_done_once_more_too() {
    // ldr x1, [sp, #16]; ldrsw x2, [sp, #8]; add x1, x1, x2; ldr x1, [x1]; ret
    let words: [u32; 5] = [0xf940_0be1, 0xb980_0be2, 0x8b02_0021, 0xf940_0021, 0xd65f_03c0];
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let listing = Listing::of(Architecture::Aarch64, 0x40_1000, &code);
    let registers =
        Registers::new(0x40_1010, std::array::from_fn::<u64, 32, _>(|k| 0x1_0000 * (k as u64 + 1)));
    let mut bytes = [0; COPIED];
    bytes[8..12].copy_from_slice(&(-8i32).to_le_bytes());
    bytes[16..24].copy_from_slice(&ARRAY.to_le_bytes());
    let stack = StackCopy { begin: 0x20_0000, bytes: &bytes };
    let Blame::Accesses(found) = blame(&listing, &registers, &stack) else { panic!("nothing") };
    assert_eq!(found[0].address, ARRAY - 8);
}
