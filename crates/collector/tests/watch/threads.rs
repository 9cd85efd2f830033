//! Threads without MPI and OpenMP: they have a slot from their begin to their end.

use std::mem::offset_of;
use std::path::Path;

use numawise_wire::snapshot::reader::{SnapshotFile, ThreadRecord};
use numawise_wire::snapshot::{Header, MASK_WORDS, ThreadState};

use crate::library::{library, pinning_library};
use crate::support::Bench;

/// The only file of the program in this way, which is the same with the collector.
fn watched(bench: &Bench, program: &Path, way: &str) -> Vec<u8> {
    let words = [program.to_str().unwrap(), way];
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(with, without, "{way}");
    let mut files = bench.take_files();
    assert_eq!(files.len(), 1, "{way}");
    files.remove(0)
}

/// The threads but the first one of the process, in the order in which they began.
fn others<'a>(file: &SnapshotFile<'a>) -> Vec<ThreadRecord<'a>> {
    let mut threads: Vec<_> = file.threads().filter(|thread| !thread.is_main()).collect();
    threads.sort_by_key(ThreadRecord::begin);
    threads
}

fn seconds(file: &SnapshotFile, ticks: u64) -> f64 {
    ticks as f64 * file.nanoseconds_per_tick().unwrap() / 1e9
}

#[test]
fn a_thread_has_its_time_from_its_begin_to_its_end() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let bytes = watched(&bench, &program, "joined");
    let file = SnapshotFile::parse(&bytes).unwrap();
    let (main, threads) = (file.threads().find(ThreadRecord::is_main).unwrap(), others(&file));
    assert_eq!(threads.len(), 2);
    // One computed for 0.2 s of its own time, and the other one rested as long; either may have begun first.
    let times = [0, 1].map(|one| threads[one].processor_nanoseconds().unwrap());
    let (computed, rested) = (times[0].max(times[1]), times[0].min(times[1]));
    assert!(computed >= 200_000_000 && rested < computed / 2, "{computed} {rested}");
    for thread in &threads {
        assert_eq!(thread.end() - thread.begin(), thread.ticks(ThreadState::Useful));
        assert!(main.begin() < thread.begin() && thread.end() <= main.end());
        assert!(thread.cpus().count() >= 1);
    }
}

#[test]
#[ignore = "timing: states of threads by the clock"]
fn threads_are_useful_for_as_long_as_they_compute_or_rest() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let bytes = watched(&bench, &program, "joined");
    let file = SnapshotFile::parse(&bytes).unwrap();
    let useful: Vec<f64> =
        others(&file).iter().map(|thread| seconds(&file, thread.ticks(ThreadState::Useful))).collect();
    eprintln!("{useful:?} s useful");
    // How long a tick is, is measured: a short run has it less exactly.
    assert!(useful.iter().all(|useful| (0.196..2.0).contains(useful)), "{useful:?}");
}

#[test]
fn where_a_threads_work_lies_is_told() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let bytes = watched(&bench, &program, "joined");
    let file = SnapshotFile::parse(&bytes).unwrap();
    let starts: Vec<u64> = others(&file).iter().map(|thread| thread.start().unwrap()).collect();
    assert_ne!(starts[0], starts[1]);
    for start in starts {
        let module = file.modules().find(|module| (module.begin..module.end).contains(&start)).unwrap();
        assert!(module.path.is_empty(), "{:?}", String::from_utf8_lossy(module.path));
    }
    let main = file.threads().find(ThreadRecord::is_main).unwrap();
    assert_eq!(main.start(), None);
}

#[test]
fn a_thread_that_lives_when_the_process_ends_has_its_processor_time() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let bytes = watched(&bench, &program, "living");
    let file = SnapshotFile::parse(&bytes).unwrap();
    let threads = others(&file);
    assert_eq!((threads.len(), threads[0].end()), (1, 0));
    let computed = threads[0].processor_nanoseconds().unwrap() as f64 / 1e9;
    assert!(computed >= 0.2, "{computed}");
    let whole = file.last().nanoseconds - file.begin().nanoseconds;
    assert!(computed <= whole as f64 / 1e9 + 0.01, "{computed} of {whole} ns");
}

