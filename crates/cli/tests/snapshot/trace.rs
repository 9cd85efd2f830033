//! `numawise trace`: who waits for whom, of programs that tell when their calls began and returned.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, number, text};

const RANKS: usize = 3;

/// A call: the rank, and its number in the pattern.
type At = (usize, usize);

/// Calls that wait, each with those for which it does.
type Waits = &'static [(At, &'static [At])];

/// The pattern, why calls of it wait, and which for which; of several that one waits for, the latest.
const PATTERNS: [(&str, &str, Waits); 27] = [
    ("late_sender", "late_sender", &[((1, 0), &[(0, 0)])]),
    ("late_receiver", "late_receiver", &[((0, 0), &[(1, 0)])]),
    ("chain", "late_sender", &[((1, 0), &[(0, 0)]), ((2, 0), &[(1, 1)])]),
    ("late_root", "late_root", &[((1, 0), &[(0, 0)]), ((2, 0), &[(0, 0)])]),
    ("early_root", "early_root", &[((0, 0), &[(1, 0), (2, 0)])]),
    (
        "last_of_all",
        "last_of_all",
        &[((0, 0), &[(1, 0), (2, 0)]), ((1, 0), &[(0, 0), (2, 0)]), ((2, 0), &[(0, 0), (1, 0)])],
    ),
    ("scan", "late_lower_rank", &[((1, 0), &[(0, 0)]), ((2, 0), &[(0, 0), (1, 0)])]),
    ("ring", "late_neighbour", &[((0, 0), &[(2, 0)]), ((1, 0), &[(0, 0)]), ((2, 0), &[(1, 0)])]),
    ("line", "late_neighbour", &[((0, 0), &[(1, 0)]), ((1, 0), &[(0, 0), (2, 0)]), ((2, 0), &[(1, 0)])]),
    (
        "begun_line",
        "late_neighbour",
        &[((0, 1), &[(1, 0)]), ((1, 1), &[(0, 0), (2, 0)]), ((2, 1), &[(1, 0)])],
    ),
    (
        "persistent_line",
        "late_neighbour",
        &[((0, 1), &[(1, 0)]), ((1, 1), &[(0, 0), (2, 0)]), ((2, 1), &[(1, 0)])],
    ),
    ("between_all", "last_of_all", &[((0, 0), &[(2, 0)]), ((1, 0), &[(2, 0)]), ((2, 0), &[(0, 0), (1, 0)])]),
    ("between_root", "late_root", &[((0, 0), &[(2, 0)]), ((1, 0), &[(2, 0)])]),
    ("several", "late_sender", &[((0, 0), &[(1, 0), (2, 0)])]),
    ("tags", "late_sender", &[((1, 0), &[(0, 0)]), ((1, 1), &[(0, 1)])]),
    ("persistent", "late_sender", &[((1, 0), &[(0, 0)]), ((1, 1), &[(0, 1)])]),
    ("probed", "late_sender", &[((1, 0), &[(0, 0)])]),
    (
        "begun_all",
        "last_of_all",
        &[((0, 1), &[(1, 0), (2, 0)]), ((1, 1), &[(0, 0), (2, 0)]), ((2, 1), &[(0, 0), (1, 0)])],
    ),
    ("begun_root", "late_root", &[((1, 1), &[(0, 0)]), ((2, 1), &[(0, 0)])]),
    (
        "persistent_all",
        "last_of_all",
        &[((0, 1), &[(1, 0), (2, 0)]), ((1, 1), &[(0, 0), (2, 0)]), ((2, 1), &[(0, 0), (1, 0)])],
    ),
    ("partitioned", "late_sender", &[((1, 0), &[(0, 0)])]),
    ("persistent_root", "late_root", &[((1, 1), &[(0, 0)]), ((2, 1), &[(0, 0)])]),
    (
        "fence",
        "last_of_all",
        &[((0, 0), &[(1, 0), (2, 0)]), ((1, 0), &[(0, 0), (2, 0)]), ((2, 0), &[(0, 0), (1, 0)])],
    ),
    ("late_post", "late_post", &[((1, 0), &[(0, 0)])]),
    ("late_complete", "late_complete", &[((0, 1), &[(1, 1)])]),
    ("lock", "lock_contention", &[((1, 0), &[(0, 0)])]),
    ("split", "last_of_all", &[((0, 0), &[(1, 0), (2, 0)]), ((1, 0), &[(0, 0), (2, 0)])]),
];

