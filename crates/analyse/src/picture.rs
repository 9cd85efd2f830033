//! A machine as it is drawn, with a placement on it: CPUs inside of caches, nodes and packages, and whose they are.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{
    Cache, Cpu, Machine, MemoryMode, MemoryPlan, Node, Placement, PointId, PointRole, Reading, Study,
    TaskPlacement, ThreadBinding,
};
use numawise_tables::{
    CacheGroup, CorePicture, CpuPicture, MachinePicture, MemoryPicture, MemorySeen, NodePicture,
    PackagePicture, PictureRole, PlacementPicture, PlannedMemory, PointPicture, PointSummary, SharedCache,
};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId, NodeSet, Ratio, TaskId};

use crate::{share, summary};

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;

/// What was seen where in runs of a placement.
struct SeenPlaces<'a> {
    memory: &'a Reading<Vec<(NodeId, Bytes)>>,
    cpu_time: &'a Reading<Vec<(NodeId, Ratio)>>,
}

/// The machine, with a plan that nobody ran or without one.
pub fn picture(machine: &Machine, placement: Option<&Placement>) -> MachinePicture {
    drawn(machine, placement, None)
}

/// The operating system's placement of a check, and the one that is recommended or else the best of the others.
pub(crate) fn of_check(
    study: &Study,
    points: &[PointSummary],
    recommended: Option<&PointId>,
) -> Vec<PointPicture> {
    let baseline = points.iter().find(|point| point.role == PointRole::Baseline);
    let recommended = recommended.and_then(|id| points.iter().find(|point| point.id == *id));
    let other = match recommended {
        Some(point) => Some((point, PictureRole::Recommended)),
        None => {
            let mut order = summary::by_median(study, points).into_iter().map(|k| &points[k]);
            let best = order.find(|point| point.role == PointRole::Candidate);
            best.map(|point| (point, PictureRole::Best))
        }
    };
    let both = baseline.map(|point| (point, PictureRole::Baseline)).into_iter().chain(other);
    both.map(|(point, role)| of_point(&study.header.machine, point, role)).collect()
}

/// The points of a grid with the best and the worst median, by their order; nothing where none has one.
pub(crate) fn of_grid(machine: &Machine, points: &[PointSummary], order: &[usize]) -> Vec<PointPicture> {
    let both = match order {
        [] => Vec::new(),
        [best] => vec![(best, PictureRole::Best)],
        [best, .., worst] => vec![(best, PictureRole::Best), (worst, PictureRole::Worst)],
    };
    both.into_iter().map(|(k, role)| of_point(machine, &points[*k], role)).collect()
}

fn of_point(machine: &Machine, point: &PointSummary, role: PictureRole) -> PointPicture {
    let seen = SeenPlaces { memory: &point.pages, cpu_time: &point.cpu_share };
    let picture = drawn(machine, Some(&point.placement), Some(&seen));
    PointPicture { point: point.id.clone(), role, picture }
}

fn drawn(machine: &Machine, placement: Option<&Placement>, seen: Option<&SeenPlaces<'_>>) -> MachinePicture {
    let builder = Builder::of(machine, placement, seen);
    let mut packages: Vec<PackagePicture> =
        machine.packages.iter().map(|package| builder.package(Some(package.index))).collect();
    packages.push(builder.package(None));
    packages.retain(|package| !package.nodes.is_empty());
    continue_nodes(&mut packages);
    let mut picture = MachinePicture {
        packages,
        apart: Vec::new(),
        cpus: machine.cpus.len() as u32,
        placed: placement.map(|placement| PlacementPicture {
            tasks: placement.tasks.iter().map(|task| (task.task, task.cpus.clone())).collect(),
            binding: placement.binding,
            seen: seen.map(|seen| seen.memory.as_ref().map(|list| total(list))),
        }),
    };
    for node in &machine.nodes {
        builder.put_memory(&mut picture, node);
    }
    picture
}

fn total(by_node: &[(NodeId, Bytes)]) -> Bytes {
    by_node.iter().map(|(_, bytes)| *bytes).sum()
}

