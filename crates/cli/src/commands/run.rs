//! `numawise run`: run a program with its threads and its memory where you want them.
//!
//! CPUs come from a strategy (`--place local|distributed|semi|none`), from lists (`--cpus`, `--nodes`), or from numactl's
//! own options (`-C`, `-N`), which have the same meaning and syntax here; memory from `--memory POLICY` or from numactl's
//! options (`-m`, `-i`, `-w`, `-p`, `-P`, `-l`). numawise becomes the program: there is no process in between, and the exit
//! status is the program's own. `--copies` starts several side by side and waits for them. In a rank of an MPI job the plan
//! is made for all ranks of the computer, and each takes its part. `--dry-run` starts nothing and shows the plan, `--emit`
//! prints it in the words of one tool.
//!
//! With lists of CPUs and nodes nothing is read of the machine but what we may use; a strategy reads nodes, cores and
//! packages. Only where that does not do (an error to be explained, a kind of memory) is the machine looked at in full.

mod arguments;
mod copies;
mod direct;
mod machine;
mod measured;
mod node_string;
mod numactl;
mod preload;
mod request;
mod scope;
mod shared_memory;
mod short_cut;
mod show;
mod weights;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use numawise_facts::{Argument, LaunchNotice, Machine, Notice, PageSize, Placement, RunSpec, TaskPlacement};
use numawise_launch::LaunchError;
use numawise_machine::Roots;

pub use arguments::Arguments;
pub use short_cut::short_cut;

use super::{Failure, SUCCESS, Status};
use machine::Allowed;
use request::Request;
use scope::{Scope, Tasks};
use show::Shown;

/// What the short cut took: lists, which most often need no plan.
pub fn run_lists(arguments: Arguments) -> Result<Status, Failure> {
    let allowed = scope::allowed(&arguments)?;
    let request = Request::new(&arguments, &allowed, &Tasks::of(1), &environment)?;
    match direct::task(&request, &allowed) {
        Some(task) => become_program(&spec(&arguments.command), &task),
        None => run(arguments),
    }
}

fn become_program(spec: &RunSpec, task: &TaskPlacement) -> Result<Status, Failure> {
    let Err(error) = numawise_launch::exec_in_place(spec, task, &[]);
    Err(Failure::from_launch(error))
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    arguments.shared_memory.refuse()?;
    if arguments.show || arguments.hardware {
        crate::show::print(&if arguments.show { numactl::show()? } else { numactl::hardware()? })?;
        return Ok(SUCCESS);
    }
    if arguments.dry_run || arguments.emit.is_some() {
        return look(&arguments);
    }
    let scope = Scope::of_this_process(&arguments, &environment)?;
    let request = Request::new(&arguments, &scope.allowed, &scope.tasks, &environment)?;
    let spec = spec(&arguments.command);
    let silent = !arguments.verbose && !arguments.global_weights && scope.warnings.is_empty();
    if silent && let Some(task) = direct::task(&request, &scope.allowed) {
        return become_program(&spec, &task);
    }
    start(&arguments, &scope, &request, &spec)
}

/// With a plan, and all that there is to say of it.
fn start(arguments: &Arguments, scope: &Scope, request: &Request, spec: &RunSpec) -> Result<Status, Failure> {
    let Planned { machine, mut placement, notes } = plan(request, &scope.allowed)?;
    let decision = preload::decide(arguments, &placement, spec);
    weights::write(arguments, &mut placement)?;
    let ours = placement.tasks.get(scope.tasks.ours as usize).ok_or(LaunchError::NoTask)?;
    let changes = request.changes(ours, decision.pinner.as_ref());
    let on_pages = numawise_launch::pages_problem(Path::new("/sys"), request.placement.pages)
        .map(|problem| LaunchNotice::PagesUnavailable { problem }.into());
    let of_program = numawise_launch::overrides(&changes, environment)
        .into_iter()
        .map(|problem| LaunchNotice::EnvironmentChanged { problem }.into());
    warn(scope, &placement, decision.warning.into_iter().chain(of_program).chain(on_pages));
    if arguments.verbose {
        let machine =
            machine::full(&scope.allowed).map_or(machine, |full| measured::laid_over(request, full).0);
        let notes: Vec<Notice> = scope.notes.iter().chain(&notes).chain(&decision.note).cloned().collect();
        let (placement, ours) = (&placement, marked(&scope.tasks, arguments));
        let shown =
            Shown { machine: &machine, request, placement, changes: &changes, spec, notes: &notes, ours };
        eprint!("{}", shown.text());
    }
    if arguments.copies.is_some() {
        return copies::run(spec, &placement, decision.pinner.as_ref());
    }
    let Err(error) = numawise_launch::exec_in_place(spec, ours, &changes);
    Err(Failure::from_launch(error))
}

