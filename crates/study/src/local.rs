//! Runs trials on this machine.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    Argument, AroundTrials, Event, Exit, GridRun, LeftProcesses, Machine, Placement, Point, PointId,
    PointRole, Reading, ResourceUsage, RunSpec, TaskPlacement, Trial, UnknownWord,
};
use numawise_launch::{
    Change, EvenStart, FileBefore, Finished, FinishedTask, Io, Job, LaunchError, LeftBehind, Leftovers,
    Pinner, Start, StoppedTask, Variables,
};
use numawise_linux::{Roots, file_cache};
use numawise_observe::{HostBefore, Interruptions, Options, Watch};
use numawise_units::{Arrange, Nanoseconds};

use crate::disturb::{Interrupted, LATE_LIMIT, disturbances, interruptions};
use crate::engine::{ProgramRun, RunContext, Runner};
use crate::error::StudyError;
use crate::input_files::hostname;
use crate::inputs::TrialInputs;
use crate::start_nodes::StartNodes;
use crate::task::TaskRun;

/// How soon Ctrl-C is noticed where another thread takes it. The end of the program and signals of this thread are noticed at once. A look
/// takes a CPU from the program for a moment: in an emulated machine, where that takes longest, 20 looks a second took 28 % of the speed of NAS MG.
const PATIENCE: Duration = Duration::from_secs(1);
/// The same while nothing runs.
const BETWEEN: Duration = Duration::from_millis(50);
/// What a program is given to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Starts the program on this machine and watches it.
#[derive(Debug)]
pub struct LocalRunner {
    pub spec: RunSpec,
    pub watch: Options,
    /// Pins the threads of every runtime at points that ask for it; without it only those of OpenMP are.
    pub pinner: Option<Pinner>,
    /// What makes all points start alike.
    pub even: EvenStart,
    pub start_nodes: StartNodes,
    /// The file that the program writes its metric to.
    pub metric_file: Option<Argument>,
    /// A run that takes longer is ended.
    pub limit: Option<Nanoseconds>,
    /// The command of each task of the next run, where it depends on its placement.
    pub commands: Vec<RunSpec>,
    /// The command of points that have one of their own.
    pub of_points: HashMap<PointId, RunSpec>,
}

impl LocalRunner {
    /// The file that holds the metric of a task, as it is before a run.
    fn metric_file(&self, task: &TaskPlacement) -> Option<FileBefore> {
        let name = self.metric_file.as_ref()?.for_task(task.threads.len() as u32, task.task);
        Some(FileBefore::of(self.spec.directory.join(name)))
    }
}

/// A program that is stopped for so long will hardly go on by itself.
const STOPPED_PATIENCE: Nanoseconds = Nanoseconds(3_000_000_000);
/// A run that takes so many times as long as the first, and at least so long, may hang.
const OVERDUE: u64 = 10;
const OVERDUE_PATIENCE: Nanoseconds = Nanoseconds(5_000_000_000);

impl Runner for LocalRunner {
    fn run(&mut self, point: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        let (pinner, variables) = (self.pinner.as_ref(), Variables::Even(self.even));
        let first_cpus = self.start_nodes.next(&point.id);
        let start = Start {
            io: Io::Capture,
            pinner,
            leftovers: Leftovers::End,
            variables,
            first_cpus: &first_cpus,
            commands: &self.commands,
        };
        let files = point.placement.tasks.iter().map(|task| self.metric_file(task)).collect();
        let spec = self.of_points.get(&point.id).unwrap_or(&self.spec);
        watched(spec, &point.placement, start, (&self.watch, files, self.limit), context)
    }
}

/// Runs the points of a grid, each with its own command and variables.
#[derive(Debug)]
pub struct GridRunner {
    pub local: LocalRunner,
    pub runs: Vec<GridRun>,
    pub around: AroundTrials,
    /// Its input files that are filled in, where there are some.
    pub inputs: Option<TrialInputs>,
    /// Where the program is placed.
    pub machine: Machine,
}

