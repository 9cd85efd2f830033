//! The snapshot of a run.

mod merged;
mod seen;
mod streams;
mod traced;

use std::path::PathBuf;

use numawise_facts::activity::{
    ActivityLosses, ActivityPhases, CacheTraffic, CallSample, CallSite, CallTime, CodeAddress, CodeFile,
    Communicator, Construct, ConstructName, ConstructTeam, CountedEvents, CounterAccess, CounterCount,
    CounterEvent, CpuStays, FileActivity, FileCalls, KernelIo, LastCall, LoopChunks, MemoryByNode,
    MemoryMoment, MessageFamily, MessageSizes, MpiActivity, MpiLibrary, OpenMpRuntimes, OpenMpSchedule,
    PeerTraffic, PhaseActivity, PhaseName, ProcessCounters, ProcessEnd, ProcessIo, ProcessSurroundings,
    SampledCall, SourcePlace, StateTimes, ThreadActivity, ThreadRole, ThreadSwitches, WorldRank,
};
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{
    Activity, Exit, MachineOfHosts, RanksByThreads, Reading, ResourceUsage, RunSpec, SourcePlaces,
    WatchedDivision, WatchedRun, WatchedRunHeader,
};
use numawise_record::{
    Existing, RecordError, RecordKind, kind, read_watched_run, save_watched_run, watched_run_may_be_saved,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};
use rusqlite::Connection;

use crate::{objects, sample};
pub use merged::merged_run;
pub use seen::seen_run;
pub use traced::{spanned_run, traced_run};

const SECOND: u64 = 1_000_000_000;

fn seconds(share: f64) -> Nanoseconds {
    Nanoseconds((share * SECOND as f64) as u64)
}

fn at(address: u64) -> Reading<CodeAddress> {
    Reading::Measured(CodeAddress { file: 0, address })
}

fn construct() -> Construct {
    Construct {
        key: u64::MAX - 5,
        parent: 1,
        name: ConstructName::Parallel,
        at: at(0x2000),
        schedule: Reading::Measured(OpenMpSchedule::Dynamic),
        calls: 10,
        opened: 10,
        wall: seconds(0.5),
        times: StateTimes { useful: seconds(0.4), barrier: seconds(0.1), ..StateTimes::default() },
        longest: seconds(0.02),
        chunks: LoopChunks { count: 41, iterations: 41, trips: 82, size: 1 },
        team: Reading::Measured(ConstructTeam { least: 2, most: 2 }),
    }
}

fn thread(tid: i32, is_first: bool) -> ThreadActivity {
    ThreadActivity {
        tid: Pid(tid),
        is_first,
        lives: 1,
        start: if is_first { Reading::unavailable("it began the process") } else { at(0x3000) },
        role: Reading::Measured(if is_first { ThreadRole::Worker } else { ThreadRole::OpenMp }),
        begin: Nanoseconds(1000),
        end: Reading::unavailable("it lived on when the process was seen last"),
        times: Reading::Measured(StateTimes {
            useful: seconds(1.0),
            mpi: seconds(if is_first { 0.5 } else { 0.0 }),
            barrier: seconds(0.1),
            ..StateTimes::default()
        }),
        processor: Reading::Measured(seconds(1.5)),
        switches: Reading::Measured(ThreadSwitches { voluntary: 3, forced: 1 }),
        cpus: Reading::Measured(CpuStays {
            cpus: vec![(CpuId(0), 5), (CpuId(3), 1)],
            others: 0,
            migrations: 1,
        }),
        mask: Reading::Measured("0-3".parse().unwrap()),
        run_delay: Reading::Measured(seconds(0.01)),
        cpu_time_on: Reading::Measured(vec![(CpuId(0), seconds(1.4)), (CpuId(3), seconds(0.1))]),
        calls: vec![CallSite {
            call: "MPI_Allreduce".to_owned(),
            at: at(0x1234),
            communicator: Some(0),
            calls: CallTime { count: 100, time: seconds(0.5) },
            longest: seconds(0.1),
            sent: Reading::Measured(Bytes(800)),
            received: Reading::unavailable("the binary interface of this MPI is not known"),
        }],
        last_call: None,
        lost_calls: CallTime::default(),
        peers: vec![PeerTraffic {
            rank: 1,
            sent_messages: 7,
            sent: Bytes(56),
            received_messages: 7,
            received: Bytes(56),
            fetched: Bytes(0),
        }],
        lost_messages: [0, 0],
        messages: vec![MessageSizes { family: MessageFamily::Collective, bits: 4, messages: 100 }],
        constructs: vec![construct()],
        lost_constructs: 0,
        files: files(),
        trace: None,
    }
}

