use numawise_facts::activity::{MessageSide, ThreadTrace, TracedKind, TracedMessage};
use numawise_facts::{Activity, Reading, WatchedRun};

use super::definitions::{Comm, Group, Location, LocationGroup, Region};
use super::*;
use crate::event::{Collective, Event, Message, NO_ROOT, What};
use crate::ffi;
use crate::sample::{Made as Calls, done, rank, received, ring, run as run_of, sent};

/// Definitions that grow by what a test needs: location numbers are 1000 times the rank.
struct Made {
    definitions: Definitions,
    lanes: Vec<(u64, Vec<Event>)>,
    is_ours: bool,
}

const NAMES: [&str; 12] = [
    "",
    "MPI_COMM_WORLD",
    "MPI_Send",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Barrier",
    "mpi_bcast_",
    "main",
    "MPI_Test",
    "MPI_Ibarrier",
    "half",
];
const SEND: u32 = 2;
const RECV: u32 = 3;
const IRECV: u32 = 4;
const WAIT: u32 = 5;
const BARRIER: u32 = 6;
const BCAST: u32 = 7;
const MAIN: u32 = 8;
const TEST: u32 = 9;
const IBARRIER: u32 = 10;
const HALF_NAME: u32 = 11;

fn group(number: u32, kind: u8, members: &[u64]) -> Group {
    Group { number, kind, paradigm: ffi::PARADIGM_MPI, flags: 0, members: members.to_vec() }
}

impl Made {
    /// Ranks of one world, as EZTrace numbers groups: two have the number 0.
    fn ranks(ranks: u64) -> Made {
        let mut definitions = Definitions { clock: Some(Clock::default()), ..Definitions::default() };
        for (number, name) in NAMES.iter().enumerate() {
            definitions.strings.insert(number as u32, (*name).to_owned());
            let region = Region { name: number as u32, file: 0, role: 0, paradigm: 0 };
            definitions.regions.insert(number as u32, region);
        }
        for rank in 0..ranks {
            let name = 100 + rank as u32;
            definitions.strings.insert(name, format!("P#{}", ranks - 1 - rank));
            definitions.processes.insert(rank as u32, LocationGroup { name, node: 0 });
            let location = Location { group: rank as u32, kind: 1, events: 0 };
            definitions.locations.insert(1000 * rank, location);
        }
        let all: Vec<u64> = (0..ranks).collect();
        let locations: Vec<u64> = all.iter().map(|rank| 1000 * rank).collect();
        definitions.groups.push(group(0, ffi::GROUP_COMM_LOCATIONS, &locations));
        definitions.groups.push(group(0, ffi::GROUP_COMM, &all));
        definitions.comms.insert(0, Comm { name: 1, group: 0, other: None });
        Made { definitions, lanes: Vec::new(), is_ours: true }
    }

    fn comm(mut self, number: u32, kind: u8, members: &[u64]) -> Made {
        self.definitions.groups.push(group(number, kind, members));
        self.definitions.comms.insert(number, Comm { name: HALF_NAME, group: number, other: None });
        self
    }

    fn lane(mut self, location: u64, events: &[(u64, What)]) -> Made {
        let events = events.iter().map(|(time, what)| Event { time: *time, what: *what }).collect();
        self.lanes.push((location, events));
        self
    }

    fn read(self) -> (WatchedRun, Vec<Assumption>) {
        let (definitions, clock) = (self.definitions, Clock::default());
        let regions = Regions::of(&definitions, self.is_ours);
        let lane = |(location, events): &(u64, Vec<Event>)| {
            let mut lane = Lane::new(*location, &regions, clock);
            events.iter().for_each(|event| lane.take(*event));
            lane.finish();
            lane
        };
        let lanes: Vec<Lane<'_>> = self.lanes.iter().map(lane).collect();
        let mut assumed = Assumed::default();
        let run = run(Path::new("made.otf2"), &definitions, clock, &regions, &lanes, &mut assumed);
        assumed.0.sort_unstable();
        (run, assumed.0)
    }
}

fn enter(region: u32) -> What {
    What::Enter { region, at: Default::default(), polls: None }
}

