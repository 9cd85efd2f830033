//! What can end a use case. Errors of the crates below keep their own texts; what only a use case can say stands here.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use numawise_facts::notice::NotTriedReason;
use numawise_facts::{Exit, Metric, MetricProblem, Notice, RankSet, Reason, TrialFailure, UnknownWord};
use numawise_launch::{LaunchError, Launcher, RankError};
use numawise_membench::MembenchError;
use numawise_observe::FindError;
use numawise_placement::{LocationError, PlacementError};
use numawise_profiles::ProfileError;
use numawise_record::{Difference, RecordError};
use numawise_study::{InputsError, LayoutError, MetricError, StudyError};
use numawise_units::harmless::quoted;
use numawise_units::{Bytes, Nanoseconds, NodeId, NodeSet, Pid};

use crate::ask_error::AskError;
use crate::input_file::TemplateFileError;
use crate::metric::{MetricClues, is_of_a_file};
use crate::numactl_list::{ListError, RequestedList};
use crate::objects_to_error::ObjectsToError;
use crate::other_machine_error::OtherMachineError;
use crate::room::CopiesLimit;
use crate::slurm::{JobFailure, SlurmError};

/// A command that a study runs once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AroundTrial {
    Setup,
    Cleanup,
}

impl fmt::Display for AroundTrial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            AroundTrial::Setup => "set the study up",
            AroundTrial::Cleanup => "clean up after the study",
        })
    }
}

