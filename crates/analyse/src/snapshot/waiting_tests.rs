use numawise_facts::Activity;
use numawise_facts::activity::PeerTraffic;
use numawise_units::Bytes;

use super::super::sample::{at, call, seconds, simple_rank, snapshot, times};
use super::*;

/// A call of `MPI_Allreduce` at the place that simple ranks call it.
fn drawn(key: u64, time: f64, is_first: bool) -> CallSample {
    CallSample {
        kind: SampledCall::Collective,
        key,
        call: "MPI_Allreduce".to_owned(),
        at: at(0x10),
        communicator: Some(0),
        begun: seconds(1.0),
        time: seconds(time),
        posted: None,
        is_first,
    }
}

fn with(mut activity: Activity, samples: Vec<CallSample>) -> Activity {
    activity.samples = Reading::Measured(samples);
    activity
}

fn waiting(activities: &[Activity], call: &str) -> Reading<Nanoseconds> {
    let run = snapshot(activities);
    let mpi = run.mpi.measured().unwrap();
    mpi.sites.iter().find(|row| row.call == call).unwrap().waiting.clone()
}

fn is_about(found: &Reading<Nanoseconds>, expected: f64) {
    let found = found.measured().unwrap_or_else(|| panic!("{found:?}")).seconds();
    assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
}

/// Ten calls in which the ranks take turns to be the last, for 0.19 s, and move data for 0.01 s.
fn in_turn(rank: u64, first: u64) -> Vec<CallSample> {
    (0..10).map(|k| drawn(k + 1, if k % 2 == rank { 0.01 } else { 0.2 }, k < first)).collect()
}

#[test]
fn ranks_that_take_turns_wait_although_they_are_balanced() {
    let ranks = [0, 1].map(|rank| with(simple_rank(rank, 2, 2.0, 1.05), in_turn(rank.into(), 10)));
    let run = snapshot(&ranks);
    let mpi = run.mpi.measured().unwrap();
    assert_eq!(mpi.imbalance.measured(), Some(&Nanoseconds(0)));
    is_about(&mpi.sites[0].waiting, 10.0 * 0.19);
    // Each waits in half of the calls for the other one.
    let [late] = mpi.late.measured().unwrap().as_slice() else { panic!("{:?}", mpi.late) };
    assert_eq!((late.what, late.waiting_ranks, late.late_ranks), (WaitsFor::Last, 2, 2));
    assert!(late.waits.call == "MPI_Allreduce" && late.waits.rank != late.late.rank, "{late:?}");
    assert_eq!(late.waiting, *mpi.sites[0].waiting.measured().unwrap());
    let all = mpi.waiting_in_calls.measured().unwrap();
    assert_eq!((all.known, all.all), (seconds(2.1), seconds(2.1)));
    assert_eq!(all.waiting, *mpi.sites[0].waiting.measured().unwrap());
    let has = |run: &numawise_tables::RunSnapshot| {
        use numawise_facts::FindingId::{MpiImbalance, MpiTransfer};
        [MpiImbalance, MpiTransfer].map(|id| {
            let found = run.findings.iter().find(|one| one.finding.id == id)?;
            Some((found.potential.measured().unwrap().time, found.finding.advice.clone()))
        })
    };
    let moving = [0, 1].map(|rank| {
        let all = (0..10).map(|k| drawn(k + 1, 0.105, k < 10)).collect();
        with(simple_rank(rank, 2, 2.0, 1.05), all)
    });
    // What is waiting moves nothing, and the other way round.
    let [Some((waiting, advice)), None] = has(&run) else { panic!("{:?}", run.findings) };
    assert_eq!(waiting, seconds(0.95));
    assert!(matches!(
        advice[0].advice,
        numawise_facts::finding::Advice::Watched(numawise_facts::finding::WatchedAdvice::MeetLessOften)
    ));
    let [None, Some((moving, _))] = has(&snapshot(&moving)) else { panic!("no transfer") };
    assert_eq!(moving, seconds(1.05));
}

