use super::*;

const MS: u64 = 1_000_000;

#[test]
fn page_faults_are_sampled_seldom_while_their_samples_would_take_more_than_a_hundredth() {
    let mut choice = FaultPeriod::new(Some(Nanoseconds(2_000)));
    let mut at = 0;
    let mut after = |samples, elapsed| {
        at += elapsed * MS;
        choice.after(samples, Nanoseconds(0), Nanoseconds(at))
    };
    // The first ones are taken whatever they cost: 8 ms of the first 16.
    assert_eq!((after(2000, 5), after(2000, 8)), (None, None));
    assert_eq!(after(1000, 8), Some(1021));
    // 700,000 faults a second.
    assert_eq!((after(27, 40), after(27, 40)), (None, None));
    // No more of them: 10 ms are half a hundredth of two seconds.
    assert_eq!((after(0, 1800), after(0, 200)), (None, Some(31)));
    assert_eq!((after(1000, 40), after(10_000, 400)), (None, Some(1021)));
}

#[test]
fn a_long_run_pays_for_many_samples() {
    let mut choice = FaultPeriod::new(None);
    let mut after = |samples, at| choice.after(samples, Nanoseconds(0), Nanoseconds(at * MS));
    after(0, 0);
    assert_eq!(after(40_000, 10_000), None);
    assert_eq!(after(20_000, 11_000), Some(1021));
}

#[test]
fn what_follows_the_samples_counts_with_them() {
    let mut choice = FaultPeriod::new(Some(Nanoseconds(1_000)));
    let mut after =
        |samples, following, at| choice.after(samples, Nanoseconds(following * MS), Nanoseconds(at * MS));
    after(0, 0, 0);
    assert_eq!(after(5_000, 4, 1_000), None);
    assert_eq!(after(5_000, 12, 2_000), Some(1021));
    assert_eq!(after(200, 12, 3_000), None);
    assert_eq!(after(200, 13, 5_000), Some(31));
}
