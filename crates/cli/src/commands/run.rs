//! `numawise run`: run a program with its threads and its memory where you want them.
//!
//! CPUs come from a strategy (`--place local|distributed|semi|none`), from lists (`--cpus`, `--nodes`), or from numactl's
//! own options (`-C`, `-N`), which have the same meaning and syntax here; memory from `--memory POLICY` or from numactl's
//! options (`-m`, `-i`, `-w`, `-p`, `-P`, `-l`). numawise becomes the program: there is no process in between, and the exit
//! status is the program's own. `--dry-run` starts nothing and shows the plan.
//!
//! With lists of CPUs and nodes nothing is read of the machine but what we may use; a strategy reads nodes, cores and
//! packages. Only where that does not do (an error to be explained, a kind of memory) is the machine looked at in full.

mod arguments;
mod machine;
mod node_string;
mod request;
mod short_cut;
mod show;

use std::ffi::OsString;
use std::path::PathBuf;

use numawise_facts::{Argument, Machine, Placement, RunSpec};
use numawise_launch::{Change, LaunchError};

pub use arguments::Arguments;
pub use short_cut::short_cut;

use super::{Failure, SUCCESS, Status};
use request::Request;

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    if arguments.dry_run {
        return dry_run(&arguments);
    }
    let environment = |name: &str| std::env::var_os(name);
    let (machine, request, placement) = plan(&arguments, &environment)?;
    let changes = request.changes(&placement);
    for warning in placement.warnings.iter().chain(&numawise_launch::overrides(&changes, environment)) {
        eprintln!("numawise: warning: {warning}");
    }
    let spec = spec(&arguments.command);
    if arguments.verbose {
        let full = machine::full(None).unwrap_or(machine);
        eprint!("{}", show::text(&full, &request, &placement, &changes, &spec));
    }
    start(&spec, &placement, &changes)
}

fn start(spec: &RunSpec, placement: &Placement, changes: &[Change]) -> Result<Status, Failure> {
    let task = placement.tasks.first().ok_or(LaunchError::NoTask)?;
    let Err(error) = numawise_launch::exec_in_place(spec, task, changes);
    Err(Failure::from_launch(error))
}

/// The plan, from as little of the machine as it takes.
fn plan(
    arguments: &Arguments,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<(Machine, Request, Placement), Failure> {
    let allowed = machine::Allowed::read()?;
    let request = Request::new(arguments, &allowed, environment)?;
    if let Some(machine) = machine::narrow(&request, allowed)
        && let Ok(placement) = numawise_placement::place(&machine, &request.placement)
    {
        return Ok((machine, request, placement));
    }
    let quick = machine::quick()?;
    if let Ok(placement) = numawise_placement::place(&quick, &request.placement) {
        return Ok((quick, request, placement));
    }
    // Something is wrong, or is a matter of kinds that the quick reader does not know: with all there is to know.
    let machine = machine::full(None)?;
    let placement = numawise_placement::place(&machine, &request.placement)?;
    Ok((machine, request, placement))
}

fn dry_run(arguments: &Arguments) -> Result<Status, Failure> {
    let environment = |name: &str| std::env::var_os(name);
    let machine = machine::full(arguments.input.as_deref())?;
    let allowed =
        machine::Allowed { cpus: machine.allowed_cpus.clone(), nodes: machine.allowed_nodes.clone() };
    let request = Request::new(arguments, &allowed, &environment)?;
    let placement = numawise_placement::place(&machine, &request.placement)?;
    let changes = request.changes(&placement);
    let spec = match arguments.command.is_empty() {
        true => spec(&["PROGRAM".into()]),
        false => spec(&arguments.command),
    };
    let text = match arguments.json {
        true => show::json(&machine, &request, &placement, &changes, &spec),
        false => show::text(&machine, &request, &placement, &changes, &spec),
    };
    crate::show::print(&text)?;
    Ok(SUCCESS)
}

fn spec(command: &[OsString]) -> RunSpec {
    RunSpec { command: command.iter().cloned().map(Argument).collect(), directory: PathBuf::new() }
}
