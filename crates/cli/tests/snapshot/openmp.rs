//! Programs without MPI.

use crate::support::{Bench, assert_formulas_hold, number, text};

#[test]
fn what_a_program_prints_and_how_it_ends_is_as_without_us() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "waits.c", &["-fopenmp"]) else { return };
    let program = program.to_str().unwrap();
    let (alone, watched) = (bench.run(&[program]), bench.snapshot(&["--quiet", "--", program]));
    assert_eq!((alone.status, alone.out, alone.err), (watched.status, watched.out, watched.err));
    // The report comes behind, on the standard error.
    let watched = bench.snapshot(&["--", program]);
    assert_eq!((watched.status, watched.out.as_str()), (Some(3), "computed\n"));
    assert!(watched.err.starts_with("nothing is wrong\n"), "{}", watched.err);
    for part in ["of the CPUs' time was useful", "OpenMP parallel efficiency", "main (waits.c:"] {
        assert!(watched.err.contains(part), "{part}: {}", watched.err);
    }
}

#[test]
fn the_region_in_which_threads_wait_is_found_with_its_gain() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "waits.c", &["-fopenmp"]) else { return };
    let answer = bench.snapshot(&["--quiet", "--json=run.json", "--", program.to_str().unwrap()]);
    assert_eq!(answer.status, Some(3), "{}", answer.err);
    let json = bench.json("run.json");
    assert_eq!(text(&json, "/schema"), "numawise/snapshot/1");
    assert_eq!((number(&json, "/processes/counted"), number(&json, "/processes/ranks")), (1.0, 0.0));
    // Each computes for a time of its CPU: on a busy machine all takes longer, but never shorter.
    assert!(number(&json, "/time/useful_seconds") >= 0.29, "{json}");
    assert!(number(&json, "/elapsed_seconds") >= 0.24);
    assert_eq!(text(&json, "/regions/0/name"), "main (waits.c:19)");
    assert_eq!((number(&json, "/regions/0/calls"), number(&json, "/regions/0/team/least")), (1.0, 2.0));
    assert!(number(&json, "/regions/0/imbalance_seconds") > 0.0);
    let gain = number(&json, "/regions/0/potential_gain_seconds");
    assert!((number(&json, "/regions/0/imbalance_seconds") / 2.0 - gain).abs() < 1e-6);
    assert_formulas_hold(&json);
    assert!(json.pointer("/efficiency/mpi_parallel/unavailable").is_some());
}

#[test]
#[ignore = "timing: the efficiency of a region whose threads compute unevenly"]
fn a_region_in_which_threads_wait_is_not_efficient() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "waits.c", &["-fopenmp"]) else { return };
    let answer = bench.snapshot(&["--quiet", "--json=run.json", "--", program.to_str().unwrap()]);
    assert_eq!(answer.status, Some(3), "{}", answer.err);
    let efficiency = number(&bench.json("run.json"), "/efficiency/openmp_parallel");
    eprintln!("an efficiency of {efficiency}");
    assert!((0.2..0.95).contains(&efficiency), "{efficiency}");
}

#[test]
fn a_program_without_any_runtime_is_told_as_that() {
    let bench = Bench::new();
    let answer = bench.snapshot(&["--json=run.json", "--", "sh", "-c", "echo from a shell; exit 4"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(4), "from a shell\n"), "{}", answer.err);
    assert!(answer.err.contains("no call of MPI was seen"), "{}", answer.err);
    let json = bench.json("run.json");
    assert!(json.pointer("/mpi/unavailable").is_some() && json.pointer("/openmp/unavailable").is_some());
}

#[test]
fn a_program_that_reads_its_input_has_ours() {
    let bench = Bench::new();
    std::fs::write(bench.path("words"), "one two\n").unwrap();
    let mut command = bench.command(&bench.numawise);
    command
        .args(["snapshot", "--quiet", "--", "cat"])
        .stdin(std::fs::File::open(bench.path("words")).unwrap());
    assert_eq!(String::from_utf8(command.output().unwrap().stdout).unwrap(), "one two\n");
}

#[test]
fn a_program_is_placed_and_watched_in_one_go() {
    let bench = Bench::new();
    let show = "grep Cpus_allowed_list /proc/self/status";
    let answer = bench.snapshot(&["--quiet", "--cpus", "0", "--", "sh", "-c", show]);
    assert_eq!((answer.status, answer.out.trim()), (Some(0), "Cpus_allowed_list:\t0"), "{}", answer.err);
}

#[test]
fn what_is_preloaded_already_stays() {
    let bench = Bench::new();
    let mut command = bench.command(&bench.numawise);
    command
        .args(["snapshot", "--quiet", "--", "sh", "-c", "echo $LD_PRELOAD"])
        .env("LD_PRELOAD", "libm.so.6");
    let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(out.trim().ends_with("libnumawise_collector.so:libm.so.6"), "{out}");
}

#[test]
fn a_region_stands_in_the_line_of_python_that_opens_it() {
    const LINES: &str = "import ctypes, sys\n\
        lib = ctypes.CDLL(sys.argv[1])\n\
        def twice():\n\
        \x20   lib.main()\n\
        lib.main()\n\
        twice()\n";
    let bench = Bench::new();
    let Some(library) = bench.compile("gcc", "waits.c", &["-fopenmp", "-shared", "-fPIC"]) else { return };
    let python = "/usr/bin/python3";
    if !crate::same::has(python) {
        return;
    }
    std::fs::write(bench.path("calls.py"), LINES).unwrap();
    let command = [python, "calls.py", library.to_str().unwrap()];
    let answer = bench.snapshot(&[&["--json=run.json", "--"][..], &command].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let mut within: Vec<(String, f64)> = (0..2)
        .map(|k| {
            assert_eq!(text(&json, &format!("/regions/{k}/name")), "main (waits.c:19)", "{json}");
            (
                text(&json, &format!("/regions/{k}/within/0/text")).to_owned(),
                number(&json, &format!("/regions/{k}/calls")),
            )
        })
        .collect();
    within.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(within, [("<module> (calls.py:5)".to_owned(), 1.0), ("twice (calls.py:4)".to_owned(), 1.0)]);
    assert_formulas_hold(&json);
}
