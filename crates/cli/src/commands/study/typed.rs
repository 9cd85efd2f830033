//! What is run in a study, as it is typed: factors, what is done around trials, the metric, the record. Also what is predicted is run so.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use numawise_facts::{
    Argument, AroundTrials, DeviceName, Machine, MemoryKind, MemoryRequest, Order, PageSize,
    PlacementRequest, RanksByThreadsList, RunSpec, Strategy, ThreadBinding, UntilKnown,
};
use numawise_session::openmp;
use numawise_session::study::{
    self, Constraint, Grid, GridBase, GridFactor, GridLevel, NamedCommand, NumberLevels, Preset, StudyEngine,
    StudyRequest, TrialChoice, WordLevels,
};
use numawise_units::harmless::quoted;
use numawise_units::{Nanoseconds, Share};

use super::metrics::{self, TypedMetrics};
use crate::exit::Failure;
use crate::faces::Faces;
use crate::placing;

/// The options that say what is compared.
const METRIC: &str = "what is compared in a study";

/// Factors, what is done around trials, the metric and the record.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new(METRIC).multiple(true))]
pub struct TrialArguments {
    /// Factors of a common experiment: scaling, copies, hbm, pinning, hybrid; factors given as options override it
    #[arg(long, value_name = "NAME", help_heading = "Factors")]
    pub preset: Option<Preset>,
    /// Numbers of threads of each process; fills {threads} and sets OMP_NUM_THREADS
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub threads: Option<NumberLevels>,
    /// Numbers of copies at once; {task} in the command is the number of the copy
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub copies: Option<NumberLevels>,
    /// Numbers of ranks, which the command starts: fills {ranks}
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub ranks: Option<NumberLevels>,
    /// Divisions of so many CPUs into ranks and threads (24: 24x1, 12x2, ...), or a list of them
    #[arg(long, value_name = "CPUS|LIST", help_heading = "Factors")]
    pub ranks_x_threads: Option<RanksByThreadsList>,
    /// Strategies: local, distributed, semi, none; all for the first two
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub place: Option<WordLevels>,
    /// Devices that CPUs are near to: none, gpu:0, nic:mlx5_0, storage:nvme0n1, pci:0000:3b:00.0, gpu (all GPUs)
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub near: Option<WordLevels>,
    /// Memory policies: default, local, bind[:NODES], preferred[:NODE], interleave[:NODES], weighted[:NODES], hbm, remote; all for those that differ here, without lists
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub memory: Option<WordLevels>,
    /// Whether threads are pinned: on, off
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub pin: Option<WordLevels>,
    /// Pages of the heap: default, small, thp, huge
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub page_size: Option<WordLevels>,
    /// In which order CPUs are taken: spread, compact
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub order: Option<WordLevels>,
    /// Use every N-th CPU only
    #[arg(long, value_name = "LEVELS", help_heading = "Factors")]
    pub step: Option<NumberLevels>,
    /// A variable of the environment with its values: KEY=a,b
    #[arg(long, value_name = "KEY=LEVELS", help_heading = "Factors")]
    pub env: Vec<NamedLevels>,
    /// A parameter of the program's own with its values: NAME=a,b fills {NAME}
    #[arg(long, value_name = "NAME=LEVELS", help_heading = "Factors")]
    pub param: Vec<NamedLevels>,
    /// A whole command for a shell, by a name: NAME='./app --fast'; several are compared, instead of PROGRAM
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Factors")]
    pub command: Vec<NamedText>,
    /// An input file of the program in which placeholders are filled for each trial; {template} in the command is the path of what comes
    /// of it, {template:NAME} where there are several, {template_dir} the folder that it lies in
    #[arg(long, value_name = "FILE", help_heading = "Factors")]
    pub template: Vec<PathBuf>,
    /// Only points that fulfil this, e.g. 'ranks*threads<=cpus'; cpus, cores, nodes, packages, hbm_nodes are the machine's
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Factors")]
    pub constraints: Vec<Constraint>,

    /// A command for a shell, once before the first trial
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    pub setup: Option<String>,
    /// A shell command before each trial, not timed; where it fails, the trial failed
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    pub prepare: Option<String>,
    /// A command for a shell after each trial that looks whether its answer is right; where it fails, the trial failed
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    pub verify: Option<String>,
    /// A regular expression that the output of a right answer holds, e.g. 'VERIFICATION SUCCESSFUL'; without it the trial failed
    #[arg(long, value_name = "REGEX", help_heading = "Around trials")]
    pub verify_output: Option<String>,
    /// A command for a shell, once after the last trial
    #[arg(long, value_name = "COMMAND", help_heading = "Around trials")]
    pub cleanup: Option<String>,
    /// A trial that takes longer is ended, and failed
    #[arg(long, value_name = "TIME", help_heading = "Around trials")]
    pub timeout: Option<Nanoseconds>,
    /// Leave the machine alone for so long before each trial, e.g. 2s
    #[arg(long, value_name = "TIME", help_heading = "Around trials")]
    pub gap: Option<Nanoseconds>,
    /// Have the kernel drop the pages of files that it holds before each trial, which takes root
    #[arg(long, help_heading = "Around trials")]
    pub drop_caches: bool,

