//! Makes the records in `testdata/emulated` anew. Those of objects hold shares of samples: make them on a host without other work.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use testbed::{EmulatedMachine, Guest};

use super::records;
use crate::guest;
use crate::probe::with_probe;
use crate::topics::{objects_to, ranks, snapshot};

/// Runs the commands, each of which leaves a record of its name, and brings the records here.
fn make(guest: Guest<'_>, commands: &[(&str, String)]) {
    let mut guest = guest.limit(Duration::from_secs(3600));
    for (name, _) in commands {
        let file = format!("{name}.nw");
        guest = guest.collect(format!("/root/{file}"), records().join(file));
    }
    let words: Vec<&str> = commands.iter().map(|(_, command)| command.as_str()).collect();
    for result in guest.run(&words).unwrap().iter() {
        eprintln!("{}\n{}{}", result.command, result.stdout, result.stderr);
        assert_eq!(result.status, 0, "{}", result.command);
    }
}

#[test]
#[ignore = "makes files for testdata/emulated"]
fn makes_checks() {
    let flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"];
    let program = testbed::compile_c("probe/modelled.c", "modelled", &flags).unwrap();
    // The kernel leaves pages where they are: that it moves them would be another finding.
    let check = |name: &str, margin: &str, program: &str| {
        let options = "--fresh --seed 1 --repeats 5 --budget 1200s --sampling 15% --metric 'throughput: ([0-9.]+)' --higher-is-better";
        let check = format!(
            "numawise check {options} --margin {margin} -o {name}.nw -- modelled {{threads}} {program}"
        );
        (name.to_owned(), format!("echo 0 > /proc/sys/kernel/numa_balancing; {check}"))
    };
    let machine = testbed::load("two-socket").unwrap();
    for (name, command) in [
        check("serial", "5%", "serial 4 2"),
        check("parallel", "20%", "parallel 4 1"),
        check("even", "5%", "serial 10 1"),
    ] {
        let guest = guest(&machine).file_at(&program, "/bin/modelled").tool("numactl");
        make(guest, &[(&name, command)]);
    }
}

/// A program of `native/workloads/objects`, which names its source by a path that is the same everywhere.
fn compiled(name: &str) -> PathBuf {
    let folder = sources();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recorded-{name}"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-std=gnu11", "-pthread", "-ffile-prefix-map=src/=/usr/src/objects/"]);
    gcc.arg(format!("-fdebug-prefix-map={}=/usr/src/objects", folder.display())).current_dir(&folder);
    gcc.args([&format!("src/{name}.c"), "src/account.c", "-o"]).arg(&program);
    assert!(gcc.status().expect("gcc starts").success());
    program
}

fn sources() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/objects");
    folder.canonicalize().unwrap()
}

fn with_objects<'a>(machine: &'a EmulatedMachine, name: &str) -> Guest<'a> {
    objects_to::with_heap(guest(machine))
        .file_at(compiled(name), format!("/bin/{name}"))
        .file_at(sources().join(format!("src/{name}.c")), format!("/usr/src/objects/{name}.c"))
}

#[test]
#[ignore = "makes files for testdata/emulated"]
fn makes_objects() {
    let followed = |name: &str, options: &str, program: &str| {
        format!("numawise objects --rate 100 {options} --output {name}.nw -- {program}")
    };
    let machine = testbed::load("two-socket").unwrap();
    make(
        with_objects(&machine, "sockets").scale(400.0),
        &[
            ("wrong", followed("wrong", "", "sockets 20000")),
            ("right", followed("right", "", "sockets 20000 all")),
        ],
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/cases/small-hbm.toml");
    let machine = testbed::load(file).unwrap();
    make(with_objects(&machine, "heat").timing(true), &[("heat", followed("heat", "-C 0-1", "heat 1"))]);
}

#[test]
#[ignore = "makes files for testdata/emulated"]
fn makes_snapshots() {
    let machine = testbed::load("two-socket").unwrap();
    let guest = snapshot::with_programs(ranks::launchers(with_probe(&machine))).tool("numactl");
    let ranks = "mpirun.mpich -n 2 -bind-to core numactl -m 1 surrounded compute 20";
    make(guest, &[("elsewhere", format!("numawise snapshot --output elsewhere.nw -- {ranks}"))]);
}
