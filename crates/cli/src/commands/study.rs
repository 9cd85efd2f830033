//! `numawise study -- PROGRAM [ARGS]`: a program at all points of a grid of factors, several times each, in random order.
//!
//! Each factor is an option with its levels: numbers of threads, strategies, memory policies, parameters of the program's own. Trials are
//! kept in a record (`PROGRAM.study.nw`) as they end; the same command goes on from there. Exit status: 0 when all was run, 130 after
//! Ctrl-C, the program's own when it failed at every point, 125 to 127 as everywhere.

mod engine;
mod file;
mod metrics;
mod progress;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::{CommandFactory, Parser};
use numawise_facts::{
    Argument, AroundTrials, DeviceName, Machine, MemoryRequest, Order, PageSize, PlacementRequest,
    RanksByThreadsList, RunSpec, StopReason, Strategy, ThreadBinding, UntilKnown,
};
use numawise_session::openmp;
use numawise_session::study::{
    self, Constraint, Grid, GridBase, GridExperiment, GridFactor, GridLevel, NamedCommand, NumberLevels,
    Preset, StudyEngine, StudyRequest, WordLevels,
};
use numawise_units::harmless::quoted;
use numawise_units::{Nanoseconds, Share};

use self::engine::EngineArguments;
use self::metrics::TypedMetrics;
use self::progress::Progress;
use crate::exit::{self, Failure, INTERRUPTED, SUCCESS, Status, interruptible, stops_with_program};
use crate::faces::Faces;
use crate::files::{self, OutputFile};
use crate::placing;
use crate::show::{self, StudyFormat};

/// The options that say what is compared.
const METRIC: &str = "what is compared in a study";

/// Run a program at all points of a grid: threads, copies, ranks, placements, parameters of its own
#[derive(clap::Args)]
#[command(
    override_usage = "numawise study [OPTIONS] -- PROGRAM [ARGS]...\n       numawise study FILE.toml [OPTIONS]"
)]
#[command(group = clap::ArgGroup::new(METRIC).multiple(true))]
#[command(
    after_help = "LEVELS of numbers: 4; 1,2,4; 1..=64; 1..=64:8 (every eighth from 1 on); 2^0..=2^7. Of words: a,b,c; a comma inside a \
                  level is \\,.\nIn the command {NAME} stands for the level of a factor, {NAME:+TEXT} for TEXT at all levels but the \
                  first, {NAME=LEVEL:+TEXT} at that level only; {{NAME}} is {NAME} itself. The first level of each factor is what the \
                  others are compared with."
)]
pub struct Arguments {
    /// Factors of a common experiment: scaling, copies, hbm, pinning, hybrid; factors given as options override it
    #[arg(long, value_name = "NAME", help_heading = "Factors")]
    preset: Option<Preset>,
    /// Numbers of threads of each process; fills {threads} and sets OMP_NUM_THREADS
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    threads: Option<NumberLevels>,
    /// Numbers of copies at once; {task} in the command is the number of the copy
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    copies: Option<NumberLevels>,
    /// Numbers of ranks, which the command starts: fills {ranks}
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    ranks: Option<NumberLevels>,
    /// Divisions of so many CPUs into ranks and threads (24: 24x1, 12x2, ...), or a list of them
    #[arg(long, value_name = "CPUS|LIST", help_heading = "Factors")]
    ranks_x_threads: Option<RanksByThreadsList>,
    /// Strategies: local, distributed, semi, none
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    place: Option<WordLevels>,
    /// Devices that CPUs are near to: none, gpu:0, nic:mlx5_0, storage:nvme0n1, pci:0000:3b:00.0, gpu (all GPUs)
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    near: Option<WordLevels>,
    /// Memory policies: default, local, bind[:NODES], preferred[:NODE], interleave[:NODES], weighted[:NODES], hbm, remote
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    memory: Option<WordLevels>,
    /// Whether threads are pinned: on, off
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pin: Option<WordLevels>,
    /// Pages of the heap: default, small, thp, huge
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    page_size: Option<WordLevels>,
    /// In which order CPUs are taken: spread, compact
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    order: Option<WordLevels>,
    /// Use every N-th CPU only
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    step: Option<NumberLevels>,
    /// A variable of the environment with its values: KEY=a,b
    #[arg(long, value_name = "KEY=LEVELS", help_heading = "Factors")]
    env: Vec<NamedLevels>,
    /// A parameter of the program's own with its values: NAME=a,b fills {NAME}
    #[arg(long, value_name = "NAME=LEVELS", help_heading = "Factors")]
    param: Vec<NamedLevels>,
    /// A whole command for a shell, by a name: NAME='./app --fast'; several are compared, instead of PROGRAM
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Factors")]
    command: Vec<NamedText>,
    /// An input file of the program in which placeholders are filled for each trial; {template} in the command is the path of what comes
    /// of it, {template:NAME} where there are several, {template_dir} the folder that it lies in
    #[arg(long, value_name = "FILE", help_heading = "Factors")]
    template: Vec<PathBuf>,
    /// Only points that fulfil this, e.g. 'ranks*threads<=cpus'; cpus, cores, nodes, packages, hbm_nodes are the machine's
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Factors")]
    constraints: Vec<Constraint>,

