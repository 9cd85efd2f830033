use super::*;

#[test]
fn speedup_follows_the_direction() {
    assert_eq!(speedup(10.0, 4.0, Better::Lower), Ok(2.5));
    assert_eq!(speedup(10.0, 4.0, Better::Higher), Ok(0.4));
}

#[test]
fn efficiency_divides_by_the_growth_of_workers() {
    assert_eq!(efficiency((8.0, 1), (1.0, 8), Better::Lower), Ok(1.0));
    assert_eq!(efficiency((8.0, 2), (4.0, 8), Better::Lower), Ok(0.5));
}

#[test]
fn nothing_is_made_up_from_bad_values() {
    for bad in [0.0, -2.0, f64::NAN, f64::INFINITY] {
        assert!(speedup(bad, 1.0, Better::Lower).is_err());
        assert!(speedup(1.0, bad, Better::Lower).is_err());
    }
    let error = efficiency((1.0, 0), (1.0, 4), Better::Lower).unwrap_err();
    assert!(matches!(error, StatsError::BadParameter { name: "workers", .. }));
}
