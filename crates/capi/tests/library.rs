//! The library as programs in C and C++ use it, compiled by the compilers that are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the library exports. A name that goes, or changes what it means, needs another version of the library.
const EXPORTED: [&str; 21] = [
    "numawise_alloc",
    "numawise_allowed_cpus",
    "numawise_close",
    "numawise_distance",
    "numawise_error_text",
    "numawise_free",
    "numawise_node_cpus",
    "numawise_node_is_allowed",
    "numawise_node_kind",
    "numawise_node_memory",
    "numawise_node_of_cpu",
    "numawise_nodes",
    "numawise_nodes_of_kind",
    "numawise_open_version",
    "numawise_pages",
    "numawise_pin",
    "numawise_placement_cpus",
    "numawise_placement_free",
    "numawise_placement_threads",
    "numawise_plan",
    "numawise_set_policy",
];
const OF_THREADS: [&str; 2] = ["numawise_set_thread_cpus", "numawise_thread_cpus"];

/// Cargo puts the library beside the test.
fn folder() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let folder = own.parent().unwrap().to_owned();
    assert!(folder.join("libnumawise.so").exists(), "no libnumawise.so in {}", folder.display());
    folder
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Compiles the program that uses every call, and runs it.
fn holds(compiler: &str, words: &[&str]) {
    let made = tempfile::tempdir().unwrap();
    let program = made.path().join("smoke");
    let mut compile = Command::new(compiler);
    compile.args(words).args(["-Wall", "-Wextra", "-Werror", "-pthread", "-g", "-I"]);
    compile.arg(root().join("include")).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/smoke.c"));
    compile.arg("-L").arg(folder()).args(["-x", "none", "-lnumawise", "-o"]).arg(&program);
    let compiled = compile.output().unwrap();
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success() && messages.is_empty(), "{compiler} {words:?}: {messages}");
    let mut run = Command::new(&program);
    // Leaks of ours are found too; what the compiler's own checks need stays.
    run.env("LD_LIBRARY_PATH", folder()).env("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1");
    let ran = run.output().unwrap();
    let (output, messages) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && output.is_empty() && messages.is_empty(), "{compiler} {words:?}: {}\n{output}{messages}", ran.status);
}

#[test]
fn every_call_does_what_the_header_says_for_c_and_c_plus_plus() {
    let tried: Vec<&str> = ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler)).collect();
    assert!(!tried.is_empty(), "no compiler is there");
    for compiler in &tried {
        for standard in ["-std=gnu99", "-std=gnu17"] {
            holds(compiler, &[standard]);
        }
        for standard in ["-std=gnu++17", "-std=gnu++20"] {
            holds(compiler, &["-x", "c++", "-fno-exceptions", standard]);
        }
    }
    if tried.len() < 2 {
        eprintln!("SKIPPED in part: only {tried:?} is there");
    }
}

#[test]
fn nothing_is_leaked_and_no_memory_is_used_that_is_not_ours() {
    holds("gcc", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
}

#[test]
fn what_is_exported_is_declared_and_nothing_else_is_exported() {
    let symbols = Command::new("nm").args(["-D", "--defined-only"]).arg(folder().join("libnumawise.so")).output();
    let symbols = String::from_utf8(symbols.expect("nm is there").stdout).unwrap();
    let found: BTreeSet<&str> = symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let expected: BTreeSet<&str> = EXPORTED.into_iter().chain(OF_THREADS).collect();
    assert_eq!(found, expected);
    let header = std::fs::read_to_string(root().join("include/numawise/numawise.h")).unwrap();
    for name in expected {
        assert!(header.contains(&format!("{name}(")), "{name} is not declared");
    }
}
