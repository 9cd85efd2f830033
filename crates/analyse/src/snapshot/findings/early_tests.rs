use std::collections::BTreeMap;

use numawise_facts::Activity;
use numawise_facts::finding::{Advice, WatchedQuantity};

use super::*;
use crate::snapshot::sample::{at, ended, seconds, simple_rank, threads};

/// A rank that ends so long after its begin, in a call for so long or after it.
fn early(number: u32, lived: f64, end: ProcessEnd, call: &str, within: Option<f64>) -> Activity {
    let mut one = simple_rank(number, 3, lived, 0.0);
    one.end = end;
    threads(&mut one)[0].last_call =
        Some(LastCall { call: call.to_owned(), at: at(0x20), within: within.map(seconds) });
    one
}

fn said(activities: &[Activity], exit: Exit) -> Vec<(EarlyQuantity, Option<Amount>, WatchedSubject)> {
    let snapshot = ended(activities, None, &BTreeMap::new(), Some(exit));
    let Some(first) = snapshot.findings.first().filter(|one| one.finding.id == FindingId::EndedEarly) else {
        return Vec::new();
    };
    let hangs = first.finding.advice[0].advice == Advice::Watched(WatchedAdvice::FindHang);
    let names = first
        .finding
        .evidence
        .iter()
        .any(|one| matches!(&one.subject, EvidenceSubject::Watched(WatchedSubject::Process(_))));
    assert_eq!(hangs, !names);
    let one = |of: &Evidence| match (&of.quantity, &of.subject) {
        (EvidenceQuantity::Watched(WatchedQuantity::Early(quantity)), EvidenceSubject::Watched(subject)) => {
            (*quantity, of.value.measured().copied(), subject.clone())
        }
        other => panic!("{other:?}"),
    };
    first.finding.evidence.iter().map(one).collect()
}

fn quantities(activities: &[Activity], exit: Exit) -> Vec<EarlyQuantity> {
    said(activities, exit).into_iter().map(|(quantity, ..)| quantity).collect()
}

fn ranks_of(said: &[(EarlyQuantity, Option<Amount>, WatchedSubject)]) -> Vec<u32> {
    let rank = |subject: &WatchedSubject| match subject {
        WatchedSubject::Process(of) => of.rank,
        _ => None,
    };
    said.iter().filter_map(|(_, _, subject)| rank(subject)).collect()
}

use EarlyQuantity::{
    AbortedAfter, DiedAfter, DiedAfterCall, DiedInCall, EndedBySignal, ExitedAfter, KeptInCall,
    MayHaveDiedAfter,
};
use ProcessEnd::{Exit as Exited, MpiAbort, NotTold};

#[test]
fn who_did_not_wait_in_mpi_died_first_and_the_status_says_of_what() {
    let ranks = [
        early(0, 3.0, NotTold, "MPI_Barrier", Some(1.5)),
        early(1, 2.9, NotTold, "MPI_Send", None),
        early(2, 3.0, NotTold, "MPI_Barrier", Some(1.2)),
    ];
    let found = said(&ranks, Exit::Code(139));
    let what: Vec<_> = found.iter().map(|(quantity, value, _)| (*quantity, *value)).collect();
    let expected = [
        (DiedAfter, Some(Amount::Time(seconds(2.9)))),
        (EndedBySignal, Some(Amount::Count(11))),
        (DiedAfterCall, None),
        (KeptInCall, Some(Amount::Time(seconds(1.5)))),
    ];
    assert_eq!(what, expected);
    assert_eq!(ranks_of(&found), [1]);
    assert!(
        matches!(&found[3].2, WatchedSubject::CallOfRanks { call, ranks, .. } if call == "MPI_Barrier" && ranks == &[0, 2])
    );
    // A code of its own is no signal, and a SIGKILL of all says nothing of the first.
    for exit in [Exit::Code(1), Exit::Signal(9)] {
        assert_eq!(quantities(&ranks, exit), [DiedAfter, DiedAfterCall, KeptInCall], "{exit:?}");
    }
    assert_eq!(quantities(&ranks, Exit::Code(0)), [], "it ended well");
}

#[test]
fn who_may_have_died_in_a_call_is_not_passed_over() {
    let computes = early(0, 3.0, NotTold, "MPI_Recv", None);
    let sends = early(1, 3.0, NotTold, "MPI_Send", Some(0.001));
    let found = said(&[computes.clone(), sends], Exit::Code(139));
    assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [MayHaveDiedAfter, MayHaveDiedAfter]);
    assert_eq!(ranks_of(&found), [0, 1]);
    // It ended long before the launcher ended the other one.
    let sends = early(1, 2.0, NotTold, "MPI_Send", Some(0.001));
    let found = said(&[computes, sends], Exit::Code(139));
    assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [DiedAfter, EndedBySignal, DiedInCall]);
    assert_eq!(ranks_of(&found), [1]);
}

#[test]
fn a_crash_within_mpi_is_no_waiting() {
    // Its MPI wrote a backtrace first.
    let crashes = early(1, 3.0, NotTold, "MPI_Send", Some(0.2));
    let waits = early(0, 3.0, NotTold, "MPI_Recv", Some(1.0));
    let ranks = [waits.clone(), crashes.clone()];
    let found = said(&ranks, Exit::Code(139));
    assert_eq!(
        found.iter().map(|one| one.0).collect::<Vec<_>>(),
        [DiedAfter, EndedBySignal, DiedInCall, KeptInCall]
    );
    assert_eq!(ranks_of(&found), [1]);
    // An error that MPI found: it ended by exit.
    let fails = early(1, 3.0, Exited, "MPI_Send", Some(0.2));
    assert_eq!(quantities(&[waits.clone(), fails], Exit::Code(6)), [ExitedAfter, DiedInCall, KeptInCall]);
    // The launcher killed it before it came to that, on a busy host; ranks that wait for one another do so for long.
    assert_eq!(quantities(&[waits.clone(), crashes], Exit::Code(9)), [DiedAfter, DiedInCall, KeptInCall]);
    let hangs =
        [early(0, 9.0, NotTold, "MPI_Recv", Some(8.0)), early(1, 9.0, NotTold, "MPI_Recv", Some(3.0))];
    assert_eq!(quantities(&hangs, Exit::Code(9)), [KeptInCall]);
}

#[test]
fn an_abort_an_exit_and_ranks_that_all_wait_are_told_apart() {
    let waits = |number| early(number, 3.0, NotTold, "MPI_Recv", Some(1.0));
    let aborts = early(1, 2.99, MpiAbort, "MPI_Abort", Some(0.01));
    assert_eq!(quantities(&[waits(0), aborts], Exit::Code(5)), [AbortedAfter, DiedInCall, KeptInCall]);
    let exits = early(1, 2.99, Exited, "MPI_Send", None);
    assert_eq!(quantities(&[waits(0), exits], Exit::Code(3)), [ExitedAfter, DiedAfterCall, KeptInCall]);
    assert_eq!(quantities(&[waits(0), waits(1)], Exit::Signal(9)), [KeptInCall]);
}