impl Runner for GridRunner {
    fn run(&mut self, point: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        if let Some(run) = self.runs.iter().find(|run| run.point == point.id) {
            let (spec, tasks) = (with_variables(run), &point.placement.tasks);
            let placed = |task: &TaskPlacement| {
                let spec = spec.placed(task, &self.machine, hostname)?;
                Ok(self.inputs.as_ref().map_or_else(|| spec.clone(), |inputs| inputs.in_command(&spec)))
            };
            self.local.commands = tasks.iter().map(placed).collect::<Result<_, UnknownWord>>()?;
            self.local.spec = spec;
            if let Some(inputs) = &self.inputs {
                self.local.spec = inputs.in_command(&self.local.spec);
                inputs.write(run, tasks, &self.machine)?;
            }
        }
        let run = self.trial(point, context);
        if let Some(inputs) = &self.inputs {
            inputs.remove();
        }
        run
    }
}

impl GridRunner {
    /// The program with what is done before and after it.
    fn trial(
        &mut self,
        point: &Point,
        context: &mut RunContext<'_>,
    ) -> Result<Option<ProgramRun>, StudyError> {
        if let Some(line) = self.around.prepare.clone() {
            match self.shell(&line, context)? {
                Some(run) if succeeded(&run) => {}
                // It is the trial that failed, with what the command has printed.
                failed_or_stopped => return Ok(failed_or_stopped),
            }
        }
        if self.around.drop_caches {
            let problem = |source| StudyError::CachesKept { file: file_cache::DROP, source };
            file_cache::drop_clean(&Roots::default()).map_err(problem)?;
        }
        if self.around.gap.is_some_and(|gap| !waited(gap, context)) {
            return Ok(None);
        }
        let run = match self.local.run(point, context) {
            // Of the first point it is a slip; of another it is a failure like others, such as of a binary that was not built.
            Err(StudyError::Launch(error)) if point.role != PointRole::Baseline => not_started(error)?,
            run => run?,
        };
        let Some(mut run) = run else { return Ok(None) };
        if let Some(line) = self.around.verify.clone().filter(|_| succeeded(&run)) {
            match self.shell(&line, context)? {
                Some(verified) if succeeded(&verified) => {}
                Some(verified) => run.tasks = verified.tasks,
                None => return Ok(None),
            }
        }
        Ok(Some(run))
    }
}

/// Leaves the machine alone for so long; false when that was broken off.
fn waited(gap: Nanoseconds, context: &RunContext<'_>) -> bool {
    let end = Instant::now() + Duration::from_nanos(gap.0);
    loop {
        if context.stop.load(Ordering::Relaxed) {
            return false;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(BETWEEN));
    }
}

/// The run of a program that is not there, or cannot be executed, as a shell would give it.
fn not_started(error: LaunchError) -> Result<Option<ProgramRun>, StudyError> {
    let status = match () {
        () if error.is_not_found() => 127,
        () if error.is_not_executable() => 126,
        () => return Err(error.into()),
    };
    let output = error.to_string();
    let wall = Nanoseconds(0);
    let task = TaskRun { exit: Exit::Code(status), ended_by: None, wall, output, dropped: 0, file: None };
    Ok(Some(ProgramRun {
        wall,
        tasks: vec![task],
        observation: Reading::unavailable("the program could not be started"),
        interruptions: Vec::new(),
        left_behind: None,
    }))
}

fn succeeded(run: &ProgramRun) -> bool {
    run.tasks.iter().all(|task| task.exit.success())
}

impl GridRunner {
    /// A line by a shell, where the program runs, with nothing placed. `None` when it was broken off.
    ///
    /// # Errors
    /// When the shell cannot be started.
    pub fn shell(&self, line: &str, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        let words = SHELL.iter().copied().chain([line]);
        let mut spec = RunSpec {
            command: words.map(Argument::from).collect(),
            directory: self.local.spec.directory.clone(),
        };
        if let Some(inputs) = &self.inputs {
            spec = inputs.in_command(&spec);
        }
        let first_cpus = Vec::new();
        let start = Start {
            io: Io::Capture,
            pinner: None,
            leftovers: Leftovers::End,
            variables: Variables::Ours(&[]),
            first_cpus: &first_cpus,
            commands: &[],
        };
        watched(&spec, &Placement::of_nothing(), start, (&self.local.watch, vec![None], None), context)
    }
}

