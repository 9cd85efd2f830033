//! Programs that are compiled, and the command that watches them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::collector;

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

    /// Compiles a program of `programs/`; `None`, having said so, where there is no such compiler.
    pub fn compile(&self, compiler: &str, source: &str, options: &[&str]) -> Option<PathBuf> {
        let program = self.path(&format!("{source}-{compiler}"));
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs").join(source);
        let mut command = Command::new(compiler);
        let Ok(compiled) = command.args(["-g", "-O1", "-o"]).arg(&program).arg(from).args(options).output()
        else {
            eprintln!("SKIPPED: no {compiler}");
            return None;
        };
        assert!(
            compiled.status.success(),
            "{compiler} {source}: {}",
            String::from_utf8_lossy(&compiled.stderr)
        );
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
        command
    }

    pub fn run(&self, words: &[&str]) -> Answer {
        self.command(words[0]).args(&words[1..]).output().unwrap().into()
    }

    /// `numawise snapshot` with these arguments.
    pub fn snapshot(&self, arguments: &[&str]) -> Answer {
        self.command(&self.numawise).arg("snapshot").args(arguments).output().unwrap().into()
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
