//! `numawise check -- PROGRAM [ARGS]`: does placement matter for this program on this machine, by how much, and what
//! should change?
//!
//! The program is run several times at each of a handful of placements, in random order, until the intervals decide or
//! the budget is spent. Trials are kept in a record (`PROGRAM.nw`) as they end; the same command goes on from there.
//! Exit status: 0 when there is an answer (also "undecided"), 130 after Ctrl-C, the program's own when its first run
//! fails, 125 to 127 as everywhere.

mod progress;

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Instant;

use numawise_facts::{Argument, DeviceName, Metric, RunSpec, StopReason};
use numawise_session::experiment::{self, Experiment, ExperimentRequest, ObjectsWords};
use numawise_session::openmp::outermost;
use numawise_units::{Nanoseconds, Share};

use crate::exit::{Failure, INTERRUPTED, SUCCESS, Status, interruptible, stops_with_program};
use crate::faces::Faces;
use crate::files::{self, OutputFile, own_file};
use crate::placing;
use crate::show;
use crate::verdict::printed_lines;
use progress::Progress;

/// The options that say what is compared.
const METRIC: &str = "what is compared";

/// Find out whether placement matters for a program here, by how much, and what to change
#[derive(clap::Args)]
#[command(override_usage = "numawise check [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(group = clap::ArgGroup::new(METRIC).multiple(true))]
pub struct Arguments {
    /// Threads of the program [default: OMP_NUM_THREADS, or one for every CPU that we may use]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Try one node near to a device, and the same far from it: gpu:0, nic:mlx5_0, storage:nvme0n1, pci:0000:3b:00.0, gpu (all
    /// GPUs); numawise machine shows which there are
    #[arg(long, value_name = "DEVICE")]
    near: Option<DeviceName>,
    /// Time to spend in all, e.g. 90s, 3m, 1h: placements for which it is too short are left out
    #[arg(long, value_name = "TIME", default_value = "3m")]
    budget: Nanoseconds,
    /// Least number of repeats of each placement, at least 5, whatever time they take [default: 5, within --budget]
    #[arg(long, value_name = "N")]
    repeats: Option<u32>,
    /// Smaller differences, with their whole interval, count as equal, e.g. 5%
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    margin: Share,
    /// Take the metric from what the program prints, on stdout or stderr: a regular expression with one group around the number
    #[arg(long, value_name = "[NAME=]REGEX", group = METRIC)]
    metric: Option<String>,
    /// Take the metric from a file that the program writes in each run: the number in it, or what --metric finds in it; {threads} and
    /// {task} are filled in
    #[arg(long, value_name = "FILE", group = METRIC)]
    metric_file: Option<std::ffi::OsString>,
    /// The metric of --metric or --metric-file is a rate, not a time
    #[arg(long, requires = METRIC)]
    higher_is_better: bool,
    /// Most that sampling may take, as a share of one CPU; in runs that are compared at most a tenth of --margin. Where that samples too little,
    /// each placement is sampled in one extra run
    #[arg(long, value_name = "SHARE", default_value = "0.5%")]
    sampling: Share,
    /// Run the program once more after the trials and follow its arrays, as numawise objects does: findings name them, and their lines
    #[arg(long)]
    objects: bool,
    /// Seed of the order of trials [default: random, kept in the record]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The record [default: PROGRAM.nw in this folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start over, whatever the record holds
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    faces: Faces,
    /// Show what would be tried, and run nothing
    #[arg(long, conflicts_with = "json")]
    dry_run: bool,
    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<std::ffi::OsString>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let begun = Instant::now();
    let (faces, dry_run) = (arguments.faces.clone(), arguments.dry_run);
    let request = request(arguments, begun)?;
    let record = (!dry_run).then(|| OutputFile::record(&request.record));
    let written: Vec<OutputFile<'_>> = record.into_iter().chain(faces.outputs()).collect();
    let read = request.metric.file().map(|file| Path::new(file.as_os_str()));
    files::check(&written, read.as_slice())?;
    let machine = super::machine::this_machine()?;
    super::warn_of_near_everywhere(&machine, request.near.as_slice())?;
    if dry_run {
        show::design(&experiment::design(&request, machine)?)?;
        return Ok(SUCCESS);
    }
    let stop = interruptible()?;
    stops_with_program()?;
    let mut progress = Progress::new(faces.json.is_printed());
    for obstacle in experiment::obstacles(&request, &machine) {
        progress.warn(&numawise_report::notice::text(&obstacle));
    }
    let experiment = Experiment::open(request, machine, &mut progress, &stop)?;
    progress.begin(experiment.study());
    let stopped = experiment.run(&printed_lines, &mut progress, &stop)?;
    drop(progress);
    show::study(&stopped.study, &stopped.record, &faces)?;
    Ok(if stopped.reason == StopReason::Interrupted { INTERRUPTED } else { SUCCESS })
}

