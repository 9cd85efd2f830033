//! A study: a program at all points of a grid of factors, block by block in random order, recorded trial by trial. The same request goes on
//! from what is recorded.

mod job;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use numawise_analyse::{GridSearch, SearchChoice, known_points};
use numawise_facts::notice::{PreloadObstacle, StudyNotice};
use numawise_facts::{
    Argument, AroundTrials, Event, GridRun, GridStudy, HostFacts, Machine, Metric, MetricProblem, Mix,
    NamedMetric, Point, PointId, Profile, ProfileNode, RankBinding, Reading, Redactor, RunSpec, Sink,
    StopReason, Study, StudyHeader, Target, ThreadBinding, Trial, UntilKnown, Workers,
};
use numawise_launch::{EvenStart, Pinner};
use numawise_predict::PredictionRuns;
use numawise_record::Record;
use numawise_study::{
    Engine, FactorName, Fleet, GridLayout, GridRunner, LayoutError, LocalRunner, MetricReader, NextTrial,
    RunContext, Standing, StartNodes, StudyDesign, StudyError, SystemClock, TrialInputs, check_answer,
    check_named, lay_out,
};
use numawise_units::{Nanoseconds, NodeId, Share};

pub use self::job::AssignedJob;
pub use crate::input_file::{TemplateFileError, read_templates};
pub use numawise_study::{
    Constraint, Grid, GridBase, GridFactor, GridLevel, NamedCommand, NumberLevels, Preset, WordLevels,
};

use crate::experiment::watching::of_compared;
use crate::experiment::{RecordKeeper, ResolvedDesign, no_metric, pinner_of, recorded, redactor_of, resolve};
use crate::launched::{self, AskedOfRanks, RankWords, Ranks};
use crate::slurm::{NodeDescription, SlurmEngine, SlurmFleet};
use crate::{AroundTrial, Error, here, near, prediction};

/// Ten years, the longest that a record takes: nobody waits for its end.
const NO_LIMIT: Nanoseconds = Nanoseconds(10 * 365 * 86_400 * 1_000_000_000);

/// What is to be run, and how often.
#[derive(Debug, Clone)]
pub struct StudyRequest {
    pub command: RunSpec,
    pub grid: Grid,
    pub base: GridBase,
    pub around: AroundTrials,
    /// What is compared.
    pub metric: Metric,
    /// Its name, where it has one.
    pub metric_name: Option<String>,
    /// What is taken of each trial besides.
    pub other_metrics: Vec<NamedMetric>,
    /// Of each point, at least 1.
    pub repeats: u32,
    /// Points that are not known so well yet are run more often.
    pub until: Option<UntilKnown>,
    /// Trials in all, the warm-up left out.
    pub most_trials: Option<u32>,
    pub choice: TrialChoice,
    /// Without it, as long as it takes.
    pub budget: Option<Nanoseconds>,
    /// When the study was asked for: the budget counts from then on.
    pub begun: Instant,
    /// Differences within this count as none.
    pub margin: Share,
    /// Share of one CPU that observing the program may take.
    pub sampling: Share,
    /// Decides the order of trials; drawn where it is not given, and recorded.
    pub seed: Option<u64>,
    pub record: PathBuf,
    /// Start over, whatever the record holds.
    pub fresh: bool,
    /// Our own version, for the record.
    pub version: String,
    /// How numawise is called in a rank that is placed so.
    pub rank_words: RankWords,
    pub engine: StudyEngine,
}

/// Which points are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialChoice {
    All,
    /// The best point is looked for with a tenth of the trials where the model predicts it, and a quarter at most.
    Search,
    /// So many that tell most of all others, and then those that may be the best.
    Predict {
        points: u32,
    },
}

/// Asked for the next trial, where not all points are run.
type Chooser = Box<dyn FnMut(&Study) -> NextTrial>;

impl TrialChoice {
    fn chooser(self, study: &Study) -> Option<Chooser> {
        match self {
            TrialChoice::All => None,
            TrialChoice::Search => {
                let mut search = GridSearch::of(&study.header, &prediction::first_of_search(study))?;
                Some(Box::new(move |study| next_trial(&mut search, study)))
            }
            TrialChoice::Predict { points } => {
                let mut runs = PredictionRuns::new(study, points as usize);
                Some(Box::new(move |study| prediction::next_trial(&mut runs, study)))
            }
        }
    }
}

/// What runs the trials.
#[derive(Debug, Clone)]
pub enum StudyEngine {
    /// We do, on this machine.
    Local,
    /// Jobs of Slurm do, on its nodes.
    Slurm(Box<SlurmEngine>),
}