/// The command, started by `env` where it gets variables of its own, so that the line that is shown is the line that was run.
fn with_variables(run: &GridRun) -> RunSpec {
    if run.environment.is_empty() {
        return run.command.clone();
    }
    let variables =
        run.environment.iter().map(|(name, value)| Argument::from(format!("{name}={value}").as_str()));
    let words =
        std::iter::once(Argument::from("env")).chain(variables).chain(run.command.command.iter().cloned());
    RunSpec { command: words.collect(), directory: run.command.directory.clone() }
}

/// Runs printed lines, each by a shell in the environment that we were given. They are timed, and not looked into.
#[derive(Debug)]
pub struct LineRunner {
    pub lines: Vec<PrintedRun>,
    pub start_nodes: StartNodes,
    pub directory: PathBuf,
    pub watch: Options,
    /// What all of them have other than our environment.
    pub changes: Vec<Change>,
}

/// A line to run.
#[derive(Debug)]
pub struct PrintedRun {
    pub point: PointId,
    pub line: String,
    /// The file that the program writes its metric to.
    pub metric_file: Option<OsString>,
}

/// What a person's terminal and every script have.
const SHELL: [&str; 2] = ["/bin/sh", "-c"];

impl Runner for LineRunner {
    fn run(&mut self, point: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        let printed = self.lines.iter().find(|printed| printed.point == point.id);
        let words = SHELL.iter().copied().map(Argument::from);
        // What was to be filled in is filled in: what looks like it now is the program's.
        let line = printed.map(|printed| Argument::from(printed.line.as_str()).kept());
        let spec = RunSpec { command: words.chain(line).collect(), directory: self.directory.clone() };
        let variables = Variables::Ours(&self.changes);
        let first_cpus = self.start_nodes.next(&point.id);
        let start = Start {
            io: Io::Capture,
            pinner: None,
            leftovers: Leftovers::End,
            variables,
            first_cpus: &first_cpus,
            commands: &[],
        };
        let file = printed.and_then(|printed| printed.metric_file.as_ref());
        let files = vec![file.map(|name| FileBefore::of(self.directory.join(name)))];
        let run = watched(&spec, &point.placement, start, (&self.watch, files, None), context)?;
        Ok(run.map(|mut run| {
            let noise = run.observation.measured().map(|observation| disturbances(&observation.noise));
            run.interruptions.extend(noise.unwrap_or_default());
            run.observation = Reading::unavailable(Trial::LINE_NOT_OBSERVED);
            run
        }))
    }
}

/// One run, to its end and to that of what it leaves behind. `None` when it was broken off.
fn watched(
    spec: &RunSpec,
    placement: &Placement,
    start: Start<'_>,
    (watch, files, limit): (&Options, Vec<Option<FileBefore>>, Option<Nanoseconds>),
    context: &mut RunContext<'_>,
) -> Result<Option<ProgramRun>, StudyError> {
    let before = HostBefore::read(&watch.roots);
    let mut job = Job::spawn(spec, placement, start)?;
    let mut watch = Watch::start_after(before, job.pids(), watch);
    let mut wait = Wait::new();
    let mut over = None;
    let ended = loop {
        if let Some(ended) = wait.a_while(&job, limit.filter(|_| over.is_none()))? {
            break ended;
        }
        watch.go_on();
        if context.stop.load(Ordering::Relaxed) {
            job.kill(GRACE);
            return Ok(None);
        }
        if let Some(limit) = limit.filter(|limit| wait.took() > *limit) {
            over = Some(limit);
            job.kill(GRACE);
        }
        wait.complain(&job, context);
    };
    // What the tasks leave behind is ended after this: it is no part of the trial.
    let wall = ended.iter().map(|task| task.wall).max().unwrap_or_default();
    let Interruptions { stopped, suspended, clock_set } = watch.interruptions();
    let stopped = ended.iter().map(|task| task.stopped).max().unwrap_or_default().max(stopped);
    let interrupted = Interrupted { stopped, late: wait.late, suspended, clock_set };
    let usage = ResourceUsage::together(ended.iter().map(|task| &task.usage));
    let observation = usage.map(|usage| watch.finish(usage, wall));
    let finished = end_leftovers(&mut job, context)?;
    let tasks = finished.tasks.into_iter().zip(&files);
    let tasks = tasks.map(|(task, file)| {
        let run = TaskRun {
            exit: task.exit,
            ended_by: None,
            wall: task.wall,
            output: task.output.text,
            dropped: task.output.dropped,
            file: file.as_ref().map(FileBefore::written),
        };
        if let Some(limit) = over.filter(|limit| task.wall >= *limit) { run.ended_at(limit) } else { run }
    });
    Ok(Some(ProgramRun {
        wall,
        tasks: tasks.collect(),
        observation: observation
            .map_or_else(|| Reading::unavailable("the point has no task"), Reading::Measured),
        interruptions: interruptions(&interrupted, wall),
        left_behind: left_processes(finished.left_behind),
    }))
}

