use super::*;

#[test]
fn names_cannot_steer_the_terminal() {
    assert_eq!(clean("a\u{1b}[2Jb\nc\td\u{7f}"), "a?[2Jb?c?d?");
    assert_eq!(clean("\u{202e}gnp.exe\u{9b}31m\u{200b}"), "?gnp.exe?31m?");
    assert_eq!(clean("héllo 日本 (sd-pam)"), "héllo 日本 (sd-pam)");
    assert_eq!(clean("a\u{e0041}b"), "a?b", "tags take no room either");
}

#[test]
fn amounts_fit_into_five_characters() {
    let cases = [
        (0, "-"),
        (1, "1B"),
        (999, "999B"),
        (1000, "1.0K"),
        (4096, "4.0K"),
        (1 << 20, "1.0M"),
        ((1 << 20) - 1, "1.0M"),
        (10 << 20, "10M"),
        (999 << 20, "999M"),
        (1023 << 20, "1.0G"),
        (3 << 29, "1.5G"),
        (u64::MAX, "16E"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(amount(Bytes(bytes)), expected, "{bytes}");
    }
    for power in 0..64 {
        for bytes in [(1u64 << power) - 1, 1 << power, (1 << power) + 1] {
            assert!(amount(Bytes(bytes)).len() <= 5, "{bytes}: {}", amount(Bytes(bytes)));
        }
    }
}

#[test]
fn shares_and_counts_are_short() {
    for (value, expected) in
        [(0.0, "0.0%"), (0.931, "93.1%"), (0.9994, "99.9%"), (0.9996, "100%"), (1.0, "100%"), (1.25, "125%")]
    {
        assert_eq!(share(Ratio(value)), expected);
    }
    for (value, expected) in
        [(0.0, "0.00"), (7.914, "7.91"), (9.996, "10.0"), (99.96, "100"), (1024.0, "1024")]
    {
        assert_eq!(cpus(Ratio(value)), expected);
    }
    for (value, expected) in
        [(0, "0"), (9_999, "9999"), (10_000, "10k"), (3_400_000, "3.4M"), (u64::MAX, "18E")]
    {
        assert_eq!(count(value), expected);
    }
}

#[test]
fn times_are_as_clocks_have_them() {
    for (seconds, expected) in [(0, "0:00"), (67, "1:07"), (12_345, "3:25:45"), (1_047_600, "12d 03h")] {
        assert_eq!(clock(Nanoseconds(seconds * 1_000_000_000)), expected);
    }
    assert_eq!(interval(Nanoseconds(500_000_000)), "0.5 s");
    assert_eq!(interval(Nanoseconds(2_000_000_000)), "2 s");
}
