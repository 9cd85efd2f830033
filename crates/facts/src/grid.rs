//! A study of factors that somebody chose: the grid as it is kept with the study.

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use crate::{NamedMetric, PointId, RunSpec};

/// The factors of a study with their levels, and what is run at each of its points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GridStudy {
    pub factors: Vec<FactorLevels>,
    /// One for each point of the study, in their order.
    pub runs: Vec<GridRun>,
    /// The conditions that points fulfil, as they were typed.
    pub constraints: Vec<String>,
    #[serde(default)]
    pub around: AroundTrials,
    /// Input files of the program that are filled in for each trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<InputTemplate>,
    /// The name of the metric that is compared, where it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric_name: Option<String>,
    /// What is taken of each trial besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_metrics: Vec<NamedMetric>,
    /// Points are repeated until they are known so well; without it, as often as was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilKnown>,
    /// Trials at most, the warm-up left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_trials: Option<u32>,
    /// About so many cores of a node read as much as all of its memory gives, by the newest profile of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturating_cores: Option<f64>,
}

/// How well a point has to be known before it is run no more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UntilKnown {
    /// Half the width of the 95 % interval of the median, as a share of the median.
    pub half_width: f64,
    /// Repeats of a point, after which it is run no more however well it is known.
    pub most_repeats: u32,
}

/// An input file of the program with placeholders, as it was when the study was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputTemplate {
    /// As it was typed.
    pub file: String,
    pub text: String,
}

impl InputTemplate {
    /// The name that the filled file has in its folder.
    pub fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or_default()
    }
}

/// What is done around trials, and is in no time; commands are for a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AroundTrials {
    /// Once before the first trial of each process that runs the study.
    pub setup: Option<String>,
    /// Before each trial; where it fails, the trial failed.
    pub prepare: Option<String>,
    /// After each trial that ended well; where it fails, the trial failed.
    pub verify: Option<String>,
    /// A regular expression that the output of a right answer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_output: Option<String>,
    /// Once after the last trial.
    pub cleanup: Option<String>,
    /// A trial that takes longer is ended, and failed.
    pub limit: Option<Nanoseconds>,
    /// How long the machine is left alone before each trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Nanoseconds>,
    /// Whether the kernel drops the pages of files that it holds before each trial.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop_caches: bool,
}

impl GridStudy {
    pub fn run(&self, point: &PointId) -> Option<&GridRun> {
        self.runs.iter().find(|run| run.point == *point)
    }

    /// The levels of a point as words, in the order of the factors.
    pub fn levels<'a>(&'a self, run: &'a GridRun) -> impl Iterator<Item = &'a str> {
        self.factors
            .iter()
            .zip(&run.levels)
            .map(|(factor, level)| factor.levels.get(*level as usize).map_or("", String::as_str))
    }
}

/// A factor, its levels in the order in which they were typed. The first is its baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactorLevels {
    pub kind: FactorKind,
    /// As placeholders and tables name it.
    pub name: String,
    /// As they are filled into a command, and shown.
    pub levels: Vec<String>,
}

/// What a factor changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactorKind {
    /// The whole command.
    Command,
    RanksTimesThreads,
    Ranks,
    Copies,
    Threads,
    /// Which CPUs are chosen: by a strategy, or near to a device, as the factor's name says.
    Place,
    Memory,
    Pin,
    PageSize,
    /// In which order CPUs are taken.
    Order,
    /// The pinning step.
    Step,
    /// A variable of the environment.
    Variable,
    /// A parameter of the program's own.
    Parameter,
}

/// What is run at a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridRun {
    pub point: PointId,
    /// The place of its level in each factor.
    pub levels: Vec<u32>,
    /// Threads, ranks and copies that work there, all together; none where the command alone knows.
    pub workers: Option<u32>,
    pub command: RunSpec,
    /// Variables that it gets besides ours.
    pub environment: Vec<(String, String)>,
}
