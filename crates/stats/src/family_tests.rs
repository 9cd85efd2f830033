use super::*;

fn blocks<R: AsRef<[f64]>>(rows: &[R]) -> Vec<Vec<Option<f64>>> {
    rows.iter().map(|row| row.as_ref().iter().copied().map(Some).collect()).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * b.abs().max(1e-6)
}

/// Differences ln 2 + (-2, -1, 0, 1, 2) / 100: mean ln 2, sd sqrt(10/4)/100, worked by hand.
fn worked() -> Vec<Vec<Option<f64>>> {
    (-2..=2).map(|i| vec![Some(2.0 * (f64::from(i) / 100.0).exp()), Some(1.0)]).collect()
}

#[test]
fn the_interval_is_the_one_worked_by_hand() {
    let family = analyse(&FamilyDesign::against_baseline(2), &worked(), Better::Lower).unwrap();
    let e = family.contrasts[0].estimate.unwrap();
    let sd = 2.5f64.sqrt() / 100.0;
    // t for 4 % two-sided, 4 degrees of freedom, from tables: 2.9985.
    let half = 2.998_5 * sd / 5f64.sqrt();
    assert!(close(e.ratio, 2.0) && close(e.noise, sd), "{e:?}");
    assert!((e.low - 2.0 * (-half).exp()).abs() < 1e-4, "{e:?}");
    assert!((e.high - 2.0 * half.exp()).abs() < 1e-4, "{e:?}");
    assert_eq!(family.contrasts[0].standing, ContrastStanding::Better);
    assert_eq!(family.decision, FamilyDecision::Affected);
}

#[test]
fn direction_turns_with_the_metric_and_with_the_pair() {
    let design = FamilyDesign::against_baseline(2);
    let lower = analyse(&design, &worked(), Better::Lower).unwrap().contrasts[0].clone();
    let higher = analyse(&design, &worked(), Better::Higher).unwrap().contrasts[0].clone();
    let turned = FamilyDesign { contrasts: vec![PlannedContrast::both_ways(1, 0)], ..design };
    let turned = analyse(&turned, &worked(), Better::Lower).unwrap().contrasts[0].clone();
    assert_eq!(higher.standing, ContrastStanding::Worse);
    let (l, h, t) = (lower.estimate.unwrap(), higher.estimate.unwrap(), turned.estimate.unwrap());
    assert!(close(l.ratio * h.ratio, 1.0) && close(l.low * h.high, 1.0));
    assert_eq!((h.ratio, h.low, h.high), (t.ratio, t.low, t.high));
}

#[test]
fn a_common_factor_of_each_block_cancels() {
    let drifting: Vec<_> = worked()
        .into_iter()
        .enumerate()
        .map(|(b, row)| row.into_iter().map(|v| v.map(|v| v * 1.7f64.powi(b as i32))).collect())
        .collect::<Vec<Vec<_>>>();
    let design = FamilyDesign::against_baseline(2);
    let (a, b) = (
        analyse(&design, &worked(), Better::Lower).unwrap(),
        analyse(&design, &drifting, Better::Lower).unwrap(),
    );
    let (a, b) = (a.contrasts[0].estimate.unwrap(), b.contrasts[0].estimate.unwrap());
    assert!(close(a.low, b.low) && close(a.high, b.high));
}

#[test]
fn a_small_sure_effect_inside_the_margin_is_equivalent() {
    let rows: Vec<Vec<Option<f64>>> =
        (-2..=2).map(|i| vec![Some(1.01 + 1e-4 * f64::from(i)), Some(1.0)]).collect();
    let family = analyse(&FamilyDesign::against_baseline(2), &rows, Better::Lower).unwrap();
    assert!(family.contrasts[0].estimate.unwrap().low > 1.0);
    assert_eq!(family.contrasts[0].standing, ContrastStanding::Equivalent);
    assert_eq!(family.decision, FamilyDecision::NotAffected);
    let strict = FamilyDesign { margin: 0.005, ..FamilyDesign::against_baseline(2) };
    assert_eq!(analyse(&strict, &rows, Better::Lower).unwrap().decision, FamilyDecision::Affected);
}

#[test]
fn more_contrasts_make_each_interval_wider() {
    let rows: Vec<Vec<Option<f64>>> = [
        [1.00, 1.02, 0.97, 1.01],
        [1.03, 0.99, 1.00, 0.98],
        [0.98, 1.01, 1.02, 1.03],
        [1.01, 0.97, 1.01, 0.99],
        [0.99, 1.00, 0.98, 1.02],
    ]
    .iter()
    .map(|r| r.iter().copied().map(Some).collect())
    .collect();
    let one = FamilyDesign {
        contrasts: vec![PlannedContrast::both_ways(0, 1)],
        ..FamilyDesign::against_baseline(4)
    };
    let width = |design: &FamilyDesign| {
        let e = analyse(design, &rows, Better::Lower).unwrap().contrasts[0].estimate.unwrap();
        (e.high / e.low).ln()
    };
    assert!(width(&FamilyDesign::against_baseline(4)) > 1.2 * width(&one));
}

