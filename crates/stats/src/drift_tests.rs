use super::*;

#[test]
fn the_tail_is_that_of_kendall() {
    // Kendall's tables: 5 values, all in order: 1 of 120; at most one inversion: 5 of 120.
    assert_eq!(slopes_outside(5, 0.025), Some(0));
    assert_eq!(slopes_outside(5, 0.042), Some(1));
    assert_eq!(slopes_outside(5, 0.008), None);
    assert_eq!(slopes_outside(4, 0.5), None);
    // 10 values: S of 23 (11 inversions) has a probability of 0.023, S of 21 of 0.036.
    assert_eq!(slopes_outside(10, 0.025), Some(11));
    // The normal approximation where there are many: (n (n - 1) / 2 - 1.96 sqrt(n (n - 1) (2 n + 5) / 18)) / 2.
    let outside = slopes_outside(60, 0.025).unwrap() as f64;
    assert!((outside - 730.0).abs() < 4.0, "{outside}");
}

#[test]
fn a_straight_line_is_found_as_it_is() {
    let values: Vec<f64> = (0..11).map(|k| 5.0 * 1.01f64.powi(k)).collect();
    let found = drift(&values, 0.95).unwrap().unwrap();
    assert!((found.ratio - 1.01f64.powi(10)).abs() < 1e-9 && found.is_there(), "{found:?}");
    let down: Vec<f64> = values.iter().rev().copied().collect();
    assert!((drift(&down, 0.95).unwrap().unwrap().ratio - 1.01f64.powi(-10)).abs() < 1e-9);
}

#[test]
fn outliers_and_ties_are_no_drift() {
    for values in [vec![1.0; 12], vec![1.0, 1.01, 1.0, 1.02, 1.0, 9.0], vec![9.0, 1.0, 1.01, 1.0, 1.02, 1.0]]
    {
        let found = drift(&values, 0.95).unwrap().unwrap();
        assert!(!found.is_there(), "{values:?}: {found:?}");
    }
}

#[test]
fn what_cannot_be_told_is_not() {
    assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0], 0.95), Ok(None));
    assert_eq!(drift(&[], 0.95), Ok(None));
    assert!(drift(&[1.0, 0.0, 3.0, 4.0, 5.0], 0.95).is_err());
    assert!(drift(&[1.0; 5], 1.0).is_err());
    let many: Vec<f64> = (0..5000).map(|k| 1.0 + f64::from(k) / 5000.0).collect();
    assert!(drift(&many, 0.95).unwrap().unwrap().is_there());
}