/// The trace of the patterns in which ranks are so late, and what they printed.
fn traced(bench: &Bench, mpi: (&str, &str), late: &str) -> Option<(Value, Answer)> {
    traced_with(bench, mpi, &[late])
}

fn traced_with(bench: &Bench, (compiler, launcher): (&str, &str), words: &[&str]) -> Option<(Value, Answer)> {
    let program = bench.compile(compiler, "patterns.c", &["-g"])?;
    let program = program.to_str().unwrap();
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--", launcher, "-n", "3"];
    let answer = bench.numawise(&[&trace[..], &[program], words].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some((bench.json("run.json"), answer))
}

pub fn rows<'a>(json: &'a Value, table: &str) -> &'a [Value] {
    json.pointer(&format!("/trace/{table}")).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub fn sum(rows: &[Value]) -> f64 {
    rows.iter().map(|row| number(row, "/seconds")).sum()
}

/// When calls began and returned, by their pattern.
pub fn told(out: &str) -> BTreeMap<(String, At), [f64; 2]> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [pattern, rank, call, begin, end] = words.as_slice() else { return None };
        let at = (rank.parse().ok()?, call.parse().ok()?);
        Some((((*pattern).to_owned(), at), [begin.parse().ok()?, end.parse().ok()?]))
    };
    out.lines().filter_map(line).collect()
}

#[test]
fn each_message_is_found_with_both_ends_and_no_time_is_lost() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, answer)) = traced(&bench, mpi, "0.002") else { continue };
        let trace = &json["trace"];
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(trace, of));
        // 1 + 1 + 2, 2 several, 2 by tags, 2 persistent, 1 probed, 2 polled; 1 in partitions, from MPI 4 on.
        let messages = if answer.out.contains("partitioned") { 14.0 } else { 13.0 };
        assert_eq!(counts, [messages, 0.0, 0.0], "{mpi:?}: {trace:#}");
        // A communicator is made, and freed by two ranks.
        let not_judged: Vec<&str> = rows(&json, "not_judged").iter().map(|row| text(row, "/why")).collect();
        assert!(not_judged.iter().all(|why| *why == "not_followed"), "{not_judged:?}");
        for rank in rows(&json, "ranks") {
            let times = ["useful", "waiting", "in_calls", "polling"];
            let times: f64 = times.map(|of| number(rank, &format!("/times/{of}_seconds"))).iter().sum();
            let bins = rank["timeline"].as_array().unwrap();
            let drawn: f64 =
                bins.iter().flat_map(|bin| bin.as_array().unwrap()).map(|of| of.as_f64().unwrap()).sum();
            assert!((times - drawn).abs() < 1e-6, "{rank:#}");
            assert!(times <= number(trace, "/span_seconds") + 1e-6, "{rank:#}");
        }
        assert_eq!(rows(&json, "ranks").len(), RANKS);
        let waiting = number(trace, "/times/waiting_seconds");
        for table in ["waits", "pairs"] {
            assert!((sum(rows(&json, table)) - waiting).abs() <= 1e-6, "{table} of {trace:#}");
        }
        let again = bench.numawise(&["report", "run.trace", "--json"]);
        let again: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(again["trace"], *trace, "the record holds the trace");
        let sliced = bench.numawise(&["report", "run.trace", "--json", "--memory", "20K"]);
        let sliced: Value = serde_json::from_str(&sliced.out).unwrap();
        assert!(number(&sliced, "/trace/slices/slices") > 3.0, "{}", sliced["trace"]["slices"]);
        // Causes may lie before a slice.
        let is_other = |table: &str| ["causes", "what_if", "slices"].contains(&table);
        for (table, of) in trace.as_object().unwrap().iter().filter(|(table, _)| !is_other(table)) {
            assert_eq!(sliced["trace"][table], *of, "{table} in slices: {mpi:?}");
        }
    }
}

