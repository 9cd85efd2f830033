//! Which of the plan's places a new thread gets when earlier ones have ended.

use crate::support::{Bench, lines};

fn check(way: &str, threads: &str, expected: &[&str]) {
    let Some(bench) = Bench::new() else { return };
    let program = bench.c("threads");
    let [a, b] = &bench.cpus;
    let plan = threads.replace('a', a).replace('b', b);
    let plan = format!("1;{a},{b};{plan}");
    let printed = bench.run(&[&program, way], &[("NUMAWISE_PIN", &plan)]);
    let expected: Vec<String> = expected.iter().map(|line| bench.with_cpus(line)).collect();
    assert_eq!(lines(&printed.output), expected, "{way}\n{}", printed.errors);
}

/// Memory that the threads of the first round touched lies where those of the next rounds run.
#[test]
fn new_threads_of_each_round_are_where_those_of_the_first_one_were() {
    let round = ["thread 1: b", "thread 2: a", "thread 3: b"];
    let expected: Vec<&str> =
        ["main 0: ab"].into_iter().chain(round).chain(round).chain(round).chain(["main 9: a"]).collect();
    check("rounds", "a;b", &expected);
    // As many as the plan has beside the main thread, and one more than the plan has.
    let round = ["thread 1: a", "thread 2: b", "thread 3: b"];
    let expected: Vec<&str> =
        ["main 0: ab"].into_iter().chain(round).chain(round).chain(round).chain(["main 9: a"]).collect();
    check("rounds", "a;a;b;b", &expected);
}

#[test]
fn a_new_thread_takes_the_place_of_one_that_was_joined() {
    check("replaced", "a;b", &["main 0: ab", "thread 2: a", "thread 3: a", "thread 4: b", "main 9: a"]);
}

/// Whether a thread is over sooner than the next one is created is a matter of chance, and must not decide where it runs.
#[test]
fn threads_that_are_over_early_keep_their_places_until_they_are_joined() {
    check(
        "early",
        "a;b",
        &["main 0: ab", "thread 1: b", "thread 2: a", "thread 3: b", "thread 4: b", "main 9: a"],
    );
}

#[test]
fn whoever_joins_waits_as_ever() {
    check(
        "joins",
        "a;b",
        &[
            "main 0: ab",
            "thread 1: b",
            "thread 2: b",
            "thread 3: b",
            "thread 4: b",
            "cleaned up",
            "cancelled",
            "cleaned up",
            "cancelled",
            "main 9: a",
        ],
    );
}
