use super::*;

/// Printed tables of Student's t, two-sided.
#[test]
fn critical_values_agree_with_printed_tables() {
    for (alpha, df, expected) in [
        (0.05, 1, 12.706),
        (0.05, 4, 2.776),
        (0.05, 10, 2.228),
        (0.05, 120, 1.980),
        (0.01, 4, 4.604),
        (0.001, 4, 8.610),
        (0.001, 60, 3.460),
        (0.5, 1, 1.0),
    ] {
        let t = two_sided_t(alpha, df);
        assert!((t - expected).abs() < 6e-4, "alpha {alpha}, df {df}: {t}, expected {expected}");
    }
}

#[test]
fn critical_values_far_out_match_the_closed_forms_of_one_and_two_degrees() {
    for alpha in [1e-2, 1e-3, 1e-4, 1e-6] {
        // P(|T| > t) is 1 - 2/pi atan(t) for one degree, 1 - t/sqrt(2 + t^2) for two.
        let one = 1.0 / (std::f64::consts::FRAC_PI_2 * alpha).tan();
        let two = (2.0 * (1.0 - alpha).powi(2) / (alpha * (2.0 - alpha))).sqrt();
        assert!((two_sided_t(alpha, 1) / one - 1.0).abs() < 1e-6, "{alpha}");
        assert!((two_sided_t(alpha, 2) / two - 1.0).abs() < 1e-6, "{alpha}");
    }
}

#[test]
fn a_level_that_nobody_can_meet_is_never_met() {
    for (alpha, df) in [(0.0, 5), (-1.0, 5), (f64::NAN, 5), (0.05, 0)] {
        assert_eq!(two_sided_t(alpha, df), f64::INFINITY);
    }
    assert_eq!(two_sided_t(1.0, 5), 0.0);
}

#[test]
fn critical_values_grow_with_certainty_and_shrink_with_data() {
    for df in 1..200 {
        assert!(two_sided_t(0.01, df) > two_sided_t(0.05, df));
        assert!(two_sided_t(0.01, df) > two_sided_t(0.01, df + 1));
    }
}

#[test]
fn sidak_gives_back_the_family_level() {
    for count in [1.0, 2.5, 7.0] {
        let each = per_contrast(0.05, count);
        assert!((1.0 - (1.0 - each).powf(count) - 0.05).abs() < 1e-12);
    }
}

fn column(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

#[test]
fn one_contrast_counts_as_one_and_copies_count_as_one() {
    let a = column(&[0.1, 0.3, -0.2, 0.05, 0.0]);
    assert_eq!(effective_contrasts(&[]), 1.0);
    assert_eq!(effective_contrasts(&[&a]), 1.0);
    assert!((effective_contrasts(&[&a, &a, &a]) - 1.0).abs() < 1e-6);
    let mirrored = column(&[-0.1, -0.3, 0.2, -0.05, 0.0]);
    assert!((effective_contrasts(&[&a, &mirrored]) - 1.0).abs() < 1e-6);
}

#[test]
fn orthogonal_contrasts_count_in_full() {
    let a = column(&[1.0, -1.0, 1.0, -1.0]);
    let b = column(&[1.0, 1.0, -1.0, -1.0]);
    let c = column(&[1.0, -1.0, -1.0, 1.0]);
    assert_eq!(effective_contrasts(&[&a, &b, &c]), 3.0);
}

#[test]
fn contrasts_that_cannot_be_correlated_count_in_full() {
    let a = vec![Some(1.0), Some(2.0), None, None];
    let b = vec![None, Some(1.0), Some(2.0), Some(3.0)];
    assert_eq!(effective_contrasts(&[&a, &b]), 2.0);
    let flat = column(&[0.5; 4]);
    assert_eq!(effective_contrasts(&[&b, &flat]), 2.0);
}

/// Columns of numbers that look random.
fn scattered(columns: usize, blocks: usize) -> Vec<Vec<Option<f64>>> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((state >> 40) as f64)
    };
    (0..columns).map(|_| (0..blocks).map(|_| next()).collect()).collect()
}

fn effective(columns: &[Vec<Option<f64>>]) -> f64 {
    effective_contrasts(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[test]
fn whole_columns_count_as_those_that_lack_a_block() {
    let whole = scattered(12, 9);
    let mut lacking = whole.clone();
    lacking.iter_mut().for_each(|column| column.push(None));
    assert!((effective(&whole) - effective(&lacking)).abs() < 1e-9);
}

#[test]
fn of_very_many_pairs_some_are_enough() {
    let columns = scattered(1500, 6);
    let share = |columns: &[Vec<Option<f64>>]| (effective(columns) - 1.0) / (columns.len() - 1) as f64;
    assert!((share(&columns) / share(&columns[..400]) - 1.0).abs() < 0.01);
}
