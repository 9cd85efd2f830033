//! The binary, and what it answered.

use std::path::PathBuf;
use std::process::Command;

pub use crate::answer::Answer;

/// A command of the binary under test, free of what steers threads in our own environment.
pub fn numawise() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    for name in ["OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"] {
        command.env_remove(name);
    }
    command
}

/// `numawise run` with these arguments.
pub fn run(arguments: &[&str]) -> Answer {
    numawise().arg("run").args(arguments).output().unwrap().into()
}

/// The CPUs that this test may use, as the kernel lists them.
pub fn allowed(field: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_start_matches(':').trim().to_owned()
}

/// The first CPU of a list.
pub fn first(list: &str) -> String {
    list.split([',', '-']).next().unwrap().to_owned()
}

/// The last CPU of a list.
pub fn last(list: &str) -> String {
    list.rsplit([',', '-']).next().unwrap().to_owned()
}

/// A machine of four nodes, two of them memory without CPUs, that no test machine is.
pub fn recorded() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/machines/mpibind-knl-snc4-flat-hwloc1.xml")
}
