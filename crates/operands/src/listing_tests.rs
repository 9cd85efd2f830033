use iced_x86::code_asm::*;

use super::*;
use crate::code::{BEGIN, RAX, RBX, RCX, RSP, bytes, function, registers_at};
use crate::{Direction, Registers, StackCopy};

fn accesses(write: impl FnOnce(&mut CodeAssembler)) -> Vec<(u64, u32, Direction, u32)> {
    let listing = function(write);
    let accesses = listing.steps()[0].accesses(&registers_at(&listing, 0)).unwrap();
    accesses.iter().map(|one| (one.address, one.bytes, one.direction, one.elements)).collect()
}

#[test]
fn addresses_follow_from_registers() {
    use Direction::{Read, ReadAndWrite, Write};
    let place = RBX + 8 * RCX + 16;
    assert_eq!(accesses(|a| a.mov(rax, ptr(rbx + rcx * 8 + 16)).unwrap()), [(place, 8, Read, 1)]);
    assert_eq!(accesses(|a| a.mov(dword_ptr(rbx), eax).unwrap()), [(RBX, 4, Write, 1)]);
    assert_eq!(accesses(|a| a.add(qword_ptr(rbx), 1).unwrap()), [(RBX, 8, ReadAndWrite, 1)]);
    assert_eq!(accesses(|a| a.vmovups(zmm0, ptr(rax)).unwrap()), [(RAX, 64, Read, 1)]);
    assert_eq!(accesses(|a| a.push(rax).unwrap()), [(RSP - 8, 8, Write, 1)]);
    let behind = BEGIN + 7 + 0x100;
    assert_eq!(accesses(|a| a.mov(rax, ptr(behind)).unwrap()), [(behind, 8, Read, 1)], "by its own place");
}

#[test]
fn what_only_looks_like_an_access_is_none() {
    for write in [
        |a: &mut CodeAssembler| a.lea(rax, ptr(rbx)).unwrap(),
        |a: &mut CodeAssembler| a.prefetcht0(ptr(rbx)).unwrap(),
        |a: &mut CodeAssembler| a.nop_1(dword_ptr(rbx)).unwrap(),
    ] {
        assert!(!function(write).steps()[0].accesses_memory());
    }
}

#[test]
fn elements_of_a_gather_lie_from_its_base_on() {
    let four = |a: &mut CodeAssembler| a.vgatherdps(ymm0.k1(), ptr(rax + ymm1 * 4)).unwrap();
    assert_eq!(accesses(four), [(RAX, 4, Direction::Read, 8)]);
    let mixed = |a: &mut CodeAssembler| a.vgatherqps(xmm0.k1(), ptr(rax + ymm1 * 4)).unwrap();
    assert_eq!(accesses(mixed), [(RAX, 4, Direction::Read, 4)], "four places of 8 bytes, four elements of 4");
}

#[test]
fn an_address_in_an_unknown_segment_is_not_guessed() {
    let listing = function(|a| a.mov(rax, ptr(0x28).fs()).unwrap());
    let mut registers = registers_at(&listing, 0);
    assert_eq!(listing.steps()[0].accesses(&registers), None);
    registers.fs_base = Some(0x7f00_0000);
    assert_eq!(listing.steps()[0].accesses(&registers).unwrap()[0].address, 0x7f00_0028);
}

#[test]
fn data_among_code_is_passed_over() {
    let mut code = bytes(|a| a.mov(rax, ptr(rbx)).unwrap());
    let first = code.len() as u64;
    // No instruction of 64-bit code begins so.
    code.extend([0x06, 0x06]);
    code.extend(bytes(|a| a.mov(ptr(rbx), rax).unwrap()));
    let listing = Listing::of(Architecture::X86_64, BEGIN, &code);
    let places: Vec<u64> = listing.steps().iter().map(Step::ip).collect();
    assert_eq!(places, [BEGIN, BEGIN + first + 2]);
    assert_eq!((listing.find(BEGIN + first + 2), listing.find(BEGIN + 1)), (Some(1), None));
    assert_eq!(listing.before(1), None, "not the one before, as something lies between");
}

#[test]
fn no_bytes_make_it_fail() {
    proptest::proptest!(|(code in proptest::collection::vec(proptest::num::u8::ANY, 0..200))| {
        let listing = Listing::of(Architecture::X86_64, u64::MAX - 100, &code);
        for (k, step) in listing.steps().iter().enumerate() {
            let registers = Registers::new(step.ip(), [u64::MAX; 16]);
            crate::once_around(&listing, &registers);
            crate::blame(&listing, &registers, &StackCopy::default());
            proptest::prop_assert!(listing.before(k).is_none_or(|before| before + 1 == k));
        }
    });
}

#[test]
fn a_thread_that_spins_is_known_by_its_pause() {
    let spins = function(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.mov(eax, dword_ptr(rdi)).unwrap();
        a.pause().unwrap();
        a.cmp(eax, esi).unwrap();
        a.jne(head).unwrap();
    });
    assert!(spins.steps().iter().all(|step| spins.is_spinning(step.ip())));
    assert!(!spins.is_spinning(BEGIN + 1), "inside of an instruction");
    let works = function(|a| (0..40).for_each(|_| a.add(rax, 1).unwrap()));
    assert!(works.steps().iter().all(|step| !works.is_spinning(step.ip())));
    let yields = [0xd503_203f_u32, 0xf940_0000, 0xb500_0001].map(u32::to_le_bytes).concat();
    assert!(Listing::of(Architecture::Aarch64, BEGIN, &yields).is_spinning(BEGIN + 4));
}
