//! Ranks that are placed and watched in one go: the CPUs on which their threads may run are those that were asked for. Lines that a report
//! prints to be typed do what they say.

use crate::agent;
use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, number};

/// The first two CPUs that we may use; `None`, having said so, where there are fewer.
fn two_cpus() -> Option<[usize; 2]> {
    // SAFETY: zeros are a set of CPUs, which the kernel fills.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    // SAFETY: each number lies in the set.
    let cpus: Vec<usize> = (0..1024).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).take(2).collect();
    if cpus.len() < 2 {
        eprintln!("SKIPPED: fewer than two CPUs");
    }
    cpus.try_into().ok()
}

fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::copy(agent::pinning_library(), bench.path("lib/numawise/libnumawise_agent.so")).unwrap();
    bench
}

#[test]
fn ranks_of_a_launcher_are_placed_and_watched() {
    let Some([first, second]) = two_cpus() else { return };
    let bench = bench();
    let list = format!("--cpus={first},{second}");
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "cpus.c", &["-fopenmp"]) else { continue };
        let program = program.to_str().unwrap();
        let of = |words: &[&str]| {
            let words: Vec<&str> = ["--json=run.json", &list].iter().chain(words).copied().collect();
            let answer = bench.snapshot(&words);
            assert_eq!(answer.status, Some(0), "{}", answer.err);
            (answer, bench.json("run.json"))
        };
        // A thread of each of two ranks, each on a CPU of its own; both libraries are there, ours that pins first.
        let words = ["--place", "local", "--threads", "1", "--", launcher, "-n", "2", program, "{threads}"];
        let (answer, json) = of(&words);
        let expected = format!(
            "rank 0 of 2: 1 asked, agent before collector; thread 0: {first}\n\
             rank 1 of 2: 1 asked, agent before collector; thread 0: {second}\n"
        );
        assert_eq!(answer.out, expected, "{}", answer.err);
        assert_eq!(number(&json, "/processes/ranks"), 2.0, "{json}");
        // Two threads of one rank.
        let words = ["--place", "local", "--threads", "2", "--", launcher, "-n", "1", program, "{threads}"];
        let (answer, _) = of(&words);
        let expected =
            format!("rank 0 of 1: 2 asked, agent before collector; thread 0: {first}; thread 1: {second}\n");
        assert_eq!(answer.out, expected, "{}", answer.err);
        // The command that is kept says what was run.
        let kept = format!(" run --rebind --place=local {list} --threads=2 ");
        assert!(answer.err.contains(&kept), "{}", answer.err);
    }
}

#[test]
fn ranks_that_are_asked_for_are_watched_and_all_are_placed() {
    let Some([first, second]) = two_cpus() else { return };
    let bench = bench();
    let list = format!("--cpus={first},{second}");
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "cpus.c", &["-fopenmp"]) else { return };
    let words = ["--ranks", "1", "--json=run.json", &list, "--place", "local", "--threads", "1", "--"];
    let words: Vec<&str> =
        words.into_iter().chain([launcher, "-n", "2", program.to_str().unwrap(), "{threads}"]).collect();
    let answer = bench.snapshot(&words);
    assert!(
        answer.out.contains(&format!("rank 0 of 2: 1 asked, agent before collector; thread 0: {first}\n"))
    );
    assert!(answer.out.contains(&format!("thread 0: {second}\n")), "{}", answer.out);
    let json = bench.json("run.json");
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/ranks/0/rank")), (1.0, 1.0));
}

#[test]
fn a_launcher_that_is_not_understood_is_refused_with_the_line_that_does_it() {
    let bench = Bench::new();
    let refused = |words: &[&str]| {
        let all: Vec<&str> = ["--place", "semi"].iter().chain(words).copied().collect();
        let answer = bench.snapshot(&all);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{}", answer.err);
        answer.err
    };
    for words in [&["--", "jsrun", "-n", "2", "./app"][..], &["--", "mpirun", "-n", "2"]] {
        let said = refused(words);
        assert!(said.contains("numawise run --place semi --threads 6 -- ./app"), "{said}");
    }
    let said = refused(&["--", "mpirun", "-n", "2", "./app", "{threads}"]);
    assert!(said.contains("--threads N fills {threads}"), "{said}");
}

/// The line that a full report prints to be typed for a finding, which must be there; which finding costs most is the machine's choice.
fn printed(answer: &Answer, finding: &str) -> String {
    let (_, found) =
        answer.err.split_once(&format!("\n  {finding} ")).unwrap_or_else(|| panic!("{}", answer.err));
    let (found, _) = found.split_once("\n\n").unwrap_or((found, ""));
    // It is the last part, and wraps.
    let mut words = found.split_whitespace().skip_while(|word| *word != "type").skip(1).peekable();
    assert!(words.peek().is_some(), "no line for {finding}: {}", answer.err);
    words.collect::<Vec<_>>().join(" ")
}

/// Types a line as it is printed.
fn typed(bench: &Bench, line: &str) -> Answer {
    bench.run(&["sh", "-c", &format!("PATH={}:$PATH; {line}", bench.path("bin").display())])
}

#[test]
fn the_line_for_ranks_that_share_a_cpu_gives_each_one_of_its_own() {
    let Some([first, _]) = two_cpus() else { return };
    let bench = bench();
    let cpu = first.to_string();
    // Bound from outside, and rank by rank.
    for ((compiler, launcher), is_outside) in [(MPICH, true), (OPEN_MPI, false)] {
        let Some(program) = bench.compile(compiler, "surrounded.c", &[]) else { continue };
        let program = program.to_str().unwrap();
        // Open MPI's launcher binds ranks to other CPUs than its own, unless told not to.
        let unbound = if launcher.contains("openmpi") { "--bind-to" } else { "-bind-to" };
        let (begin, end) = ([launcher, unbound, "none", "-n", "2"], [program, "compute", "0.5"]);
        let bound = ["taskset", "-c", &cpu];
        let words = if is_outside {
            [&["--full", "--"], &bound[..], &begin, &end].concat()
        } else {
            [&["--full", "--"], &begin[..], &bound, &end].concat()
        };
        let answer = bench.snapshot(&words);
        assert!(answer.status == Some(0) && answer.err.contains("NW030"), "{}", answer.err);
        let line = printed(&answer, "NW030");
        assert!(line.starts_with("numawise snapshot --place semi --threads 1 -- "), "{line}");
        assert!(!line.contains("taskset"), "{line}");
        let answer = typed(&bench, &line);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 3 of 2 ranks\n"), "{}", answer.err);
        assert!(
            answer.err.contains("2 affinity masks of 1 CPU;") && !answer.err.contains("NW030"),
            "{line}: {}",
            answer.err
        );
    }
}

#[test]
fn the_line_for_more_threads_than_cpus_starts_fewer() {
    let bench = bench();
    let Some(program) = bench.compile("gcc", "spin.c", &["-fopenmp"]) else { return };
    let many = (4 * std::thread::available_parallelism().unwrap().get()).to_string();
    let answer = bench.snapshot(&["--full", "--threads", &many, "--", program.to_str().unwrap(), "0.3"]);
    let line = printed(&answer, "NW033");
    let answer = typed(&bench, &line);
    assert!(answer.status == Some(0) && !answer.err.contains("NW033"), "{line}: {}", answer.err);
}
