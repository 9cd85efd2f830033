//! `numawise machine measure` and `numawise machine compare` as a user meets them.

#[path = "../run/answer.rs"]
mod answer;
mod bad_input;
mod measuring;
mod saved;
#[path = "../support/signals.rs"]
mod signals;

use std::path::{Path, PathBuf};
use std::process::Command;

use answer::Answer;
use serde_json::Value;

/// A data directory of its own, so that no test finds what somebody has measured here.
struct Data(tempfile::TempDir);

impl Data {
    fn new() -> Self {
        Data(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// `numawise machine ARGUMENTS`.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.arg("machine").args(arguments).current_dir(self.path()).env("XDG_DATA_HOME", self.path());
        signals::as_usual(&mut command);
        command
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        self.command(arguments).output().unwrap().into()
    }

    /// What is saved below it.
    fn profiles(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.path().join("numawise/profiles")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Puts a profile there whose machine is the one with this topology.
    fn put(&self, name: &str, topology: &str) -> PathBuf {
        let made = self.run(&["measure", "--json", "--load", &mlc("two-nodes-3.11")]);
        let mut profile: Value = serde_json::from_str(&made.out).unwrap();
        let print = &mut profile["header"]["fingerprint"];
        print["topology"] = topology.into();
        print["processor"] = "Imaginary Processor 9000".into();
        profile["header"]["taken"] = 1_700_000_000.into();
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, profile.to_string()).unwrap();
        path
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }
}

fn testdata(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    path.display().to_string()
}

fn mlc(name: &str) -> String {
    testdata(&format!("mlc/{name}.txt"))
}

/// What tells this machine.
fn topology() -> String {
    let roots = numawise_machine::Roots::live();
    let machine = numawise_machine::quick(&roots).unwrap();
    numawise_machine::fingerprint(&roots, &machine).topology.measured().unwrap().clone()
}
