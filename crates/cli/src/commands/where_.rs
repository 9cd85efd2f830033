//! `numawise where PID|NAME...`: where the threads and the memory of running processes are.
//!
//! One sample gives CPUs, nodes, masks and memory of now, and shares of CPUs since the threads began; with `--interval` shares
//! are those between two samples. `--job PID` takes a process with all its descendants, `--job ID` a job of the batch system,
//! `--user` what a user runs; `--system` shows the memory of the computer instead. `--watch` is the full-screen view. What may not be read is reported with its reason and is no
//! error; no process to sample is one (status 125).

mod request;

use std::path::PathBuf;

use numawise_report::document;
use numawise_report::residency::{self, ResidencyDetail};
use numawise_report::system_memory as report;
use numawise_session::live::{LiveObjects, objects_so_far};
use numawise_session::system_memory::{system_memory, system_memory_within};
use numawise_session::watch::{ResidencySampler, TargetRequest};
use numawise_tables::Residency;
use numawise_tui::{Sample, Samples, TuiError, WatchEnd};
use numawise_units::Nanoseconds;

use super::{Failure, SUCCESS, Status};
use crate::faces::JsonOption;
use crate::files::{self, GrowingFile, OutputFile};
use crate::show::{ObjectsReport, objects_json};
use crate::streams;
use request::{Format, Mode, Request};

/// Show where the threads and memory of running processes are
///
/// Names together with --user or --job: processes that match both.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(
    after_help = "With --count, --json has one object on each line.\nExit status: 0, also when some of it may not be read (that is reported); 125 when there is no \
                        process to sample.\nManual: docs/user/where.md"
)]
pub struct Arguments {
    /// Process numbers and names of programs
    #[arg(value_name = "PID|NAME")]
    targets: Vec<String>,
    /// Processes of this user
    #[arg(long, short, value_name = "NAME|UID")]
    user: Option<String>,
    /// A process with all its descendants (of mpirun, say), or a job of the batch system
    #[arg(long, short, value_name = "PID|ID")]
    job: Option<String>,
    /// Full-screen view; q leaves it, h shows the keys
    #[arg(long, short, conflicts_with_all = ["json", "csv", "count"])]
    watch: bool,
    /// Sampling interval, e.g. 0.5 or 2s [default: 1 s]; shares of CPUs are those between samples
    #[arg(long, short, value_name = "SECONDS")]
    interval: Option<Nanoseconds>,
    /// Number of samples, one interval apart; ends early when all processes have ended
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<u64>,
    #[command(flatten)]
    json: JsonOption,
    /// Comma-separated values, one row for each thread and each part of the memory
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Keep every sample in this SQLite file too (docs/formats/nw-series.md), after those that are there
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The memory of the computer by node, and the pages that were taken from each: what numastat shows without a process
    #[arg(long, conflicts_with_all = ["targets", "user", "job", "watch", "count", "record", "threads", "mappings"])]
    system: bool,
    /// The memory objects of processes that numawise objects or numawise snapshot --objects has started: where they lie now, and who used them so far
    #[arg(long, conflicts_with_all = ["watch", "interval", "count", "csv", "record", "threads", "mappings", "system"])]
    objects: bool,
    /// List the threads of every task, however many there are
    #[arg(long)]
    threads: bool,
    /// List so many of the largest mappings of each task
    #[arg(long, value_name = "N")]
    mappings: Option<usize>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    if let Some(json) = arguments.json.output() {
        let record = arguments.record.as_deref().map(OutputFile::record);
        let record = record.map(|file| OutputFile { option: "--record", ..file });
        files::check(&record.into_iter().chain([json]).collect::<Vec<_>>(), &[])?;
    }
    if arguments.system {
        return system(&arguments);
    }
    if arguments.objects {
        return objects(arguments);
    }
    let request = Request::new(arguments)?;
    if let Mode::Watch { .. } = request.mode {
        numawise_tui::check_terminal().map_err(no_view)?;
    }
    let (mut sampler, missing) = ResidencySampler::open(&request.watch)?;
    missing.iter().for_each(|missing| streams::say(&format!("warning: {missing}")));
    let mut file = request.json.as_deref().map(|path| GrowingFile::new(path, "the samples"));
    match request.mode {
        Mode::Once => print(&sampler.whole()?, &request, 0, file.as_mut()).map(|_| SUCCESS),
        Mode::Repeat { interval, count } => {
            sampler.repeat(interval, count, |shown, residency| {
                print(residency, &request, shown, file.as_mut())
            })?;
            Ok(SUCCESS)
        }
        Mode::Watch { interval, fixed } => {
            watch(sampler, numawise_tui::WatchRequest { title: request.title, interval, fixed })
        }
    }
}

