//! `testbed predict-truth`: all placements of programs, measured in emulated machines, against what a few of them predict.
//!
//! Each program of a machine is one guest, which runs a full study of it. The records are kept, so that the table can be
//! made anew without a guest: of each record a few points are taken as if only they had been run.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use numawise_facts::{Outcome, PointId, Study};
use numawise_predict::{PredictionRuns, predict};
use numawise_record::Record;
use numawise_tables::Prediction;

#[cfg(test)]
#[path = "predicted_tests.rs"]
mod tests;

const KEPT: &str = "build/predict-truth";
const TABLE: &str = "docs/truth-prediction.md";
const MACHINES: [&str; 2] = ["two-socket", "hbm"];

/// A program by its name, its command, and what it prints: its time, or its rate.
const PROGRAMS: [(&str, &str, &str); 8] = [
    ("iso3dfd", "iso3dfd 64 64 64 2 64 8 8 {threads}", RATE),
    ("iso3dfd-first-touch", "iso3dfd 64 64 64 2 64 8 8 {threads} --first-touch", RATE),
    ("serial-init", "cases serial-init 6 1 {threads}", TIME),
    ("parallel-init", "cases parallel-init 6 1 {threads}", TIME),
    ("unbalanced", "cases unbalanced 6 1 {threads}", TIME),
    ("table", "cases table 8 8000 {threads}", TIME),
    ("table-queue", "cases table-queue 8 8000 {threads}", TIME),
    ("compute", "cases compute 0 200 {threads}", TIME),
];
const TIME: &str = "--metric 'seconds: ([0-9.]+)'";
const RATE: &str = "--metric 'throughput: ([0-9.]+)' --higher-is-better";

/// What to measure, and what to make of it.
#[derive(Args)]
pub(crate) struct PredictTruthArgs {
    /// No guests: predict from what is kept
    #[arg(long)]
    judge: bool,
    /// Only these machines
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// Only these programs
    #[arg(long, value_name = "NAME", num_args = 1..)]
    programs: Vec<String>,
    /// Only programs that are not kept yet
    #[arg(long)]
    resume: bool,
    /// Let the guest measure its memory first, which takes many minutes
    #[arg(long)]
    measure: bool,
    /// Of each point
    #[arg(long, default_value_t = 2, value_name = "N")]
    repeats: u32,
    /// Points that are run first
    #[arg(long, default_value_t = 8, value_name = "N")]
    points: usize,
    /// Write the table there
    #[arg(long, default_value = TABLE, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error(
        "{path} is not there; `make build` and `make -C native/workloads/cases` make what goes into a guest"
    )]
    NotBuilt { path: String },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("no record of a program is kept in {KEPT}: run it without --judge first")]
    NothingKept,
    #[error(transparent)]
    Machine(#[from] testbed::LoadError),
    #[error(transparent)]
    Guest(#[from] testbed::Error),
    #[error(transparent)]
    Record(#[from] numawise_record::RecordError),
}

/// What the predictions of one program came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Score {
    pub machine: String,
    pub program: String,
    pub points: usize,
    pub run: usize,
    /// Of points that were not run, as shares; and whether each lies in its interval.
    pub errors: Vec<f64>,
    pub inside: usize,
    /// Points without a prediction.
    pub unavailable: usize,
    /// How much worse the point that is recommended is than the best.
    pub regret: f64,
}

pub(crate) fn run(arguments: &PredictTruthArgs) -> Result<u8, Problem> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kept = root.join(KEPT);
    let written = |path: &Path| {
        let path = path.to_owned();
        move |error| Problem::Write { path, error }
    };
    std::fs::create_dir_all(&kept).map_err(written(&kept))?;
    for machine in MACHINES.iter().filter(|name| !arguments.judge && wants(arguments, name)) {
        for program in PROGRAMS {
            let file = file(&kept, machine, program.0);
            let is_wanted =
                arguments.programs.is_empty() || arguments.programs.iter().any(|name| name == program.0);
            if is_wanted && !(arguments.resume && file.exists()) {
                measure(root, (machine, program), arguments, file)?;
            }
        }
    }
    let mut scores = Vec::new();
    for machine in MACHINES {
        for (program, ..) in PROGRAMS {
            let file = file(&kept, machine, program);
            if file.exists() {
                let study = Record::open_to_read(&file)?.study()?;
                scores.push(score(machine, program, &study, arguments.points));
            }
        }
    }
    if scores.is_empty() {
        return Err(Problem::NothingKept);
    }
    let output = root.join(&arguments.output);
    std::fs::write(&output, document(&scores)).map_err(written(&output))?;
    eprintln!("predict-truth: {} programs are in {}", scores.len(), output.display());
    Ok(0)
}

fn wants(arguments: &PredictTruthArgs, machine: &str) -> bool {
    arguments.only.is_empty() || arguments.only.iter().any(|name| name == machine)
}

fn file(kept: &Path, machine: &str, program: &str) -> PathBuf {
    kept.join(format!("{machine}-{program}.nw"))
}

