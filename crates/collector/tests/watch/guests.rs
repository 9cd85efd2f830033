//! Programs without MPI: what a guest in a process must leave as it is.

use std::process::Command;
use std::time::Instant;

use numawise_wire::snapshot::reader::SnapshotFile;
use numawise_wire::snapshot::{Flag, Header, ThreadState};

use crate::library::library;
use crate::support::Bench;

/// Runs the program both ways; gives the files.
fn same(bench: &Bench, words: &[&str]) -> Vec<Vec<u8>> {
    let (without, with) = (bench.without(words), bench.with(words));
    assert_eq!(with, without, "{words:?}");
    bench.take_files()
}

fn flags(files: &[Vec<u8>], flag: Flag) -> Vec<bool> {
    files.iter().map(|bytes| SnapshotFile::parse(bytes).unwrap().has(flag)).collect()
}

#[test]
fn programs_print_and_end_as_without_it() {
    let bench = Bench::new();
    for words in [
        &["true"] as &[&str],
        &["false"],
        &["sh", "-c", "echo a; (exit 3); echo $? | cat; exec sh -c 'exit 4'"],
        &["sh", "-c", "kill -9 $$"],
        &[
            "python3",
            "-c",
            "import subprocess, os; print(subprocess.run(['true']).returncode, len(os.listdir('/proc/self/fd')))",
        ],
        &[
            "python3",
            "-c",
            "import multiprocessing as m\nif __name__ == '__main__': print(m.Pool(2).map(abs, [-1, 2]))",
        ],
        &["env", "-i", "true"],
    ] {
        same(&bench, words);
    }
}

#[test]
fn a_process_that_ends_has_a_file_with_its_time() {
    let bench = Bench::new();
    let begun = Instant::now();
    assert!(bench.with(&["sleep", "0.3"]).status.success());
    let most = begun.elapsed().as_secs_f64();
    let files = bench.take_files();
    assert_eq!(files.len(), 1);
    let file = SnapshotFile::parse(&files[0]).unwrap();
    assert!(file.has(Flag::Ended) && !file.has(Flag::Forked) && file.rank().is_none());
    assert!(file.program().ends_with(b"sleep"), "{:?}", file.program());
    let threads: Vec<_> = file.threads().collect();
    assert!(threads.len() == 1 && threads[0].is_main());
    let seconds = threads[0].ticks(ThreadState::Useful) as f64 * file.nanoseconds_per_tick().unwrap() / 1e9;
    // How long a tick is, is measured: a short run has it less exactly.
    assert!((0.294..=1.02 * most).contains(&seconds), "{seconds} of {most}");
}

#[test]
fn ways_of_a_process_are_as_without_it_and_each_process_has_its_file() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "guest.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    // The way, and how many files: the child of vfork that only ends has its parent's.
    for (way, expected) in [
        ("plain", 1),
        ("fork", 3),
        ("vfork", 2),
        ("exec", 2),
        ("spawn", 3),
        ("many", 101),
        ("threads", 1),
        ("close", 1),
        ("lock", 1),
        ("signal", 1),
        ("descriptor-limit", 2),
        ("memory-limit", 2),
        ("_exit", 1),
        ("quick_exit", 1),
        ("abort", 1),
        ("kill", 1),
        ("crash", 1),
        ("main-thread-ends", 1),
    ] {
        let words = [program, way];
        let (without, with) = (bench.without(&words), bench.with(&words));
        assert_eq!(with, without, "{way}");
        assert_eq!(bench.count_files(), expected, "{way}");
    }
    // A child of a bare clone is seen when it does something that is watched, and here it only ends; a file beyond the
    // limit of the process is not begun.
    for (way, most) in [("clone", 2), ("file-limit", 1)] {
        let words = [program, way];
        assert_eq!(bench.with(&words), bench.without(&words), "{way}");
        assert!(bench.count_files() <= most, "{way}");
    }
}

#[test]
fn what_a_process_was_until_it_was_killed_is_there() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "guest.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    for way in ["kill", "abort", "crash"] {
        let files = same(&bench, &[program, way]);
        assert_eq!(flags(&files, Flag::Ended), [false], "{way}");
        assert_eq!(SnapshotFile::parse(&files[0]).unwrap().threads().count(), 1);
    }
    for way in ["plain", "_exit", "main-thread-ends"] {
        assert_eq!(flags(&same(&bench, &[program, way]), Flag::Ended), [true], "{way}");
    }
    let files = same(&bench, &[program, "fork"]);
    assert_eq!(flags(&files, Flag::Forked).iter().filter(|forked| **forked).count(), 2);
    assert_eq!(flags(&files, Flag::Ended), [true; 3]);
}

#[test]
fn a_child_does_not_write_into_its_parents_file() {
    let bench = Bench::new();
    let files = same(&bench, &["sh", "-c", "(true); (exit 2); exit 1"]);
    let mut processes: Vec<u32> =
        files.iter().map(|bytes| SnapshotFile::parse(bytes).unwrap().process()).collect();
    processes.sort_unstable();
    processes.dedup();
    assert!(processes.len() == files.len() && files.len() == 3, "{processes:?}");
}

