//! What the library says, and that it never stands in the way.

use crate::support::{Bench, lines};

#[test]
fn plans_that_are_none_change_nothing_and_are_told_once() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let expected: Vec<String> = [
        "main 0: ab",
        "thread 1: ab",
        "thread 2: ab",
        "thread 3: ab",
        "thread 4: ab",
        "thread 5: ab",
        "main 9: ab",
    ]
    .iter()
    .map(|line| bench.with_cpus(line))
    .collect();
    for plan in ["", "2;0-1;0;1", "1", "1;0-1", "1;0-1;", "1;x;0", "1;0-1;0;9999", "1;0;0;0;1", "\u{fffd}"] {
        let printed = bench.run(&[&threads, "pool"], &[("NUMAWISE_PIN", plan)]);
        assert_eq!(lines(&printed.output), expected, "{plan}");
        let told = lines(&printed.errors);
        assert_eq!(told.len(), 1, "{plan}: {told:?}");
        assert!(
            told[0].starts_with("numawise: ") && told[0].contains("NUMAWISE_PIN cannot be used"),
            "{told:?}"
        );
        let printed = bench.run(&[&threads, "none"], &[("NUMAWISE_PIN", plan)]);
        assert_eq!(printed.errors, "", "a program without threads hears nothing");
    }
}

#[test]
fn without_a_plan_nothing_happens() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let printed = bench.run_without_plan(&[&threads, "pool"]);
    assert!(lines(&printed.output).iter().all(|line| line.ends_with(&bench.with_cpus(": ab"))));
    assert_eq!(printed.errors, "");
}

#[test]
fn each_thread_is_told_when_asked_for() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let quiet = bench.run(&[&threads, "pool"], &[]);
    assert_eq!(quiet.errors, "");
    let printed = bench.run(&[&threads, "pool"], &[("NUMAWISE_PIN_VERBOSE", "1")]);
    assert_eq!(printed.output, quiet.output, "standard output is the program's own");
    let told = lines(&printed.errors);
    assert_eq!(told.len(), 6, "{told:?}");
    assert!(told.iter().any(|line| line.contains("thread 0 of process") && line.contains("(main): CPUs ")));
    let last = bench.with_cpus("(the program): CPUs b");
    assert!(
        told.iter().any(|line| line.contains("thread 5 of process") && line.ends_with(&last)),
        "{told:?}"
    );
    let printed = bench
        .run(&["taskset", "-c", &bench.cpus[0].clone(), &threads, "pool"], &[("NUMAWISE_PIN_VERBOSE", "1")]);
    assert!(printed.errors.contains("are left alone"), "{}", printed.errors);
}

/// Verbose lines would go there: into a file of the program's own, into a pipe without a reader, to a disk that is full.
#[test]
fn a_standard_error_that_is_not_there_changes_nothing() {
    let Some(bench) = Bench::new() else { return };
    let threads = bench.c("threads");
    let verbose = [("NUMAWISE_PIN_VERBOSE", "1")];
    let expected = bench.run(&[&threads, "pool"], &[]).output;
    let own = bench.folder().join("own.txt");
    let own_file = format!("exec 2>&-; exec \"$0\" pool {}", own.display());
    for script in [
        "exec 2>&-; exec \"$0\" pool",
        "exec 2>/dev/full; exec \"$0\" pool",
        "ulimit -f 0; exec 2>>\"$0.log\"; exec \"$0\" pool",
        &own_file,
    ] {
        let printed = bench.run(&["sh", "-c", script, &threads], &verbose);
        assert_eq!((printed.output.as_str(), printed.errors.as_str()), (expected.as_str(), ""), "{script}");
    }
    assert_eq!(std::fs::read_to_string(own).unwrap(), "the program's own\n");
    // The reader is gone before the program begins, and bash does not ignore SIGPIPE for it.
    let script = "exec 3>&1; { while [ ! -e \"$0.go\" ]; do sleep 0.01; done; exec \"$0\" pool; } 2>&1 >&3 | touch \"$0.go\"; \
                  exit ${PIPESTATUS[0]}";
    let printed = bench.run(&["bash", "-c", script, &threads], &verbose);
    assert_eq!(printed.output, expected);
}

/// Loading it must stay cheap and must not be able to end the program: nothing but the C library is needed, and the
/// function that a panic would call is not even there.
#[test]
fn the_library_is_small_needs_only_the_c_library_and_has_no_panic() {
    let Some(bench) = Bench::new() else { return };
    let bytes = std::fs::read(&bench.library).unwrap();
    assert!(bytes.len() < 64 << 10, "{} bytes", bytes.len());
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    assert!(has(b"libc.so"));
    for unwanted in [b"\0abort\0".as_slice(), b"libgcc_s", b"\0exit\0", b"\0_exit\0", b"panicked at"] {
        assert!(!has(unwanted), "{}", String::from_utf8_lossy(unwanted));
    }
}
