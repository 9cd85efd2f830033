//! GPUs shared out over tasks, so that a task's GPUs are near its CPUs.

use std::collections::BTreeMap;

use numawise_facts::notice::PlanNotice;
use numawise_facts::{DeviceKind, GpuRuntime, Machine, Placement, Reading, TaskGpu, TaskPlacement};
use numawise_units::{Arrange, CpuSet, NodeId, NodeSet, TaskId};

use crate::counts::even;
use crate::device_error::NearError;

#[cfg(test)]
#[path = "gpus_tests.rs"]
mod tests;

/// A GPU that a task can be given.
#[derive(Debug, Clone)]
struct Gpu {
    shown: TaskGpu,
    /// None where it is not known what it is near to: then it is as near to all tasks.
    near: Option<(CpuSet, NodeSet)>,
}

impl Gpu {
    fn is_near(&self, task: &TaskPlacement) -> bool {
        self.near.as_ref().is_none_or(|(cpus, _)| cpus.intersects(&task.cpus))
    }
}

/// Gives each task of `placement` GPUs of `machine`, of those that `may` be used.
///
/// Tasks and GPUs that are near one another, directly or through others, share among themselves: where there are as many GPUs as tasks
/// or more, each task gets its own, neighbours following one another; where there are fewer, neighbouring tasks share one. A task that
/// no GPU is near to shares the nearest, that which the fewest tasks have. GPUs that no task is near to stay unused. Warnings tell
/// both.
///
/// # Errors
/// When the devices are not known, or there is no GPU that a variable of the environment could choose.
pub fn share_gpus(
    machine: &Machine,
    placement: &mut Placement,
    may: &dyn Fn(&TaskGpu) -> bool,
) -> Result<(), NearError> {
    if let Some(reason) = machine.devices.reason() {
        return Err(NearError::NotKnown { reason: reason.clone() });
    }
    let mut gpus = gpus(machine);
    gpus.retain(|gpu| may(&gpu.shown));
    if gpus.is_empty() {
        return Err(NearError::NoGpu);
    }
    let tasks = &placement.tasks;
    let mut given: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for group in groups(tasks, &gpus) {
        let near = |task: usize, gpu: usize| gpus[gpu].is_near(&tasks[task]);
        deal(&group, &near, &mut given);
    }
    let far = give_far(machine, tasks, &gpus, &mut given);
    let numbers = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (0..gpus.len()).filter(|gpu| wanted(*gpu)).map(|gpu| gpus[gpu].shown.gpu).collect()
    };
    let unused = numbers(&|gpu| !given.iter().any(|own| own.contains(&gpu)));
    let unknown = numbers(&|gpu| gpus[gpu].near.is_none());
    for (task, own) in placement.tasks.iter_mut().zip(&given) {
        task.gpus = own.iter().map(|gpu| gpus[*gpu].shown).collect();
    }
    let notices = [
        (!far.is_empty()).then_some(PlanNotice::GpusFar { tasks: far }),
        (!unused.is_empty()).then_some(PlanNotice::GpusUnused { gpus: unused }),
        (!unknown.is_empty()).then_some(PlanNotice::GpusOfUnknownLocality { gpus: unknown }),
    ];
    placement.warnings.extend(notices.into_iter().flatten().map(Into::into));
    Ok(())
}

/// Those that a runtime counts, each with its number there: in the order of PCI addresses, which the variables that go with the plan
/// ask for.
fn gpus(machine: &Machine) -> Vec<Gpu> {
    let mut counted: BTreeMap<GpuRuntime, u32> = BTreeMap::new();
    let mut all = Vec::new();
    for device in machine.known_devices().iter().filter(|device| device.kind == DeviceKind::Gpu) {
        let Some(runtime) = device.vendor.and_then(GpuRuntime::of) else { continue };
        let next = counted.entry(runtime).or_default();
        let shown = TaskGpu { gpu: device.number, runtime, number: *next };
        *next += 1;
        let near = match &device.locality {
            Reading::Measured(near) if near.cpus.is_empty() => {
                let nodes = machine.nodes.iter().filter(|node| near.nodes.contains(node.id));
                let cpus = nodes.fold(CpuSet::new(), |all, node| all.union(&node.near));
                Some((cpus, near.nodes.clone()))
            }
            Reading::Measured(near) => Some((near.cpus.clone(), near.nodes.clone())),
            Reading::Unavailable { .. } => None,
        };
        all.push(Gpu { shown, near });
    }
    all
}