#[test]
fn a_part_of_a_trace_is_shown_by_itself_and_only_where_there_is_one() {
    let bench = Bench::new();
    let Some((json, _)) = MPIS.into_iter().find_map(|mpi| traced(&bench, mpi, "0.002")) else { return };
    let answer =
        bench.numawise(&["report", "run.trace", "--from", "1ms", "--to", "3ms", "--ranks", "1", "--json"]);
    let part: Value =
        serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {}", answer.err));
    assert_eq!([number(&part, "/trace/begin_seconds"), number(&part, "/trace/span_seconds")], [0.001, 0.002]);
    assert_eq!(rows(&part, "ranks").len(), 1);
    assert!(number(&json, "/trace/span_seconds") > 0.02);
    for (words, expected) in [
        (&["run.trace", "--from", "3ms", "--to", "1ms"][..], "not behind the begin"),
        (&["run.nw", "--from", "3ms"], "a snapshot without a trace"),
        (&["run.trace", "--from", "1h"], "expected moments before that"),
        (&["run.trace", "--ranks", ""], "expected ranks, such as 0,3-5"),
        (&["run.trace", "--ranks", "0,97-99"], "found no trace of ranks 97-99"),
        (&["run.trace", "run.trace", "--from", "1ms"], "found several records"),
        (&["archive/traces.otf2", "--from", "3ms", "--to", "1ms"], "not behind the begin"),
    ] {
        bench.snapshot(&["--quiet", "--output", "run.nw", "--", "true"]);
        let answer = bench.numawise(&[&["report"], words].concat());
        assert_eq!(answer.status, Some(125), "{}", answer.err);
        assert!(answer.err.contains(expected), "{}", answer.err);
    }
}