#[test]
fn folders_that_cannot_be_written_change_nothing() {
    let bench = Bench::new();
    let missing = bench.folder().join("missing");
    let file = bench.folder().join("file");
    std::fs::write(&file, "").unwrap();
    let long = bench.folder().join("x".repeat(5000));
    for folder in [&missing, &file, &long, &"relative".into(), &"".into()] {
        let words = ["sh", "-c", "echo a; exit 3"];
        assert_eq!(bench.with_folder(&words, folder), bench.without(&words), "{folder:?}");
    }
    assert!(!missing.exists());
}

/// A file system in memory of that size, in a namespace of mounts of its own.
fn in_small_file_system(bench: &Bench, size: &str, script: &str) -> Option<String> {
    let folder = bench.snapshot();
    let mount = format!(
        "mount -t tmpfs -o size={size} none {0} && LD_PRELOAD={1} NUMAWISE_SNAPSHOT={0} sh -c '{script}'; echo $?; ls {0} | wc -l",
        folder.display(),
        library().display()
    );
    let output = Command::new("unshare").args(["-m", "sh", "-c", &mount]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.lines().count() < 2 || !output.stderr.is_empty() {
        eprintln!("SKIPPED: no namespace of mounts: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(text)
}

#[test]
fn a_full_disk_changes_nothing() {
    let bench = Bench::new();
    // No page; pages for the header and a thread of one process; of some processes of a hundred.
    for size in ["4k", "8k", "64k"] {
        let script = "for k in 1 2 3 4 5 6 7 8 9; do (exit $k); echo $?; done; exit 5";
        let Some(text) = in_small_file_system(&bench, size, script) else { return };
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..10].concat(), "1234567895", "{size}: {text}");
    }
}

#[test]
fn a_static_program_runs() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "guest.c", &["-pthread", "-static"]) else { return };
    let files = same(&bench, &[program.to_str().unwrap(), "plain"]);
    assert_eq!(files.len(), 0);
}

#[test]
fn nothing_is_done_where_nobody_asks() {
    let bench = Bench::new();
    let mut command = Command::new("sh");
    let output = command.args(["-c", "exit 3"]).env("LD_PRELOAD", library()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(3), 0, 0));
    assert_eq!(bench.count_files(), 0);
}

#[test]
fn the_library_calls_nothing_that_panics_or_allocates() {
    let Ok(output) = Command::new("nm").args(["-D", "--undefined-only"]).arg(library()).output() else {
        eprintln!("SKIPPED: no nm");
        return;
    };
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    for refused in ["malloc", "calloc", "realloc", "abort", "_Unwind_Resume", "printf", "__register_atfork"] {
        let found = names
            .lines()
            .any(|line| line.split_whitespace().any(|word| word.split('@').next() == Some(refused)));
        assert!(!found, "{refused} in\n{names}");
    }
    assert!(size_of::<Header>() <= 4096);
}

#[test]
fn what_a_shell_computed_before_it_became_the_program_is_not_the_programs() {
    let bench = Bench::new();
    let count = |to: u32| format!("i=0; while [ $i -lt {to} ]; do i=$((i+1)); done");
    let script = format!("{}; exec sh -c '{}; sleep 0.1'", count(300_000), count(3_000));
    let begun = Instant::now();
    assert!(bench.with(&["sh", "-c", &script]).status.success());
    let most = begun.elapsed().as_nanos() as f64;
    // The same loop alone, in processor time, which others cannot lengthen.
    let times = bench.without(&["sh", "-c", &format!("{}; times", count(300_000))]).output;
    let first = seconds_of_times(&times);
    let mut files = bench.take_files();
    // Both shells and the program sleep.
    files.retain(|bytes| SnapshotFile::parse(bytes).unwrap().program().ends_with(b"sh"));
    let of = |bytes: &Vec<u8>| {
        let file = SnapshotFile::parse(bytes).unwrap();
        let thread = file.threads().next().unwrap();
        let elapsed = thread.end().saturating_sub(thread.begin()) as f64 * file.nanoseconds_per_tick()?;
        Some((elapsed, thread.processor_nanoseconds()?, thread.run_delay().unwrap_or(0)))
    };
    let told: Vec<(f64, u64, u64)> = files.iter().filter_map(of).collect();
    // The first one was over before it could tell.
    let [(elapsed, computed, waited)] = told[..] else { panic!("{told:?}") };
    assert!(computed > 0 && (computed as f64) < 0.5e9 * first, "{told:?}, the first loop took {first} s");
    assert!(elapsed <= 1.02 * most && waited as f64 <= most, "{told:?} of {most} ns");
}

/// What a shell says that it computed, in the first line of `times`.
fn seconds_of_times(times: &str) -> f64 {
    let of = |word: &str| -> f64 {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    times.lines().next().unwrap().split_whitespace().map(of).sum()
}