fn to(peer: u32, communicator: u32) -> Message {
    Message { peer, communicator, tag: 3, bytes: 8 }
}

fn all(communicator: u32) -> What {
    What::CollectiveEnd(Collective { operation: 0, communicator, root: NO_ROOT, sent: 4, received: 4 })
}

/// A call from one moment to another, with what happens at its end.
fn call(region: u32, span: [u64; 2], what: &[What]) -> Vec<(u64, What)> {
    let mut events = vec![(span[0], enter(region))];
    events.extend(what.iter().map(|what| (span[1], *what)));
    events.push((span[1], What::Leave(region)));
    events
}

fn trace(activity: &Activity) -> &ThreadTrace {
    activity.threads.measured().unwrap()[0].trace.as_deref().unwrap()
}

/// Names, begins and ends.
fn calls(activity: &Activity) -> Vec<(String, u64, u64)> {
    let trace = trace(activity);
    let call = |call: &numawise_facts::activity::TracedCall| {
        (trace.sites[call.site as usize].call.clone(), call.begin.0, call.end.0)
    };
    trace.calls.iter().map(call).collect()
}

fn keys(activity: &Activity) -> Vec<Option<u64>> {
    let key = |call: &numawise_facts::activity::TracedCall| match call.kind {
        TracedKind::Collective { key, .. } => Some(key.get()),
        _ => None,
    };
    trace(activity).calls.iter().map(key).collect()
}

/// What is known without the archive's own accounts, which tests leave out.
fn assumed(found: &[Assumption]) -> Vec<Assumption> {
    let is_account =
        |of: &&Assumption| matches!(of, Assumption::OtherEvents { .. } | Assumption::OtherLength { .. });
    found.iter().filter(|of| !is_account(of)).copied().collect()
}

#[test]
fn ranks_are_those_of_the_list_of_locations() {
    let made = Made::ranks(2)
        .lane(0, &call(SEND, [10, 20], &[What::Send(to(1, 0))]))
        .lane(1000, &call(RECV, [5, 30], &[What::Recv(to(0, 0))]));
    let (run, found) = made.read();
    assert_eq!(assumed(&found), []);
    let ranks: Vec<_> =
        run.processes.iter().map(|of| of.mpi.measured().unwrap().rank.measured().copied().unwrap()).collect();
    assert_eq!((ranks[0].rank, ranks[1].rank, ranks[1].size), (0, 1, 2));
    let [sent, got] = [0, 1].map(|rank| trace(&run.processes[rank]).messages[0]);
    assert_eq!((sent.end, sent.peer, sent.posted.0), (MessageSide::Sent, 1, 10));
    assert_eq!((got.end, got.peer, got.posted.0), (MessageSide::Received, 0, 5));
    assert_eq!(sent.communicator, got.communicator);
    let known = &run.processes[1].communicators[0];
    assert_eq!((known.name.as_str(), known.size, known.rank), ("MPI_COMM_WORLD", 2, 1));
}

#[test]
fn without_a_list_names_say_which_rank_it_is_and_else_the_order() {
    let made = |groups: bool| {
        let mut made =
            Made::ranks(2).lane(0, &call(BARRIER, [1, 2], &[])).lane(1000, &call(BARRIER, [1, 3], &[]));
        made.definitions.groups.clear();
        if !groups {
            made.definitions.strings.insert(100, "first".to_owned());
        }
        made.read()
    };
    // Names count the other way around.
    let (run, found) = made(true);
    assert_eq!(assumed(&found), [Assumption::RanksByNames]);
    assert_eq!(calls(&run.processes[0])[0].2, 3);
    let (run, found) = made(false);
    assert_eq!(assumed(&found), [Assumption::RanksByOrder]);
    assert_eq!(calls(&run.processes[0])[0].2, 2);
}

