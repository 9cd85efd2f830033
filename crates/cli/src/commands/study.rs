//! `numawise study -- PROGRAM [ARGS]`: a program at all points of a grid of factors, several times each, in random order.
//!
//! Each factor is an option with its levels: numbers of threads, strategies, memory policies, parameters of the program's own. Trials are
//! kept in a record (`PROGRAM.study.nw`) as they end; the same command goes on from there. Exit status: 0 when all was run, 130 after
//! Ctrl-C, the program's own when it failed at every point, 125 to 127 as everywhere.

mod engine;
mod file;
mod metrics;
mod progress;
mod typed;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{CommandFactory, Parser};
use numawise_facts::{Machine, StopReason, UntilKnown};
use numawise_session::study::{self, GridExperiment, StudyEngine, StudyRequest, TrialChoice};
use numawise_units::Share;

use self::engine::EngineArguments;
pub use self::progress::Progress;
pub use self::typed::{Repeats, TrialArguments, record, request};
use crate::exit::{self, Failure, INTERRUPTED, SUCCESS, Status, interruptible, stops_with_program};
use crate::files::{self, OutputFile};
use crate::show::{self, StudyFormat};

/// Run a program at all points of a grid: threads, copies, ranks, placements, parameters of its own
#[derive(clap::Args)]
#[command(
    override_usage = "numawise study [OPTIONS] -- PROGRAM [ARGS]...\n       numawise study FILE.toml [OPTIONS]"
)]
#[command(
    after_help = "LEVELS of numbers: 4; 1,2,4; 1..=64; 1..=64:8 (every eighth from 1 on); 2^0..=2^7. Of words: a,b,c; a comma inside a \
                  level is \\,.\nIn the command {NAME} stands for the level of a factor, {NAME:+TEXT} for TEXT at all levels but the \
                  first, {NAME=LEVEL:+TEXT} at that level only; {{NAME}} is {NAME} itself. The first level of each factor is what the \
                  others are compared with."
)]
pub struct Arguments {
    #[command(flatten)]
    trials: TrialArguments,
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
    /// Look for the best point with a quarter of the trials at most, instead of running all; a tenth where predictions hold
    #[arg(long)]
    search: bool,
    /// Write what was typed into a file, which `numawise study FILE.toml` takes, and run nothing
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    write_file: Option<PathBuf>,
    /// A study in a file: long names of options and `program`; options on the command line override it
    #[arg(value_name = "FILE.toml")]
    file: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required_unless_present_any = ["command", "file"], value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Arguments {
    fn record(&self) -> PathBuf {
        record(&self.trials, &self.program)
    }

    fn request(
        self,
        begun: Instant,
        machine: &Machine,
        engine: StudyEngine,
    ) -> Result<StudyRequest, Failure> {
        let until = |share| until_known(share, self.repeats, self.most_repeats);
        let repeats = Repeats {
            repeats: self.repeats,
            until: self.until.map(until).transpose()?,
            most_trials: self.most_trials,
            choice: if self.search { TrialChoice::Search } else { TrialChoice::All },
        };
        request((self.trials, &self.program), repeats, begun, machine, engine)
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
    let format = if arguments.trials.csv { StudyFormat::Csv } else { StudyFormat::Text };
    if let Some(order) = arguments.engine.as_job().map(Path::to_owned) {
        return engine::run_job(arguments, &order, begun);
    }
    let (faces, dry_run) = (arguments.trials.faces.clone(), arguments.trials.dry_run);
    let stop = interruptible()?;
    let engine::Place { machine, engine, said } =
        arguments.engine.place(&arguments.record(), arguments.trials.fresh, typed_words(), &stop)?;
    let request = arguments.request(begun, &machine, engine)?;
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

fn until_known(half_width: Share, repeats: u32, most_repeats: u32) -> Result<UntilKnown, Failure> {
    if most_repeats < repeats {
        return Err(Failure::new(format!(
            "--most-repeats {most_repeats}: fewer than the {repeats} of --repeats, which come first; expected at least as many"
        )));
    }
    Ok(UntilKnown { half_width: half_width.value(), most_repeats })
}
