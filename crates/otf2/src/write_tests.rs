use std::process::Command;

use numawise_facts::activity::{
    CodeAddress, ConstructName, FileOperation, MessageSide, PhaseName, SpanKind, SpanName, ThreadTrace,
    TracedKind, TracedMessage, TracedSpan,
};
use numawise_facts::{Activity, Reading};
use numawise_units::{Nanoseconds, Pid};

use super::*;
use crate::event::{Collective, Event, Message, NO_ROOT, Polls, What};
use crate::sample::{HALF, Made, communicator, done, rank, received, ring, run, sent};

/// The events of each location, and what was counted.
fn events(run: &WatchedRun) -> (Vec<Vec<Event>>, Written) {
    let ranks = Ranks::of(run).unwrap();
    let communicators = Communicators::of(run, &ranks);
    let clocks = Clocks::of(run, &ranks);
    let mut definitions = Definitions::new(run, &ranks);
    let mut written = Written { clocks: clocks.how(), ..Written::default() };
    let mut all = vec![Vec::new(); ranks.locations.len()];
    for group in 0..ranks.groups.len() {
        let mut requests = Requests::of(run, &ranks, group);
        let process = ranks.groups[group].process.map(|process| &run.processes[process]);
        let ends = process.map(frames::region_ends).unwrap_or_default();
        for location in ranks.locations_of(group) {
            let Some(trace) = ranks.trace(run, location) else { continue };
            let mut thread = Thread {
                ranks: &ranks,
                communicators: &communicators,
                clocks: &clocks,
                definitions: &mut definitions,
                requests: &mut requests,
                written: &mut written,
                location,
                last: 0,
            };
            let events = &mut all[location as usize];
            let mut sink = |event| {
                events.push(event);
                Ok(())
            };
            thread.write(run, (trace, &ends), &mut sink).unwrap();
        }
    }
    (all, written)
}

fn kinds(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| {
        let text = format!("{:?}", event.what);
        format!("{} {}", text.split(['(', ' ', '{']).next().unwrap_or_default(), event.time)
    };
    events.iter().map(name).filter(|text| !text.starts_with("Program")).collect()
}

fn messages(events: &[Event]) -> Vec<(Message, Option<u64>)> {
    let message = |event: &Event| match event.what {
        What::Send(of) | What::Recv(of) => Some((of, None)),
        What::Isend(of, request) | What::Irecv(of, request) => Some((of, Some(request))),
        _ => None,
    };
    events.iter().filter_map(message).collect()
}

#[test]
fn a_call_holds_its_messages_and_what_was_asked_for() {
    let (all, written) = events(&ring());
    let [first, ..] = all.as_slice() else { panic!("no location") };
    let expected = [
        "Enter 1000",
        "Leave 2000",
        "Enter 2100",
        "IrecvRequest 2100",
        "Leave 2101",
        "Enter 2200",
        "Isend 2200",
        "Leave 2210",
        "Enter 2300",
        "Irecv 2400",
        "IsendComplete 2400",
        "Leave 2400",
        "Enter 2400",
        "Leave 2500",
        "Enter 2500",
        "CollectiveBegin 2500",
        "CollectiveEnd 2600",
        "Leave 2600",
        "Enter 2700",
        "CollectiveBegin 2700",
        "CollectiveEnd 2800",
        "Leave 2800",
        "Enter 2900",
        "Send 2900",
        "Recv 2950",
        "Leave 2950",
        "Enter 2960",
        "CollectiveRequest 2960",
        "Leave 2961",
        "Enter 2970",
        "CollectiveComplete 2980",
        "Leave 2980",
        "Enter 3000",
        "Leave 3100",
    ];
    assert_eq!(kinds(first), expected);
    let [(_, isend), (_, irecv)] = messages(first)[..2] else { panic!("two messages") };
    assert!(isend.is_some() && irecv.is_some() && isend != irecv);
    assert_eq!((written.calls, written.sent, written.received, written.collectives), (44, 8, 8, 12));
    let nothing = [
        written.messages_left_out,
        written.messages_on_world,
        written.collectives_left_out,
        written.requests_without_begin,
        written.moments_moved,
    ];
    assert_eq!(nothing, [0; 5]);
}

#[test]
fn polls_say_how_many_they_were() {
    let (all, _) = events(&ring());
    let polls = all[0].iter().find_map(|event| match event.what {
        What::Enter { polls, .. } => polls,
        _ => None,
    });
    assert_eq!(polls, Some(Polls { calls: 7, within: 60 }));
}

