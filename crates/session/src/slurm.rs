//! Slurm runs the trials of a study: each is a job that runs the same command on a compute node, for that trial alone.
//!
//! What a job is to do lies in a folder beside the record before it is submitted, under the name that the job gets; what comes of it is
//! put there too. So nothing is lost with the process that submits: the next finds what is queued, runs or has ended.

mod client;
mod error;
mod fleet;
mod folder;
mod nodes;
mod probe;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::{HostFacts, Metric};

pub use self::error::{JobFailure, JobProblem, SlurmError};
pub use self::folder::NodeDescription;
pub use self::probe::describe;

pub(crate) use self::fleet::SlurmFleet;
pub(crate) use self::folder::{JobResult, Order, TrialOrder, hand_over, inputs_of, order_at};

/// How jobs are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlurmOptions {
    /// None for Slurm's own choice.
    pub partition: Option<String>,
    /// So many are queued or run at once, at most.
    pub jobs: u32,
    /// Other jobs may run on the nodes beside ours.
    pub shares_nodes: bool,
    /// Further words for `sbatch`.
    pub options: Vec<OsString>,
    /// This binary, as the nodes see it.
    pub numawise: PathBuf,
    /// What was typed behind `numawise study`.
    pub words: Vec<OsString>,
    pub directory: PathBuf,
}

impl SlurmOptions {
    /// All trials at once would write a file that is meant by its place in the folder of the study.
    ///
    /// # Errors
    /// Names the file.
    pub fn check_metric(&self, metric: &Metric) -> Result<(), SlurmError> {
        let Some(file) = metric.file().filter(|_| self.jobs > 1) else { return Ok(()) };
        let is_of_trial = file.as_os_str().to_string_lossy().contains("{template");
        if is_of_trial || Path::new(file.as_os_str()).is_absolute() {
            return Ok(());
        }
        Err(SlurmError::OneMetricFile { file: file.to_string(), jobs: self.jobs })
    }
}

/// Slurm, and the computers that it runs trials on.
#[derive(Debug, Clone, PartialEq)]
pub struct SlurmEngine {
    pub options: SlurmOptions,
    pub host: HostFacts,
    /// Of a node, as [`NodeDescription`] has it.
    pub saturating_cores: Option<f64>,
}
