//! The memory objects of a run.

use std::path::PathBuf;

use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{
    AccessMethod, AllocationLog, BandwidthMoment, BandwidthOverTime, BandwidthSource, CacheCeiling, Ceilings,
    CodeObstacle, CodeRuntime, CodeSamples, CompilerRecords, DataSource, FaultSamples, FileAddress,
    FirstTouch, HugePages, LineUse, LoadSampler, LoadSamples, LoopAccess, LoopLine, LoopPass, LoopPassing,
    LoopSpeed, LoopTrips, LoopWork, MachineLoop, MemoryBound, MemoryBoundSource, MemoryObject, ObjectCure,
    ObjectKind, ObjectPages, ObjectRunHeader, ObjectThread, ObjectUse, ObjectWatching, OutputChange,
    OutsideLoops, PARTS, PartUse, PassCount, PlaceCount, PlaceUse, ProcessRank, SampledLoads, Skid,
    SourceExcerpt, ThreadSamples, TimeSamples, TouchMethod, TriedCure, UnknownCode,
};
use numawise_facts::{Effect, ObjectRun, Reading};
use numawise_record::{
    Existing, RecordError, RecordKind, kind, object_run_may_be_saved, read_object_run, save_object_run,
};
use numawise_units::{Bytes, BytesPerSecond, CpuId, Cycles, Nanoseconds, NodeId, Pid, Rank, Ratio};
use rusqlite::Connection;

use crate::{builds, watched};

const PROCESS: Pid = Pid(4000);

fn milliseconds(count: u64) -> Nanoseconds {
    Nanoseconds(count * 1_000_000)
}

fn header() -> ObjectRunHeader {
    let of = watched::run().header;
    ObjectRunHeader {
        tool_version: of.tool_version,
        begun: of.begun,
        command: of.command,
        host: of.host,
        machine: of.machine,
        placement: of.placement,
        exit: Some(of.exit),
        wall: of.wall,
        usage: of.usage,
        notices: of.notices,
    }
}

fn watching() -> ObjectWatching {
    ObjectWatching {
        least: Bytes::kib(64),
        allocations: Reading::Measured(AllocationLog {
            processes: 1,
            events: 12,
            dropped: 1,
            without_stack: 2,
            passed: 0,
        }),
        time: Reading::Measured(TimeSamples {
            period: milliseconds(1),
            samples: 1000,
            with_memory: 640,
            unknown_address: 20,
            spinning: 0,
            lost: 3,
            skid: Skid { samples: 100, one_after: 95 },
            method: AccessMethod::Waited,
        }),
        faults: Reading::Measured(FaultSamples {
            samples: 96,
            faults: 1632,
            lost: 0,
            method: TouchMethod::Faults,
            in_system_calls: Reading::unavailable("it was not collected"),
            again: Reading::unavailable("it was not collected"),
        }),
        loads: Reading::unavailable("it was not collected"),
        cost: Reading::Measured(milliseconds(12)),
        own_time: Reading::Measured(milliseconds(40)),
        page_size: Reading::Measured(Bytes::kib(4)),
    }
}

fn thread(number: u32) -> ObjectThread {
    let name = match number {
        0 => Reading::Measured("wave".to_owned()),
        _ => Reading::unavailable("it ended before it was asked"),
    };
    ObjectThread { process: PROCESS, tid: Pid(4000 + number as i32), name, number }
}

fn place(function: &str, line: Reading<u32>, address: u64) -> CodePlace {
    CodePlace {
        file: "wave".to_owned(),
        address,
        source: SourcePlace {
            function: Reading::Measured(function.to_owned()),
            file: line.as_ref().map(|_| "wave.cpp".to_owned()),
            line,
        },
    }
}

fn loads(from: DataSource, samples: u64) -> SampledLoads {
    SampledLoads { from, samples, modified: samples / 13, timed: samples - 1, cycles: Cycles(200 * samples) }
}

