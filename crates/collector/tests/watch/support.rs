//! Compiles programs, runs them with and without the collector, and reads the files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use numawise_wire::snapshot::HEADER_BYTES;
use numawise_wire::snapshot::reader::bytes_in_use;

use crate::compiled::compiled;
use crate::library::library;
use crate::program::copied;

/// How a program ended and what it printed.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub status: std::process::ExitStatus,
    pub output: String,
    pub errors: String,
}

pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("snapshot")).unwrap();
        Bench { folder }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn snapshot(&self) -> PathBuf {
        self.folder.path().join("snapshot")
    }

    /// A program beside this file, compiled; `None`, having said so, where there is no such compiler.
    pub fn compile(&self, compiler: &str, source: &str, options: &[&str]) -> Option<PathBuf> {
        self.compile_from("tests/watch/programs", compiler, source, options)
    }

    /// A program of a folder, compiled; the folder is named from this crate's.
    pub fn compile_from(
        &self,
        folder: &str,
        compiler: &str,
        source: &str,
        options: &[&str],
    ) -> Option<PathBuf> {
        let program = self.folder.path().join(format!("{source}-{}", compiler.replace('/', "-")));
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(source);
        // A copy of its own: some are taken away. One that still runs cannot be written over.
        let _ = std::fs::remove_file(&program);
        copied(compiled(compiler, &from, &[&["-g", "-O1", "-w"], options].concat())?, &program);
        Some(program)
    }

    /// The same, of two sources.
    pub fn compile_with(&self, compiler: &str, source: &str, other: &str) -> Option<PathBuf> {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/watch/programs");
        let program = self.compile(compiler, source, &[programs.join(other).to_str().unwrap()])?;
        let renamed = self.folder.path().join(format!("{source}-{other}-{compiler}"));
        std::fs::rename(&program, &renamed).unwrap();
        // The one without was there before.
        self.compile(compiler, source, &[])?;
        Some(renamed)
    }

    pub fn without(&self, words: &[&str]) -> Ended {
        run(&mut self.command(words))
    }

    pub fn with(&self, words: &[&str]) -> Ended {
        self.with_folder(words, &self.snapshot())
    }

    pub fn with_folder(&self, words: &[&str], folder: &Path) -> Ended {
        let mut command = self.command(words);
        run(command.env("LD_PRELOAD", library()).env("NUMAWISE_SNAPSHOT", folder))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.folder.path());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("PRTE_ALLOW_RUN_AS_ROOT", "1").env("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
        command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env_remove("LD_PRELOAD");
        // A rank that waits leaves its CPU to others: a busy machine is not made busier.
        command.env("OMPI_MCA_mpi_yield_when_idle", "1");
        // Launchers that begin at once would quarrel over a folder.
        command.env("TMPDIR", self.folder.path()).env("OMPI_MCA_orte_base_help_aggregate", "0");
        command
    }

    /// The files that were made since the last call, each whole.
    pub fn take_files(&self) -> Vec<Vec<u8>> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(self.snapshot()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let read = |path: &PathBuf| {
            let mut file = std::fs::File::open(path).unwrap();
            let mut bytes = vec![0; HEADER_BYTES];
            file.read_exact(&mut bytes).unwrap();
            let rest = bytes_in_use(&bytes) - HEADER_BYTES;
            file.take(rest as u64).read_to_end(&mut bytes).unwrap();
            std::fs::remove_file(path).unwrap();
            bytes
        };
        paths.iter().map(read).collect()
    }

    /// Number of files that were made since the last call.
    pub fn count_files(&self) -> usize {
        let entries: Vec<_> = std::fs::read_dir(self.snapshot()).unwrap().map(Result::unwrap).collect();
        entries.iter().for_each(|entry| std::fs::remove_file(entry.path()).unwrap());
        entries.len()
    }
}

fn run(command: &mut Command) -> Ended {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { status: output.status, output: text(&output.stdout), errors: text(&output.stderr) }
}
