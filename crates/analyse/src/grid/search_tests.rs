use numawise_facts::{FactorKind, GridRun, GridStudy, Outcome, Point};

use super::*;
use crate::sample::{study as two_points, two_sockets};

/// A grid of one factor with these levels, without trials.
fn grid(levels: &[&str], repeats: u32) -> Study {
    let mut study = two_points(two_sockets(), &[("os", 1.0)], &[], 1);
    let first = study.header.points[0].clone();
    study.header.min_repeats = repeats;
    study.header.points = levels.iter().map(|level| Point { id: (*level).into(), ..first.clone() }).collect();
    let run = |(k, level): (usize, &&str)| GridRun {
        point: (*level).into(),
        levels: vec![k as u32],
        workers: None,
        command: study.header.command.clone(),
        environment: vec![],
    };
    let runs = levels.iter().enumerate().map(run).collect();
    let levels = levels.iter().map(|level| (*level).to_owned()).collect();
    let factors = vec![FactorLevels { kind: FactorKind::Parameter, name: "n".to_owned(), levels }];
    study.header.grid = Some(GridStudy { factors, runs, ..GridStudy::default() });
    study
}

fn nothing(_: &Study) -> Vec<Option<Guess>> {
    Vec::new()
}

/// Runs a search on seconds by level.
fn search(levels: &[&str], repeats: u32, seconds: impl Fn(&str) -> f64) -> (Study, SearchChoice) {
    let mut study = grid(levels, repeats);
    let template = study.trials[0].clone();
    study.trials.clear();
    let mut search = GridSearch::of(&study.header, &[]).unwrap();
    loop {
        let point = match search.choose(&study, &nothing) {
            SearchChoice::Run(point) => point,
            end => return (study, end),
        };
        let mut trial = template.clone();
        trial.outcome = Outcome::Measured { per_task: vec![seconds(&point.0)] };
        trial.block = 1 + study.trials.iter().filter(|trial| trial.point == point).count() as u32;
        trial.number = study.trials.len() as u32;
        trial.point = point;
        study.trials.push(trial);
    }
}

fn times_run(study: &Study, point: &str) -> usize {
    study.trials.iter().filter(|trial| trial.point.0 == point).count()
}

#[test]
fn levels_that_are_numbers_have_a_scale() {
    let of = |levels: &[&str]| {
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        numbers(&FactorLevels { kind: FactorKind::Threads, name: "n".to_owned(), levels })
    };
    assert_eq!(of(&["1", "2", "8"]), Some(vec![0.0, 1.0, 3.0]));
    assert_eq!(of(&["0", "10"]), Some(vec![0.0, 10.0]));
    assert_eq!(of(&["static", "8"]), None);
    assert_eq!(of(&["nan", "1"]), None);
}

#[test]
fn it_ends_within_a_quarter_of_the_trials_and_has_run_the_best() {
    let names: Vec<String> = (1..=32).map(|n: u32| n.to_string()).collect();
    let levels: Vec<&str> = names.iter().map(String::as_str).collect();
    let (study, _) = search(&levels, 5, |n| 1.0 + (n.parse::<f64>().unwrap().log2() - 3.0).abs());
    assert!(study.trials.len() <= 40, "{}", study.trials.len());
    assert!(times_run(&study, "8") > 0);
}

#[test]
fn it_goes_on_where_another_process_ended() {
    let (study, end) = search(&["a", "b", "c", "d", "e", "f", "g", "h"], 5, |n| n.as_bytes()[0].into());
    assert_ne!(end, SearchChoice::Run("a".into()));
    let mut again = GridSearch::of(&study.header, &[]).unwrap();
    assert_eq!(again.choose(&study, &nothing), end, "all of it is known");
    let mut half = study.clone();
    half.trials.truncate(3);
    assert_eq!(
        GridSearch::of(&half.header, &[]).unwrap().choose(&half, &nothing),
        SearchChoice::Run(study.trials[3].point.clone())
    );
}

#[test]
fn nodes_are_full_at_their_cores_and_at_their_cpus() {
    let machine = two_sockets();
    let per_node: Vec<u32> = machine.nodes.iter().map(|node| node.cpus.len() as u32).collect();
    let full = full_nodes(&machine);
    assert!(full.contains(&per_node[0]) && full.contains(&(per_node[0] + per_node[1])), "{full:?}");
    assert_eq!(full.last(), Some(&(machine.cpus.len() as u32)));
}

#[test]
fn a_study_that_is_no_grid_is_not_searched() {
    assert!(GridSearch::of(&two_points(two_sockets(), &[("os", 1.0)], &[], 1).header, &[]).is_none());
}
