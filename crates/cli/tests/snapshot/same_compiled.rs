//! Compiled programs, alone and watched: C, C++, Fortran, Go, Rust; with a dynamic loader and without; with rights of another user; and those of
//! OpenMP and MPI.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::compiled::{Key, kept};
use crate::same::{Alike, WATCHING, has, same, same_by};
use crate::support::{Bench, MPICH, OPEN_MPI};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs each way of a program both ways.
fn ways(bench: &Bench, program: &Path, alike: Alike, ways: &[&str]) {
    for way in ways {
        assert!(same(bench, &[text(program), way], alike));
    }
}

#[test]
fn each_way_of_a_program_in_c_is_as_without_us() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "same.c", &["-pthread", "-w"]) else { return };
    ways(
        &bench,
        &program,
        Alike::Wholly,
        &[
            "words",
            "inherited",
            "copy",
            "exits",
            "overflow",
            "timer",
            "waits",
            "daemon",
            "threads",
            "exec-in-thread",
            "fork-in-thread",
            "strict",
            "unprivileged",
            "traced",
            "closes-all",
            "signal-6",
            "signal-9",
            "signal-11",
            "signal-13",
            "signal-14",
            "signal-15",
        ],
    );
    assert!(same(
        &bench,
        &[text(&program), "words", "", "*", "a b", "--json", "$HOME", "\u{e4}"],
        Alike::Wholly
    ));
}

#[test]
fn programs_without_a_loader_and_with_other_rights_are_as_without_us() {
    let bench = Bench::new();
    for (name, options) in [("static", ["-static", "-w"]), ("static-pie", ["-static-pie", "-w"])] {
        let Some(program) = bench.compile("gcc", "same.c", &[&options[..], &["-pthread"]].concat()) else {
            return;
        };
        let moved = bench.path(name);
        std::fs::rename(&program, &moved).unwrap();
        ways(&bench, &moved, Alike::Wholly, &["copy", "threads", "fork-in-thread", "signal-11"]);
        // What it starts is watched again, and what starts it was.
        let script = format!("cat | {0} copy; {0} words | cat; exit 4", moved.display());
        assert!(same(&bench, &["sh", "-c", &script], Alike::Wholly));
    }
    let Some(program) = bench.compile("gcc", "same.c", &["-pthread", "-w"]) else { return };
    // Rights are those of another user only where we may give the file away.
    if std::os::unix::fs::chown(&program, Some(65534), Some(65534)).is_err() {
        eprintln!("SKIPPED: no rights to give a file to another user");
        return;
    }
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o6755)).unwrap();
    ways(&bench, &program, Alike::Wholly, &["inherited", "copy", "exits", "signal-15"]);
}

#[test]
fn programs_in_other_languages_are_as_without_us() {
    let bench = Bench::new();
    if let Some(program) = bench.compile("g++", "same.cpp", &["-std=c++17", "-pthread", "-w"]) {
        ways(&bench, &program, Alike::Wholly, &["", "terminate"]);
    }
    if let Some(program) = bench.compile("gfortran", "same.f90", &["-fno-backtrace"]) {
        ways(&bench, &program, Alike::Wholly, &["stop", "error", "runtime"]);
    }
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs");
    let of = |program: &str| Key::default().with(program).with_file(&programs.join(program));
    let rust = kept("same.rs", of("same.rs"), |folder| {
        let mut make = Command::new("rustc");
        let made = make.arg("-o").arg(folder.join("rust")).arg(programs.join("same.rs")).output();
        made.is_ok_and(|made| made.status.success())
    });
    let rust = rust.expect("rustc, with which these tests are made, makes a program");
    ways(&bench, &rust.join("rust"), Alike::Wholly, &[""]);
    let go = ["/usr/local/go/bin/go", "go"].into_iter().find(|go| Path::new(go).is_file() || has(go));
    let Some(go) = go else { return };
    let made = kept("same.go", of("same.go").with(go), |folder| {
        let mut build = Command::new(go);
        build.args(["build", "-o"]).arg(folder.join("go")).arg(programs.join("same.go"));
        let built = build.env("GO111MODULE", "off").env("GOFLAGS", "").output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        true
    });
    let program = made.unwrap().join("go");
    assert!(same(&bench, &[text(&program)], Alike::Wholly));
    // The states of its goroutines are printed with addresses.
    ways(&bench, &program, Alike::Output, &["panic"]);
}

#[test]
fn programs_with_sanitizers_are_as_without_us() {
    let bench = Bench::new();
    for (sanitizer, found) in [("address", "beyond"), ("thread", "race"), ("undefined", "overflow")] {
        let option = format!("-fsanitize={sanitizer}");
        let Some(program) = bench.compile("gcc", "sanitized.c", &[&option, "-pthread", "-w"]) else { return };
        assert!(same(&bench, &[text(&program), "well"], Alike::Wholly));
        // Errors are printed with addresses and numbers of processes.
        assert!(same(&bench, &[text(&program), found], Alike::Output));
    }
}

#[test]
fn programs_of_openmp_are_as_without_us() {
    let bench = Bench::new();
    for (compiler, source) in
        [("gcc", "same_openmp.c"), ("clang", "same_openmp.c"), ("gfortran", "same_openmp.f90")]
    {
        let Some(program) = bench.compile(compiler, source, &["-fopenmp", "-w"]) else { continue };
        assert!(same(&bench, &[text(&program)], Alike::Wholly));
        let setting = "OMP_DISPLAY_ENV=true";
        assert!(same(&bench, &["env", setting, "OMP_NUM_THREADS=3", text(&program)], Alike::Lines));
    }
}

#[test]
fn programs_of_mpi_are_as_without_us() {
    let bench = Bench::new();
    let ways = [
        (OPEN_MPI, [("plain", Alike::Lines), ("status", Alike::Output), ("abort", Alike::Output)]),
        (MPICH, [("plain", Alike::Lines), ("handler", Alike::Lines), ("fatal", Alike::Output)]),
    ];
    for ((compiler, launcher), ways) in ways {
        let Some(program) = bench.compile(compiler, "same_mpi.c", &["-w"]) else { continue };
        let program = text(&program);
        // A launch takes long: each way with one of those that watch.
        for (watching, (way, alike)) in WATCHING.iter().cycle().zip(ways) {
            assert!(same_by(&[*watching], &bench, &[launcher, "-n", "2", program, way], alike));
        }
        // Without a launcher, and several in a rank.
        if launcher == OPEN_MPI.1 {
            assert!(same(&bench, &[program, "plain"], Alike::Lines));
        } else {
            let several = format!("{program} plain; {program} handler; exit 3");
            assert!(same(&bench, &[launcher, "-n", "2", "sh", "-c", &several], Alike::Output));
        }
    }
    // Each rank writes its line at once.
    let python = "import sys; from mpi4py import MPI; c = MPI.COMM_WORLD; \
        sys.stdout.write(f'{c.rank} {c.allreduce(c.rank)} {c.gather({1: c.rank})}\\n')";
    if Path::new("/usr/lib/python3/dist-packages/mpi4py").exists() {
        assert!(same(&bench, &["mpirun", "-n", "2", "/usr/bin/python3", "-c", python], Alike::Lines));
    }
}
