//! Tasks that are pinned on the same CPUs: the mistake of launchers, and visible before it costs anything.

use std::collections::{HashMap, HashSet};

use numawise_facts::Reading;
use numawise_tables::{MaskOverlap, TaskResidency};
use numawise_units::{Arrange, CpuId, CpuSet, Pid};

use super::topology::Topology;

/// A task that is pinned, and by how many threads it fills its CPUs.
struct PinnedTask<'a> {
    task: &'a TaskResidency,
    mask: &'a CpuSet,
    working: u64,
}

pub fn overlaps(tasks: &[TaskResidency], topology: &Topology) -> Vec<MaskOverlap> {
    let pinned = pinned(tasks, topology);
    let mut owners: HashMap<CpuId, u32> = HashMap::new();
    for cpu in pinned.iter().flat_map(|pinned| pinned.mask.iter()) {
        *owners.entry(cpu).or_default() += 1;
    }
    let mut seen: HashSet<&CpuSet> = HashSet::new();
    let mut overlaps: Vec<MaskOverlap> = Vec::new();
    for one in &pinned {
        let cpus: CpuSet = one.mask.iter().filter(|cpu| owners[cpu] > 1).collect();
        if cpus.is_empty() || !seen.insert(one.mask) {
            continue;
        }
        let touching: Vec<&PinnedTask> = pinned.iter().filter(|other| meet(other.mask, one.mask)).collect();
        let all = touching.iter().fold(CpuSet::new(), |all, other| all.union(other.mask));
        let mut ranks: Vec<u32> =
            touching.iter().filter_map(|other| other.task.rank.measured().copied()).collect();
        ranks.arrange();
        ranks.dedup();
        let overlap = MaskOverlap {
            cpus,
            tasks: touching.iter().map(|other| other.task.pid).collect(),
            ranks,
            oversubscribed: is_oversubscribed(&pinned, one.mask) || is_oversubscribed(&pinned, &all),
        };
        let same = |known: &&mut MaskOverlap| known.cpus == overlap.cpus && known.tasks == overlap.tasks;
        match overlaps.iter_mut().find(same) {
            Some(known) => known.oversubscribed |= overlap.oversubscribed,
            None => overlaps.push(overlap),
        }
    }
    overlaps.arrange_by_key(|overlap| (!overlap.oversubscribed, overlap.cpus.first()));
    overlaps
}

/// More threads work for tasks that have nothing but these CPUs than there are CPUs.
fn is_oversubscribed(pinned: &[PinnedTask], cpus: &CpuSet) -> bool {
    let inside = pinned.iter().filter(|pinned| lies_in(pinned.mask, cpus));
    let (tasks, threads) = inside.fold((0, 0), |(tasks, threads), one| (tasks + 1, threads + one.working));
    tasks > 1 && threads > cpus.len() as u64
}

/// Of a launcher, a shell or another program that only waits for the task it started, nothing is asked: what counts is a
/// task with a thread that used at least a tenth of the CPU time of the job's busiest, or with a rank and no child here.
fn pinned<'a>(tasks: &'a [TaskResidency], topology: &Topology) -> Vec<PinnedTask<'a>> {
    let most = |task: &TaskResidency| {
        let threads = task.threads.measured().into_iter().flatten();
        threads.map(|thread| thread.cpu_time.0).max().unwrap_or(0)
    };
    let busiest = tasks.iter().map(most).max().unwrap_or(0);
    let parents: HashSet<Pid> = tasks.iter().map(|task| task.parent).collect();
    let counts = |task: &TaskResidency| {
        let works = most(task) >= busiest.div_ceil(10) && busiest > 0;
        works || (task.rank.measured().is_some() && !parents.contains(&task.pid))
    };
    let pinned = |task: &'a TaskResidency| match (&task.mask, &task.working) {
        (Reading::Measured(mask), Reading::Measured(working)) if topology.is_pinned(mask) => {
            Some(PinnedTask { task, mask, working: (*working).max(1) })
        }
        _ => None,
    };
    tasks.iter().filter(|task| counts(task)).filter_map(pinned).collect()
}

/// Whether two sets have a member in common, without making a third.
fn meet(a: &CpuSet, b: &CpuSet) -> bool {
    a.words().iter().zip(b.words()).any(|(a, b)| a & b != 0)
}

/// Whether all members of `a` are in `b`, without making a third set.
fn lies_in(a: &CpuSet, b: &CpuSet) -> bool {
    let of_b = b.words().iter().copied().chain(std::iter::repeat(0));
    a.words().iter().zip(of_b).all(|(a, b)| a & !b == 0)
}
