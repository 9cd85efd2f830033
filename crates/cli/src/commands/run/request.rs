//! From what was typed to what is asked for: checked once, here, and carried on as values.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::{Argument, CpuChoice, EquivalentTool, MemoryMode, RunSpec, ThreadBinding};
use numawise_report::notice::numactl_option;
use numawise_report::numactl::CpuNumbers;
use numawise_session::Error;
use numawise_session::plan::{
    CpuSelection, Explanation, InputsRequest, MemorySelection, NodeSelection, RunRequest, TaskCount,
};
use numawise_session::shared_memory::SharedRequest;
use numawise_session::study::read_templates;

use super::super::Failure;
use super::arguments::{Arguments, CpuOptions, PlacementOptions};
use super::numactl::NumactlOptions;
use super::{objects_to, shared_memory};
use crate::faces::{Faces, JsonOption};

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// What `numawise run` is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum RunAction {
    /// `numactl --show`
    ShowOwn,
    /// `numactl --hardware`
    ShowHardware(CpuNumbers),
    /// Shows the plan for this machine or for that of `input`, and starts nothing.
    Display {
        request: RunRequest,
        input: Option<String>,
        format: PlanFormat,
        /// Files of it that are written, too.
        faces: Faces,
    },
    Start(RunRequest),
    /// `numactl --file`, `numactl --shm`: no program.
    SharedMemory(SharedRequest),
}

/// How a plan is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFormat {
    Text,
    Json,
    CommandsOf(EquivalentTool),
}

/// # Errors
/// When the options contradict each other or name nothing.
pub fn action(typed: Arguments) -> Result<RunAction, Failure> {
    if let Some(option) = typed.numactl.of_shared_memory() {
        return shared_memory::request(&typed, option).map(RunAction::SharedMemory);
    }
    if typed.numactl.is_show() {
        stands_alone("--show", &typed)?;
        return shown_placed(typed);
    }
    if typed.numactl.is_hardware() {
        stands_alone("--hardware", &typed)?;
        let ranges = typed.numactl.has_ranges_of_cpus();
        return Ok(RunAction::ShowHardware(if ranges { CpuNumbers::Ranges } else { CpuNumbers::Each }));
    }
    let json = JsonOption::of(typed.json.clone());
    let format = match (typed.emit, json.is_printed()) {
        (Some(tool), _) => PlanFormat::CommandsOf(tool),
        (None, true) => PlanFormat::Json,
        (None, false) => PlanFormat::Text,
    };
    let (dry_run, input) = (typed.dry_run || typed.emit.is_some(), typed.input.clone());
    let faces = Faces { html: typed.html.clone(), json };
    let request = request(typed)?;
    Ok(if dry_run { RunAction::Display { request, input, format, faces } } else { RunAction::Start(request) })
}

/// What shows what is there starts no program.
fn stands_alone(shows: &str, typed: &Arguments) -> Result<(), Failure> {
    let others = [
        ("--copies", typed.copies.is_some()),
        ("--template", !typed.template.is_empty()),
        ("--dry-run", typed.dry_run),
        ("--emit", typed.emit.is_some()),
        ("--verbose", typed.verbose),
    ];
    match others.iter().find(|(_, is_typed)| *is_typed) {
        Some((other, _)) => Err(Failure::new(format!(
            "{other} is about a program that is started, and {shows} starts none; expected one of the two"
        ))),
        None => Ok(()),
    }
}

/// As numactl: what a program would get that was placed so. We are that program.
fn shown_placed(typed: Arguments) -> Result<RunAction, Failure> {
    let Arguments { placement, numactl, .. } = typed;
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("--show: numawise does not find itself: {error}")))?;
    let own = vec![own.into_os_string(), "run".into(), "--show".into()];
    let request = RunRequest { preload: false, ..placed(placement, &numactl, own)? };
    let nothing = RunRequest { preload: false, ..RunRequest::new(request.command.clone()) };
    Ok(if request == nothing { RunAction::ShowOwn } else { RunAction::Start(request) })
}

/// The same for numactl's options alone.
///
/// # Errors
/// When they contradict each other.
pub fn of_numactl(options: &NumactlOptions, command: Vec<OsString>) -> Result<RunRequest, Failure> {
    let mut request = RunRequest::new(spec(command));
    add_numactl(&mut request, options)?;
    Ok(request)
}

