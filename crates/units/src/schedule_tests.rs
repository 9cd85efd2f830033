use super::*;

const fn ms(count: u64) -> Nanoseconds {
    Nanoseconds(count * 1_000_000)
}

#[test]
fn moments_do_not_drift_and_those_missed_are_left_out() {
    let mut schedule = Schedule::new(ms(0), ms(1000));
    schedule.begin(ms(1003));
    assert_eq!(schedule.left(ms(1003)), ms(997));
    schedule.begin(ms(2999));
    assert_eq!(schedule.left(ms(2999)), ms(1));
    schedule.begin(ms(7500));
    assert_eq!(schedule.left(ms(7500)), ms(500));
    assert_eq!(schedule.left(ms(9000)), ms(0));
    schedule.change(ms(9000), ms(200));
    assert_eq!(schedule.left(ms(9000)), ms(200));
    schedule.change(ms(9100), ms(200));
    assert_eq!(schedule.left(ms(9100)), ms(100));
    // An interval of nothing is no reason to divide by it.
    Schedule::new(ms(0), ms(0)).begin(ms(5));
}
