//! Orders as runtimes of OpenMP have them: where they put threads on this very machine, we put them too.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{allowed, run};

/// Two packages of four cores with two threads each, numbered as Linux does.
const MACHINE: &str = "pack:2 [numa] core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)";

/// Prints the CPUs that each thread may use, thread by thread.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
    cpu_set_t of[64];
    int number = 1;
    #pragma omp parallel num_threads(omp_get_max_threads() < 64 ? omp_get_max_threads() : 64)
    {
        sched_getaffinity(0, sizeof(cpu_set_t), &of[omp_get_thread_num()]);
        #pragma omp single
        number = omp_get_num_threads();
    }
    for (int thread = 0; thread < number; ++thread) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &of[thread])) printf("%d ", cpu);
        printf("| ");
    }
    printf("\n");
}
"#;

fn compiled(compiler: &str, folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("where.c"), folder.join(compiler));
    std::fs::write(&source, PROGRAM).unwrap();
    let built = Command::new(compiler).arg("-fopenmp").arg("-o").arg(&program).arg(&source).output();
    match built {
        Ok(built) if built.status.success() => Some(program),
        Ok(built) => {
            eprintln!("SKIPPED: {compiler} -fopenmp: {}", String::from_utf8_lossy(&built.stderr));
            None
        }
        Err(error) => {
            eprintln!("SKIPPED: {compiler}: {error}");
            None
        }
    }
}

/// What the program says, started by a shell without what this test was started with.
fn by_shell(line: &str) -> String {
    let mut command = Command::new("sh");
    for name in ["KMP_AFFINITY", "GOMP_CPU_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND", "OMP_NUM_THREADS"] {
        command.env_remove(name);
    }
    let output = command.args(["-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn words_put_threads_where_llvms_runtime_puts_them() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled("clang", folder.path()) else { return };
    let program = program.to_str().unwrap();
    let list = allowed("Cpus_allowed_list");
    // It leaves a single thread where it is, where the word is `balanced`.
    for threads in ["2", "3", "5"] {
        for (order, theirs) in [
            ("compact", "compact".to_owned()),
            ("scatter", "scatter".to_owned()),
            ("balanced", "balanced".to_owned()),
            (list.as_str(), format!("proclist=[{list}],explicit")),
        ] {
            let ours = run(&["--order", order, "--threads", threads, program]);
            let line =
                format!("KMP_AFFINITY='granularity=fine,{theirs}' OMP_NUM_THREADS={threads} {program}");
            assert_eq!(ours.out, by_shell(&line), "{order}, {threads} threads: {ours:?}");
        }
    }
}

#[test]
fn lines_for_runtimes_put_threads_where_we_put_them() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, tools) in
        [("gcc", &["gomp-cpu-affinity"][..]), ("clang", &["gomp-cpu-affinity", "kmp-affinity"])]
    {
        let Some(program) = compiled(compiler, folder.path()) else { continue };
        let program = program.to_str().unwrap();
        for options in [&["--place", "local", "--smt", "all"][..], &["--order", "scatter", "--threads", "2"]]
        {
            let ours = run(&[options, &[program]].concat()).out;
            for tool in tools {
                let line = run(&[&["--emit", tool], options, &[program]].concat());
                assert_eq!(by_shell(&line.out), ours, "{line:?}");
            }
        }
    }
}

#[test]
fn an_order_alone_pins_and_a_line_says_it() {
    for (options, list) in [
        (&["--order", "scatter", "--threads", "6"][..], "0,4,1,5,2,6"),
        (&["--order", "balanced", "--threads", "11"], "0,8,1,9,2,10,3,4,5,6,7"),
        (&["--order", "compact", "--threads", "6"], "0,8,1,9,2,10"),
        (&["--order", "0,3-7:2", "--threads", "6"], "0,3,5,7,0,3"),
        (&["--order", "5 3 4"], "5,3,4"),
        (&["--order", "scatter", "--cpus", "2-5"], "2,4,3,5"),
    ] {
        let threads = list.split(',').count();
        for (tool, expected) in [
            ("kmp-affinity", format!("KMP_AFFINITY='granularity=fine,proclist=[{list}],explicit'")),
            ("gomp-cpu-affinity", format!("GOMP_CPU_AFFINITY='{list}'")),
        ] {
            let answer = run(&[&["--emit", tool, "--input", MACHINE], options, &["./app"]].concat());
            assert_eq!(answer.out, format!("OMP_NUM_THREADS={threads} {expected} ./app\n"), "{answer:?}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_what_to_do() {
    for order in ["scatter", "balanced", "0,1"] {
        let answer = run(&["--order", order, "--place", "local", "echo", "started"]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
        for part in [order, "strategy local", "leave --place out", "--place distributed"] {
            assert!(answer.err.contains(part), "{part}: {answer:?}");
        }
    }
    for (options, parts) in [
        (&["--order", "0,8191"][..], ["CPU 8191 does not exist", "it has CPUs"]),
        (&["--order", "0", "--smt", "1"], ["order 0 names all CPUs", "leave --cpus, --nodes"]),
        (&["--order", "scatter", "--copies", "2"], ["2 tasks were asked for", "try --place semi"]),
        (&["--order", "balanced", "--step", "2"], ["no step of 2 goes with that", "expected one of the two"]),
    ] {
        let answer = run(&[options, &["echo", "started"]].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
        assert!(parts.iter().all(|part| answer.err.contains(part)), "{parts:?}: {answer:?}");
    }
    let free = run(&["--emit", "kmp-affinity", "--order", "scatter", "--no-pin", "./app"]);
    assert_eq!((free.status, free.out.as_str()), (Some(125), ""), "{free:?}");
}
