use super::*;

const NUMBERS: [u64; 11] =
    [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 49, (1 << 56) - 1, 1 << 56, u64::MAX >> 1, u64::MAX];

#[test]
fn numbers_come_back() {
    let mut packed = Packed::default();
    for number in NUMBERS {
        packed.number(number);
        packed.signed(number.cast_signed());
        packed.signed(number.cast_signed().wrapping_neg());
        packed.long(number);
        NUMBERS.iter().for_each(|from| packed.difference(*from, number));
    }
    let bytes = packed.into_bytes();
    let mut unpacked = Unpacked::of(&bytes);
    for number in NUMBERS {
        assert_eq!(unpacked.number(), Some(number));
        assert_eq!(unpacked.signed(), Some(number.cast_signed()));
        assert_eq!(unpacked.signed(), Some(number.cast_signed().wrapping_neg()));
        assert_eq!(unpacked.long(), Some(number));
        NUMBERS.iter().for_each(|from| assert_eq!(unpacked.difference(*from), Some(number)));
    }
    assert!(unpacked.is_empty());
}

#[test]
fn small_numbers_of_both_signs_are_short() {
    let mut packed = Packed::default();
    packed.signed(-1);
    packed.signed(1);
    packed.number(300);
    assert_eq!(packed.into_bytes(), [1, 2, 0xac, 0x02]);
}

#[test]
fn what_ends_early_or_is_too_large_is_no_number() {
    assert_eq!(Unpacked::of(&[]).number(), None);
    assert_eq!(Unpacked::of(&[0x80]).number(), None);
    assert_eq!(Unpacked::of(&[0xff; 7]).long(), None);
    let mut most = [0xff; 10];
    most[9] = 1;
    assert_eq!(Unpacked::of(&most).number(), Some(u64::MAX));
    most[9] = 2;
    assert_eq!(Unpacked::of(&most).number(), None);
    assert_eq!(Unpacked::of(&[0x80; 11]).number(), None);
}