/// Failure of a use case. No option of a command line is named: the face that asked adds what to type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Machine(#[from] numawise_machine::Error),
    #[error(transparent)]
    Placement(#[from] PlacementError),
    #[error(
        "{variable} is set to '{found}'; to share these GPUs out among tasks they must be named by numbers, such as 0,1: unset it, or \
         do not ask for a share"
    )]
    VisibleGpus { variable: &'static str, found: String },
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Membench(#[from] MembenchError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Metric(#[from] MetricError),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Layout(Box<LayoutError>),
    #[error(transparent)]
    Template(#[from] TemplateFileError),
    #[error(transparent)]
    Slurm(#[from] SlurmError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Location(#[from] LocationError),
    #[error(transparent)]
    ObjectsTo(#[from] ObjectsToError),
    #[error(transparent)]
    Rank(#[from] RankError),
    #[error("{source}")]
    List { list: RequestedList, source: ListError },
    #[error("the policy takes one node, found {nodes}")]
    SeveralPreferred { nodes: NodeSet },
    #[error("copies would be started by every rank: this is a rank of a job already (of {launcher})")]
    CopiesInARank { launcher: Launcher },
    #[error(
        "{copies} copies were asked for, and there is room for {room}: {limit}; ask for fewer, or raise the limit"
    )]
    NoRoomForCopies { copies: u64, room: u64, limit: CopiesLimit },
    #[error(transparent)]
    Placeholder(#[from] UnknownWord),
    #[error(transparent)]
    Inputs(#[from] InputsError),
    #[error("cannot make a folder for input files in {}: {source}", folder.display())]
    InputsFolder { folder: PathBuf, source: io::Error },
    #[error("nobody can wait for the end of the program and take its input files away: {source}")]
    InputsStay { source: io::Error },
    #[error(
        "{}, filled in for a task, would be written over itself: it lies in the folder of a task in {}", quoted(file), folder.display()
    )]
    InputOverItself { file: String, folder: PathBuf },
    #[error("some copies did not end even when they were killed: the kernel holds them (state D in ps)")]
    CopiesHeld { signal: i32 },
    #[error("{} {doing}: {source}", path.display())]
    SharedMemory { path: PathBuf, doing: &'static str, source: io::Error },
    #[error("there is nothing to verify: no policy was set before")]
    NothingToVerify,
    #[error(
        "verified: the page at {offset} is on node {node}, with a policy for nodes {found}; expected one for {wanted}"
    )]
    NotVerified { offset: Bytes, found: NodeSet, node: NodeId, wanted: NodeSet },
    #[error("the plan has no weights to write")]
    NoWeights(WeightsMissing),
    #[error("cannot write {weight} to {file}: {source}")]
    WeightNotWritten { weight: u8, file: String, source: io::Error },
    #[error("get_mempolicy failed: {0}")]
    PolicyUnknown(io::Error),
    #[error("profiles of this machine cannot be found: what tells it from others is unavailable ({reason})")]
    MachineWithoutFingerprint { reason: Reason },
    #[error("there is no saved profile of this machine (topology {topology}) in {}", folder.display())]
    NoProfile { topology: String, folder: PathBuf },
    #[error(
        "where profiles are kept cannot be determined: neither XDG_DATA_HOME nor HOME is an absolute path; set one of them"
    )]
    NoDataFolder,
    #[error("nothing to look for: no process, no program's name, no user and no job was given")]
    NothingAskedFor,
    #[error("an empty name was given; expected a process number or a program's name")]
    EmptyTarget,
    #[error("{found} is no process number; expected 1 to {}", i32::MAX)]
    NotAProcessNumber { found: String },
    #[error("there is no user '{name}' on this computer; expected a name as 'id' shows it, or a number")]
    NoSuchUser { name: String },
    #[error("{}", joined(.0))]
    NothingFound(Vec<FindError>),
    #[error(
        "no process is all that was asked for: of these names, and of this user or job; leave one of them out"
    )]
    NothingInCommon,
    #[error("the processes that were asked for have ended before they could be sampled")]
    Ended,
    #[error("the processes have ended within {interval}")]
    EndedWithin { interval: Nanoseconds },
    #[error("nothing may be read of {processes} of {processes} processes: {reason}")]
    NothingReadable { processes: usize, reason: Reason },
    #[error("no node was given; this machine has {}", nodes(exist))]
    NoNodes { exist: NodeSet },
    #[error("there is no node {unknown}; this machine has {}", nodes(exist))]
    NoSuchNodes { unknown: NodeSet, exist: NodeSet },
    #[error("there is no node {unknown} whose memory could be used; there are {known}")]
    CannotMoveNodes { list: RequestedList, unknown: NodeSet, known: NodeSet },
    #[error("nothing was moved of process {pid}{}: {reason}", of_several(*processes))]
    NothingMoved { pid: Pid, processes: usize, reason: Reason },
    #[error("which CPUs the threads are to have was not said")]
    NoCpusAskedFor,
    #[error("none of these processes has a thread {tid}")]
    NoSuchThread { tid: Pid },
    #[error("no thread of process {pid}{} was placed: {reason}", of_several(*processes))]
    NothingPlaced { pid: Pid, processes: usize, reason: Reason },
    #[error("interrupted before anything was measured; nothing is saved")]
    InterruptedBeforeMeasuring,
    #[error("{asked} repeat{} of each placement asked for; expected at least {least}", if *asked == 1 { "" } else { "s" })]
    TooFewRepeats { asked: u32, least: u32 },
    #[error(
        "the program failed in its first run ({failure}), before anything was changed about it; nothing is kept in {}; {}",
        record.display(), printed(output)
    )]
    FirstRunFailed { failure: Box<TrialFailure>, record: PathBuf, output: String },
    /// `problem` says why.
    #[error("the first run gave no metric; {}", searched(metric, problem, output))]
    NoMetricInFirstRun {
        metric: Box<Metric>,
        problem: MetricProblem,
        output: String,
        clues: Box<MetricClues>,
    },
    #[error("the command to {which} ended with {exit}: {line}; {}", printed(output))]
    AroundTrials { which: AroundTrial, line: String, exit: Exit, output: String },
    #[error(
        "the study has no time limit and no number of repeats; expected at least one repeat of each point"
    )]
    NoRepeats,
    #[error("interrupted in the first run; there is nothing to report yet")]
    InterruptedInFirstRun,
    #[error("{}: {difference}", record.display())]
    OtherStudy { record: PathBuf, difference: Difference },
    #[error(
        "{}: this is the record of a check; expected that of a study, whose points have factors", record.display()
    )]
    NoGrid { record: PathBuf },
    #[error(transparent)]
    OtherMachine(#[from] OtherMachineError),
    #[error(
        "{} was begun with a margin of {} and {} repeats, and now they are {} and {}",
        record.display(), recorded.margin, recorded.repeats, now.margin, now.repeats
    )]
    OtherSettings { record: PathBuf, recorded: Settings, now: Settings },
    #[error("this is watched by another numawise already, which keeps its files in {}", folder.display())]
    WatchedAlready { folder: PathBuf },
    #[error("nobody follows the memory objects of process {process}{}: it was not started for that", command.as_ref().map(|line| format!(" ({line})")).unwrap_or_default())]
    NotFollowed { process: Pid, command: Option<String> },
    #[error("who follows the memory objects of process {process} is not known: {source}")]
    EnvironmentUnknown { process: Pid, source: Box<numawise_observe::Error> },
    #[error(
        "the memory objects of process {process} are followed for another user, and only that one and root may ask for them"
    )]
    FollowedByAnother { process: Pid },
    #[error("the numawise that follows the memory objects of process {process} gives no answer: {source}")]
    FollowerSilent { process: Pid, source: Box<AskError> },
    /// `launcher` is the word that the command begins with.
    #[error(
        "which of the words of {launcher} is the program that it starts cannot be told, so that its ranks are not placed"
    )]
    LauncherPlaced { launcher: String },
    /// `word` is what the command begins with.
    #[error(
        "which of the words of {word} are the programs of the ranks cannot be told, so that the ranks cannot be placed"
    )]
    RanksOfUnknownPrograms { word: String },
    #[error("the number of threads of each rank is not known, and the command of {launcher} asks for it")]
    ThreadsOfRanksUnknown { launcher: String },
    #[error("there is no rank {} among the {size} of this job, which are 0 to {}", asked.last().map_or(0, |rank| rank.0), size.saturating_sub(1))]
    NoSuchRanks { asked: RankSet, size: u32 },
    #[error(
        "there is no place for what is measured: {memory}; {}: {source}; name a folder in which you may write by TMPDIR",
        folder.display()
    )]
    NoFolderForCollector { memory: String, folder: PathBuf, source: io::Error },
    #[error(
        "the folder for what compilers write down cannot be made in {}: {source}; expected one that TMPDIR names",
        shown(folder)
    )]
    NoFolderForRecords { folder: PathBuf, source: io::Error },
    #[error("{}, which the build wrote, cannot be kept or replaced: {source}", file.display())]
    ProgramNotReplaced { file: PathBuf, source: io::Error },
    #[error(
        "the folder through which ranks hand over what is measured of them cannot be made in {}: {source}",
        shown(folder)
    )]
    NoFolderForRanks { folder: PathBuf, source: io::Error },
    #[error("{} was begun with threads placed on CPUs, and now none can be placed", record.display())]
    CannotPlaceAnyMore { record: PathBuf, reason: NotTriedReason },
}

