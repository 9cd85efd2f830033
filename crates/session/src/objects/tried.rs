//! Cures of memory objects, tried: each is a line, which runs in turn with the program as it is typed, in random order, until the intervals
//! decide or the time given ends.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use numawise_facts::objects::{ObjectCure, TriedCure};
use numawise_facts::{
    Effect, Ignore, Metric, NotRun, ObjectRun, PointId, PointRole, Reading, RunSpec, Study, StudyHeader,
    line_point,
};
use numawise_launch::Change;
use numawise_study::{Engine, LineRunner, PrintedRun, Runner, StartNodes, SystemClock};
use numawise_units::Nanoseconds;

use crate::Error;
use crate::experiment::watching::of_compared;
use crate::experiment::{NotYet, by_contrasts, search_path};
use crate::ran::redactor;

/// What counts as no difference, as in a check.
const MARGIN: f64 = 0.05;

/// A cure, and the line that runs the program with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CureLine {
    /// Index of the objects of the run; missing where it is for all memory of the program.
    pub object: Option<u32>,
    pub cure: ObjectCure,
    /// As it is kept and shown.
    pub shown: String,
    /// The same with what nobody is to see.
    pub typed: String,
}

/// What is to be tried.
#[derive(Debug, Clone)]
pub struct CuresRequest<'a> {
    /// The run whose objects they are for.
    pub run: &'a ObjectRun,
    pub command: &'a RunSpec,
    /// The line without a cure.
    pub without: String,
    /// The first ones matter most.
    pub cures: Vec<CureLine>,
    pub budget: Nanoseconds,
}

/// Tries them. One of which the runs failed, or for which there was no time, has no effect, and says why.
///
/// # Errors
/// When no shell can be started.
pub fn try_cures(request: &CuresRequest<'_>, stop: &AtomicBool) -> Result<Vec<TriedCure>, Error> {
    let none = |why: &'static str| {
        Ok(request.cures.iter().map(|cure| tried(cure, Reading::unavailable(why))).collect())
    };
    if let Some(why) = no_line(request.command) {
        return none(why);
    }
    let path = match search_path() {
        Ok(path) => path,
        Err(NotRun::OtherName { .. }) => {
            return none("lines begin with numawise, and this file has another name");
        }
        Err(_) => return none("a folder in PATH has a name that is not UTF-8"),
    };
    let lines = [&request.without].into_iter().chain(request.cures.iter().map(|cure| &cure.typed));
    let turns = Turns {
        run: request.run,
        command: request.command,
        lines: lines.cloned().collect(),
        changes: path.map(|path| Change { name: "PATH", value: Some(path) }).into_iter().collect(),
        budget: request.budget,
    };
    let effects = turns.run(|runner| runner, stop)?.0;
    Ok(request.cures.iter().zip(effects).map(|(cure, effect)| tried(cure, effect)).collect())
}

/// Why no line can hold the command, where none can.
pub fn no_line(command: &RunSpec) -> Option<&'static str> {
    let is_text = command.command.iter().all(|word| word.as_os_str().to_str().is_some());
    (!is_text).then_some("a word of the command is not UTF-8, so that no line can hold it")
}

/// Lines that run in turn, the program as it is first; all are looked at alike.
pub(crate) struct Turns<'a> {
    pub run: &'a ObjectRun,
    pub command: &'a RunSpec,
    pub lines: Vec<String>,
    pub changes: Vec<Change>,
    pub budget: Nanoseconds,
}

impl Turns<'_> {
    /// What each line but the first brings, and what ran them: `around` may do something before a line runs.
    ///
    /// # Errors
    /// When no shell can be started, or as what is around says.
    pub(crate) fn run<R: Runner>(
        self,
        around: impl FnOnce(LineRunner) -> R,
        stop: &AtomicBool,
    ) -> Result<(Vec<Reading<Effect>>, R), Error> {
        let begun = Instant::now();
        let mut study =
            Study { header: self.header(), trials: Vec::new(), stopped: None, lines: None, objects: None };
        let lines = study.header.points.iter().zip(&self.lines).map(|(point, line)| PrintedRun {
            point: point.id.clone(),
            line: line.clone(),
            metric_file: None,
        });
        let mut runner = around(LineRunner {
            lines: lines.collect(),
            start_nodes: StartNodes::of(&self.run.header.machine),
            directory: self.command.directory.clone(),
            // As much as the margin allows.
            watch: of_compared(1.0, MARGIN, &self.run.header.machine),
            changes: self.changes.clone(),
        });
        let mut engine = Engine {
            runner: &mut runner,
            clock: &SystemClock { begun },
            keep: &mut NotYet,
            sink: &mut Ignore,
            redactor: &redactor(self.command),
            standing: &mut by_contrasts,
            repeats_first: false,
            first_block: 1,
            stop,
        };
        engine.run(&mut study, 0)?;
        Ok((effects(&study, self.lines.len() - 1), runner))
    }

    /// The study that the lines are.
    fn header(&self) -> StudyHeader {
        let of = &self.run.header;
        let baseline = line_point(PointId("program".to_owned()), PointRole::Baseline);
        let others = (1..self.lines.len()).map(|line| line_point(point(line), PointRole::Candidate));
        let header = StudyHeader {
            tool_version: of.tool_version.clone(),
            begun: of.begun,
            command: of.command.clone(),
            machine: of.machine.clone(),
            host: of.host.clone(),
            metric: Metric::WallTime,
            points: Vec::new(),
            pairs: Vec::new(),
            not_tried: Vec::new(),
            // The low digits of the clock are as good as drawn.
            seed: of.begun.0 % 1_000_000_007,
            min_repeats: 0,
            margin: MARGIN,
            budget: self.budget,
            start_cost: Reading::unavailable("what a line takes to start is part of its effect"),
            grid: None,
        };
        header.of_lines([baseline].into_iter().chain(others).collect())
    }
}

/// The point of a line, counted from the program's, which is 0.
pub(crate) fn point(line: usize) -> PointId {
    PointId(format!("line-{line}"))
}

fn effects(study: &Study, count: usize) -> Vec<Reading<Effect>> {
    let contrasts = numawise_analyse::contrasts_of(study);
    let effect = |line: usize| {
        let contrast = contrasts.iter().find(|contrast| contrast.to == point(line));
        contrast.map_or_else(|| Reading::unavailable("there was no time for it"), |of| of.effect.clone())
    };
    (1..=count).map(effect).collect()
}

fn tried(cure: &CureLine, effect: Reading<Effect>) -> TriedCure {
    TriedCure { object: cure.object, cure: cure.cure, command: cure.shown.clone(), effect }
}
