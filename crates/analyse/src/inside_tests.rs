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
    study.trials.truncate(1);
    assert_eq!(count(&study), None);
}
