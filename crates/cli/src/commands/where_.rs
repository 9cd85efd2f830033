//! `numawise where PID|NAME...`: where the threads and the memory of running processes are.
//!
//! One look tells CPUs, nodes, masks and memory of now, and shares of CPUs since the threads began; with `--interval` shares
//! are those between two looks. `--job PID` takes a process with all its descendants, `--job ID` a job of the batch system,
//! `--user` what a user runs. `--watch` is the full-screen view. What may not be read is told with its reason and is no
//! error; nothing to look at is one (status 125).

mod clock;
mod looker;
mod pace;
mod print;
mod request;
mod targets;

use std::path::PathBuf;

use numawise_record::Series;
use numawise_tables::Residency;
use numawise_tui::{Sample, Samples, TuiError, WatchEnd, WatchRequest};
use numawise_units::Nanoseconds;

use super::{Failure, SUCCESS, Status};
use looker::Looker;
use request::{Mode, Request};
use targets::Targets;

/// Show where the threads and memory of running processes are
///
/// With names and --user or --job: those of these names that belong to it.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(
    after_help = "Exit status: 0, also when some of it may not be read (that is told); 125 when there is nothing to \
                        look at.\nManual: docs/user/where.md"
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
    /// Time between looks, e.g. 0.5 or 2s [default: 1 s]; shares of CPUs are those between looks
    #[arg(long, short, value_name = "SECONDS")]
    interval: Option<Nanoseconds>,
    /// Show it so many times, one interval apart; ends early when all processes have ended
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<u64>,
    /// JSON (docs/formats/where-json.md), with --count one object on each line
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Comma-separated values, one row for each thread and each part of the memory
    #[arg(long)]
    csv: bool,
    /// Keep every look in this SQLite file too (docs/formats/nw-series.md), after those that are there
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// List the threads of every task, however many there are
    #[arg(long)]
    threads: bool,
    /// List so many of the largest mappings of each task
    #[arg(long, value_name = "N")]
    mappings: Option<usize>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let request = Request::new(&arguments)?;
    if let Mode::Watch { .. } = request.mode {
        numawise_tui::check_terminal().map_err(no_view)?;
    }
    let mut targets = Targets::new(&arguments)?;
    for missing in targets.search()? {
        eprintln!("numawise: warning: {missing}");
    }
    let machine = numawise_session::here::for_sampling()?;
    let series = request.record.as_deref().map(|path| Series::open(path, &machine)).transpose()?;
    let looker = Looker::new(targets, machine, request.mappings, series);
    match request.mode {
        Mode::Watch { interval, fixed } => {
            watch(looker, &WatchRequest { title: title(&arguments), interval, fixed })
        }
        _ => print::run(looker, &request),
    }
}

/// Shows the full-screen view until it is left.
fn watch(mut looker: Looker, request: &WatchRequest) -> Result<Status, Failure> {
    let first = looker.light()?;
    something_seen(&first.residency)?;
    match numawise_tui::watch(request, first, looker).map_err(no_view)? {
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

impl Samples for Looker {
    type Error = Failure;

    fn next(&mut self) -> Result<Sample, Failure> {
        self.light()
    }
}

/// What was asked for, in one line.
fn title(arguments: &Arguments) -> String {
    let mut words = arguments.targets.clone();
    words.extend(arguments.user.iter().map(|user| format!("user {user}")));
    words.extend(arguments.job.iter().map(|job| format!("job {job}")));
    words.join(" ")
}

/// Fails when nothing at all may be seen of any process.
fn something_seen(seen: &Residency) -> Result<(), Failure> {
    let blind = |task: &numawise_tables::TaskResidency| {
        task.threads.measured().is_none() && task.memory.measured().is_none()
    };
    let Some(first) = seen.tasks.first() else {
        return Err(Failure::new(
            "the processes that were asked for have ended before they could be looked at",
        ));
    };
    if !seen.tasks.iter().all(blind) {
        return Ok(());
    }
    let reason =
        first.threads.reason().or(first.memory.reason()).map(ToString::to_string).unwrap_or_default();
    Err(Failure::new(format!(
        "nothing may be seen of {} of {} processes: {reason}",
        seen.tasks.len(),
        seen.tasks.len()
    )))
}
