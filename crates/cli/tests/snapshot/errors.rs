//! What keeps a program from being watched.

use crate::program::copied;
use crate::support::{Bench, MPICH, MPIS, OPEN_MPI};

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
    for part in
        ["linked statically", "ended with status 5: nothing was measured", "nothing was measured: no process"]
    {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
}

/// Whether it is said that a program that cannot be watched computes behind a shell, for so many seconds. That depends on whether it was looked
/// at meanwhile; where it is said, the shell is not taken for it. What is said of given looks is tested in
/// `crates/session/src/snapshot/surroundings_tests.rs`.
fn behind_a_shell(bench: &Bench, before: &str, seconds: &str) -> Option<bool> {
    let text =
        "#include <time.h>\nint main(void) { while (clock() < SECONDS * CLOCKS_PER_SEC) ; return 5; }\n";
    let define = format!("-DSECONDS={seconds}");
    let program = compiled(bench, "gcc", "app", text, &["-static", &define])?;
    let script = format!("{before}{program}; exit $?");
    let answer = bench.snapshot(&["--json=run.json", "--", "sh", "-c", &script]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), ""), "{}", answer.err);
    let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_said = said.contains("1 process is not in the figures");
    if is_said {
        assert!(bench.json("run.json")["useful"].get("unavailable").is_some(), "{before}: {said}");
        let headline = "how much of the CPUs' time was useful is not known";
        assert!(said.contains(headline) && said.contains("(app)"), "{before}: {said}");
    }
    Some(is_said)
}

/// It waits, goes on as that, and does so by a program in between.
const SHELLS: [&str; 3] = ["", "exec ", "exec nice -n 1 "];

#[test]
fn a_shell_around_a_program_that_is_not_watched_is_as_without_us() {
    let bench = Bench::new();
    for before in SHELLS {
        behind_a_shell(&bench, before, "0.3");
    }
}

