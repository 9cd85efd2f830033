//! A study: points, their trials, and all that is needed to read them again in ten years.

use std::collections::{HashMap, HashSet};

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use crate::{
    ContrastRole, Disturbance, GridStudy, HostFacts, LeftProcesses, Levels, LineTool, Machine, Metric,
    NamedMetric, Notice, ObjectRun, Observation, OtherValue, Outcome, Placement, PlacementRequest, PointId,
    PointPair, PointRole, PrintedLine, RankBinding, Reading, RunSpec,
};

#[cfg(test)]
#[path = "study_tests.rs"]
mod tests;

/// One way of placing the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub id: PointId,
    pub levels: Levels,
    pub role: PointRole,
    pub request: PlacementRequest,
    /// Of what is started: of a launcher, where the command starts ranks.
    pub placement: Placement,
    /// Of these ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RankBinding>,
}

impl Point {
    /// Where the threads of the program are to be: those of ranks, where the command starts them.
    pub fn plan(&self) -> &Placement {
        match &self.ranks {
            Some(RankBinding::Planned { placement, .. }) => placement,
            _ => &self.placement,
        }
    }

    /// Threads of one task.
    pub fn threads(&self) -> u32 {
        self.placement.tasks.first().map_or(0, |task| task.threads.len() as u32)
    }

    /// How often the whole work is done in one trial: the number of copies.
    pub fn copies(&self) -> u32 {
        self.placement.tasks.len() as u32
    }
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
    /// What the program left running, if anything.
    pub left_behind: Option<LeftProcesses>,
    /// One for each of [`GridStudy::other_metrics`] where the trial was measured; else none.
    #[serde(default)]
    pub other_values: Vec<OtherValue>,
}

impl Trial {
    /// Why nothing is known of the inside of a run of a printed line.
    pub const LINE_NOT_OBSERVED: &'static str = "lines are timed, and not looked into";

    /// True when the program, we or the system were stopped in it, so that its time is not the program's.
    pub fn is_interrupted(&self) -> bool {
        self.disturbances.iter().any(Disturbance::interrupts)
    }

    /// The wall time without the time in which the program was stopped.
    pub fn running(&self) -> Nanoseconds {
        self.wall.saturating_sub(self.stopped())
    }

    /// How long the program was stopped.
    pub fn stopped(&self) -> Nanoseconds {
        let stopped = self.disturbances.iter().map(|disturbance| match disturbance {
            Disturbance::Stopped(time) => *time,
            _ => Nanoseconds(0),
        });
        stopped.max().unwrap_or_default()
    }

    pub fn is_warm_up(&self) -> bool {
        self.block == 0
    }
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
    /// What it takes here to start a program that does nothing and to see it end, or to load the one that is studied, whichever is more.
    #[serde(default = "start_not_measured")]
    pub start_cost: Reading<Nanoseconds>,
    /// The factors of a study that somebody laid out; none where placements are compared that we chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridStudy>,
}

fn start_not_measured() -> Reading<Nanoseconds> {
    Reading::unavailable("it was not measured when this was recorded")
}

impl StudyHeader {
    /// A program that runs for less may differ between placements by no more than what starting it takes.
    pub const SHORT: Nanoseconds = Nanoseconds(100_000_000);

    pub fn point(&self, id: &PointId) -> Option<&Point> {
        self.points.iter().find(|point| point.id == *id)
    }

    /// The point that the others are compared with.
    pub fn baseline(&self) -> Option<&Point> {
        self.points.iter().find(|point| point.role == PointRole::Baseline)
    }

    /// What the metric that is compared is called where figures have names.
    pub fn metric_name(&self) -> &str {
        let given = self.grid.as_ref().and_then(|grid| grid.metric_name.as_deref());
        given.unwrap_or(match self.metric {
            Metric::WallTime => NamedMetric::OF_TRIALS[0],
            Metric::Output { .. } | Metric::File { .. } => "metric",
        })
    }

    /// The metric of a trial for one unit of work, so that points with several copies compare with those with one:
    /// the longest time divided by the number of copies, or the sum of the rates.
    pub fn value(&self, trial: &Trial) -> Option<f64> {
        let Outcome::Measured { per_task } = &trial.outcome else {
            return None;
        };
        self.metric.of_unit(per_task)
    }
}

/// A study as it stands in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    pub header: StudyHeader,
    /// In the order in which they ran.
    pub trials: Vec<Trial>,
    pub stopped: Option<StopReason>,
    /// The lines that are printed to be used, as they were run; nothing where none was.
    pub lines: Option<PrintedLines>,
    /// The program's memory objects, from a run of its own after the trials; nothing where none was asked for, or it failed.
    pub objects: Option<ObjectRun>,
}

impl Study {
    /// A point is given up when so many of its trials in a row failed.
    pub const FAILURES: usize = 3;
    /// A trial that was interrupted is repeated until it has been run so many times.
    pub const ATTEMPTS: usize = 3;

