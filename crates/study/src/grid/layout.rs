//! A grid with a command: what is run at each point, and which placement it is to have.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::num::NonZeroU32;

use numawise_facts::{
    Argument, ContrastRole, DeviceName, FactorKind, FactorLevels, GridRun, GridStudy, InputTemplate, Levels,
    Machine, MemoryKind, PlacementRequest, PointId, PointPair, PointRole, RunSpec, Strategy, TaskWord,
    ThreadBinding,
};

use super::factor::{FactorName, GridFactor, GridLevel};
use super::fill::{FillError, Filling, Template};
use super::span::{Grid, GridError, GridPoint};
use super::template::{self, TemplateError};
use crate::design::{PlannedPoint, StudyDesign};

#[cfg(test)]
#[path = "layout_tests.rs"]
pub(super) mod tests;

/// What points have where no factor says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct GridBase {
    /// Strategy, memory, copies, threads and all else of a placement.
    pub request: PlacementRequest,
    /// Whether threads are pinned; without it they are where a strategy chooses their CPUs.
    pub pin: Option<ThreadBinding>,
    /// Ranks that the command starts.
    pub ranks: Option<u32>,
    /// Input files that are filled in for each trial.
    pub templates: Vec<InputTemplate>,
}

/// All that is run, before anything was.
#[derive(Debug, Clone, PartialEq)]
pub struct GridLayout {
    pub design: StudyDesign,
    pub grid: GridStudy,
}

/// A grid that cannot be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LayoutError {
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error(transparent)]
    Fill(#[from] FillError),
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A factor changes nothing of what is run.
    #[error(
        "the factor {name} changes nothing: {{{name}}} stands nowhere in the command{}; write it where its level belongs, as in {example}",
        if *with_files { ", nor in an input file" } else { "" }
    )]
    Unused { name: String, example: String, with_files: bool },
    #[error("the command at {point} is empty: all of its words were left out")]
    Empty { point: PointId },
}

/// Lays a grid out.
///
/// # Errors
/// As [`Grid::points`]; [`LayoutError::Fill`] for placeholders that name nothing, [`LayoutError::Unused`] for a factor that nothing fills in.
pub fn lay_out(
    grid: &Grid,
    base: &GridBase,
    command: &RunSpec,
    machine: &Machine,
) -> Result<GridLayout, LayoutError> {
    let names = known_names(grid, &base.templates);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    template::check(&base.templates, &known)?;
    let figures = figures(machine);
    let points = grid.points(&figures)?;
    let factors: Vec<FactorLevels> = grid.factors().iter().map(factor_levels).collect();
    let mut design = StudyDesign { points: Vec::new(), pairs: Vec::new(), not_tried: Vec::new() };
    let mut runs = Vec::with_capacity(points.len());
    for (k, point) in points.iter().enumerate() {
        let id = point_id(point);
        let spec = run_spec(grid, point, command, &id, &known)?;
        let role = if k == 0 { PointRole::Baseline } else { PointRole::Candidate };
        let request = request(point, base);
        let threads = request.threads.unwrap_or(1);
        let mut levels = Levels::of(&request, threads);
        levels.placement.near = near(point).cloned();
        runs.push(GridRun {
            point: id.clone(),
            levels: indices(point, &factors),
            workers: workers(point, base),
            command: spec,
            environment: environment(point),
        });
        if let Some(first) = design.points.first().map(|first: &PlannedPoint| first.id.clone()) {
            design.pairs.push(PointPair { from: first, to: id.clone(), role: ContrastRole::BothWays });
        }
        let ranks = point.ranks().or(base.ranks);
        design.points.push(PlannedPoint { id, levels, role, request, ranks });
    }
    // Behind placeholders that name nothing: where one is misspelt, both are so.
    check_used(grid, command, &base.templates)?;
    let constraints = grid.constraints().iter().map(ToString::to_string).collect();
    let grid =
        GridStudy { factors, runs, constraints, templates: base.templates.clone(), ..GridStudy::default() };
    Ok(GridLayout { design, grid })
}

/// All that placeholders can name.
fn known_names(grid: &Grid, templates: &[InputTemplate]) -> Vec<String> {
    let mut names = grid.names();
    for always in ALWAYS {
        if !names.iter().any(|name| name == always) {
            names.push(always.to_owned());
        }
    }
    names.extend(template::placeholders(templates));
    names
}

/// What each task fills in itself, where it is no factor.
const ALWAYS: [&str; 5] =
    ["threads", "task", TaskWord::Cpus.name(), TaskWord::Nodes.name(), TaskWord::Host.name()];

