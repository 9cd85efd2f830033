use super::*;
use crate::design::Better;
use crate::family::analyse;

/// Blocks of two points whose log differences alternate `effect + sd` and `effect - sd`.
fn alternating(effect: f64, sd: f64, blocks: usize) -> Vec<Vec<Option<f64>>> {
    (0..blocks)
        .map(|b| vec![Some((effect + if b % 2 == 0 { sd } else { -sd }).exp()), Some(1.0 + 1e-9 * b as f64)])
        .collect()
}

fn needed(effect: f64, sd: f64, blocks: usize) -> Option<usize> {
    let design = FamilyDesign { resolution: Some(0.0), ..FamilyDesign::against_baseline(2) };
    let family = analyse(&design, &alternating(effect, sd, blocks), Better::Lower).unwrap();
    blocks_needed(&design, &family)
}

#[test]
fn a_settled_family_needs_no_more_than_it_has() {
    assert_eq!(needed(0.7, 0.001, 6), Some(6));
}

#[test]
fn running_the_estimated_number_settles_it() {
    for (effect, sd) in [(0.0, 0.02), (0.1, 0.06), (-0.3, 0.2), (0.02, 0.03)] {
        let n = needed(effect, sd, 6).unwrap();
        assert!(n > 6, "effect {effect}, sd {sd}: {n}");
        // The sd of an alternating list shrinks a little with its length, so that the estimate must suffice.
        assert_eq!(needed(effect, sd, n + n % 2), Some(n + n % 2), "effect {effect}, sd {sd}");
    }
}

#[test]
fn twice_the_noise_needs_about_four_times_the_blocks() {
    let (one, two) = (needed(0.0, 0.05, 10).unwrap(), needed(0.0, 0.1, 10).unwrap());
    let growth = two as f64 / one as f64;
    assert!((3.5..4.2).contains(&growth), "{one}, {two}");
}

#[test]
fn hopeless_noise_and_missing_intervals_give_no_number() {
    assert_eq!(needed(0.0, 2.0, 6), None);
    assert_eq!(needed(0.0, 0.01, 1), None);
}

#[test]
fn more_blocks_than_the_horizon_are_no_fault() {
    assert_eq!(needed(0.0, 9.0, 1500), None);
}

#[test]
fn noise_is_compared_with_the_margin() {
    let design = FamilyDesign { resolution: Some(0.0), ..FamilyDesign::against_baseline(2) };
    let of = |sd| noise(&design, &analyse(&design, &alternating(0.2, sd, 6), Better::Lower).unwrap());
    assert!(of(0.2).unwrap().too_noisy);
    let calm = of(0.001).unwrap();
    assert!(!calm.too_noisy && calm.half_width < 0.002, "{calm:?}");
    assert!((calm.spread - 0.001 * (6.0f64 / 5.0).sqrt()).abs() < 1e-6);
}

#[test]
fn no_interval_no_noise_figure() {
    let design = FamilyDesign::against_baseline(2);
    let family = analyse(&design, &alternating(0.0, 0.1, 1), Better::Lower).unwrap();
    assert_eq!(noise(&design, &family), None);
}
