//! The second part of an experiment that has found a better placement: every line that will be printed is run as it is printed,
//! against the program as it is typed without it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use numawise_facts::{
    EquivalentTool, LineTool, NotRun, Point, PointId, PrintedLine, PrintedLines, RunSpec, Sink, StopReason,
    Study, StudyHeader, Trial,
};
use numawise_launch::{Change, executable_in};
use numawise_record::Record;
use numawise_study::{Engine, LineRunner, PrintedRun, StartNodes, SystemClock, TrialStore};
use numawise_units::{Arrange, Nanoseconds, TaskId};

use super::{ExperimentRequest, by_contrasts};
use crate::Error;

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

/// Writes the lines for a placement of a study with this command: the face knows their words. The program's own is the first.
pub type LineWriter<'a> = dyn Fn(&Study, &Point, &RunSpec) -> Vec<PrintedLine> + 'a;

/// The name that our lines begin with.
const OUR_NAME: &str = "numawise";

/// The program's own line and ours.
const FIRST: u64 = 2;
/// Lines of other tools that time is kept for: one for memory and one for threads.
const OTHERS: u64 = 2;

/// What is kept for the least number of repeats of the program's own line and of ours where `left` is left and a run takes `one`;
/// nothing where the placements would suffer by it: their answer comes first.
pub fn reserve(one: Nanoseconds, left: Nanoseconds) -> Nanoseconds {
    reserve_of(FIRST, one, left).unwrap_or_default()
}

/// The same for as many lines of other tools besides as there is time for when `trials` of the placements run in any case.
pub fn reserve_beside(trials: u64, one: Nanoseconds, left: Nanoseconds) -> Nanoseconds {
    let of_trials = Nanoseconds(one.0.saturating_mul(trials));
    let beside = |kept: &Nanoseconds| *kept + of_trials <= left;
    let mut with_others = (FIRST + 1..=FIRST + OTHERS).rev().filter_map(|lines| reserve_of(lines, one, left));
    with_others.find(beside).unwrap_or_else(|| reserve(one, left))
}

fn reserve_of(lines: u64, one: Nanoseconds, left: Nanoseconds) -> Option<Nanoseconds> {
    let needs = of_lines(lines, one);
    (needs.0 <= left.0 / 3).then_some(needs)
}

fn of_lines(lines: u64, one: Nanoseconds) -> Nanoseconds {
    Nanoseconds(one.0.saturating_mul(lines * u64::from(PrintedLines::LEAST_REPEATS)))
}

/// What carries the lines of an experiment out.
pub struct LineStage<'a> {
    pub request: &'a ExperimentRequest,
    /// What this process may have taken when they end.
    pub budget: Nanoseconds,
    pub write: &'a LineWriter<'a>,
    pub sink: &'a mut dyn Sink,
    pub stop: &'a AtomicBool,
}

impl LineStage<'_> {
    /// Runs the lines for `point` until their intervals decide or the time ends, and says why they stopped.
    ///
    /// # Errors
    /// When no shell can be started, or a run cannot be recorded.
    pub fn run(self, study: &mut Study, record: &mut Record, point: &PointId) -> Result<StopReason, Error> {
        let Some(placed) = study.header.point(point) else { return Ok(StopReason::Decided) };
        let request = self.request;
        let ours = search_path();
        // The one is kept and shown, and the other is run: they differ in what looks like a credential.
        let shown = (self.write)(study, placed, &study.header.command);
        let typed = (self.write)(study, placed, &request.command);
        let threads = [study.header.points[0].threads(), placed.threads()];
        let begun = study.lines.take().filter(|lines| goes_on(lines, point, &shown));
        let mut lines = begun.unwrap_or_else(|| {
            let left = self.budget.saturating_sub(request.begun.elapsed().into());
            let check = |line| checked(line, &request.command, &ours);
            let lines = within(shown.into_iter().map(check).collect(), times(study, point), left);
            PrintedLines { point: point.clone(), lines, trials: Vec::new(), stopped: None }
        });
        record.set_lines(&lines)?;
        let mut runs = lines.study(&StudyHeader { budget: self.budget, ..study.header.clone() });
        let mut reason = StopReason::BudgetSpent;
        if !runs.header.pairs.is_empty() {
            let path = ours.ok().flatten();
            let mut runner = LineRunner {
                lines: typed.into_iter().map(|line| as_typed(request, line, threads)).collect(),
                start_nodes: StartNodes::of(&runs.header.machine),
                directory: request.command.directory.clone(),
                watch: request.watch(&study.header.machine),
                changes: path.map(|path| Change { name: "PATH", value: Some(path) }).into_iter().collect(),
            };
            let mut engine = Engine {
                runner: &mut runner,
                clock: &SystemClock { begun: request.begun },
                keep: &mut LineKeeper(record),
                sink: self.sink,
                redactor: &request.redactor(),
                standing: &mut by_contrasts,
                repeats_first: false,
                first_block: 1,
                stop: self.stop,
            };
            reason = engine.run(&mut runs, 0)?;
        }
        lines.trials = runs.trials;
        lines.stopped = Some(reason);
        record.set_lines(&lines)?;
        study.lines = Some(lines);
        Ok(reason)
    }
}