/// Figures of the machine that conditions know by name.
fn figures(machine: &Machine) -> BTreeMap<&'static str, f64> {
    let allowed = |cpu: &&numawise_facts::Cpu| machine.allowed_cpus.contains(cpu.id);
    let packages: BTreeSet<u32> = machine.cpus.iter().filter(allowed).filter_map(|cpu| cpu.package).collect();
    let nodes = || machine.nodes.iter().filter(|node| machine.allowed_nodes.contains(node.id));
    BTreeMap::from([
        ("cpus", machine.allowed_cpus.len() as f64),
        ("cores", machine.cores(&machine.allowed_cpus) as f64),
        ("packages", packages.len() as f64),
        ("nodes", nodes().filter(|node| !node.cpus.is_empty()).count() as f64),
        ("hbm_nodes", nodes().filter(|node| node.kind == MemoryKind::Hbm).count() as f64),
    ])
}

/// A factor as it is kept with the study.
fn factor_levels(factor: &GridFactor) -> FactorLevels {
    FactorLevels {
        kind: kind(factor),
        name: factor.name().word().to_owned(),
        levels: factor.levels().iter().map(GridLevel::word).collect(),
    }
}

fn kind(factor: &GridFactor) -> FactorKind {
    match factor {
        GridFactor::Commands(_) => FactorKind::Command,
        GridFactor::RanksTimesThreads(_) => FactorKind::RanksTimesThreads,
        GridFactor::Ranks(_) => FactorKind::Ranks,
        GridFactor::Copies(_) => FactorKind::Copies,
        GridFactor::Threads(_) => FactorKind::Threads,
        GridFactor::Place(_) | GridFactor::Near(_) => FactorKind::Place,
        GridFactor::Memory(_) => FactorKind::Memory,
        GridFactor::Pin(_) => FactorKind::Pin,
        GridFactor::PageSize(_) => FactorKind::PageSize,
        GridFactor::Order(_) => FactorKind::Order,
        GridFactor::Step(_) => FactorKind::Step,
        GridFactor::Variable { .. } => FactorKind::Variable,
        GridFactor::Parameter { .. } => FactorKind::Parameter,
    }
}

/// `threads=4 place=semi`; of a grid without factors what the operating system does.
fn point_id(point: &GridPoint) -> PointId {
    let words: Vec<String> = point.levels.iter().map(|(name, level)| format!("{name}={level}")).collect();
    PointId(if words.is_empty() { "os".to_owned() } else { words.join(" ") })
}

fn indices(point: &GridPoint, factors: &[FactorLevels]) -> Vec<u32> {
    let place = |(factor, (_, level)): (&FactorLevels, &(FactorName, GridLevel))| {
        let word = level.word();
        factor.levels.iter().position(|other| *other == word).unwrap_or_default() as u32
    };
    factors.iter().zip(&point.levels).map(place).collect()
}

/// Threads of all processes; with neither threads nor processes as a factor or given, nobody knows.
fn workers(point: &GridPoint, base: &GridBase) -> Option<u32> {
    let processes = point
        .ranks()
        .or(base.ranks)
        .or(point.copies())
        .or((base.request.tasks > 1).then_some(base.request.tasks));
    let threads = point.threads().or(base.request.threads);
    match (processes, threads) {
        (None, None) => None,
        (processes, threads) => processes.unwrap_or(1).checked_mul(threads.unwrap_or(1)),
    }
}

fn environment(point: &GridPoint) -> Vec<(String, String)> {
    let variable = |(name, level): &(FactorName, GridLevel)| match name {
        FactorName::Variable(name) => Some((name.clone(), level.word())),
        _ => None,
    };
    point.levels.iter().filter_map(variable).collect()
}

fn request(point: &GridPoint, base: &GridBase) -> PlacementRequest {
    let mut request = base.request.clone();
    let mut pin = base.pin;
    for (_, level) in &point.levels {
        match level {
            GridLevel::Place(strategy) => request.strategy = *strategy,
            GridLevel::Memory(memory) => request.memory = memory.clone(),
            GridLevel::Pin(binding) => pin = Some(*binding),
            GridLevel::PageSize(pages) => request.pages = *pages,
            GridLevel::Order(order) => request.choice.order = order.clone(),
            GridLevel::Near(_) | GridLevel::Number(_) | GridLevel::Division(_) | GridLevel::Word(_) => {}
        }
    }
    if let Some(step) = point.level(&FactorName::Step).and_then(GridLevel::number).and_then(NonZeroU32::new) {
        request.choice.step = step;
    }
    // What starts ranks is one task.
    let tasks =
        if point.ranks().or(base.ranks).is_some() { 1 } else { point.copies().unwrap_or(request.tasks) };
    request.tasks = tasks;
    request.threads = point.threads().or(request.threads);
    let by_strategy = match request.strategy {
        Strategy::None => ThreadBinding::Free,
        _ => ThreadBinding::Pinned,
    };
    request.binding = pin.unwrap_or(by_strategy);
    // As in a run: without a strategy the CPUs near to a device are the placement.
    if request.strategy == Strategy::None && near(point).is_some() {
        request.strategy = Strategy::Explicit;
    }
    request
}