impl StudyEngine {
    /// What is known of the host of the trials; the environment is ours in any case, which jobs are given.
    fn host(&self) -> HostFacts {
        let here = numawise_observe::host::facts(&numawise_observe::Roots::default());
        match self {
            StudyEngine::Local => here,
            StudyEngine::Slurm(slurm) => {
                HostFacts { environment: here.environment, pid: here.pid, ..slurm.host.clone() }
            }
        }
    }

    /// The machine with what was measured of it, and at how many cores that says that memory is full. A node of Slurm's has its figures
    /// already.
    fn measured(&self, machine: Machine) -> (Machine, Option<f64>) {
        match self {
            StudyEngine::Local => with_profile(machine),
            StudyEngine::Slurm(slurm) => (machine, slurm.saturating_cores),
        }
    }
}

impl StudyRequest {
    /// `app.study.nw` in the current folder: a check of the same program keeps its own.
    pub fn usual_record(program: &Path) -> PathBuf {
        let mut name = program.file_name().unwrap_or(program.as_os_str()).to_owned();
        name.push(".study.nw");
        PathBuf::from(name)
    }

    fn check(&self) -> Result<(), Error> {
        if self.repeats == 0 {
            return Err(Error::NoRepeats);
        }
        if let Some(answer) = &self.around.verify_output {
            check_answer(answer)?;
        }
        let all = self.other_metrics.iter().map(|other| &other.metric).chain([&self.metric]);
        all.map(MetricReader::new).try_for_each(|read| read.map(drop))?;
        if let StudyEngine::Slurm(slurm) = &self.engine {
            slurm.options.check_metric(&self.metric)?;
        }
        Ok(())
    }

    /// Each input file that is filled in is used by the program, or by what is done around its trials.
    fn check_templates(&self) -> Result<(), Error> {
        let words = self.words();
        let lines = [&self.around.prepare, &self.around.verify].into_iter().flatten().map(OsStr::new);
        let file = self.metric.file().map(|file| file.as_os_str());
        let all = words.map(|word| word.as_os_str()).chain(lines).chain(file);
        Ok(check_named(&self.base.templates, all).map_err(LayoutError::from)?)
    }

    /// Those of all commands, before levels are filled in.
    fn words(&self) -> impl Iterator<Item = &Argument> {
        let commands = self.grid.factors().iter().filter_map(|factor| match factor {
            GridFactor::Commands(commands) => Some(commands),
            _ => None,
        });
        commands.flatten().flat_map(|one| &one.command.command).chain(&self.command.command)
    }

    /// Where input files lie that are filled in: beside the record, where all computers that share it find them.
    fn inputs_folder(&self) -> PathBuf {
        let mut folder =
            std::path::absolute(&self.record).unwrap_or_else(|_| self.record.clone()).into_os_string();
        folder.push(".inputs");
        folder.into()
    }

    fn pinner(&self) -> Option<Result<Pinner, PreloadObstacle>> {
        pinner_of(&self.command)
    }

    fn redactor(&self) -> Redactor {
        redactor_of(&self.command)
    }

    /// The study before its first trial, and what is really run at its points.
    fn header(
        &self,
        machine: Machine,
        saturating_cores: Option<f64>,
    ) -> Result<(StudyHeader, Vec<GridRun>), Error> {
        self.check_templates()?;
        let GridLayout { mut design, mut grid } = lay_out(&self.grid, &self.base, &self.command, &machine)?;
        near::resolve(&machine, &mut design)?;
        let ranks = self.ranks(&machine, &mut design, &grid)?;
        let obstacle = self.pinner().and_then(Result::err);
        let ResolvedDesign { points, pairs, not_tried } = resolve(&machine, design, obstacle.as_ref())?;
        let points = launched::all(points, &machine, ranks);
        let are_there: HashSet<&PointId> = points.iter().map(|point| &point.id).collect();
        grid.runs.retain(|run| are_there.contains(&run.point));
        grid.around = self.around.clone();
        grid.metric_name = self.metric_name.clone();
        grid.other_metrics = self.other_metrics.clone();
        grid.until = self.until;
        grid.most_trials = self.most_trials;
        grid.saturating_cores = saturating_cores;
        let runs = self.with_ranks_placed(&grid.runs, &points);
        let begun: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
        let mut header = StudyHeader {
            tool_version: self.version.clone(),
            // The low digits of the clock are as good as drawn, and the seed is recorded.
            seed: self.seed.unwrap_or(begun.0 % 1_000_000_007),
            begun,
            command: self.command.clone(),
            machine,
            host: self.engine.host(),
            metric: self.metric.clone(),
            points,
            pairs,
            not_tried,
            min_repeats: self.repeats,
            margin: self.margin.value(),
            budget: self.budget.unwrap_or(NO_LIMIT),
            start_cost: Reading::unavailable("it is not measured for a grid"),
            grid: Some(grid),
        };
        self.redactor().header(&mut header);
        Ok((header, runs))
    }

