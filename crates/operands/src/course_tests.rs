use iced_x86::code_asm::*;
use proptest::prelude::*;

use super::*;
use crate::code::{BEGIN, RDI, RSI, bytes, registers_at};
use crate::works;

#[derive(Debug, PartialEq)]
enum Trips {
    Whole(u64),
    Left(u64),
}

struct Code {
    listing: Listing,
    is_straight: bool,
    course: Course,
}

fn code_of(architecture: Architecture, code: &[u8]) -> Code {
    let listing = Listing::of(architecture, BEGIN, code);
    let works = works(architecture, &listing, BEGIN, code);
    let nest = Nest::of(&listing);
    let innermost = nest.loops.iter().position(|of| of.is_innermost).unwrap();
    let course = Course::of(architecture, (&listing, &works), &nest, innermost).unwrap();
    let is_straight = Body::of(&nest, innermost).unwrap().is_straight();
    Code { listing, is_straight, course }
}

fn code(write: impl FnOnce(&mut CodeAssembler)) -> Code {
    code_of(Architecture::X86_64, &bytes(write))
}

impl Code {
    /// With the registers of [`registers_at`], and these in place of some.
    fn trips(&self, step: usize, set: &[(u8, u64)]) -> Option<Trips> {
        let mut registers = registers_at(&self.listing, step);
        set.iter().for_each(|(register, value)| registers.set(*register, Some(*value)));
        let moment = self.course.moment(step, &registers);
        moment.trips().map(Trips::Whole).or(moment.left().map(Trips::Left))
    }

    /// Where an access is, and by how much it moves on.
    fn place(&self, access: usize, step: usize, registers: &Registers) -> (Option<u64>, Option<i64>) {
        let (moment, of) = (self.course.moment(step, registers), &self.course.accesses[access]);
        (moment.place(of), moment.stride(of))
    }

    fn strides(&self) -> Vec<Stride> {
        self.course.accesses.iter().map(|of| of.stride).collect()
    }
}

const A: u8 = 0;
const C: u8 = 1;
const D: u8 = 2;
const DI: u8 = 7;

/// y[k] = a * x[k] + y[k] from 0 on, with vectors of 4: rcx is zeroed before the loop, rdx is the end.
fn triad() -> Code {
    code(|a| {
        let mut head = a.create_label();
        a.xor(ecx, ecx).unwrap();
        a.set_label(&mut head).unwrap();
        a.vmovupd(ymm0, ymmword_ptr(rdi + rcx)).unwrap();
        a.vfmadd213pd(ymm0, ymm1, ymmword_ptr(rsi + rcx)).unwrap();
        a.vmovupd(ymmword_ptr(rsi + rcx), ymm0).unwrap();
        a.add(rcx, 32).unwrap();
        a.cmp(rcx, rdx).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    })
}

#[test]
fn bytes_and_operations_of_a_straight_loop_are_exact() {
    let counts = triad().course.counts.unwrap();
    let all =
        PassCount { loaded: 64.0, stored: 32.0, double: 8.0, instructions: 6.0, ..PassCount::default() };
    assert!(counts.is_exact());
    assert_eq!((counts.most, counts.likely(|_| 0)), (all, Some(all)));
}

#[test]
fn a_counter_from_zero_says_all_passes_wherever_a_thread_is() {
    let code = triad();
    for step in 1..7 {
        assert_eq!(code.trips(step, &[(C, 320), (D, 3200)]), Some(Trips::Whole(100)), "{step}");
    }
    assert_eq!(code.strides(), [Stride::Constant(32); 3]);
    let streams: Vec<u32> = code.course.accesses.iter().map(|of| of.stream).collect();
    assert_eq!(streams, [0, 1, 1]);
}