/// What is run of a line; `threads` are those of the program's own and of the others.
fn as_typed(request: &ExperimentRequest, line: PrintedLine, threads: [u32; 2]) -> PrintedRun {
    let threads = threads[usize::from(line.tool != LineTool::Program)];
    let metric_file = request.metric.file().map(|file| file.for_task(threads, TaskId(0)));
    PrintedRun { point: line.tool.point(), line: line.line, metric_file }
}

struct LineKeeper<'a>(&'a mut Record);

impl TrialStore for LineKeeper<'_> {
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.append_line(trial)?)
    }
}

/// Whether runs were kept of these very lines.
fn goes_on(kept: &PrintedLines, point: &PointId, lines: &[PrintedLine]) -> bool {
    let same = |(old, new): (&PrintedLine, &PrintedLine)| old.tool == new.tool && old.line == new.line;
    kept.point == *point
        && !kept.trials.is_empty()
        && kept.lines.len() == lines.len()
        && kept.lines.iter().zip(lines).all(same)
}

/// The line with what keeps it from being run here.
fn checked(line: PrintedLine, command: &RunSpec, ours: &Result<Option<String>, NotRun>) -> PrintedLine {
    let installed = |program: &str| {
        let found = executable_in(OsStr::new(program), &env::var_os("PATH").unwrap_or_default());
        found.is_none().then(|| NotRun::NotInstalled { program: program.to_owned() })
    };
    let not_text = command.command.iter().any(|word| word.as_os_str().to_str().is_none());
    let not_run = match line.tool {
        LineTool::Other(EquivalentTool::KernelWeights) => Some(NotRun::ChangesTheMachine),
        LineTool::Other(EquivalentTool::OpenMpi | EquivalentTool::Mpich | EquivalentTool::Srun) => {
            Some(NotRun::StartsRanks)
        }
        _ if not_text => Some(NotRun::NotText),
        _ if line.line.contains('\n') && !one_word_has_a_newline(command) => Some(NotRun::SeveralLines),
        LineTool::Other(tool @ (EquivalentTool::Numactl | EquivalentTool::Taskset)) => installed(tool.name()),
        LineTool::Numawise => ours.as_ref().err().cloned(),
        LineTool::Program
        | LineTool::Other(
            EquivalentTool::OpenMp | EquivalentTool::KmpAffinity | EquivalentTool::GompCpuAffinity,
        ) => None,
    };
    PrintedLine { not_run: line.not_run.or(not_run), ..line }
}

fn one_word_has_a_newline(command: &RunSpec) -> bool {
    command.command.iter().any(|word| word.as_os_str().to_string_lossy().contains('\n'))
}

/// The lines of which the least number of repeats fits into `left` when a run takes these times as the operating system places it and
/// at the better placement: the first ones, and none where ours cannot be compared with the program's own.
fn within(
    mut lines: Vec<PrintedLine>,
    [own, better]: [Nanoseconds; 2],
    left: Nanoseconds,
) -> Vec<PrintedLine> {
    let mut block = Nanoseconds(0);
    for line in lines.iter_mut().filter(|line| line.not_run.is_none()) {
        block = match line.tool {
            LineTool::Program => own + better,
            LineTool::Numawise => block,
            // It may not have the gain.
            LineTool::Other(_) => block + own.max(better),
        };
        let needs = of_lines(1, block);
        if needs > left {
            line.not_run = Some(NotRun::NoTime { needs, left });
        }
    }
    lines
}

/// What a run takes as the operating system places it, and at `point`.
fn times(study: &Study, point: &PointId) -> [Nanoseconds; 2] {
    let middle = |id: &PointId| {
        let mut times: Vec<Nanoseconds> =
            study.trials.iter().filter(|trial| trial.point == *id).map(Trial::running).collect();
        times.arrange();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    [study.header.baseline().map(|baseline| middle(&baseline.id)).unwrap_or_default(), middle(point)]
}

/// The `PATH` with which our name means this very program; nothing where it does so already.
///
/// # Errors
/// Why no `PATH` can do that.
pub fn search_path() -> Result<Option<String>, NotRun> {
    let file = env::current_exe().map_err(|_| NotRun::OtherName { found: "unknown".to_owned() })?;
    search_path_to(&file, &env::var_os("PATH").unwrap_or_default())
}

fn search_path_to(file: &Path, now: &OsStr) -> Result<Option<String>, NotRun> {
    let name = file.file_name().unwrap_or_default();
    if name != OUR_NAME {
        return Err(NotRun::OtherName { found: name.to_string_lossy().into_owned() });
    }
    let found = executable_in(name, now).and_then(|found| found.canonicalize().ok());
    if found.is_some() && found == file.canonicalize().ok() {
        return Ok(None);
    }
    let folders = file.parent().map(Path::to_owned).into_iter().chain(env::split_paths(now));
    let joined = env::join_paths(folders).map(OsString::into_string);
    joined.ok().and_then(Result::ok).map(Some).ok_or(NotRun::NotText)
}