fn request(typed: Arguments) -> Result<RunRequest, Failure> {
    let explain = match (typed.verbose, typed.dry_run) {
        (true, _) => Explanation::EachRank,
        (false, true) => Explanation::Plan,
        (false, false) => Explanation::Warnings,
    };
    let tasks = match (typed.ranks, typed.copies) {
        (Some(ranks), _) => TaskCount::Ranks(ranks),
        (None, Some(copies)) => TaskCount::Copies(copies),
        (None, None) => TaskCount::OfTheJob,
    };
    if let Some(tool) = typed.emit.filter(|_| !typed.template.is_empty()) {
        return Err(Failure::new(format!(
            "--emit {tool} prints lines for a shell, and none of them fills an input file in; expected it without --template"
        )));
    }
    if let (Some(tool), Some(_)) = (typed.emit, &typed.placement.objects_to) {
        return Err(Failure::new(format!(
            "--emit {tool} prints lines of other tools, and none of them puts single objects on nodes; expected it without --objects-to"
        )));
    }
    if let (Some(input), Some(_)) = (&typed.input, &typed.placement.objects_to) {
        return Err(Failure::new(format!(
            "--input {input} plans for another machine, and --objects-to chooses by what is free on this one; expected one of the two"
        )));
    }
    let templates = read_templates(&typed.template, Path::new("")).map_err(Error::from)?;
    let inputs = InputsRequest { templates, folder: typed.template_dir };
    let request = placed(typed.placement, &typed.numactl, typed.command)?;
    Ok(RunRequest { explain, tasks, inputs, ..request })
}

/// A program and where it goes.
///
/// # Errors
/// When the options contradict each other or name nothing.
pub fn placed(
    typed: PlacementOptions,
    numactl: &NumactlOptions,
    command: Vec<OsString>,
) -> Result<RunRequest, Failure> {
    let mut request = RunRequest {
        binding: match (typed.pin, typed.no_pin) {
            (true, _) => Some(ThreadBinding::Pinned),
            (false, true) => Some(ThreadBinding::Free),
            (false, false) => None,
        },
        threads: typed.threads,
        memory: typed.memory.map_or_else(MemorySelection::default, MemorySelection::Policy),
        pages: typed.page_size.unwrap_or_default(),
        share_gpus: typed.gpus,
        rebind: typed.rebind,
        preload: !typed.no_preload,
        write_weights: typed.global_weights,
        objects_to: typed.objects_to.as_deref().map(objects_to::parse).transpose()?,
        ..on_cpus(typed.cpus, spec(command))?
    };
    add_numactl(&mut request, numactl)?;
    Ok(request)
}

/// A program and its CPUs.
///
/// # Errors
/// When a list means nothing.
pub fn on_cpus(typed: CpuOptions, command: RunSpec) -> Result<RunRequest, Failure> {
    let default = CpuChoice::default();
    Ok(RunRequest {
        strategy: typed.place,
        cpus: typed.cpus.map_or(Ok(CpuSelection::All), cpus)?,
        nodes: typed.nodes.map_or(NodeSelection::All, NodeSelection::Listed),
        choice: CpuChoice {
            order: typed.order.unwrap_or(default.order),
            step: typed.step.unwrap_or(default.step),
            smt: typed.smt.unwrap_or(default.smt),
            skip: typed.skip_cpus.unwrap_or(default.skip),
            skip_os_core: typed.skip_os_core,
            efficient_cores: typed.efficient_cores,
        },
        near: typed.near,
        ..RunRequest::new(command)
    })
}

fn spec(command: Vec<OsString>) -> RunSpec {
    RunSpec { command: command.into_iter().map(Argument).collect(), directory: PathBuf::new() }
}

/// A list of numbers, or a location for the machine to resolve.
fn cpus(text: String) -> Result<CpuSelection, Failure> {
    if text.contains(|c: char| c.is_ascii_alphabetic()) {
        return Ok(CpuSelection::Located(text));
    }
    let list = text.parse().map_err(|error| Failure::new(format!("--cpus {error}")))?;
    Ok(CpuSelection::Listed(list))
}

/// numactl's options; `same` is the other list of nodes.
fn add_numactl(request: &mut RunRequest, options: &NumactlOptions) -> Result<(), Failure> {
    request.balancing = options.balancing();
    request.beyond_mask = options.is_beyond_mask();
    if let Some(list) = options.cpus() {
        request.cpus = CpuSelection::Numactl(list.to_owned());
    }
    let with_nodes = options.policy().filter(|(policy, _)| *policy != MemoryMode::Local);
    match (options.nodes(), with_nodes) {
        (None, _) => {}
        (Some("same"), Some((_, list))) => request.nodes = NodeSelection::Numactl(list.to_owned()),
        (Some("same"), None) => {
            return Err(same("--cpunodebind", "a memory policy with nodes, such as --membind"));
        }
        (Some(list), _) => request.nodes = NodeSelection::Numactl(list.to_owned()),
    }
    if let Some((policy, list)) = options.policy() {
        let nodes = match (list, options.nodes()) {
            ("same", None | Some("same")) => return Err(same(numactl_option(policy), "--cpunodebind")),
            ("same", Some(nodes)) => nodes.to_owned(),
            (list, _) => list.to_owned(),
        };
        request.memory = MemorySelection::Numactl { policy, nodes };
    }
    Ok(())
}

fn same(option: &str, other: &str) -> Failure {
    Failure::new(format!(
        "{option} same: there is nothing that it could be the same as; expected {other} together with it"
    ))
}
