//! A study: points, their trials, and all that is needed to read them again in ten years.

use std::fmt;

use numawise_units::{CpuSet, Nanoseconds, NodeSet, Pid};
use serde::{Deserialize, Serialize};

use crate::{
    Machine, MemoryRequest, Notice, Observation, Placement, PlacementRequest, Reading, RunSpec, Strategy,
    ThreadBinding,
};

#[cfg(test)]
#[path = "study_tests.rs"]
mod tests;

/// The label of a point inside a study, as shown: `os`, `one-node`, `interleave`, ... What a point is, its [`Levels`] say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PointId(pub String);

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for PointId {
    fn from(name: &str) -> Self {
        PointId(name.to_owned())
    }
}

/// What a point is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointRole {
    /// What the others are compared with: as the operating system does it.
    Baseline,
    /// A placement that one could use from now on.
    Candidate,
    /// Only there to learn something.
    Diagnosis,
}

/// What a point is, factor by factor. Two points are compared by the factors in which their levels differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Levels {
    pub placement: PlacementLevel,
    pub memory: MemoryRequest,
    pub pin: ThreadBinding,
    /// Threads of one task.
    pub threads: u32,
    pub tasks: u32,
    /// Parameters of the program's own, by name.
    pub parameters: Vec<ProgramParameter>,
}

/// How CPUs are chosen at a point.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlacementLevel {
    pub strategy: Strategy,
    /// Only these CPUs.
    pub cpus: Option<CpuSet>,
    /// Only CPUs of these nodes.
    pub nodes: Option<NodeSet>,
}

/// A parameter of the program's own, at one of its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramParameter {
    pub name: String,
    pub value: String,
}

/// A respect in which points of a study differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    Placement,
    Memory,
    Pin,
    Threads,
    Tasks,
    Parameters,
}

impl Levels {
    /// The levels of a request that is run with `threads` threads in each task.
    pub fn of(request: &PlacementRequest, threads: u32) -> Self {
        Levels {
            placement: PlacementLevel {
                strategy: request.strategy,
                cpus: request.cpus.clone(),
                nodes: request.nodes.clone(),
            },
            memory: request.memory.clone(),
            pin: request.binding,
            threads,
            tasks: request.tasks,
            parameters: Vec::new(),
        }
    }

    /// The factors in which two points differ.
    pub fn differing(&self, other: &Levels) -> Vec<Factor> {
        [
            (Factor::Placement, self.placement != other.placement),
            (Factor::Memory, self.memory != other.memory),
            (Factor::Pin, self.pin != other.pin),
            (Factor::Threads, self.threads != other.threads),
            (Factor::Tasks, self.tasks != other.tasks),
            (Factor::Parameters, self.parameters != other.parameters),
        ]
        .into_iter()
        .filter_map(|(factor, differs)| differs.then_some(factor))
        .collect()
    }

    /// True when both run the same number of threads in the same number of tasks with the same parameters.
    pub fn same_work(&self, other: &Levels) -> bool {
        let factors = self.differing(other);
        ![Factor::Threads, Factor::Tasks, Factor::Parameters].iter().any(|factor| factors.contains(factor))
    }
}

/// One way of placing the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub id: PointId,
    pub levels: Levels,
    pub role: PointRole,
    pub request: PlacementRequest,
    pub placement: Placement,
}

impl Point {
    /// Threads of one task.
    pub fn threads(&self) -> u32 {
        self.placement.tasks.first().map_or(0, |task| task.threads.len() as u32)
    }

    /// How often the whole work is done in one trial: the number of copies.
    pub fn copies(&self) -> u32 {
        self.placement.tasks.len() as u32
    }
}

/// Two points to compare: `to` is judged against `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointPair {
    pub from: PointId,
    pub to: PointId,
    pub role: ContrastRole,
}

/// What the verdict takes from a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContrastRole {
    /// A difference in either direction shows that placement matters: same work, same number of threads.
    BothWays,
    /// Only a gain shows it: `to` has fewer CPUs, so a loss has another explanation.
    GainOnly,
    /// Neither: other things than placement differ too.
    Unjudged,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Wall time from start to end of the process, in seconds.
    WallTime,
    /// A number that the program prints: the first group of the last match of `regex` in its output.
    Output { regex: String, higher_is_better: bool },
}

impl Metric {
    pub fn higher_is_better(&self) -> bool {
        matches!(self, Metric::Output { higher_is_better: true, .. })
    }