#[test]
fn calls_are_the_outermost_ones_by_their_names_in_c() {
    let events = [
        (1, enter(MAIN)),
        (2, enter(BCAST)),
        (3, enter(SEND)),
        (4, What::Send(to(1, 0))),
        (5, What::Leave(SEND)),
        (6, What::Leave(BCAST)),
        (7, What::Leave(SEND)),
        (8, enter(BARRIER)),
        (9, enter(MAIN)),
        (10, What::Leave(BARRIER)),
        (11, enter(WAIT)),
        (9, What::Leave(WAIT)),
        (12, enter(RECV)),
        (13, What::ProgramEnd),
    ];
    let (run, found) = Made::ranks(2).lane(0, &events).read();
    let expected = [("MPI_Bcast", 2, 6), ("MPI_Barrier", 8, 10), ("MPI_Wait", 11, 11), ("MPI_Recv", 12, 13)];
    assert_eq!(calls(&run.processes[0]), expected.map(|(name, begin, end)| (name.to_owned(), begin, end)));
    let odd = [Assumption::Unbalanced { regions: 4 }, Assumption::MomentsMoved { events: 1 }];
    assert_eq!(assumed(&found), odd);
    let place = run.places.values().next().unwrap();
    assert_eq!(place.function, Reading::Measured("main".to_owned()));
}

#[test]
fn requests_are_found_by_their_numbers_though_these_come_again() {
    let irecv = |begin: u64, request| call(IRECV, [begin, begin + 1], &[What::IrecvRequest(request)]);
    let wait = |span, request| call(WAIT, span, &[What::Irecv(to(1, 0), request)]);
    // 7 is begun three times and comes once; 8 comes twice and was begun once.
    let events = [irecv(10, 7), irecv(20, 7), wait([30, 40], 7), irecv(50, 7), irecv(60, 8)];
    let more = [wait([70, 80], 8), wait([90, 95], 8)];
    let (run, found) = Made::ranks(2).lane(0, &[events.concat(), more.concat()].concat()).read();
    let posted: Vec<u64> = trace(&run.processes[0]).messages.iter().map(|message| message.posted.0).collect();
    assert_eq!(posted, [20, 60, 90]);
    let expected = [
        Assumption::ReceivesNotCompleted { requests: 2 },
        Assumption::RequestsNotBegun { requests: 1 },
        Assumption::RequestNumbersAgain { requests: 1 },
    ];
    assert_eq!(assumed(&found), expected);
}

#[test]
fn collective_calls_have_one_number_in_all_their_ranks() {
    let made = Made::ranks(4).comm(5, ffi::GROUP_COMM, &[0, 2]).comm(6, ffi::GROUP_COMM, &[1, 3]).comm(
        7,
        ffi::GROUP_COMM_SELF,
        &[],
    );
    let made = (0..4u32).fold(made, |made, rank| {
        let events = [
            call(BARRIER, [10, 20], &[all(5 + rank % 2)]),
            call(IBARRIER, [20, 21], &[all(0)]),
            call(BARRIER, [30, 40], &[all(0)]),
            call(BARRIER, [40, 41], &[all(7)]),
            call(BARRIER, [50, 60], &[all(5 + rank % 2)]),
        ];
        made.lane(1000 * u64::from(rank), &events.concat())
    });
    let (run, found) = made.read();
    assert_eq!(assumed(&found), []);
    let keys: Vec<Vec<Option<u64>>> = run.processes.iter().map(keys).collect();
    assert_eq!((&keys[0], &keys[1]), (&keys[2], &keys[3]));
    assert_eq!(keys[0][2], keys[1][2]);
    assert!(keys[0][0] != keys[1][0] && keys[0][0] != keys[0][4] && keys[0][2].is_some());
    // One that is only begun is one of them, and alone there is none.
    assert_eq!((keys[0][1].is_some(), keys[0][3]), (true, None));
}