/// A full study of a program in a guest of its own.
fn measure(
    root: &Path,
    (name, (program, command, metric)): (&str, (&str, &str, &str)),
    arguments: &PredictTruthArgs,
    kept: PathBuf,
) -> Result<(), Problem> {
    let machine = testbed::load(name)?;
    let mut guest = testbed::guest(&machine).timing(true).limit(Duration::from_secs(1800));
    for path in BUILT {
        let file = root.join(path);
        if !file.exists() {
            return Err(Problem::NotBuilt { path: path.to_owned() });
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        guest = guest.file_at(file, format!("/bin/{name}"));
    }
    let record = "/root/program.nw";
    let repeats = arguments.repeats;
    let measure =
        if arguments.measure { "numawise machine measure --mix read --seed 1 > /dev/null;" } else { "" };
    let study = format!(
        "{measure} numawise study --csv --threads 1..=4 --place local,distributed --memory default,interleave,bind:1{} --repeats {repeats} \
         --sampling 10% --seed 1 {metric} --output {record} -- {command}",
        if name == "hbm" { ",hbm" } else { "" }
    );
    let run = guest.collect(record, kept).run(&[study])?;
    for result in run.iter().filter(|result| result.status != 0) {
        eprintln!("predict-truth: exit status {}: {}", result.status, result.stderr);
    }
    eprintln!("predict-truth: {name} {program}: {:.0} s", run.wall.as_secs_f64());
    Ok(())
}

const BUILT: [&str; 4] = [
    "target/release/numawise",
    "target/release/libnumawise_agent.so",
    "build/iso3dfd/iso3dfd",
    "build/cases/cases",
];

/// The trials of some points only.
fn part(of: &Study, points: &HashSet<PointId>) -> Study {
    let trials = of.trials.iter().filter(|trial| points.contains(&trial.point)).cloned().collect();
    Study { trials, ..of.clone() }
}

/// Predicts from a few points, chosen as a prediction chooses them, and compares with all.
fn score(machine: &str, program: &str, study: &Study, first: usize) -> Score {
    let mut known = HashSet::new();
    let mut runs = PredictionRuns::new(&part(study, &known), first);
    while let Some(next) = runs.next(&part(study, &known)) {
        // A point that is not measured here cannot be run.
        if !known.insert(next) {
            break;
        }
    }
    let (told, truth) = (predict(&part(study, &known)), predict(study));
    Score {
        machine: machine.to_owned(),
        program: program.to_owned(),
        ..compared(study, &told, &truth, &known)
    }
}

fn compared(study: &Study, told: &Prediction, truth: &Prediction, known: &HashSet<PointId>) -> Score {
    let is_rate = study.header.metric.higher_is_better();
    let measured: HashSet<&PointId> = study
        .trials
        .iter()
        .filter(|trial| !trial.is_warm_up() && matches!(trial.outcome, Outcome::Measured { .. }))
        .map(|trial| &trial.point)
        .collect();
    // A placement with two names was measured twice.
    let value = |id: &PointId| {
        let tasks = &study.header.point(id)?.placement.tasks;
        let alike = study.header.points.iter().zip(&truth.points);
        let alike = alike.filter(|(point, _)| point.placement.tasks == *tasks);
        let values: Vec<f64> = alike.filter_map(|(_, of)| of.measured.measured().copied()).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let mut score = Score {
        machine: String::new(),
        program: String::new(),
        points: measured.len(),
        run: known.len(),
        errors: Vec::new(),
        inside: 0,
        unavailable: 0,
        regret: f64::INFINITY,
    };
    for point in
        told.points.iter().filter(|point| measured.contains(&point.point) && !known.contains(&point.point))
    {
        let Some(seen) = value(&point.point) else { continue };
        match point.predicted.measured() {
            Some(figure) => {
                score.errors.push((figure.value / seen - 1.0).abs());
                score.inside += usize::from((figure.low..=figure.high).contains(&seen));
            }
            None => score.unavailable += 1,
        }
    }
    let as_time = |value: f64| if is_rate { 1.0 / value } else { value };
    let least = truth
        .points
        .iter()
        .filter_map(|point| value(&point.point))
        .map(as_time)
        .fold(f64::INFINITY, f64::min);
    if let Some(chosen) = told.best.measured().and_then(value) {
        score.regret = as_time(chosen) / least - 1.0;
    }
    score
}

fn quantile(of: &[f64], share: f64) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1}", 100.0 * share) } else { "-".to_owned() }
}

/// The table, and all points together.
fn document(scores: &[Score]) -> String {
    let mut text = String::from(
        "# Predictions and the truth\n\nMade by `cargo run -p testbed -- predict-truth`. Percent; points not run; noise included.\n\n```\n",
    );
    let mut line = |cells: [String; 4]| {
        let [name, rest @ ..] = cells;
        let _ = write!(text, "{name:<31}");
        for cell in rest {
            let _ = write!(text, "{cell:>9}");
        }
        text.push('\n');
    };
    line(["program", "median", "95th", "inside"].map(str::to_owned));
    for score in scores {
        let inside = score.inside as f64 / score.errors.len() as f64;
        line([
            format!("{}/{}", score.machine, score.program),
            percent(quantile(&score.errors, 0.5)),
            percent(quantile(&score.errors, 0.95)),
            percent(inside),
        ]);
    }
    let errors: Vec<f64> = scores.iter().flat_map(|score| score.errors.iter().copied()).collect();
    let inside: usize = scores.iter().map(|score| score.inside).sum();
    let unavailable: usize = scores.iter().map(|score| score.unavailable).sum();
    let regrets: Vec<f64> = scores.iter().map(|score| score.regret).collect();
    line([
        "all".to_owned(),
        percent(quantile(&errors, 0.5)),
        percent(quantile(&errors, 0.95)),
        percent(inside as f64 / errors.len() as f64),
    ]);
    line(["promised", "4", "12", "90-97"].map(str::to_owned));
    text += "```\n";
    let (run, points) = (scores.iter().map(|score| score.run), scores.iter().map(|score| score.points));
    let _ = writeln!(
        text,
        "\nRun: {} of {}; unavailable: {unavailable}. Chosen vs best: {} (promised 1), 95th {} (5).",
        run.sum::<usize>(),
        points.sum::<usize>(),
        percent(quantile(&regrets, 0.5)),
        percent(quantile(&regrets, 0.95))
    );
    text
}
