//! What a program is answered that asks on which CPUs its main thread may run: those of its task, however it asks, while the thread stays
//! where the plan has it. A runtime that is loaded late takes the answer for its machine.

use crate::support::{Bench, lines};

fn assert_prints(bench: &Bench, words: &[&str], expected: &[&str]) {
    let places = bench.with_cpus("{a},{b}");
    let environment = [
        ("OMP_NUM_THREADS", "2"),
        ("OMP_PLACES", places.as_str()),
        ("OMP_PROC_BIND", "close"),
        ("NUMAWISE_PIN_VERBOSE", "0"),
    ];
    let printed = bench.run(words, &environment);
    let expected: Vec<String> = expected.iter().map(|line| bench.with_cpus(line)).collect();
    assert_eq!(lines(&printed.output), expected, "{words:?}\n{}", printed.errors);
    assert_eq!(printed.errors, "", "{words:?}");
}

#[test]
fn of_the_main_thread_the_cpus_of_its_task_are_told() {
    let Some(bench) = Bench::new() else { return };
    let late = bench.compile("gcc", "late", &["late.c"], &["-pthread"]);
    let expected =
        ["pinned 1: ab", "kernel 0: a", "child 1: ab", "kernel 0: ab", "chosen 1: a", "kernel 0: a"];
    // As who saves and restores the CPUs of a thread does: it has its own again.
    assert_prints(&bench, &[&late], &[&expected[..], &["back 1: ab", "kernel 0: a"]].concat());
}

#[test]
fn a_runtime_that_is_loaded_late_has_the_whole_task() {
    let Some(bench) = Bench::new() else { return };
    let late = bench.compile("gcc", "late", &["late.c"], &["-pthread"]);
    for compiler in ["gcc", "clang"] {
        let name = format!("team-{compiler}.so");
        let Some(team) = bench.try_compile(compiler, &name, &["team.c"], &["-fopenmp", "-shared", "-fPIC"])
        else {
            eprintln!("SKIPPED: no OpenMP of {compiler}");
            continue;
        };
        let pinned = ["pinned 1: ab", "kernel 0: a", "loaded 1: ab", "kernel 0: a"];
        let chosen = ["chosen 1: a", "kernel 0: a"];
        // LLVM's runtime asks by `syscall` what it has set that way itself, so that this tells it.
        let (bound, worked, back, child): (_, _, _, &[&str]) = match compiler {
            "gcc" => ("kernel 0: a", "worked 1: ab", "back 1: ab", &["child 1: ab", "kernel 0: ab"]),
            _ => ("kernel 0: ab", "worked 0: ab", "back 0: ab", &[]),
        };
        let works = ["openmp 0: a", "openmp 1: b", worked, "kernel 0: a"];
        let all = [&pinned[..], &works, child, &chosen, &[back, "kernel 0: a"]].concat();
        assert_prints(&bench, &[&late, &team], &all);
        // Without threads before it: libgomp binds who loads it, and LLVM's runtime who first works.
        let all = [&["loaded 1: ab", bound], &works[..], child, &chosen, &[back, "kernel 0: a"]].concat();
        assert_prints(&bench, &[&late, &team, "alone"], &all);
    }
}