fn files() -> FileActivity {
    let calls = |count: u64, bytes| FileCalls {
        count,
        time: seconds(0.01),
        longest: seconds(0.002),
        bytes: Bytes(bytes),
    };
    FileActivity {
        read: calls(10, 40_960),
        written: calls(20, 81_920),
        synced: calls(1, 0),
        managed: calls(4, 0),
        disk_wait: Reading::unavailable("the kernel does not account it"),
    }
}

fn kernel_io() -> KernelIo {
    KernelIo::from_numbers([50_000, 82_000, 4096, 81_920, 0])
}

fn phases() -> ActivityPhases {
    let rows = [
        PhaseName::Region("solve".to_owned()),
        PhaseName::ThreadRegion("sweep".to_owned()),
        PhaseName::Control(-2),
    ];
    let row = |name| PhaseActivity {
        name,
        calls: 3,
        elapsed: seconds(0.6),
        longest: seconds(0.3),
        times: StateTimes { useful: seconds(0.9), mpi: seconds(0.3), ..StateTimes::default() },
        mpi_outside: seconds(0.3),
        threads: 2,
        is_open: false,
    };
    ActivityPhases { rows: rows.into_iter().map(row).collect(), lost: 1, unbalanced: 2 }
}

fn counters() -> ProcessCounters {
    let one = |event, name: &str, counted| CounterCount {
        event,
        name: name.to_owned(),
        cores: String::new(),
        counted,
    };
    let counted =
        |count, on| Reading::Measured(CountedEvents { count, wanted: seconds(1.6), on: seconds(on) });
    let vector = CounterEvent::FpInstructions { bits: 256, operations: 4 };
    ProcessCounters {
        with_children: false,
        counts: vec![
            one(CounterEvent::Cycles, "cycles", counted(5_000_000_000, 1.6)),
            one(vector, "FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", counted(u64::MAX >> 3, 0.4)),
            one(CounterEvent::RemoteMemory, "remote", Reading::unavailable("the kernel knows no such event")),
        ],
    }
}