    /// How many trials there are, the warm-up left out.
    pub fn trials_beyond_warm_up(&self) -> usize {
        self.trials.iter().filter(|trial| !trial.is_warm_up()).count()
    }

    /// True when a point needs no further trial in a block: it has one that was not interrupted, or all were.
    pub fn is_done(&self, block: u32, point: &PointId) -> bool {
        let here = self.trials.iter().filter(|trial| trial.block == block && trial.point == *point);
        !Self::done(here).is_empty()
    }

    /// The points with the blocks in which they are done by these trials, in one pass: a grid has thousands of them.
    pub fn done<'a>(trials: impl Iterator<Item = &'a Trial>) -> HashSet<(&'a PointId, u32)> {
        let mut attempts: HashMap<(&PointId, u32), usize> = HashMap::new();
        let mut done = HashSet::new();
        for trial in trials {
            let here = (&trial.point, trial.block);
            let attempts = attempts.entry(here).or_default();
            *attempts += 1;
            if *attempts >= Self::ATTEMPTS || !trial.is_interrupted() {
                done.insert(here);
            }
        }
        done
    }

    /// True for a point whose last trials all failed: it is run no more, and nothing is waited for from it.
    pub fn given_up(&self, point: &PointId) -> bool {
        let here = self.trials.iter().rev().filter(|trial| trial.point == *point).take(Self::FAILURES);
        here.take_while(|trial| !matches!(trial.outcome, Outcome::Measured { .. })).count() == Self::FAILURES
    }

    /// All such points, in one pass: a grid has thousands of them.
    pub fn all_given_up(&self) -> HashSet<&PointId> {
        let mut failures: HashMap<&PointId, usize> = HashMap::new();
        for trial in &self.trials {
            if matches!(trial.outcome, Outcome::Measured { .. }) {
                failures.remove(&trial.point);
            } else {
                *failures.entry(&trial.point).or_default() += 1;
            }
        }
        failures.retain(|_, in_a_row| *in_a_row >= Self::FAILURES);
        failures.into_keys().collect()
    }
}

/// The lines of a study with the trials that they had: a study of its own with a point for each line, all started alike, by a shell in
/// the environment that we were given.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedLines {
    /// The placement that they give.
    pub point: PointId,
    /// The program's own is the first.
    pub lines: Vec<PrintedLine>,
    /// Counted from 0, as are their blocks from 1; their points are named as the tools.
    pub trials: Vec<Trial>,
    pub stopped: Option<StopReason>,
}

impl PrintedLines {
    /// The least number of repeats: below it no interval is worth its name.
    pub const LEAST_REPEATS: u32 = 5;

    pub fn line(&self, tool: LineTool) -> Option<&PrintedLine> {
        self.lines.iter().find(|line| line.tool == tool)
    }

    /// Those that are run.
    pub fn run(&self) -> impl Iterator<Item = &PrintedLine> {
        self.lines.iter().filter(|line| line.not_run.is_none())
    }

    /// The study that they are: every line that is run as a point, compared with the program's own.
    pub fn study(&self, of: &StudyHeader) -> Study {
        let role = |tool| match tool {
            LineTool::Program => PointRole::Baseline,
            LineTool::Numawise => PointRole::Candidate,
            LineTool::Other(_) => PointRole::Diagnosis,
        };
        let points = self.run().map(|line| line_point(line.tool.point(), role(line.tool)));
        let header = of.of_lines(points.collect());
        Study { header, trials: self.trials.clone(), stopped: self.stopped, lines: None, objects: None }
    }
}

impl StudyHeader {
    /// The same for lines, each a point that is compared with the baseline among them.
    pub fn of_lines(&self, points: Vec<Point>) -> StudyHeader {
        let baseline = points.iter().find(|point| point.role == PointRole::Baseline);
        let compared = points.iter().filter(|point| point.role != PointRole::Baseline);
        let pairs = compared.zip(baseline.into_iter().cycle()).map(|(to, from)| PointPair {
            from: from.id.clone(),
            to: to.id.clone(),
            // Of other tools it is enough to know that they bring nothing.
            role: if to.role == PointRole::Candidate {
                ContrastRole::BothWays
            } else {
                ContrastRole::GainOnly
            },
        });
        StudyHeader {
            pairs: pairs.collect(),
            points,
            not_tried: Vec::new(),
            min_repeats: PrintedLines::LEAST_REPEATS,
            start_cost: Reading::unavailable("what a line takes to start is part of its effect"),
            grid: None,
            ..self.clone()
        }
    }
}

/// A line as a point: nothing is placed but by the words of the line.
pub fn line_point(id: PointId, role: PointRole) -> Point {
    let request = PlacementRequest::as_the_os_does();
    Point {
        id,
        levels: Levels::of(&request, 1),
        role,
        request,
        placement: Placement::of_nothing(),
        ranks: None,
    }
}