#[test]
fn the_rest_waits_for_the_share_that_was_drawn_of_it() {
    // Ten calls that were drawn stand for what is not among the first.
    let both = |mpi: f64, first| {
        [0, 1].map(|rank| with(simple_rank(rank, 2, 2.0, mpi), in_turn(rank.into(), first)))
    };
    is_about(&waiting(&both(10.5, 0), "MPI_Allreduce"), 21.0 * 1.9 / 2.1);
    // Of the rest nothing was drawn: it is taken to be like the first calls.
    is_about(&waiting(&both(10.5, 10), "MPI_Allreduce"), 21.0 * 1.9 / 2.1);
    let few = both(10.5, 10).map(|mut one| {
        let Reading::Measured(samples) = &mut one.samples else { unreachable!() };
        samples.truncate(3);
        one
    });
    assert!(waiting(&few, "MPI_Allreduce").reason().unwrap().0.contains("too few"));
}

#[test]
fn calls_that_not_all_ranks_have_are_not_compared() {
    let whole = || with(simple_rank(0, 2, 2.0, 1.05), in_turn(0, 10));
    let found = waiting(&[whole(), simple_rank(1, 2, 2.0, 1.05)], "MPI_Allreduce");
    assert!(found.reason().is_some(), "{found:?}");
    // Other calls under the same numbers: the ranks do not call in one order.
    let mut other = in_turn(1, 10);
    other.iter_mut().for_each(|sample| sample.call = "MPI_Bcast".to_owned());
    let found = waiting(&[whole(), with(simple_rank(1, 2, 2.0, 1.05), other)], "MPI_Allreduce");
    assert!(found.reason().is_some(), "{found:?}");
}

#[test]
fn of_calls_that_wait_for_several_nothing_is_said() {
    let mut one = simple_rank(0, 1, 1.0, 1.0);
    let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
    threads[0].calls.push(call("MPI_Waitall", 0x20, 5, 0.5));
    let found = waiting(std::slice::from_ref(&one), "MPI_Waitall");
    assert!(found.reason().unwrap().0.contains("completes requests"));
    let run = snapshot(std::slice::from_ref(&one));
    let all = *run.mpi.measured().unwrap().waiting_in_calls.measured().unwrap();
    assert_eq!((all.in_requests, all.callers), (seconds(0.5), 1));
    // Alone, nobody waits.
    is_about(&waiting(&[one], "MPI_Allreduce"), 0.0);
}

/// A rank that received, and one that sent, `later` seconds after the other began to receive.
fn receives(later: [f64; 2], host: &str) -> [Activity; 2] {
    let message = |kind, call: &str, key, begun| CallSample {
        kind,
        call: call.to_owned(),
        at: at(0x20),
        begun: seconds(begun),
        time: seconds(0.5),
        ..drawn(key, 0.5, true)
    };
    let one = |rank: u32, call_name: &str| {
        let mut one = simple_rank(rank, 2, 2.0, 0.0);
        let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
        threads[0].calls = vec![call(call_name, 0x20, 2, 1.0)];
        threads[0].peers = vec![PeerTraffic {
            rank: 1 - rank,
            sent_messages: 2,
            sent: Bytes(8),
            received_messages: 0,
            received: Bytes(0),
            fetched: Bytes(0),
        }];
        one
    };
    let key = |k: usize| 10 + k as u64;
    let received = (0..2).map(|k| message(SampledCall::Receive, "MPI_Recv", key(k), 5.0)).collect();
    let sent = (0..2).map(|k| message(SampledCall::Send, "MPI_Send", key(k), 5.0 + later[k])).collect();
    let mut sender = with(one(1, "MPI_Send"), sent);
    sender.host = host.to_owned();
    [with(one(0, "MPI_Recv"), received), sender]
}

/// One row of who waits for 0.3 s for whom.
fn is_late(later: [f64; 2], what: WaitsFor, waits: (u32, &str), comes: (u32, &str)) {
    let run = snapshot(&receives(later, "node1"));
    let [row] = run.mpi.measured().unwrap().late.measured().unwrap().as_slice() else { panic!("{run:?}") };
    assert_eq!((row.what, row.waiting_ranks, row.late_ranks), (what, 1, 1));
    assert_eq!((row.waits.rank, row.waits.call.as_str()), waits, "{row:?}");
    assert_eq!((row.late.rank, row.late.call.as_str()), comes, "{row:?}");
    assert!((row.waiting.seconds() - 0.3).abs() < 1e-6, "{row:?}");
}