    /// The regular expression of a metric that is read from the output.
    pub fn regex(&self) -> Option<&str> {
        match self {
            Metric::WallTime => None,
            Metric::Output { regex, .. } => Some(regex),
        }
    }
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

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The metric of each task, raw: seconds, or what the program printed.
    Measured { per_task: Vec<f64> },
    /// The program failed: this is not a time.
    Failed { exit: Exit, output_tail: String },
    /// The program ran, but its output held no metric.
    NoMetric { problem: MetricProblem, output_tail: String },
}

/// What keeps a program's output from giving the metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricProblem {
    /// The regular expression matches nothing in it.
    NoMatch,
    /// What the regular expression matched last is not a positive number.
    NotANumber { text: String },
}

/// Why a trial is suspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// The hypervisor took CPU time: share of the machine's.
    Steal(f64),
    /// Other processes used the CPUs: share of the machine's.
    OtherLoad(f64),
}

/// One run at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Counted from 0 in the order in which they ran.
    pub number: u32,
    /// 0 for the warm-up, then 1, 2, ...
    pub block: u32,
    pub point: PointId,
    /// When it began, in nanoseconds since 1970 (UTC).
    pub started: Nanoseconds,
    pub wall: Nanoseconds,
    pub outcome: Outcome,
    pub observation: Reading<Observation>,
    pub disturbances: Vec<Disturbance>,
}

impl Trial {
    pub fn is_warm_up(&self) -> bool {
        self.block == 0
    }
}

/// What is known of the host beside its topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    pub hostname: Reading<String>,
    pub kernel: Reading<String>,
    pub cpu_model: Reading<String>,
    /// Environment variables that steer threads and memory (OMP_*, GOMP_*, KMP_*, MALLOC_*, ...), as they were.
    pub environment: Vec<(String, String)>,
    pub numa_balancing: Reading<String>,
    pub transparent_huge_pages: Reading<String>,
    /// CPU frequency governor.
    pub governor: Reading<String>,
    /// Who runs this study.
    pub pid: Pid,
}

/// Why measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The intervals decided.
    Decided,
    /// The time given was spent.
    BudgetSpent,
    /// Somebody pressed Ctrl-C or sent SIGTERM.
    Interrupted,
    /// The program failed too often.
    TooManyFailures,
}

/// All that a study is before its first trial. Two headers with the same `command`, `machine`, `points`, `pairs` and
/// `metric` are the same study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyHeader {
    pub tool_version: String,
    /// When it was begun, in nanoseconds since 1970 (UTC).
    pub begun: Nanoseconds,
    pub command: RunSpec,
    pub machine: Machine,
    pub host: HostFacts,
    pub metric: Metric,
    pub points: Vec<Point>,
    /// The contrasts that are judged, all of them at once.
    pub pairs: Vec<PointPair>,
    /// Placements that were not tried, and why.
    pub not_tried: Vec<Notice>,
    /// Seed of the order of trials.
    pub seed: u64,
    pub min_repeats: u32,
    /// Ratios within 1 / (1 + margin) and 1 + margin count as "no difference".
    pub margin: f64,
    pub budget: Nanoseconds,
}

impl StudyHeader {
    pub fn point(&self, id: &PointId) -> Option<&Point> {
        self.points.iter().find(|point| point.id == *id)
    }

    /// The point that the others are compared with.
    pub fn baseline(&self) -> Option<&Point> {
        self.points.iter().find(|point| point.role == PointRole::Baseline)
    }

    /// The metric of a trial for one unit of work, so that points with several copies compare with those with one:
    /// the longest time divided by the number of copies, or the sum of the rates.
    pub fn value(&self, trial: &Trial) -> Option<f64> {
        let Outcome::Measured { per_task } = &trial.outcome else {
            return None;
        };
        if per_task.is_empty() {
            return None;
        }
        Some(if self.metric.higher_is_better() {
            per_task.iter().sum()
        } else {
            per_task.iter().copied().fold(f64::MIN, f64::max) / per_task.len() as f64
        })
    }
}

/// A study as it stands in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    pub header: StudyHeader,
    /// In the order in which they ran.
    pub trials: Vec<Trial>,
    pub stopped: Option<StopReason>,
}

impl Study {
    /// A point is given up when so many of its trials in a row failed.
    pub const FAILURES: usize = 3;

    /// True for a point whose last trials all failed: it is run no more, and nothing is waited for from it.
    pub fn given_up(&self, point: &PointId) -> bool {
        let here = self.trials.iter().rev().filter(|trial| trial.point == *point);
        let mut last =
            here.take(Self::FAILURES).map(|trial| matches!(trial.outcome, Outcome::Measured { .. }));
        last.by_ref().filter(|measured| !measured).count() == Self::FAILURES
    }
}
