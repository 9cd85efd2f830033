use super::*;
use crate::{Access, Architecture, Blame, Listing, Registers, StackCopy, blame, effect, once_around};

const BEGIN: u64 = 0x40_1000;

fn listing(words: &[u32]) -> Listing {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Listing::of(Architecture::Aarch64, BEGIN, &code)
}

/// What a register holds at first.
fn holds(number: u64) -> u64 {
    0x1_0000 * (number + 1)
}

fn registers(step: usize) -> Registers {
    Registers::new(BEGIN + 4 * step as u64, std::array::from_fn::<u64, 32, _>(|k| holds(k as u64)))
}

#[test]
fn addresses_follow_from_registers() {
    use Direction::{Read, ReadAndWrite, Write};
    let all = [
        ("ldp x1, x2, [x3], #16", 0xa8c1_0861, holds(3), 16, Read),
        ("ldp q0, q1, [x3, #32]!", 0xadc1_0460, holds(3) + 32, 32, Read),
        ("str w1, [x2, w3, sxtw #2]", 0xb823_d841, holds(2) + 4 * holds(3), 4, Write),
        ("ldr x1, [sp, #16]", 0xf940_0be1, holds(31) + 16, 8, Read),
        ("ldrsw x1, [x2], #4", 0xb880_4441, holds(2), 4, Read),
        ("ldr d0, [x1, x2, lsl #3]", 0xfc62_7820, holds(1) + 8 * holds(2), 8, Read),
        ("ldur x1, [x2, #-8]", 0xf85f_8041, holds(2) - 8, 8, Read),
        ("ldrb w1, [x2, #5]", 0x3940_1441, holds(2) + 5, 1, Read),
        ("stp d8, d9, [sp, #-16]!", 0x6dbf_27e8, holds(31) - 16, 16, Write),
        ("ldadd x1, x2, [x3]", 0xf821_0062, holds(3), 8, ReadAndWrite),
        ("cas x1, x2, [x3]", 0xc8a1_7c62, holds(3), 8, ReadAndWrite),
        ("stxr w1, x2, [x3]", 0xc801_7c62, holds(3), 8, Write),
        ("stlxp w1, x2, x4, [x3]", 0xc821_9062, holds(3), 16, Write),
        ("ld1 {v0.2d, v1.2d}, [x1], #32", 0x4cdf_ac20, holds(1), 32, Read),
        ("ld1 {v0.s}[1], [x1], x2", 0x0dc2_9020, holds(1), 4, Read),
        ("ld1r {v0.2d}, [x1]", 0x4d40_cc20, holds(1), 8, Read),
        ("st4 {v0.4s-v3.4s}, [x1], #64", 0x4c9f_0820, holds(1), 64, Write),
        ("ldr x1, .", 0x5800_0001, BEGIN, 8, Read),
        ("ld1d {z0.d}, p0/z, [x1, x0, lsl #3]", 0xa5e0_4020, holds(1) + 8 * holds(0), 8, Read),
        ("st1d {z0.d}, p0, [x1, x0, lsl #3]", 0xe5e0_4020, holds(1) + 8 * holds(0), 8, Write),
    ];
    for (text, word, address, bytes, direction) in all {
        let access = Access { ip: BEGIN, address, bytes, direction, elements: 1 };
        assert_eq!(listing(&[word]).steps()[0].accesses(&registers(0)), Some(vec![access]), "{text}");
    }
}

#[test]
fn what_only_looks_like_an_access_is_none() {
    for (text, word) in
        [("prfm pldl1keep, [x1]", 0xf980_0020), ("adr x1, .", 0x1000_0001), ("b.eq .", 0x5400_0000)]
    {
        assert!(!listing(&[word]).steps()[0].accesses_memory(), "{text}");
    }
}

#[test]
fn where_a_gather_goes_is_not_guessed() {
    // ld1d {z0.d}, p0/z, [x1, z0.d, lsl #3]; ret
    let listing = listing(&[0xc5e0_c020, 0xd65f_03c0]);
    assert_eq!(listing.steps()[0].accesses(&registers(0)), None);
    assert_eq!(blame(&listing, &registers(1), &StackCopy::default()), Blame::Unknown { ip: BEGIN });
}

#[test]
fn a_base_that_moved_is_put_back() {
    let blamed = |address| {
        Blame::Accesses(vec![Access {
            ip: BEGIN,
            address,
            bytes: 8,
            direction: Direction::Read,
            elements: 1,
        }])
    };
    // ldr d0, [x1], #8; fadd d1, d1, d0; ret: the addition waited.
    let behind = listing(&[0xfc40_8420, 0x1e60_2821, 0xd65f_03c0]);
    assert_eq!(blame(&behind, &registers(2), &StackCopy::default()), blamed(holds(1) - 8));
    // ldr x0, [x1, #8]!; ret
    let before = listing(&[0xf840_8c20, 0xd65f_03c0]);
    assert_eq!(blame(&before, &registers(1), &StackCopy::default()), blamed(holds(1)));
}

#[test]
fn at_the_head_of_a_loop_its_end_is_blamed() {
    // again: add x2, x2, #8; ldr x0, [x2]; cmp x0, x1; b.ne again; ret
    let listing = listing(&[0x9100_2042, 0xf940_0040, 0xeb01_001f, 0x54ff_ffa1, 0xd65f_03c0]);
    for step in [2, 3, 4, 0] {
        let Blame::Accesses(found) = blame(&listing, &registers(step), &StackCopy::default()) else {
            panic!("nothing at {step}")
        };
        assert_eq!((found[0].ip, found[0].address), (BEGIN + 4, holds(2)), "at {step}");
    }
}

#[test]
fn zero_is_no_register_and_the_stack_pointer_is_one() {
    // str xzr, [x1]; add x0, sp, #16; mov x3, x2
    let listing = listing(&[0xf900_003f, 0x9100_43e0, 0xaa02_03e3]);
    assert!(!listing.steps()[0].reads.has(31));
    let mut registers = registers(1);
    effect::after(&listing.steps()[1], &mut registers);
    effect::after(&listing.steps()[2], &mut registers);
    assert_eq!((registers.whole(0), registers.whole(3)), (Some(holds(31) + 16), Some(holds(2))));
}

#[test]
fn what_is_not_known_makes_registers_unknown() {
    // cpyfp [x0]!, [x1]!, x2!: of ARMv8.8, which the decoder does not know. It names them as x0, x1 and x2.
    let listing = listing(&[0x1901_0440]);
    let mut registers = registers(0);
    effect::after(&listing.steps()[0], &mut registers);
    assert_eq!([0, 1, 2, 3].map(|k| registers.whole(k).is_some()), [false, false, false, true]);
}

#[test]
fn no_bytes_make_it_fail() {
    proptest::proptest!(|(code in proptest::collection::vec(proptest::num::u8::ANY, 0..240))| {
        let listing = Listing::of(Architecture::Aarch64, u64::MAX - 100, &code);
        proptest::prop_assert_eq!(listing.steps().len(), code.len() / 4);
        for step in listing.steps() {
            let registers = Registers::new(step.ip(), [u64::MAX; 32]);
            once_around(&listing, &registers);
            blame(&listing, &registers, &StackCopy::default());
        }
    });
}