    /// What is done about the ranks of each point that has some; its plan is that of these from then on.
    fn ranks(
        &self,
        machine: &Machine,
        design: &mut StudyDesign,
        grid: &GridStudy,
    ) -> Result<HashMap<PointId, Ranks>, Error> {
        let in_line = |name: &FactorName| {
            let placeholder = format!("{{{}}}", name.word());
            let stands = |word: &Argument| word.as_os_str().to_string_lossy().contains(&placeholder);
            self.words().any(stands)
        };
        let is_in_line =
            [FactorName::Place, FactorName::Near, FactorName::Pin, FactorName::Memory].iter().any(in_line);
        let mut all = HashMap::new();
        for (point, run) in design.points.iter_mut().zip(&grid.runs) {
            let Some(ranks) = point.ranks else { continue };
            let asked = AskedOfRanks { command: &run.command, ranks, request: &point.request, is_in_line };
            let of_point = launched::ranks(&asked, machine, &|name| std::env::var_os(name))?;
            point.request = of_point.planned(point.request.clone());
            all.insert(point.id.clone(), of_point);
        }
        Ok(all)
    }

    /// What is really run: with words of ours before the programs of ranks that we place.
    fn with_ranks_placed(&self, runs: &[GridRun], points: &[Point]) -> Vec<GridRun> {
        let words = |run: &GridRun| {
            let point = points.iter().find(|point| point.id == run.point)?;
            let Some(RankBinding::Planned { is_default, .. }) = point.ranks else { return None };
            Some((self.rank_words)(&point.request, !is_default))
        };
        let placed = |run: &GridRun| match words(run) {
            Some(words) => GridRun { command: launched::with_words(&run.command, &words), ..run.clone() },
            None => run.clone(),
        };
        runs.iter().map(placed).collect()
    }

    fn runner(&self, header: &StudyHeader, runs: Vec<GridRun>) -> GridRunner {
        self.runner_with(header, runs, &self.inputs_folder())
    }

    /// With the folder for input files that are filled in.
    fn runner_with(&self, header: &StudyHeader, runs: Vec<GridRun>, inputs: &Path) -> GridRunner {
        // Where no point places threads, no program loads the library for nothing.
        let pins = header.points.iter().any(|point| point.placement.binding == ThreadBinding::Pinned);
        let pinner = self.pinner().and_then(Result::ok).filter(|_| pins);
        let even = EvenStart::of(header.points.iter().map(|point| &point.placement), pinner.as_ref());
        let templates = &self.base.templates;
        let inputs =
            (!templates.is_empty()).then(|| TrialInputs::new(&self.grid, templates, inputs.to_owned()));
        let filled = |file: &Argument| inputs.as_ref().map_or_else(|| file.clone(), |of| of.in_word(file));
        let metric_file = self.metric.file().map(filled);
        let local = LocalRunner {
            spec: self.command.clone(),
            watch: of_compared(self.sampling.value(), self.margin.value(), &header.machine),
            pinner,
            even,
            start_nodes: StartNodes::of(&header.machine),
            metric_file,
            limit: self.around.limit,
            commands: Vec::new(),
            of_points: HashMap::new(),
        };
        GridRunner { local, runs, around: self.around.clone(), inputs, machine: header.machine.clone() }
    }
}

/// Runs the first trial; that the metric is typed wrong, where it matches nothing of what a program said that ended well: no other run will
/// say more.
fn wrong_metric(
    request: &StudyRequest,
    engine: &mut Engine<'_>,
    study: &mut Study,
) -> Result<Option<Error>, Error> {
    engine.warm_up(study)?;
    let matches_nothing = |error: &Error| {
        let Error::NoMetricInFirstRun { problem, .. } = error else { return false };
        matches!(problem, MetricProblem::NoMatch | MetricProblem::OtherCase)
    };
    Ok(no_metric(&request.command, &request.record, study).filter(matches_nothing))
}

