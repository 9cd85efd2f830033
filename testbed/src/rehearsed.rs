//! `testbed rehearse-truth`: whether each recorded machine comes up in a rehearsal, and whether ratios of speeds are those that were
//! published.
//!
//! Each machine, and each pair of runs, is one guest. What came of them is kept, so that the page can be made anew without a guest.

mod machines;
mod page;
mod ratios;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Args, ValueEnum};
use numawise_session::rehearse::{
    EndedRehearsal, GuestStream, RehearsalError, RehearsalEvent, RehearsalFigures, RehearsalPlan,
    RehearsalRequest, RehearsedCommand, work_folder,
};

use machines::Booted;
use ratios::MeasuredRatio;

const KEPT: &str = "build/rehearse-truth";
const PAGE: &str = "docs/truth-rehearsal.md";
/// A guest of 128 CPUs on a busy host.
const LIMIT: Duration = Duration::from_secs(900);

/// What to rehearse, and what to make of it.
#[derive(Args)]
pub(crate) struct RehearseTruthArgs {
    /// No guests: the page from what is kept
    #[arg(long)]
    judge: bool,
    /// Only this part
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Only machines or programs with this word in their names
    #[arg(long, value_name = "WORD")]
    named: Option<String>,
    /// Write the page there
    #[arg(long, default_value = PAGE, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Machines,
    Ratios,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("{path} is not there; `make build` and `make -C native/workloads/cases` make what is rehearsed")]
    NotBuilt { path: String },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("{} is not what was kept: {error}", path.display())]
    NotKept { path: PathBuf, error: serde_json::Error },
    #[error("{program} printed no figure behind `{before}`:\n{text}")]
    NoFigure { program: String, before: String, text: String },
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
}

/// All that is known, in the order of the page.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Kept {
    machines: Vec<Booted>,
    ratios: Vec<MeasuredRatio>,
}

impl Kept {
    fn read(path: &Path) -> Result<Self, Problem> {
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(Self::default()) };
        serde_json::from_str(&text).map_err(|error| Problem::NotKept { path: path.to_owned(), error })
    }

    fn write(&self, path: &Path) -> Result<(), Problem> {
        let text = serde_json::to_string_pretty(self).expect("names and numbers");
        std::fs::write(path, text).map_err(|error| Problem::Write { path: path.to_owned(), error })
    }
}

pub(crate) fn run(arguments: &RehearseTruthArgs) -> Result<u8, Problem> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kept = root.join(KEPT);
    let written = |path: &Path| {
        let path = path.to_owned();
        move |error| Problem::Write { path, error }
    };
    std::fs::create_dir_all(&kept).map_err(written(&kept))?;
    let file = kept.join("kept.json");
    let mut all = Kept::read(&file)?;
    let wants = |part: Part, name: &str| {
        !arguments.judge
            && arguments.only.is_none_or(|only| only == part)
            && arguments.named.as_ref().is_none_or(|word| name.contains(word.as_str()))
    };
    for machine in machines::all(root) {
        if wants(Part::Machines, &machine.name) {
            let booted = machines::boot(&machine);
            eprintln!("rehearse-truth: {}: {:?}", booted.name, booted.came_up);
            put(&mut all.machines, booted, |of| &of.name);
            all.write(&file)?;
        }
    }
    for published in &ratios::ALL {
        if wants(Part::Ratios, published.name) {
            let ratio = ratios::measure(root, published)?;
            eprintln!("rehearse-truth: {}: {:.2}", ratio.name, ratio.ratio());
            put(&mut all.ratios, ratio, |of| &of.name);
            all.write(&file)?;
        }
    }
    let output = root.join(&arguments.output);
    std::fs::write(&output, page::text(&all)).map_err(written(&output))?;
    Ok(0)
}

/// In the place of what was known before by this name, or last.
fn put<T>(all: &mut Vec<T>, new: T, name: impl Fn(&T) -> &str) {
    match all.iter().position(|old| name(old) == name(&new)) {
        Some(k) => all[k] = new,
        None => all.push(new),
    }
}

/// A request with what `numawise rehearse` takes where nothing is said.
fn request(name: &str, machine: numawise_facts::Machine) -> Result<RehearsalRequest, RehearsalError> {
    Ok(RehearsalRequest {
        name: name.to_owned(),
        machine,
        profile: None,
        figures: RehearsalFigures::default(),
        slowdown: None,
        memory: None,
        cores_per_node: None,
        limit: LIMIT,
        work: work_folder()?,
    })
}

/// Runs a script of a shell, and gives what it printed.
fn run_script(
    plan: &RehearsalPlan,
    script: &str,
    folder: &Path,
) -> Result<(EndedRehearsal, String), RehearsalError> {
    let command = RehearsedCommand {
        words: ["sh", "-c", script].map(Into::into).to_vec(),
        beside: Vec::new(),
        directory: folder.to_owned(),
        environment: std::env::vars_os().collect(),
        outputs: Vec::new(),
    };
    let mut text = Vec::new();
    let mut show = |event: RehearsalEvent<'_>| match event {
        RehearsalEvent::Printed(GuestStream::Out, bytes) => text.extend_from_slice(bytes),
        RehearsalEvent::Printed(GuestStream::Err, bytes) => eprint!("{}", String::from_utf8_lossy(bytes)),
        _ => {}
    };
    let ended = plan.run(&command, &mut show, &AtomicBool::new(false))?;
    Ok((ended, String::from_utf8_lossy(&text).into_owned()))
}