/// The memory of a node stands beside its first CPUs.
fn continue_nodes(packages: &mut [PackagePicture]) {
    let mut known = BTreeSet::new();
    for node in packages.iter_mut().flat_map(|package| &mut package.nodes) {
        node.is_continued = node.node.is_some_and(|id| !known.insert(id));
        if node.is_continued {
            node.cpu_time = None;
        }
    }
}

struct Builder<'a> {
    machine: &'a Machine,
    cpus: BTreeMap<CpuId, CpuPicture>,
    /// The caches by their level, the largest first, each CPU with the place of its cache.
    caches: Vec<BTreeMap<CpuId, &'a Cache>>,
    /// Whose memory goes to a node.
    planned: BTreeMap<NodeId, Vec<PlannedMemory>>,
    /// The CPUs over which threads of a task may move.
    moving: Vec<(TaskId, CpuSet)>,
    seen: Option<&'a SeenPlaces<'a>>,
}

impl<'a> Builder<'a> {
    fn of(machine: &'a Machine, placement: Option<&Placement>, seen: Option<&'a SeenPlaces<'a>>) -> Self {
        let mut by_level: BTreeMap<u32, BTreeMap<CpuId, &Cache>> = BTreeMap::new();
        for cache in &machine.caches {
            let of_level = by_level.entry(cache.level).or_default();
            of_level.extend(cache.cpus.iter().map(|cpu| (cpu, cache)));
        }
        let moving = placement.map_or_else(Vec::new, moving);
        Builder {
            machine,
            cpus: cpus(machine, placement, &moving),
            caches: by_level.into_values().rev().collect(),
            planned: placement.map_or_else(BTreeMap::new, |placement| planned(machine, placement)),
            moving,
            seen,
        }
    }

    /// A package by its index; without one, the CPUs of no known package.
    fn package(&self, index: Option<u32>) -> PackagePicture {
        let is_known =
            |cpu: &Cpu| self.machine.packages.iter().any(|package| Some(package.index) == cpu.package);
        let cpus = self.machine.cpus.iter().filter(|cpu| match index {
            Some(_) => cpu.package == index,
            None => !is_known(cpu),
        });
        let mut by_node: BTreeMap<(bool, Option<NodeId>), Vec<&Cpu>> = BTreeMap::new();
        for cpu in cpus {
            by_node.entry((cpu.node.is_none(), cpu.node)).or_default().push(cpu);
        }
        let nodes = by_node.into_iter().map(|((_, node), cpus)| self.node(node, &cpus)).collect();
        PackagePicture { index, nodes, memory: Vec::new() }
    }

    fn node(&self, node: Option<NodeId>, cpus: &[&Cpu]) -> NodePicture {
        let set: CpuSet = cpus.iter().map(|cpu| cpu.id).collect();
        let mut by_core: BTreeMap<u32, Vec<&Cpu>> = BTreeMap::new();
        let mut cores: Vec<u32> = Vec::new();
        for cpu in cpus {
            let of_core = by_core.entry(cpu.core).or_default();
            if of_core.is_empty() {
                cores.push(cpu.core);
            }
            of_core.push(cpu);
        }
        let pictures: Vec<CorePicture> = cores.iter().map(|core| self.core(*core, &by_core[core])).collect();
        let here = || pictures.iter().flat_map(|core| &core.cpus);
        let held_tasks: BTreeSet<TaskId> =
            here().flat_map(|cpu| cpu.held.iter().map(|(task, _)| *task)).collect();
        let held: BTreeSet<(TaskId, u32)> = here().flat_map(|cpu| cpu.held.iter().copied()).collect();
        let cpu_time = self.seen.zip(node).map(|(seen, node)| {
            let of_node = |list: &Vec<(NodeId, Ratio)>| {
                Ratio(list.iter().filter(|(id, _)| *id == node).map(|(_, share)| share.0).sum())
            };
            seen.cpu_time.as_ref().map(of_node)
        });
        NodePicture {
            node,
            is_continued: false,
            memory: Vec::new(),
            held: held.len() as u32,
            held_tasks: held_tasks.into_iter().collect(),
            moving_tasks: self
                .moving
                .iter()
                .filter(|(_, cpus)| cpus.intersects(&set))
                .map(|(task, _)| *task)
                .collect(),
            cpu_time,
            groups: groups(pictures, &self.caches, &set),
            cpus: set,
        }
    }

