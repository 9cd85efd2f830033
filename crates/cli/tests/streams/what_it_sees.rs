//! What a program that we start finds of signals and descriptors: the same as without us.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::start::{STARTS, Start};
use crate::{folder, numawise, said, trials, whole};

/// Writes its masks of signals into `$1`, and into `$2` what its descriptors are. A program that touches neither signals nor streams
/// writes the first; the second is asked of the shell by children of its own.
const PROGRAM: &str = r#"cp /proc/self/status "$1"
(for fd in 0 1 2 3 4 5 6 7 8 9; do readlink /proc/$$/fd/$fd || echo closed; done) > "$2""#;

/// The lines on signals, and the kinds of the descriptors from 0 on.
type Seen = (Vec<String>, Vec<String>);

fn seen(folder: &Path, name: &str) -> Seen {
    let read = |kind: &str| {
        let path = folder.join(format!("{name}.{kind}"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let signals = ["SigBlk", "SigIgn", "SigCgt"];
    let of_signals = |line: &&str| signals.iter().any(|name| line.starts_with(name));
    // Pipes differ in their numbers.
    let kind = |line: &str| line.split('[').next().unwrap().to_owned();
    (
        read("signals").lines().filter(of_signals).map(str::to_owned).collect(),
        read("files").lines().map(kind).collect(),
    )
}

/// The program's words with its files below `name`.
fn words(name: &str) -> Vec<String> {
    ["sh", "-c", PROGRAM, "sh"]
        .into_iter()
        .map(str::to_owned)
        .chain([format!("{name}.signals"), format!("{name}.files")])
        .collect()
}

fn run(mut command: Command, start: Start, folder: &Path) {
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    start.apply(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{start:?}: {command:?}: {}: {}", output.status, said(&output));
}

fn without_us(start: Start, folder: &Path) -> Seen {
    let mut command = Command::new("env");
    command.args(words("without"));
    run(command, start, folder);
    seen(folder, "without")
}

#[test]
fn in_our_place_all_is_as_without_us() {
    for start in STARTS {
        let folder = folder();
        let expected = without_us(start, folder.path());
        assert_eq!(expected.0.len(), 3, "{expected:?}");
        for (k, options) in
            [&["-C", "all"][..], &[], &["--threads", "1"], &["--place", "local", "--memory", "default"]]
                .into_iter()
                .enumerate()
        {
            let mut command = numawise(&["run"]);
            // Replaced with a warning, where there are threads.
            command.args(options).args(words(&k.to_string())).env("OMP_NUM_THREADS", "7");
            run(command, start, folder.path());
            assert_eq!(seen(folder.path(), &k.to_string()), expected, "{start:?} {options:?}");
        }
    }
}

/// Copies and trials read from nothing, unless there was no standard input at all.
fn of_a_task(start: Start, (signals, mut files): Seen) -> Seen {
    if !start.closed.contains(&0) {
        "/dev/null".clone_into(&mut files[0]);
    }
    (signals, files)
}

#[test]
fn copies_find_what_one_program_would() {
    for start in STARTS {
        let folder = folder();
        let expected = of_a_task(start, without_us(start, folder.path()));
        let mut command = numawise(&["run", "--copies", "2", "--"]);
        command.args(words("copy{task}"));
        run(command, start, folder.path());
        for copy in ["copy0", "copy1"] {
            assert_eq!(seen(folder.path(), copy), expected, "{start:?}");
        }
    }
}

#[test]
fn trials_find_what_one_program_would_but_for_the_pipe_that_we_read() {
    for start in [STARTS[0], STARTS[8], STARTS[11], STARTS[13]] {
        let folder = folder();
        let (signals, mut files) = of_a_task(start, without_us(start, folder.path()));
        files[1..3].fill("pipe:".to_owned());
        let mut command = numawise(&["check", "--budget", "1ms", "--repeats", "5", "-o", "a.nw", "--"]);
        command.args(words("trial"));
        run(command, start, folder.path());
        assert_eq!(seen(folder.path(), "trial"), (signals, files), "{start:?}");
        let trials = trials(folder.path(), "a.nw");
        assert!(trials.len() >= 6 && whole(&trials), "{start:?}: {trials:?}");
    }
}

/// A failed start says so and ends as always, also where that cannot be said.
#[test]
fn a_program_that_is_not_there_has_the_usual_status() {
    for (k, start) in STARTS.into_iter().enumerate() {
        for options in [&["run", "-C", "all"][..], &["run", "--threads", "1"], &["run", "--copies", "2"]] {
            let mut command = numawise(options);
            command.args(["--", "no-such-program-anywhere"]).stdout(Stdio::piped()).stderr(Stdio::piped());
            start.apply(&mut command);
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(127), "{k} {options:?}: {}", said(&output));
            let expected = if start.closed.contains(&2) { 0 } else { 1 };
            assert_eq!(
                said(&output).matches("no-such-program-anywhere: not found").count(),
                expected,
                "{k} {options:?}"
            );
        }
    }
}
