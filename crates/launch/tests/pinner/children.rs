//! What a program starts: all CPUs of the task where we had pinned who starts it; where the program or its user bound itself, that
//! binding, for every CPU.

use crate::support::{Bench, lines};

fn check(bench: &Bench, words: &[&str], expected: &[&str]) {
    let printed = bench.run(words, &[]);
    let expected: Vec<String> = expected.iter().map(|line| bench.with_cpus(line)).collect();
    assert_eq!(lines(&printed.output), expected, "{words:?}\n{}", printed.errors);
}

#[test]
fn what_a_pinned_thread_starts_has_the_whole_task() {
    let Some(bench) = Bench::new() else { return };
    let children = bench.c("children");
    for way in ["system", "popen", "posix_spawn", "posix_spawnp", "vfork", "fork"] {
        check(&bench, &[&children, way], &["main 0: a", "child 0: ab", "main 0: a"]);
    }
    check(&bench, &[&children, "exec"], &["main 0: a", "main 0: a", "child 0: ab"]);
    check(&bench, &[&children, "fexecve"], &["main 0: a", "child 0: ab"]);
}

#[test]
fn what_a_program_bound_stays_bound_in_what_it_starts() {
    let Some(bench) = Bench::new() else { return };
    let children = bench.c("children");
    let [a, b] = bench.cpus.clone();
    for (cpu, name) in [(&a, "a"), (&b, "b")] {
        let (child, main) = (format!("child 0: {name}"), format!("main 0: {name}"));
        for way in ["system", "pthread", "popen", "posix_spawn", "posix_spawnp", "vfork", "fork"] {
            check(&bench, &[&children, way, cpu], &["main 0: a", &child, &main]);
        }
        check(&bench, &[&children, "exec", cpu], &["main 0: a", &main, &child]);
    }
    // A child binds itself, to the very CPU that the parent was pinned to, before it becomes the program. After fork it
    // has the whole task first.
    check(&bench, &[&children, "vfork-binds"], &["main 0: a", "child 0: a", "main 0: a"]);
    check(&bench, &[&children, "fork-binds"], &["main 0: a", "child 0: a", "main 0: a"]);
}

#[test]
fn what_a_user_bound_stays_bound_through_shells() {
    let Some(bench) = Bench::new() else { return };
    let (threads, children) = (bench.c("threads"), bench.c("children"));
    let [a, b] = bench.cpus.clone();
    let nested = format!("{threads} none; sh -c '{threads} none; sh -c \"{threads} none; true\"; true'");
    for (cpu, name) in [(&a, "a"), (&b, "b")] {
        let tools: [&[&str]; 3] = [
            &["taskset", "-c", cpu],
            &["numactl", "-C", cpu],
            &["sh", "-c", &format!("taskset -pc {cpu} $$ > /dev/null; \"$@\"; true"), "sh"],
        ];
        for tool in tools {
            let words = [tool, &["sh", "-c", &nested]].concat();
            let printed = bench.run(&words, &[]);
            let bound = |main| bench.with_cpus(&format!("main {main}: {name}"));
            let expected = [(); 3].iter().flat_map(|()| [bound(0), bound(9)]).collect::<Vec<_>>();
            assert_eq!(lines(&printed.output), expected, "{tool:?}\n{}", printed.errors);
        }
        // Started by a pinned thread.
        let line = format!("taskset -c {cpu} {threads} none; {threads} none");
        let (bound, free) = (bench.with_cpus(&format!("main 0: {name}")), bench.with_cpus("main 0: ab"));
        let printed = bench.run(&[&children, "runs", &line], &[]);
        let found: Vec<String> =
            lines(&printed.output).into_iter().filter(|line| line.starts_with("main 0")).collect();
        assert_eq!(found, [bench.with_cpus("main 0: a"), bound, free], "{}", printed.errors);
    }
}

/// multiprocessing forks, or spawns by vfork and exec.
#[test]
fn pythons_children_are_where_they_would_be() {
    let Some(bench) = Bench::new() else { return };
    let known = std::process::Command::new("python3").arg("--version").output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    let [a, b] = bench.cpus.clone();
    let script = |bind: &str| {
        format!(
            "import os, subprocess, sys, threading\n\
             t = threading.Thread(target=int); t.start(); t.join()\n\
             {bind}\n\
             show = 'import os; print(*sorted(os.sched_getaffinity(0)))'\n\
             subprocess.run([sys.executable, '-c', show], env={{**os.environ, 'X': '1'}})\n\
             subprocess.run([sys.executable, '-c', show], close_fds=False)\n\
             import multiprocessing\n\
             p = multiprocessing.get_context('fork').Process(target=lambda: print(*sorted(os.sched_getaffinity(0)), flush=True))\n\
             p.start(); p.join()\n"
        )
    };
    let run = |bind: &str| lines(&bench.run(&["python3", "-c", &script(bind)], &[]).output);
    assert_eq!(run(""), vec![format!("{a} {b}"); 3]);
    for cpu in [&a, &b] {
        assert_eq!(run(&format!("os.sched_setaffinity(0, [{cpu}])")), vec![cpu.clone(); 3]);
    }
}
