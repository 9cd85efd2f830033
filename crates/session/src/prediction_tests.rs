use std::collections::HashSet;
use std::time::Instant;

use numawise_analyse::{GridSearch, SearchChoice};
use numawise_facts::{
    Argument, AroundTrials, FactorKind, FactorLevels, MemoryRequest, Metric, Outcome, PlacementRequest,
    Reading, RunSpec, Strategy, Trial,
};
use numawise_units::Nanoseconds;

use super::*;
use crate::study::{self, Grid, GridBase, GridFactor, StudyEngine, StudyRequest, TrialChoice};

/// A study of 16 numbers of threads, two strategies and two policies on two nodes, without a trial.
fn study() -> Study {
    study_on("pack:2 numa:1 core:8 pu:1")
}

pub(crate) fn study_on(machine: &str) -> Study {
    let machine = numawise_machine::from_synthetic(machine).unwrap();
    let factors = vec![
        GridFactor::Threads((1..=16).collect()),
        GridFactor::Place(vec![Strategy::Local, Strategy::Distributed]),
        GridFactor::Memory(vec![MemoryRequest::Default, MemoryRequest::Interleave(None)]),
    ];
    let request = StudyRequest {
        command: RunSpec { command: vec![Argument::from("app")], directory: "/".into() },
        grid: Grid::new(factors, Vec::new()).unwrap(),
        base: GridBase {
            request: PlacementRequest::as_the_os_does(),
            pin: None,
            ranks: None,
            templates: Vec::new(),
        },
        around: AroundTrials::default(),
        metric: Metric::WallTime,
        metric_name: None,
        other_metrics: Vec::new(),
        repeats: 2,
        until: None,
        most_trials: None,
        choice: TrialChoice::Predict { points: 6 },
        budget: None,
        begun: Instant::now(),
        margin: "3%".parse().unwrap(),
        sampling: "0.5%".parse().unwrap(),
        seed: Some(1),
        record: "/none/app.study.nw".into(),
        fresh: false,
        version: "0".to_owned(),
        rank_words: |_, _| Vec::new(),
        engine: StudyEngine::Local,
    };
    let header = study::design(&request, machine).unwrap();
    Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None }
}

/// Seconds with so many threads: a node gives no more to more than three.
fn truth(study: &Study, point: &PointId) -> f64 {
    let point = study.header.point(point).unwrap();
    let cpus = point.placement.cpus();
    let first = cpus.iter().filter(|cpu| cpu.0 < 8).count() as f64;
    let busiest = first.max(cpus.len() as f64 - first);
    0.2 + 3.0 / cpus.len() as f64 + 6.0 / (cpus.len() as f64 * (3.0 / busiest).min(1.0))
}

fn run(study: &mut Study, point: &PointId) {
    let seconds = truth(study, point);
    run_for(study, point, seconds);
}

pub(crate) fn run_for(study: &mut Study, point: &PointId, seconds: f64) {
    let wall = Nanoseconds((seconds * 1e9) as u64);
    let number = study.trials.len() as u32;
    study.trials.push(Trial {
        number,
        block: 1 + study.trials.iter().filter(|trial| trial.point == *point).count() as u32,
        point: point.clone(),
        started: Nanoseconds(0),
        wall,
        outcome: Outcome::Measured { per_task: vec![wall.seconds()] },
        observation: Reading::unavailable("nobody looked"),
        disturbances: Vec::new(),
        left_behind: None,
        other_values: Vec::new(),
    });
}

#[test]
fn a_few_points_are_run_and_the_best_is_one_of_them() {
    let mut study = study();
    let mut runs = PredictionRuns::new(&study, 6);
    for _ in 0..2 * 13 {
        match next_trial(&mut runs, &study) {
            NextTrial::Run(point) => run(&mut study, &point),
            NextTrial::End(reason) => {
                assert_eq!(reason, StopReason::Decided);
                break;
            }
        }
    }
    assert!(matches!(next_trial(&mut runs, &study), NextTrial::End(_)), "{} trials", study.trials.len());
    let prediction = predict(&study);
    assert_eq!(prediction.points.len(), 64);
    assert!((6..=13).contains(&prediction.run), "{}", prediction.run);
    let best = prediction.best.measured().unwrap();
    let point = prediction.points.iter().find(|point| point.point == *best).unwrap();
    assert!(point.measured.measured().is_some(), "the best is run before it is recommended");
    assert!(point.error().measured().is_some(), "and its prediction is judged");
    let times = study.header.points.iter().map(|point| truth(&study, &point.id));
    let least = times.fold(f64::INFINITY, f64::min);
    assert!(truth(&study, best) < 1.03 * least, "{best}");
    for point in &prediction.points {
        let of = point.predicted.measured().unwrap();
        assert!(of.low <= of.value && of.value <= of.high, "{of:?}");
        let parts: f64 = point.parts.measured().unwrap().iter().map(|part| part.share.0).sum();
        assert!(parts > 0.9 && parts <= 1.0 + 1e-9, "{parts}");
    }
    let run: Vec<&PointId> = prediction.points.iter().filter(|of| of.runs > 0).map(|of| &of.point).collect();
    let once = |id: &str| run.iter().filter(|one| one.to_string().contains(id)).count();
    assert!(once("threads=16") <= 2, "local and distributed are one placement of all CPUs: {run:?}");
    let mut again = PredictionRuns::new(&study, 6);
    assert!(matches!(next_trial(&mut again, &study), NextTrial::End(_)), "what was run is not run again");
}