#[test]
fn a_receive_waits_until_the_other_rank_begins_to_send() {
    // One was sent 0.3 s after the receive began, the other before.
    is_late([0.3, -1.0], WaitsFor::Sender, (0, "MPI_Recv"), (1, "MPI_Send"));
    is_about(&waiting(&receives([0.3, -1.0], "node1"), "MPI_Recv"), 0.3);
    // Longer than the call itself it cannot wait.
    is_about(&waiting(&receives([0.3, 9.0], "node1"), "MPI_Recv"), 0.8);
    let apart = waiting(&receives([0.3, -1.0], "node2"), "MPI_Recv");
    assert!(apart.reason().unwrap().0.contains("on other hosts"), "{apart:?}");
}

/// A rank that is in MPI for longer than another, since it takes in much, makes nobody wait.
#[test]
fn ranks_that_move_unevenly_and_do_not_wait_are_not_imbalanced() {
    let mut both = receives([-1.0, -1.0], "node1");
    for (one, in_mpi) in both.iter_mut().zip([1.0, 0.1]) {
        one.elapsed = Reading::Measured(seconds(3.0));
        let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
        threads[0].times = Reading::Measured(times([3.0 - in_mpi, in_mpi, 0.0, 0.0, 0.0, 0.0]));
        threads[0].calls[0].calls.time = seconds(in_mpi);
        let Reading::Measured(samples) = &mut one.samples else { unreachable!() };
        samples.iter_mut().for_each(|sample| sample.time = seconds(in_mpi / 2.0));
    }
    let run = snapshot(&both);
    let mpi = run.mpi.measured().unwrap();
    assert!(mpi.imbalance.measured().unwrap().seconds() > 0.4, "{:?}", mpi.imbalance);
    assert_eq!(mpi.waiting_in_calls.measured().unwrap().waiting, Nanoseconds(0));
    assert!(run.findings.iter().all(|one| one.finding.id != numawise_facts::FindingId::MpiImbalance));
}

#[test]
fn a_send_waits_until_the_other_rank_receives_unless_it_is_over_before() {
    // Received 0.3 s after the send began; and a second after, when the send was over for half of that.
    is_about(&waiting(&receives([-0.3, -1.0], "node1"), "MPI_Send"), 0.3);
    is_late([-0.3, -1.0], WaitsFor::Receiver, (1, "MPI_Send"), (0, "MPI_Recv"));
    // Received before it was sent.
    is_about(&waiting(&receives([0.3, 9.0], "node1"), "MPI_Send"), 0.0);
    assert!(waiting(&receives([-0.3, -1.0], "node2"), "MPI_Send").reason().is_some());
}

#[test]
fn calls_that_complete_requests_are_known_by_their_names() {
    for call in ["MPI_Wait", "MPI_Waitall", "MPI_Test", "MPI_Testsome"] {
        assert!(completes_requests(call), "{call}");
    }
    for call in ["MPI_Win_wait", "MPI_Test_cancelled", "MPI_Send", "MPI_Recv"] {
        assert!(!completes_requests(call), "{call}");
    }
}

/// Two messages: what rank 1 does to send them, and what rank 0 does to take them in; for each sample its kind, the call, the site, when it
/// begins, how long it takes, and when a receive was posted.
type Drawn<'a> = (SampledCall, &'a str, u64, f64, f64, Option<f64>);

fn exchanged(sender: &[Drawn<'_>], receiver: &[Drawn<'_>]) -> [Activity; 2] {
    let [mut to, mut from] = receives([0.0; 2], "node1");
    for (one, drawn_calls) in [(&mut from, sender), (&mut to, receiver)] {
        let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
        let sites: std::collections::BTreeMap<u64, (&str, f64)> =
            drawn_calls.iter().map(|(_, name, site, _, time, _)| (*site, (*name, *time))).collect();
        threads[0].calls =
            sites.iter().map(|(site, (name, time))| call(name, *site, 2, 2.0 * time)).collect();
        let samples = (10..12).flat_map(|key| {
            drawn_calls.iter().map(move |(kind, name, site, begun, time, posted)| CallSample {
                kind: *kind,
                call: (*name).to_owned(),
                at: at(*site),
                begun: seconds(*begun),
                posted: posted.map(seconds),
                ..drawn(key, *time, true)
            })
        });
        one.samples = Reading::Measured(samples.collect());
    }
    [to, from]
}

const ISEND: Drawn<'_> = (SampledCall::Send, "MPI_Isend", 0x20, 5.0, 0.01, None);