    /// Time to spend in all, e.g. 10m, 2h: then it stops, and the same command goes on [default: as long as it takes]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanoseconds>,
    /// Smaller differences count as equal, e.g. 3%
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    pub margin: Share,
    /// Take the metric from what the program prints: a regular expression with one group around the number. Several, each NAME=REGEX: the
    /// first is what is compared, the others are shown beside it
    #[arg(long, value_name = "[NAME=]REGEX", group = METRIC)]
    pub metric: Vec<String>,
    /// Take it, or all of them, from a file that the program writes in each run; {threads} and {task} are filled in
    #[arg(long, value_name = "FILE", group = METRIC)]
    pub metric_file: Option<OsString>,
    /// The metric of --metric or --metric-file is a rate, not a time; of several, those of these names, or the first
    #[arg(long, value_name = "NAMES", requires = METRIC, num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub higher_is_better: Option<String>,
    /// Most that sampling may take, as a share of one CPU; at most a tenth of --margin is taken
    #[arg(long, value_name = "SHARE", default_value = "0.5%")]
    pub sampling: Share,
    /// Seed of the order of trials [default: random, kept in the record]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The record [default: PROGRAM.study.nw in this folder]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Start over, whatever the record holds
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub faces: Faces,
    /// Print the points as CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Show all points with their commands, and run nothing
    #[arg(long, conflicts_with_all = ["json", "csv", "html"])]
    pub dry_run: bool,
}

/// `NAME=a,b`
#[derive(Debug, Clone)]
pub struct NamedLevels {
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
pub struct NamedText {
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

/// How often which points are run.
pub struct Repeats {
    pub repeats: u32,
    pub until: Option<UntilKnown>,
    pub most_trials: Option<u32>,
    pub choice: TrialChoice,
}

/// The record: named, or after the program.
pub fn record(typed: &TrialArguments, program: &[OsString]) -> PathBuf {
    let name = match typed.command.first() {
        Some(first) => PathBuf::from(&first.name),
        None => program.first().map(PathBuf::from).unwrap_or_default(),
    };
    typed.output.clone().unwrap_or_else(|| StudyRequest::usual_record(&name))
}

/// What was typed, as a request.
pub fn request(
    (typed, program): (TrialArguments, &[OsString]),
    repeats: Repeats,
    begun: Instant,
    machine: &Machine,
    engine: StudyEngine,
) -> Result<StudyRequest, Failure> {
    let record = record(&typed, program);
    let directory = std::env::current_dir().map_err(|e| {
        Failure::new(format!("the current folder is not known: {e}; change to one that exists"))
    })?;
    if !typed.command.is_empty() && !program.is_empty() {
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
        None => {
            RunSpec { command: program.iter().cloned().map(Argument).collect(), directory: directory.clone() }
        }
    };
    let TypedMetrics { compared: metric, name: metric_name, others: other_metrics } =
        metrics::typed(&typed.metric, typed.metric_file.as_ref(), typed.higher_is_better.as_deref())?;
    let mut factors = factors(&typed, commands, machine)?;
    if let Some(preset) = typed.preset {
        factors.extend(preset.factors(machine, &factors)?);
    }
    let grid = Grid::new(factors, typed.constraints)?;
    let Repeats { repeats, until, most_trials, choice } = repeats;
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
        repeats,
        until,
        most_trials,
        choice,
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

/// The factors, the outermost first.
fn factors(
    typed: &TrialArguments,
    commands: Vec<NamedCommand>,
    machine: &Machine,
) -> Result<Vec<GridFactor>, Failure> {
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
        let all = [Strategy::Local, Strategy::Distributed];
        let levels = if is_all(levels) { all.to_vec() } else { words("--place", levels)? };
        factors.push(GridFactor::Place(levels));
    }
    if let Some(levels) = &typed.near {
        factors.push(GridFactor::Near(devices(levels)?));
    }
    if let Some(levels) = &typed.memory {
        let levels = if is_all(levels) { all_memory(machine) } else { words("--memory", levels)? };
        factors.push(GridFactor::Memory(levels));
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

/// The one word for all that differ here.
fn is_all(levels: &WordLevels) -> bool {
    matches!(levels.words(), [word] if word == "all")
}

/// The policies that differ on a machine, the usual one first.
fn all_memory(machine: &Machine) -> Vec<MemoryRequest> {
    let several = machine.nodes_with_allowed_cpus().filter(|node| !node.has_no_memory()).count() > 1;
    let has_hbm = !machine.allowed_of_kind(MemoryKind::Hbm).is_empty();
    let of_several = [MemoryRequest::Interleave(None), MemoryRequest::Remote];
    let mut all = vec![MemoryRequest::Default];
    all.extend(of_several.into_iter().filter(|_| several));
    all.extend(has_hbm.then_some(MemoryRequest::Hbm));
    all
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