/// What would be run on this machine.
///
/// # Errors
/// When the request makes no sense, or not even the first point can be placed.
pub fn design(request: &StudyRequest, machine: Machine) -> Result<StudyHeader, Error> {
    request.check()?;
    let (machine, saturating_cores) = request.engine.measured(machine);
    Ok(request.header(machine, saturating_cores)?.0)
}

/// The machine and the host that a record with trials has: who goes on with them asks no node again.
///
/// # Errors
/// What is wrong with the record.
pub fn recorded_node(record: &Path) -> Result<Option<NodeDescription>, Error> {
    let kept = recorded(record)?.map(|(_, study)| study);
    let begun = kept.filter(|study| !study.trials.is_empty());
    Ok(begun.map(|study| NodeDescription {
        machine: study.header.machine,
        host: study.header.host,
        saturating_cores: study.header.grid.and_then(|grid| grid.saturating_cores),
    }))
}

/// A study that is recorded, from its first trial to its last.
pub struct GridExperiment {
    request: StudyRequest,
    study: Study,
    runs: Vec<GridRun>,
    record: Record,
    /// Trials that another process ran.
    earlier: usize,
}

impl GridExperiment {
    /// Goes on with what is recorded of the same study, or makes a new record.
    ///
    /// # Errors
    /// When the request makes no sense; [`Error::OtherStudy`] when the record holds another study; what is wrong with the record.
    pub fn open(request: StudyRequest, machine: Machine) -> Result<Self, Error> {
        request.check()?;
        let (machine, saturating_cores) = request.engine.measured(machine);
        let kept = if request.fresh { None } else { recorded(&request.record)? };
        let begun = match kept {
            Some((record, study)) if !study.trials.is_empty() => {
                return resumed(request, (machine, saturating_cores), record, study);
            }
            begun => begun.map(|(record, _)| record),
        };
        let (header, runs) = request.header(machine, saturating_cores)?;
        let replace = request.fresh || begun.is_some();
        drop(begun);
        let make = if replace { Record::replace_with } else { Record::create_with };
        let record = make(&request.record, &header, &[])?;
        let study = Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None };
        Ok(GridExperiment { request, study, runs, record, earlier: 0 })
    }

    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Runs the trials that are missing, and records why it stopped.
    ///
    /// # Errors
    /// When a program cannot be started, or a trial cannot be recorded; what was recorded before is whole.
    pub fn run(self, sink: &mut dyn Sink, stop: &AtomicBool) -> Result<(Study, StopReason), Error> {
        let GridExperiment { request, mut study, runs, mut record, earlier } = self;
        if earlier > 0 {
            sink.event(Event::Resumed { trials: earlier as u32 });
        }
        record.set_stopped(None)?;
        let whole = study.header.budget;
        let took = study.trials.iter().map(Trial::running).fold(Nanoseconds(0), |sum, took| sum + took);
        study.header.budget = whole.saturating_sub(took);
        let mut runner = request.runner(&study.header, runs);
        if let Some(inputs) = &runner.inputs {
            inputs.check().map_err(StudyError::from)?;
        }
        once(&runner, AroundTrial::Setup, request.around.setup.as_deref(), (sink, stop))?;
        let until = request.until;
        let mut engine = Engine {
            runner: &mut runner,
            clock: &SystemClock { begun: request.begun },
            keep: &mut RecordKeeper(&mut record),
            sink,
            redactor: &request.redactor(),
            standing: &mut |study, _| until.map_or(Standing::Decided, |until| until_known(study, until)),
            repeats_first: request.budget.is_none(),
            first_block: 0,
            stop,
        };
        let is_first_here = matches!(request.engine, StudyEngine::Local) && study.trials.is_empty();
        let wrong = if is_first_here { wrong_metric(&request, &mut engine, &mut study)? } else { None };
        let chooser = request.choice.chooser(&study);
        let reason = match (&request.engine, chooser) {
            _ if wrong.is_some() => Ok(StopReason::TooManyFailures),
            (StudyEngine::Slurm(slurm), chooser) => {
                by_slurm(slurm, &request.record, (&mut engine, chooser), &mut study)
            }
            (StudyEngine::Local, Some(mut choose)) => Ok(engine.run_chosen(&mut study, &mut choose)?),
            (StudyEngine::Local, None) => Ok(engine.run(&mut study, 0)?),
        };
        study.header.budget = whole;
        let reason = reason?;
        record.set_stopped(Some(reason))?;
        study.stopped = Some(reason);
        once(
            &runner,
            AroundTrial::Cleanup,
            request.around.cleanup.as_deref(),
            (sink, &AtomicBool::new(false)),
        )?;
        let Some(error) = wrong else { return Ok((study, reason)) };
        drop(record);
        // One that cannot be removed holds a trial that failed.
        let _ = std::fs::remove_file(&request.record);
        Err(error)
    }
}

