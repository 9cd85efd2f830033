//! Programs that are compiled, and the command that watches them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::collector;
use crate::compiled::compiled;
use crate::program::copied;

/// The compiler and the launcher of each MPI, by their names on Debian, where both may be installed. A launch takes long: where the two cannot
/// differ, a test has one of them.
pub const OPEN_MPI: (&str, &str) = ("mpicc.openmpi", "mpirun.openmpi");
pub const MPICH: (&str, &str) = ("mpicc.mpich", "mpiexec.mpich");
pub const MPIS: [(&str, &str); 2] = [OPEN_MPI, MPICH];

/// A folder with numawise in it, gone when dropped.
pub struct Bench {
    folder: tempfile::TempDir,
    pub numawise: PathBuf,
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Answer {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with_library(true)
    }

    pub fn with_library(has_library: bool) -> Bench {
        // A hard link to the binary wants the same file system.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let numawise = collector::installed(folder.path(), has_library);
        Bench { folder, numawise }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program of `programs/`, compiled; `None`, having said so, where there is no such compiler.
    pub fn compile(&self, compiler: &str, source: &str, options: &[&str]) -> Option<PathBuf> {
        let program = self.path(&format!("{source}-{compiler}"));
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs").join(source);
        // A copy of its own: tests give it away and take it away. One that still runs cannot be written over.
        let _ = std::fs::remove_file(&program);
        copied(compiled(compiler, &from, &[&["-g", "-O1"], options].concat())?, &program);
        Some(program)
    }

    /// A command in the folder, free of what steers threads in our own environment.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        for name in ["OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "LD_PRELOAD"] {
            command.env_remove(name);
        }
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMP_WAIT_POLICY", "passive");
        // A rank that waits leaves its CPU to others: a busy machine is not made busier.
        command.env("OMPI_MCA_mpi_yield_when_idle", "1");
        command
    }

    pub fn run(&self, words: &[&str]) -> Answer {
        self.command(words[0]).args(&words[1..]).output().unwrap().into()
    }

    /// `numawise snapshot` with these arguments.
    pub fn snapshot(&self, arguments: &[&str]) -> Answer {
        self.numawise(&[&["snapshot"], arguments].concat())
    }

    pub fn numawise(&self, arguments: &[&str]) -> Answer {
        self.command(&self.numawise).args(arguments).output().unwrap().into()
    }

    pub fn json(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Folders of ours in memory that belong to a process of ours that is gone.
    pub fn left_in_memory(process: u32) -> usize {
        let Ok(entries) = std::fs::read_dir("/dev/shm") else { return 0 };
        let begin = format!("numawise-snapshot-{process}-");
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin)).count()
    }
}

/// A number of the JSON, which must be there.
pub fn number(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
    found.as_f64().unwrap_or_else(|| panic!("{pointer} is {found}"))
}

pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
    found.as_str().unwrap_or_else(|| panic!("{pointer} is {found}"))
}

/// The efficiencies of a run are those of its times, and each is the product of its parts: whatever the times were.
#[track_caller]
pub fn assert_formulas_hold(json: &Value) {
    let of = |name: &str| number(json, &format!("/efficiency/{name}"));
    let time = |name: &str| number(json, &format!("/time/{name}_seconds"));
    let parts = ["useful", "mpi", "imbalance", "scheduling", "serial", "waiting"];
    let all: f64 = parts.into_iter().map(time).sum();
    let mut equal = vec![("parallel", time("useful") / all)];
    if json["mpi"]["calls"].is_array() {
        equal.push(("mpi_parallel", of("mpi_communication") * of("mpi_load_balance")));
    }
    if json["openmp"]["unavailable"].is_null() {
        let parts = ["openmp_load_balance", "openmp_serialization", "openmp_scheduling"];
        equal.push(("openmp_parallel", parts.into_iter().map(of).product()));
    }
    for (name, expected) in equal {
        assert!((of(name) - expected).abs() < 1e-6, "{name} is {}, expected {expected}: {json}", of(name));
    }
}

/// True for a run that was too short, or beside too much other work, for grades and for findings below what that took.
pub fn is_doubted(json: &Value) -> bool {
    !json["doubt"].is_null()
}

pub fn has_finding(json: &Value, id: &str) -> bool {
    json["findings"].as_array().unwrap().iter().any(|finding| finding["id"] == id)
}

/// The row of a call of MPI.
#[track_caller]
pub fn call<'a>(json: &'a Value, name: &str) -> &'a Value {
    let calls = json.pointer("/mpi/calls").unwrap().as_array().unwrap();
    calls.iter().find(|call| call["name"] == name).unwrap_or_else(|| panic!("no {name}: {json}"))
}

/// The row of a call of MPI at a place of the program, such as `main (ranks.c:20)`.
#[track_caller]
pub fn site<'a>(json: &'a Value, name: &str, place: &str) -> &'a Value {
    let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
    let is_it = |site: &&Value| site["name"] == name && site["place"]["text"] == place;
    sites.iter().find(is_it).unwrap_or_else(|| panic!("no {name} in {place}: {json}"))
}