/// An empty path is that of the current folder.
fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { "this folder".to_owned() } else { folder.display().to_string() }
}

/// The end of what a program has printed.
fn printed(output: &str) -> String {
    match output.trim_end() {
        "" => "it printed nothing".to_owned(),
        text => format!("the end of its output:\n{text}"),
    }
}

/// The end of where the metric was looked for.
fn searched(metric: &Metric, problem: &MetricProblem, output: &str) -> String {
    match output.trim_end() {
        "" if is_of_a_file(metric, problem) => "the file is empty".to_owned(),
        text if is_of_a_file(metric, problem) => format!("the end of the file:\n{text}"),
        _ => printed(output),
    }
}

fn nodes(exist: &NodeSet) -> String {
    let s = if exist.len() == 1 { "" } else { "s" };
    format!("node{s} {exist}")
}

fn of_several(processes: usize) -> String {
    if processes > 1 { format!(", nor of the {} others", processes - 1) } else { String::new() }
}

fn joined(errors: &[FindError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why a plan has no weights that could be written.
#[derive(Debug, Clone, PartialEq)]
pub enum WeightsMissing {
    /// numactl's weighted policy takes the kernel's weights as they are.
    KernelsAreTaken,
    /// What the plan says of them.
    Unknown(Box<Notice>),
    /// The plan interleaves by weight over fewer than two nodes, or not at all.
    NotAskedFor,
}

/// Who or what ended a use case; faces make their exit status from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The use case itself failed, or was asked for what cannot be.
    Ours,
    /// The caller raised the flag that stops it, before there was a result.
    Interrupted,
    /// The program was started, and failed.
    ProgramFailed(Exit),
    /// The program is not there.
    ProgramNotFound,
    /// The program is there and cannot be executed.
    ProgramNotExecutable,
}

impl Error {
    /// The error of the launch that is at the bottom of this one.
    pub fn of_launch(&self) -> Option<&LaunchError> {
        match self {
            Error::Launch(error) | Error::Study(StudyError::Launch(error)) => Some(error),
            _ => None,
        }
    }

    /// True for what is wrong with an input file that is to be filled in.
    pub fn is_of_template(&self) -> bool {
        let of_layout = matches!(self, Error::Layout(error) if matches!(**error, LayoutError::Template(_)));
        let of_files = matches!(self, Error::Template(_) | Error::Inputs(_));
        of_layout || of_files || self.is_of_filled_inputs() || self.is_of_inputs_of_a_run()
    }

    /// True where an input file that was filled in cannot be put where the program looks for it.
    pub fn is_of_filled_inputs(&self) -> bool {
        matches!(self, Error::Study(StudyError::Inputs(_)))
    }

    /// The same for a program that is run once.
    pub fn is_of_inputs_of_a_run(&self) -> bool {
        matches!(
            self,
            Error::Inputs(InputsError::Write { .. })
                | Error::InputsFolder { .. }
                | Error::InputsStay { .. }
                | Error::InputOverItself { .. }
        )
    }

    /// What is wrong with Slurm, or with what it was asked.
    pub fn of_slurm(&self) -> Option<&SlurmError> {
        match self {
            Error::Slurm(error) => Some(error),
            Error::Study(StudyError::Fleet(error)) => error.downcast_ref(),
            _ => None,
        }
    }

    /// The cause, from the innermost error that knows it.
    pub fn cause(&self) -> Cause {
        if let Some(error) = self.of_launch() {
            return error.into();
        }
        match self.of_slurm() {
            Some(SlurmError::Interrupted) => return Cause::Interrupted,
            Some(SlurmError::Trial { failure: JobFailure::ProgramNotFound, .. }) => {
                return Cause::ProgramNotFound;
            }
            Some(SlurmError::Trial { failure: JobFailure::ProgramNotExecutable, .. }) => {
                return Cause::ProgramNotExecutable;
            }
            _ => {}
        }
        match self {
            Error::FirstRunFailed { failure, .. } => Cause::ProgramFailed(failure.exit),
            Error::InterruptedBeforeMeasuring | Error::InterruptedInFirstRun => Cause::Interrupted,
            _ => Cause::Ours,
        }
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        Error::Layout(Box::new(error))
    }
}

impl From<&LaunchError> for Cause {
    fn from(error: &LaunchError) -> Self {
        if error.is_not_found() {
            Cause::ProgramNotFound
        } else if error.is_not_executable() {
            Cause::ProgramNotExecutable
        } else {
            Cause::Ours
        }
    }
}

/// Settings of an experiment that its answer depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub margin: f64,
    pub repeats: u32,
}
