//! What keeps a program from being watched.

use crate::support::Bench;

#[test]
fn without_its_library_nothing_runs() {
    let bench = Bench::with_library(false);
    let answer = bench.snapshot(&["--", "sh", "-c", "echo ran"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""));
    assert!(
        answer.err.contains("libnumawise_collector.so") && answer.err.contains("make install"),
        "{}",
        answer.err
    );
}

#[test]
fn a_library_of_another_layout_is_refused() {
    let bench = Bench::new();
    let library = bench.path("lib/numawise/libnumawise_collector.so");
    let mut bytes = std::fs::read(&library).unwrap();
    let mark = b"numawise collector, layout ";
    let at = bytes.windows(mark.len()).position(|bytes| bytes == mark).expect("the library has its mark");
    bytes[at + mark.len()] = b'7';
    std::fs::write(&library, &bytes).unwrap();
    let answer = bench.snapshot(&["--", "sh", "-c", "echo ran"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""));
    assert!(answer.err.contains("layout 7001, expected layout 1"), "{}", answer.err);
    bytes.truncate(at);
    std::fs::write(&library, &bytes).unwrap();
    let answer = bench.snapshot(&["--", "true"]);
    assert!(answer.status == Some(125) && answer.err.contains("damaged"), "{}", answer.err);
}

#[test]
fn a_static_program_runs_and_is_told_to_be_unseen() {
    let bench = Bench::new();
    std::fs::write(
        bench.path("app.c"),
        "#include <stdio.h>\nint main(void) { puts(\"static\"); return 5; }\n",
    )
    .unwrap();
    let compiled = bench.command("gcc").args(["-static", "-o", "app", "app.c"]).output();
    if !compiled.is_ok_and(|compiled| compiled.status.success()) {
        eprintln!("SKIPPED: no compiler that links statically");
        return;
    }
    let answer = bench.snapshot(&["--", "./app"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), "static\n"));
    for part in ["linked statically", "NOTHING WAS MEASURED", "nothing was measured: no process"] {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
}

#[test]
fn what_cannot_be_started_has_the_status_of_shells() {
    let bench = Bench::new();
    for (program, status) in [("./nothing-there", 127), ("nothing-there", 127), ("/", 126)] {
        let answer = bench.snapshot(&["--", program]);
        assert_eq!(answer.status, Some(status), "{}", answer.err);
    }
    assert!(bench.snapshot(&["--ranks", "", "--", "true"]).err.contains("--ranks ''"));
    assert_eq!(bench.snapshot(&["--show", "--", "true"]).status, Some(125));
    assert_eq!(bench.snapshot(&["--"]).status, Some(125));
}

#[test]
fn one_inside_another_is_refused() {
    let bench = Bench::new();
    let numawise = bench.numawise.to_str().unwrap();
    let answer = bench.snapshot(&["--quiet", "--", numawise, "snapshot", "--", "true"]);
    assert_eq!(answer.status, Some(125));
    assert!(answer.err.contains("watched by another numawise already"), "{}", answer.err);
}