#[test]
fn a_wait_for_what_was_sent_waits_until_the_other_rank_receives() {
    let wait = (SampledCall::SendWait, "MPI_Wait", 0x28, 5.1, 0.5, None);
    let of_receive = |begun| (SampledCall::Receive, "MPI_Recv", 0x20, begun, 0.2, None);
    let found = |begun| waiting(&exchanged(&[ISEND, wait], &[of_receive(begun)]), "MPI_Wait");
    is_about(&found(5.4), 2.0 * 0.3);
    // It was received before, or copied.
    is_about(&found(5.05), 0.0);
    is_about(&found(6.0), 0.0);
    // What was begun does not wait, and the receiver's call is compared as before.
    let both = exchanged(&[ISEND, wait], &[of_receive(4.9)]);
    is_about(&waiting(&both, "MPI_Recv"), 2.0 * 0.1);
    assert!(waiting(&both, "MPI_Isend").reason().is_some());
    // Without the call that began it, nobody knows when that was.
    assert!(waiting(&exchanged(&[wait], &[of_receive(5.4)]), "MPI_Wait").reason().is_some());
}

#[test]
fn a_wait_for_what_is_received_waits_until_the_other_rank_sends() {
    let send = |begun| (SampledCall::Send, "MPI_Send", 0x20, begun, 0.5, None);
    let wait = (SampledCall::ReceiveWait, "MPI_Wait", 0x20, 5.0, 0.5, Some(4.0));
    let found = |begun| waiting(&exchanged(&[send(begun)], &[wait]), "MPI_Wait");
    is_about(&found(5.3), 2.0 * 0.3);
    is_about(&found(4.9), 0.0);
    let sends = |begun| waiting(&exchanged(&[send(begun)], &[wait]), "MPI_Send");
    // It is over when the receiver comes to the wait: it waited for the begin of the receive only, or for nobody.
    is_about(&sends(3.8), 2.0 * 0.2);
    is_about(&sends(3.4), 0.0);
    is_about(&sends(4.2), 0.0);
    // It goes on until the receiver is in MPI again.
    is_about(&sends(4.6), 2.0 * 0.4);
}

#[test]
fn both_sides_of_a_message_may_wait_for_requests() {
    let sent = [ISEND, (SampledCall::SendWait, "MPI_Wait", 0x28, 5.1, 0.5, None)];
    let received = (SampledCall::ReceiveWait, "MPI_Wait", 0x20, 5.4, 0.3, Some(5.3));
    // The sender's, at another place than the receiver's.
    let run = snapshot(&exchanged(&sent, &[received]));
    let mpi = run.mpi.measured().unwrap();
    let waits = mpi
        .sites
        .iter()
        .filter(|row| row.call == "MPI_Wait")
        .map(|row| row.waiting.measured().unwrap_or_else(|| panic!("{row:?}")).seconds());
    let sum: f64 = waits.sum();
    assert!((sum - 0.6).abs() < 1e-6, "{sum}");
    let all = mpi.waiting_in_calls.measured().unwrap();
    assert_eq!((all.in_requests, all.known), (Nanoseconds(0), seconds(1.6)));
    assert_eq!(all.all, seconds(1.62));
}

#[test]
fn a_wait_also_for_what_no_other_rank_tells_is_unavailable() {
    let send = (SampledCall::Send, "MPI_Send", 0x20, 5.3, 0.5, None);
    let wait = (SampledCall::ReceiveWait, "MPI_Wait", 0x20, 5.0, 0.5, Some(5.0));
    let mut both = exchanged(&[send], &[wait]);
    let other = |time| CallSample {
        kind: SampledCall::OtherWait,
        call: "MPI_Wait".to_owned(),
        at: at(0x20),
        ..drawn(99, time, true)
    };
    let Reading::Measured(samples) = &mut both[0].samples else { unreachable!() };
    // A request that was complete already takes no time.
    samples.push(other(0.001));
    is_about(&waiting(&both, "MPI_Wait"), 2.0 * 0.3);
    let Reading::Measured(samples) = &mut both[0].samples else { unreachable!() };
    samples.push(CallSample { key: 98, ..other(0.3) });
    let found = waiting(&both, "MPI_Wait");
    assert!(found.reason().unwrap().0.contains("no other rank tells"), "{found:?}");
}