fn near(point: &GridPoint) -> Option<&DeviceName> {
    match point.level(&FactorName::Near) {
        Some(GridLevel::Near(device)) => device.as_ref(),
        _ => None,
    }
}

/// A factor that only stands in the command, or in an input file, must stand there.
fn check_used(grid: &Grid, command: &RunSpec, templates: &[InputTemplate]) -> Result<(), LayoutError> {
    let names = |text: &OsStr| -> Vec<String> {
        Template::new(text).names().into_iter().map(str::to_owned).collect()
    };
    let words = |command: &RunSpec| -> Vec<String> {
        command.command.iter().flat_map(|word| names(word.as_os_str())).collect()
    };
    let mut used = words(command);
    used.extend(templates.iter().flat_map(|template| names(OsStr::new(&template.text))));
    for factor in grid.factors() {
        if let GridFactor::Commands(commands) = factor {
            used.extend(commands.iter().flat_map(|one| words(&one.command)));
        }
    }
    for factor in grid.factors() {
        let name = factor.name();
        let stands = used.iter().any(|word| word == name.word());
        let example = match factor {
            GridFactor::Ranks(_) => "mpirun -n {ranks} ./app".to_owned(),
            GridFactor::RanksTimesThreads(_) => "mpirun -n {ranks} ./app".to_owned(),
            GridFactor::Parameter { name, .. } => format!("./app --{name}={{{name}}}"),
            _ => continue,
        };
        let stands = stands
            || matches!(factor, GridFactor::RanksTimesThreads(_)) && used.iter().any(|word| word == "ranks");
        if !stands {
            let with_files = !templates.is_empty();
            return Err(LayoutError::Unused { name: name.word().to_owned(), example, with_files });
        }
    }
    Ok(())
}

/// The command of a point with its levels filled in, but for what each task fills in itself: `{task}`, the paths of its input files, and
/// `{threads}` where nobody gave their number.
fn run_spec(
    grid: &Grid,
    point: &GridPoint,
    command: &RunSpec,
    id: &PointId,
    known: &[&str],
) -> Result<RunSpec, LayoutError> {
    // What is no factor is left to the task.
    let word = |name: &str| point.word(name).unwrap_or_else(|| format!("{{{name}}}"));
    let levels: BTreeMap<&str, String> = known.iter().map(|name| (*name, word(name))).collect();
    let is_first = |name: &str| {
        let of_both = |factor: &GridFactor| {
            matches!(factor, GridFactor::RanksTimesThreads(_)) && matches!(name, "ranks" | "threads")
        };
        let factor = grid.factors().iter().find(|factor| factor.name().word() == name || of_both(factor));
        let at_first = |factor: &GridFactor| {
            factor.levels().first().map(GridLevel::word) == point.word(factor.name().word())
        };
        factor.is_none_or(at_first)
    };
    let filling = |name: &str| {
        let level = levels.get(name)?;
        Some(Filling { level: OsStr::new(level), is_first: is_first(name) })
    };
    let template = chosen(grid, point).unwrap_or(command);
    let factors = grid.names();
    let of_task = |name: &&str| ALWAYS.contains(name) || !factors.iter().any(|factor| factor == name);
    let later: Vec<&str> = known.iter().copied().filter(of_task).collect();
    let mut words = Vec::with_capacity(template.command.len());
    for word in &template.command {
        words.extend(Template::new(word.as_os_str()).fill(&filling, known, &later)?.map(Argument));
    }
    if words.is_empty() {
        return Err(LayoutError::Empty { point: id.clone() });
    }
    Ok(RunSpec { command: words, directory: template.directory.clone() })
}

/// The command that a factor of commands has at a point.
fn chosen<'a>(grid: &'a Grid, point: &GridPoint) -> Option<&'a RunSpec> {
    let name = point.level(&FactorName::Command)?.word();
    grid.factors().iter().find_map(|factor| match factor {
        GridFactor::Commands(commands) => {
            commands.iter().find(|one| one.name == name).map(|one| &one.command)
        }
        _ => None,
    })
}
