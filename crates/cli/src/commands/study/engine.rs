//! What runs the trials of a study: this machine, or jobs of Slurm.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::ValueEnum;
use numawise_facts::{Event, Machine, Sink};
use numawise_session::slurm::{self, NodeDescription, SlurmEngine, SlurmOptions};
use numawise_session::study::{self, AssignedJob, StudyEngine};

use crate::exit::{Failure, SUCCESS, Status, interruptible};
use crate::streams;

const HEADING: &str = "Where trials run";

/// So many jobs are queued or run at once without `--jobs`: a few nodes are kept busy, and a queue is not filled.
const JOBS: u32 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    Local,
    Slurm,
}

#[derive(Debug, clap::Args)]
pub struct EngineArguments {
    /// What runs the trials: this machine, or jobs of Slurm, each on one node alone and each block on one node
    #[arg(long, value_name = "NAME", default_value = "local", help_heading = HEADING)]
    engine: EngineName,
    /// Slurm's partition [default: Slurm's]
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    partition: Option<String>,
    /// Jobs that are queued or run at once, at most [default: 16]
    #[arg(long, value_name = "N", help_heading = HEADING, value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Other jobs may run on a node beside a trial
    #[arg(long, help_heading = HEADING)]
    share_nodes: bool,
    /// A further word for sbatch, such as --time=10 or --account=NAME; one option each
    #[arg(long, value_name = "WORD", help_heading = HEADING, allow_hyphen_values = true)]
    sbatch_option: Vec<OsString>,
    /// Do what the file says, as a job of a study, and hand over what comes of it
    #[arg(long, value_name = "FILE", hide = true)]
    as_job: Option<PathBuf>,
}

/// Where trials run, and on which machine.
pub struct Place {
    pub machine: Machine,
    pub engine: StudyEngine,
    /// What is said of it before the first trial.
    pub said: Option<String>,
}

impl EngineArguments {
    pub fn as_job(&self) -> Option<&Path> {
        self.as_job.as_deref()
    }

    /// The machine that trials run on: this one, that of the record, or that of a node that is asked for it.
    pub fn place(
        &self,
        record: &Path,
        fresh: bool,
        words: Vec<OsString>,
        stop: &AtomicBool,
    ) -> Result<Place, Failure> {
        if self.engine == EngineName::Local {
            self.check_local()?;
            let machine = super::super::machine::this_machine()?;
            return Ok(Place { machine, engine: StudyEngine::Local, said: None });
        }
        let options = self.slurm(words)?;
        let recorded = if fresh { None } else { study::recorded_node(record)? };
        let NodeDescription { machine, host, saturating_cores } = match recorded {
            Some(recorded) => recorded,
            None => slurm::describe(record, &options, &mut Waiting::default(), stop)
                .map_err(numawise_session::Error::from)?,
        };
        let of = self.partition.as_ref().map(|name| format!(" in partition {name}")).unwrap_or_default();
        let alone = if self.share_nodes { "" } else { ", each on a node alone" };
        let said = format!("trials are jobs of Slurm{of}, {} at once at most{alone}", options.jobs);
        let engine = StudyEngine::Slurm(Box::new(SlurmEngine { options, host, saturating_cores }));
        Ok(Place { machine, engine, said: Some(said) })
    }

    fn check_local(&self) -> Result<(), Failure> {
        let given = [
            ("--partition", self.partition.is_some()),
            ("--jobs", self.jobs.is_some()),
            ("--share-nodes", self.share_nodes),
            ("--sbatch-option", !self.sbatch_option.is_empty()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Failure::new(format!(
                "{option} is for trials that Slurm runs; expected --engine slurm with it"
            ))),
            None => Ok(()),
        }
    }

    fn slurm(&self, words: Vec<OsString>) -> Result<SlurmOptions, Failure> {
        let unknown = |what: &str, error: std::io::Error| {
            Failure::new(format!("{what} is not known: {error}; jobs could not be told of it"))
        };
        Ok(SlurmOptions {
            partition: self.partition.clone(),
            jobs: self.jobs.unwrap_or(JOBS),
            shares_nodes: self.share_nodes,
            options: self.sbatch_option.clone(),
            numawise: std::env::current_exe().map_err(|error| unknown("the path of numawise", error))?,
            words,
            directory: std::env::current_dir().map_err(|error| unknown("the current folder", error))?,
        })
    }
}

/// Says, once, that a node is waited for.
#[derive(Default)]
struct Waiting {
    said: bool,
}

impl Sink for Waiting {
    fn event(&mut self, event: Event) {
        if let Event::Jobs { waiting: 1.., .. } = event
            && !std::mem::replace(&mut self.said, true)
        {
            streams::say("a job waits for a node, to describe its machine");
        }
    }
}

/// As a job: does what the file says.
pub fn run_job(typed: super::Arguments, order: &Path, begun: Instant) -> Result<Status, Failure> {
    let job = AssignedJob::open(order)?;
    let machine = job.machine(super::super::machine::this_machine()?);
    if job.describe(&machine)? {
        return Ok(SUCCESS);
    }
    let stop = interruptible()?;
    match typed.request(begun, &machine, StudyEngine::Local) {
        Ok(request) => job.run(request, machine, &stop)?,
        Err(failure) => job.fail(failure.message())?,
    }
    Ok(SUCCESS)
}