fn process(rank: u32) -> Activity {
    Activity {
        pid: Pid(4000 + rank.cast_signed()),
        parent: Pid(3999),
        host: "box".to_owned(),
        program: "./app".to_owned(),
        began: Nanoseconds(1_700_000_000 * SECOND),
        elapsed: Reading::Measured(seconds(1.7)),
        end: ProcessEnd::Exit,
        is_forked: false,
        is_sandboxed: false,
        mpi: Reading::Measured(MpiActivity {
            library: MpiLibrary::OpenMpi,
            has_several: false,
            rank: Reading::Measured(WorldRank { rank, size: 2 }),
            world: None,
            initialised: Reading::Measured([seconds(0.01), seconds(0.1)]),
            finalised: Reading::unavailable("MPI_Finalize was not called"),
            first_thread: None,
        }),
        openmp: Reading::Measured(OpenMpRuntimes { libgomp: true, ompt: false, has_other_tool: false }),
        files: vec![CodeFile { path: String::new() }],
        communicators: vec![Communicator {
            name: "MPI_COMM_WORLD".to_owned(),
            size: 2,
            rank,
            lives: 1,
            is_inter: false,
            members: Reading::Measured(u64::MAX - 1),
        }],
        threads: Reading::Measured(vec![thread(4000 + rank.cast_signed(), true), thread(4010, false)]),
        surroundings: ProcessSurroundings {
            peak_memory: Reading::Measured(Bytes::mib(70)),
            swapped: Reading::Measured(Bytes(0)),
            switches: Reading::Measured(ThreadSwitches { voluntary: 30, forced: 4 }),
            memory: Reading::Measured(MemoryByNode {
                last: MemoryMoment { at: seconds(1.6), by_node: vec![(NodeId(0), Bytes::mib(60))] },
                most: MemoryMoment { at: seconds(0.8), by_node: vec![(NodeId(0), Bytes::mib(64))] },
            }),
            counters: Reading::Measured(counters()),
        },
        io: ProcessIo {
            kernel: Reading::Measured(kernel_io()),
            at_begin: Reading::Measured(KernelIo::default()),
            sees_streams: true,
        },
        phases: Reading::Measured(phases()),
        samples: Reading::Measured(vec![CallSample {
            kind: SampledCall::Collective,
            key: u64::MAX - 2,
            call: "MPI_Allreduce".to_owned(),
            at: at(0x1234),
            communicator: Some(0),
            begun: seconds(100.0),
            posted: None,
            time: seconds(0.01),
            is_first: true,
        }]),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

fn places() -> SourcePlaces {
    let place = |function: &str, line| SourcePlace {
        function: Reading::Measured(function.to_owned()),
        file: Reading::Measured("/src/app.c".to_owned()),
        line,
    };
    let file = || "./app".to_owned();
    SourcePlaces::from([
        ((file(), 0x1234), place("solve", Reading::Measured(12))),
        ((file(), 0x2000), place("smooth", Reading::unavailable("compile with -g"))),
        ((file(), u64::MAX - 3), place("far", Reading::Measured(1))),
    ])
}

pub fn run() -> WatchedRun {
    let study = sample::header();
    WatchedRun {
        header: WatchedRunHeader {
            tool_version: study.tool_version,
            begun: study.begun,
            command: study.command,
            host: study.host,
            other_machines: vec![MachineOfHosts {
                machine: study.machine.clone(),
                hosts: vec!["far".to_owned()],
            }],
            machine: study.machine,
            placement: Some(study.points[0].placement.clone()),
            ranks: Some("0-1".parse().unwrap()),
            exit: Exit::Signal(9),
            wall: seconds(2.0),
            usage: ResourceUsage {
                user: Reading::Measured(seconds(3.0)),
                system: Reading::Measured(seconds(0.1)),
                peak_memory: Reading::Measured(Bytes(1 << 20)),
                minor_faults: Reading::Measured(10),
                major_faults: Reading::Measured(0),
                voluntary_switches: Reading::unavailable("not asked for"),
                involuntary_switches: Reading::Measured(2),
            },
            counters: CounterAccess::Opened { processor: Some("Intel Skylake-SP".to_owned()) },
            traffic: Reading::Measured(vec![CacheTraffic {
                cache: 0,
                total: Bytes::mib(4000),
                local: Bytes::mib(3000),
                time: seconds(1.9),
            }]),
            notices: vec![SnapshotNotice::NothingWatched.into()],
            division: Some(WatchedDivision {
                division: RanksByThreads { ranks: 2, threads: 1 },
                command: RunSpec {
                    command: ["mpirun", "-n", "{ranks}", "./app"].map(Into::into).into(),
                    directory: PathBuf::new(),
                },
                runs: vec![(Exit::Signal(9), seconds(2.0)), (Exit::Code(0), seconds(3.0))],
            }),
        },
        processes: vec![process(0), process(1)],
        merged: None,
        places: places(),
        objects: Vec::new(),
    }
}

/// The same with the memory objects that two numawise followed.
pub fn with_objects() -> WatchedRun {
    WatchedRun { objects: vec![objects::of_ranks(), objects::run()], ..run() }
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.nw");
    (folder, path)
}

#[test]
fn a_run_comes_back_as_it_was() {
    let (_folder, path) = file();
    save_watched_run(&path, &run(), Existing::Stays).unwrap();
    assert_eq!(kind(&path).unwrap(), RecordKind::WatchedRun);
    assert_eq!(read_watched_run(&path).unwrap(), run());
    let (_folder, path) = file();
    save_watched_run(&path, &with_objects(), Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), with_objects());
    let nothing = WatchedRun { processes: vec![], places: SourcePlaces::new(), ..run() };
    let (_folder, path) = file();
    save_watched_run(&path, &nothing, Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), nothing);
}

