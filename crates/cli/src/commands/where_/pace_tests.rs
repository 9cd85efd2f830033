use numawise_units::Schedule;

use super::*;

const fn ms(count: u64) -> Nanoseconds {
    Nanoseconds(count * 1_000_000)
}

#[test]
fn memory_that_costs_little_is_looked_at_every_time() {
    let mut pace = Pace::default();
    assert!(pace.memory_is_due(ms(0)));
    pace.note(ms(0), ms(3), true);
    assert!(!pace.memory_is_due(ms(749)));
    assert!(pace.memory_is_due(ms(750)));
}

#[test]
fn memory_that_costs_much_is_looked_at_seldom() {
    let mut pace = Pace::default();
    pace.note(ms(0), ms(2), false);
    pace.note(ms(1000), ms(102), true);
    assert!(!pace.memory_is_due(ms(25_999)));
    assert!(pace.memory_is_due(ms(26_000)));
    assert_eq!(pace.least(), ms(500));
}

#[test]
fn looking_costs_at_most_a_hundredth() {
    for (light, memory) in [(1, 1), (4, 50), (20, 1), (20, 3000), (0, 0)] {
        let (mut pace, mut spent, mut now) = (Pace::default(), 0, ms(0));
        let mut schedule = Schedule::new(now, ms(1000));
        while now < ms(3_600_000) {
            let with_memory = pace.memory_is_due(now);
            let cost = ms(light + if with_memory { memory } else { 0 });
            spent += cost.0;
            pace.note(now, cost, with_memory);
            schedule.change(now, pace.least().max(ms(1000)));
            now = now + schedule.left(now);
            schedule.begin(now);
        }
        // The first look is before anything is known of what it costs.
        let share = spent as f64 / (now.0 + ms(memory * 250).0) as f64;
        assert!(share <= 0.0081, "{light} {memory}: {share}");
    }
}

#[test]
fn one_slow_look_among_many_changes_little() {
    let mut pace = Pace::default();
    (0..10).for_each(|k| pace.note(ms(k), ms(1), false));
    pace.note(ms(10), ms(9), false);
    assert_eq!(pace.least(), ms(750));
}
