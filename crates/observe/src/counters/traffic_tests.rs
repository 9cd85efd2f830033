use numawise_units::Bytes;

use super::*;

fn monitored(cache: u32, total: u64, local: u64) -> MonitoredTraffic {
    MonitoredTraffic { cache, total: Bytes(total), local: Bytes(local) }
}

#[test]
fn what_passed_is_the_difference() {
    let time = Nanoseconds(2_000_000_000);
    let passed = since(&[monitored(0, 100, 50)], &[monitored(0, 4100, 3050)], time);
    let passed = passed.measured().unwrap()[0];
    assert_eq!((passed.total, passed.local), (Bytes(4000), Bytes(3000)));
    assert!((passed.bandwidth().unwrap().0 - 2000.0).abs() < 1e-6);
}

#[test]
fn a_monitor_that_began_anew_says_nothing() {
    for first in [vec![monitored(0, 100, 50)], vec![]] {
        let passed = since(&first, &[monitored(0, 90, 40)], Nanoseconds(1));
        assert!(passed.reason().unwrap().0.contains("begun anew"));
    }
}

#[test]
fn without_a_monitor_the_reason_is_said() {
    let empty = tempfile::tempdir().unwrap();
    let watch = TrafficWatch::start(Roots::at(empty.path()));
    assert!(watch.finish().reason().unwrap().0.contains("resctrl"));
}