    /// A command for a shell, once before the first trial
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    setup: Option<String>,
    /// A shell command before each trial, not timed; where it fails, the trial failed
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    prepare: Option<String>,
    /// A command for a shell after each trial that looks whether its answer is right; where it fails, the trial failed
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    verify: Option<String>,
    /// A regular expression that the output of a right answer holds, e.g. 'VERIFICATION SUCCESSFUL'; without it the trial failed
    #[arg(long, value_name = "REGEX", help_heading = "Around trials")]
    verify_output: Option<String>,
    /// A command for a shell, once after the last trial
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    cleanup: Option<String>,
    /// A trial that takes longer is ended, and failed
    #[arg(long, value_name = "TIME", help_heading = "Around trials")]
    timeout: Option<Nanoseconds>,
    /// Leave the machine alone for so long before each trial, e.g. 2s
    #[arg(long, value_name = "TIME", help_heading = "Around trials")]
    gap: Option<Nanoseconds>,
    /// Have the kernel drop the pages of files that it holds before each trial, which takes root
    #[arg(long, help_heading = "Around trials")]
    drop_caches: bool,

    #[command(flatten)]
    engine: EngineArguments,

    /// Repeats of each point
    #[arg(long, alias = "repeat", value_name = "N", default_value_t = 5)]
    repeats: u32,
    /// Repeat each point until its median is known to this share (half the 95 % interval), e.g. 1%
    #[arg(long, value_name = "SHARE", conflicts_with = "search")]
    until: Option<Share>,
    /// With --until, repeats of each point at most
    #[arg(long, value_name = "N", default_value_t = 100, requires = "until")]
    most_repeats: u32,
    /// Trials in all at most; the same command with more goes on
    #[arg(long, value_name = "N")]
    most_trials: Option<u32>,
    /// Look for the best point with a quarter of the trials at most, instead of running all
    #[arg(long)]
    search: bool,
    /// Time to spend in all, e.g. 10m, 2h: then it stops, and the same command goes on [default: as long as it takes]
    #[arg(long, value_name = "TIME")]
    budget: Option<Nanoseconds>,
    /// Smaller differences count as equal, e.g. 3%
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    margin: Share,
    /// Take the metric from what the program prints: a regular expression with one group around the number. Several, each NAME=REGEX: the
    /// first is what is compared, the others are shown beside it
    #[arg(long, value_name = "[NAME=]REGEX", group = METRIC)]
    metric: Vec<String>,
    /// Take it, or all of them, from a file that the program writes in each run; {threads} and {task} are filled in
    #[arg(long, value_name = "FILE", group = METRIC)]
    metric_file: Option<OsString>,
    /// The metric of --metric or --metric-file is a rate, not a time; of several, those of these names, or the first
    #[arg(long, value_name = "NAMES", requires = METRIC, num_args = 0..=1, require_equals = true, default_missing_value = "")]
    higher_is_better: Option<String>,
    /// Most that sampling may take, as a share of one CPU; at most a tenth of --margin is taken
    #[arg(long, value_name = "SHARE", default_value = "0.5%")]
    sampling: Share,
    /// Seed of the order of trials [default: random, kept in the record]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The record [default: PROGRAM.study.nw in this folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start over, whatever the record holds
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    faces: Faces,
    /// Print the points as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write what was typed into a file, which `numawise study FILE.toml` takes, and run nothing
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    write_file: Option<PathBuf>,
    /// Show all points with their commands, and run nothing
    #[arg(long, conflicts_with_all = ["json", "csv", "html"])]
    dry_run: bool,
    /// A study in a file: long names of options and `program`; options on the command line override it
    #[arg(value_name = "FILE.toml")]
    file: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required_unless_present_any = ["command", "file"], value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// `NAME=a,b`
#[derive(Debug, Clone)]
struct NamedLevels {
    name: String,
    levels: WordLevels,
}

impl FromStr for NamedLevels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, levels) = named(text, "NAME=LEVELS, as in schedule=static,dynamic")?;
        Ok(NamedLevels { name, levels: levels.parse().map_err(|error| format!("{error}"))? })
    }
}

