use super::*;

#[test]
fn a_part_of_a_register_counts_with_its_sign_or_without() {
    let mut registers = Registers::new(0, std::array::from_fn::<u64, 16, _>(|k| 0x1_ffff_fff0 + k as u64));
    let part = |part| Source::Register { number: 9, part, shift: 2 };
    assert_eq!(registers.value(part(Part::Whole)), Some(4 * 0x1_ffff_fff9));
    assert_eq!(registers.value(part(Part::Unsigned(32))), Some(4 * 0xffff_fff9));
    assert_eq!(registers.value(part(Part::Signed(32))), Some(-28i64 as u64));
    assert_eq!(registers.value(part(Part::Unsigned(8))), Some(4 * 0xf9));
    assert_eq!(registers.value(Source::Unknown), None);
    registers.set(9, None);
    assert_eq!(registers.value(part(Part::Whole)), None);
}

#[test]
fn only_the_registers_of_the_architecture_are_known() {
    let mut x86 = Registers::new(0, [1; 16]);
    assert_eq!((x86.whole(15), x86.whole(16)), (Some(1), None));
    assert_eq!(Registers::new(0, [1; 32]).whole(31), Some(1));
    x86.set(RegisterSet::VECTORS + 1, Some(1));
    assert_eq!(x86, Registers::new(0, [1; 16]), "vectors are not kept");
    x86.forget(RegisterSet::of(3).with(RegisterSet::of(RegisterSet::FLAGS)));
    assert_eq!((x86.whole(3), x86.whole(4)), (None, Some(1)));
}
