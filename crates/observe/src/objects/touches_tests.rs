use numawise_units::{CpuId, Pid};

use super::*;

const THREAD: (Pid, Pid) = (Pid(7), Pid(8));

fn at(object: u32) -> Touched {
    Touched { object, thread: 0, cpu: CpuId(0), place: None }
}

fn parts(of: Vec<(Touched, u64)>) -> Vec<(u32, u64)> {
    of.into_iter().map(|(touched, faults)| (touched.object, faults)).collect()
}

#[test]
fn faults_are_those_since_the_last_sample_of_the_thread() {
    let mut faults = ThreadFaults::default();
    assert_eq!(faults.since(Pid(7), Pid(8), 100), Some(100));
    assert_eq!(faults.since(Pid(7), Pid(8), 103), None, "next to none");
    assert_eq!(faults.since(Pid(7), Pid(9), 50), Some(50), "another thread");
    assert_eq!(faults.since(Pid(7), Pid(8), 153), Some(50));
    assert_eq!(faults.since(Pid(7), Pid(8), u32::MAX), Some(u64::from(u32::MAX - 153)));
    assert_eq!(faults.since(Pid(7), Pid(8), 9), Some(10), "the count began anew");
}

#[test]
fn a_thread_that_goes_from_one_object_to_another_took_half_at_each() {
    let mut faults = ThreadFaults::default();
    let much = |_| 1000;
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(1)), much)), [(1, 100)]);
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(1)), much)), [(1, 100)]);
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(2)), much)), [(1, 50), (2, 50)]);
    assert_eq!(parts(faults.divide(THREAD, 60, None, much)), [(2, 30)], "the rest is nobody's");
    assert_eq!(parts(faults.divide(THREAD, 60, None, much)), []);
}

#[test]
fn an_object_takes_no_more_than_it_has_pages() {
    let mut faults = ThreadFaults::default();
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(1)), |_| 1000)), [(1, 100)]);
    let used_only = |object| if object == 2 { 0 } else { 1000 };
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(2)), used_only)), [(1, 100)]);
    assert_eq!(
        parts(faults.divide(THREAD, 100, Some(at(2)), used_only)),
        [],
        "it was long gone from the first"
    );
    assert_eq!(parts(faults.divide(THREAD, 100, Some(at(3)), |_| 70)), [(3, 70)]);
    assert_eq!(
        parts(faults.divide(THREAD, 100, Some(at(4)), |object| if object == 4 { 10 } else { 1000 })),
        [(3, 90), (4, 10)]
    );
}