/// `NAME=some text`
#[derive(Debug, Clone)]
struct NamedText {
    name: String,
    text: String,
}

impl FromStr for NamedText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, text) = named(text, "NAME=COMMAND, as in gcc='./app.gcc {threads}'")?;
        if text.trim().is_empty() {
            return Err(format!("'{name}' has an empty command"));
        }
        Ok(NamedText { name, text: text.to_owned() })
    }
}

fn named<'a>(text: &'a str, expected: &str) -> Result<(String, &'a str), String> {
    match text.split_once('=') {
        Some((name, rest)) if !name.is_empty() => Ok((name.to_owned(), rest)),
        _ => Err(format!("'{}' has no name; expected {expected}", quoted(text))),
    }
}

/// The options by themselves, for those of a file.
#[derive(clap::Parser)]
#[command(name = "numawise study", args_override_self = true)]
struct Alone {
    #[command(flatten)]
    arguments: Arguments,
}

/// What was typed behind `numawise study`.
fn typed_words() -> Vec<OsString> {
    super::old::today(std::env::args_os()).0.split_off(2)
}

/// The options of the file with those that were typed beside it, which go before.
fn with_file(path: &Path) -> Result<Arguments, Failure> {
    let of_file = |problem: String| Failure::new(format!("{}: {problem}", path.display()));
    let text =
        std::fs::read_to_string(path).map_err(|error| of_file(format!("it cannot be read: {error}")))?;
    let file = file::read(&text).map_err(|error| of_file(error.to_string()))?;
    let mut typed = typed_words();
    let end = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let program = typed.split_off(end);
    if let Some(at) = typed.iter().position(|word| word == path.as_os_str()) {
        typed.remove(at);
    }
    let mut words = vec![OsString::from("numawise study")];
    words.extend(file.options);
    words.extend(typed);
    if !program.is_empty() {
        words.extend(program);
    } else if !file.program.is_empty() {
        words.push("--".into());
        words.extend(file.program);
    }
    let alone =
        Alone::try_parse_from(words).map_err(|error| of_file(error.to_string().trim_end().to_owned()))?;
    Ok(alone.arguments)
}

fn write_file(path: &Path) -> Result<Status, Failure> {
    let command = Alone::command();
    let words = std::iter::once(OsString::from("numawise study")).chain(typed_words());
    let matches = command.clone().try_get_matches_from(words)?;
    let text =
        file::write(&command, &matches, &["write-file"]).map_err(|error| Failure::new(error.to_string()))?;
    files::write_new(path, &text, "--write-file", "the study")?;
    Ok(SUCCESS)
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let begun = Instant::now();
    let arguments = match &arguments.file {
        Some(path) => with_file(path)?,
        None => arguments,
    };
    if let Some(path) = &arguments.write_file {
        return write_file(path);
    }
    let format = if arguments.csv { StudyFormat::Csv } else { StudyFormat::Text };
    if let Some(order) = arguments.engine.as_job().map(Path::to_owned) {
        return engine::run_job(arguments, &order, begun);
    }
    let (faces, dry_run) = (arguments.faces.clone(), arguments.dry_run);
    let stop = interruptible()?;
    let engine::Place { machine, engine, said } =
        arguments.engine.place(&record(&arguments), arguments.fresh, typed_words(), &stop)?;
    let request = request(arguments, begun, &machine, engine)?;
    super::warn_of_near_everywhere(&machine, request.grid.devices())?;
    let record = (!dry_run).then(|| OutputFile::record(&request.record));
    let written: Vec<OutputFile<'_>> = record.into_iter().chain(faces.outputs()).collect();
    let read = request.metric.file().map(|file| Path::new(file.as_os_str()));
    let templates = request.base.templates.iter().map(|template| Path::new(&template.file));
    files::check(&written, &read.into_iter().chain(templates).collect::<Vec<_>>())?;
    if dry_run {
        show::grid_design(&study::design(&request, machine)?)?;
        return Ok(SUCCESS);
    }
    stops_with_program()?;
    let path = request.record.clone();
    let experiment = GridExperiment::open(request, machine)?;
    let mut progress = Progress::new(&experiment, format == StudyFormat::Text && !faces.json.is_printed());
    if let Some(said) = said {
        progress.say(&said);
    }
    let (study, reason) = experiment.run(&mut progress, &stop)?;
    drop(progress);
    show::grid(&study, &path, format, &faces)?;
    Ok(match reason {
        StopReason::Interrupted => INTERRUPTED,
        StopReason::TooManyFailures => exit::of_failures(&study),
        StopReason::Decided | StopReason::BudgetSpent if exit::has_failed(&study) => {
            exit::of_failures(&study)
        }
        StopReason::Decided | StopReason::BudgetSpent => SUCCESS,
    })
}

