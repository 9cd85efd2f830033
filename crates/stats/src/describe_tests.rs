use super::*;

#[test]
fn a_summary_worked_by_hand() {
    let s = summarise(&[4.0, 1.0, 3.0, 2.0, 10.0]).unwrap();
    assert_eq!((s.count, s.mean, s.median, s.min, s.max), (5, 4.0, 3.0, 1.0, 10.0));
    assert_eq!((s.q1, s.q3, s.mad), (2.0, 4.0, 1.0));
    assert!((s.sd.unwrap() - 12.5f64.sqrt()).abs() < 1e-12);
    assert!((s.variation.unwrap() - 12.5f64.sqrt() / 4.0).abs() < 1e-12);
}

#[test]
fn what_a_single_value_cannot_tell_is_missing() {
    let s = summarise(&[7.0]).unwrap();
    assert_eq!((s.median, s.sd, s.variation), (7.0, None, None));
    assert_eq!(summarise(&[-1.0, 1.0]).unwrap().variation, None);
}

#[test]
fn quantiles_are_linear_between_neighbours() {
    let v = [10.0, 20.0, 30.0, 40.0];
    for (p, expected) in [(0.0, 10.0), (0.25, 17.5), (0.5, 25.0), (0.9, 37.0), (1.0, 40.0)] {
        assert!((quantile(&v, p).unwrap() - expected).abs() < 1e-12, "{p}");
    }
    assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
}

#[test]
fn the_far_value_is_marked_and_no_other() {
    let marks = outliers(&[1.0, 1.1, 0.9, 1.05, 0.95, 3.0]).unwrap();
    assert_eq!(marks.len(), 1);
    assert_eq!((marks[0].index, marks[0].value), (5, 3.0));
    assert!(marks[0].distance > 3.5);
    let low = outliers(&[1.0, 1.1, 0.9, 1.05, 0.95, -3.0]).unwrap();
    assert!(low[0].distance < -3.5);
}

#[test]
fn one_different_value_among_equals_is_marked_though_the_mad_is_zero() {
    let marks = outliers(&[5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0]).unwrap();
    assert_eq!(marks.iter().map(|o| o.index).collect::<Vec<_>>(), [6]);
}

#[test]
fn equal_values_and_short_lists_have_no_outliers() {
    assert_eq!(outliers(&[2.0; 9]), Ok(vec![]));
    assert_eq!(outliers(&[1.0, 1.0, 1.0, 99.0]), Ok(vec![]));
}

#[test]
fn empty_lists_and_values_that_are_no_numbers_are_refused() {
    assert!(matches!(summarise(&[]), Err(StatsError::TooFew { found: 0, .. })));
    assert!(matches!(median(&[]), Err(StatsError::TooFew { .. })));
    assert!(matches!(outliers(&[]), Err(StatsError::TooFew { .. })));
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(summarise(&[1.0, bad]), Err(StatsError::NotFinite { index: 1, .. })));
        assert!(matches!(outliers(&[1.0, bad]), Err(StatsError::NotFinite { index: 1, .. })));
    }
    for p in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(quantile(&[1.0], p), Err(StatsError::BadParameter { .. })));
    }
}
