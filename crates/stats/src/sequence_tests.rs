use super::*;

#[test]
fn interim_analyses_are_a_fixed_list() {
    let mut list = vec![next_interim(0)];
    while list.len() < 12 {
        list.push(next_interim(list[list.len() - 1]));
    }
    assert_eq!(list, [5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41]);
}

#[test]
fn every_interim_analysis_and_nothing_else_is_one() {
    let list: Vec<usize> = (0..=41).filter(|&n| is_interim(n)).collect();
    assert_eq!(list, [5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41]);
}

/// Two points, the second twice as fast, with a little noise that differs from block to block.
fn clear_case(blocks: usize) -> Vec<Vec<Option<f64>>> {
    (0..blocks)
        .map(|b| vec![Some(2.0 + 0.001 * (b * b % 7) as f64), Some(1.0 + 0.0007 * (b % 3) as f64)])
        .collect()
}

#[test]
fn a_clear_case_stops_at_the_first_interim_analysis_and_not_before() {
    let design = FamilyDesign::against_baseline(2);
    for n in 0..5 {
        let advice = should_stop(&design, &clear_case(n), Better::Lower, &[]);
        assert_eq!(advice, Ok(StoppingAdvice::Continue { next_interim: 5 }), "{n} blocks");
    }
    assert_eq!(
        should_stop(&design, &clear_case(5), Better::Lower, &[]),
        Ok(StoppingAdvice::Stop(FamilyDecision::Affected))
    );
}

#[test]
fn between_interim_analyses_even_a_clear_case_goes_on() {
    let design = FamilyDesign::against_baseline(2);
    let advice = should_stop(&design, &clear_case(9), Better::Lower, &[]);
    assert_eq!(advice, Ok(StoppingAdvice::Continue { next_interim: 10 }));
}

#[test]
fn equal_points_stop_as_not_affected() {
    let blocks: Vec<_> = (0..5)
        .map(|b| vec![Some(1.0 + 0.001 * (b % 2) as f64), Some(1.0 + 0.001 * (b % 3) as f64)])
        .collect();
    let advice = should_stop(&FamilyDesign::against_baseline(2), &blocks, Better::Higher, &[]);
    assert_eq!(advice, Ok(StoppingAdvice::Stop(FamilyDecision::NotAffected)));
}

#[test]
fn noise_goes_on() {
    let blocks: Vec<_> = [(1.0, 1.3), (1.2, 0.8), (0.9, 1.1), (1.1, 1.0), (1.4, 1.2)]
        .map(|(a, b)| vec![Some(a), Some(b)])
        .into();
    let advice = should_stop(&FamilyDesign::against_baseline(2), &blocks, Better::Lower, &[]);
    assert_eq!(advice, Ok(StoppingAdvice::Continue { next_interim: 6 }));
}

#[test]
fn a_point_that_never_ran_keeps_the_experiment_open() {
    let blocks: Vec<_> = clear_case(8)
        .into_iter()
        .map(|mut b| {
            b.push(None);
            b
        })
        .collect();
    let design = FamilyDesign::against_baseline(3);
    let advice = should_stop(&design, &blocks, Better::Lower, &[]);
    assert_eq!(advice, Ok(StoppingAdvice::Continue { next_interim: 10 }));
    let given_up = should_stop(&design, &blocks, Better::Lower, &[2]);
    assert_eq!(given_up, Ok(StoppingAdvice::Stop(FamilyDecision::Affected)), "nothing more will come of it");
}

#[test]
fn broken_input_is_refused_between_interim_analyses_too() {
    let mut blocks = clear_case(3);
    blocks[1][0] = Some(-1.0);
    let error = should_stop(&FamilyDesign::against_baseline(2), &blocks, Better::Lower, &[]).unwrap_err();
    assert_eq!(error, StatsError::NotPositive { block: 1, point: 0, value: -1.0 });
}