    fn core(&self, core: u32, cpus: &[&Cpu]) -> CorePicture {
        CorePicture {
            core,
            efficiency: cpus.first().and_then(|cpu| cpu.efficiency.measured().copied()),
            cpus: cpus.iter().map(|cpu| self.cpus[&cpu.id].clone()).collect(),
        }
    }

    /// Puts the memory of a node beside the CPUs that are nearest: those of the node, or those of one other node, of one package, or
    /// of none in particular.
    fn put_memory(&self, picture: &mut MachinePicture, node: &Node) {
        let memory = self.memory(node);
        let near = if node.cpus.is_empty() { &node.near } else { &node.cpus };
        let mut homes = Vec::new();
        for (p, package) in picture.packages.iter().enumerate() {
            for (n, group) in package.nodes.iter().enumerate() {
                if group.cpus.intersects(near) {
                    homes.push((p, n));
                }
            }
        }
        let own = |(p, n): &&(usize, usize)| picture.packages[*p].nodes[*n].node == Some(node.id);
        if let Some((p, n)) = homes.iter().find(own) {
            picture.packages[*p].nodes[*n].memory.insert(0, memory);
            return;
        }
        match homes.as_slice() {
            [(p, n)] => picture.packages[*p].nodes[*n].memory.push(memory),
            [(p, _), rest @ ..] if rest.iter().all(|(other, _)| other == p) => {
                picture.packages[*p].memory.push(memory);
            }
            _ => picture.apart.push(memory),
        }
    }

    fn memory(&self, node: &Node) -> MemoryPicture {
        let seen = self.seen.map(|seen| {
            seen.memory.as_ref().and_then(|list| {
                let here: Bytes = list.iter().filter(|(id, _)| *id == node.id).map(|(_, bytes)| *bytes).sum();
                let share = share(here.0 as f64, total(list).0 as f64);
                crate::reading(share, "no memory was seen").map(|share| MemorySeen { bytes: here, share })
            })
        });
        MemoryPicture {
            node: node.id,
            kind: node.kind,
            size: node.memory.clone(),
            is_allowed: node.has_no_memory() || self.machine.allowed_nodes.contains(node.id),
            planned: self.planned.get(&node.id).cloned().unwrap_or_default(),
            seen,
        }
    }
}

/// The CPU on which a thread is held; none for one that may move.
fn held_on(binding: ThreadBinding, cpus: &CpuSet) -> Option<CpuId> {
    cpus.first().filter(|_| binding == ThreadBinding::Pinned && cpus.len() == 1)
}

/// The CPUs over which threads of each task may move; tasks of which none may are left out.
fn moving(placement: &Placement) -> Vec<(TaskId, CpuSet)> {
    let of = |task: &TaskPlacement| {
        if task.threads.is_empty() {
            return task.cpus.clone();
        }
        let free = task.threads.iter().filter(|cpus| held_on(placement.binding, cpus).is_none());
        free.fold(CpuSet::new(), |all, cpus| all.union(cpus))
    };
    let all = placement.tasks.iter().map(|task| (task.task, of(task)));
    all.filter(|(_, cpus)| !cpus.is_empty()).collect()
}

/// Every CPU of the machine, with who runs there.
fn cpus(
    machine: &Machine,
    placement: Option<&Placement>,
    moving: &[(TaskId, CpuSet)],
) -> BTreeMap<CpuId, CpuPicture> {
    let cpu = |cpu: &Cpu| CpuPicture {
        cpu: cpu.id,
        is_allowed: machine.allowed_cpus.contains(cpu.id),
        held: Vec::new(),
        moving: None,
    };
    let mut all: BTreeMap<CpuId, CpuPicture> = machine.cpus.iter().map(|one| (one.id, cpu(one))).collect();
    if let Some(placement) = placement {
        for task in &placement.tasks {
            for (k, cpus) in task.threads.iter().enumerate() {
                let cpu = held_on(placement.binding, cpus).and_then(|cpu| all.get_mut(&cpu));
                cpu.into_iter().for_each(|cpu| cpu.held.push((task.task, k as u32)));
            }
        }
    }
    for (task, cpus) in moving {
        for id in cpus.iter() {
            if let Some(cpu) = all.get_mut(&id) {
                cpu.moving = Some(cpu.moving.map_or((*task, 1), |(first, count)| (first, count + 1)));
            }
        }
    }
    all
}

