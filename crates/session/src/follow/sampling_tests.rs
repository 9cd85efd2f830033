use numawise_facts::objects::{AllocationLog, Skid};
use numawise_observe::objects::feed::{FedObjects, KernelCounts};
use numawise_observe::objects::log::LoggedSamples;
use numawise_observe::objects::{TrackedCounts, TrackedObjects};

use super::*;

fn calibrated(skid: Skid, cost: Reading<Nanoseconds>) -> Calibrated {
    let measured =
        Some(Calibration { skid, time_sample: cost, fault_sample: Reading::Measured(Nanoseconds(2)) });
    Calibrated {
        period: Nanoseconds(1_000_000),
        measured,
        obstacle: None,
        loads: Err("none here".to_owned()),
    }
}

fn watched(counts: TrackedCounts, log: AllocationLog, lost: u64) -> WatchedObjects {
    let tracked = TrackedObjects { counts, ..TrackedObjects::default() };
    let kernel = KernelCounts { lost, ..KernelCounts::default() };
    WatchedObjects {
        fed: FedObjects {
            tracked,
            log,
            log_spent: Nanoseconds(600),
            kernel,
            own: LoggedSamples::default(),
            bandwidth: Reading::unavailable("by hand"),
        },
        cost: Nanoseconds(500),
    }
}

#[test]
fn the_period_is_what_less_than_one_percent_pays_for_and_one_thread_can_follow() {
    for (cost, cpus, expected) in [
        (Reading::Measured(Nanoseconds(0)), 2, Nanoseconds(1_000_000)),
        (Reading::Measured(Nanoseconds(4_200)), 2, Nanoseconds(1_600_000)),
        (Reading::Measured(Nanoseconds(14_000)), 4, Nanoseconds(3_000_000)),
        (Reading::Measured(Nanoseconds(14_411)), 64, Nanoseconds(25_600_000)),
        (Reading::Measured(Nanoseconds(14_411)), 256, Nanoseconds(102_400_000)),
        (Reading::Measured(Nanoseconds(1_000_000)), 16, Nanoseconds(10_000_000)),
        (Reading::unavailable("not measured"), 4, Nanoseconds(10_000_000)),
    ] {
        assert_eq!(affordable(&cost, cpus, OF_OBJECTS), expected, "{cost:?}, {cpus} CPUs");
    }
    let of_survey = affordable(&Reading::Measured(Nanoseconds(14_000)), 4, OF_LOOPS);
    assert_eq!(of_survey, Nanoseconds(6_000_000), "half as often for the same cost of a sample");
}

#[test]
fn samples_tell_what_was_waited_for_where_they_are_one_instruction_late() {
    let cost = || Reading::Measured(Nanoseconds(1));
    let method = |samples, one_after| calibrated(Skid { samples, one_after }, cost()).method();
    assert_eq!(method(100, 95), AccessMethod::Waited);
    assert_eq!(method(100, 10), AccessMethod::Passes);
    assert_eq!(method(5, 5), AccessMethod::Passes, "too few to tell");
}

#[test]
fn what_watching_took_is_counted() {
    let calibrated = calibrated(Skid { samples: 100, one_after: 100 }, Reading::Measured(Nanoseconds(10)));
    let counts = TrackedCounts {
        time_samples: 4,
        load_interrupts: 3,
        fault_samples: 3,
        events: 2,
        faults: 93,
        ..TrackedCounts::default()
    };
    let log = AllocationLog { processes: 1, ..AllocationLog::default() };
    let mut notices = Vec::new();
    let watching = watching(
        Followed::Objects { least: Bytes::kib(16) },
        &calibrated,
        &watched(counts, log, 0),
        &mut notices,
    );
    assert_eq!(watching.cost, Reading::Measured(Nanoseconds(70 + 6 + 600)));
    assert_eq!(watching.own_time, Reading::Measured(Nanoseconds(500)));
    assert_eq!(watching.faults.measured().map(|faults| (faults.samples, faults.faults)), Some((3, 93)));
    assert_eq!(watching.allocations, Reading::Measured(log));
    assert_eq!(notices, []);
}

#[test]
fn what_is_missing_says_so() {
    let calibrated = calibrated(Skid::default(), Reading::unavailable("too few"));
    let mut notices = Vec::new();
    let counts = TrackedCounts { time_samples: 5, ..TrackedCounts::default() };
    let seen = watched(counts, AllocationLog::default(), 12);
    let watching = watching(Followed::Objects { least: Bytes::kib(16) }, &calibrated, &seen, &mut notices);
    assert!(watching.cost.measured().is_none() && watching.allocations.measured().is_none());
    let expected: [Notice; 2] =
        [ObjectsNotice::NothingLogged.into(), ObjectsNotice::RecordsLost { count: 12 }.into()];
    assert_eq!(notices, expected);
    let nothing = not_watched(Bytes::kib(16), "it failed");
    assert!(nothing.time.measured().is_none() && nothing.faults.measured().is_none());
}
