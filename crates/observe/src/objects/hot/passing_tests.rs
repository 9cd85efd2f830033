use super::*;

fn whole(all: impl Iterator<Item = u64>) -> LoopTrips {
    let mut sums = Whole::default();
    all.for_each(|all| sums.add(all));
    sums.trips()
}

/// Of loops with these numbers of passes, one after the other, a sample of each pass.
fn of_passes(numbers: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    numbers.iter().flat_map(|all| (0..*all).map(|left| (*all, left))).collect::<Vec<_>>().into_iter()
}

#[test]
fn long_loops_are_seen_more_often_and_count_less() {
    let found = whole(of_passes(&[10, 30, 50, 1000]).map(|(all, _)| all));
    assert!((found.mean - 272.5).abs() < 1e-6, "{found:?}");
    let squares = [10.0_f64, 30.0, 50.0, 1000.0].map(|all| (all - 272.5) * (all - 272.5));
    assert!((found.deviation - (squares.iter().sum::<f64>() / 4.0).sqrt()).abs() < 1e-6, "{found:?}");
    assert_eq!((found.least, found.most), (10, 1000));
    assert!(found.low < 272.5 && found.high > 272.5 && found.high <= 1000.0, "{found:?}");
    assert_eq!(whole([7; 100].into_iter()).deviation, 0.0);
}

fn left(numbers: impl Iterator<Item = u64>) -> Reading<LoopTrips> {
    let mut sums = Left::default();
    numbers.for_each(|left| sums.add(left));
    sums.trips()
}

#[test]
fn what_is_left_says_the_passes_of_a_loop_that_always_has_as_many() {
    let found = left((0..997).map(|k| k * 389 % 1000)).measured().copied().unwrap();
    assert!((found.mean - 1000.0).abs() < 10.0 && found.deviation == 0.0, "{found:?}");
    assert!(found.low <= 1000.0 && found.high >= 1000.0, "{found:?}");
    assert_eq!(left((0..200).map(|_| 0)).measured().unwrap().mean, 1.0);
}

#[test]
fn passes_that_differ_are_not_guessed_from_what_is_left() {
    let mixed = of_passes(&[100, 900, 20, 400]).map(|(_, left)| left);
    assert!(left(mixed).measured().is_none());
    assert!(left(0..50).measured().is_none(), "too few");
}

fn speeds(passed: impl Iterator<Item = i64>) -> Speeds {
    let mut speeds = Speeds::default();
    passed.for_each(|by| speeds.add(u64::try_from(by).ok(), 1_000_000));
    speeds
}

#[test]
fn speed_is_the_median_of_pairs_of_samples() {
    // It begins anew at each tenth sample.
    let long = speeds((0..100).map(|k| if k % 10 == 0 { -9000 } else { 1000 + k % 3 }));
    let speed = long.median().unwrap();
    assert!((speed.passes - 1.001e6).abs() < 1.0 && speed.pairs == 90, "{speed:?}");
    assert_eq!(long.anew, 10);
    assert!(Passing { left_speeds: long, ..Passing::default() }.speed().measured().is_none(), "no trips");
}
