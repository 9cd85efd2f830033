use iced_x86::code_asm::*;

use super::*;
use crate::Nest;
use crate::code::{BEGIN, bytes};

/// What it works with: one element at once and several, in arithmetic, then in loads and stores.
fn elements(used: &VectorUse) -> [u32; 4] {
    [used.scalar_elements, used.packed_elements, used.scalar_moved, used.packed_moved]
}

/// Of a loop of these instructions.
fn used(write: impl FnOnce(&mut CodeAssembler)) -> VectorUse {
    let code = bytes(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        write(a);
        a.add(rcx, 1).unwrap();
        a.jne(head).unwrap();
    });
    of(Architecture::X86_64, &code)
}

fn of(architecture: Architecture, code: &[u8]) -> VectorUse {
    let listing = Listing::of(architecture, BEGIN, code);
    let works = works(architecture, &listing, BEGIN, code);
    VectorUse::of(&listing, &works, &Nest::of(&listing).loops[0])
}

fn arm(words: &[u32]) -> VectorUse {
    // b.ne to the first.
    let back = 0x5400_0001 | ((words.len() as u32).wrapping_neg() & 0x7_ffff) << 5;
    let code: Vec<u8> = words.iter().chain([&back]).flat_map(|word| word.to_le_bytes()).collect();
    of(Architecture::Aarch64, &code)
}

#[test]
fn one_element_at_once_is_scalar() {
    let used = used(|a| {
        a.movsd_2(xmm0, qword_ptr(rdi + rcx * 8)).unwrap();
        a.mulsd(xmm0, xmm1).unwrap();
        a.addsd(xmm0, qword_ptr(rsi + rcx * 8)).unwrap();
        a.movsd_2(qword_ptr(rdx + rcx * 8), xmm0).unwrap();
    });
    assert_eq!(elements(&used), [2, 0, 2, 0]);
    assert_eq!((used.scalar_elements, used.packed_elements, used.bits, used.floating), (2, 0, 0, 2));
    assert_eq!((used.scalar_moved, used.instructions), (2, 6));
}

#[test]
fn all_lanes_of_a_register_count() {
    let avx = used(|a| {
        a.vmovupd(ymm0, ymmword_ptr(rdi + rcx * 8)).unwrap();
        a.vfmadd213pd(ymm0, ymm1, ymmword_ptr(rsi + rcx * 8)).unwrap();
        a.vmovupd(ymmword_ptr(rdx + rcx * 8), ymm0).unwrap();
    });
    assert_eq!(elements(&avx), [0, 4, 0, 8]);
    assert_eq!((avx.packed_elements, avx.bits, avx.lanes, avx.floating), (4, 256, 4, 8));
    let masked = used(|a| a.vaddps(zmm0.k1(), zmm1, zmm2).unwrap());
    assert_eq!((masked.packed_elements, masked.bits, masked.masked), (16, 512, 1));
}

#[test]
fn a_remainder_inside_counts_beside_the_vectors() {
    let used = used(|a| {
        a.mulps(xmm0, xmm1).unwrap();
        a.addss(xmm2, xmm0).unwrap();
    });
    assert_eq!(elements(&used), [1, 4, 0, 0]);
}

#[test]
fn bits_of_one_element_make_no_vector() {
    let used = used(|a| {
        // How compilers clear a register, change a sign, take the absolute value, copy.
        a.pxor(xmm0, xmm0).unwrap();
        a.cvtsi2sd(xmm0, eax).unwrap();
        a.xorpd(xmm0, xmm3).unwrap();
        a.andpd(xmm0, xmm4).unwrap();
        a.movapd(xmm5, xmm0).unwrap();
        a.addsd(xmm1, xmm5).unwrap();
    });
    assert_eq!(elements(&used), [2, 0, 0, 0]);
    assert_eq!((used.converts, used.packed_elements), (1, 0));
}

#[test]
fn copies_are_judged_by_what_they_move() {
    let copy = used(|a| {
        a.movups(xmm0, xmmword_ptr(rdi + rcx)).unwrap();
        a.movups(xmmword_ptr(rsi + rcx), xmm0).unwrap();
    });
    assert_eq!((elements(&copy), copy.bits), ([0, 0, 0, 8], 128));
    let general = used(|a| a.mov(rax, qword_ptr(rdi + rcx)).unwrap());
    assert_eq!(elements(&general), [0; 4]);
}

#[test]
fn a_sum_in_order_loads_several_and_adds_one() {
    let used = used(|a| {
        a.movups(xmm0, xmmword_ptr(rdi + rcx)).unwrap();
        a.addss(xmm1, xmm0).unwrap();
    });
    assert_eq!(elements(&used), [1, 0, 0, 4]);
}

#[test]
fn registers_that_are_put_on_the_stack_are_spills() {
    let used = used(|a| {
        a.movsd_2(qword_ptr(rsp + 8), xmm0).unwrap();
        a.addsd(xmm0, xmm1).unwrap();
        a.movapd(xmm2, xmmword_ptr(rsp + 32)).unwrap();
    });
    assert_eq!((used.spills, elements(&used)), (2, [1, 0, 0, 0]));
}

#[test]
fn what_makes_a_loop_slow_is_counted() {
    let used = used(|a| {
        a.vgatherdps(ymm0.k1(), ptr(rax + ymm1 * 4)).unwrap();
        a.vdivps(ymm0, ymm0, ymm3).unwrap();
        a.vsqrtps(ymm0, ymm0).unwrap();
        a.vcvtps2pd(ymm4, xmm0).unwrap();
        a.vpermilps(ymm5, ymm0, 3).unwrap();
        a.call(rbx).unwrap();
        a.pause().unwrap();
    });
    let counts = [
        used.gathers,
        used.divides,
        used.square_roots,
        used.converts,
        used.shuffles,
        used.calls,
        used.pauses,
    ];
    assert_eq!(counts, [1; 7]);
    assert_eq!(used.packed_elements, 8 + 8 + 4);
}

#[test]
fn whole_numbers_have_lanes_too() {
    let used = used(|a| {
        a.paddd(xmm0, xmm1).unwrap();
        a.pcmpgtb(xmm2, xmm3).unwrap();
        a.vpmuludq(ymm0, ymm1, ymm2).unwrap();
    });
    assert_eq!((used.packed_elements, used.floating), (4 + 16 + 4, 0));
}

#[test]
fn arm_says_lanes_by_its_operands() {
    // fadd d0, d1, d2; fmla v0.2d, v1.2d, v2.2d; ldr q0, [x1]
    let scalar = arm(&[0x1e62_2820]);
    assert_eq!((elements(&scalar), scalar.floating), ([1, 0, 0, 0], 1));
    let packed = arm(&[0x4e62_cc20, 0x3dc0_0020]);
    assert_eq!((elements(&packed), packed.bits, packed.lanes), ([0, 2, 0, 4], 128, 4));
    assert_eq!(packed.floating, 4);
}

#[test]
fn vectors_of_sve_are_at_least_the_shortest() {
    // ld1d {z0.d}, p0/z, [x0, x1, lsl #3]; fmla z0.d, p0/m, z1.d, z2.d
    let used = arm(&[0xa5e1_4000, 0x65e2_0020]);
    assert_eq!((elements(&used), used.bits), ([0, 2, 0, 2], 128));
    assert_eq!(used.floating, 4);
}
