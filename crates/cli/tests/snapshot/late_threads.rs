//! `numawise trace` of ranks that are late because of one of their threads, or of what they do serially.

use serde_json::Value;

use crate::support::{Answer, Bench, MPICH, OPEN_MPI, number, text};

/// The trace of `late_threads.c`, of which a millisecond takes so many microseconds.
fn traced(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    clang: bool,
    unit: &str,
) -> Option<(Value, Answer)> {
    let shown = |what| bench.run(&[compiler, what]).out;
    let flags = [shown("--showme:compile"), shown("--showme:link")].concat();
    let mut options = vec!["-g", "-fopenmp"];
    // By the words with which Open MPI's compiler calls another one.
    options.extend(flags.split_whitespace().filter(|_| clang));
    let compiler = if clang { "clang" } else { compiler };
    let program = bench.compile(compiler, "late_threads.c", &options)?;
    let program = program.to_str().unwrap();
    let words = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--", launcher, "-n", "2"];
    let answer = bench.numawise(&[&words[..], &[program, unit]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some((bench.json("run.json"), answer))
}

fn rows<'a>(json: &'a Value, table: &str) -> &'a [Value] {
    json.pointer(&format!("/trace/{table}")).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The one with the late thread, and the one without.
fn regions(json: &Value) -> [&Value; 2] {
    let mut all: Vec<&Value> = rows(json, "regions").iter().collect();
    all.sort_by_key(|row| row.pointer("/region/line").and_then(Value::as_u64));
    all.try_into().unwrap_or_else(|all| panic!("{all:#?}"))
}

const CASES: [((&str, &str), bool); 3] = [(OPEN_MPI, false), (OPEN_MPI, true), (MPICH, false)];

#[test]
fn regions_and_serial_parts_are_all_of_what_ranks_do_outside_of_calls() {
    let bench = Bench::new();
    for (mpi, clang) in CASES {
        let Some((json, _)) = traced(&bench, mpi, clang, "20") else { continue };
        let [uneven, _] = regions(&json);
        assert_eq!(number(uneven, "/times"), 10.0, "{uneven:#}");
        let serial: f64 = rows(&json, "serial").iter().map(|row| number(row, "/seconds")).sum();
        // The runtime of LLVM reads files before its first region.
        let all = ["serial", "in_files"].map(|of| number(&json, &format!("/trace/times/{of}_seconds")));
        let all: f64 = all.iter().sum();
        assert!((serial - all).abs() < 1e-6, "{serial} of {all}: {:#}", json["trace"]["serial"]);
        let idle: f64 = rows(&json, "serial").iter().map(|row| number(row, "/idle_seconds")).sum();
        assert!((idle - 3.0 * serial).abs() < 1e-6, "{idle}, {serial}");
        let kinds: Vec<&str> = rows(&json, "what_if").iter().map(|row| text(row, "/change/kind")).collect();
        assert!(kinds.contains(&"threads_equal") && kinds.contains(&"serial_divided"), "{kinds:?}");
        for table in ["trace_regions", "trace_serial", "causes", "critical_path"] {
            let answer = bench.numawise(&["report", "run.trace", &format!("--csv={table}")]);
            assert!(answer.out.lines().count() > 1, "{table}: {}", answer.err);
        }
    }
}

#[test]
#[ignore = "timing: what made ranks late vs paper and the clocks of their threads"]
fn ranks_are_late_for_the_thread_and_the_serial_part_that_made_them_so() {
    let bench = Bench::new();
    for (mpi, clang) in CASES {
        let Some((json, answer)) = traced(&bench, mpi, clang, "1000") else { continue };
        let told: Vec<Vec<f64>> = answer
            .out
            .lines()
            .map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect())
            .filter(|words: &Vec<f64>| words.len() == 7)
            .collect();
        let of = |rank: usize| told.iter().find(|words| words[0] as usize == rank).unwrap();
        let sum = |column: usize| of(0)[column] + of(1)[column];
        let causes = rows(&json, "causes");
        let cause = |rank: f64, kind: &str| {
            let is_it = |row: &&Value| number(row, "/rank") == rank && text(row, "/what/kind") == kind;
            causes.iter().find(is_it).unwrap_or_else(|| panic!("{rank} {kind}: {causes:#?}"))
        };
        let (thread, serial) = (cause(1.0, "in_region"), cause(0.0, "serial"));
        let [uneven, even] = regions(&json);
        assert_eq!(number(thread, "/what/thread"), 3.0, "{thread:#}");
        assert_eq!(thread["what"]["region"], uneven["region"], "{thread:#}");
        assert_eq!(text(serial, "/what/after/call"), "MPI_Barrier", "{serial:#}");
        assert_eq!(serial["what"]["before"]["place"], even["region"], "{serial:#}");
        let of_rank = |rank: f64| -> f64 {
            let own = causes.iter().filter(|row| number(row, "/rank") == rank);
            own.map(|row| number(row, "/seconds")).sum()
        };
        // What it takes to wake threads while others wait for messages is a cause of its own.
        for (cause, rank) in [(thread, 1.0), (serial, 0.0)] {
            assert!(number(cause, "/seconds") >= 0.8 * of_rank(rank), "{cause:#}");
        }
        for (what, found, expected) in [
            ("waited for the rank with the thread", of_rank(1.0), of(1)[5] - of(0)[5]),
            ("waited for the rank with the serial part", of_rank(0.0), of(0)[6] - of(1)[6]),
            ("the thread alone", number(&uneven["late"][0], "/seconds"), of(1)[1]),
            ("waiting in the region", number(uneven, "/seconds"), sum(2)),
            (
                "serial",
                rows(&json, "serial").iter().map(|row| number(row, "/seconds")).sum(),
                sum(3) + sum(4),
            ),
        ] {
            eprintln!("{mpi:?}, clang: {clang}: {what}: {found} s, expected {expected}");
            assert!(
                (found - expected).abs() <= 0.02 * expected + 0.001,
                "{mpi:?}, clang: {clang}: {what}: {found}, {expected}: {json:#}"
            );
        }
        let on_path = rows(&json, "critical_path").first().unwrap();
        assert_eq!((number(on_path, "/rank"), number(on_path, "/what/thread")), (1.0, 3.0), "{on_path:#}");
        let found = json["findings"].as_array().unwrap();
        for id in ["NW085", "NW086"] {
            assert!(found.iter().any(|of| text(of, "/id") == id), "{id}: {found:#?}");
        }
        assert!(answer.err.contains("thread 3"), "{}", answer.err);
    }
}