#[test]
#[ignore = "timing: how soon a process that is not watched is looked at from outside"]
fn a_shell_around_a_program_that_is_not_watched_is_not_taken_for_it() {
    let bench = Bench::new();
    for before in SHELLS {
        let is_said = behind_a_shell(&bench, before, "1");
        eprintln!("{before:?}: it is said: {is_said:?}");
        assert!(is_said.is_none_or(|is_said| is_said), "{before}");
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
    let answer = bench.snapshot(&["--near=gpu:4097", "--", "true"]);
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    assert!(answer.err.contains("there is no device gpu:4097 on this machine"), "{}", answer.err);
    for option in ["--show", "-H", "--touch"] {
        let answer = bench.snapshot(&[option, "--", "true"]);
        assert_eq!(answer.status, Some(125), "{option}: {}", answer.err);
        assert!(answer.err.contains("unexpected argument"), "{option}: {}", answer.err);
    }
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

/// Compiles a text; `None`, having said so, where that cannot be done.
fn compiled(bench: &Bench, compiler: &str, name: &str, text: &str, options: &[&str]) -> Option<String> {
    let (source, program) = (bench.path(&format!("{name}.c")), bench.path(name));
    std::fs::write(&source, text).unwrap();
    let output = bench.command(compiler).arg("-o").arg(&program).arg(&source).args(options).output();
    match output {
        Ok(output) if output.status.success() => Some(program.to_str().unwrap().to_owned()),
        other => {
            eprintln!("SKIPPED: {compiler} does not make {name}: {other:?}");
            None
        }
    }
}

const RANK: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int r; MPI_Init(&c, &v);\n\
                    MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize();\n\
                    printf(\"rank %d\\n\", r); return 6; }\n";

#[test]
fn a_launcher_whose_ranks_lose_the_environment_is_told_how_it_is_handed_on() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let program = program.to_str().unwrap();
        let words = ["--", launcher, "-n", "2", "env", "-u", "LD_PRELOAD", program];
        let answer = bench.snapshot(&words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 1 of 2 ranks\n"), "{}", answer.err);
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            &format!("no call of MPI was seen in what {launcher} started"),
            "-x LD_PRELOAD -x NUMAWISE_SNAPSHOT",
            "-genvall",
            "-genvlist LD_PRELOAD,NUMAWISE_SNAPSHOT",
            "--export=ALL",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

#[test]
fn mpi_that_is_linked_statically_is_named() {
    let bench = Bench::new();
    let libraries = "-I/usr/include/x86_64-linux-gnu/mpich /usr/lib/x86_64-linux-gnu/libmpich.a -l:libucp.so.0 \
                     -l:libucs.so.0 -l:libfabric.so.1 -l:libhwloc.so.15 -lm -lpthread";
    let options: Vec<&str> = libraries.split(' ').filter(|word| !word.is_empty()).collect();
    let Some(program) = compiled(&bench, "gcc", "whole", RANK, &options) else { return };
    for words in [&["--", &program][..], &["--", "mpiexec.mpich", "-n", "1", &program]] {
        let answer = bench.snapshot(words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(6), "rank 0\n"), "{}", answer.err);
        assert!(answer.err.contains("MPI is linked statically into"), "{}", answer.err);
    }
}

#[test]
fn two_mpis_in_one_process_are_told_and_nothing_changes() {
    let bench = Bench::new();
    let text = RANK.replace("int r;", "int r; if (!dlopen(OTHER, RTLD_NOW | SCOPE)) return 77;");
    let text = format!("#include <dlfcn.h>\n{text}");
    for ((compiler, launcher), other, scope) in
        [(MPICH, "libmpi.so.40", "RTLD_LOCAL"), (OPEN_MPI, "libmpich.so.12", "RTLD_GLOBAL")]
    {
        let defines = [format!("-DOTHER=\"{other}\""), format!("-DSCOPE={scope}"), "-ldl".to_owned()];
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        let Some(program) = compiled(&bench, compiler, "two", &text, &defines) else { continue };
        let alone = bench.run(&[launcher, "-n", "1", &program]);
        if alone.status != Some(6) {
            eprintln!("SKIPPED: {compiler} with {other}, {scope}: it fails alone too: {}", alone.err);
            continue;
        }
        let answer = bench.snapshot(&["--json=run.json", "--", launcher, "-n", "1", &program]);
        let what = format!("{compiler}, {scope}");
        assert_eq!((answer.status, answer.out.as_str()), (Some(6), "rank 0\n"), "{what}: {}", answer.err);
        let json = bench.json("run.json");
        assert_eq!(json.pointer("/mpi/has_several"), Some(&serde_json::Value::Bool(true)), "{what}: {json}");
        assert_eq!(crate::support::number(&json, "/processes/ranks"), 1.0, "{what}: {json}");
        assert!(answer.err.contains("both loaded into a process"), "{what}: {}", answer.err);
    }
}

#[test]
fn calls_of_an_mpi_that_nobody_knows_are_counted() {
    let bench = Bench::new();
    let mpi = "int MPI_Init(int *c, char ***v) { return 0; } int MPI_Barrier(void *c) { return 0; }\n\
               int MPI_Finalize(void) { return 0; }\n";
    let Some(library) = compiled(&bench, "gcc", "libmpi.so.99", mpi, &["-shared", "-fPIC"]) else { return };
    let text = "int MPI_Init(int *, char ***); int MPI_Barrier(void *); int MPI_Finalize(void);\n\
                int main(int c, char **v) { MPI_Init(&c, &v); for (int i = 0; i < 1000; i++) MPI_Barrier(0);\n\
                return MPI_Finalize() + 4; }\n";
    let Some(program) = compiled(&bench, "gcc", "app", text, &[&library]) else { return };
    let answer = bench.snapshot(&["--json=run.json", "--", &program]);
    assert_eq!(answer.status, Some(4), "{}", answer.err);
    let json = bench.json("run.json");
    let calls = json.pointer("/mpi/calls").unwrap().as_array().unwrap();
    let barrier = calls.iter().find(|call| call["name"] == "MPI_Barrier").unwrap();
    assert_eq!(crate::support::number(barrier, "/count"), 1000.0);
    for said in ["neither Open MPI nor one with the binary interface of MPICH", "does not ask it for ranks"] {
        let words: Vec<&str> = answer.err.split_whitespace().collect();
        assert!(words.join(" ").contains(said), "{said}: {}", answer.err);
    }
}

/// Runs a script as root of its own mounts, with numawise as `$N`; `None`, having said so, where that is not allowed.
fn mounted(bench: &Bench, script: &str) -> Option<crate::support::Answer> {
    // SAFETY: a system call without arguments that cannot fail.
    let options = if unsafe { libc::geteuid() } == 0 { "-m" } else { "-Urm" };
    let mut command = bench.command("unshare");
    let answer =
        command.args([options, "--", "sh", "-c", script]).env("N", &bench.numawise).output().unwrap();
    if answer.status.code() == Some(77) || !answer.status.success() && answer.stderr.starts_with(b"unshare") {
        eprintln!("SKIPPED: no mounts of our own: {answer:?}");
        return None;
    }
    Some(answer.into())
}

#[test]
fn a_full_memory_is_left_for_a_disk_and_both_full_are_told() {
    let bench = Bench::new();
    let small = "mount -t tmpfs -o size=64k none /dev/shm || exit 77\n";
    let disk = format!("{small}\"$N\" snapshot -- sh -c 'echo ran; exit 5'");
    let Some(answer) = mounted(&bench, &disk) else { return };
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), "ran\n"), "{}", answer.err);
    assert!(answer.err.contains("not in memory (/dev/shm: only 64 KiB are free)"), "{}", answer.err);
    assert!(!answer.err.to_lowercase().contains("nothing was measured"), "{}", answer.err);
    let full = format!(
        "{small}mkdir /dev/shm/t; mount -t tmpfs -o size=24k none /dev/shm/t || exit 77\n\
         TMPDIR=/dev/shm/t \"$N\" snapshot -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sh -c \"sleep 0.01; :\"; done; echo ran; exit 5'"
    );
    let answer = mounted(&bench, &full).unwrap();
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), "ran\n"), "{}", answer.err);
    assert!(answer.err.contains("is full (") && answer.err.contains("TMPDIR"), "{}", answer.err);
}

