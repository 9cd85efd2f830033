//! OpenMP runtimes in the ways in which they come into a process.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use numawise_wire::snapshot::openmp::ConstructKind;
use numawise_wire::snapshot::reader::{ConstructRecord, SnapshotFile};
use numawise_wire::snapshot::{Flag, ThreadState};

use crate::library::library;
use crate::support::Bench;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The constructs of all threads of the only process with OpenMP.
fn constructs(files: &[Vec<u8>]) -> Vec<ConstructRecord> {
    let all =
        files.iter().flat_map(|bytes| SnapshotFile::parse(bytes).unwrap().threads().collect::<Vec<_>>());
    all.flat_map(|thread| thread.constructs()).collect()
}

fn opened(constructs: &[ConstructRecord]) -> u64 {
    constructs
        .iter()
        .filter(|found| found.kind == Some(ConstructKind::Parallel))
        .map(|found| found.opened)
        .sum()
}

#[test]
fn versioned_references_are_bound_to_ours() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "killed.c", &["-fopenmp"]) else { return };
    let ended = bench.with(&["env", "LD_DEBUG=bindings", "LD_BIND_NOW=1", text(&program)]);
    let to_ours = format!("to {}", library().display());
    let bound = |line: &&str| line.contains("`GOMP_parallel' [GOMP_4.0]") && line.contains(&to_ours);
    assert!(ended.errors.lines().any(|line| bound(&line)), "{}", ended.errors);
}

#[test]
fn regions_that_older_compilers_open_are_counted() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "older.c", &["-fopenmp"]) else { return };
    let words = [text(&program)];
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(with, without);
    assert!(with.status.success() && with.output == "12 499500\n", "{with:?}");
    let found = constructs(&bench.take_files());
    assert_eq!(opened(&found), 5 + 1 + 1 + 2);
    let chunks: u64 = found.iter().map(|construct| construct.chunks).sum();
    let iterations: u64 = found.iter().map(|construct| construct.iterations).sum();
    assert_eq!((chunks, iterations), (334, 1000));
    assert!(found.iter().any(|construct| construct.trips == 1000 && construct.chunk == 3));
}

#[test]
fn iterations_that_wait_in_many_dimensions_wait_for_the_right_ones() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "dimensions.c", &["-fopenmp"]) else { return };
    let words = [text(&program)];
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(with, without);
    assert!(with.status.success() && with.output == "2400\n", "{with:?}");
    let found = constructs(&bench.take_files());
    assert!(found.iter().any(|construct| construct.kind == Some(ConstructKind::Ordered)));
}

#[test]
fn each_library_that_is_opened_has_the_runtime_that_it_brings() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "opens.c", &["-ldl"]) else { return };
    let mut libraries = Vec::new();
    for compiler in ["gcc", "clang"] {
        let options = ["-fopenmp", "-shared", "-fPIC"];
        libraries.extend(bench.compile(compiler, "part.c", &options));
    }
    let words: Vec<&str> =
        std::iter::once(text(&program)).chain(libraries.iter().map(|path| text(path))).collect();
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(with, without);
    assert_eq!(with.output, "4952\nno error\n".repeat(libraries.len()));
    let found = constructs(&bench.take_files());
    assert_eq!(opened(&found), 2 * libraries.len() as u64);
    assert_eq!(found.iter().map(|construct| construct.iterations).sum::<u64>(), 100 * libraries.len() as u64);
}

/// The files of a program that is killed, and how long its threads waited at barriers, in seconds.
fn killed(bench: &Bench, compiler: &str) -> Option<(Vec<Vec<u8>>, f64)> {
    let program = bench.compile(compiler, "killed.c", &["-fopenmp"])?;
    assert_eq!(bench.with(&["env", "OMP_WAIT_POLICY=passive", text(&program)]).status.signal(), Some(9));
    let files = bench.take_files();
    let file = SnapshotFile::parse(files.last().unwrap()).unwrap();
    assert!(!file.has(Flag::Ended));
    let tick = file.nanoseconds_per_tick().unwrap() / 1e9;
    let waited: u64 = file
        .threads()
        .map(|thread| file.ticks_until(&thread, file.last().ticks)[ThreadState::OmpBarrier as usize])
        .sum();
    Some((files, waited as f64 * tick))
}