#[test]
fn ranks_of_a_part_are_those_of_its_communicator() {
    let ranks = (0..4u32).map(|of| {
        let half = TracedMessage { communicator: Some(HALF), ..sent(20, of ^ 2) };
        let got = TracedMessage { communicator: Some(HALF), ..received(20, of ^ 2) };
        let made = Made::default().call("MPI_Sendrecv", Some(1), [20, 30], TracedKind::Alone, &[half, got]);
        let mut process = rank(of, 4, vec![made]);
        process.communicators.push(communicator("half", of / 2, 2, Some(u64::from(of % 2))));
        process
    });
    let run = run(ranks.collect());
    let (all, written) = events(&run);
    let peers: Vec<u32> = all.iter().map(|events| messages(events)[0].0.peer).collect();
    assert_eq!((peers, written.messages_on_world), (vec![1, 1, 0, 0], 0));
    let ranks = Ranks::of(&run).unwrap();
    let known = Communicators::of(&run, &ranks);
    let members: Vec<_> = known.all.iter().map(|known| known.members.clone().unwrap()).collect();
    assert_eq!(members, [vec![0, 1, 2, 3], vec![0, 2], vec![1, 3]]);
}

#[test]
fn what_is_not_known_of_a_communicator_is_told() {
    let made = |of: u32| {
        Made::default()
            .collective("MPI_Reduce", 1, [20, 30], 4, Some(1))
            .with("MPI_Start", [30, 31], &[TracedMessage { communicator: Some(HALF), ..sent(30, of ^ 1) }])
            .collective("MPI_Neighbor_allgather", 0, [40, 41], 5, None)
            .with("MPI_Send", [50, 51], &[sent(50, 9)])
            .collective("MPI_Ineighbor_allgather", 0, [60, 61], 6, None)
            .with(
                "MPI_Wait",
                [62, 70],
                &[TracedMessage { end: MessageSide::CollectiveDone, communicator: None, ..sent(60, 0) }],
            )
    };
    let ranks = (0..2).map(|of| {
        let mut process = rank(of, 2, vec![made(of)]);
        process.communicators.push(communicator("part", of, 3, None));
        process
    });
    let (all, written) = events(&run(ranks.collect()));
    assert_eq!((written.messages_left_out, written.collectives_left_out), (2, 4));
    // Of what is left out its end is, too.
    assert_eq!(written.requests_without_begin, 0);
    let ended = all[0].iter().find_map(|event| match event.what {
        What::CollectiveEnd(of) => Some(of),
        _ => None,
    });
    // It has a number of its own: calls of the world are not mixed with its.
    let expected = Collective { operation: 12, communicator: 1, root: NO_ROOT, sent: 64, received: 0 };
    assert_eq!(ended, Some(expected));
}

#[test]
fn requests_of_other_threads_and_of_calls_that_were_lost_have_a_begin() {
    let ranks = [
        rank(
            0,
            2,
            vec![
                Made::default().with("MPI_Waitall", [50, 60], &[received(10, 1), received(5, 1), done(3)]),
                Made::default().with("MPI_Irecv", [10, 11], &[]),
            ],
        ),
        rank(1, 2, vec![Made::default().with("MPI_Isend", [10, 11], &[sent(10, 0)])]),
    ];
    let (all, written) = events(&run(ranks.into()));
    assert_eq!(written.requests_without_begin, 2);
    assert_eq!(kinds(&all[0]), ["Enter 50", "IrecvRequest 50", "Irecv 60", "Irecv 60", "Leave 60"]);
    assert_eq!(kinds(&all[2]), ["Enter 10", "IrecvRequest 10", "Leave 11"]);
    // Nobody waits for it, and it is in the background all the same.
    assert_eq!(kinds(&all[1]), ["Enter 10", "Isend 10", "Leave 11"]);
}

#[test]
fn moments_go_forward_in_a_location() {
    let made = Made::default().plain("MPI_Init", [10, 30]).plain("MPI_Barrier", [29, 40]);
    let (all, written) = events(&run(vec![rank(0, 1, vec![made])]));
    assert_eq!(kinds(&all[0]), ["Enter 10", "Leave 30", "Enter 30", "Leave 40"]);
    assert_eq!(written.moments_moved, 1);
}