/// What concerns the plan of all ranks, or would be said alike by all, is said by one of them; what is in a plan that a
/// rank has made for itself alone is said by each.
fn warn(scope: &Scope, placement: &Placement, others: impl Iterator<Item = Notice>) {
    let own_plan = scope.reports || scope.tasks.number == 1;
    let of_plan = placement.warnings.iter().filter(|_| own_plan).cloned();
    let of_all = scope.warnings.iter().cloned().chain(others).filter(|_| scope.reports);
    of_plan
        .chain(of_all)
        .for_each(|warning| say(&format!("warning: {}", numawise_report::notice::text(&warning))));
}

/// A line on the standard error, written at once: ranks write there side by side.
fn say(line: &str) {
    // There is nobody left to tell that the standard error cannot be written.
    let _ = std::io::stderr().write_all(format!("numawise: {line}\n").as_bytes());
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Which task is this process, where there are several and it is one of them.
fn marked(tasks: &Tasks, arguments: &Arguments) -> Option<u32> {
    (tasks.number > 1 && arguments.copies.is_none() && arguments.ranks.is_none()).then_some(tasks.ours)
}

/// A plan, the machine it is for, and what it was told from.
struct Planned {
    machine: Machine,
    placement: Placement,
    notes: Vec<Notice>,
}

/// The plan, from as little of the machine as it takes.
fn plan(request: &Request, allowed: &Allowed) -> Result<Planned, Failure> {
    if let Some(machine) = machine::narrow(request, allowed)
        && let Ok(placement) = request.place(&machine)
    {
        return Ok(Planned { machine, placement, notes: Vec::new() });
    }
    if let Ok(planned) = placed(request, machine::quick(request, allowed)?) {
        return Ok(planned);
    }
    // Something is wrong, or is a matter of kinds that the quick reader does not know: with all there is to know.
    placed(request, machine::full(allowed)?)
}

/// The plan for this machine, with what was measured of it where that matters.
fn placed(request: &Request, machine: Machine) -> Result<Planned, Failure> {
    let (machine, found) = measured::laid_over(request, machine);
    let mut placement = request.place(&machine)?;
    let notes = measured::notes(request, &machine, &placement, found.as_ref());
    weights::compare(&mut placement, &Roots::live());
    Ok(Planned { machine, placement, notes })
}

/// `--dry-run` and `--emit`: the plan and nothing else.
fn look(arguments: &Arguments) -> Result<Status, Failure> {
    let (machine, scope) = match &arguments.input {
        Some(input) => {
            let machine = numawise_machine::from_input(input)?;
            let allowed =
                Allowed { cpus: machine.allowed_cpus.clone(), nodes: machine.allowed_nodes.clone() };
            (machine, Scope::recorded(allowed, arguments))
        }
        None => {
            let scope = Scope::of_this_process(arguments, &environment)?;
            (machine::full(&scope.allowed)?, scope)
        }
    };
    let request = Request::new(arguments, &scope.allowed, &scope.tasks, &environment)?;
    let Planned { machine, mut placement, notes } = match arguments.input {
        Some(_) => {
            let placement = request.place(&machine)?;
            let notes = measured::notes(&request, &machine, &placement, None);
            Planned { machine, placement, notes }
        }
        None => placed(&request, machine)?,
    };
    let spec =
        if arguments.command.is_empty() { spec(&["PROGRAM".into()]) } else { spec(&arguments.command) };
    let decision = preload::decide(arguments, &placement, &spec);
    let pages = match (&arguments.input, request.placement.pages) {
        (Some(_), _) | (_, PageSize::Default) => None,
        (None, pages) => numawise_launch::pages_problem(Path::new("/sys"), pages)
            .map(|problem| LaunchNotice::PagesUnavailable { problem }.into()),
    };
    placement.warnings.splice(0..0, scope.warnings.iter().cloned());
    placement.warnings.extend(decision.warning.into_iter().chain(pages));
    let ours = placement.tasks.get(scope.tasks.ours as usize).ok_or(LaunchError::NoTask)?;
    let changes = request.changes(ours, decision.pinner.as_ref());
    let notes: Vec<Notice> = scope.notes.into_iter().chain(notes).chain(decision.note).collect();
    let shown = Shown {
        machine: &machine,
        request: &request,
        placement: &placement,
        changes: &changes,
        spec: &spec,
        notes: &notes,
        ours: marked(&scope.tasks, arguments),
    };
    crate::show::print(&match (&arguments.emit, arguments.json) {
        (Some(tool), _) => shown.emitted(*tool)?,
        (None, true) => shown.json(),
        (None, false) => shown.text(),
    })?;
    Ok(SUCCESS)
}

fn spec(command: &[OsString]) -> RunSpec {
    RunSpec { command: command.iter().cloned().map(Argument).collect(), directory: PathBuf::new() }
}
