//! `numawise place PID|NAME...`: the threads of running processes on other CPUs, as taskset(1) and hwloc-bind(1) place a process by its number,
//! with the strategies and lists of `numawise run`.

use std::path::PathBuf;

use numawise_facts::{RunSpec, ThreadBinding};
use numawise_report::{document, notice, placed};
use numawise_session::place::{PlaceRequest, place};
use numawise_session::plan::{CpuSelection, NodeSelection, RunRequest};
use numawise_session::watch::TargetRequest;
use numawise_units::Pid;

use super::run::{CpuOptions, on_cpus};
use super::{Failure, SUCCESS, Status};
use crate::faces::JsonOption;
use crate::streams;

/// Put the threads of running processes on other CPUs
///
/// Each process is a task: with --place semi the ranks of a job get a node or a part of one each.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Exit status: 0, also where a thread could not be placed (that is reported); 125 when none could.\n\
                  Manual: docs/user/place.md"
)]
pub struct Arguments {
    /// Process numbers, and names of programs: all processes of that name
    #[arg(value_name = "PID|NAME", required = true)]
    processes: Vec<String>,
    /// Only this thread of theirs; several times for several
    #[arg(long, value_name = "TID")]
    tid: Vec<i32>,
    /// Hold each thread on one CPU, in the order of their numbers
    #[arg(long)]
    pin: bool,
    /// Plan for so many threads of each process [default: the most that one of them has]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    cpus: CpuOptions,
    /// Exactly these CPUs, as numactl has them: 0-3, all, !0, +0-1 (of those that there are)
    #[arg(long, short = 'C', value_name = "CPUS", conflicts_with = "cpunodebind")]
    physcpubind: Option<String>,
    /// The CPUs of these nodes, as numactl has them
    #[arg(long, short = 'N', value_name = "NODES")]
    cpunodebind: Option<String>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let json = arguments.json.clone();
    json.check()?;
    let placed_now = place(&request(arguments)?)?;
    let warnings = placed_now.warnings.iter().map(notice::text);
    let missing = placed_now.missing.iter().map(ToString::to_string);
    missing.chain(warnings).for_each(|line| streams::say(&format!("warning: {line}")));
    let text = || document::terminal(&placed::document(&placed_now.processes), streams::style());
    json.put(text, || format!("{:#}\n", placed::json(&placed_now.processes)))?;
    Ok(SUCCESS)
}

fn request(typed: Arguments) -> Result<PlaceRequest, Failure> {
    let no_program = RunSpec { command: Vec::new(), directory: PathBuf::new() };
    // An order says where each thread goes; a strategy alone, which CPUs the process gets.
    let orders = typed.cpus.order.is_some() && typed.cpus.place.is_none();
    let binding = match (typed.pin, orders) {
        (true, _) => Some(ThreadBinding::Pinned),
        (false, true) => None,
        (false, false) => Some(ThreadBinding::Free),
    };
    let mut on = RunRequest { binding, threads: typed.threads, ..on_cpus(typed.cpus, no_program)? };
    if let Some(list) = typed.physcpubind {
        on.cpus = CpuSelection::Numactl(list);
    }
    if let Some(list) = typed.cpunodebind {
        on.nodes = NodeSelection::Numactl(list);
    }
    let targets = TargetRequest { processes: typed.processes, ..TargetRequest::default() };
    Ok(PlaceRequest { targets, threads: typed.tid.into_iter().map(Pid).collect(), on })
}
