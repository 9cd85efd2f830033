use super::*;

fn usage(user: u64, peak: Reading<Bytes>, faults: Reading<u64>) -> ResourceUsage {
    ResourceUsage {
        user: Reading::Measured(Nanoseconds(user)),
        system: Reading::Measured(Nanoseconds(1)),
        peak_memory: peak,
        minor_faults: faults,
        major_faults: Reading::Measured(2),
        voluntary_switches: Reading::Measured(3),
        involuntary_switches: Reading::Measured(u64::MAX),
    }
}

#[test]
fn usage_of_several_tasks_is_summed_but_for_the_peak() {
    let (peak, none) = (|mib| Reading::Measured(Bytes::mib(mib)), || Reading::unavailable("not above ours"));
    let tasks = [
        usage(10, none(), Reading::Measured(1)),
        usage(20, peak(3), Reading::Measured(1)),
        usage(30, peak(2), Reading::Measured(1)),
    ];
    let all = ResourceUsage::together(&tasks).unwrap();
    assert_eq!(all.cpu_time(), Reading::Measured(Nanoseconds(63)));
    assert_eq!(all.user, Reading::Measured(Nanoseconds(60)));
    assert_eq!(all.peak_memory, peak(3));
    assert_eq!(all.minor_faults, Reading::Measured(3));
    assert_eq!(all.involuntary_switches, Reading::Measured(u64::MAX), "saturated");
    assert_eq!(ResourceUsage::together([]), None);
}

#[test]
fn what_is_missing_of_one_is_not_zero_of_all() {
    let tasks = [
        usage(1, Reading::unavailable("first"), Reading::Measured(1)),
        usage(1, Reading::unavailable("second"), Reading::unavailable("not counted")),
    ];
    let all = ResourceUsage::together(&tasks).unwrap();
    assert_eq!(all.peak_memory, Reading::unavailable("first"));
    assert_eq!(all.minor_faults, Reading::unavailable("not counted"));
    let killed = ResourceUsage::unavailable("killed");
    let all = ResourceUsage::together([&tasks[0], &killed]).unwrap();
    assert_eq!((all.user.clone(), all.cpu_time()), (killed.user.clone(), killed.cpu_time()));
}
