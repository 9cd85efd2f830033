use super::*;

const CALM: [f64; 8] = [10.0, 10.02, 9.97, 10.01, 9.99, 10.03, 9.98, 10.0];
const WILD: [f64; 8] = [10.0, 11.2, 9.1, 10.7, 9.5, 12.0, 8.8, 10.1];

#[test]
fn a_clear_difference_is_found_and_turns_with_the_order() {
    let there = compare_spread(&WILD, &CALM, 0.95, 1).unwrap();
    let back = compare_spread(&CALM, &WILD, 0.95, 1).unwrap();
    assert!(there.differs && there.low > 5.0 && there.p < 0.01, "{there:?}");
    assert!(back.differs && back.high < 0.2, "{back:?}");
    assert!((there.ratio * back.ratio - 1.0).abs() < 1e-9);
}

#[test]
fn equal_lists_do_not_differ() {
    let same = compare_spread(&WILD, &WILD, 0.95, 1).unwrap();
    assert!(!same.differs && (same.ratio - 1.0).abs() < 1e-12 && same.p > 0.9, "{same:?}");
}

#[test]
fn the_unit_of_the_metric_does_not_matter() {
    let scaled: Vec<f64> = WILD.iter().map(|v| v * 1e6).collect();
    let (a, b) =
        (compare_spread(&WILD, &CALM, 0.95, 4).unwrap(), compare_spread(&scaled, &CALM, 0.95, 4).unwrap());
    assert!((a.ratio / b.ratio - 1.0).abs() < 1e-6);
}

#[test]
fn the_same_seed_gives_the_same_p() {
    assert_eq!(compare_spread(&WILD[..6], &CALM, 0.95, 5), compare_spread(&WILD[..6], &CALM, 0.95, 5));
}

#[test]
fn one_outlier_alone_is_no_evidence() {
    let mut one = CALM;
    one[3] = 11.0;
    assert!(!compare_spread(&one, &CALM, 0.95, 2).unwrap().differs);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let flat = [2.0; 6];
    assert!(matches!(compare_spread(&WILD, &flat, 0.95, 1), Err(StatsError::NoVariation { found: 6, .. })));
    assert!(matches!(compare_spread(&WILD, &CALM[..4], 0.95, 1), Err(StatsError::TooFew { found: 4, .. })));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut broken = CALM;
        broken[2] = bad;
        let error = compare_spread(&WILD, &broken, 0.95, 1).unwrap_err();
        assert!(matches!(error, StatsError::NotPositive { block: 2, point: 1, .. }), "{error}");
    }
    assert!(matches!(compare_spread(&WILD, &CALM, 95.0, 1), Err(StatsError::BadParameter { .. })));
}

#[test]
fn a_list_with_all_but_one_value_equal_has_a_spread() {
    let nearly = [5.0, 5.0, 5.0, 5.0, 5.5, 5.0];
    let r = compare_spread(&nearly, &WILD, 0.95, 1).unwrap();
    assert!(r.ratio.is_finite() && r.low <= r.ratio && r.ratio <= r.high, "{r:?}");
}