#[test]
fn objects_that_make_no_sense_are_refused() {
    let (folder, path) = file();
    let mut twice = with_objects();
    twice.objects[1].ranks = vec![twice.objects[0].ranks[0]; 2];
    let refused = save_watched_run(&path, &twice, Existing::Stays).unwrap_err().to_string();
    assert!(refused.contains("process 100 twice") && !path.exists(), "{refused}");
    save_watched_run(&path, &with_objects(), Existing::Stays).unwrap();
    let broken = [
        ("DELETE FROM object_rows WHERE run = 0", "row 1, run: found 1, expected numbers from 0"),
        ("DELETE FROM object_rows WHERE run = 1 AND part = 'header'", "0 rows of part 'header'"),
        (
            "UPDATE object_rows SET number = 70 WHERE run = 1 AND part = 'object' AND number = 0",
            "without a gap",
        ),
        ("DELETE FROM object_rows WHERE run = 0 AND part = 'place'", "place"),
        ("UPDATE object_rows SET facts = '[' WHERE run = 1 AND part = 'watching'", "facts"),
        (
            "UPDATE object_rows SET facts = replace(facts, '\"rank\":1', '\"rank\":99999999') WHERE part = 'beyond'",
            "99999999",
        ),
    ];
    for (sql, expected) in broken {
        let copy = folder.path().join("broken.nw");
        std::fs::copy(&path, &copy).unwrap();
        assert!(Connection::open(&copy).unwrap().execute(sql, []).unwrap() > 0, "{sql}");
        let error = read_watched_run(&copy).unwrap_err().to_string();
        assert!(error.contains(expected), "{sql}: {error}");
    }
}

#[test]
fn what_is_not_known_of_the_threads_comes_back_as_a_reason() {
    let (_folder, path) = file();
    let mut short = run();
    short.processes[0].threads = Reading::unavailable("the process ended within 10 ms");
    save_watched_run(&path, &short, Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), short);
}

#[test]
fn the_call_in_which_a_rank_was_ended_comes_back() {
    let (_folder, path) = file();
    let mut died = run();
    let threads = died.processes[1].threads.measured_mut().unwrap();
    let last = LastCall { call: "MPI_Barrier".to_owned(), at: at(0x1234), within: Some(seconds(0.25)) };
    threads[0].last_call = Some(last);
    save_watched_run(&path, &died, Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), died);
}

#[test]
fn a_run_is_kept_over_another_only_where_that_is_asked_for() {
    let (_folder, path) = file();
    save_watched_run(&path, &run(), Existing::Stays).unwrap();
    for again in [
        watched_run_may_be_saved(&path, Existing::Stays),
        save_watched_run(&path, &WatchedRun { processes: vec![], ..run() }, Existing::Stays),
    ] {
        assert!(matches!(again, Err(RecordError::RunExists(_))), "{again:?}");
    }
    assert_eq!(read_watched_run(&path).unwrap(), run());
    let other = WatchedRun { processes: vec![process(0)], ..run() };
    save_watched_run(&path, &other, Existing::IsReplaced).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), other);
}