/// Whose memory goes to which node.
fn planned(machine: &Machine, placement: &Placement) -> BTreeMap<NodeId, Vec<PlannedMemory>> {
    let mut planned: BTreeMap<NodeId, Vec<PlannedMemory>> = BTreeMap::new();
    for task in &placement.tasks {
        for (node, part) in nodes_of_plan(machine, &task.memory, &task.cpus) {
            let of_node = planned.entry(node).or_default();
            let mode = task.memory.mode;
            match of_node.iter_mut().find(|one| one.mode == mode && one.share == part) {
                Some(one) => one.tasks.push(task.task),
                None => of_node.push(PlannedMemory { tasks: vec![task.task], mode, share: part }),
            }
        }
    }
    planned
}

/// The nodes to which a policy sends pages, with their parts where it says them. Where pages stay with the thread that touches them
/// first, these are the nodes of the task's CPUs.
fn nodes_of_plan(machine: &Machine, plan: &MemoryPlan, cpus: &CpuSet) -> Vec<(NodeId, Option<Ratio>)> {
    let local = || -> NodeSet {
        let nodes: NodeSet = cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
        nodes.iter().filter(|id| machine.node(*id).is_some_and(|node| !node.has_no_memory())).collect()
    };
    let nodes = match plan.mode {
        MemoryMode::Default | MemoryMode::Local => local(),
        _ if plan.nodes.is_empty() => local(),
        _ => plan.nodes.clone(),
    };
    let weights: u64 = plan.weights.iter().map(|one| u64::from(one.weight)).sum();
    let part = |node: NodeId| match plan.mode {
        MemoryMode::Interleave => share(1.0, nodes.len() as f64),
        MemoryMode::WeightedInterleave => {
            let own = plan.weights.iter().find(|one| one.node == node)?;
            share(f64::from(own.weight), weights as f64)
        }
        _ => None,
    };
    nodes.iter().map(|node| (node, part(node))).collect()
}

/// Cores by the caches that several of them share, the largest cache outside.
fn groups(cores: Vec<CorePicture>, levels: &[BTreeMap<CpuId, &Cache>], all: &CpuSet) -> Vec<CacheGroup> {
    let Some((level, below)) = levels.split_first() else {
        return vec![CacheGroup { cache: None, inside: Vec::new(), cores }];
    };
    let cache_of = |core: &CorePicture| core.cpus.first().and_then(|cpu| level.get(&cpu.cpu).copied());
    let mut parts: Vec<(Option<&Cache>, Vec<CorePicture>)> = Vec::new();
    for core in cores {
        let cache = cache_of(&core);
        let same = |known: &Option<&Cache>| match (known, cache) {
            (Some(known), Some(cache)) => std::ptr::eq(*known, cache),
            (None, None) => true,
            _ => false,
        };
        match parts.iter_mut().find(|(known, _)| same(known)) {
            Some((_, part)) => part.push(core),
            None => parts.push((cache, vec![core])),
        }
    }
    if parts.iter().all(|(cache, part)| cache.is_none() || part.len() < 2) {
        let cores = parts.into_iter().flat_map(|(_, part)| part).collect();
        return groups(cores, below, all);
    }
    let group = |(cache, part): (Option<&Cache>, Vec<CorePicture>)| {
        let shared = cache.map(|cache| SharedCache {
            level: cache.level,
            size: cache.size,
            is_shared_beyond: !cache.cpus.is_subset(all),
        });
        let mut inside = groups(part, below, all);
        if let [CacheGroup { cache: None, inside: none, cores }] = inside.as_mut_slice()
            && none.is_empty()
        {
            return CacheGroup { cache: shared, inside: Vec::new(), cores: std::mem::take(cores) };
        }
        CacheGroup { cache: shared, inside, cores: Vec::new() }
    };
    parts.into_iter().map(group).collect()
}
