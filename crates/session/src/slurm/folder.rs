//! The folder beside the record through which jobs get what they are to do, and hand over what came of it.
//!
//! `NAME.job` is there before the job of that name is submitted, and goes when its trial is kept, or is not wanted any more: a job
//! that does not find it does nothing. `NAME.result` is written in full before it gets its name.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::{HostFacts, Machine, Point, Trial};
use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use super::error::{JobFailure, SlurmError};

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;

const JOB: &str = "job";
const RESULT: &str = "result";
const OUTPUT: &str = "out";
const INPUTS: &str = "inputs";
/// All jobs of ours are called so, and then by the moment when they were made.
const NAME: &str = "numawise-";
/// How much of the end of what a job has printed is kept.
const TAIL: usize = 4096;

/// What a job is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Describe,
    Trial(Box<TrialOrder>),
}

/// A trial, on the machine that its study was laid out for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialOrder {
    /// When the study was begun, which tells it from another in the same record.
    pub study: Nanoseconds,
    pub block: u32,
    pub point: Point,
    /// The node that its block is tied to.
    pub node: String,
    pub submitted: Nanoseconds,
    pub description: NodeDescription,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeDescription {
    pub machine: Machine,
    pub host: HostFacts,
    /// What its profile says of the bandwidth of memory ([`GridStudy::saturating_cores`](numawise_facts::GridStudy)).
    pub saturating_cores: Option<f64>,
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobResult {
    Described(Box<NodeDescription>),
    Trial(Box<Trial>),
    /// What of its machine is not as in the study.
    OtherMachine {
        difference: String,
    },
    Failed {
        problem: String,
        failure: JobFailure,
    },
}

/// The folder.
#[derive(Debug, Clone)]
pub struct JobFolder {
    path: PathBuf,
}

impl JobFolder {
    /// Where all computers see it that see the record.
    pub fn beside(record: &Path) -> JobFolder {
        let mut path = std::path::absolute(record).unwrap_or_else(|_| record.to_owned()).into_os_string();
        path.push(".slurm");
        JobFolder { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, source: io::Error) -> SlurmError {
        SlurmError::Folder { folder: self.path.clone(), source }
    }

    /// Leaves an order for a job, and gives the name that the job is to have.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn order(&self, order: &Order) -> Result<String, SlurmError> {
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(self.failed(error)),
            _ => {}
        }
        let text = serde_json::to_vec(order).map_err(|error| self.failed(error.into()))?;
        loop {
            let name = format!("{NAME}{:x}", now().0);
            match numawise_linux::replace::create(&self.file(&name, JOB), &text) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// What all jobs were to do, by their names; nothing where that is no trial, or cannot be read.
    pub fn trials(&self) -> Vec<(String, Option<TrialOrder>)> {
        let trial = |name: String| match read(&self.file(&name, JOB)) {
            Ok(Order::Trial(order)) => (name, Some(*order)),
            Ok(Order::Describe) | Err(_) => (name, None),
        };
        self.names().into_iter().map(trial).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let paths =
            entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new(JOB)));
        paths.filter_map(|path| path.file_stem()?.to_str().map(str::to_owned)).collect()
    }

    /// What came of a job; nothing before it is there in full.
    pub fn result(&self, name: &str) -> Option<Result<JobResult, SlurmError>> {
        let path = self.file(name, RESULT);
        path.exists().then(|| read(&path))
    }

    /// Has a network file system forget which names it has seen here.
    pub fn look_again(&self) {
        let look = self.path.join("look");
        let _ = File::create(&look).and_then(|_| fs::remove_file(&look));
    }

    /// Takes an order back with all that belongs to it; the folder goes with the last.
    pub fn remove(&self, name: &str) {
        for end in [JOB, RESULT, OUTPUT] {
            let _ = fs::remove_file(self.file(name, end));
        }
        let _ = fs::remove_dir_all(self.file(name, INPUTS));
        let _ = fs::remove_dir(&self.path);
    }

    pub fn order_file(&self, name: &str) -> PathBuf {
        self.file(name, JOB)
    }

    pub fn output_file(&self, name: &str) -> PathBuf {
        self.file(name, OUTPUT)
    }

    /// The end of what a job has printed.
    pub fn output(&self, name: &str) -> String {
        let bytes = fs::read(self.output_file(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL)..]).into_owned()
    }

    fn file(&self, name: &str, end: &str) -> PathBuf {
        self.path.join(format!("{name}.{end}"))
    }
}

/// The order that a job was given, by the path of its file.
pub fn order_at(path: &Path) -> Result<Order, SlurmError> {
    read(path)
}

/// Puts there what came of the job with this order, unless that was taken back meanwhile.
///
/// # Errors
/// When it cannot be written.
pub fn hand_over(order: &Path, result: &JobResult) -> Result<(), SlurmError> {
    let failed = |source| SlurmError::Folder { folder: order.to_owned(), source };
    let text = serde_json::to_vec(result).map_err(|error| failed(error.into()))?;
    if !order.exists() {
        return Ok(());
    }
    numawise_linux::replace::write(&order.with_extension(RESULT), &text).map_err(failed)
}

/// Where the input files of the trial of this order lie.
pub fn inputs_of(order: &Path) -> PathBuf {
    order.with_extension(INPUTS)
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, SlurmError> {
    let failed = |problem: String| SlurmError::Order { path: path.to_owned(), problem };
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

/// Nanoseconds since 1970.
pub fn now() -> Nanoseconds {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
}
