use super::*;

#[test]
fn ticks_of_the_timer_are_times_of_the_clock() {
    let now = TimerNow { ticks: 5_000, hertz: 25_000_000, at: Nanoseconds(1_000_000) };
    let latest = Nanoseconds(u64::MAX);
    assert_eq!(now.at(4_000, latest), Nanoseconds(960_000));
    assert_eq!(now.at(6_000, latest), Nanoseconds(1_000_000), "the timer is read after that");
    assert_eq!(now.at(5_000, Nanoseconds(7)), Nanoseconds(7));
    assert_eq!(TimerNow { ticks: u64::MAX, hertz: 0, ..now }.at(0, latest), Nanoseconds(0));
}
