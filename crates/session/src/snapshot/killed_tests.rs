use numawise_facts::Activity;

use super::super::collected::tests::rank;
use super::*;

#[test]
fn who_aborted_is_named() {
    let ended = |end: ProcessEnd, number| Ok(Activity { end, ..rank(number, 4) });
    let said = |all: Vec<Result<Activity, _>>| notice(&Ok(all));
    let of = |aborted: Option<&str>| {
        Notice::from(SnapshotNotice::KilledWithRanks { aborted: aborted.map(str::to_owned) })
    };
    let [abort, not_told] = [ProcessEnd::MpiAbort, ProcessEnd::NotTold];
    assert_eq!(said(vec![ended(not_told, 0), ended(abort, 2), ended(abort, 1)]), of(Some("1-2")));
    assert_eq!(said(vec![ended(not_told, 0)]), of(None));
}

#[test]
fn nothing_is_known_of_what_it_used() {
    let ended = ended(clock::monotonic());
    assert_eq!(ended.exit, Exit::Signal(9));
    assert!(ended.usage.cpu_time().measured().is_none());
    assert!(ended.usage.peak_memory.measured().is_none() && ended.wall < Nanoseconds(10_000_000_000));
}
