//! The library for C and C++ on machines with several nodes: pages and masks are what was asked for, fast memory that is full is passed
//! over, and threads of oneTBB are where the observer has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use testbed::{CommandResult, Guest};

use crate::shared::Topic;
use crate::{library, root};

pub const LIBRARY: &str = "library";

/// Compiles a program of the library's tests, linked with it as a whole and without symbols, which a guest would only carry. It is put in its
/// place at once: tests of other machines compile it too.
pub fn compiled(source: &str, words: &[&str]) -> PathBuf {
    let root = root();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("library-{source}")).with_extension("");
    let mut compile = Command::new("g++");
    compile.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-I"]).arg(root.join("include"));
    compile.arg(root.join("crates/capi/tests/c").join(source)).arg(library());
    compile.args(words).args(["-static-libstdc++", "-static-libgcc", "-pthread", "-ldl", "-lm", "-s", "-o"]);
    let fresh = program.with_extension(std::process::id().to_string());
    let compiled = compile.arg(&fresh).output().expect("g++ starts");
    assert!(compiled.status.success(), "{source}: {}", String::from_utf8_lossy(&compiled.stderr));
    std::fs::rename(&fresh, &program).expect("a folder of ours");
    program
}

fn has_tbb() -> bool {
    Path::new("/usr/include/oneapi/tbb.h").exists()
}

pub fn with_programs(guest: Guest<'_>, is_with_tbb: bool) -> Guest<'_> {
    let guest = guest.file_at(compiled("nodes.cpp", &[]), "/bin/nodes");
    if is_with_tbb && has_tbb() { guest.file_at(compiled("tbb.cpp", &["-ltbb"]), "/bin/tbb") } else { guest }
}

pub fn asked(is_with_tbb: bool) -> Topic {
    let of_tbb: &[&str] = if is_with_tbb && has_tbb() { &["tbb", "taskset 6 tbb"] } else { &[] };
    Topic::new(LIBRARY, ["nodes"].iter().chain(of_tbb).copied())
}

pub fn memory_and_threads_are_where_they_are_asked_for(run: &[CommandResult], expected: &str) {
    let (output, messages) = (&run[0].stdout, &run[0].stderr);
    assert!(run[0].status == 0 && output.ends_with(expected), "{output}{messages}");
    for of_tbb in &run[1..] {
        let said = format!("{}{}", of_tbb.stdout, of_tbb.stderr);
        assert!(of_tbb.status == 0 && said.is_empty(), "{}: {said}", of_tbb.command);
    }
}

pub fn say_if_without_tbb() {
    if !has_tbb() {
        eprintln!("SKIPPED in part: oneTBB is not installed");
    }
}