#[test]
fn what_was_measured_until_a_kill_is_there() {
    for compiler in ["gcc", "clang"] {
        let bench = Bench::new();
        let Some((files, waited)) = killed(&bench, compiler) else { continue };
        assert!(waited > 0.0, "{compiler}: {waited} s");
        assert_eq!(opened(&constructs(&files)), 10);
    }
}

#[test]
#[ignore = "timing: what threads waited until a kill"]
fn what_threads_waited_until_a_kill_is_there() {
    for compiler in ["gcc", "clang"] {
        let bench = Bench::new();
        let Some((_, waited)) = killed(&bench, compiler) else { continue };
        eprintln!("{compiler}: {waited} s at barriers");
        // The last moment that was noted may be up to 10 ms old.
        assert!((0.08..0.5).contains(&waited), "{compiler}: {waited} s");
    }
}

#[test]
fn a_worker_that_is_made_is_being_woken_until_it_works() {
    for compiler in ["gcc", "clang"] {
        let bench = Bench::new();
        let Some(program) = bench.compile(compiler, "once.c", &["-fopenmp"]) else { continue };
        assert!(bench.with(&[text(&program)]).status.success());
        let files = bench.take_files();
        let file = SnapshotFile::parse(&files[0]).unwrap();
        let workers: Vec<_> = file.threads().filter(|thread| !thread.is_main()).collect();
        assert_eq!(workers.len(), 1, "{compiler}");
        let worker = &workers[0];
        assert!(worker.ticks(ThreadState::OmpScheduling) > 0, "{compiler}");
        // From the begin of the thread, not of its work; up to the end of the process, and nothing is lost in between.
        let ticks: u64 = file.ticks_until(worker, file.last().ticks).iter().sum();
        let until = if worker.end() == 0 { file.last().ticks } else { worker.end() };
        assert_eq!(ticks, until - worker.begin(), "{compiler}");
    }
}

#[test]
fn another_tool_of_ompt_is_served_first() {
    let bench = Bench::new();
    let Some(program) = bench.compile("clang", "part.c", &["-fopenmp", "-shared", "-fPIC"]) else { return };
    let Some(opens) = bench.compile("gcc", "opens.c", &["-ldl"]) else { return };
    let Some(tool) = bench.compile("gcc", "ompt_tool.c", &["-shared", "-fPIC"]) else { return };
    let preload = format!("LD_PRELOAD={}:{}", library().display(), text(&tool));
    for setting in [preload, format!("OMP_TOOL_LIBRARIES={}", text(&tool))] {
        let ended = bench.with(&["env", &setting, text(&opens), text(&program)]);
        assert_eq!(ended.output, "tool\n4952\nno error\n", "{setting}: {ended:?}");
        let files = bench.take_files();
        assert!(files.iter().any(|bytes| SnapshotFile::parse(bytes).unwrap().has(Flag::OtherOmptTool)));
    }
}

/// LLVM's runtime tells a tool the places of calls by their return addresses.
#[test]
fn another_tool_of_ompt_is_told_places_of_the_program() {
    let bench = Bench::new();
    let Some(program) = bench.compile("clang", "ompt_places.c", &["-fopenmp", "-ldl"]) else { return };
    let ended = bench.with(&[text(&program)]);
    assert_eq!(ended.output, "9900, both loops, 0 elsewhere\n", "{ended:?}");
    assert!(SnapshotFile::parse(bench.take_files().last().unwrap()).unwrap().has(Flag::OtherOmptTool));
}

#[test]
fn entry_points_of_libgomp_in_another_runtime_are_counted_once() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "killed.c", &["-fopenmp"]) else { return };
    let Some(found) = ["/usr/lib/x86_64-linux-gnu/libomp.so.5", "/usr/lib/aarch64-linux-gnu/libomp.so.5"]
        .into_iter()
        .find(|path| Path::new(path).exists())
    else {
        eprintln!("SKIPPED: no libomp.so.5");
        return;
    };
    std::os::unix::fs::symlink(found, bench.folder().join("libgomp.so.1")).unwrap();
    let setting = format!("LD_LIBRARY_PATH={}", text(bench.folder()));
    let ended = bench.with(&["env", &setting, text(&program)]);
    assert_eq!(ended.status.signal(), Some(9), "{ended:?}");
    let files = bench.take_files();
    assert!(SnapshotFile::parse(files.last().unwrap()).unwrap().has(Flag::Ompt));
    assert_eq!(opened(&constructs(&files)), 10);
}
