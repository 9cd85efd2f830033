//! `testbed predict-truth`: all placements of programs, measured in emulated machines, against what a few of them predict.
//!
//! Each program of a machine is one guest, which runs a full study of it. The records are kept, so that the table can be
//! made anew without a guest: of each record a few points are taken as if only they had been run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use numawise_record::Record;

mod programs;
mod score;
mod table;

use programs::Program;

/// Records and profiles that are measured stay here.
const KEPT: &str = "target/predict-truth";
const TABLE: &str = "docs/truth-prediction.md";

/// What to measure, and what to make of it.
#[derive(Args)]
pub(crate) struct PredictTruthArgs {
    /// No guests: predict from what is kept
    #[arg(long)]
    judge: bool,
    /// Measure and keep; no table
    #[arg(long, conflicts_with = "judge")]
    keep: bool,
    /// Only these machines
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// Only these programs
    #[arg(long, value_name = "NAME", num_args = 1..)]
    programs: Vec<String>,
    /// Programs from elsewhere beside those of testbed/predicted.toml, in a file like that
    #[arg(long, value_name = "FILE")]
    more: Option<PathBuf>,
    /// Only programs that are not kept yet
    #[arg(long)]
    resume: bool,
    /// Of each point, where the program's file does not say
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Points that are run first
    #[arg(long, default_value_t = 8, value_name = "N")]
    points: usize,
    /// Print each point too
    #[arg(long)]
    list: bool,
    /// Write the table there
    #[arg(long, default_value = TABLE, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error(
        "{path} is not there; `make build` and `make -C native/workloads/kinds` (cases, iso3dfd) make what goes into a guest"
    )]
    NotBuilt { path: String },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{} does not describe programs as {} does: {error}", path.display(), programs::FILE)]
    NotPrograms { path: PathBuf, error: String },
    #[error("{}: program '{name}': {what}", path.display())]
    NoProgram { path: PathBuf, name: String, what: &'static str },
    #[error("two programs are called '{name}': their records would be one file")]
    TwoOfOneName { name: String },
    #[error("no record of a program is kept in {KEPT}: run it without --judge first")]
    NothingKept,
    #[error(transparent)]
    Machine(#[from] testbed::LoadError),
    #[error(transparent)]
    Guest(#[from] testbed::Error),
    #[error(transparent)]
    Record(#[from] numawise_record::RecordError),
}

pub(crate) fn run(arguments: &PredictTruthArgs) -> Result<u8, Problem> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kept = root.join(KEPT);
    let written = |path: &Path| {
        let path = path.to_owned();
        move |error| Problem::Write { path, error }
    };
    std::fs::create_dir_all(&kept).map_err(written(&kept))?;
    let programs = programs::read(root, arguments.more.as_deref())?;
    let is_wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let wanted: Vec<(&str, &Program)> = programs
        .iter()
        .filter(|program| is_wanted(&arguments.programs, &program.name))
        .flat_map(|program| program.machines.iter().map(move |machine| (machine.as_str(), program)))
        .filter(|(machine, _)| is_wanted(&arguments.only, machine))
        .collect();
    for &(machine, program) in wanted.iter().filter(|_| !arguments.judge) {
        let record = file(&kept, machine, &program.name);
        if !(arguments.resume && record.exists()) {
            measure(root, &kept, (machine, program), arguments.repeats)?;
        }
    }
    if arguments.keep {
        return Ok(0);
    }
    let mut scores = Vec::new();
    for (machine, program) in wanted {
        let file = file(&kept, machine, &program.name);
        if file.exists() {
            let study = Record::open_to_read(&file)?.study()?;
            let score = score::score(machine, &program.name, &study, arguments.points);
            if arguments.list {
                score.points_in_words.iter().for_each(|line| println!("{machine}/{}: {line}", program.name));
            }
            scores.push(score);
        }
    }
    if scores.is_empty() {
        return Err(Problem::NothingKept);
    }
    scores.sort_by(|one, other| (&one.machine, &one.program).cmp(&(&other.machine, &other.program)));
    let output = root.join(&arguments.output);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    std::fs::write(&output, table::document(&scores, cpus)).map_err(written(&output))?;
    eprintln!("predict-truth: {} programs are in {}", scores.len(), output.display());
    Ok(0)
}

fn file(kept: &Path, machine: &str, program: &str) -> PathBuf {
    kept.join(format!("{machine}-{program}.nw"))
}

/// Built by the project; libraries are added by the guest.
const BUILT: [&str; 6] = [
    "target/release/numawise",
    "target/release/libnumawise_agent.so",
    "build/iso3dfd/iso3dfd",
    "build/cases/cases",
    "build/cases/cases_tbb",
    "build/kinds/kinds",
];

/// The machine is measured once, and every guest of it gets the profile.
const PROFILE: &str = "/root/profile.tar";

/// A full study of a program in a guest of its own.
fn measure(root: &Path, kept: &Path, (name, program): (&str, &Program), repeats: u32) -> Result<(), Problem> {
    let machine = testbed::load(name)?;
    let profile = kept.join(format!("{name}-profile.tar"));
    let mut guest = testbed::guest(&machine).timing(true).limit(Duration::from_secs(1800));
    let own = program.files.iter().map(|file| root.join(file));
    for file in BUILT.iter().map(|path| root.join(path)).chain(own) {
        if !file.exists() {
            return Err(Problem::NotBuilt { path: file.display().to_string() });
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        guest = guest.file_at(file, format!("/bin/{name}"));
    }
    let mut commands = Vec::new();
    if profile.exists() {
        guest = guest.file_at(&profile, PROFILE);
        commands.push(format!("tar -C /root -xf {PROFILE}"));
    } else {
        commands.push("numawise machine measure --quick --seed 1 > /dev/null".to_owned());
        commands.push(format!("tar -C /root -cf {PROFILE} .local"));
        guest = guest.collect(PROFILE, &profile);
    }
    let record = "/root/program.nw";
    let rate = if program.rate { " --higher-is-better" } else { "" };
    let (repeats, metric, command) = (program.repeats.unwrap_or(repeats), &program.metric, &program.command);
    commands.push(format!(
        "numawise study --csv --threads {} --place local,distributed --memory {} --repeats {repeats} --sampling 10% --seed 1 \
         --metric '{metric}'{rate} --output {record} -- {command}",
        threads(machine.cpu_count()),
        memory(name),
    ));
    let before = testbed::Host::now();
    let run = guest.collect(record, file(kept, name, &program.name)).run(&commands)?;
    for result in run.iter().filter(|result| result.status != 0) {
        eprintln!("predict-truth: exit status {}: {}", result.status, result.stderr);
    }
    eprintln!("predict-truth: {name} {}: {:.0} s", program.name, run.wall.as_secs_f64());
    let shares = testbed::Host::now().zip(before).map(|(now, before)| now.since(&before));
    if let Some(reason) = shares.and_then(|shares| shares.spoiled()) {
        eprintln!("predict-truth: {name} {}: {reason}", program.name);
    }
    Ok(())
}

/// Every number of threads of a small machine, fewer of a larger one.
fn threads(cpus: u32) -> String {
    if cpus <= 4 { format!("1..={cpus}") } else { format!("1,2,3,4,{},{cpus}", cpus * 3 / 4) }
}

fn memory(machine: &str) -> &'static str {
    match machine {
        "hbm" => "default,interleave,bind:1,hbm",
        "cxl" => "default,interleave,bind:1,bind:2",
        _ => "default,interleave,bind:1",
    }
}