#[test]
fn a_communicator_with_another_number_in_each_process_is_one() {
    let made = Made::ranks(3)
        .comm(5, ffi::GROUP_COMM, &[0, 2])
        .comm(6, ffi::GROUP_COMM, &[0, 2])
        .lane(0, &[call(SEND, [1, 2], &[What::Send(to(1, 5))]), call(BARRIER, [5, 9], &[all(5)])].concat())
        .lane(
            2000,
            &[call(RECV, [1, 3], &[What::Recv(to(0, 6))]), call(BARRIER, [6, 9], &[all(6)])].concat(),
        );
    let (run, found) = made.read();
    assert_eq!(assumed(&found), [Assumption::CommunicatorsJoined { communicators: 1 }]);
    let of = |rank: u32| {
        let is_it = |of: &&Activity| of.mpi.measured().unwrap().rank.measured().unwrap().rank == rank;
        run.processes.iter().find(is_it).unwrap()
    };
    let [sent, got] = [of(0), of(2)].map(|of| trace(of).messages[0]);
    assert_eq!((sent.peer, got.peer), (2, 0));
    assert_eq!((sent.communicator, keys(of(0))), (got.communicator, keys(of(2))));
}

#[test]
fn calls_that_found_nothing_are_one() {
    let test = |span| call(TEST, span, &[]);
    let found = call(TEST, [30, 31], &[What::Irecv(to(1, 0), 7)]);
    let events = [call(IRECV, [1, 2], &[What::IrecvRequest(7)]), test([10, 12]), test([20, 23]), found];
    let kinds = |is_ours| {
        let (run, _) = Made { is_ours, ..Made::ranks(2) }.lane(0, &events.concat()).read();
        let kinds = trace(&run.processes[0]).calls.iter().map(|call| call.kind);
        (kinds.collect::<Vec<TracedKind>>(), run)
    };
    // Archives of ours say of each call whether it did.
    assert_eq!(kinds(true).0, [TracedKind::Alone; 4]);
    let (kinds, run) = kinds(false);
    let polls = TracedKind::Polls { calls: 2, within: Nanoseconds(5) };
    assert_eq!(kinds, [TracedKind::Alone, polls, TracedKind::Alone]);
    assert_eq!(calls(&run.processes[0])[1], ("MPI_Test".to_owned(), 10, 23));
}

#[test]
fn what_refers_to_nothing_is_left_out() {
    let events = [
        call(SEND, [1, 2], &[What::Send(to(9, 0)), What::Send(to(0, 77)), What::IsendComplete(3)]),
        vec![(3, What::Send(to(1, 0))), (4, all(0))],
        call(BARRIER, [5, 6], &[all(77)]),
    ];
    let (run, found) = Made::ranks(2).lane(0, &events.concat()).read();
    assert_eq!(trace(&run.processes[0]).messages, Vec::<TracedMessage>::new());
    let expected = [
        Assumption::CommunicatorsUnknown { events: 2 },
        Assumption::PeersUnknown { messages: 1 },
        Assumption::RequestsNotBegun { requests: 1 },
        Assumption::OutsideOfCalls { events: 2 },
    ];
    assert_eq!(assumed(&found), expected);
}

/// Two ranks that send each other a message: when these are sent and have come.
fn exchange([to_one, one_has]: [u64; 2], [to_zero, zero_has]: [u64; 2]) -> (WatchedRun, Vec<Assumption>) {
    let send = |begin: u64, peer| (begin, call(SEND, [begin, begin + 1], &[What::Send(to(peer, 0))]));
    let recv = |end: u64, peer| (end, call(RECV, [end - 1, end], &[What::Recv(to(peer, 0))]));
    let lane = |mut calls: [(u64, Vec<(u64, What)>); 2]| {
        calls.sort_by_key(|(at, _)| *at);
        calls.map(|(_, events)| events).concat()
    };
    Made::ranks(2)
        .lane(0, &lane([send(to_one, 1), recv(zero_has, 1)]))
        .lane(1000, &lane([recv(one_has, 0), send(to_zero, 0)]))
        .read()
}

#[test]
fn clocks_are_moved_by_the_least_that_lets_nothing_come_too_early() {
    // Nothing contradicts: no clock is moved.
    assert_eq!(assumed(&exchange([100, 150], [200, 210]).1), []);
    // Rank 1 is behind: by 900 at least, by 950 at most.
    let (run, found) = exchange([1000, 100], [200, 1150]);
    assert_eq!(assumed(&found), [Assumption::ClockMoved { rank: 1, by: Nanoseconds(900) }]);
    assert_eq!(calls(&run.processes[1])[0].2, 1000);
    assert_eq!(trace(&run.processes[1]).messages[1].posted, Nanoseconds(1100));
    // Rank 0 is behind.
    let (_, found) = exchange([100, 1190], [1200, 150]);
    assert_eq!(assumed(&found), [Assumption::ClockMoved { rank: 0, by: Nanoseconds(1050) }]);
}

