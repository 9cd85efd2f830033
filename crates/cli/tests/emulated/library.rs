//! The library for C and C++ on machines with several nodes: pages and masks are what was asked for, and fast memory that is full is
//! passed over.

use std::path::Path;
use std::process::Command;

use crate::built;

#[test]
fn emulated_memory_and_threads_of_the_library_are_where_they_are_asked_for() {
    if !testbed::ready() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library-nodes");
    let mut compile = Command::new("g++");
    compile.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-I"]).arg(root.join("include"));
    compile.arg(root.join("crates/capi/tests/c/nodes.cpp")).arg(built("target/library/libnumawise.a"));
    compile.args(["-static-libstdc++", "-static-libgcc", "-pthread", "-ldl", "-lm", "-o"]).arg(&program);
    let compiled = compile.output().expect("g++ starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    for (name, expected) in [
        ("two-socket", "nodes: 2 of ordinary memory, 0 of fast memory, 0 wrong\n"),
        // Two nodes of 256 MiB, of which the kernel takes some.
        ("hbm", "nodes: 2 of ordinary memory, 2 of fast memory, 0 wrong\n"),
        // A node without memory, and one of which nobody knows the kind.
        ("holes", "nodes: 1 of ordinary memory, 0 of fast memory, 0 wrong\n"),
    ] {
        let machine = testbed::load(name).unwrap();
        let run =
            testbed::guest(&machine).file_at(&program, "/bin/nodes").run(&["nodes".to_owned()]).unwrap();
        let (output, messages) = (&run[0].stdout, &run[0].stderr);
        assert!(run[0].status == 0 && output.ends_with(expected), "{name}: {output}{messages}");
    }
}