#[test]
fn ranks_of_several_worlds_say_of_which_they_are() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "spawns.c", &[]) else { return };
    let words = ["trace", "--json=run.json", "--", launcher, "--oversubscribe", "-n", "1"];
    let answer = bench.numawise(&[&words[..], &[program.to_str().unwrap()]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let ranks = rows(&json, "ranks");
    let of: Vec<_> = ranks.iter().map(|rank| (number(rank, "/world"), number(rank, "/rank"))).collect();
    assert_eq!(of, [(1.0, 0.0), (2.0, 0.0), (2.0, 1.0)], "{json:#}");
    // A rank waits for those of its own world only.
    assert!(rows(&json, "pairs").iter().all(|pair| number(pair, "/world") == 2.0), "{json:#}");
    assert!(answer.err.contains("rank 1 of world 2"), "{}", answer.err);
}

/// Whether OTF2's own library is there.
pub fn has_otf2(answer: &Answer) -> bool {
    let is_missing = answer.err.contains("cannot load libotf2");
    if is_missing {
        eprintln!("SKIPPED: {}", answer.err);
    }
    !is_missing
}

#[test]
fn a_trace_goes_to_other_tools_and_comes_back_from_them() {
    let bench = Bench::new();
    // Archives of ours have no steps on windows, no persistent collective calls, and none of neighbours or between groups.
    let words = ["0.002", "old"];
    let Some((json, _)) = MPIS.into_iter().find_map(|mpi| traced_with(&bench, mpi, &words)) else { return };
    let answer = bench.numawise(&["export", "run.trace", "--perfetto", "run.perfetto"]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(std::fs::metadata(bench.path("run.perfetto")).unwrap().len() > 1000);
    let answer = bench.numawise(&["export", "run.trace", "--otf2", "archive"]);
    if !has_otf2(&answer) {
        return;
    }
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(answer.out.starts_with("archive/traces.otf2: "), "{}", answer.out);
    let back = bench.numawise(&["report", "archive/traces.otf2", "--json"]);
    let back: Value = serde_json::from_str(&back.out).unwrap_or_else(|error| panic!("{error}: {}", back.err));
    assert_eq!((&back["creator"], &back["assumed"]), (&"numawise".into(), &Value::Array(Vec::new())));
    for of in ["messages", "unmatched", "span_seconds", "times", "pairs"] {
        assert_eq!(back["trace"][of], json["trace"][of], "{of}");
    }
    // A folder that is there is somebody's.
    let again = bench.numawise(&["export", "run.trace", "--otf2", "archive"]);
    assert_eq!(again.status, Some(125), "{}", again.err);
    bench.snapshot(&["--quiet", "--output", "run.nw", "--", "true"]);
    for option in ["--otf2", "--perfetto"] {
        let answer = bench.numawise(&["export", "run.nw", option, "nothing"]);
        assert!(answer.err.contains("a snapshot without a trace"), "{}", answer.err);
    }
}

/// The trace of `teams.c`, of which a millisecond takes so many microseconds.
fn teams(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    clang: bool,
    unit: &str,
) -> Option<(Value, Answer)> {
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
    let shown = |what| bench.run(&[compiler, what]).out;
    let flags = [shown("--showme:compile"), shown("--showme:link")].concat();
    let mut options = vec!["-fopenmp", include];
    // By the words with which Open MPI's compiler calls another one.
    options.extend(flags.split_whitespace().filter(|_| clang));
    let program = bench.compile(if clang { "clang" } else { compiler }, "teams.c", &options)?;
    let program = program.to_str().unwrap();
    let words = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--", launcher, "-n", "2"];
    let answer = bench.numawise(&[&words[..], &[program, unit]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some((bench.json("run.json"), answer))
}

/// By the kind of construct and its line: waiting in seconds, how often regions were opened.
fn constructs(json: &Value) -> BTreeMap<(String, u64), (f64, f64)> {
    let row = |row: &Value| {
        let line = row.pointer("/place/line").and_then(Value::as_u64).unwrap_or(0);
        let key = (text(row, "/construct").to_owned(), line);
        (key, (number(row, "/seconds"), number(row, "/regions")))
    };
    rows(json, "openmp").iter().map(row).collect()
}

#[test]
fn threads_and_phases_stand_below_their_ranks_and_no_time_is_lost() {
    let bench = Bench::new();
    for (mpi, clang) in [(OPEN_MPI, false), (OPEN_MPI, true), (MPICH, false)] {
        let Some((json, _)) = teams(&bench, mpi, clang, "20") else { continue };
        assert_eq!(number(&json, "/trace/openmp_unseen"), 0.0);
        let total = |times: &Value| -> f64 {
            times.as_object().unwrap().values().map(|of| of.as_f64().unwrap()).sum()
        };
        for rank in rows(&json, "ranks") {
            let workers = rank["workers"].as_array().unwrap();
            assert_eq!(workers.len(), 3, "{mpi:?}, clang: {clang}: {rank:#}");
            for of in workers {
                assert!((total(&of["times"]) - total(&rank["times"])).abs() < 1e-6, "{rank:#}");
            }
            assert!(
                number(rank, "/times/serial_seconds") > 0.0 && number(rank, "/times/idle_seconds") == 0.0
            );
        }
        let regions: f64 = constructs(&json).values().map(|(_, regions)| regions).sum();
        // Of each rank: one with a barrier, two at the end, one with two in it, one with a critical section.
        assert_eq!(
            regions,
            2.0 * (1.0 + 2.0 + 3.0 + 1.0),
            "{mpi:?}, clang: {clang}: {:#?}",
            constructs(&json)
        );
        let phases: Vec<(&str, f64, f64)> = rows(&json, "phases")
            .iter()
            .map(|row| (text(row, "/name"), number(row, "/times"), number(row, "/ranks")))
            .collect();
        assert_eq!(phases, [("setup", 1.0, 2.0), ("solve", 2.0, 2.0), ("MPI_Pcontrol(2)", 1.0, 2.0)]);
        let answer = bench.numawise(&["report", "run.trace", "--phase", "solve", "--json"]);
        let part: Value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}", answer.err));
        let of_part = constructs(&part);
        assert_eq!(of_part.len(), 1, "{of_part:?}");
        assert!(of_part.values().all(|(_, regions)| *regions == 4.0), "{of_part:?}");
        // Two barriers in each rank.
        assert_eq!(number(&part, "/trace/calls"), 4.0);
        let serial = [&json, &part].map(|json| number(json, "/trace/times/serial_seconds"));
        assert!(serial[1] < serial[0], "{serial:?}");
    }
    let Some((json, _)) = teams(&bench, OPEN_MPI, false, "20") else { return };
    let answer = bench.numawise(&["export", "run.trace", "--otf2", "archive"]);
    if has_otf2(&answer) {
        let back = bench.numawise(&["report", "archive/traces.otf2", "--json"]);
        let back: Value = serde_json::from_str(&back.out).unwrap_or_else(|_| panic!("{}", back.err));
        for (rank, of) in rows(&back, "ranks").iter().zip(rows(&json, "ranks")) {
            assert_eq!(rank["times"], of["times"]);
            // By the system's numbers of threads here, by those of locations there.
            let times = |of: &Value| -> std::collections::BTreeSet<String> {
                of["workers"].as_array().unwrap().iter().map(|worker| worker["times"].to_string()).collect()
            };
            assert_eq!(times(rank), times(of));
        }
    }
    let answer = bench.numawise(&["report", "run.trace", "--phase", "other"]);
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    assert!(answer.err.contains("named: setup, solve, MPI_Pcontrol(2)"), "{}", answer.err);
    let table = bench.numawise(&["report", "run.trace", "--csv=timeline"]);
    // Two ranks of four threads, 200 spans each.
    assert_eq!(table.out.lines().count(), 1 + 2 * 4 * 200, "{}", table.err);
}

#[test]
#[ignore = "timing: waiting of threads in OpenMP vs paper and the clocks of their ranks"]
fn threads_wait_in_openmp_for_as_long_as_their_program_says() {
    let bench = Bench::new();
    for (mpi, clang) in [(OPEN_MPI, false), (OPEN_MPI, true), (MPICH, false)] {
        let Some((json, answer)) = teams(&bench, mpi, clang, "1000") else { continue };
        let told: Vec<Vec<f64>> = answer
            .out
            .lines()
            .map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect())
            .filter(|words: &Vec<f64>| words.len() == 9)
            .collect();
        assert_eq!(told.len(), 2, "{}", answer.out);
        let sum = |column: usize| told.iter().map(|words| words[column]).sum::<f64>();
        let of = |construct: &str, at: usize| {
            let found = constructs(&json);
            let mut lines: Vec<_> = found.iter().filter(|((name, _), _)| name == construct).collect();
            lines.sort_by_key(|((_, line), _)| *line);
            lines.get(at).map_or(f64::NAN, |(_, (seconds, _))| *seconds)
        };
        let times = |state: &str| {
            let ranks = rows(&json, "ranks").iter();
            ranks.map(|rank| number(rank, &format!("/times/{state}_seconds"))).sum::<f64>()
        };
        for (what, found, expected) in [
            ("barrier", of("barrier", 0), sum(4)),
            ("end of a region", of("parallel", 1), sum(5)),
            ("critical section", of("critical", 0), sum(7)),
            ("end of the region with it", of("parallel", 4), sum(8)),
            ("ends of regions in a region", of("parallel", 3), sum(6)),
            ("serial", times("serial"), sum(3)),
            ("in MPI", times("waiting") + times("in_calls"), sum(2)),
        ] {
            eprintln!("{mpi:?}, clang: {clang}: {what}: {found} s, expected {expected}");
            let room = 0.02 * expected + 0.001;
            assert!(
                (found - expected).abs() <= room,
                "{mpi:?}, clang: {clang}: {what}: {found}, {expected}: {json:#}"
            );
        }
    }
}

#[test]
fn a_list_without_ranks_is_no_list() {
    let bench = Bench::new();
    let answer = bench.numawise(&["trace", "--output", "run.trace", "--ranks", "", "--", "true"]);
    assert!(answer.err.contains("--ranks '': expected ranks, such as 0,3-5"), "{}", answer.err);
    assert!(!bench.path("run.trace").exists());
}

#[test]
fn what_is_no_archive_is_refused() {
    let bench = Bench::new();
    std::fs::write(bench.path("text.otf2"), "an anchor of nobody").unwrap();
    for (words, expected) in [
        (&["report", "text.otf2"][..], "text.otf2"),
        (&["report", "missing.otf2"], "missing.otf2"),
        (&["report", "text.otf2", "--full"], "always shown in full"),
    ] {
        let answer = bench.numawise(words);
        if has_otf2(&answer) {
            assert_eq!(answer.status, Some(125), "{}", answer.err);
            assert!(answer.err.contains(expected), "{}", answer.err);
        }
    }
}

#[test]
#[ignore = "timing: waiting of each pattern vs the clocks of its ranks"]
fn each_pattern_waits_for_as_long_as_its_ranks_say() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, answer)) = traced(&bench, mpi, "0.1") else { continue };
        let told = told(&answer.out);
        let is_told = |pattern: &str| told.keys().any(|(of, _)| of == pattern);
        for (pattern, kind, waits) in PATTERNS.into_iter().filter(|(pattern, ..)| is_told(pattern)) {
            let of = |at: At| told[&(pattern.to_owned(), at)];
            let expected: f64 = waits
                .iter()
                .map(|(waits, late)| {
                    let [begin, end] = of(*waits);
                    let late = late.iter().map(|at| of(*at)[0]).fold(0.0, f64::max);
                    (late.min(end) - begin).max(0.0)
                })
                .sum();
            let is_of =
                |row: &&Value| text(row, "/waits/place/function") == pattern && text(row, "/kind") == kind;
            let found: Vec<Value> = rows(&json, "waits").iter().filter(is_of).cloned().collect();
            let found = sum(&found);
            eprintln!("{mpi:?} {pattern}: {found} s, by its own clock {expected}");
            assert!(
                (found - expected).abs() <= 0.02 * expected + 0.001,
                "{mpi:?} {pattern}: {found}, {expected}"
            );
        }
        let loops = ["polled", "probe_loop"].map(|of| told[&(of.to_owned(), (1, 0))]);
        let expected: f64 = loops.iter().map(|[begin, end]| end - begin).sum();
        let found = number(&rows(&json, "ranks")[1], "/times/polling_seconds");
        eprintln!("{mpi:?} polling: {found} s, by its own clock {expected}");
        // Of three ranks of MPICH that ask all the time, two have a CPU: a turn of the third may come between two polls.
        let room = if mpi == OPEN_MPI { 0.001 } else { 0.02 };
        assert!((found - expected).abs() <= 0.02 * expected + room, "{mpi:?}: {found}, {expected}");
        let origin = rows(&json, "causes").iter().find(|row| {
            row["what"]["kind"] == "computed" && row["what"]["at"]["place"]["function"] == "chain"
        });
        let origin = origin.unwrap_or_else(|| panic!("{json:#}"));
        // Rank 0 itself may wait for some microseconds for those that it made late.
        assert!(number(origin, "/rank") == 0.0 && number(origin, "/waiting_ranks") >= 2.0, "{origin}");
        assert!(number(origin, "/through_others_seconds") > 0.09, "{origin}");
    }
}

