use super::*;

/// Exact times of a law, each repeated with a scatter of plus and minus `scatter`.
fn times(workers: &[usize], scatter: f64, time: impl Fn(f64) -> f64) -> Vec<ScalingTimes> {
    let one = |&workers: &usize| {
        let exact = time(workers as f64);
        let times = [-1.0, 1.0, -0.5, 0.5].iter().map(|k| exact * (1.0 + k * scatter)).collect();
        ScalingTimes { workers, times }
    };
    workers.iter().map(one).collect()
}

const WORKERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

#[track_caller]
fn is_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{found}, expected {expected}");
}

#[test]
fn the_coefficients_of_exact_times_come_back() {
    let amdahl = times(&WORKERS, 0.01, |n| 10.0 * (0.05 + 0.95 / n));
    let fit = fit_scaling(ScalingLaw::Amdahl, &amdahl).unwrap();
    is_close(fit.one_worker, 10.0);
    is_close(fit.contention, 0.05);
    is_close(fit.limit().unwrap(), 20.0);
    assert_eq!(fit.peak(), None);
    assert!(fit.fits() && fit.worst < 1.000_001);
    is_close(fit.time(128), 10.0 * (0.05 + 0.95 / 128.0));

    let universal = times(&WORKERS, 0.01, |n| 10.0 * (1.0 + 0.02 * (n - 1.0) + 0.001 * n * (n - 1.0)) / n);
    let fit = fit_scaling(ScalingLaw::Universal, &universal).unwrap();
    is_close(fit.contention, 0.02);
    is_close(fit.coherency, 0.001);
    // By hand: sqrt(0.98 / 0.001).
    is_close(fit.peak().unwrap(), 31.304_951_684_997_06);
    assert!(fit.fits());
    let limit = fit.limit().unwrap();
    assert!((0..200).all(|n| 10.0 / fit.time(n + 1) <= limit + 1e-9), "{limit}");
}

#[test]
fn perfect_scaling_has_no_limit() {
    let perfect = times(&WORKERS, 0.01, |n| 8.0 / n);
    for law in [ScalingLaw::Amdahl, ScalingLaw::Universal] {
        let fit = fit_scaling(law, &perfect).unwrap();
        assert!(fit.contention < 1e-12 && fit.coherency < 1e-12, "{fit:?}");
        assert!(fit.limit().is_none_or(|limit| limit > 1e9), "{fit:?}");
    }
}

#[test]
fn better_than_perfect_is_no_negative_share() {
    let super_linear = times(&WORKERS, 0.001, |n| 8.0 / n.powf(1.2));
    let fit = fit_scaling(ScalingLaw::Amdahl, &super_linear).unwrap();
    assert!(fit.contention >= 0.0 && !fit.fits(), "{fit:?}");
}

#[test]
fn a_law_that_does_not_describe_the_times_says_so() {
    // A node is full at 8 workers: nothing is gained beyond.
    let knee = times(&WORKERS, 0.005, |n| 10.0 / n.min(8.0));
    let fit = fit_scaling(ScalingLaw::Amdahl, &knee).unwrap();
    assert!(!fit.fits() && fit.worst > 1.05 && fit.plausibility.unwrap() < 0.01, "{fit:?}");
    // The same with a scatter that hides it.
    let noisy = times(&WORKERS, 0.9, |n| 10.0 / n.min(8.0));
    assert!(fit_scaling(ScalingLaw::Amdahl, &noisy).unwrap().fits());
    // Without repeats nothing tells scatter from a wrong law: close is what counts then.
    let mut alone = times(&WORKERS, 0.0, |n| 10.0 / n.min(8.0));
    alone.iter_mut().for_each(|point| point.times.truncate(1));
    let fit = fit_scaling(ScalingLaw::Amdahl, &alone).unwrap();
    assert!(fit.plausibility.is_none() && !fit.fits());
    // Amdahl's law knows no time that grows again.
    let grows = times(&WORKERS, 0.005, |n| 10.0 * (1.0 + 0.01 * n * (n - 1.0)) / n);
    assert!(!fit_scaling(ScalingLaw::Amdahl, &grows).unwrap().fits());
    assert!(fit_scaling(ScalingLaw::Universal, &grows).unwrap().fits());
}

#[test]
fn too_few_or_broken_times_are_errors() {
    let few = times(&[1, 2], 0.01, |n| 1.0 / n);
    assert!(matches!(
        fit_scaling(ScalingLaw::Amdahl, &few),
        Err(StatsError::TooFew { needed: 3, found: 2, .. })
    ));
    assert_eq!(ScalingLaw::Universal.least_points(), 4);
    let broken = |change: &dyn Fn(&mut Vec<ScalingTimes>)| {
        let mut points = times(&WORKERS, 0.01, |n| 1.0 / n);
        change(&mut points);
        fit_scaling(ScalingLaw::Amdahl, &points).unwrap_err()
    };
    assert!(matches!(broken(&|all| all[1].workers = 0), StatsError::BadParameter { name: "workers", .. }));
    assert!(matches!(broken(&|all| all[1].workers = 1), StatsError::BadParameter { name: "workers", .. }));
    assert!(matches!(broken(&|all| all[1].times[0] = 0.0), StatsError::BadParameter { name: "a time", .. }));
    assert!(matches!(broken(&|all| all[1].times[0] = f64::NAN), StatsError::NotFinite { .. }));
    assert!(matches!(broken(&|all| all[1].times.clear()), StatsError::TooFew { .. }));
}
