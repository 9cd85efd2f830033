//! What is wrong with a file that the collector left.

use std::io;
use std::path::PathBuf;

use numawise_units::harmless;
use numawise_wire::snapshot::PartName;
use numawise_wire::snapshot::reader::SnapshotFileError;

/// What is wrong with the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ActivityProblem {
    #[error("it has {found} bytes, expected at least {needed}: the disk was full, or it was copied in part")]
    Short { needed: usize, found: usize },
    #[error("it was not begun: the disk was full, or its process was killed at once")]
    NotBegun,
    #[error(
        "it begins with {found:#018x}, expected the number of a file that the collector makes; give the folder that it wrote into"
    )]
    OtherFile { found: u64 },
    #[error("it has version {found}, expected {expected}: read it with the numawise whose library made it")]
    Version { found: u32, expected: u32 },
    #[error("it is damaged: the {field} of its {part} is {found}, expected {expected}")]
    Part { part: &'static str, field: &'static str, found: u64, expected: u64 },
    #[error("it is damaged: {}{what} is {found}, expected at most {most}", of_thread(*thread))]
    Beyond { thread: Option<u32>, what: &'static str, found: u64, most: u64 },
    #[error("it is damaged: thread {thread} called what is no call of MPI")]
    UnknownCall { thread: u32 },
    #[error("it is damaged: thread {thread} was in what is no construct of OpenMP")]
    UnknownConstruct { thread: u32 },
    #[error("it is damaged: {ticks} ticks of its clock took {nanoseconds} ns")]
    ClockRate { ticks: u64, nanoseconds: u64 },
}

fn of_thread(thread: Option<u32>) -> String {
    thread.map_or_else(String::new, |number| format!("of thread {number}, "))
}

impl From<SnapshotFileError> for ActivityProblem {
    fn from(error: SnapshotFileError) -> ActivityProblem {
        match error {
            SnapshotFileError::Short { needed, found, .. } => ActivityProblem::Short { needed, found },
            SnapshotFileError::Magic { found: 0 } => ActivityProblem::NotBegun,
            SnapshotFileError::Magic { found } => ActivityProblem::OtherFile { found },
            SnapshotFileError::Version { found, expected } => ActivityProblem::Version { found, expected },
            SnapshotFileError::Part { name, field, found, expected } => {
                let part = match name {
                    PartName::Modules => "modules",
                    PartName::Communicators => "communicators",
                    PartName::Threads => "threads",
                    PartName::Phases => "phases",
                    PartName::CallSamples => "call samples",
                };
                ActivityProblem::Part { part, field, found, expected }
            }
            SnapshotFileError::Used { what, found, most, .. } => {
                ActivityProblem::Beyond { thread: None, what, found: found.into(), most: most as u64 }
            }
        }
    }
}

/// Why a file, or the folder of all of them, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    #[error("{}: {source}", harmless::line(&path.to_string_lossy()))]
    System { path: PathBuf, source: io::Error },
    #[error("{}: {problem}", harmless::line(&path.to_string_lossy()))]
    File { path: PathBuf, problem: ActivityProblem },
}