#[test]
fn without_enough_runs_there_is_a_reason_and_no_figure() {
    let mut study = study();
    let first = study.header.points[0].id.clone();
    run(&mut study, &first);
    let prediction = predict(&study);
    assert_eq!(prediction.run, 1);
    let of = &prediction.points[1];
    assert!(of.predicted.reason().unwrap().to_string().contains("1 of the points"), "{:?}", of.predicted);
    assert!(of.measured.measured().is_none() && of.parts.measured().is_none());
    assert!(prediction.errors.measured().is_none());
}

#[test]
fn what_the_system_places_is_not_predicted() {
    let mut study = study();
    let all = study.header.machine.allowed_cpus.clone();
    for point in &mut study.header.points {
        point.placement.strategy = Strategy::None;
        let task = &mut point.placement.tasks[0];
        task.cpus = all.clone();
        task.threads.fill(all.clone());
    }
    let of = &predict(&study).points[0];
    assert!(of.predicted.reason().unwrap().to_string().contains("system places"), "{:?}", of.predicted);
    // Threads on all CPUs are where they are, whoever places them.
    let chosen = planned(&study, 6);
    assert!(
        !chosen.is_empty() && chosen.iter().all(|id| id.to_string().contains("threads=16")),
        "{chosen:?}"
    );
}

/// Runs a search to its end, with what the model expects or without.
fn searched(repeats: u32, is_expected: bool) -> (Study, SearchChoice) {
    let mut study = study();
    study.header.min_repeats = repeats;
    let nothing = |_: &Study| Vec::new();
    let first = if is_expected { first_of_search(&study) } else { Vec::new() };
    let expected: numawise_analyse::Expectations<'_> = if is_expected { &expectations } else { &nothing };
    let mut search = GridSearch::of(&study.header, &first).unwrap();
    loop {
        match search.choose(&study, expected) {
            SearchChoice::Run(point) => run(&mut study, &point),
            end => return (study, end),
        }
    }
}

#[test]
fn a_search_that_knows_what_to_expect_takes_fewer_trials() {
    let (with, _) = searched(5, true);
    let (without, _) = searched(5, false);
    assert!(with.trials.len() <= 32, "a tenth of 320 trials: {}", with.trials.len());
    assert!(2 * with.trials.len() <= without.trials.len(), "{}, {}", with.trials.len(), without.trials.len());
    let of = |study: &Study| {
        study.trials.iter().map(|trial| truth(study, &trial.point)).fold(f64::INFINITY, f64::min)
    };
    let times = with.header.points.iter().map(|point| truth(&with, &point.id));
    assert!(of(&with) <= 1.02 * times.fold(f64::INFINITY, f64::min));
}

#[test]
fn a_search_goes_on_as_it_began() {
    let (study, end) = searched(5, true);
    let first = first_of_search(&study);
    let mut again = GridSearch::of(&study.header, &first).unwrap();
    assert_eq!(again.choose(&study, &expectations), end);
    let mut part = study.clone();
    part.trials.truncate(study.trials.len() - 3);
    let mut again = GridSearch::of(&study.header, &first).unwrap();
    let next = study.trials[part.trials.len()].point.clone();
    assert_eq!(again.choose(&part, &expectations), SearchChoice::Run(next));
}

#[test]
fn a_placement_with_two_names_is_searched_once() {
    let (study, _) = searched(5, false);
    let run: HashSet<&str> = study.trials.iter().map(|trial| trial.point.0.as_str()).collect();
    let twice =
        |memory: &str| run.iter().filter(|id| id.contains("threads=16") && id.contains(memory)).count();
    assert!(twice("default") <= 1 && twice("interleave") <= 1, "{run:?}");
}

#[test]
fn factors_that_the_model_does_not_know_share_what_it_says() {
    let mut study = study();
    assert_eq!(first_of_search(&study).len(), 8);
    // Every other point gets another value of a parameter.
    let grid = study.header.grid.as_mut().unwrap();
    grid.factors.push(FactorLevels {
        kind: FactorKind::Parameter,
        name: "n".to_owned(),
        levels: vec!["1".to_owned(), "2".to_owned(), "3".to_owned(), "4".to_owned()],
    });
    grid.runs.iter_mut().enumerate().for_each(|(k, run)| run.levels.push(k as u32 * 3 / 100));
    let first = first_of_search(&study);
    assert_eq!(first.len(), 8, "of the larger group: {first:?}");
    assert!(first.iter().all(|id| study.header.grid.as_ref().unwrap().run(id).unwrap().levels[3] == 0));
    assert!(expectations(&study).iter().all(Option::is_none), "nothing was run");
    first.iter().for_each(|point| run(&mut study, point));
    assert!(expectations(&study).iter().all(Option::is_some), "the other group's are those of this one");
    let grid = study.header.grid.as_mut().unwrap();
    grid.runs.iter_mut().enumerate().for_each(|(k, run)| run.levels[3] = k as u32 / 16);
    assert!(first_of_search(&study).is_empty(), "groups of 16 points are searched without");
}
