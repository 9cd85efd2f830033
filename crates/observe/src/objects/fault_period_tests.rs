use super::*;

const MS: u64 = 1_000_000;

#[test]
fn page_faults_are_sampled_seldom_while_their_samples_would_take_more_than_a_hundredth() {
    let mut choice = FaultPeriod::new(Some(Nanoseconds(2_000)));
    let mut at = 0;
    let mut after = |samples, elapsed| {
        at += elapsed * MS;
        choice.after(samples, Nanoseconds(at))
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
    choice.after(0, Nanoseconds(0));
    assert_eq!(choice.after(40_000, Nanoseconds(10_000 * MS)), None);
    assert_eq!(choice.after(20_000, Nanoseconds(11_000 * MS)), Some(1021));
}
