//! From a request to a study: the machine, the first run, the points, the record.

use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::{Machine, Point, PointId, Reading, StopReason, Study, StudyHeader, StudyNotice, Trial};
use numawise_record::Record;
use numawise_study::{Engine, Keep, PlannedPoint, ProgramNeeds, StudyDesign, SystemClock};
use numawise_units::{Bytes, Nanoseconds};

use super::first_run_failed;
use super::progress::Progress;
use super::request::Request;
use crate::commands::{Failure, SUCCESS, Status};
use numawise_session::here;

/// The study to go on with and its record: an older one that fits, or a new one after a first run. `None` when the
/// first run was interrupted.
pub fn open(
    request: &Request,
    machine: Machine,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<Option<(Study, Record)>, Failure> {
    if !request.fresh && request.record.exists() {
        let record = Record::open(&request.record)?;
        let study = record.study()?;
        return resume(request, machine, study, record).map(Some);
    }
    let machine = here::with_newest_profile(machine).0;
    let needs = needs_before_the_first_run(request);
    let first = StudyDesign { points: baseline(&machine, &needs), pairs: Vec::new(), not_tried: Vec::new() };
    let header = header(request, machine, first)?;
    let mut study = Study { header, trials: Vec::new(), stopped: None };
    if warm_up(request, &mut study, stop, progress)? == Some(StopReason::Interrupted) {
        return Ok(None);
    }
    if let Some(failure) =
        study.trials.first().and_then(|trial| first_run_failed(&request.metric, trial, &request.record))
    {
        return Err(failure);
    }
    let needs = ProgramNeeds { memory: peak_memory(&study), ..needs };
    let design = numawise_study::plan(&study.header.machine, &needs);
    let header =
        StudyHeader { begun: study.header.begun, ..self::header(request, study.header.machine, design)? };
    let mut record = if request.fresh && request.record.exists() {
        Record::replace(&request.record, &header)?
    } else {
        Record::create(&request.record, &header)?
    };
    for trial in &study.trials {
        record.append(trial)?;
    }
    study.header = header;
    Ok(Some((study, record)))
}

/// Shows the design without running anything.
pub fn dry_run(request: &Request, machine: Machine) -> Result<Status, Failure> {
    let machine = here::with_newest_profile(machine).0;
    let needs = needs_before_the_first_run(request);
    let design = numawise_study::plan(&machine, &needs);
    let header = header(request, machine, design)?;
    crate::show::design(&header)?;
    Ok(SUCCESS)
}

/// What is known of the program before it has run: not how much memory it takes.
fn needs_before_the_first_run(request: &Request) -> ProgramNeeds {
    ProgramNeeds { threads: request.threads, memory: Reading::unavailable("the program has not run yet") }
}

fn baseline(machine: &Machine, needs: &ProgramNeeds) -> Vec<PlannedPoint> {
    let mut points = numawise_study::plan(machine, needs).points;
    points.truncate(1);
    points
}

/// Runs the baseline once, before there is a record: how much memory the program takes decides what can be tried.
fn warm_up(
    request: &Request,
    study: &mut Study,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<Option<StopReason>, Failure> {
    let mut runner = request.runner();
    let mut engine = Engine {
        runner: &mut runner,
        clock: &SystemClock,
        keep: &mut NotYet,
        sink: progress,
        decided: &mut |_| false,
        stop,
    };
    engine.warm_up(study).map_err(|error| numawise_session::Error::from(error).into())
}

/// The first run is kept together with the header, once that is known.
struct NotYet;

impl Keep for NotYet {
    fn keep(&mut self, _: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

fn peak_memory(study: &Study) -> Reading<Bytes> {
    match study.trials.first().and_then(|trial| trial.observation.measured()) {
        Some(observation) => observation.peak_memory.clone(),
        None => Reading::unavailable("the first run was not watched"),
    }
}

/// An older study under the same name, if it is the same study.
fn resume(
    request: &Request,
    machine: Machine,
    study: Study,
    record: Record,
) -> Result<(Study, Record), Failure> {
    let recorded = &study.header;
    // With the figures that the study was begun with, it is the same machine; newer ones are for what is said of it.
    let newest = here::with_newest_profile(machine.clone()).0;
    let machine = numawise_machine::with_measured_of(machine, &recorded.machine);
    let needs = ProgramNeeds { threads: request.threads, memory: peak_memory(&study) };
    let threads = |planned: &[PlannedPoint]| planned.first().and_then(|p| p.request.threads);
    let mut now = header(request, machine, numawise_study::plan(&recorded.machine, &needs))?;
    if recorded.points.first().and_then(|p| p.request.threads) == threads(&baseline(&now.machine, &needs)) {
        now.points.clone_from(&recorded.points);
        now.pairs.clone_from(&recorded.pairs);
    }
    let path = request.record.display();
    let advice = "--fresh starts over, --output keeps this one under another name";
    if let Err(difference) = Record::same_study(recorded, &now) {
        return Err(Failure::new(format!("{path} holds another study: {difference}; {advice}")));
    }
    if (recorded.margin, recorded.min_repeats) != (now.margin, now.min_repeats) {
        return Err(Failure::new(format!(
            "{path} was begun with --margin {} --repeats {}, and now it is --margin {} --repeats {}; {advice}",
            recorded.margin, recorded.min_repeats, now.margin, now.min_repeats
        )));
    }
    let mut header = StudyHeader { budget: request.budget, ..study.header };
    if newest.is_measured() {
        header.machine.attributes = newest.attributes;
    }
    Ok((Study { header, ..study }, record))
}

/// The header of a study: every point resolved to a placement. A point that cannot be placed is not tried, and says why.
fn header(request: &Request, machine: Machine, design: StudyDesign) -> Result<StudyHeader, Failure> {
    let StudyDesign { points: planned, mut pairs, mut not_tried } = design;
    let mut points: Vec<Point> = Vec::new();
    for PlannedPoint { id, levels, role, request } in planned {
        match numawise_placement::place(&machine, &request) {
            Ok(placement) => points.push(Point { id, levels, role, request, placement }),
            Err(error) if points.is_empty() => return Err(error.into()),
            Err(error) => {
                let problem = error.to_string();
                not_tried.push(StudyNotice::CannotBePlaced { point: id, levels, problem }.into());
            }
        }
    }
    let known = |id: &PointId| points.iter().any(|point| point.id == *id);
    pairs.retain(|pair| known(&pair.from) && known(&pair.to));
    let begun: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
    Ok(StudyHeader {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        // The low digits of the clock are as good as drawn, and the seed is kept.
        seed: request.seed.unwrap_or(begun.0 % 1_000_000_007),
        begun,
        command: request.command.clone(),
        machine,
        host: numawise_observe::host::facts(&numawise_observe::Roots::default()),
        metric: request.metric.clone(),
        points,
        pairs,
        not_tried,
        min_repeats: request.repeats,
        margin: request.margin,
        budget: request.budget,
    })
}
