//! A name that the program does not have is not there because of us: whoever asks by weak references or of the loader finds the same with each
//! preloaded library and without; programs that ask so, and then call what they find, run.

use std::path::Path;
use std::process::Command;

use numawise_wire::snapshot::MpiKind;
use numawise_wire::snapshot::reader::SnapshotFile;

use crate::library::{heap_library, library, pinning_library};
use crate::mpi::{compilers, counts, environment, installed, launched, lines_of_python};
use crate::support::Bench;

/// What a program prints that runs alone, with each preloaded library and with all.
fn assert_finds_the_same(program: &Path, words: &[&str]) -> String {
    let run = |preloaded: &str| {
        let mut command = Command::new(program);
        command.args(words).env("LD_PRELOAD", preloaded);
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{program:?} {preloaded}: {text:?}");
        text
    };
    let alone = run("");
    let libraries = [pinning_library(), library(), heap_library()].map(|path| path.display().to_string());
    let all = libraries.join(":");
    for preloaded in libraries.iter().chain([&all]) {
        assert_eq!(run(preloaded), alone, "{program:?} {words:?} with {preloaded}");
    }
    let [output, errors] = alone;
    assert_eq!(errors, "");
    output
}

#[test]
fn names_that_a_program_asks_for_are_those_that_it_has() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "names.c", &[]) else { return };
    let found = assert_finds_the_same(&program, &[]);
    // It has no MPI, no OpenMP and no C++.
    for name in ["MPI_Send", "GOMP_parallel", "_Znwm"] {
        assert!(
            found.contains(&format!("\n{name} 0 0 1 0 ")) || found.starts_with(&format!("{name} 0 0 1 0 "))
        );
    }
    // What is loaded later has them, in its own scope or in all.
    for later in ["libgomp.so.1", "libstdc++.so.6", "libmpi.so.40", "libmpich.so.12"] {
        for words in [&[later][..], &[later, "global"]] {
            assert_finds_the_same(&program, words);
        }
    }
    let linked = ["-Wl,--no-as-needed"];
    for (compiler, ..) in compilers() {
        let Some(program) = bench.compile(&compiler, "names.c", &linked) else { continue };
        let found = assert_finds_the_same(&program, &[]);
        assert!(found.contains("MPI_Send 1 1 0 1 "), "{compiler}: {found}");
    }
    // What comes with each runtime of OpenMP.
    for (compiler, options) in [("gcc", ["-fopenmp", linked[0]]), ("clang", ["-fopenmp", linked[0]])] {
        let Some(program) = bench.compile(compiler, "names.c", &options) else { continue };
        let found = assert_finds_the_same(&program, &[]);
        assert!(found.contains("omp_set_lock 1 1 0 1 "), "{compiler}: {found}");
    }
}

/// The loader binds it before our turn comes: what it was given of ours is taken out again.
#[test]
fn a_library_that_asks_when_it_is_loaded_finds_what_the_program_has() {
    let bench = Bench::new();
    for now in ["-Wl,-z,lazy", "-Wl,-z,now,-z,relro"] {
        let Some(library) = bench.compile("gcc", "asks.c", &["-shared", "-fPIC", now]) else { return };
        let with_library = [library.to_str().unwrap(), "-Wl,--no-as-needed"];
        let compilers = installed("mpicc").into_iter().map(|(mpi, _)| format!("mpicc.{mpi}"));
        for compiler in ["gcc".to_owned()].into_iter().chain(compilers) {
            let Some(program) = bench.compile(&compiler, "asked.c", &with_library) else { continue };
            let found = assert_finds_the_same(&program, &[]);
            let mpi = if compiler == "gcc" { "0" } else { "1" };
            assert!(found.starts_with(mpi), "{compiler}: {found}");
        }
    }
}

#[test]
fn mpi4py_of_today_runs_and_is_counted() {
    let bench = Bench::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/watch/programs/wheel.py");
    for (name, kind) in [("open-mpi", MpiKind::OpenMpi), ("mpich", MpiKind::Mpich)] {
        let Some(folder) = environment(name) else { continue };
        let python = folder.join("python");
        let words = [python.to_str().unwrap(), script.to_str().unwrap()];
        let files = launched(&bench, folder.join("mpirun").to_str().unwrap(), &words);
        for file in &files {
            let file = SnapshotFile::parse(file).unwrap();
            assert_eq!(file.mpi(), kind as u32);
            let exchanged: Vec<_> =
                counts(&file).into_iter().filter(|(call, _)| call.starts_with("MPI_Sendrecv")).collect();
            assert!(matches!(exchanged[..], [(_, (1, 8000, 8000))]), "{name}: {exchanged:?}");
            let lines = lines_of_python(&file);
            for (call, line) in [("MPI_Allreduce", 16), ("MPI_Sendrecv", 21)] {
                let is = |of: &&(&str, String, u64)| of.0.starts_with(call) && of.2 == line;
                let found = lines.iter().find(is).unwrap_or_else(|| panic!("{name}, {call}: {lines:?}"));
                assert_eq!(found.1, script.to_str().unwrap());
            }
        }
    }
}
