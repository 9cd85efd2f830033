//! What findings rest on of a study of a grid.

use serde::Serialize;

use crate::{MetricProblem, PointId, TrialFailure};

/// What a piece of evidence of a study of a grid is a value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GridQuantity {
    /// Workers (threads of all processes) of a point; `of`: the most that were tried, all else alike.
    Workers,
    /// How many times as good the best of the points with more workers is.
    EffectOfMoreWorkers,
    /// How many times as fast twice as many workers make it, from the fewest up to a point.
    DoublingBefore,
    /// The same from that point on, up to the most.
    DoublingAfter,
    /// Cores of a node that have a thread each there.
    CoresOfNodeUsedUp,
    /// Cores of the machine that have a thread each there.
    CoresUsedUp,
    /// CPUs of the machine that have a thread each there.
    CpusUsedUp,
    /// Cores of a node that read as much as all of its memory gives, about.
    SaturatingCores,
    /// How many times as good a level of a factor is as the first: the mean over combinations of the others.
    EffectOfLevel,
    /// The same at one combination of the others.
    EffectAtCombination,
    /// How many times as much trials scatter about the medians of their points at a level as at the first.
    ScatterOfLevel,
    /// Combinations of the other factors over which levels are compared.
    Combinations,
    /// Points that failed each time, or so often at the end that they are run no more; `of`: all points.
    PointsGivenUp,
    /// Trials of a point that failed; `of`: all its trials.
    FailedTrials,
}

/// What a piece of evidence of a study of a grid speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GridSubject {
    /// Two levels of a factor: `to` as compared with `from`.
    Levels { factor: String, from: String, to: String },
    /// How the last trial of a point failed: how the program ended, or what its answer lacks, and the last line that it said, where there
    /// is one.
    Failure {
        point: PointId,
        #[serde(flatten)]
        failure: Option<TrialFailure>,
        problem: Option<MetricProblem>,
        said: Option<String>,
    },
}

/// What to do after a study of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GridAdvice {
    /// Run the program as at this point, which was measured.
    RunPoint { point: PointId },
    /// Choose the levels of a factor together with those of the others.
    ChooseTogether { factor: String },
    /// Mend what makes this point fail, or leave it out.
    MendPoint { point: PointId },
}