#[test]
fn an_end_made_of_the_begin_says_all_passes_when_the_begin_is_lost() {
    // for (; p != begin + n; p++), as gcc makes it: the end is computed from the begin and the number, which stays.
    let code = code(|a| {
        let mut head = a.create_label();
        a.lea(rdx, ptr(rdi + rsi * 8)).unwrap();
        a.set_label(&mut head).unwrap();
        a.addsd(xmm0, qword_ptr(rdi)).unwrap();
        a.add(rdi, 8).unwrap();
        a.cmp(rdi, rdx).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    let end = RDI + 8 * RSI;
    assert_eq!(code.trips(1, &[(DI, RDI + 80), (D, end)]), Some(Trips::Whole(RSI)));
    // Where the number is lost too, what is left.
    let lost = self::code(|a| {
        let mut head = a.create_label();
        a.lea(rdx, ptr(rdi + rsi * 8)).unwrap();
        a.xor(esi, esi).unwrap();
        a.set_label(&mut head).unwrap();
        a.addsd(xmm0, qword_ptr(rdi)).unwrap();
        a.add(rdi, 8).unwrap();
        a.cmp(rdi, rdx).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(lost.trips(2, &[(DI, end - 80), (D, end)]), Some(Trips::Left(9)));
    assert_eq!(lost.trips(4, &[(DI, end - 80), (D, end)]), Some(Trips::Left(10)));
}

#[test]
fn numbers_of_32_bits_that_are_shifted_and_rounded_are_computed_again() {
    // Four elements a pass: n / 4 passes.
    let code = code(|a| {
        let mut head = a.create_label();
        a.mov(ecx, esi).unwrap();
        a.shr(ecx, 2).unwrap();
        a.shl(rcx, 5).unwrap();
        a.xor(eax, eax).unwrap();
        a.set_label(&mut head).unwrap();
        a.movupd(xmm0, xmmword_ptr(rdi + rax)).unwrap();
        a.movupd(xmmword_ptr(rdi + rax + 16), xmm0).unwrap();
        a.add(rax, 32).unwrap();
        a.cmp(rcx, rax).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    // rcx says it, and so would rsi.
    assert_eq!(code.trips(4, &[(A, 64), (C, 3200), (6, 0x1_0000_0191)]), Some(Trips::Whole(100)));
    assert_eq!((code.course.accesses[0].offset, code.course.accesses[1].offset), (0, 16));
}

#[test]
fn counters_that_go_down_and_tests_at_the_top_count_too() {
    let down = code(|a| {
        let mut head = a.create_label();
        a.mov(ecx, 100).unwrap();
        a.set_label(&mut head).unwrap();
        a.addsd(xmm0, xmm1).unwrap();
        a.sub(ecx, 1).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(down.trips(1, &[(C, 7)]), Some(Trips::Whole(100)));
    let top = code(|a| {
        let (mut head, mut end) = (a.create_label(), a.create_label());
        a.xor(eax, eax).unwrap();
        a.set_label(&mut head).unwrap();
        a.cmp(eax, esi).unwrap();
        a.jge(end).unwrap();
        a.addsd(xmm0, qword_ptr(rdi + rax * 8)).unwrap();
        a.inc(eax).unwrap();
        a.jmp(head).unwrap();
        a.set_label(&mut end).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(top.trips(3, &[(A, 5), (6, 40)]), Some(Trips::Whole(40)));
    assert_eq!(top.strides(), [Stride::Constant(8)]);
}

#[test]
fn what_ends_by_data_or_at_several_places_has_no_number() {
    let by_data = code(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.mov(rdi, qword_ptr(rdi)).unwrap();
        a.test(rdi, rdi).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!((by_data.course.no_counter(), by_data.trips(0, &[])), (Some(NoCounter::ByData), None));
    assert_eq!(by_data.strides(), [Stride::Irregular]);
    let two = code(|a| {
        let (mut head, mut end) = (a.create_label(), a.create_label());
        a.set_label(&mut head).unwrap();
        a.cmp(qword_ptr(rdi), 0).unwrap();
        a.je(end).unwrap();
        a.add(rdi, 8).unwrap();
        a.cmp(rdi, rsi).unwrap();
        a.jne(head).unwrap();
        a.set_label(&mut end).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(two.course.no_counter(), Some(NoCounter::SeveralExits));
}

#[test]
fn strides_come_from_registers_where_these_say_them() {
    // A column of a matrix: rows of rdx bytes. And a structure of 24 bytes of which two members are used.
    let code = code(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.movsd_2(xmm0, qword_ptr(rdi)).unwrap();
        a.addsd(xmm0, qword_ptr(rsi)).unwrap();
        a.movsd_2(qword_ptr(rsi + 16), xmm0).unwrap();
        a.add(rdi, rdx).unwrap();
        a.add(rsi, 24).unwrap();
        a.cmp(rsi, rcx).unwrap();
        a.jb(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(code.strides(), [Stride::ByRegister, Stride::Constant(24), Stride::Constant(24)]);
    let mut registers = registers_at(&code.listing, 5);
    registers.set(D, Some(4096));
    // rdi has moved on already, rsi comes behind this instruction.
    assert_eq!(code.place(0, 3, &registers), (Some(RDI), Some(4096)));
    assert_eq!(code.place(0, 4, &registers), (Some(RDI - 4096), Some(4096)));
    assert_eq!(code.place(2, 4, &registers), (Some(RSI + 16), Some(24)));
}

#[test]
fn the_stack_and_constants_are_counted_apart_and_gathers_by_element() {
    let code = code(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.vmovupd(ymm0, ymmword_ptr(rsp + 64)).unwrap();
        a.mov(rax, qword_ptr(rsp + 8)).unwrap();
        a.vmulpd(zmm1, zmm0, qword_bcst(0x60_0000)).unwrap();
        a.vgatherdps(ymm3.k1(), ptr(rax + ymm2 * 4)).unwrap();
        a.vmovupd(zmmword_ptr(rax + rcx * 8).k1(), zmm1).unwrap();
        a.movsd_2(qword_ptr(rsp + 16), xmm1).unwrap();
        a.add(rcx, 8).unwrap();
        a.cmp(rcx, rdx).unwrap();
        a.jl(head).unwrap();
        a.ret().unwrap();
    });
    let counts = code.course.counts.clone().unwrap();
    let most = PassCount {
        loaded: 32.0,
        stored: 64.0,
        stack_loaded: 40.0,
        stack_stored: 8.0,
        fixed: 8.0,
        double: 8.0,
        instructions: 9.0,
        ..PassCount::default()
    };
    assert_eq!(counts.most, most);
    assert_eq!(counts.least, PassCount { stored: 0.0, ..most }, "the mask may leave all out");
    // The pointer is loaded from the stack in each pass, and stays the same.
    assert_eq!(code.course.accesses[4].stride, Stride::Constant(64));
}

#[test]
fn of_ways_through_a_loop_samples_say_how_often_each_is_gone() {
    let code = code(|a| {
        let (mut head, mut skip) = (a.create_label(), a.create_label());
        a.set_label(&mut head).unwrap();
        a.movsd_2(xmm0, qword_ptr(rdi)).unwrap();
        a.ucomisd(xmm0, xmm1).unwrap();
        a.jbe(skip).unwrap();
        a.mulsd(xmm0, xmm2).unwrap();
        a.movsd_2(qword_ptr(rdi), xmm0).unwrap();
        a.set_label(&mut skip).unwrap();
        a.add(rdi, 8).unwrap();
        a.cmp(rdi, rsi).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    let counts = code.course.counts.clone().unwrap();
    assert_eq!((counts.least.stored, counts.most.stored, counts.is_exact()), (0.0, 8.0, false));
    assert_eq!((counts.least.loaded, counts.most.loaded), (8.0, 8.0));
    assert_eq!(counts.likely(|_| 1), None, "too few");
    // Each of six instructions has 100 samples, and two have 25.
    let likely = counts.likely(|step| if step == 3 || step == 4 { 25 } else { 100 }).unwrap();
    assert_eq!((likely.stored, likely.double, likely.loaded), (2.0, 0.25, 8.0));
    let waits = |step: usize| if step < 3 { 100 } else { 300 };
    assert_eq!(counts.likely(waits), None, "one block waits longer than another");
    assert!(!code.is_straight);
    assert_eq!(code.trips(5, &[(DI, RSI - 80)]), Some(Trips::Left(9)));
}

#[test]
fn what_cannot_be_counted_says_why() {
    let calls = code(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.call(rbx).unwrap();
        a.sub(r12, 1).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(calls.course.counts, Err(NoPassCount::Calls));
    // A counter in a register that calls keep.
    assert_eq!(calls.trips(1, &[(12, 5)]), Some(Trips::Left(4)));
    let copies = code(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.rep().movsb().unwrap();
        a.sub(r12, 1).unwrap();
        a.jne(head).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(copies.course.counts, Err(NoPassCount::Repeats));
    let listing = Listing::of(Architecture::X86_64, BEGIN, &[]);
    let nest = Nest::of(&listing);
    assert_eq!(
        Course::of(Architecture::X86_64, (&listing, &[]), &nest, 0).err(),
        Some(NoCourse::NotInnermost)
    );
}

#[test]
fn arm_counts_and_strides_too() {
    // mov x3, #0; ldr d0, [x0, x3, lsl #3]; fadd d1, d1, d0; add x3, x3, #1; cmp x3, x2; b.ne -16; ret
    let words: [u32; 7] =
        [0xd280_0003, 0xfc63_7800, 0x1e60_2821, 0x9100_0463, 0xeb02_007f, 0x54ff_ff81, 0xd65f_03c0];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let code = code_of(Architecture::Aarch64, &bytes);
    let mut registers = Registers::new(BEGIN + 8, [0_u64; 32]);
    registers.set(2, Some(1000));
    registers.set(3, Some(17));
    assert_eq!(code.course.moment(2, &registers).trips(), Some(1000));
    assert_eq!(code.strides(), [Stride::Constant(8)]);
    let count = code.course.counts.unwrap().most;
    assert_eq!((count.loaded, count.double, count.instructions), (8.0, 1.0, 5.0));
}

#[test]
fn passes_of_conditions_are_those_of_arithmetic() {
    for condition in [Condition::Less, Condition::LessOrEqual, Condition::Greater, Condition::GreaterOrEqual]
    {
        for (begin, change) in [(-10_i64, 3_i64), (-9, 3), (0, 1), (7, -2), (8, -2), (4, 1)] {
            let holds = |value: i64| match condition {
                Condition::Less => value < 0,
                Condition::LessOrEqual => value <= 0,
                Condition::Greater => value > 0,
                _ => value >= 0,
            };
            let counted = (0..100).take_while(|pass| holds(begin + change * pass)).count() as u64;
            if let Some(found) = passes(condition, begin as u64, change as u64, false) {
                assert_eq!(found, counted, "{condition:?} {begin} {change}");
            }
        }
    }
    assert_eq!(passes(Condition::NotEqual, -10_i64 as u64, 3, false), None);
    assert_eq!(passes(Condition::NotEqual, 0xffff_fff6, 5, true), Some(2));
}

proptest! {
    #[test]
    fn no_code_makes_it_fail(
        code in prop::collection::vec(prop::sample::select(vec![0x48_u8, 0x83, 0xc1, 0x75, 0xeb, 0xf0, 0x8b, 0x04, 0x39, 0x01, 0xff, 0xe2, 0x29, 0xd1]), 0..200),
        any in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        for (architecture, code) in [(Architecture::X86_64, &code), (Architecture::X86_64, &any), (Architecture::Aarch64, &any)] {
            let listing = Listing::of(architecture, BEGIN, code);
            let works = works(architecture, &listing, BEGIN, code);
            let nest = Nest::of(&listing);
            for number in 0..nest.loops.len() {
                let Ok(course) = Course::of(architecture, (&listing, &works), &nest, number) else { continue };
                for step in 0..listing.steps().len() {
                    let registers = registers_at(&listing, step);
                    let moment = course.moment(step, &registers);
                    let _ = (moment.trips(), moment.left());
                    let places = course.accesses.iter().map(|of| (moment.place(of), moment.stride(of)));
                    prop_assert_eq!(places.count(), course.accesses.len());
                }
                if let Ok(counts) = &course.counts {
                    prop_assert!(counts.least.instructions <= counts.most.instructions);
                }
            }
        }
    }
}