/// The traced time in seconds, and all of it. Ranks of MPICH that wait leave no processor to those that compute.
fn steps(bench: &Bench, words: [&str; 3]) -> Option<(f64, Value)> {
    let (compiler, launcher) = OPEN_MPI;
    let program = bench.compile(compiler, "steps.c", &["-g"])?;
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--", launcher, "-n", "4"];
    let answer = bench.numawise(&[&trace[..], &[program.to_str().unwrap(), "60"], &words].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    Some((number(&json, "/trace/span_seconds"), json))
}

#[test]
#[ignore = "timing: the time that a replay gives vs that of the run without its imbalance"]
fn a_replay_gives_the_time_of_the_run_without_its_imbalance() {
    let bench = Bench::new();
    let cases = [
        (["16", "8", "2"], ["8", "8", "2"], "rank_computes_as_others", "NW081"),
        (["16", "8", "-1"], ["10", "10", "0"], "computing_equal", "NW082"),
    ];
    for (unequal, equal, kind, finding) in cases {
        let Some((before, json)) = steps(&bench, unequal) else { continue };
        let is_it = |row: &&Value| text(row, "/change/kind") == kind;
        let change = rows(&json, "what_if").iter().find(is_it).unwrap_or_else(|| panic!("{json:#}"));
        let said = number(change, "/span_seconds");
        let (truth, _) = steps(&bench, equal).unwrap();
        eprintln!("{kind}: {before} s, replayed {said} s, run {truth} s");
        assert!((said / truth - 1.0).abs() < 0.05, "{kind}: replayed {said} s, run {truth} s");
        let found = json["findings"].as_array().unwrap();
        assert!(found.iter().any(|of| text(of, "/id") == finding), "{found:?}");
        assert_eq!(number(&json, "/trace/period/repetitions"), 59.0, "{:#}", json["trace"]["period"]);
    }
}

#[test]
fn a_rank_with_more_call_sites_than_places_counts_collective_calls_as_the_others_do() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "many_sites.c", &["-g"]) else { return };
    let program = program.to_str().unwrap();
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--", launcher, "-n", "2", program];
    let answer = bench.numawise(&trace);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    // Of the call at a place too many it is not known on which communicator it is.
    let not_judged = rows(&json, "not_judged");
    assert!(not_judged.iter().all(|row| text(row, "/why") == "other_ranks_missing"), "{not_judged:?}");
    assert_eq!(not_judged.iter().map(|row| number(row, "/calls")).sum::<f64>(), 2.0, "{not_judged:?}");
}
