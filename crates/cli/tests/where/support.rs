//! The binary, and processes to look at.

use std::process::{Child, Command, Stdio};

pub use crate::answer::Answer;

/// A process that is ended with the test.
pub struct Process(pub Child);

impl Process {
    pub fn start(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Process(command.spawn().unwrap())
    }

    /// One that does nothing.
    pub fn idle() -> Self {
        Process::start("sleep", &["600"])
    }

    /// One that keeps a CPU busy.
    pub fn busy() -> Self {
        Process::start("sh", &["-c", "while :; do :; done"])
    }

    pub fn pid(&self) -> String {
        self.0.id().to_string()
    }

    pub fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.arg("where").args(arguments).stdin(Stdio::null());
    command
}

/// `numawise where` with these arguments.
pub fn look(arguments: &[&str]) -> Answer {
    command(arguments).output().unwrap().into()
}

/// The same, when it is to go well.
pub fn seen(arguments: &[&str]) -> String {
    let answer = look(arguments);
    assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""), "{arguments:?}: {}", answer.out);
    answer.out
}

/// The JSON of a look.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    let text = seen(&[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The tasks of a look.
pub fn tasks(arguments: &[&str]) -> Vec<serde_json::Value> {
    json(arguments)["tasks"].as_array().unwrap().clone()
}
