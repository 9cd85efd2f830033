//! What a process was started with: its command, and its environment.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use numawise_linux::file::read_path;
use numawise_linux::proc::environ::Environment;
use numawise_linux::{Error, Roots};
use numawise_units::Pid;

use crate::command::shell_line;

/// As the process got it; what it changed since is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedWith {
    /// As a shell would need it, without what looks like a credential; none where the process has taken it away.
    pub command: Option<String>,
    environment: Vec<u8>,
}

impl StartedWith {
    /// # Errors
    /// Where there is no such process, or another user's environment may not be read.
    pub fn of(roots: &Roots, process: Pid) -> Result<StartedWith, Error> {
        let folder = roots.process(process);
        let (mut environment, mut command) = (Vec::new(), Vec::new());
        read_path(&folder.join("environ"), &mut environment)?;
        read_path(&folder.join("cmdline"), &mut command)?;
        Ok(StartedWith { command: shell_line(&command), environment })
    }

    /// A variable of its environment.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        Environment(&self.environment).value(name).map(|value| OsString::from_vec(value.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{PROCESS, Process, Tree};

    #[test]
    fn a_process_says_with_what_it_was_started() {
        let tree = Tree::new();
        let (environment, command) = ("A=b=c\0EMPTY=\0", "./app\0two words\0");
        tree.process(&Process { pid: 100, environment, command, ..PROCESS });
        let started = StartedWith::of(&tree.roots(), Pid(100)).unwrap();
        assert_eq!(started.command.as_deref(), Some("./app 'two words'"));
        assert_eq!(started.variable("A"), Some(OsString::from("b=c")));
        assert_eq!(started.variable("EMPTY"), Some(OsString::new()));
        assert_eq!(started.variable("b"), None);
        assert!(StartedWith::of(&tree.roots(), Pid(101)).is_err());
    }
}