/// What is known so far of the memory objects of processes that are followed.
fn objects(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { targets, user, job, json, .. } = arguments;
    let request = TargetRequest { processes: targets, user, job };
    let LiveObjects { runs, missing, unknown } = objects_so_far(&request, env!("CARGO_PKG_VERSION"))?;
    missing.iter().for_each(|missing| streams::say(&format!("warning: {missing}")));
    unknown.into_iter().for_each(|unknown| {
        streams::say(&format!("warning: {}", Failure::from(unknown).message()));
    });
    let reports: Vec<ObjectsReport<'_>> = runs.iter().map(|run| ObjectsReport::of(run, None)).collect();
    let text = || {
        let texts = reports.iter().map(|report| report.text(streams::style()));
        texts.collect::<Vec<_>>().join("\n")
    };
    json.put(text, || objects_json(&reports))?;
    Ok(SUCCESS)
}

/// The memory of the computer by node. With an interval, pages that were taken within it.
fn system(arguments: &Arguments) -> Result<Status, Failure> {
    let memory = match arguments.interval {
        Some(interval) => system_memory_within(request::interval(interval)?)?,
        None => system_memory()?,
    };
    let text = || {
        if arguments.csv {
            report::csv(&memory)
        } else {
            document::terminal(&report::document(&memory), streams::style())
        }
    };
    arguments.json.put(text, || format!("{:#}\n", report::json(&memory)))?;
    Ok(SUCCESS)
}

/// Prints a sample, the `shown`th after the first. False when nobody reads any more.
fn print(
    residency: &Residency,
    request: &Request,
    shown: u64,
    file: Option<&mut GrowingFile<'_>>,
) -> Result<bool, Failure> {
    file.map_or(Ok(()), |file| file.write(&json(residency, request)))?;
    let text = match request.format {
        Format::Text => {
            let style = streams::style();
            let detail = ResidencyDetail { width: style.width, every_thread: request.threads };
            let gap = if shown > 0 { "\n" } else { "" };
            format!("{gap}{}", document::terminal(&residency::document(residency, detail), style))
        }
        Format::Json => json(residency, request),
        Format::Csv if shown == 0 => residency::csv(residency),
        Format::Csv => residency::rows(residency),
    };
    Ok(streams::print_while_read(&text)?)
}

/// One to a line where there are several, so that a reader need not wait for the end.
fn json(residency: &Residency, request: &Request) -> String {
    match request.mode {
        Mode::Repeat { count: 2.., .. } => format!("{}\n", residency::json(residency)),
        _ => format!("{:#}\n", residency::json(residency)),
    }
}

/// Shows the full-screen view until it is left.
fn watch(sampler: ResidencySampler, request: numawise_tui::WatchRequest) -> Result<Status, Failure> {
    let mut samples = ViewSamples(sampler);
    let first = samples.next()?;
    match numawise_tui::watch(&request, first, samples).map_err(no_view)? {
        WatchEnd::Quit => Ok(SUCCESS),
        WatchEnd::Signal(number) => Ok((128 + number) as Status),
        WatchEnd::SamplingFailed(failure) => Err(failure),
    }
}

/// What keeps the view from being shown, and what to use in its place.
fn no_view(error: TuiError) -> Failure {
    match error {
        TuiError::NoTerminal | TuiError::DumbTerminal { .. } => {
            Failure::new(format!("{error}; without one: --interval 1 --count 10, or --json"))
        }
        other => other.into(),
    }
}

/// The sampler as the source of the full-screen view.
struct ViewSamples(ResidencySampler);

impl Samples for ViewSamples {
    type Error = Failure;

    fn next(&mut self) -> Result<Sample, Failure> {
        let numawise_session::watch::Sample { residency, memory_age, least_interval } = self.0.light()?;
        Ok(Sample { residency, memory_age, least_interval })
    }
}
