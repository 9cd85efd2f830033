use super::*;

#[test]
fn numbers_show_four_digits() {
    let cases = [
        (0.0, "0"),
        (1.0, "1.000"),
        (-1234.5678, "-1235"),
        (12.345_67, "12.35"),
        (0.012_345, "0.01235"),
        (1e-9, "1.000e-9"),
        (9_999_999.0, "9999999"),
        (3.2e12, "3.200e12"),
        (f64::INFINITY, "inf"),
        (f64::NAN, "NaN"),
    ];
    for (given, expected) in cases {
        assert_eq!(number(given), expected);
    }
}

#[test]
fn a_wall_time_has_its_unit_and_another_metric_none() {
    let rate = Metric::Output { regex: "(.)".to_owned(), higher_is_better: true };
    assert_eq!(value(&Metric::WallTime, 0.012_34), "12.34 ms");
    assert_eq!(value(&rate, 0.012_34), "0.01234");
    assert_eq!(value(&Metric::WallTime, f64::NAN), "NaN");
    assert_eq!(reading(&rate, &Reading::unavailable("no")), "none");
}

#[test]
fn moments_are_dates() {
    let cases = [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_399, "2000-02-28 23:59:59 UTC"),
        (951_782_400, "2000-02-29 00:00:00 UTC"),
        (1_700_000_000, "2023-11-14 22:13:20 UTC"),
        (4_107_542_400, "2100-03-01 00:00:00 UTC"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(moment(Nanoseconds(seconds * 1_000_000_000)), expected);
    }
}
