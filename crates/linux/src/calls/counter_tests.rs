use super::*;
use crate::calls::clock::thread_cpu_time;
use numawise_units::Nanoseconds;

#[test]
fn the_clock_of_a_thread_is_counted_with_those_that_it_makes() {
    let flags = raw::COUNTER_INHERIT | raw::COUNTER_EXCLUDE_KERNEL;
    let counter = match Counter::own(KIND_SOFTWARE, SOFTWARE_TASK_CLOCK, flags) {
        Ok(counter) => counter,
        Err(errno) => {
            eprintln!("SKIPPED: no counters here ({})", io::Error::from_raw_os_error(errno));
            return;
        }
    };
    let spin = || {
        let begun = thread_cpu_time();
        while thread_cpu_time().saturating_sub(begun) < Nanoseconds(20_000_000) {}
    };
    let before = counter.read().unwrap();
    spin();
    let alone = counter.read().unwrap();
    std::thread::spawn(spin).join().unwrap();
    let both = counter.read().unwrap();
    assert!(alone.count > before.count, "{before:?} {alone:?}");
    assert!(both.count > alone.count + 1_000_000, "{alone:?} {both:?}");
    assert_eq!(both.wanted, both.on);
}

#[test]
fn an_event_that_no_kernel_has_is_refused() {
    assert!(Counter::own(KIND_SOFTWARE, 10_000, 0).is_err());
}
