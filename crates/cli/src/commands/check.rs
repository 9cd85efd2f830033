//! `numawise check -- PROGRAM [ARGS]`: does placement matter for this program on this machine, by how much, and what
//! should change?
//!
//! The program is run several times at each of a handful of placements, in random order, until the intervals decide or
//! the budget is spent. Trials are kept in a record (`PROGRAM.nw`) as they end; the same command goes on from there.
//! Exit status: 0 when there is an answer (also "undecided"), 130 after Ctrl-C, the program's own when its first run
//! fails, 125 to 127 as everywhere.

mod prepare;
mod progress;
mod request;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use numawise_facts::{Metric, Outcome, StopReason, Study, Trial};
use numawise_record::Record;
use numawise_study::{Engine, Keep, SystemClock};
use numawise_units::Nanoseconds;

use super::exit::{INTERRUPTED, interruptible};
use super::{Failure, SUCCESS, Status};
use crate::show;

/// Find out whether placement matters for a program here, by how much, and what to change
#[derive(clap::Args)]
#[command(override_usage = "numawise check [OPTIONS] -- PROGRAM [ARGS]...")]
pub struct Arguments {
    /// Threads of the program [default: OMP_NUM_THREADS, or one for every CPU that we may use]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Time to spend, e.g. 90s, 3m, 1h; the least number of repeats is done in any case
    #[arg(long, value_name = "TIME", default_value = "3m")]
    budget: Nanoseconds,
    /// Least number of repeats of each placement, at least 5
    #[arg(long, value_name = "N", default_value_t = 5)]
    repeats: u32,
    /// Differences whose whole interval lies within this count as none, e.g. 5%
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    margin: request::Share,
    /// Take the metric from the program's output: a regular expression with one group around the number
    #[arg(long, value_name = "REGEX")]
    metric: Option<String>,
    /// The metric of --metric is a rate, not a time
    #[arg(long, requires = "metric")]
    higher_is_better: bool,
    /// Share of one CPU that watching the program may take; more where one CPU is slow, as in an emulated machine
    #[arg(long, value_name = "SHARE", default_value = "0.5%")]
    sampling: request::Share,
    /// Seed of the order of trials [default: drawn, and kept in the record]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The record [default: PROGRAM.nw in this folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start over, whatever the record holds
    #[arg(long)]
    fresh: bool,
    /// Write a report in HTML too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Show what would be tried, and run nothing
    #[arg(long, conflicts_with = "json")]
    dry_run: bool,
    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<std::ffi::OsString>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let (html, json, dry_run) = (arguments.html.clone(), arguments.json, arguments.dry_run);
    let request = request::Request::new(arguments)?;
    if let Some(path) = &html {
        show::writable(path)?;
    }
    let machine = super::machine::this_machine()?;
    if dry_run {
        return prepare::dry_run(&request, machine);
    }
    let stop = interruptible()?;
    let mut progress = progress::Progress::new(json);
    let Some((mut study, record)) = prepare::open(&request, machine, &stop, &mut progress)? else {
        return Err(Failure::with_status(
            INTERRUPTED,
            "interrupted in the first run; there is nothing to report yet",
        ));
    };
    progress.begin(&study);
    let (record, stopped) = measure(&request, &mut study, record, &stop, &mut progress)?;
    drop(progress);
    study.stopped = Some(stopped);
    show::study(&study, record.path(), json, html.as_deref())?;
    Ok(if stopped == StopReason::Interrupted { INTERRUPTED } else { SUCCESS })
}

/// Runs the trials that are missing, and notes in the record why it stopped.
fn measure(
    request: &request::Request,
    study: &mut Study,
    record: Record,
    stop: &AtomicBool,
    progress: &mut progress::Progress,
) -> Result<(Record, StopReason), Failure> {
    let mut keeper = Keeper(record);
    let mut runner = request.runner();
    let mut engine = Engine {
        runner: &mut runner,
        clock: &SystemClock,
        keep: &mut keeper,
        sink: progress,
        decided: &mut numawise_analyse::decided,
        stop,
    };
    let stopped = engine.run(study).map_err(numawise_session::Error::from)?;
    keeper.0.set_stopped(Some(stopped))?;
    Ok((keeper.0, stopped))
}

struct Keeper(Record);

impl Keep for Keeper {
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.append(trial)?)
    }
}

/// The failure of the very first run: what the program printed, and its own status.
fn first_run_failed(metric: &Metric, trial: &Trial, record: &Path) -> Option<Failure> {
    let shown = |output: &str| match output.trim_end() {
        "" => "it printed nothing".to_owned(),
        text => format!("the end of its output:\n{text}"),
    };
    match &trial.outcome {
        Outcome::Measured { .. } => None,
        Outcome::Failed { exit, output_tail } => Some(Failure::with_status(
            exit.shell_status().clamp(1, 255) as u8,
            format!(
                "the program failed in its first run ({exit}), before anything was changed about it; nothing is kept in \
                 {}; {}",
                record.display(),
                shown(output_tail)
            ),
        )),
        Outcome::NoMetric { problem, output_tail } => {
            let problem = numawise_report::notice::metric_problem(metric.regex(), problem);
            Some(Failure::new(format!("{problem}; {}", shown(output_tail))))
        }
    }
}
