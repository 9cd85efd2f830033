//! Why trials cannot be run by Slurm.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What is wrong with Slurm, with what it was asked, or with its nodes. No option is named: the face that asked adds what to type.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    #[error(
        "{program} of Slurm cannot be started: {source}; expected it in PATH, on a computer from which jobs can be submitted"
    )]
    NotInstalled { program: &'static str, source: io::Error },
    #[error("{program} failed: {}", on_one_line(.said))]
    Refused { program: &'static str, said: String },
    #[error("{program} printed '{found}'; expected {expected}")]
    Unexpected { program: &'static str, found: String, expected: &'static str },
    #[error("Slurm has no partition '{partition}'; it has: {}", listed(.exist))]
    NoPartition { partition: String, exist: Vec<String> },
    #[error("no partition was named, and Slurm has no default one; it has: {}", listed(.exist))]
    NoDefaultPartition { exist: Vec<String> },
    #[error("no node of partition '{partition}' can run a job now: all are down, drained or reserved")]
    NoNodes { partition: String },
    #[error("no node is left that can run the trials; the last was {node}: {problem}")]
    NoNodeLeft { node: String, problem: JobProblem },
    #[error("the job that was to describe a node ended{} without having done so: {problem}", on_node(.node))]
    NotDescribed { node: Option<String>, problem: JobProblem },
    #[error("the trial{} could not be carried out: {problem}", on_node(.node))]
    Trial { node: Option<String>, problem: String, failure: JobFailure },
    #[error(
        "a job has {nodes} nodes, and {point} places threads or memory, which holds on its first node only; expected one node for each job, \
         or points that leave placement to what starts the ranks"
    )]
    SeveralNodes { nodes: u32, point: String },
    #[error("the folder of the jobs, {}, cannot be written: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error(
        "the metric is in the file {file} of the folder that all nodes share, and up to {jobs} trials would write it at once"
    )]
    OneMetricFile { file: String, jobs: u32 },
    #[error("interrupted before a node was described; nothing was run")]
    Interrupted,
    #[error("the file {} of a job cannot be read: {problem}", path.display())]
    Order { path: PathBuf, problem: String },
}

/// Why a trial could not be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobFailure {
    ProgramNotFound,
    ProgramNotExecutable,
    Other,
}

/// Why a job did not do on a node what it was submitted for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobProblem {
    #[error(
        "the folder {} is not there, or not the same: trials need a folder that this computer and all nodes share, for the record and \
         for where they run", .0.display()
    )]
    NotShared(PathBuf),
    #[error("the folder {}, in which the study runs, is not there; expected one that this computer and all nodes share", .0.display())]
    NoDirectory(PathBuf),
    #[error("numawise is not at {}; expected it where this computer and all nodes have it", .0.display())]
    NoNumawise(PathBuf),
    #[error("its machine is another than that which the study was laid out for: {0} differs")]
    OtherMachine(String),
    #[error("Slurm does not take jobs for it: {0}")]
    Refused(String),
    #[error("Slurm ended it ({state}, {reason}){}", end_of(.output))]
    Ended { state: String, reason: String, output: String },
    #[error("Slurm does not tell how it ended{}", end_of(.output))]
    Forgotten { output: String },
}

fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "it printed nothing".to_owned() } else { lines.join("; ") }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn on_node(node: &Option<String>) -> String {
    node.as_ref().map_or_else(String::new, |node| format!(" on {node}"))
}

fn end_of(text: &str) -> String {
    match text.trim_end() {
        "" => String::new(),
        text => format!("; the end of its output:\n{text}"),
    }
}