#[test]
fn pairs_need_not_contain_the_baseline() {
    let rows = blocks(&[[1.0, 2.0, 4.0], [1.1, 2.1, 4.3], [0.9, 2.0, 4.1]]);
    let design = FamilyDesign {
        contrasts: [(2, 1), (0, 1)].map(|(a, b)| PlannedContrast::both_ways(a, b)).into(),
        ..FamilyDesign::against_baseline(3)
    };
    let family = analyse(&design, &rows, Better::Lower).unwrap();
    assert_eq!(family.contrasts[0].pair, (2, 1));
    assert!(family.contrasts[0].estimate.unwrap().ratio > 2.0);
    assert_eq!(family.best().unwrap().pair, (2, 1));
}

#[test]
fn missing_trials_drop_the_block_only_where_they_are_needed() {
    let mut rows = blocks(&[[2.0, 1.0, 1.0], [2.1, 1.0, 1.1], [2.2, 1.1, 1.0], [2.0, 1.0, 1.1]]);
    rows[1][1] = None;
    rows[3][2] = None;
    let family = analyse(&FamilyDesign::against_baseline(3), &rows, Better::Lower).unwrap();
    assert_eq!(family.contrasts.iter().map(|c| c.blocks).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn fewer_than_two_blocks_give_a_reason_and_no_interval() {
    let design = FamilyDesign::against_baseline(2);
    for (rows, found) in [(vec![], 0), (blocks(&[[2.0, 1.0]]), 1)] {
        let family = analyse(&design, &rows, Better::Lower).unwrap();
        assert_eq!(family.contrasts[0].estimate, Err(NoInterval::TooFewBlocks { found }));
        assert_eq!(family.decision, FamilyDecision::Undecided);
        assert!(family.best().is_none());
        assert!(!family.contrasts[0].settled);
    }
}

#[test]
fn a_point_that_never_ran_leaves_the_others_their_intervals() {
    let rows: Vec<Vec<Option<f64>>> = worked().into_iter().map(|r| vec![r[0], r[1], None]).collect();
    let family = analyse(&FamilyDesign::against_baseline(3), &rows, Better::Lower).unwrap();
    assert_eq!(family.decision, FamilyDecision::Affected);
    assert_eq!(family.contrasts[1].estimate, Err(NoInterval::TooFewBlocks { found: 0 }));
    assert_eq!(family.best().unwrap().pair, (0, 1));
}

#[test]
fn values_that_never_change_give_no_interval_unless_the_step_is_known() {
    let rows = blocks(&[[3.0, 3.0]; 6]);
    let design = FamilyDesign::against_baseline(2);
    let family = analyse(&design, &rows, Better::Lower).unwrap();
    assert_eq!(family.contrasts[0].estimate, Err(NoInterval::NoVariation));
    assert_eq!(family.decision, FamilyDecision::Undecided);
    let given = FamilyDesign { resolution: Some(0.01), ..design };
    let family = analyse(&given, &rows, Better::Lower).unwrap();
    let e = family.contrasts[0].estimate.unwrap();
    assert!(e.ratio == 1.0 && close(e.high.ln(), 0.01 / 3.0), "{e:?}");
    assert_eq!(family.decision, FamilyDecision::NotAffected);
}

#[test]
fn a_coarse_metric_is_no_more_exact_than_its_step() {
    // Ten and eleven ticks, always: the truth may be 10.49 and 10.51.
    let rows = blocks(&[[11.0, 10.0]; 8]);
    let family = analyse(&FamilyDesign::against_baseline(2), &rows, Better::Lower).unwrap();
    let e = family.contrasts[0].estimate.unwrap();
    assert!(e.low < 1.0 + 1e-2 && e.high > 1.19, "{e:?}");
    let given = FamilyDesign { resolution: Some(1e-9), ..FamilyDesign::against_baseline(2) };
    let e = analyse(&given, &rows, Better::Lower).unwrap().contrasts[0].estimate.unwrap();
    assert!(e.low > 1.099, "{e:?}");
}

#[test]
fn rounding_noise_of_doubles_is_not_taken_for_a_step() {
    let a = 0.1 + 0.2;
    let rows = blocks(&[[a, 0.3], [0.3, 0.3], [a, a], [0.3, a], [0.3, 0.3]]);
    let family = analyse(&FamilyDesign::against_baseline(2), &rows, Better::Lower).unwrap();
    assert_eq!(family.contrasts[0].estimate, Err(NoInterval::NoVariation));
}

#[test]
fn bad_values_are_named() {
    let design = FamilyDesign::against_baseline(2);
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let rows = blocks(&[[1.0, 1.0], [1.0, bad]]);
        match analyse(&design, &rows, Better::Lower) {
            Err(StatsError::NotPositive { block: 1, point: 1, .. }) => {}
            other => panic!("{bad}: {other:?}"),
        }
    }
}

#[test]
fn bad_designs_are_named() {
    let rows = blocks(&[[1.0, 1.0], [1.0, 1.1]]);
    let good = FamilyDesign::against_baseline(2);
    let refused = |design: FamilyDesign| analyse(&design, &rows, Better::Lower).unwrap_err();
    assert_eq!(refused(FamilyDesign { contrasts: vec![], ..good.clone() }), StatsError::NoContrasts);
    for pair in [(0, 0), (0, 2), (7, 1)] {
        let error = refused(FamilyDesign {
            contrasts: [(0, 1), pair].map(|(a, b)| PlannedContrast::both_ways(a, b)).into(),
            ..good.clone()
        });
        assert_eq!(error, StatsError::BadPair { pair, points: 2 });
    }
    for margin in [0.0, -0.1, 1.0, f64::NAN] {
        let error = refused(FamilyDesign { margin, ..good.clone() });
        assert!(matches!(error, StatsError::BadParameter { name: "margin", .. }), "{error}");
    }
    for confidence in [0.0, 0.49, 1.0, 95.0, f64::NAN] {
        let error = refused(FamilyDesign { confidence, ..good.clone() });
        assert!(matches!(error, StatsError::BadParameter { name: "confidence", .. }), "{error}");
    }
    for step in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(FamilyDesign { resolution: Some(step), ..good.clone() });
        assert!(matches!(error, StatsError::BadParameter { name: "resolution", .. }), "{error}");
    }
}

