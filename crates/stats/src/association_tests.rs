use rand::RngExt;

use super::*;

fn of(pairs: &[(f64, f64)]) -> RankCorrelation {
    rank_correlation(pairs, 1).unwrap().unwrap()
}

fn pairs(first: &[f64], second: &[f64]) -> Vec<(f64, f64)> {
    first.iter().copied().zip(second.iter().copied()).collect()
}

#[test]
fn few_pairs_are_held_against_all_their_orders() {
    let up = of(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 10.0, 11.0, 12.0, 99.0]));
    assert!((up.rho - 1.0).abs() < 1e-12 && (up.p - 1.0 / 120.0).abs() < 1e-12, "{up:?}");
    let down = of(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5.0, 4.0, 3.0, 2.0, 1.0]));
    assert!((down.rho + 1.0).abs() < 1e-12 && (down.p - 1.0).abs() < 1e-12, "{down:?}");
    // By hand: ranks 0 to 4 and 1 0 2 3 4 differ by 1 in two places, so 1 - 6 * 2 / 120; only the order itself is above, and four
    // exchanges of neighbours reach it.
    let near = of(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 1.0, 3.0, 4.0, 5.0]));
    assert!((near.rho - 0.9).abs() < 1e-12 && (near.p - 5.0 / 120.0).abs() < 1e-12, "{near:?}");
}

#[test]
fn ties_share_their_ranks() {
    // Two levels: three of six are low in both. One in 20 ways to choose three of six does so.
    let two_levels = of(&pairs(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[3.0, 3.0, 3.0, 7.0, 7.0, 7.0]));
    assert!((two_levels.rho - 1.0).abs() < 1e-12 && (two_levels.p - 0.05).abs() < 1e-12, "{two_levels:?}");
}

#[test]
fn what_does_not_vary_goes_together_with_nothing() {
    let same = pairs(&[1.0; 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(rank_correlation(&same, 1), Ok(None));
    assert_eq!(rank_correlation(&same[..4], 1), Ok(None), "too few");
    assert_eq!(rank_correlation(&[], 1), Ok(None));
    assert!(rank_correlation(&[(1.0, f64::NAN); 6], 1).is_err());
}

#[test]
fn many_pairs_are_held_against_orders_drawn_at_random() {
    let along: Vec<(f64, f64)> = (0..3000).map(|k| (f64::from(k), f64::from(k / 10))).collect();
    let found = of(&along);
    assert!(found.rho > 0.99 && found.p <= 1e-3, "{found:?}");
    assert_eq!(of(&along), found, "the same seed, the same answer");
}

#[test]
fn values_in_any_order_are_said_to_go_together_as_often_as_the_level_says() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for n in [5, 7, 8, 20] {
        let often = (0..400).filter(|_| {
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| (random.random(), random.random())).collect();
            of(&pairs).p <= 0.05
        });
        let often = often.count();
        // 20 of 400 are expected; 37 and more come once in 2000.
        assert!(often <= 37, "{often} of 400 with {n} pairs");
    }
}
