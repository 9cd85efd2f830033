//! Whole argument vectors, a word a line, mutated.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use numawise_hostile::{Random, Read, Reader, corpus, mutated};
use numawise_units::harmless::is_harmful;

/// CPU time of one process, against what never ends.
const TIME: Duration = Duration::from_secs(60);
const MEMORY: u64 = 1 << 30;
const INPUTS: u64 = 200;

const ARGUMENTS: Reader = Reader {
    name: "arguments",
    read: |_| Read::Accepted,
    corpus: &["crates/hostile/testdata/arguments"],
    words: &[
        "--dry-run\n",
        "--ranks\n",
        "1000000\n",
        "--threads\n",
        "4294967295\n",
        "--memory\n",
        "bind:0\n",
        "--\n",
        "-C\n",
        "all\n",
        "!0\n",
        "+0\n",
        "same\n",
        "0-8191\n",
        "--input\n",
        "node:1024 core:8\n",
        "=",
        "-",
        "\n",
        "--json\n",
        "--place\n",
        "local\n",
    ],
    inputs: INPUTS,
};

#[test]
fn no_argument_vector_does_harm() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(&ARGUMENTS);
    let (mut good, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    for k in 0..INPUTS {
        let text = match corpus.get(k as usize) {
            Some(text) => text.clone(),
            None => mutated(&corpus, ARGUMENTS.words, &mut Random::of(1, ARGUMENTS.name, k)),
        };
        let words = words(&text);
        let begun = Instant::now();
        let output = started(&words, folder.path());
        slowest = slowest.max(begun.elapsed());
        if let Some(failure) = failure(&output) {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arguments-{k}"));
            std::fs::write(&file, &text).unwrap();
            panic!("input {k} (a word a line in {}): {failure}", file.display());
        }
        if output.status.success() { good += 1 } else { refused += 1 }
    }
    let done = format!(
        "arguments: {INPUTS} vectors, {good} good, {refused} refused, the slowest took {slowest:.1?}"
    );
    writeln!(io::stderr(), "{done}").unwrap();
    assert!(good > 10 && refused > 50, "{done}");
}

/// Words of at most a kilobyte, as many as a person may type.
fn words(text: &[u8]) -> Vec<OsString> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).take(40);
    lines
        .map(|line| {
            let line: Vec<u8> = line.iter().copied().filter(|&byte| byte != 0).take(1024).collect();
            OsString::from_vec(line)
        })
        .collect()
}

/// The command in an empty folder, with no program in its path, so that nothing can be started.
fn started(words: &[OsString], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(words).current_dir(folder).env_clear().env("PATH", folder).env("HOME", folder);
    command.stdin(Stdio::null());
    // SAFETY: between fork and exec only system calls are made, on values of our own.
    unsafe {
        command.pre_exec(|| {
            for (what, most) in [
                (libc::RLIMIT_AS, MEMORY),
                (libc::RLIMIT_CPU, TIME.as_secs()),
                (libc::RLIMIT_CORE, 0),
                (libc::RLIMIT_FSIZE, 64 << 20),
            ] {
                libc::setrlimit(what, &libc::rlimit { rlim_cur: most, rlim_max: most });
            }
            libc::alarm(600);
            Ok(())
        });
    }
    command.output().unwrap()
}

fn failure(output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    if let Some(signal) = output.status.signal() {
        return Some(format!("signal {signal}: {said:.400}"));
    }
    if output.status.code() == Some(101) || said.contains("panicked at") {
        return Some(format!("it panics: {said:.400}"));
    }
    let harmful = said.chars().find(|c| is_harmful(*c) && *c != '\n');
    harmful.map(|c| format!("its message has the character {c:?}: {said:.400?}"))
}

/// A plan names each thread of each rank: a million took 38 s and 1.6 GiB to show.
#[test]
fn more_ranks_than_any_launcher_starts_are_refused_with_the_number_that_is_planned_for() {
    let folder = tempfile::tempdir().unwrap();
    for option in ["--ranks", "--copies", "--threads"] {
        let words = [
            "run",
            option,
            "1000000",
            "--place",
            "local",
            "--dry-run",
            "--input",
            "node:2 core:4 pu:1",
            "./app",
        ];
        let output = started(&words.map(OsString::from), folder.path());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{option}: {said}");
        assert!(
            said.contains("1000000 threads in all were asked for; at most 16384 are planned for"),
            "{said}"
        );
    }
}