/// The record: named, or after the program.
fn record(typed: &Arguments) -> PathBuf {
    let name = match typed.command.first() {
        Some(first) => PathBuf::from(&first.name),
        None => typed.program.first().map(PathBuf::from).unwrap_or_default(),
    };
    typed.output.clone().unwrap_or_else(|| StudyRequest::usual_record(&name))
}

/// What was typed, as a request.
fn request(
    typed: Arguments,
    begun: Instant,
    machine: &Machine,
    engine: StudyEngine,
) -> Result<StudyRequest, Failure> {
    let record = record(&typed);
    let directory = std::env::current_dir().map_err(|e| {
        Failure::new(format!("the current folder is not known: {e}; change to one that exists"))
    })?;
    if !typed.command.is_empty() && !typed.program.is_empty() {
        return Err(Failure::new(
            "--command NAME=COMMAND: there is a program behind -- too; expected one of them",
        ));
    }
    let shell = |text: &str| RunSpec {
        command: ["sh", "-c", text].iter().map(|word| Argument::from(*word)).collect(),
        directory: directory.clone(),
    };
    let commands: Vec<NamedCommand> = typed
        .command
        .iter()
        .map(|one| NamedCommand { name: one.name.clone(), command: shell(&one.text) })
        .collect();
    let command = match commands.first() {
        Some(first) => first.command.clone(),
        None => RunSpec {
            command: typed.program.iter().cloned().map(Argument).collect(),
            directory: directory.clone(),
        },
    };
    let TypedMetrics { compared: metric, name: metric_name, others: other_metrics } =
        metrics::typed(&typed.metric, typed.metric_file.as_ref(), typed.higher_is_better.as_deref())?;
    let mut factors = factors(&typed, commands)?;
    if let Some(preset) = typed.preset {
        factors.extend(preset.factors(machine, &factors)?);
    }
    let grid = Grid::new(factors, typed.constraints)?;
    let until = typed.until.map(|share| until_known(share, typed.repeats, typed.most_repeats)).transpose()?;
    let templates =
        study::read_templates(&typed.template, &directory).map_err(numawise_session::Error::from)?;
    Ok(StudyRequest {
        command,
        grid,
        base: GridBase { request: unplaced(), pin: None, ranks: None, templates },
        around: AroundTrials {
            setup: typed.setup,
            prepare: typed.prepare,
            verify: typed.verify,
            verify_output: typed.verify_output,
            cleanup: typed.cleanup,
            limit: typed.timeout,
            gap: typed.gap,
            drop_caches: typed.drop_caches,
        },
        metric,
        metric_name,
        other_metrics,
        repeats: typed.repeats,
        until,
        most_trials: typed.most_trials,
        search: typed.search,
        budget: typed.budget,
        begun,
        margin: typed.margin,
        sampling: typed.sampling,
        seed: typed.seed,
        record,
        fresh: typed.fresh,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rank_words: placing::rank_words,
        engine,
    })
}

