//! How a trial is judged, and how it ends.

use std::fmt;
use std::ops::RangeInclusive;

use numawise_units::{Bytes, Nanoseconds};
use serde::{Deserialize, Serialize};

use crate::Argument;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Wall time from start to end of the process, in seconds.
    WallTime,
    /// A number that the program prints: the first group of the last match of `regex` in its output.
    Output { regex: String, higher_is_better: bool },
    /// A number in a file that the program writes: the first group of the last match of `regex` in what the trial wrote, or all that
    /// the file holds. In its name `{threads}` and `{task}` stand for what they stand for in the command; it is relative to the folder
    /// where the program runs.
    File { file: Argument, regex: Option<String>, higher_is_better: bool },
}

impl Metric {
    /// The values that a metric may have: effects are ratios of means, so that it must be above 0, and beyond these bounds it is no
    /// measure of anything.
    pub const VALUES: RangeInclusive<f64> = 1e-30..=1e30;

    pub fn higher_is_better(&self) -> bool {
        matches!(
            self,
            Metric::Output { higher_is_better: true, .. } | Metric::File { higher_is_better: true, .. }
        )
    }

    /// The regular expression of a metric that is looked for in a text.
    pub fn regex(&self) -> Option<&str> {
        match self {
            Metric::WallTime => None,
            Metric::Output { regex, .. } => Some(regex),
            Metric::File { regex, .. } => regex.as_deref(),
        }
    }

    /// The file that holds it, as it was named.
    pub fn file(&self) -> Option<&Argument> {
        match self {
            Metric::WallTime | Metric::Output { .. } => None,
            Metric::File { file, .. } => Some(file),
        }
    }

    /// The value for one unit of work, of those of all tasks: the longest time divided by their number, or the sum of the rates.
    pub fn of_unit(&self, per_task: &[f64]) -> Option<f64> {
        if per_task.is_empty() {
            return None;
        }
        Some(if self.higher_is_better() {
            per_task.iter().sum()
        } else {
            per_task.iter().copied().fold(f64::MIN, f64::max) / per_task.len() as f64
        })
    }

    /// True when all tasks of a trial would write the same file.
    pub fn is_one_file(&self) -> bool {
        self.file().is_some_and(|file| !file.takes_task())
    }
}

/// A figure of the program's own by the name that tables have for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedMetric {
    pub name: String,
    pub metric: Metric,
}

impl NamedMetric {
    /// What every study has of its trials: seconds, seconds of CPU time, bytes, joules.
    pub const OF_TRIALS: [&str; 4] = ["wall_time", "cpu_time", "peak_memory", "energy"];
}

/// What a trial gave for a figure that is not the one which is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherValue {
    /// Of each task, raw.
    PerTask(Vec<f64>),
    Missing(MetricProblem),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    pub fn success(self) -> bool {
        self == Exit::Code(0)
    }

    /// The status as a shell gives it: the code, or 128 + the signal.
    pub fn shell_status(self) -> i32 {
        match self {
            Exit::Code(code) => code,
            Exit::Signal(signal) => 128 + signal,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit status {code}"),
            Exit::Signal(signal) => write!(f, "killed by signal {signal}"),
        }
    }
}

/// Who ended the program of a trial before it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedBy {
    /// We did, since it took longer than a trial may.
    TimeLimit { limit: Nanoseconds },
    /// Slurm ended its job: the node, and the state and the reason in Slurm's words.
    Slurm { node: String, state: String, reason: String },
}

impl fmt::Display for EndedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndedBy::TimeLimit { limit } => write!(f, "numawise ended it at its time limit, {limit}"),
            EndedBy::Slurm { node, state, reason } => {
                let why = match state.as_str() {
                    "TIMEOUT" | "DEADLINE" => " at its time limit",
                    "OUT_OF_MEMORY" => " for want of memory",
                    _ => "",
                };
                write!(f, "Slurm ended its job on {node}{why}: {state}, {reason}")
            }
        }
    }
}