#[test]
fn hosts_are_brought_together_by_the_time_of_day() {
    let on = |of: u32, host: &str, zero: u64, span: [u64; 2]| -> Activity {
        let mut process = rank(of, 2, vec![Made::default().plain("MPI_Init", span)]);
        process.host = host.to_owned();
        process.began = Nanoseconds(zero + span[0] - 5);
        process.mpi.measured_mut().unwrap().initialised = Reading::Measured([Nanoseconds(5), Nanoseconds(9)]);
        process
    };
    let run = run(vec![on(0, "a", 1_000_000, [100, 200]), on(1, "b", 900_000, [100_150, 100_250])]);
    let (all, written) = events(&run);
    assert_eq!(written.clocks, HostClocks::ByTimeOfDay { hosts: 2 });
    let first: Vec<u64> = all.iter().map(|events| events[0].time).collect();
    assert_eq!(first, [100_100, 100_150]);
}

#[test]
fn broken_runs_are_refused_or_written_as_far_as_they_go() {
    assert!(matches!(Ranks::of(&run(Vec::new())), Err(Otf2Error::NoTrace)));
    for (of, size) in [(4, 4), (0, u32::MAX), (u32::MAX, u32::MAX)] {
        let broken = run(vec![rank(of, size, vec![Made::default()])]);
        assert!(matches!(Ranks::of(&broken), Err(Otf2Error::Ranks { .. })));
    }
    let mut made = Made::default().with("MPI_Send", [10, 20], &[sent(10, 1)]);
    made.0.calls[0].messages = u32::MAX;
    made.0.calls.push(numawise_facts::activity::TracedCall { site: 77, ..made.0.calls[0] });
    let trace: &ThreadTrace = &made.0;
    assert_eq!(trace.messages[0].end, MessageSide::Sent);
    let (all, _) = events(&run(vec![rank(0, 2, vec![made])]));
    assert_eq!(kinds(&all[0]), ["Enter 10", "Leave 20"]);
}

/// Two threads: the first one opens a region from 100 to 200 and waits at its end from 150 on; at a barrier it waits from 120 to 130. The other one
/// works from 105 to 190. It writes a file from 210 to 240. A phase lasts from 90 to 320, one that it overlaps from 310 to 330.
fn threaded() -> WatchedRun {
    let at = |address| Reading::Measured(CodeAddress { file: 0, address });
    let span =
        |of, begin, end, kind| TracedSpan { of, begin: Nanoseconds(begin), end: Nanoseconds(end), kind };
    let mut first =
        Made::default().plain("MPI_Init", [80, 85]).collective("MPI_Barrier", 0, [300, 305], 9, None);
    let phase = |name: &str| SpanName::Phase(PhaseName::Region(name.to_owned()));
    first.0.names = vec![
        SpanName::Construct(ConstructName::Parallel, at(1)),
        SpanName::Construct(ConstructName::Barrier, at(2)),
        phase("solve"),
        SpanName::Phase(PhaseName::Control(2)),
        SpanName::File(FileOperation::Write),
    ];
    first.0.spans = vec![
        span(1, 120, 130, SpanKind::Waited),
        span(0, 100, 200, SpanKind::Region { threads: 2, waits_since: Nanoseconds(150) }),
        span(2, 90, 320, SpanKind::Phase),
        span(3, 310, 330, SpanKind::Phase),
        span(4, 210, 240, SpanKind::File),
    ];
    let mut other = Made::default();
    other.0.names = vec![SpanName::Construct(ConstructName::Parallel, at(1))];
    other.0.spans = vec![span(0, 105, 190, SpanKind::Worked { master: Pid(0), begun: Nanoseconds(100) })];
    run(vec![rank(0, 1, vec![first, other])])
}

#[test]
fn regions_waits_and_phases_lie_within_one_another() {
    let (all, written) = events(&threaded());
    let phase_and_region = ["Enter 90", "Enter 100", "ThreadFork 100", "Enter 120", "Leave 130", "Enter 150"];
    let ends = ["Leave 200", "ThreadJoin 200", "Leave 200", "Enter 210", "Leave 240"];
    let call = ["Enter 300", "CollectiveBegin 300", "CollectiveEnd 305", "Leave 305"];
    // The phase that is begun in another one ends with that.
    let end = ["Enter 310", "Leave 320", "Leave 320"];
    let init = ["Enter 80", "Leave 85"];
    let parts = [&init[..], &phase_and_region, &ends, &call, &end];
    assert_eq!(kinds(&all[0]), parts.concat());
    assert_eq!(kinds(&all[1]), ["Enter 105", "Enter 190", "Leave 200", "Leave 200"]);
    assert_eq!((written.threads, written.moments_moved), (0, 0));
}

