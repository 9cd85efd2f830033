use std::io::Write;

use super::*;

#[test]
fn what_goes_into_the_pipe_comes_out() {
    let accounted = Accounted {
        user: Nanoseconds(1),
        system: Nanoseconds(2),
        peak: Bytes(3),
        minor_faults: 4,
        major_faults: 5,
        voluntary_switches: 6,
        involuntary_switches: 7,
    };
    let (slot, at) = (9, Nanoseconds(u64::MAX));
    let reports = [
        Report::Forked { slot, pid: Pid(4_000_000) },
        Report::NotForked { errno: 11 },
        Report::Ended { slot, status: EndStatus::Exited(255), at, accounted },
        Report::Ended { slot, status: EndStatus::Signalled(9), at, accounted },
        Report::Stopped { slot, signal: 19, at },
        Report::Continued { slot, at },
        Report::Left { name: *b"sixteen or fewer" },
        Report::Done { ended: 3, held: 1 },
    ];
    let (reads, writes) = crate::child::pipe().unwrap();
    let (mut reads, mut writes) = (File::from(reads), File::from(writes));
    reports.iter().for_each(|report| writes.write_all(&report.encode()).unwrap());
    drop(writes);
    for report in reports {
        assert_eq!(Report::next(&mut reads).unwrap(), Some(report));
    }
    assert_eq!(Report::next(&mut reads).unwrap(), None);
    for order in [Order::Signal(64), Order::Signal(0), Order::EndLeftovers, Order::Kill] {
        assert_eq!(Order::decode(order.encode()), Some(order));
    }
    assert_eq!(Order::decode([0; 8]), None);
}
