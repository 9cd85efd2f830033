//! Programs built with sanitizers, whose runtimes look at what is loaded before them.

use std::path::Path;
use std::process::Command;

use crate::agent::pinning_library;
use crate::support::run;

#[test]
fn pinned_programs_with_sanitizers_end_as_they_do_alone() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs/sanitized.c");
    pinning_library();
    for sanitizer in ["address", "thread", "undefined"] {
        let program = folder.path().join(sanitizer);
        let mut compiler = Command::new("gcc");
        compiler
            .args(["-w", "-pthread", "-o"])
            .args([&program, &source])
            .arg(format!("-fsanitize={sanitizer}"));
        assert!(compiler.status().unwrap().success(), "{sanitizer}");
        let program = program.to_str().unwrap();
        for way in ["well", "beyond"] {
            let alone = Command::new(program).arg(way).output().unwrap();
            for arguments in [&[][..], &["--place", "local", "--threads", "2"]] {
                let words: Vec<&str> = arguments.iter().copied().chain(["--", program, way]).collect();
                let answer = run(&words);
                assert_eq!(answer.status, alone.status.code(), "{words:?}: {answer:?}");
                assert_eq!(answer.out, String::from_utf8_lossy(&alone.stdout), "{words:?}");
            }
        }
    }
    let environment = |arguments: &[&str]| {
        let words = [&["--place", "local"], arguments, &["printenv", "ASAN_OPTIONS"]].concat();
        run(&words).out
    };
    assert_eq!(environment(&[]).trim(), "verify_asan_link_order=0");
    assert_eq!(environment(&["--no-preload"]), "");
}