#[test]
fn clocks_that_no_move_makes_agree_are_told() {
    // One way 900 are missing, the other way 100: whatever is done, 500 are left in the mean.
    let (_, found) = exchange([1000, 100], [200, 100]);
    let left = found.iter().find_map(|of| match of {
        Assumption::ClocksContradict { by } => Some(by.0),
        _ => None,
    });
    assert!(left.is_some_and(|left| (500..=520).contains(&left)), "{found:?}");
}

#[test]
fn a_barrier_moves_clocks_of_ranks_that_send_nothing() {
    let made = Made::ranks(3)
        .lane(0, &call(BARRIER, [1000, 1010], &[all(0)]))
        .lane(1000, &call(BARRIER, [5, 15], &[all(0)]))
        .lane(2000, &call(BARRIER, [900, 1020], &[all(0)]));
    let (_, found) = made.read();
    assert_eq!(assumed(&found), [Assumption::ClockMoved { rank: 1, by: Nanoseconds(985) }]);
}

#[test]
fn ticks_become_nanoseconds() {
    let clock = Clock { ticks: 3_000_000_000, offset: 3_000, length: 0, day: 5_000 };
    assert_eq!((clock.nanoseconds(6_000), clock.nanoseconds(u64::MAX)), (2_000, 6_148_914_691_236_517_205));
    assert_eq!((clock.day(2_000), clock.length()), (Some(6_000), None));
    let broken = Clock { ticks: 0, ..clock };
    assert_eq!(broken.nanoseconds(7), 7);
    assert_eq!(Clock { ticks: 1, ..clock }.nanoseconds(u64::MAX), u64::MAX);
}