#[test]
#[ignore = "timing: processor time of threads"]
fn threads_have_the_processor_time_that_they_computed_for() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    for way in ["joined", "living"] {
        let bytes = watched(&bench, &program, way);
        let mut computed: Vec<f64> = others(&SnapshotFile::parse(&bytes).unwrap())
            .iter()
            .map(|thread| thread.processor_nanoseconds().unwrap() as f64 / 1e9)
            .collect();
        // Either may have begun first.
        computed.sort_by(|one, other| other.total_cmp(one));
        eprintln!("{way}: {computed:?} s");
        assert!((0.2..0.21).contains(&computed[0]), "{way}: {computed:?}");
        assert!(computed[1..].iter().all(|rested| *rested < 0.01), "{way}: {computed:?}");
    }
}

#[test]
fn what_surrounds_threads_is_noted_when_the_process_ends() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let bytes = watched(&bench, &program, "living");
    let file = SnapshotFile::parse(&bytes).unwrap();
    let mut ours = [0u64; MASK_WORDS];
    let words = numawise_syscalls::affinity(0, &mut ours).unwrap();
    for thread in file.threads() {
        assert_eq!(thread.mask().collect::<Vec<u64>>(), ours[..words], "the mask that we have, too");
    }
    // The one that computed for 0.2 s.
    let delay = others(&file)[0].run_delay().expect("it computed for longer than 1 ms");
    let whole = file.last().nanoseconds - file.begin().nanoseconds;
    assert!(delay <= whole, "{delay} of {whole} ns");
    let noted = |at| file.header_long(at);
    let peak = noted(offset_of!(Header, peak_memory));
    assert!((100 << 10..100 << 20).contains(&peak), "{peak} bytes");
    assert!(noted(offset_of!(Header, swapped)) > 0 && noted(offset_of!(Header, switches)) > 1);
}

#[test]
fn threads_end_as_without_it() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    for (way, expected) in [("ends", 3 + 20 + 1), ("small", 100), ("refused", 0)] {
        let bytes = watched(&bench, &program, way);
        let file = SnapshotFile::parse(&bytes).unwrap();
        let threads = others(&file);
        assert_eq!(threads.len(), expected, "{way}");
        assert!(threads.iter().all(|thread| thread.end() > 0), "{way}");
    }
    // More at one time than there are slots: the rest is counted.
    let bytes = watched(&bench, &program, "many");
    let file = SnapshotFile::parse(&bytes).unwrap();
    assert_eq!((file.threads().count(), file.threads_dropped()), (1024, 1500 + 1 - 1024));
}

#[test]
fn threads_of_a_child_are_in_its_file() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let words = [program.to_str().unwrap(), "forks"];
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(with, without);
    let files = bench.take_files();
    let mut counts: Vec<usize> =
        files.iter().map(|bytes| SnapshotFile::parse(bytes).unwrap().threads().count()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [2, 400]);
}

#[test]
fn threads_are_pinned_and_watched_where_both_libraries_are_loaded() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "threads.c", &["-pthread"]) else { return };
    let run = |libraries: &[&Path]| {
        let libraries: Vec<&str> = libraries.iter().map(|path| path.to_str().unwrap()).collect();
        let script = format!(
            "cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
            export NUMAWISE_PIN=\"1;$cpu;$cpu;$cpu;$cpu\" NUMAWISE_PIN_VERBOSE=1 NUMAWISE_SNAPSHOT={}
            exec taskset -c $cpu env LD_PRELOAD={} {} joined 2>&1",
            bench.snapshot().display(),
            libraries.join(":"),
            program.display()
        );
        bench.without(&["sh", "-c", &script])
    };
    let pinned = run(&[pinning_library()]);
    let lines = |text: &str| text.lines().filter(|line| line.contains("thread")).count();
    assert!(pinned.status.success() && lines(&pinned.output) == 3, "{pinned:?}");
    assert_eq!(bench.count_files(), 0);
    let both = run(&[pinning_library(), library()]);
    // Threads tell of themselves in any order.
    let said = |text: &str| {
        let mut lines: Vec<_> =
            text.lines().map(|line| line.replace(|c: char| c.is_ascii_digit(), "")).collect();
        lines.sort();
        lines
    };
    assert_eq!(said(&both.output), said(&pinned.output));
    let files = bench.take_files();
    let threads = files.iter().map(|bytes| SnapshotFile::parse(bytes).unwrap().threads().count());
    assert!(threads.clone().any(|count| count == 3), "{:?}", threads.collect::<Vec<_>>());
}
