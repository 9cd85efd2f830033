//! All that can go wrong between a machine file and the results of a guest.

use numawise_units::NodeId;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a guest could not be described, built, started or understood.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine file is broken or describes what QEMU cannot emulate.
    #[error("machine `{name}` is not usable: {reason}")]
    NotAMachine {
        /// The machine.
        name: String,
        /// Place, what was found, what was expected.
        reason: String,
    },
    /// A guest with timing was asked for, but the machine file has no `[timing]`.
    #[error("machine `{0}` has no [timing] in its file: run it without timing, or describe it")]
    NoTiming(String),
    /// A machine that was measured in part.
    #[error("latency or bandwidth from node {from} to node {to} was not measured")]
    NotMeasured {
        /// The node with CPUs.
        from: NodeId,
        /// The node with memory.
        to: NodeId,
    },
    /// A machine of which too little is known.
    #[error("how much memory node {node} has is unknown")]
    MemoryUnknown {
        /// The node.
        node: NodeId,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A program of the host is missing or cannot be started.
    #[error("cannot start `{program}`: {source}. {advice}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// A program of the host failed.
    #[error("`{program}` failed ({status}):\n{output}")]
    Failed {
        /// The program and what it was to do.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        output: String,
    },
    /// A shared library of a program for the guest is not on this host.
    #[error("{}: its library {library} is not found on this host", program.display())]
    LibraryMissing {
        /// The program.
        program: PathBuf,
        /// The library.
        library: String,
    },
    /// A tool that was to be copied into the guest is not installed.
    #[error("`{0}` was to be copied into the guest, but is not on this host's PATH: install it")]
    NoTool(String),
    /// QEMU has another plugin interface than the timing plugin was written for.
    #[error("QEMU {found} has another plugin interface than 7.2: run without timing, or install QEMU 7.2")]
    WrongQemu {
        /// Its version.
        found: String,
    },
    /// QEMU ended before the guest had said that all commands are done.
    #[error(
        "the guest ended ({status}) {progress}. QEMU said:\n{qemu}\nThe console's last lines:\n{console}"
    )]
    Ended {
        /// How QEMU ended.
        status: ExitStatus,
        /// Whether the first command could start.
        booted: bool,
        /// Whether the guest's kernel met a breakpoint of its own, which is QEMU's fault and no program's.
        own_breakpoint: bool,
        /// What was done by then.
        progress: String,
        /// QEMU's own messages.
        qemu: String,
        /// Tail of the console.
        console: String,
    },
    /// The time limit passed.
    #[error("the guest was not done within {} s: stopped {progress}. The console's last lines:\n{console}", limit.as_secs())]
    TimeLimit {
        /// The limit.
        limit: Duration,
        /// What was done by then.
        progress: String,
        /// Tail of the console.
        console: String,
    },
    /// Somebody ended the guest.
    #[error("the guest was stopped")]
    Stopped,
    /// What the guest sent back is not what its `init` sends.
    #[error("the guest's results cannot be understood at byte {at}: found {found:?}, expected {expected}")]
    Garbled {
        /// Position in the results.
        at: usize,
        /// What was there.
        found: String,
        /// What should have been.
        expected: &'static str,
    },
    /// A file that was to be collected was not in the guest.
    #[error("{path} was to be collected, but the guest has no such file")]
    NotInGuest {
        /// Its path in the guest.
        path: String,
    },
    /// The truth file of the timing plugin is not what it writes.
    #[error("line {line} of the timing plugin's counts cannot be understood: {text:?}")]
    Truth {
        /// Line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
}

impl Error {
    pub(crate) fn read(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Read { path, source }
    }

    pub(crate) fn write(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Write { path, source }
    }
}
