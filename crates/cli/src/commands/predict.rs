//! `numawise predict -- PROGRAM [ARGS]`: a program at a few points of a grid, and a time with its interval for all others.
//!
//! Factors and options are those of [`study`](super::study), and so is the record: the points that tell most of the others are run, then
//! those that may be the best. Of a record nothing is run. Exit status: as of a study.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use numawise_facts::{StopReason, Study};
use numawise_session::study::{self, GridExperiment, StudyEngine, TrialChoice};
use numawise_session::{other_machine, prediction};

use super::study::{Progress, Repeats, TrialArguments, request};
use crate::exit::{self, Failure, INTERRUPTED, SUCCESS, Status, interruptible, stops_with_program};
use crate::faces::Faces;
use crate::files::{self, OutputFile};
use crate::show::{self, StudyFormat};

/// Run a program at a few points of a grid of threads, placements and memory, and predict all others
#[derive(clap::Args)]
#[command(
    override_usage = "numawise predict [OPTIONS] -- PROGRAM [ARGS]...\n       numawise predict FILE.nw [OPTIONS]"
)]
#[command(
    after_help = "Factors, levels and {NAME} in the command are those of numawise study, which also goes on with the record. A profile \
                        of the machine (numawise machine measure) narrows the intervals."
)]
pub struct Arguments {
    #[command(flatten)]
    trials: TrialArguments,
    /// Points that are run first, for each combination of other factors than threads, place, memory, order and step
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=64))]
    points: u32,
    /// Repeats of each point that is run
    #[arg(long, alias = "repeat", value_name = "N", default_value_t = 3)]
    repeats: u32,
    /// The record of a study, or of an earlier prediction: nothing is run
    #[arg(value_name = "FILE.nw", conflicts_with_all = ["program", "command"])]
    file: Option<PathBuf>,
    /// Predict for another machine: what numawise machine measure --output FILE found there
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "command"])]
    machine: Option<PathBuf>,
    /// With --machine, the profile of the machine of the study: the speed of its cores, and what its record lacks
    #[arg(long, value_name = "FILE", requires = "machine")]
    profile: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required_unless_present_any = ["command", "file"], value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let begun = Instant::now();
    let Arguments { trials, points, repeats, file, machine: other, profile, program } = arguments;
    let format = if trials.csv { StudyFormat::Csv } else { StudyFormat::Text };
    let (faces, dry_run) = (trials.faces.clone(), trials.dry_run);
    if let Some(path) = file {
        let read: Vec<&Path> = [Some(&path), other.as_ref(), profile.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect();
        files::check(&faces.outputs(), &read)?;
        let study = prediction::recorded_study(&path)?;
        match other {
            Some(other) => {
                let of_other = other_machine::predict_on_other(&study, &path, &other, profile.as_deref())?;
                show::prediction_for(&study, &path, &of_other, format, &faces)?;
            }
            None => show::prediction(&study, &path, format, &faces)?,
        }
        return Ok(SUCCESS);
    }
    let stop = interruptible()?;
    let machine = super::machine::this_machine()?;
    let choice = TrialChoice::Predict { points };
    let repeats = Repeats { repeats, until: None, most_trials: None, choice };
    let request = request((trials, &program), repeats, begun, &machine, StudyEngine::Local)?;
    super::warn_of_near_everywhere(&machine, request.grid.devices())?;
    let header = study::design(&request, machine.clone())?;
    let design = Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None };
    let planned = prediction::planned(&design, points);
    if planned.is_empty() {
        return Err(nothing_to_predict(&design));
    }
    if dry_run {
        show::prediction_plan(&design, &planned)?;
        return Ok(SUCCESS);
    }
    let written: Vec<OutputFile<'_>> =
        [OutputFile::record(&request.record)].into_iter().chain(faces.outputs()).collect();
    let templates = request.base.templates.iter().map(|template| Path::new(&template.file));
    let read = request.metric.file().map(|file| Path::new(file.as_os_str()));
    files::check(&written, &read.into_iter().chain(templates).collect::<Vec<_>>())?;
    stops_with_program()?;
    let path = request.record.clone();
    let experiment = GridExperiment::open(request, machine)?;
    let says = format == StudyFormat::Text && !faces.json.is_printed();
    let mut progress = Progress::of(&experiment, says, |header| {
        let points = planned.iter().map(|id| format!("\n  {id}")).collect::<String>();
        let (first, all, repeats) = (planned.len(), header.points.len(), header.min_repeats);
        format!(
            "{first} of {all} points, {repeats} repeats of each, then those that may be the best:{points}"
        )
    });
    let (study, reason) = experiment.run(&mut progress, &stop)?;
    drop(progress);
    ended(&study, reason, &path, format, &faces)
}

/// Why no point can be predicted, and what to ask for.
fn nothing_to_predict(design: &Study) -> Failure {
    let prediction = prediction::predict(design);
    let reason =
        prediction.points.first().and_then(|point| point.predicted.reason()).map(ToString::to_string);
    Failure::new(format!(
        "none of the {} points can be predicted: {}; expected --threads and --place, as in --threads 1,2,4 --place all",
        prediction.points.len(),
        reason.unwrap_or_default()
    ))
}

fn ended(
    study: &Study,
    reason: StopReason,
    path: &Path,
    format: StudyFormat,
    faces: &Faces,
) -> Result<Status, Failure> {
    show::prediction(study, path, format, faces)?;
    Ok(match reason {
        StopReason::Interrupted => INTERRUPTED,
        StopReason::TooManyFailures => exit::of_failures(study),
        StopReason::Decided | StopReason::BudgetSpent if exit::has_failed(study) => exit::of_failures(study),
        StopReason::Decided | StopReason::BudgetSpent => SUCCESS,
    })
}