#[test]
fn a_record_for_which_there_is_no_place_does_not_take_the_report_away() {
    let bench = Bench::new();
    let script = "mkdir full && mount -t tmpfs -o size=1m none full || exit 77\n\
                  \"$N\" snapshot --output full/run.nw --json=full/run.json -- sh -c 'head -c 2m /dev/zero > full/x; echo ran; exit 5'";
    let Some(answer) = mounted(&bench, script) else { return };
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), "ran\n"), "{}", answer.err);
    assert!(answer.err.contains("numawise: ") && answer.err.contains("full/run.nw"), "{}", answer.err);
    assert!(answer.err.contains("Elapsed"), "the report is printed all the same: {}", answer.err);
    assert!(!bench.path("full/run.nw").exists(), "no half of a record");
}

#[test]
fn a_limit_on_files_is_named_and_the_program_runs() {
    let bench = Bench::new();
    let numawise = bench.numawise.to_str().unwrap();
    let script = "ulimit -f 64; exec \"$0\" snapshot -- sh -c 'echo ran; exit 5'";
    let answer = bench.run(&["sh", "-c", script, numawise]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(5), "ran\n"), "{}", answer.err);
    assert!(answer.err.contains("ulimit -f") && answer.err.contains("raise the limit"), "{}", answer.err);
}

#[test]
fn closed_streams_change_nothing_of_the_program() {
    let bench = Bench::new();
    let numawise = bench.numawise.to_str().unwrap();
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!("\"$0\" snapshot --json=run.json -- sh -c 'echo ran > ran; exit 5' {closed}");
        let _ = std::fs::remove_file(bench.path("run.json"));
        let _ = std::fs::remove_file(bench.path("ran"));
        let answer = bench.run(&["sh", "-c", &script, numawise]);
        assert_eq!(answer.status, Some(5), "{closed}: {}", answer.err);
        assert!(bench.path("ran").exists() && bench.json("run.json")["exit"]["code"] == 5, "{closed}");
    }
}

#[test]
fn a_setuid_program_runs_and_is_told_to_be_unseen() {
    // SAFETY: a system call without arguments that cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("SKIPPED: only root makes a program of another user");
        return;
    }
    let bench = Bench::new();
    let program = bench.path("other");
    copied("/bin/true", &program);
    std::os::unix::fs::chown(&program, Some(12_345), Some(12_345)).unwrap();
    let mut rights = program.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o4755);
    std::fs::set_permissions(&program, rights).unwrap();
    let answer = bench.snapshot(&["--", "./other"]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    for part in ["the collector cannot be loaded into", "NOTHING WAS MEASURED"] {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
}