#[test]
fn ragged_blocks_are_refused() {
    let rows = vec![vec![Some(1.0), Some(1.0)], vec![Some(1.0)]];
    let error = analyse(&FamilyDesign::against_baseline(2), &rows, Better::Lower).unwrap_err();
    assert_eq!(error, StatsError::Ragged { block: 1, found: 1, expected: 2 });
}

#[test]
fn a_settled_contrast_is_never_open() {
    // The promise behind `StoppingAdvice::Stop`: whatever the ratio, a narrow enough interval decides.
    let margin = 0.03f64.ln_1p();
    for blocks in [2, 5, 60] {
        for step in -400..=400 {
            let effect = f64::from(step) * 1e-3;
            for half in [1e-4, 5e-3, 0.01, 0.0147, 0.0148, 0.02, 0.05, 0.1] {
                if narrow_enough(half, effect, blocks, margin) {
                    let inside = effect.abs() + half < margin;
                    assert!(inside || effect.abs() > half, "effect {effect}, half {half}, {blocks} blocks");
                }
            }
        }
    }
}

/// Differences ln `effect` + (-2, -1, 0, 1, 2) `noise`.
fn around(effect: f64, noise: f64) -> Vec<Vec<Option<f64>>> {
    (-2..=2).map(|i| vec![Some(effect * (f64::from(i) * noise).exp()), Some(1.0)]).collect()
}

#[test]
fn what_counts_of_a_contrast_is_what_the_design_says() {
    let judged = |judgement, effect: f64| {
        let contrasts = vec![PlannedContrast { reference: 0, other: 1, judgement }];
        let design = FamilyDesign { contrasts, ..FamilyDesign::against_baseline(2) };
        let family = analyse(&design, &around(effect, 0.002), Better::Lower).unwrap();
        (family.decision, family.contrasts[0].finished())
    };
    use FamilyDecision::{Affected, NotAffected, Undecided};
    for (judgement, loss, none, gain) in [
        (Judgement::BothWays, Affected, NotAffected, Affected),
        (Judgement::GainOnly, NotAffected, NotAffected, Affected),
        (Judgement::Unjudged, NotAffected, NotAffected, NotAffected),
    ] {
        assert_eq!(judged(judgement, 0.5), (loss, true), "{judgement:?}");
        assert_eq!(judged(judgement, 1.0), (none, true), "{judgement:?}");
        assert_eq!(judged(judgement, 2.0), (gain, true), "{judgement:?}");
    }
    let noisy = |judgement, effect: f64| {
        let contrasts = vec![PlannedContrast { reference: 0, other: 1, judgement }];
        let design = FamilyDesign { contrasts, ..FamilyDesign::against_baseline(2) };
        let family = analyse(&design, &around(effect, 0.05), Better::Lower).unwrap();
        (family.decision, family.contrasts[0].finished())
    };
    assert_eq!(noisy(Judgement::BothWays, 0.9), (Undecided, false));
    assert_eq!(noisy(Judgement::GainOnly, 0.9), (NotAffected, true), "a gain is ruled out");
    assert_eq!(noisy(Judgement::GainOnly, 1.1), (Undecided, false));
    assert_eq!(noisy(Judgement::Unjudged, 1.1), (NotAffected, true));
}
