//! The command line: `testbed machines`, `testbed run`, `testbed fetch`, `testbed truth`.
//!
//! Exit status of `run`: that of the first command that failed; 125 when the guest itself could not be run.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use testbed::{CommandResult, GuestRun, Mpi};

use crate::predicted;
use crate::rehearsed;
use crate::truth;

/// Not a status that shells or the kernel give to common failures; docker and timeout use it alike.
const NO_GUEST: u8 = 125;

/// Run commands on emulated NUMA machines: real Linux kernels, no privileges, no NUMA hardware.
#[derive(Parser)]
#[command(name = "testbed")]
struct Cli {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List the machines.
    Machines,
    /// Boot a machine, run commands, power it off.
    Run(Box<RunArgs>),
    /// Download the kernel now instead of before the first run.
    Fetch,
    /// Compare what `numawise check` says with what is measured by hand; writes docs/truth.md.
    Truth(truth::TruthArgs),
    /// Compare predictions from a few points with all points, measured; writes docs/truth-prediction.md.
    PredictTruth(predicted::PredictTruthArgs),
    /// Boot each recorded machine in a rehearsal, and compare ratios with published ones; writes docs/truth-rehearsal.md.
    RehearseTruth(rehearsed::RehearseTruthArgs),
}

#[derive(Args)]
struct RunArgs {
    /// A name that `machines` lists, or a file (*.toml)
    #[arg(long)]
    machine: PathBuf,
    /// Memory takes the time that the machine file says
    #[arg(long)]
    timing: bool,
    /// How many times slower than the machine file says, instead of its own scale
    #[arg(long, requires = "timing", value_name = "N")]
    scale: Option<f64>,
    /// Copy a file and the libraries it needs into the guest
    #[arg(long = "file", value_name = "HOST[:GUEST]")]
    files: Vec<String>,
    /// Copy a program of the host, such as numactl
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Put the launcher of an MPI into the guest
    #[arg(long, value_enum, value_name = "NAME")]
    mpi: Vec<MpiName>,
    /// Set an environment variable in the guest
    #[arg(long = "env", value_name = "NAME=VALUE")]
    environment: Vec<String>,
    /// Bring a file back after the last command
    #[arg(long, value_name = "GUEST:HOST")]
    collect: Vec<String>,
    /// A file with shell commands, run as one command after those given
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Seconds the guest may take
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    limit: u64,
    /// Show what commands print while they run, on standard error
    #[arg(long)]
    live: bool,
    /// Show where memory came from, boot time and wall time as well
    #[arg(long)]
    verbose: bool,
    /// Shell commands, each run and reported on its own
    #[arg(last = true)]
    commands: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MpiName {
    Openmpi,
    Mpich,
}

pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().action {
        Action::Machines => machines(),
        Action::Run(arguments) => run_guest(&arguments),
        Action::Truth(arguments) => truth::run(&arguments).map_err(|e| e.to_string()),
        Action::PredictTruth(arguments) => predicted::run(&arguments).map_err(|e| e.to_string()),
        Action::RehearseTruth(arguments) => rehearsed::run(&arguments).map_err(|e| e.to_string()),
        Action::Fetch => {
            numawise_emulate::readiness(testbed::work_folder()).map_err(|e| e.to_string()).map(|()| 0)
        }
    };
    outcome.map_or_else(
        |message| {
            eprintln!("testbed: {message}");
            ExitCode::from(NO_GUEST)
        },
        ExitCode::from,
    )
}

fn machines() -> Result<u8, String> {
    for name in testbed::names() {
        let machine = testbed::load(&name).map_err(|e| e.to_string())?;
        println!("{name:12} {}", machine.description().summary);
    }
    Ok(0)
}

fn run_guest(arguments: &RunArgs) -> Result<u8, String> {
    let mut commands = arguments.commands.clone();
    if let Some(path) = &arguments.script {
        commands
            .push(std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?);
    }
    if commands.is_empty() {
        return Err("nothing to run: give commands after --, or --script FILE".to_owned());
    }
    let machine = testbed::load(&arguments.machine).map_err(|e| e.to_string())?;
    let mut guest = testbed::guest(&machine)
        .timing(arguments.timing)
        .limit(Duration::from_secs(arguments.limit))
        .live(arguments.live);
    if let Some(scale) = arguments.scale {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(format!("--scale {scale}: expected a number above 0"));
        }
        guest = guest.scale(scale);
    }
    for file in &arguments.files {
        guest = match file.split_once(':') {
            Some((host, at)) => guest.file_at(host, at),
            None => guest.file(file),
        };
    }
    for tool in &arguments.tools {
        guest = guest.tool(tool);
    }
    for mpi in &arguments.mpi {
        guest = guest.mpi(match mpi {
            MpiName::Openmpi => Mpi::OpenMpi,
            MpiName::Mpich => Mpi::Mpich,
        });
    }
    for variable in &arguments.environment {
        let (name, value) = pair(variable, '=', "--env NAME=VALUE")?;
        guest = guest.env(name, value);
    }
    for file in &arguments.collect {
        let (from, to) = pair(file, ':', "--collect GUEST:HOST")?;
        guest = guest.collect(from, to);
    }
    let run = guest.run(&commands).map_err(|e| e.to_string())?;
    for result in run.iter() {
        show(result, arguments.verbose);
    }
    if arguments.verbose {
        show_times(&run);
    }
    let failed = run.iter().find(|result| result.status != 0);
    Ok(failed.map_or(0, |result| u8::try_from(result.status).unwrap_or(1)))
}

fn pair<'a>(text: &'a str, separator: char, expected: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(separator).ok_or_else(|| format!("found `{text}`, expected {expected}"))
}

fn show(result: &CommandResult, verbose: bool) {
    print!("{}", result.stdout);
    eprint!("{}", result.stderr);
    if result.status != 0 {
        eprintln!("testbed: exit status {} of `{}`", result.status, result.command.trim_end());
    }
    if !verbose {
        return;
    }
    eprintln!("testbed: {:.2} s: `{}`", result.seconds, result.command.trim_end());
    for count in result.truth.iter().flat_map(|truth| &truth.counts) {
        let (cpu, node, lines) = (count.cpu, count.node, count.lines);
        eprintln!(
            "testbed: CPU {cpu}, node {node}: {lines} lines ({} unforeseen), {} written back",
            count.exposed, count.written
        );
    }
    if let Some(outside) = result.truth.as_ref().map(|truth| truth.outside).filter(|&lines| lines > 0) {
        eprintln!("testbed: {outside} lines from no node's memory");
    }
}

fn show_times(run: &GuestRun) {
    let again = if run.boots == 1 { String::new() } else { format!(" at attempt {}", run.boots) };
    let (boot, wall) = (run.boot.as_secs_f64(), run.wall.as_secs_f64());
    eprintln!("testbed: booted in {boot:.1} s{again}, {wall:.1} s in all");
}