#[test]
fn a_file_of_another_kind_stays_as_it_is() {
    let (folder, path) = file();
    drop(numawise_record::Record::create(&path, &sample::header()).unwrap());
    for existing in [Existing::Stays, Existing::IsReplaced] {
        let refused = save_watched_run(&path, &run(), existing).unwrap_err();
        assert!(matches!(refused, RecordError::OtherKind { .. }), "{refused}");
    }
    assert_eq!(kind(&path).unwrap(), RecordKind::Study);
    assert!(matches!(read_watched_run(&path), Err(RecordError::OtherKind { .. })));
    let text = folder.path().join("notes");
    std::fs::write(&text, "a file of somebody").unwrap();
    assert!(save_watched_run(&text, &run(), Existing::IsReplaced).is_err());
    assert_eq!(std::fs::read_to_string(&text).unwrap(), "a file of somebody");
}

/// What is changed in the file, and a part of what is said of it.
const BROKEN: [(&str, &str); 11] = [
    ("DELETE FROM snapshot", "one row"),
    ("UPDATE snapshot SET header = '{}'", "header"),
    ("UPDATE processes SET process = 7 WHERE process = 1", "without a gap"),
    (
        "UPDATE processes SET activity = json_set(activity, '$.mpi.rank.rank', 5) WHERE process = 0",
        "rank below",
    ),
    (
        "UPDATE threads SET activity = json_set(activity, '$.calls[0].at.file', 9)",
        "one of the process's files",
    ),
    ("UPDATE threads SET activity = json_set(activity, '$.calls[0].communicator', 9)", "communicators"),
    ("UPDATE threads SET activity = json_set(activity, '$.peers[0].rank', 2)", "rank below"),
    (
        "UPDATE threads SET activity = json_set(activity, '$.last_call', \
         json('{\"call\":\"MPI_Send\",\"at\":{\"unavailable\":\"-\"},\"within\":18446744073709551615}'))",
        "last_call.within",
    ),
    (
        "UPDATE threads SET activity = json_set(activity, '$.last_call', \
         json('{\"call\":\"MPI_Send\",\"at\":{\"file\":9,\"address\":1},\"within\":null}'))",
        "one of the process's files",
    ),
    (
        "UPDATE threads SET activity = json_set(activity, '$.constructs[0].calls', 9007199254740993)",
        "a count of at most 2^53",
    ),
    ("UPDATE places SET line = 1.5", "line"),
];

#[test]
fn a_file_that_makes_no_sense_is_refused_with_the_place() {
    for (change, part) in BROKEN {
        let (_folder, path) = file();
        save_watched_run(&path, &run(), Existing::Stays).unwrap();
        let sql = Connection::open(&path).unwrap();
        sql.pragma_update(None, "foreign_keys", false).unwrap();
        sql.execute_batch(change).unwrap_or_else(|error| panic!("{change}: {error}"));
        drop(sql);
        let text = read_watched_run(&path).unwrap_err().to_string();
        assert!(text.contains("the record is damaged") && text.contains(part), "{change}: {text}");
    }
}

#[test]
fn what_reading_would_refuse_is_not_written() {
    let (_folder, path) = file();
    let mut unsound = run();
    unsound.processes[1].mpi = Reading::Measured(MpiActivity {
        library: MpiLibrary::Mpich,
        has_several: false,
        rank: Reading::Measured(WorldRank { rank: 2, size: 2 }),
        world: None,
        initialised: Reading::unavailable("-"),
        finalised: Reading::unavailable("-"),
        first_thread: None,
    });
    let refused = save_watched_run(&path, &unsound, Existing::Stays).unwrap_err();
    assert!(matches!(refused, RecordError::Unstorable(_)), "{refused}");
    assert!(!path.exists());
}

#[test]
fn the_views_show_times_and_calls() {
    let (_folder, path) = file();
    save_watched_run(&path, &run(), Existing::Stays).unwrap();
    let sql = Connection::open(&path).unwrap();
    let times: (u32, f64, f64) = sql
        .query_row("SELECT rank, useful_s, mpi_s FROM thread_times WHERE pid = 4001", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(times, (1, 1.0, 0.5));
    let calls: (String, i64) = sql
        .query_row("SELECT call, calls FROM mpi_calls WHERE rank = 0", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(calls, ("MPI_Allreduce".to_owned(), 200));
}