/// Nothing where libotf2 is not installed.
fn written(run: &WatchedRun) -> Option<(tempfile::TempDir, crate::Written)> {
    let folder = tempfile::tempdir().unwrap();
    match crate::write(folder.path(), run) {
        Ok(written) => Some((folder, written)),
        Err(Otf2Error::LibraryMissing { problem }) => {
            eprintln!("SKIPPED: no libotf2 ({problem})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn what_was_written_is_read_back() {
    let Some((_folder, written)) = written(&ring()) else { return };
    let found = read(&written.anchor).unwrap();
    assert_eq!((found.creator.as_str(), found.assumed.as_slice()), ("numawise", &[][..]));
    let (ours, theirs) = (ring(), found.run);
    assert_eq!(theirs.header.command.shell_line(), "/bin/prog");
    for (ours, theirs) in ours.processes.iter().zip(&theirs.processes) {
        assert_eq!(theirs.host, "node1");
        assert_eq!(calls(theirs), calls(ours));
        let (ours, theirs) = (trace(ours), trace(theirs));
        let without_key = |trace: &ThreadTrace| -> Vec<_> {
            let kind = |kind| match kind {
                TracedKind::Collective { root, .. } => (true, root, 0, 0),
                TracedKind::Polls { calls, within } => (false, None, calls, within.0),
                TracedKind::LeftOut { calls } => (false, None, calls, 0),
                TracedKind::Alone => (false, None, 0, 0),
            };
            trace.calls.iter().map(|call| (kind(call.kind), call.bytes, call.messages)).collect()
        };
        assert_eq!(without_key(theirs), without_key(ours));
        let plain = |trace: &ThreadTrace| -> Vec<_> {
            trace.messages.iter().map(|of| TracedMessage { communicator: None, ..*of }).collect()
        };
        assert_eq!(plain(theirs), plain(ours));
    }
    let all: Vec<_> = theirs.processes.iter().map(keys).collect();
    assert_eq!((&all[0], &all[1]), (&all[2], &all[3]));
    assert!(theirs.places.values().all(|place| place.line == Reading::Measured(42)));
    assert!(theirs.places.values().all(|place| place.function == Reading::Measured("exchange".to_owned())));
}

#[test]
fn broken_archives_are_errors_or_read_in_part() {
    let Some((folder, written)) = written(&ring()) else { return };
    let missing = read(&folder.path().join("none.otf2")).unwrap_err();
    assert!(matches!(missing, Otf2Error::CannotOpen { .. }), "{missing}");
    assert!(matches!(read(folder.path()).unwrap_err(), Otf2Error::CannotOpen { .. }));
    let events = folder.path().join("traces/2.evt");
    let whole = std::fs::read(&events).unwrap();
    std::fs::write(&events, &whole[..whole.len() / 2]).unwrap();
    let part = read(&written.anchor).unwrap();
    assert!(part.assumed.contains(&Assumption::LocationsUnread { locations: 1 }), "{:?}", part.assumed);
    std::fs::remove_file(&events).unwrap();
    let part = read(&written.anchor).unwrap();
    assert!(part.assumed.contains(&Assumption::LocationsUnread { locations: 1 }), "{:?}", part.assumed);
    std::fs::remove_file(folder.path().join("traces.def")).unwrap();
    let error = read(&written.anchor).unwrap_err();
    assert!(matches!(error, Otf2Error::Read { .. }), "{error}");
    std::fs::write(&written.anchor, "no archive\n").unwrap();
    let error = read(&written.anchor).unwrap_err();
    assert!(matches!(error, Otf2Error::CannotOpen { .. }), "{error}");
}

#[test]
fn threads_of_a_rank_and_ranks_without_a_trace_are_kept_apart() {
    let waits = Calls::default().with("MPI_Waitall", [50, 60], &[received(10, 2), done(20)]);
    let begins =
        Calls::default().with("MPI_Irecv", [10, 11], &[]).with("MPI_Isend", [20, 21], &[sent(20, 2)]);
    let other = Calls::default().with("MPI_Sendrecv", [30, 40], &[sent(30, 0), received(30, 0)]);
    // Of rank 1 nothing is known.
    let run = run_of(vec![rank(0, 3, vec![waits, begins]), rank(2, 3, vec![other])]);
    let Some((_folder, written)) = written(&run) else { return };
    assert_eq!((written.ranks, written.threads, written.ranks_without_trace), (3, 3, 1));
    let found = read(&written.anchor).unwrap();
    assert_eq!(found.assumed, []);
    let threads = |of: &Activity| -> Vec<Vec<TracedMessage>> {
        let all = of.threads.measured().unwrap().iter().filter_map(|thread| thread.trace.as_deref());
        let plain = |of: &TracedMessage| TracedMessage { communicator: None, ..*of };
        all.map(|trace| trace.messages.iter().map(plain).collect()).collect()
    };
    let theirs: Vec<_> = found.run.processes.iter().map(threads).collect();
    assert_eq!((theirs[0].len(), theirs[1].len()), (2, 0));
    assert_eq!([&theirs[0], &theirs[2]], [&threads(&run.processes[0]), &threads(&run.processes[1])]);
}

#[test]
fn worlds_stay_apart() {
    let made =
        |of: u32| Calls::default().with("MPI_Sendrecv", [30, 40], &[sent(30, of ^ 1), received(30, of ^ 1)]);
    let run = run_of((0..4).map(|of| rank(of % 2, 2, vec![made(of % 2)])).collect());
    let Some((_folder, written)) = written(&run) else { return };
    let found = read(&written.anchor).unwrap();
    assert_eq!(found.assumed, []);
    let of = |of: &Activity| {
        let mpi = of.mpi.measured().unwrap();
        (mpi.world, mpi.rank.measured().unwrap().rank, trace(of).messages[0].peer)
    };
    let all: Vec<_> = found.run.processes.iter().map(of).collect();
    assert_eq!(all, [(Some(0), 0, 1), (Some(0), 1, 0), (Some(1), 0, 1), (Some(1), 1, 0)]);
}
