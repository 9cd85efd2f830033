//! Programs whose truth is known on paper: which thread must be on which CPU, with the library that pins threads.

mod asked;
mod children;
mod errors;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod places;
mod sandbox;
mod support;

use support::{Bench, lines};

/// The lines that a program prints under a plan with two threads, CPU `a` and CPU `b`, written with a, b and ab.
fn check(bench: &Bench, program: &[&str], expected: &[&str]) {
    let printed = bench.run(program, &[]);
    let expected: Vec<String> = expected.iter().map(|line| bench.with_cpus(line)).collect();
    assert_eq!(lines(&printed.output), expected, "{program:?}\n{}", printed.errors);
}

#[test]
fn threads_one_after_the_other_have_one_place() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    check(
        &bench,
        &[&threads, "pool"],
        &[
            "main 0: ab",
            "thread 1: b",
            "thread 2: b",
            "thread 3: b",
            "thread 4: b",
            "thread 5: b",
            "main 9: a",
        ],
    );
}

/// What placements are compared with: the library at work, and every mask as it would be without it.
#[test]
fn an_inert_plan_changes_no_mask() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let [a, b] = bench.cpus.clone();
    let plan = format!("0;{a},{b};{a};{b}");
    for way in [vec!["pool"], vec!["none"], vec!["fork"], vec!["own", &a, &b], vec!["attr", &a]] {
        let words: Vec<&str> = std::iter::once(threads.as_str()).chain(way).collect();
        let inert = bench.run(&words, &[("NUMAWISE_PIN", &plan)]);
        let free = bench.run_without_plan(&words);
        assert_eq!(lines(&inert.output), lines(&free.output), "{words:?}");
        assert_eq!(inert.errors, free.errors, "{words:?}");
    }
}

#[test]
fn a_process_of_one_thread_keeps_all_cpus() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    check(&bench, &[&threads, "none"], &["main 0: ab", "main 9: ab"]);
}

#[test]
fn the_main_thread_keeps_all_cpus_until_all_threads_are_there() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let [a, b] = &bench.cpus;
    // The program ends with five threads beside the main one: enough for a plan of six, too few for one of seven.
    for (more, main) in [(4, "a"), (5, "ab")] {
        let plan = format!("1;{a},{b};{a}{}", format!(";{b}").repeat(more + 1));
        let printed = bench.run(&[&threads, "pool"], &[("NUMAWISE_PIN", &plan)]);
        let last = bench.with_cpus(&format!("main 9: {main}"));
        assert_eq!(lines(&printed.output).last(), Some(&last), "{}", printed.errors);
    }
}

#[test]
fn what_the_program_places_itself_stays_there() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    // A thread whose attributes carry a CPU is not counted.
    check(
        &bench,
        &[&threads, "attr", &bench.cpus[0].clone()],
        &["main 0: ab", "thread 1: b", "thread 100: a", "thread 2: b", "main 9: a"],
    );
    // A main thread that places itself; what it creates has its CPU, which no thread of a plan for CPU b has.
    let plan = format!("1;{0},{1};{0},{1};{1}", bench.cpus[0], bench.cpus[1]);
    let printed = bench
        .run(&[&threads, "own", &bench.cpus[0].clone(), &bench.cpus[1].clone()], &[("NUMAWISE_PIN", &plan)]);
    let expected = ["main 0: ab", "thread 1: b", "main 1: a", "thread 100: a", "main 9: a"];
    assert_eq!(lines(&printed.output), expected.map(|line| bench.with_cpus(line)), "{}", printed.errors);
}

#[test]
fn children_have_the_whole_task_and_count_anew() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    check(
        &bench,
        &[&threads, "fork"],
        &[
            "main 0: ab",
            "thread 1: b",
            "main 1: a",
            "child 0: ab",
            "thread 1: b",
            "child 1: a",
            "thread 2: b",
            "main 9: a",
        ],
    );
    // system() forks without the handlers of fork; the shell and what it starts have all CPUs again.
    let pool = [
        "main 0: ab",
        "thread 1: b",
        "thread 2: b",
        "thread 3: b",
        "thread 4: b",
        "thread 5: b",
        "main 9: a",
    ];
    let expected: Vec<&str> = ["main 0: ab", "thread 1: b", "main 1: a"].into_iter().chain(pool).collect();
    check(&bench, &[&threads, "system"], &expected);
    check(&bench, &["/bin/sh", "-c", &format!("{threads} pool; exit 0")], &pool);
}

