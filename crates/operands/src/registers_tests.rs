use super::*;

#[test]
fn a_register_is_found_by_each_of_its_parts() {
    let mut registers = Registers::new(0, std::array::from_fn(|k| 0x1_0000_0000 * k as u64 + 7));
    assert_eq!(registers.whole(Register::EBX), Some(0x3_0000_0007));
    assert_eq!(registers.of_address(Register::R9), Some(0x9_0000_0007));
    assert_eq!(registers.of_address(Register::R9D), Some(7));
    assert_eq!(registers.of_address(Register::BX), None, "no address of 64-bit code is made of it");
    registers.set(Register::R9W, None);
    assert_eq!(registers.of_address(Register::R9), None);
    registers.set(Register::XMM1, Some(1));
    assert_eq!(registers.whole(Register::XMM1), None);
}

#[test]
fn segments_begin_at_zero_but_for_two() {
    let mut registers = Registers::new(0, [1; GENERAL]);
    assert_eq!(registers.of_address(Register::DS), Some(0));
    assert_eq!((registers.of_address(Register::FS), registers.of_address(Register::GS)), (None, None));
    registers.fs_base = Some(0x7f00);
    assert_eq!(registers.of_address(Register::FS), Some(0x7f00));
}