/// What was typed, as a request.
fn request(typed: Arguments, begun: Instant) -> Result<ExperimentRequest, Failure> {
    let directory = std::env::current_dir().map_err(|e| {
        Failure::new(format!("the current folder is not known: {e}; change to one that exists"))
    })?;
    let omp_num_threads = std::env::var("OMP_NUM_THREADS").ok();
    let record =
        typed.output.unwrap_or_else(|| ExperimentRequest::usual_record(Path::new(&typed.command[0])));
    Ok(ExperimentRequest {
        command: RunSpec { command: typed.command.into_iter().map(Argument).collect(), directory },
        threads: threads(typed.threads, omp_num_threads.as_deref())?,
        near: typed.near,
        metric: metric(typed.metric, typed.metric_file, typed.higher_is_better)?,
        budget: typed.budget,
        begun,
        repeats: typed.repeats,
        margin: typed.margin,
        sampling: typed.sampling,
        seed: typed.seed,
        record,
        fresh: typed.fresh,
        objects: typed.objects.then_some(following as ObjectsWords),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rank_words: placing::rank_words,
    })
}

/// The numawise that follows the objects of the program behind these words.
fn following(record: &Path) -> Vec<Argument> {
    let options = ["objects", "--quiet", "--output"].map(OsString::from);
    let words = [own_file()].into_iter().chain(options).chain([record.into(), "--".into()]);
    words.map(Argument).collect()
}

/// What is compared.
fn metric(
    regex: Option<String>,
    file: Option<std::ffi::OsString>,
    higher_is_better: bool,
) -> Result<Metric, Failure> {
    // One metric needs no name, and may have one.
    let regex = regex.map(|text| match crate::metric::named_alone(&text) {
        Some((_, regex)) => regex.to_owned(),
        None => text,
    });
    Ok(match (regex, file) {
        (_, Some(file)) if file.is_empty() => {
            return Err(Failure::new(
                "--metric-file '': expected the name of a file that the program writes",
            ));
        }
        (regex, Some(file)) => Metric::File { file: Argument(file), regex, higher_is_better },
        (Some(regex), None) => Metric::Output { regex, higher_is_better },
        (None, None) => Metric::WallTime,
    })
}

/// The number of threads that was typed, or else the outermost level of `OMP_NUM_THREADS`, which may be a list.
fn threads(typed: Option<u32>, omp_num_threads: Option<&str>) -> Result<Option<NonZeroU32>, Failure> {
    let found = match (typed, omp_num_threads) {
        (Some(0), _) => return Err(Failure::new("--threads 0: expected at least 1")),
        (Some(threads), _) => Some(threads),
        (None, Some(text)) => Some(outermost(text).ok_or_else(|| {
            Failure::new(format!(
                "OMP_NUM_THREADS is '{text}'; expected a number of threads; unset it or give --threads"
            ))
        })?),
        (None, None) => None,
    };
    Ok(found.and_then(NonZeroU32::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_threads_counts_by_its_first_level() {
        let of = |text| threads(None, Some(text)).ok().flatten().map(NonZeroU32::get);
        assert_eq!((of("4"), of(" 8,2")), (Some(4), Some(8)));
        for text in ["", "0", "x", "-1"] {
            assert!(threads(None, Some(text)).is_err(), "{text}");
        }
    }
}