#[test]
fn a_binding_made_on_the_way_is_respected() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    check(
        &bench,
        &["taskset", "-c", &bench.cpus[1].clone(), &threads, "pool"],
        &[
            "main 0: b",
            "thread 1: b",
            "thread 2: b",
            "thread 3: b",
            "thread 4: b",
            "thread 5: b",
            "main 9: b",
        ],
    );
}

#[test]
fn threads_end_as_they_would_without() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    check(
        &bench,
        &[&threads, "ends"],
        &["main 0: ab", "thread 1: b", "exit 1", "thread 2: b", "cleaned up", "cancelled", "main 9: a"],
    );
    check(&bench, &[&threads, "c11"], &["main 0: ab", "thread 1: b", "thread 2: b", "ended 42", "main 9: a"]);
}

#[test]
fn more_threads_than_slots_that_all_wait_are_all_in_their_places() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let printed = bench.run(&[&threads, "many", &bench.cpus[0].clone(), &bench.cpus[1].clone()], &[]);
    assert!(printed.output.contains("right 700 of 700"), "{}{}", printed.output, printed.errors);
}

#[test]
fn a_thread_that_could_not_be_created_is_not_counted() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let printed = bench.run(&[&threads, "fails"], &[]);
    let found = lines(&printed.output);
    assert_ne!(found[1], "Success");
    let expected = ["main 0: ab", &found[1], "thread 1: b", "main 9: a"].map(|line| bench.with_cpus(line));
    assert_eq!(found, expected);
}

#[test]
fn helpers_are_not_counted_and_have_the_whole_task() {
    let Some(bench) = Bench::new() else { return };
    let expected = [
        "helper 0: ab",
        "main 0: ab",
        "thread 1: b",
        "helper 0: ab",
        "helper 1: ab",
        "thread 2: b",
        "main 9: a",
    ];
    for (library, leave) in [("libopen-pal", ""), ("libnccl", ""), ("libjack", "libother,libjack")] {
        let program = bench.helped(library);
        let printed = bench.run(&[&program], &[("NUMAWISE_PIN_LEAVE", leave), ("NUMAWISE_PIN_VERBOSE", "1")]);
        assert_eq!(
            lines(&printed.output),
            expected.map(|line| bench.with_cpus(line)),
            "{library}\n{}",
            printed.errors
        );
        assert!(
            printed.errors.contains(&format!("({library}.so) is left alone: ")),
            "{library}\n{}",
            printed.errors
        );
    }
}

#[test]
fn threads_of_openmp_are_left_to_their_runtime() {
    let Some(bench) = Bench::new() else { return };
    let program = bench.compile("gcc", "openmp", &["openmp.c"], &["-fopenmp"]);
    let places = bench.with_cpus("{a},{b}");
    let printed = bench.run(
        &[&program],
        &[
            ("OMP_NUM_THREADS", "2"),
            ("OMP_PLACES", &places),
            ("OMP_PROC_BIND", "close"),
            ("NUMAWISE_PIN_VERBOSE", "1"),
        ],
    );
    let expected = ["thread 1: b", "openmp 0: a", "openmp 1: b", "thread 2: b"];
    assert_eq!(lines(&printed.output), expected.map(|line| bench.with_cpus(line)), "{}", printed.errors);
    assert!(printed.errors.contains("(libgomp.so.1) is left alone: "), "{}", printed.errors);
}

#[test]
fn workers_of_onetbb_are_pinned() {
    let Some(bench) = Bench::new() else { return };
    let Some(program) = bench.try_compile("g++", "tbb", &["tbb.cpp"], &["-ltbb"]) else {
        eprintln!("SKIPPED: oneTBB's headers are not installed (libtbb-dev)");
        return;
    };
    let printed = bench.run(&[&program], &[]);
    let mut found = lines(&printed.output);
    found.sort();
    let expected = ["slot 0: a", "slot 1: b"].map(|line| bench.with_cpus(line));
    assert_eq!(found, expected, "{}", printed.errors);
}