/// Allocated at one place, touched by one thread and used by two.
fn array() -> MemoryObject {
    let uses = |thread: u32, cpu: u32, node: Option<u32>, samples: f64| ObjectUse {
        thread,
        cpu: CpuId(cpu),
        node: node.map(NodeId),
        samples,
        reads: samples * 0.75,
    };
    MemoryObject {
        site: Reading::unavailable("it was not collected"),
        kind: ObjectKind::Heap,
        process: PROCESS,
        name: Reading::Measured("u".to_owned()),
        allocated: Reading::Measured(vec![0, 1]),
        count: 2,
        is_estimate: false,
        bytes: Bytes::mib(80),
        total: Bytes::mib(160),
        begun: milliseconds(10),
        ended: Reading::unavailable("it was there at the end"),
        pages: Reading::Measured(vec![
            ObjectPages { at: milliseconds(100), looked_at: 64, on_nodes: vec![], bytes: Bytes::mib(40) },
            ObjectPages {
                at: milliseconds(900),
                looked_at: 64,
                on_nodes: vec![(NodeId(0), 60), (NodeId(1), 2)],
                bytes: Bytes::mib(80),
            },
        ]),
        first_touch: vec![
            FirstTouch { thread: 0, cpu: CpuId(0), place: Some(2), samples: 90, faults: 1530 },
            FirstTouch { thread: 1, cpu: CpuId(2), place: None, samples: 6, faults: 102 },
        ],
        touch_places: vec![PlaceCount { place: 2, faults: 1632 }],
        uses: vec![uses(0, 0, Some(0), 300.5), uses(1, 2, Some(0), 290.0), uses(1, 3, None, 1.25)],
        parts: (0..PARTS).map(|part| PartUse { thread: u32::from(part) / 32, part, samples: 9.0 }).collect(),
        use_places: vec![
            PlaceUse { place: 1, samples: 500.0, reads: 375.0 },
            PlaceUse { place: 2, samples: 91.5, reads: 68.625 },
        ],
        lines: vec![
            LineUse { page: 0, line: 5, thread: 0, samples: 2.5 },
            LineUse { page: 0, line: 63, thread: 1, samples: 3.0 },
        ],
        loads: vec![],
        huge_pages: Reading::Measured(HugePages {
            page: Bytes::kib(4),
            resident: Bytes::mib(80),
            huge: Bytes::mib(16),
        }),
    }
}

/// Of which next to nothing is known.
fn rest() -> MemoryObject {
    MemoryObject {
        kind: ObjectKind::Other,
        name: Reading::unavailable("it is no variable"),
        allocated: Reading::unavailable("nobody recorded it"),
        count: 0,
        is_estimate: false,
        bytes: Bytes(0),
        total: Bytes(0),
        ended: Reading::Measured(milliseconds(800)),
        pages: Reading::unavailable("its addresses are not known"),
        first_touch: vec![],
        touch_places: vec![],
        uses: vec![],
        parts: vec![],
        use_places: vec![],
        lines: vec![],
        loads: vec![],
        huge_pages: Reading::unavailable("its addresses are not known"),
        ..array()
    }
}

pub fn run() -> ObjectRun {
    ObjectRun {
        header: header(),
        watching: watching(),
        threads: vec![thread(0), thread(1)],
        places: vec![
            place("Grid::Grid(int)", Reading::Measured(41), 0x1200),
            place("step", Reading::Measured(88), 0x2000),
            place("fill", Reading::unavailable("compile with -g"), u64::MAX - 3),
        ],
        objects: vec![array(), rest()],
        sources: vec![SourceExcerpt {
            file: "wave.cpp".to_owned(),
            line: 88,
            text: "u[i] += v[i] - v[i - 1];".to_owned(),
        }],
        bandwidth: Reading::Measured(BandwidthOverTime {
            source: BandwidthSource::Samples,
            moments: vec![BandwidthMoment {
                at: milliseconds(500),
                by_node: vec![(NodeId(0), BytesPerSecond(2.5e9)), (NodeId(1), BytesPerSecond(0.0))],
                remote: Vec::new(),
            }],
        }),
        ranks: Vec::new(),
        memory_bound: Reading::Measured(MemoryBound {
            share: Ratio(0.625),
            source: MemoryBoundSource::Samples,
        }),
        trials: vec![TriedCure {
            object: Some(0),
            cure: ObjectCure::Interleave,
            command: "numawise run --memory interleave -- ./app".to_owned(),
            effect: Reading::Measured(Effect::new(1.75, 1.5, 2.0)),
        }],
        code: Reading::unavailable("its loops were not surveyed"),
    }
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("objects.nw");
    (folder, path)
}