/// Decided when no point has to be repeated any more.
fn until_known(study: &Study, until: UntilKnown) -> Standing {
    let known = known_points(study, until);
    let (are_known, given_up): (HashSet<&PointId>, _) = (known.iter().collect(), study.all_given_up());
    let is_done = |id: &PointId| are_known.contains(id) || given_up.contains(id);
    if study.header.points.iter().all(|point| is_done(&point.id)) {
        return Standing::Decided;
    }
    Standing::Open { known }
}

/// A machine with the figures of its newest profile.
fn with_profile(machine: Machine) -> (Machine, Option<f64>) {
    let (machine, saved) = here::with_newest_profile(machine);
    (machine, saved.and_then(|saved| saturating_cores(&saved.profile)))
}

/// About how many cores of a node read as much as all of its memory gives: the fewest among the nodes that were measured.
pub(crate) fn saturating_cores(profile: &Profile) -> Option<f64> {
    let of_node = |node: &ProfileNode| {
        let all = local_reads(profile, Workers::Node(node.id), node.id)?;
        let one = local_reads(profile, Workers::Core(node.id), node.id)?;
        (one > 0.0).then_some(all / one)
    };
    profile.header.nodes.iter().filter_map(of_node).reduce(f64::min)
}

/// Bytes a second that these read from a node's memory.
pub(crate) fn local_reads(profile: &Profile, workers: Workers, node: NodeId) -> Option<f64> {
    let cell = profile.bandwidth_of(workers, Target::Node(node), Mix::Read)?;
    Some(cell.rate.measured()?.median.0)
}

/// The trials as jobs. Where that cannot go on, those under way stay so, for whoever goes on with the study.
fn by_slurm(
    slurm: &SlurmEngine,
    record: &Path,
    (engine, mut chooser): (&mut Engine<'_>, Option<Chooser>),
    study: &mut Study,
) -> Result<StopReason, Error> {
    let mut fleet = SlurmFleet::new(slurm, record, study)?;
    let reason = match &mut chooser {
        Some(choose) => engine.run_fleet(study, &mut fleet, Some(choose)),
        None => engine.run_fleet(study, &mut fleet, None),
    };
    let jobs = fleet.under_way().len() as u32;
    if reason.is_err() && jobs > 0 {
        engine.sink.event(Event::Warning(StudyNotice::JobsGoOn { jobs }.into()));
    }
    Ok(reason?)
}

/// Runs a command that is run once.
fn once(
    runner: &GridRunner,
    which: AroundTrial,
    line: Option<&str>,
    (sink, stop): (&mut dyn Sink, &AtomicBool),
) -> Result<(), Error> {
    let Some(line) = line else { return Ok(()) };
    let run = runner.shell(line, &mut RunContext { stop, first: None, sink })?;
    let failed = run.and_then(|run| run.tasks.into_iter().find(|task| !task.exit.success()));
    failed.map_or(Ok(()), |task| {
        Err(Error::AroundTrials { which, line: line.to_owned(), exit: task.exit, output: task.output })
    })
}

fn next_trial(search: &mut GridSearch, study: &Study) -> NextTrial {
    match search.choose(study, &prediction::expectations) {
        SearchChoice::Run(point) => NextTrial::Run(point),
        SearchChoice::Sure => NextTrial::End(StopReason::Decided),
        SearchChoice::Spent => NextTrial::End(StopReason::BudgetSpent),
    }
}

/// The recorded study with the points, the repeats and the budget of this request, where it has all of the recorded points.
fn resumed(
    request: StudyRequest,
    (machine, saturating_cores): (Machine, Option<f64>),
    mut record: Record,
    mut study: Study,
) -> Result<GridExperiment, Error> {
    request.redactor().header(&mut study.header);
    let machine = numawise_machine::with_measured_of(machine, &study.header.machine);
    let (now, runs) = request.header(machine, saturating_cores)?;
    if let Err(difference) = Record::widens(&study.header, &now) {
        return Err(Error::OtherStudy { record: request.record.clone(), difference });
    }
    let StudyHeader { tool_version, begun, host, machine, seed, .. } = study.header;
    study.header = StudyHeader { tool_version, begun, host, machine, seed, ..now };
    record.widen(&study.header)?;
    let earlier = study.trials.len();
    Ok(GridExperiment { request, study, runs, record, earlier })
}
