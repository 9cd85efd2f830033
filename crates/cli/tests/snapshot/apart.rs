//! Runs and ranks that come into each other's way, or not together: what was measured is kept, and what is missing is said.

use std::process::{Child, Stdio};

use crate::support::{Answer, Bench, number, text};

const EARLY: &str = "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char **v) { int r; MPI_Init(&c, &v);\n\
                     MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Barrier(MPI_COMM_WORLD); if (r == 1) exit(3);\n\
                     MPI_Finalize(); return 0; }\n";

const OWN: &str = "#include <dlfcn.h>\nint main(int c, char **v) { void *mpi = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);\n\
                   if (!mpi) return 77; int (*init)(int *, char ***) = dlsym(mpi, \"MPI_Init\");\n\
                   int (*finalize)(void) = dlsym(mpi, \"MPI_Finalize\"); init(&c, &v); finalize(); return 5; }\n";

/// On one line.
fn said(answer: &Answer) -> String {
    answer.err.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The records of a bench.
fn records(bench: &Bench) -> Vec<String> {
    let names = std::fs::read_dir(bench.path(".")).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".nw")).collect()
}

/// False, having said so, where there is no such compiler.
fn compiles(bench: &Bench, words: &[&str]) -> bool {
    let is_made = bench.command(words[0]).args(&words[1..]).status().is_ok_and(|status| status.success());
    if !is_made {
        eprintln!("SKIPPED: {words:?} does nothing here");
    }
    is_made
}

#[test]
fn two_runs_into_one_file_are_both_kept() {
    let bench = Bench::new();
    let begin = |script: &str| -> Child {
        let mut command = bench.command(&bench.numawise);
        command.args(["snapshot", "--output", "run.nw", "--", "sh", "-c", script]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // The first ends when the other one has begun, and the second when the first is kept.
    let first = begin("until test -e second; do sleep 0.01; done; echo one; exit 3");
    let second = begin("touch second; until test -s run.nw; do sleep 0.01; done; echo two; exit 4");
    let [first, second] = [first, second].map(|child| Answer::from(child.wait_with_output().unwrap()));
    assert_eq!((first.status, first.out.as_str()), (Some(3), "one\n"), "{}", first.err);
    assert_eq!((second.status, second.out.as_str()), (Some(4), "two\n"), "{}", second.err);
    let records = records(&bench);
    let beside = records.iter().find(|name| *name != "run.nw").expect("a record of the second run");
    let is_named = |line: &str| line.split_whitespace().eq(["Record", beside.as_str()]);
    assert!(second.err.lines().any(is_named), "{}", second.err);
    assert!(second.err.contains("another run was kept there while this one ran"), "{}", second.err);
    for (name, status) in [("run.nw", 3.0), (beside, 4.0)] {
        let report = bench.run(&[bench.numawise.to_str().unwrap(), "report", name, "--json"]);
        let json = serde_json::from_str(&report.out).unwrap_or_else(|_| panic!("{report:?}"));
        assert_eq!(number(&json, "/exit/code"), status, "{name}: {json}");
    }
}

#[test]
fn a_report_that_was_to_be_in_files_alone_is_printed_where_none_can_be_written() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("gone")).unwrap();
    let script = "rm -r gone; echo ran";
    let answer = bench.snapshot(&["--quiet", "--output", "gone/run.nw", "--", "sh", "-c", script]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "ran\n"), "{}", answer.err);
    assert!(answer.err.contains("Elapsed") && answer.err.contains("numawise: gone/run.nw"), "{}", answer.err);
    assert!(!answer.err.contains("Kept in"), "{}", answer.err);
}

#[test]
fn ranks_that_end_without_finalize_are_named() {
    let bench = Bench::new();
    std::fs::write(bench.path("early.c"), EARLY).unwrap();
    for (compiler, launcher) in [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpiexec.mpich")] {
        if !compiles(&bench, &[compiler, "-o", "early", "early.c"]) {
            continue;
        }
        let answer = bench.snapshot(&["--json=run.json", "--", launcher, "-n", "2", "./early"]);
        let json = bench.json("run.json");
        let mut notices = json["notices"].as_array().unwrap().iter();
        let early = notices.find(|notice| notice["code"] == "NW924").unwrap_or_else(|| panic!("{json}"));
        assert!(text(early, "/text").contains("(rank 1 by exit after"), "{early}");
        assert!(said(&answer).contains("ended without MPI_Finalize"), "{}", answer.err);
    }
}

#[test]
fn an_mpi_whose_functions_are_looked_up_in_its_file_alone_is_said() {
    let bench = Bench::new();
    std::fs::write(bench.path("own.c"), OWN).unwrap();
    for (launcher, library) in [("mpirun.openmpi", "libmpi.so.40"), ("mpiexec.mpich", "libmpich.so.12")] {
        let define = format!("-DLIBRARY=\"{library}\"");
        if !compiles(&bench, &["gcc", "-o", "own", "own.c", &define, "-ldl"])
            || !compiles(&bench, &["sh", "-c", &format!("{launcher} -n 1 ./own; test $? = 5")])
        {
            continue;
        }
        let answer = bench.snapshot(&["--", launcher, "-n", "1", "./own"]);
        assert_eq!(answer.status, Some(5), "{}", answer.err);
        let said = said(&answer);
        assert!(said.contains(" is loaded into ./own, and no call of it was seen"), "{said}");
        assert!(said.contains("MPI (libmpi"), "{said}");
    }
}

#[test]
fn ranks_of_one_computer_that_share_no_memory_keep_a_record_each() {
    let bench = Bench::new();
    if !compiles(&bench, &["unshare", "-m", "mount", "-t", "tmpfs", "none", "/dev/shm"]) {
        return;
    }
    let Some(program) = bench.compile("mpicc.openmpi", "ranks.c", &[]) else { return };
    let (numawise, program) = (bench.numawise.display(), program.display());
    let script =
        format!("mount -t tmpfs none /dev/shm; exec {numawise} snapshot --output run.nw -- {program}");
    let answer = bench.run(&["mpirun.openmpi", "-n", "2", "unshare", "-m", "sh", "-c", &script]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 1 of 2 ranks\n"), "{}", answer.err);
    assert_eq!(records(&bench).len(), 2, "{:?} {}", records(&bench), answer.err);
    let expected = "of one computer meet in /dev/shm, which containers have to share";
    assert!(said(&answer).contains(expected), "{}", answer.err);
}