/// The same with loads that the processor sampled.
pub fn with_loads() -> ObjectRun {
    let mut run = run();
    run.watching.loads = Reading::Measured(LoadSamples {
        sampler: LoadSampler::MemLoads { least: Some(Cycles(30)) },
        period: 100_003,
        samples: 130,
        without_address: 4,
    });
    run.objects[0].loads = vec![loads(DataSource::L3, 26), loads(DataSource::RemoteMemory, 100)];
    run
}

/// The same with two processes that are ranks.
pub fn of_ranks() -> ObjectRun {
    let rank = |process, rank| ProcessRank { process: Pid(process), rank: Rank(rank) };
    ObjectRun { ranks: vec![rank(100, 0), rank(101, 1)], ..run() }
}

/// A survey of two loops, one in the other.
fn survey() -> ObjectRun {
    let samples = |samples| vec![ThreadSamples { thread: 1, samples }];
    let one = |address, parent: Option<u32>| MachineLoop {
        head: FileAddress { file: "/home/me/wave".to_owned(), address },
        function: 1,
        parent,
        depth: parent.map_or(1, |_| 2),
        is_innermost: parent.is_some(),
        lines: vec![LoopLine { place: 2, instructions: 9 }],
        samples: samples(400),
        work: LoopWork { instructions: 9, packed_elements: 8, vector_bits: 256, ..LoopWork::default() },
        passing: LoopPassing {
            pass: Reading::Measured(LoopPass {
                mean: Reading::unavailable("too few samples"),
                least: PassCount { loaded: 64.0, ..PassCount::default() },
                most: PassCount { loaded: 96.0, double: 8.0, ..PassCount::default() },
            }),
            trips: Reading::Measured(LoopTrips {
                mean: 9.5,
                low: 9.4,
                high: 9.6,
                deviation: 0.5,
                least: 9,
                most: 10,
                samples: 390,
            }),
            speed: Reading::Measured(LoopSpeed { passes: 2e8, low: 1e8, high: 3e8, again: 1e12, pairs: 40 }),
            accesses: vec![LoopAccess {
                address: 0x1244,
                reads: true,
                writes: false,
                bytes: 32,
                elements: 1,
                stride: Reading::Measured(-32),
                stream: 0,
                offset: 8,
                is_of_stack: false,
                seen: Reading::Measured((0x7fff_0000_0000, 0x7fff_0000_1000)),
                variable: Reading::Measured("table".to_owned()),
                nodes: vec![NodeId(0), NodeId(1)],
            }],
        },
    };
    let code = CodeSamples {
        loops: vec![one(0x1200, None), one(0x1240, Some(0))],
        outside: vec![OutsideLoops { function: 0, samples: samples(150) }],
        without_code: samples(30),
        unknown: vec![UnknownCode {
            why: CodeObstacle::JustInTime(CodeRuntime::Julia),
            file: Some("/opt/julia/lib/libjulia.so.1".to_owned()),
            function: Some("solve".to_owned()),
            samples: 30,
        }],
        messages: samples(20),
        offered: Reading::Measured(512),
        ceilings: Reading::Measured(Ceilings {
            arithmetic: Vec::new(),
            caches: vec![CacheCeiling {
                level: 1,
                size: Bytes(32768),
                cores: 1,
                read: Reading::Measured(BytesPerSecond(1e11)),
            }],
            core_memory: Reading::Measured(BytesPerSecond(1e10)),
            machine_memory: Reading::unavailable("not measured"),
        }),
        compiled: Some(Reading::Measured(builds::compiled())),
        tried: vec![builds::tried()],
    };
    ObjectRun { code: Reading::Measured(code), objects: vec![rest()], ..run() }
}