/// Waits until what the tasks have left behind has ended. Who wants us to stop does not wait for it: it is killed then.
fn end_leftovers(job: &mut Job, context: &RunContext<'_>) -> Result<Finished, StudyError> {
    loop {
        if let Some(finished) = job.wait_timeout(PATIENCE)? {
            return Ok(finished);
        }
        if context.stop.load(Ordering::Relaxed) {
            job.kill(Duration::ZERO);
            return Ok(job.wait()?);
        }
        job.stop_with_us();
    }
}

fn left_processes(left: LeftBehind) -> Option<LeftProcesses> {
    let mut names = left.names;
    names.arrange();
    names.dedup();
    (left.processes > 0).then_some(LeftProcesses { processes: left.processes, names })
}

/// Waiting for the tasks of a run.
struct Wait {
    begun: Instant,
    /// By how much a wait ended too late: we were stopped, or got no CPU.
    late: Nanoseconds,
    /// When we were back after we had been stopped ourselves: what was stopped with us may take a moment to go on.
    back: Instant,
    complained: bool,
}

impl Wait {
    fn new() -> Wait {
        let begun = Instant::now();
        Wait { begun, late: Nanoseconds(0), back: begun, complained: false }
    }

    /// Since the begin, without the time in which we were stopped.
    fn took(&self) -> Nanoseconds {
        Nanoseconds::from(self.begun.elapsed()).saturating_sub(self.late)
    }

    /// Waits for a moment, not much beyond `limit`, and is stopped where the terminal asks for it.
    fn a_while(
        &mut self,
        job: &Job,
        limit: Option<Nanoseconds>,
    ) -> Result<Option<Vec<FinishedTask>>, StudyError> {
        let left = limit.map(|limit| Duration::from_nanos(limit.saturating_sub(self.took()).0));
        let patience = left.map_or(PATIENCE, |left| PATIENCE.min(left + Duration::from_millis(1)));
        let begun = Instant::now();
        let ended = job.wait_tasks(patience)?;
        let woken = Instant::now();
        let was_stopped = job.stop_with_us();
        let stopped = if was_stopped { woken.elapsed() } else { Duration::ZERO };
        let late = Nanoseconds::from((woken - begun).saturating_sub(patience) + stopped);
        if late > LATE_LIMIT {
            self.late = self.late + late;
        }
        if was_stopped || late > LATE_LIMIT {
            self.back = Instant::now();
        }
        Ok(ended)
    }

    /// Says, once, that the program is stopped or takes very long.
    fn complain(&mut self, job: &Job, context: &mut RunContext<'_>) {
        if self.complained {
            return;
        }
        let running_for = self.took();
        let back_for = Nanoseconds::from(self.back.elapsed());
        let stopped = job.stopped().filter(|task| task.stopped_for.min(back_for) >= STOPPED_PATIENCE);
        let notice = match (stopped, context.first) {
            (Some(StoppedTask { pid, signal, stopped_for }), _) => {
                StudyNotice::ProgramStopped { pid, signal, stopped_for }
            }
            (None, Some(first))
                if running_for > OVERDUE_PATIENCE && running_for.0 > first.0.saturating_mul(OVERDUE) =>
            {
                StudyNotice::ProgramOverdue { pids: job.pids().to_vec(), running_for, first }
            }
            _ => return,
        };
        self.complained = true;
        context.sink.event(Event::Warning(notice.into()));
    }
}