#[test]
fn otf2_print_reads_threads_and_phases() {
    let folder = tempfile::tempdir().unwrap();
    let written = match write(folder.path(), &threaded()) {
        Err(Otf2Error::LibraryMissing { problem }) => return eprintln!("SKIPPED: no libotf2 ({problem})"),
        written => written.unwrap(),
    };
    assert_eq!((written.calls, written.threads), (2, 2));
    let Some(printed) = printed(&written.anchor) else { return };
    for expected in [
        "!$omp parallel",
        "!$omp implicit barrier",
        "!$omp barrier",
        "\"solve\"",
        "THREAD_FORK",
        "file access: write",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let back = crate::read(&written.anchor).unwrap();
    let threads = back.run.processes[0].threads.measured().unwrap();
    let [first, other] = [0, 1].map(|number: usize| threads[number].trace.as_ref().unwrap());
    assert_eq!(first.calls.len(), 2);
    let spans = |of: &ThreadTrace| -> Vec<(u64, u64, SpanKind)> {
        of.spans.iter().map(|span| (span.begin.0, span.end.0, span.kind)).collect()
    };
    let region = SpanKind::Region { threads: 2, waits_since: Nanoseconds(150) };
    assert_eq!(spans(first), [(120, 130, SpanKind::Waited), (100, 200, region), (210, 240, SpanKind::File)]);
    let worked = SpanKind::Worked { master: threads[0].tid, begun: Nanoseconds(100) };
    assert_eq!(spans(other), [(105, 190, worked)]);
}

/// What `otf2-print` says of an archive; nothing where it is not installed.
fn printed(anchor: &Path) -> Option<String> {
    let output = match Command::new("otf2-print").arg(anchor).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("SKIPPED: no otf2-print ({error})");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn otf2_print_reads_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("a folder/trace");
    let written = match write(&folder, &ring()) {
        Err(Otf2Error::LibraryMissing { problem }) => return eprintln!("SKIPPED: no libotf2 ({problem})"),
        written => written.unwrap(),
    };
    assert!(matches!(write(&folder, &ring()), Err(Otf2Error::Exists { .. })));
    let Some(printed) = printed(&written.anchor) else { return };
    let count = |kind: &str| {
        printed.lines().filter(|line| line.split_whitespace().next() == Some(kind)).count() as u64
    };
    assert_eq!((count("ENTER"), count("LEAVE")), (written.calls, written.calls));
    assert_eq!(count("MPI_SEND") + count("MPI_ISEND"), written.sent);
    assert_eq!(count("MPI_RECV") + count("MPI_IRECV"), written.received);
    assert_eq!((count("MPI_ISEND_COMPLETE"), count("MPI_IRECV_REQUEST")), (4, 4));
    assert_eq!((count("MPI_COLLECTIVE_BEGIN"), count("MPI_COLLECTIVE_END")), (8, 8));
    let begun = ["NON_BLOCKING_COLLECTIVE_REQUEST", "NON_BLOCKING_COLLECTIVE_COMPLETE"].map(count);
    assert_eq!(begun, [4, 4]);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    match write(&file.path().join("trace"), &ring()) {
        Err(Otf2Error::LibraryMissing { problem }) => eprintln!("SKIPPED: no libotf2 ({problem})"),
        Err(error) => assert!(error.to_string().contains(&file.path().display().to_string()), "{error}"),
        Ok(_) => panic!("a file is no folder"),
    }
}

#[test]
fn otf2_print_reads_ranks_without_a_trace_and_several_worlds() {
    let made = |of: u32| Made::default().with("MPI_Send", [30, 40], &[sent(30, of ^ 1)]);
    let ranks = [(0, 2), (0, 2), (1, 2), (2, 3)];
    let run = run(ranks.iter().map(|(of, size)| rank(*of, *size, vec![made(*of & 1)])).collect());
    let folder = tempfile::tempdir().unwrap();
    let written = match write(folder.path(), &run) {
        Err(Otf2Error::LibraryMissing { problem }) => return eprintln!("SKIPPED: no libotf2 ({problem})"),
        written => written.unwrap(),
    };
    // Worlds of 2, 2 and 3 ranks.
    assert_eq!((written.ranks, written.threads, written.ranks_without_trace), (7, 4, 3));
    let Some(printed) = printed(&written.anchor) else { return };
    let calls = printed.lines().filter(|line| line.starts_with("ENTER")).count();
    assert_eq!(calls as u64, written.calls);
}