/// What points have where no factor says otherwise: the number of threads that the program would have by itself.
fn unplaced() -> PlacementRequest {
    let named = std::env::var("OMP_NUM_THREADS").ok();
    let threads = named.and_then(|value| openmp::outermost(&value));
    PlacementRequest { threads, ..PlacementRequest::as_the_os_does() }
}

fn until_known(half_width: Share, repeats: u32, most_repeats: u32) -> Result<UntilKnown, Failure> {
    if most_repeats < repeats {
        return Err(Failure::new(format!(
            "--most-repeats {most_repeats}: fewer than the {repeats} of --repeats, which come first; expected at least as many"
        )));
    }
    Ok(UntilKnown { half_width: half_width.value(), most_repeats })
}

/// The factors, the outermost first.
fn factors(typed: &Arguments, commands: Vec<NamedCommand>) -> Result<Vec<GridFactor>, Failure> {
    let numbers = |levels: &NumberLevels| levels.numbers().to_vec();
    let mut factors = Vec::new();
    if commands.len() > 1 {
        factors.push(GridFactor::Commands(commands));
    }
    factors.extend(typed.copies.as_ref().map(|levels| GridFactor::Copies(numbers(levels))));
    factors.extend(typed.ranks.as_ref().map(|levels| GridFactor::Ranks(numbers(levels))));
    factors.extend(typed.ranks_x_threads.as_ref().map(|list| GridFactor::RanksTimesThreads(list.0.clone())));
    factors.extend(typed.threads.as_ref().map(|levels| GridFactor::Threads(numbers(levels))));
    if let Some(levels) = &typed.place {
        factors.push(GridFactor::Place(words::<Strategy>("--place", levels)?));
    }
    if let Some(levels) = &typed.near {
        factors.push(GridFactor::Near(devices(levels)?));
    }
    if let Some(levels) = &typed.memory {
        factors.push(GridFactor::Memory(words::<MemoryRequest>("--memory", levels)?));
    }
    if let Some(levels) = &typed.pin {
        factors.push(GridFactor::Pin(pins(levels)?));
    }
    if let Some(levels) = &typed.page_size {
        factors.push(GridFactor::PageSize(words::<PageSize>("--page-size", levels)?));
    }
    if let Some(levels) = &typed.order {
        factors.push(GridFactor::Order(orders(levels)?));
    }
    factors.extend(typed.step.as_ref().map(|levels| GridFactor::Step(numbers(levels))));
    factors.extend(
        typed
            .env
            .iter()
            .map(|one| GridFactor::Variable { name: one.name.clone(), values: one.levels.words().to_vec() }),
    );
    factors.extend(
        typed
            .param
            .iter()
            .map(|one| GridFactor::Parameter { name: one.name.clone(), values: one.levels.words().to_vec() }),
    );
    Ok(factors)
}

fn words<T: FromStr<Err: std::fmt::Display>>(option: &str, levels: &WordLevels) -> Result<Vec<T>, Failure> {
    let one = |word: &String| word.parse::<T>().map_err(|error| Failure::new(format!("{option}: {error}")));
    levels.words().iter().map(one).collect()
}

/// A study's strategies choose the CPUs.
fn orders(levels: &WordLevels) -> Result<Vec<Order>, Failure> {
    let orders = words::<Order>("--order", levels)?;
    match orders.iter().find(|order| !matches!(order, Order::Spread | Order::Compact)) {
        Some(other) => Err(Failure::new(format!(
            "--order {other}: this order is one of `numawise run` without a strategy; expected spread or compact as the levels of a study"
        ))),
        None => Ok(orders),
    }
}

fn devices(levels: &WordLevels) -> Result<Vec<Option<DeviceName>>, Failure> {
    let one = |word: &String| match word.as_str() {
        GridLevel::NEAR_NOTHING => Ok(None),
        device => device.parse().map(Some).map_err(|error| Failure::new(format!("--near: {error}"))),
    };
    levels.words().iter().map(one).collect()
}

fn pins(levels: &WordLevels) -> Result<Vec<ThreadBinding>, Failure> {
    let one = |word: &String| match word.as_str() {
        "on" => Ok(ThreadBinding::Pinned),
        "off" => Ok(ThreadBinding::Free),
        other => Err(Failure::new(format!("--pin: '{}' is neither on nor off", quoted(other)))),
    };
    levels.words().iter().map(one).collect()
}
