use super::*;

const MILLISECOND: u64 = 1_000_000;

#[test]
fn blocks_that_come_and_go_have_their_mean_and_not_their_peak() {
    // One block of 1,000 bytes is there half of the time; one in 64 is known, in turn.
    let mut estimate = LiveEstimate::new(0, Nanoseconds(0));
    for k in 0..20_000u64 {
        let at = k * 64 * 10_000;
        estimate.change(Nanoseconds(at), |now| now + 64_000);
        estimate.change(Nanoseconds(at + 5_000), |now| now - 64_000);
    }
    let most = estimate.most();
    assert!((495..=505).contains(&most), "{most}");
}

#[test]
fn what_stays_is_all_there() {
    let mut estimate = LiveEstimate::new(500, Nanoseconds(7));
    for k in 0..2_000u64 {
        estimate.change(Nanoseconds(k * MILLISECOND), |now| now + 10);
    }
    let most = estimate.most();
    assert!((17_500..=20_500).contains(&most), "{most}");
}

#[test]
fn of_a_few_changes_nothing_is_said_and_times_out_of_order_do_no_harm() {
    let mut estimate = LiveEstimate::new(100, Nanoseconds(0));
    estimate.change(Nanoseconds(10), |now| now * 2);
    estimate.change(Nanoseconds(5), |now| now);
    estimate.change(Nanoseconds(20), |_| 0);
    assert_eq!((estimate.most(), estimate.mean()), (0, 150));
    assert_eq!(LiveEstimate::new(100, Nanoseconds(3)).most(), 0);
}