#[test]
fn a_survey_comes_back_and_is_refused_where_it_does_not_fit_together() {
    let (_folder, path) = file();
    save_object_run(&path, &survey(), Existing::Stays).unwrap();
    assert_eq!(read_object_run(&path).unwrap(), survey());
    type Fault = (fn(&mut CodeSamples), &'static str);
    let faults: [Fault; 11] = [
        (
            |code| code.tried[0].effect = Reading::Measured(Effect::new(1.5, 1.6, 1.4)),
            "a factor within its interval",
        ),
        (
            |code| {
                let (before, after) = (String::new(), String::new());
                let largest = Ratio(-1.0);
                code.tried[0].output = Reading::Measured(OutputChange::Numbers { largest, before, after });
            },
            "a difference from 0 to 2",
        ),
        (
            |code| code.loops[1].passing.trips.measured_mut().into_iter().for_each(|of| of.mean = -1.0),
            "at least 0",
        ),
        (
            |code| {
                code.loops[0].passing.pass.measured_mut().into_iter().for_each(|of| of.most.loaded = f64::MAX)
            },
            "at least 0",
        ),
        (|code| code.loops[1].parent = Some(1), "a loop before it"),
        (|code| code.loops[0].function = 9, "the number of a place of the run"),
        (|code| code.loops[0].lines[0].place = 9, "the number of a place of the run"),
        (|code| code.outside[0].samples[0].thread = 9, "the number of a thread of the run"),
        (|code| code.without_code[0].samples = 31, "a part of the samples"),
        (
            |code| {
                code.compiled =
                    Some(Reading::Measured(CompilerRecords { units: vec![], ..builds::compiled() }))
            },
            "the number of a compilation of the build",
        ),
        (|code| code.unknown[0].samples = 31, "a part of the samples without a function"),
    ];
    for (change, expected) in faults {
        let mut run = survey();
        run.code.measured_mut().into_iter().for_each(change);
        let error = save_object_run(&path, &run, Existing::IsReplaced).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(read_object_run(&path).unwrap(), survey(), "what was there stays");
}

#[test]
fn a_run_comes_back_as_it_was() {
    let nothing = ObjectRun {
        watching: ObjectWatching {
            allocations: Reading::unavailable("the library was in no process"),
            time: Reading::unavailable("the kernel allows no perf events"),
            loads: Reading::unavailable("no event samples loads here"),
            faults: Reading::unavailable("the kernel allows no perf events"),
            cost: Reading::unavailable("nothing was watched"),
            ..watching()
        },
        threads: vec![],
        places: vec![],
        objects: vec![rest()],
        sources: vec![],
        bandwidth: Reading::unavailable("it was not collected"),
        ranks: Vec::new(),
        memory_bound: Reading::unavailable("it was not collected"),
        trials: vec![],
        code: Reading::unavailable("its loops were not surveyed"),
        ..run()
    };
    let rank = |process, rank| ProcessRank { process: Pid(process), rank: Rank(rank) };
    let (_folder, path) = file();
    let twice = ObjectRun { ranks: vec![rank(100, 0), rank(100, 1)], ..run() };
    let refused = save_object_run(&path, &twice, Existing::Stays).unwrap_err().to_string();
    assert!(refused.contains("process 100 twice"), "{refused}");
    let monitored = ObjectRun {
        bandwidth: Reading::Measured(BandwidthOverTime {
            source: BandwidthSource::Resctrl,
            moments: vec![BandwidthMoment {
                at: milliseconds(100),
                by_node: vec![(NodeId(0), BytesPerSecond(2.5e9))],
                remote: vec![(NodeId(0), BytesPerSecond(1.5e9))],
            }],
        }),
        ..run()
    };
    for run in [run(), with_loads(), of_ranks(), nothing, monitored] {
        let (_folder, path) = file();
        object_run_may_be_saved(&path, Existing::Stays).unwrap();
        save_object_run(&path, &run, Existing::Stays).unwrap();
        assert_eq!(kind(&path).unwrap(), RecordKind::ObjectRun);
        assert_eq!(read_object_run(&path).unwrap(), run);
    }
}

#[test]
fn a_run_is_kept_over_another_only_where_that_is_asked_for() {
    let (_folder, path) = file();
    save_object_run(&path, &run(), Existing::Stays).unwrap();
    let other = ObjectRun { objects: vec![rest()], ..run() };
    for again in
        [object_run_may_be_saved(&path, Existing::Stays), save_object_run(&path, &other, Existing::Stays)]
    {
        assert!(matches!(again, Err(RecordError::RunExists(_))), "{again:?}");
    }
    assert_eq!(read_object_run(&path).unwrap(), run());
    save_object_run(&path, &other, Existing::IsReplaced).unwrap();
    assert_eq!(read_object_run(&path).unwrap(), other);
}

#[test]
fn a_file_of_another_kind_stays_as_it_is() {
    let (_folder, path) = file();
    numawise_record::save_watched_run(&path, &watched::run(), Existing::Stays).unwrap();
    for existing in [Existing::Stays, Existing::IsReplaced] {
        let refused = save_object_run(&path, &run(), existing).unwrap_err();
        assert!(matches!(refused, RecordError::OtherKind { .. }), "{refused}");
    }
    assert_eq!(numawise_record::read_watched_run(&path).unwrap(), watched::run());
    assert!(matches!(read_object_run(&path), Err(RecordError::OtherKind { .. })));
}

/// What is changed in the file, and a part of what is said of it.
const BROKEN: [(&str, &str); 52] = [
    ("DELETE FROM object_run", "one row"),
    ("UPDATE object_run SET header = '{}'", "header"),
    ("UPDATE object_run SET header = json_set(header, '$.command.command', json('[]'))", "a program"),
    ("UPDATE object_run SET watching = json_remove(watching, '$.least')", "watching"),
    (
        "UPDATE object_run SET watching = json_set(watching, '$.time.with_memory', 1001)",
        "a part of the samples",
    ),
    (
        "UPDATE object_run SET watching = json_set(watching, '$.time.skid.one_after', 101)",
        "a part of the samples",
    ),
    (
        "UPDATE object_run SET watching = json_set(watching, '$.time.with_memory', 5)",
        "no more than with_memory",
    ),
    (
        "UPDATE object_run SET watching = json_set(watching, '$.page_size', 4097)",
        "a power of two from 512 bytes",
    ),
    ("UPDATE object_run SET watching = json_set(watching, '$.own_time', 9223372036854775808.0)", "watching"),
    ("UPDATE object_run SET beyond = '[]'", "beyond"),
    ("UPDATE object_run SET beyond = json_set(beyond, '$.bandwidth.moments[0].at', 1e30)", "beyond"),
    (
        "UPDATE object_run SET beyond = json_set(beyond, '$.bandwidth.moments[0].by_node[1][0]', 0)",
        "each node once",
    ),
    (
        "UPDATE object_run SET beyond = json_set(beyond, '$.bandwidth.moments[0].by_node[1][1]', -1.0)",
        "10^15 bytes a second",
    ),
    ("UPDATE object_run SET beyond = json_set(beyond, '$.memory_bound.share', 1.5)", "a share from 0 to 1"),
    ("UPDATE object_run SET beyond = json_set(beyond, '$.trials[0].object', 2)", "trials.object"),
    (
        "UPDATE object_run SET beyond = json_set(beyond, '$.trials[0].effect.low', 1.8)",
        "a factor within its interval",
    ),
    ("UPDATE threads SET thread = 7 WHERE thread = 1", "without a gap"),
    ("UPDATE threads SET tid = -1 WHERE thread = 1", "row 1, tid"),
    ("DELETE FROM threads WHERE thread = 1", "the number of a thread of the run"),
    ("DELETE FROM places WHERE place = 2", "the number of a place of the run"),
    ("UPDATE places SET address = 'here' WHERE place = 1", "a whole number of 64 bits"),
    ("UPDATE places SET line = 1.5", "line"),
    ("UPDATE objects SET object = 5 WHERE object = 1", "without a gap"),
    ("UPDATE objects SET facts = json_set(facts, '$.allocated[1]', 3) WHERE object = 0", "row 0, allocated"),
    ("UPDATE objects SET facts = json_set(facts, '$.kind', 'pile')", "facts"),
    ("UPDATE objects SET facts = json_set(facts, '$.bytes', 144115188075855873)", "at most 2^57 bytes"),
    ("UPDATE objects SET facts = json_set(facts, '$.count', 9007199254740993)", "a count of at most 2^53"),
    ("UPDATE objects SET facts = json_set(facts, '$.begun', 1e18)", "facts"),
    (
        "UPDATE objects SET facts = json_set(facts, '$.touch_places', json('[{\"place\":0,\"faults\":1}]'))",
        "tables of their own",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.lines[1].line', 64) WHERE object = 0",
        "a line from 0 to 63",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.lines[1].samples', 1e3) WHERE object = 0",
        "no more samples than in uses",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.loads[1].from', 'l3') WHERE object = 0",
        "each source once",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.loads[1].timed', 101) WHERE object = 0",
        "parts of the samples",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.loads[1].samples', 101) WHERE object = 0",
        "with an address",
    ),
    (
        "UPDATE object_run SET watching = json_set(watching, '$.loads.without_address', 131)",
        "a part of the samples",
    ),
    (
        "UPDATE objects SET facts = json_set(facts, '$.huge_pages.huge', 83886081) WHERE object = 0",
        "a part of what is resident",
    ),
    ("UPDATE first_touches SET place = 3 WHERE position = 0", "first_touches: object 0, place"),
    ("UPDATE residence SET object = 1", "whose pages are known"),
    ("UPDATE residence SET on_nodes = '[[0,1],[0,1]]'", "each node once"),
    ("UPDATE residence SET on_nodes = '[[0,65]]'", "pages that were looked at"),
    ("UPDATE first_touches SET thread = 2 WHERE position = 1", "first_touches: object 0, thread"),
    ("UPDATE first_touches SET faults = 9007199254740993", "a count of at most 2^53"),
    ("UPDATE touch_places SET place = 3", "touch_places: object 0, place"),
    ("UPDATE touch_places SET faults = 1633", "no more than by threads"),
    ("UPDATE use_places SET samples = 501.0 WHERE position = 0", "no more samples than in uses"),
    ("UPDATE parts SET samples = 10.0", "no more samples than in uses"),
    ("UPDATE uses SET object = 2", "the number of an object"),
    ("UPDATE uses SET samples = -1.0", "a number from 0 to 2^53"),
    ("UPDATE uses SET samples = 9e999, reads = 9e999", "a number from 0 to 2^53"),
    ("UPDATE uses SET reads = samples + 1 WHERE position = 2", "those of reads are a part"),
    ("UPDATE parts SET part = 64 WHERE position = 9", "a part from 0 to 63"),
    ("UPDATE use_places SET place = 3", "use_places: object 0, place"),
];

#[test]
fn a_file_that_makes_no_sense_is_refused_with_the_place() {
    for (change, part) in BROKEN {
        let (_folder, path) = file();
        save_object_run(&path, &with_loads(), Existing::Stays).unwrap();
        let sql = Connection::open(&path).unwrap();
        sql.pragma_update(None, "foreign_keys", false).unwrap();
        let changed = sql.execute(change, []).unwrap_or_else(|error| panic!("{change}: {error}"));
        assert!(changed > 0, "{change}");
        drop(sql);
        let text = read_object_run(&path).unwrap_err().to_string();
        assert!(text.contains("the record is damaged") && text.contains(part), "{change}: {text}");
    }
}

#[test]
fn what_reading_would_refuse_is_not_written() {
    let no_number = |run: &mut ObjectRun| run.objects[0].uses[0].samples = f64::NAN;
    let no_thread = |run: &mut ObjectRun| run.objects[0].parts[3].thread = 2;
    let no_command = |run: &mut ObjectRun| run.header.command.command.clear();
    let long_name = |run: &mut ObjectRun| run.threads[0].name = Reading::Measured("x".repeat(1025));
    for break_it in [no_number, no_thread, no_command, long_name] as [fn(&mut ObjectRun); 4] {
        let (_folder, path) = file();
        let mut unsound = run();
        break_it(&mut unsound);
        let refused = save_object_run(&path, &unsound, Existing::Stays).unwrap_err();
        assert!(matches!(refused, RecordError::Unstorable(_)), "{refused}");
        assert!(!path.exists());
    }
}

#[test]
fn the_views_show_samples_and_touches() {
    let (_folder, path) = file();
    save_object_run(&path, &run(), Existing::Stays).unwrap();
    let sql = Connection::open(&path).unwrap();
    let samples: (String, f64) = sql
        .query_row("SELECT name, samples FROM object_samples", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(samples, ("u".to_owned(), 591.75));
    let mut query = sql.prepare("SELECT thread, faults FROM object_touches").unwrap();
    let touches = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(touches.map(Result::unwrap).collect::<Vec<(u32, u32)>>(), [(0, 1530), (1, 102)]);
}
