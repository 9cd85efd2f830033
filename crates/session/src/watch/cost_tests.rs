use numawise_units::Schedule;

use super::*;

const fn ms(count: u64) -> Nanoseconds {
    Nanoseconds(count * 1_000_000)
}

#[test]
fn memory_that_costs_little_is_sampled_every_time() {
    let mut cost = SamplingCost::default();
    assert!(cost.memory_is_due(ms(0)));
    cost.note(ms(0), ms(3), true);
    assert!(!cost.memory_is_due(ms(749)));
    assert!(cost.memory_is_due(ms(750)));
}

#[test]
fn memory_that_costs_much_is_sampled_seldom() {
    let mut cost = SamplingCost::default();
    cost.note(ms(0), ms(2), false);
    cost.note(ms(1000), ms(102), true);
    assert!(!cost.memory_is_due(ms(25_999)));
    assert!(cost.memory_is_due(ms(26_000)));
    assert_eq!(cost.least_interval(), ms(500));
}

#[test]
fn sampling_costs_at_most_a_hundredth() {
    for (light, memory) in [(1, 1), (4, 50), (20, 1), (20, 3000), (0, 0)] {
        let (mut cost, mut spent, mut now) = (SamplingCost::default(), 0, ms(0));
        let mut schedule = Schedule::new(now, ms(1000));
        while now < ms(3_600_000) {
            let with_memory = cost.memory_is_due(now);
            let taken = ms(light + if with_memory { memory } else { 0 });
            spent += taken.0;
            cost.note(now, taken, with_memory);
            schedule.change(now, cost.least_interval().max(ms(1000)));
            now = now + schedule.left(now);
            schedule.begin(now);
        }
        // The first sample is before anything is known of what it costs.
        let share = spent as f64 / (now.0 + ms(memory * 250).0) as f64;
        assert!(share <= 0.0081, "{light} {memory}: {share}");
    }
}

#[test]
fn one_slow_sample_among_many_changes_little() {
    let mut cost = SamplingCost::default();
    (0..10).for_each(|k| cost.note(ms(k), ms(1), false));
    cost.note(ms(10), ms(9), false);
    assert_eq!(cost.least_interval(), ms(750));
}
