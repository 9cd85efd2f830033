use super::*;

const DAY: Nanoseconds = Nanoseconds(86_400_000_000_000);

#[test]
fn a_day_of_262144_cpus_is_counted_in_full() {
    let sum = (0..262_144).fold(TimeSum::default(), |sum, _| sum + DAY);
    assert_eq!(sum.0, u128::from(DAY.0) * 262_144);
    assert_eq!(sum.to_string(), "718 years");
    assert_eq!(sum.span(), None);
    assert_eq!(sum.each_of(262_144), DAY);
    // What a span makes of it, without a word.
    assert_eq!((0..262_144).fold(Nanoseconds(0), |sum, _| sum + DAY), Nanoseconds(u64::MAX));
}

#[test]
fn sums_come_back_from_json_and_others_are_refused() {
    for sum in [0, 1, 999_999_999, 1_000_000_000, u128::from(u64::MAX), u128::from(u64::MAX) * 1000] {
        let text = serde_json::to_string(&TimeSum(sum)).unwrap();
        assert_eq!(serde_json::from_str::<TimeSum>(&text).unwrap(), TimeSum(sum), "{text}");
    }
    assert_eq!(serde_json::to_string(&TimeSum(1_500_000_000)).unwrap(), "[1,500000000]");
    for text in ["[1,1000000000]", "[1]", "7", "[-1,0]", "[1,2,3]", "[1e30,0]"] {
        assert!(serde_json::from_str::<TimeSum>(text).is_err(), "{text}");
    }
}

#[test]
fn it_prints_as_a_span_where_it_is_one() {
    assert_eq!(TimeSum::from(Nanoseconds(1_500_000_000)).to_string(), "1.500 s");
    assert_eq!(TimeSum(3).saturating_sub(TimeSum(5)), TimeSum(0));
    assert_eq!(TimeSum(u128::MAX).each_of(2), Nanoseconds(u64::MAX));
}
