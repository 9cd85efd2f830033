//! Studies of grids, made by hand.

use numawise_facts::{
    ContrastRole, Disturbance, Exit, FactorKind, FactorLevels, GridRun, GridStudy, Outcome, PointPair,
    PointRole, Reading, Study, Trial,
};
use numawise_units::Nanoseconds;

use super::build::{self, Noise};

/// A factor with its levels.
pub fn factor(kind: FactorKind, name: &str, levels: &[&str]) -> FactorLevels {
    let levels = levels.iter().map(|level| (*level).to_owned()).collect();
    FactorLevels { kind, name: name.to_owned(), levels }
}

/// Levels that are numbers.
pub fn numbers(kind: FactorKind, name: &str, levels: impl IntoIterator<Item = u32>) -> FactorLevels {
    let levels = levels.into_iter().map(|level| level.to_string()).collect();
    FactorLevels { kind, name: name.to_owned(), levels }
}

fn is_of_workers(kind: FactorKind) -> bool {
    matches!(kind, FactorKind::Threads | FactorKind::Ranks | FactorKind::Copies)
}

/// All combinations of the factors for which `seconds` has a time, by the places of their levels; a trial of each in every block, after
/// one of the first that warms up. Each trial is off by at most `noise` times as much as it takes.
pub fn study(
    factors: Vec<FactorLevels>,
    repeats: u32,
    seconds: impl Fn(&[usize]) -> Option<(f64, f64)>,
) -> Study {
    let mut combinations: Vec<Vec<usize>> = vec![vec![]];
    for factor in &factors {
        combinations = combinations
            .iter()
            .flat_map(|one| (0..factor.levels.len()).map(|k| [one.as_slice(), &[k]].concat()))
            .collect();
    }
    let mut header = build::header(&["./app", "{threads}"], 2, vec![]);
    header.not_tried.clear();
    let mut runs = Vec::new();
    let mut times = Vec::new();
    for levels in &combinations {
        let Some(time) = seconds(levels) else { continue };
        let words: Vec<&str> = factors.iter().zip(levels).map(|(of, k)| of.levels[*k].as_str()).collect();
        let name: Vec<String> =
            factors.iter().zip(&words).map(|(of, level)| format!("{}={level}", of.name)).collect();
        let id = name.join(" ");
        let of_workers = factors.iter().zip(&words).filter(|(of, _)| is_of_workers(of.kind));
        let workers: Vec<u32> = of_workers.map(|(_, level)| level.parse().expect("a number")).collect();
        let mut command = header.command.clone();
        command.command[1] = (*words.last().expect("a factor")).into();
        runs.push(GridRun {
            point: id.as_str().into(),
            levels: levels.iter().map(|k| *k as u32).collect(),
            workers: (!workers.is_empty()).then(|| workers.iter().product()),
            command,
            environment: vec![("OMP_NUM_THREADS".to_owned(), "4".to_owned())],
        });
        let role = if header.points.is_empty() { PointRole::Baseline } else { PointRole::Candidate };
        let point = build::point(&id, role, 4);
        header.points.push(point);
        times.push(time);
    }
    header.pairs = header.points[1..]
        .iter()
        .map(|to| PointPair {
            from: header.points[0].id.clone(),
            to: to.id.clone(),
            role: ContrastRole::BothWays,
        })
        .collect();
    header.grid = Some(GridStudy { factors, runs, ..GridStudy::default() });
    let mut random = Noise(7);
    let mut trials: Vec<Trial> = Vec::new();
    let mut run = |block: u32, k: usize| {
        let (seconds, noise) = times[k];
        let seconds = seconds * (1.0 + noise * random.next());
        trials.push(Trial {
            number: trials.len() as u32,
            block,
            point: header.points[k].id.clone(),
            started: Nanoseconds(1_735_689_601_000_000_000 + trials.len() as u64 * 1_000_000),
            wall: Nanoseconds::from_seconds(seconds),
            outcome: Outcome::Measured { per_task: vec![seconds] },
            observation: Reading::unavailable("this is a sample"),
            disturbances: vec![],
            left_behind: None,
            other_values: vec![],
        });
    };
    run(0, 0);
    for block in 1..=repeats {
        // Another order in each block.
        (0..times.len()).for_each(|k| run(block, (k + block as usize * 5) % times.len()));
    }
    Study { header, trials, stopped: Some(numawise_facts::StopReason::Decided), lines: None, objects: None }
}

/// Times as Amdahl's law has them.
pub fn amdahl(serial: f64, threads: f64) -> f64 {
    8.0 * (serial + (1.0 - serial) / threads)
}

/// Threads by strategy: one follows Amdahl's law, the other falls off a cliff; some trials failed, some were disturbed.
pub fn scaling() -> Study {
    let threads = [1, 2, 4, 8, 16, 32];
    let factors = vec![
        factor(FactorKind::Place, "place", &["local", "distributed"]),
        numbers(FactorKind::Threads, "threads", threads),
    ];
    let mut study = study(factors, 8, |levels| {
        let threads = f64::from(threads[levels[1]]);
        Some(match levels[0] {
            0 => (amdahl(0.05, threads), 0.01),
            _ => (if threads > 8.0 { 2.4 } else { 8.6 / threads }, 0.03),
        })
    });
    let last = study.trials.len() - 1;
    study.trials[20].outcome =
        Outcome::Failed { failure: Exit::Code(3).into(), output_tail: "out of <memory>".to_owned() };
    study.trials[last].outcome =
        Outcome::Failed { failure: Exit::Signal(9).into(), output_tail: String::new() };
    study.trials[33].disturbances = vec![Disturbance::OtherLoad(0.35)];
    study
}

/// Ranks by threads with pinning off and on; no more than 32 work together.
pub fn hybrid() -> Study {
    let of = [1, 2, 4, 8, 16, 32];
    let factors = vec![
        numbers(FactorKind::Ranks, "ranks", of),
        numbers(FactorKind::Threads, "threads", of),
        factor(FactorKind::Pin, "pin", &["off", "on"]),
    ];
    study(factors, 6, |levels| {
        let workers = of[levels[0]] * of[levels[1]];
        let noise = if levels[2] == 0 { 0.15 } else { 0.005 };
        let favour = 1.0 + 0.02 * (levels[1] as f64 - 2.0).powi(2);
        (workers <= 32).then(|| (amdahl(0.02, f64::from(workers)) * favour, noise))
    })
}

/// A parameter of the program's own that is a number.
pub fn parameter() -> Study {
    let factors = vec![
        numbers(FactorKind::Parameter, "block", [8, 16, 24, 32, 40, 48, 56, 64]),
        factor(FactorKind::Pin, "pin", &["off", "on"]),
    ];
    study(factors, 8, |levels| {
        Some((1.0 + 0.1 * (levels[0] as f64 - 4.0).powi(2), if levels[1] == 0 { 0.08 } else { 0.01 }))
    })
}

/// More points, lines and trials than a page draws.
pub fn large(points: u32, repeats: u32) -> Study {
    let threads = points / 20;
    let factors = vec![
        numbers(FactorKind::Parameter, "tile", 1..=20),
        numbers(FactorKind::Threads, "threads", 1..=threads),
    ];
    study(factors, repeats, |levels| {
        Some((amdahl(0.05, levels[1] as f64 + 1.0) * (1.0 + levels[0] as f64 / 50.0), 0.02))
    })
}