/// How the program of a trial failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialFailure {
    pub exit: Exit,
    /// Nothing where it ended by itself, or nobody can tell who ended it.
    pub ended_by: Option<EndedBy>,
}

impl From<Exit> for TrialFailure {
    fn from(exit: Exit) -> TrialFailure {
        TrialFailure { exit, ended_by: None }
    }
}

impl fmt::Display for TrialFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ended_by {
            None => self.exit.fmt(f),
            Some(ended_by) => write!(f, "{}; {ended_by}", self.exit),
        }
    }
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The metric of each task, raw: seconds, or what the program printed.
    Measured { per_task: Vec<f64> },
    /// The program failed: this is not a time.
    Failed { failure: TrialFailure, output_tail: String },
    /// The program ran, but its output held no metric.
    NoMetric { problem: MetricProblem, output_tail: String },
}

impl Outcome {
    pub const MEASURED: &str = "measured";
    pub const FAILED: &str = "failed";
    pub const NO_METRIC: &str = "no_metric";

    /// As records, JSON and tables name it.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Measured { .. } => Outcome::MEASURED,
            Outcome::Failed { .. } => Outcome::FAILED,
            Outcome::NoMetric { .. } => Outcome::NO_METRIC,
        }
    }

    /// The last line that the program said, where it failed and said something.
    pub fn last_line(&self) -> Option<&str> {
        let tail = match self {
            Outcome::Measured { .. } => return None,
            Outcome::Failed { output_tail, .. } | Outcome::NoMetric { output_tail, .. } => output_tail,
        };
        tail.lines().map(str::trim).rfind(|line| !line.is_empty())
    }
}

/// What keeps a program's output, or the file that it writes, from giving the metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricProblem {
    /// The regular expression matches nothing in it.
    NoMatch,
    /// It matches nothing, but would if upper and lower case counted as the same.
    OtherCase,
    /// It matches nothing in the end that is kept; so much before is not.
    NotKept { dropped: Bytes },
    /// What the regular expression matched last is not one of [`Metric::VALUES`].
    NotANumber { text: String },
    /// What it matched last is longer than any number.
    TooLong { characters: u64 },
    /// Nothing in the output says that the answer is right ([`crate::AroundTrials::verify_output`]).
    AnswerNotRight,
    /// The file cannot be taken for what this trial wrote.
    File(MetricFileProblem),
}

/// Why a file does not hold what a trial wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricFileProblem {
    Missing,
    IsAFolder,
    /// A pipe, a device or a socket: reading it could wait for ever, and what was read is gone.
    NotAPlainFile,
    /// It was to hold one number and no more, and is longer than any number.
    Longer,
    /// It is as it was before the trial.
    NotWritten,
    /// It was appended to, and the metric is in what was there before.
    OnlyBefore,
    Unreadable {
        problem: String,
    },
}

/// Why a trial is suspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// The hypervisor took CPU time: share of the machine's.
    Steal(f64),
    /// Other processes used the CPUs: share of the machine's.
    OtherLoad(f64),
    /// Watching took so much of one CPU.
    Watching(f64),
    /// The program was stopped for so long, by Ctrl-Z, by another signal, or by itself.
    Stopped(Nanoseconds),
    /// We who watch it were stopped for so long, or got no CPU: what it writes was not taken from it.
    WatcherStopped(Nanoseconds),
    /// The system slept for so long.
    Suspended(Nanoseconds),
    /// The clock of the system was set by so much, or the virtual machine was paused for so long.
    ClockSet(Nanoseconds),
}

impl Disturbance {
    /// True for what makes a run time that of something else: such a trial counts nowhere and is repeated. The others make it
    /// uncertain.
    pub fn interrupts(&self) -> bool {
        !matches!(self, Disturbance::Steal(_) | Disturbance::OtherLoad(_) | Disturbance::Watching(_))
    }
}

/// Processes that the tasks of a trial left running, and that were ended after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftProcesses {
    pub processes: u64,
    /// The names of the first few, each once.
    pub names: Vec<String>,
}