/// Tasks and GPUs that are near one another, directly or through others; each in its order.
struct Group {
    tasks: Vec<usize>,
    gpus: Vec<usize>,
}

fn groups(tasks: &[TaskPlacement], gpus: &[Gpu]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (gpu, one) in gpus.iter().enumerate() {
        let near: Vec<usize> = (0..tasks.len()).filter(|task| one.is_near(&tasks[*task])).collect();
        let mut joined = Group { tasks: near, gpus: vec![gpu] };
        groups.retain_mut(|group| {
            let apart = group.tasks.iter().all(|task| !joined.tasks.contains(task));
            if !apart {
                joined.tasks.append(&mut group.tasks);
                joined.gpus.append(&mut group.gpus);
            }
            apart
        });
        joined.tasks.arrange();
        joined.tasks.dedup();
        joined.gpus.arrange();
        if !joined.tasks.is_empty() {
            groups.push(joined);
        }
    }
    groups
}

/// In blocks, as neighbours; where that takes a task to a GPU that is not its own neighbour, GPU by GPU.
fn deal(group: &Group, near: &dyn Fn(usize, usize) -> bool, given: &mut [Vec<usize>]) {
    let blocks = blocks(group);
    if blocks.iter().all(|(task, gpu)| near(*task, *gpu)) {
        blocks.into_iter().for_each(|(task, gpu)| given[task].push(gpu));
        return;
    }
    for gpu in &group.gpus {
        let mine = group.tasks.iter().filter(|task| near(**task, *gpu));
        if let Some(task) = mine.min_by_key(|task| given[**task].len()) {
            given[*task].push(*gpu);
        }
    }
    for task in &group.tasks {
        if given[*task].is_empty() {
            let own = group.gpus.iter().filter(|gpu| near(*task, **gpu));
            let least = own.min_by_key(|gpu| users(given, **gpu)).copied();
            given[*task].extend(least);
        }
    }
}

fn blocks(group: &Group) -> Vec<(usize, usize)> {
    let (tasks, gpus) = (group.tasks.len(), group.gpus.len());
    let sizes = even(tasks.max(gpus), tasks.min(gpus));
    let part = sizes.into_iter().enumerate().flat_map(|(part, size)| std::iter::repeat_n(part, size));
    let pair = |(k, part): (usize, usize)| {
        let (task, gpu) = if gpus >= tasks { (part, k) } else { (k, part) };
        (group.tasks[task], group.gpus[gpu])
    };
    part.enumerate().map(pair).collect()
}

fn users(given: &[Vec<usize>], gpu: usize) -> usize {
    given.iter().filter(|own| own.contains(&gpu)).count()
}

/// Gives those that have none a GPU of the nearest node, and names them.
fn give_far(
    machine: &Machine,
    tasks: &[TaskPlacement],
    gpus: &[Gpu],
    given: &mut [Vec<usize>],
) -> Vec<TaskId> {
    let mut far = Vec::new();
    for (task, plan) in tasks.iter().enumerate() {
        if !given[task].is_empty() {
            continue;
        }
        let nodes: NodeSet = plan.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
        let cost = |gpu: &usize| {
            let to = gpus[*gpu].near.as_ref().map(|(_, to)| to.clone()).unwrap_or_default();
            (distance(machine, &nodes, &to), users(given, *gpu))
        };
        if let Some(nearest) = (0..gpus.len()).min_by_key(cost) {
            given[task].push(nearest);
            far.push(plan.task);
        }
    }
    far
}

/// The smallest distance from one of these nodes to one of those; the largest number where the firmware gives none.
fn distance(machine: &Machine, from: &NodeSet, to: &NodeSet) -> u32 {
    let row = |from: NodeId| to.iter().filter_map(move |to| machine.distance(from, to));
    from.iter().flat_map(row).min().unwrap_or(u32::MAX)
}
