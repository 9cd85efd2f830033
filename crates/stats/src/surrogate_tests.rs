use super::*;

fn at(number: f64, category: usize) -> Vec<Coordinate> {
    vec![Coordinate::Number(number), Coordinate::Category(category)]
}

fn observed(values: &[(f64, usize, f64)]) -> Vec<Observed> {
    values
        .iter()
        .map(|&(number, category, value)| Observed { at: at(number, category), values: vec![value] })
        .collect()
}

#[test]
fn cholesky_solves() {
    // By hand: the triangle ((2, 0), (1, 2)) times its transpose is the matrix; ((2, 0), (1, 2)) times (4, 4) is (8, 12).
    let factor = Cholesky::of(vec![vec![4.0], vec![2.0, 5.0]]).unwrap();
    let solution = factor.solve_lower(&[8.0, 12.0]);
    assert!((solution[0] - 4.0).abs() < 1e-12 && (solution[1] - 4.0).abs() < 1e-12, "{solution:?}");
    // Half the logarithm of the determinant, 16.
    assert!((factor.log_determinant_half() - 0.5 * 16.0_f64.ln()).abs() < 1e-12);
    assert!(Cholesky::of(vec![vec![1.0], vec![2.0, 1.0]]).is_none(), "it is not positive definite");
}

/// What is known of one more point, after these measurements.
fn guess(of: &[Observed], at: &[Coordinate]) -> Guess {
    let fit = Surrogate::fit(of, false, None).unwrap();
    let mut points: Vec<&[Coordinate]> = of.iter().map(|one| one.at.as_slice()).collect();
    let mut values: Vec<&[f64]> = of.iter().map(|one| one.values.as_slice()).collect();
    points.push(at);
    values.push(&[]);
    fit.posterior(&points, &values, None).guess(of.len())
}

/// One measurement after the other tells the same as all at once.
#[test]
fn a_posterior_takes_one_measurement_after_the_other() {
    let measured = observed(&[(0.0, 0, 1.0), (1.0, 0, 2.0), (3.0, 1, 1.5)]);
    let fit = Surrogate::fit(&measured, false, None).unwrap();
    let points: Vec<&[Coordinate]> = measured.iter().map(|one| one.at.as_slice()).collect();
    let at_once = fit.posterior(&points, &[&[1.0, 1.2], &[], &[1.5]], None);
    let mut by_turns = fit.posterior(&points, &[&[], &[], &[1.5]], None);
    by_turns.took(0, 1.0);
    by_turns.took(0, 1.2);
    for point in 0..3 {
        let (one, other) = (at_once.guess(point), by_turns.guess(point));
        assert!(
            (one.mean - other.mean).abs() < 1e-6 && (one.sd - other.sd).abs() < 1e-6,
            "{one:?} {other:?}"
        );
    }
    let below = at_once.below(0, 2, 0.0);
    assert!((below + at_once.below(2, 0, 0.0)).abs() < 1e-9);
    assert!(below > 0.0, "1.1 is below 1.5: {below}");
}

#[test]
fn what_was_measured_is_known_and_what_is_far_from_it_is_not() {
    let values: Vec<(f64, usize, f64)> =
        (0..6).map(|k| (f64::from(k), 0, 3.0 - 0.5 * f64::from(k))).collect();
    let measured = observed(&values);
    for (number, category, value) in values {
        let guess = guess(&measured, &at(number, category));
        assert!((guess.mean - value).abs() < 0.05, "{number}: {guess:?}");
    }
    let between = guess(&measured, &at(2.5, 0));
    assert!((between.mean - 1.75).abs() < 0.1, "{between:?}");
    assert!(between.sd > guess(&measured, &at(2.0, 0)).sd);
    assert!(guess(&measured, &at(2.5, 1)).sd > between.sd, "a category that was never measured");
}

#[test]
fn factors_add_up_where_they_do_not_interact() {
    // value = number + 10 x category; (3, 1) was not measured.
    let mut values = Vec::new();
    for category in 0..3 {
        for number in 0..4 {
            if (number, category) != (3, 1) {
                values.push((f64::from(number), category, f64::from(number) + 10.0 * category as f64));
            }
        }
    }
    let guess = guess(&observed(&values), &at(3.0, 1));
    assert!((guess.mean - 13.0).abs() < 1.0, "{guess:?}");
}

#[test]
fn repeats_make_it_surer() {
    let mut few = observed(&[(0.0, 0, 1.0), (1.0, 0, 2.0), (2.0, 0, 1.5)]);
    few[1].values = vec![2.0, 2.2];
    let mut many = few.clone();
    many[1].values = [2.0, 2.2].repeat(5);
    let sd = |of: &[Observed]| guess(of, &at(1.0, 0)).sd;
    assert!(sd(&many) < sd(&few), "{} {}", sd(&many), sd(&few));
}

#[test]
fn broken_input_is_an_error() {
    let one = Surrogate::fit(&observed(&[(0.0, 0, 1.0)]), false, None);
    assert!(matches!(one, Err(StatsError::TooFew { .. })));
    assert!(matches!(
        Surrogate::fit(&observed(&[(0.0, 0, 1.0), (1.0, 0, f64::NAN)]), false, None),
        Err(StatsError::NotFinite { .. })
    ));
    let mut ragged = observed(&[(0.0, 0, 1.0), (1.0, 0, 2.0)]);
    ragged[1].at.pop();
    assert!(matches!(Surrogate::fit(&ragged, false, None), Err(StatsError::Ragged { .. })));
    // All alike: nothing varies, and that is what is guessed.
    let alike = guess(&observed(&[(0.0, 0, 2.0), (1.0, 0, 2.0), (2.0, 0, 2.0)]), &at(0.5, 0));
    assert!((alike.mean - 2.0).abs() < 1e-9);
    let mut empty = observed(&[(0.0, 0, 1.0), (1.0, 0, 2.0)]);
    empty[0].values.clear();
    assert!(matches!(Surrogate::fit(&empty, false, None), Err(StatsError::TooFew { .. })));
}

#[test]
fn a_bend_is_found_where_it_is() {
    // Times fall as 1/n until 12 threads and stay as they are from there on.
    let time = |n: usize| (1.0 / n.min(12) as f64).ln();
    let one = |n: usize| Observed {
        at: vec![Coordinate::Number((n as f64).log2())],
        values: vec![time(n) + [0.01, -0.01, 0.0, 0.01, -0.01][n % 5]],
    };
    let measured: Vec<Observed> = (1..=44).map(one).collect();
    let fit = Surrogate::fit(&measured, true, None).unwrap();
    assert_eq!(fit.covariance.bend.map(|bend| bend.at.exp2().round()), Some(12.0));
    let points: Vec<&[Coordinate]> = measured.iter().map(|one| one.at.as_slice()).collect();
    let values: Vec<&[f64]> = measured.iter().map(|one| one.values.as_slice()).collect();
    let posterior = fit.posterior(&points, &values, None);
    for n in [9, 12, 15, 30] {
        let guess = posterior.guess(n - 1);
        assert!((guess.mean - time(n)).abs() < 0.01 && guess.sd < 0.01, "{n}: {guess:?}, {}", time(n));
    }
    // Where levels are left to be guessed at, a bend is none of what is known.
    let fit = Surrogate::fit(&measured[..40], false, None).unwrap();
    assert_eq!(fit.covariance.bend, None);
}
