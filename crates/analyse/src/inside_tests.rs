use super::*;
use crate::sample::{ready_together, see, two_node_check};

#[test]
fn threads_that_work_at_once_are_counted_and_others_are_not() {
    for (samples, several, threads, expected) in [
        // All alike, and as many as CPUs or twice as many.
        (100, 95, &[95; 4][..], Some(4)),
        (100, 95, &[95, 94, 90, 93, 95, 80, 95, 92], Some(8)),
        // A main thread that works before and after the others.
        (100, 60, &[2, 60, 60, 58, 59], Some(4)),
        // One that works in between while the others wait, and is seen with the last or the first of them now and then.
        (100, 60, &[9, 60, 60, 58, 59], Some(4)),
        // Threads of a runtime or of MPI's progress that wake up now and then.
        (100, 95, &[95, 95, 4, 11], Some(2)),
        // Threads that wait for one another now and then.
        (100, 90, &[85, 70, 60, 55], Some(4)),
        // One thread works, a helper is seen with it now and then.
        (100, 6, &[6, 6], Some(1)),
        (100, 0, &[0], Some(1)),
        // A pool made anew for each step: four at a time.
        (100, 90, &[9; 40], Some(4)),
        // Too few samples to tell.
        (9, 2, &[2; 5], None),
        (9, 0, &[0; 5], None),
        (12, 2, &[2; 5], None),
    ] {
        let seen = ready_together(samples, several, threads);
        assert_eq!(working_at_once(&seen), expected, "{several} of {samples}: {threads:?}");
    }
}

/// On a busy machine the helper of Go's runtime waits for a CPU as often as the threads that work.
#[test]
fn a_helper_that_waits_for_a_cpu_and_then_uses_little_of_it_does_not_work() {
    let count = |times: [u64; 3]| {
        let mut seen = ready_together(40, 20, &[19, 17, 18]);
        let numawise_facts::Reading::Measured(threads) = &mut seen.threads else { unreachable!() };
        for (thread, time) in threads.iter_mut().zip(times) {
            thread.cpu_time = numawise_units::Nanoseconds(time * 1_000_000);
        }
        working_at_once(&seen)
    };
    assert_eq!(count([54, 2, 49]), Some(2));
    assert_eq!(count([54, 50, 49]), Some(3));
    assert_eq!(count([900, 20, 21]), Some(3), "the main thread made the data before");
}

#[test]
fn the_middle_of_the_runs_speaks_for_a_point() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    let count = |study: &Study| working_threads(study, study.header.baseline().unwrap());
    assert_eq!(count(&study), None, "by hand");
    see(&mut study, "os", &ready_together(100, 90, &[90; 4]));
    study.trials[0].observation = numawise_facts::Reading::Measured(ready_together(100, 90, &[90; 5]));
    assert_eq!(count(&study), Some(4));
    // Short runs tell it together, one of them does not.
    see(&mut study, "os", &ready_together(4, 3, &[1, 3, 3, 3, 2]));
    assert_eq!(count(&study), Some(4));
    // Where others had the CPUs, a main thread that starts and joins the others waited for one as often as they did.
    let disturbed = numawise_facts::Disturbance::OtherLoad(0.5);
    study.trials.iter_mut().for_each(|trial| trial.disturbances = vec![disturbed.clone()]);
    assert_eq!(count(&study), None);
    study.trials.iter_mut().for_each(|trial| trial.disturbances.clear());
    study.trials.truncate(1);
    assert_eq!(count(&study), None);
}
