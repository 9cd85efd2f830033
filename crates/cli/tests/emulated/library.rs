//! The library for C and C++ on machines with several nodes: pages and masks are what was asked for, fast memory that is full is passed
//! over, threads of oneTBB are where the observer has them, and arrays that are first touched in parallel bring what `check` promised.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{built, decided, guest};

/// Compiles a program of the library's tests, linked with it as a whole.
fn compiled(source: &str, words: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("library-{source}")).with_extension("");
    let mut compile = Command::new("g++");
    compile.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-I"]).arg(root.join("include"));
    compile.arg(root.join("crates/capi/tests/c").join(source)).arg(built("target/library/libnumawise.a"));
    compile.args(words).args(["-static-libstdc++", "-static-libgcc", "-pthread", "-ldl", "-lm", "-o"]);
    let compiled = compile.arg(&program).output().expect("g++ starts");
    assert!(compiled.status.success(), "{source}: {}", String::from_utf8_lossy(&compiled.stderr));
    program
}

#[test]
fn emulated_memory_and_threads_of_the_library_are_where_they_are_asked_for() {
    if !testbed::ready() {
        return;
    }
    let nodes = compiled("nodes.cpp", &[]);
    let has_tbb = Path::new("/usr/include/oneapi/tbb.h").exists();
    if !has_tbb {
        eprintln!("SKIPPED in part: oneTBB is not installed");
    }
    for (name, expected) in [
        ("two-socket", "nodes: 2 of ordinary memory, 0 of fast memory, 0 wrong\n"),
        // Two nodes of 256 MiB, of which the kernel takes some.
        ("hbm", "nodes: 2 of ordinary memory, 2 of fast memory, 0 wrong\n"),
        // A node without memory, and one of which nobody knows the kind.
        ("holes", "nodes: 1 of ordinary memory, 0 of fast memory, 0 wrong\n"),
    ] {
        let machine = testbed::load(name).unwrap();
        let mut guest = testbed::guest(&machine).file_at(&nodes, "/bin/nodes");
        let mut commands = vec!["nodes".to_owned()];
        if has_tbb && name == "two-socket" {
            guest = guest.file_at(compiled("tbb.cpp", &["-ltbb"]), "/bin/tbb");
            commands.extend(["tbb", "taskset 6 tbb"].map(str::to_owned));
        }
        let run = guest.run(&commands).unwrap();
        let (output, messages) = (&run[0].stdout, &run[0].stderr);
        assert!(run[0].status == 0 && output.ends_with(expected), "{name}: {output}{messages}");
        for of_tbb in &run[1..] {
            let said = format!("{}{}", of_tbb.stdout, of_tbb.stderr);
            assert!(of_tbb.status == 0 && said.is_empty(), "{}: {said}", of_tbb.command);
        }
    }
}

/// The number behind a word at the begin of a line.
fn figure(output: &str, name: &str) -> f64 {
    let line = output.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in {output}"));
    line.trim_start_matches(": ").split(' ').next().unwrap().parse().unwrap()
}

/// A triad whose arrays are `std::vector` is found, and what interleaving brings is measured; the same with `first_touch_vector` in their
/// place brings no less, and its pages lie where the threads are that use them.
#[test]
fn emulated_vectors_that_are_touched_in_parallel_bring_what_check_promised() {
    if !testbed::ready() {
        return;
    }
    let program = compiled("first_touch.cpp", &["-fopenmp"]);
    let machine = testbed::load("two-socket").unwrap();
    let check = "numawise check --json --fresh --sampling 3% --seed 1 --metric 'throughput: ([0-9.]+)' --higher-is-better";
    let (told, run) = decided(45, |budget| {
        let check = format!("{check} --budget {budget}s -o /root/triad.nw -- triad vector 131072 4");
        let (serial, parallel) =
            ("triad vector 131072 4".to_owned(), "triad first_touch 131072 4".to_owned());
        let guest = guest(&machine).file_at(&program, "/bin/triad").timing(true).scale(1200.0);
        let commands = [check, serial.clone(), parallel.clone(), parallel, serial];
        guest.limit(Duration::from_secs(budget + 300)).run(&commands).unwrap()
    });
    assert_eq!(told["verdict"], "affected", "{told}");
    // Why it gains (NW001) is not always seen in runs of a second; by how much it does is measured.
    assert_eq!(told["recommended"], "interleave", "{told}");
    let promised = told["effect"]["low"].as_f64().expect("interleaving was measured");
    assert!(promised > 1.2, "{told}");
    let of = |k: usize, name: &str| figure(&run[k].stdout, name);
    let mean = |one: usize, other: usize| (of(one, "throughput") * of(other, "throughput")).sqrt();
    let gain = mean(2, 3) / mean(1, 4);
    assert!(gain >= promised, "promised at least {promised}, and first_touch_vector brings {gain}");
    assert!(of(2, "local") > 0.95 && of(3, "local") > 0.95, "{}{}", run[2].stdout, run[3].stdout);
    assert!(of(1, "local") < 0.8, "one thread touches them: {}", run[1].stdout);
}
