//! Cores as what tasks keep apart: two tasks on one core get in each other's way, two threads of a task share its caches.
//!
//! The capacity of a core is how many usable CPUs it has; cores come in the order of their positions in the node.

use std::collections::BTreeMap;

use numawise_facts::Strategy;

use crate::counts::{self, Counts, even};
use crate::usable::{Group, Place};

#[cfg(test)]
#[path = "cores_tests.rs"]
mod tests;

/// The cores of a node, each with its CPUs and their places in the order in which they are taken.
pub fn of(group: &Group) -> Vec<Vec<(usize, Place)>> {
    let mut cores: BTreeMap<usize, Vec<(usize, Place)>> = BTreeMap::new();
    for (order, place) in group.cpus.iter().copied().enumerate() {
        cores.entry(place.core).or_default().push((order, place));
    }
    cores.into_values().collect()
}

/// The capacities of the cores of each node.
pub fn capacities(groups: &[Group]) -> Vec<Vec<usize>> {
    groups.iter().map(|group| of(group).iter().map(Vec::len).collect()).collect()
}

/// How many of the first cores are enough for `number` threads.
fn needed(capacities: &[usize], number: usize) -> Option<usize> {
    let mut capacity = 0;
    let mut cores = capacities.iter();
    let mut taken = 0;
    while capacity < number {
        capacity += cores.next()?;
        taken += 1;
    }
    Some(taken)
}

/// Whether each task finds cores of its own, side by side, one task after the other.
pub fn fits(capacities: &[usize], wanted: impl IntoIterator<Item = usize>) -> bool {
    let mut rest = capacities;
    wanted.into_iter().all(|number| needed(rest, number).map(|cores| rest = &rest[cores..]).is_some())
}

/// How many neighbouring cores each task gets for itself: as many as its threads are a part of all threads, with as few threads on a
/// core as can be. `None` where there are not enough cores for that.
pub fn blocks(capacities: &[usize], wanted: &[usize]) -> Option<Vec<usize>> {
    let most = capacities.iter().copied().max()?;
    (1..=most).find_map(|level| {
        let capacities: Vec<usize> = capacities.iter().map(|capacity| level.min(*capacity)).collect();
        blocks_at(&capacities, wanted)
    })
}

fn blocks_at(capacities: &[usize], wanted: &[usize]) -> Option<Vec<usize>> {
    let mut left = wanted.iter().sum::<usize>();
    let mut rest = capacities;
    let mut lengths = Vec::with_capacity(wanted.len());
    for (task, &number) in wanted.iter().enumerate() {
        let others = || wanted[task + 1..].iter().copied();
        let least = needed(rest, number)?;
        let share = (rest.len() * number).div_ceil(left.max(1)).min(number).max(least);
        let length = (least..=share).rev().find(|length| fits(&rest[*length..], others()))?;
        lengths.push(length);
        rest = &rest[length..];
        left -= number;
    }
    Some(lengths)
}

/// As [`counts::local`], and every task begins on a core of its own. `None` where there are not enough cores for that.
fn local(capacities: &[Vec<usize>], threads: &[usize]) -> Option<Counts> {
    let mut cores = capacities
        .iter()
        .enumerate()
        .flat_map(|(group, capacities)| capacities.iter().map(move |capacity| (group, *capacity)));
    let mut counts = vec![vec![0; capacities.len()]; threads.len()];
    for (row, &number) in counts.iter_mut().zip(threads) {
        let mut left = number;
        while left > 0 {
            let (group, capacity) = cores.next()?;
            row[group] += capacity.min(left);
            left -= capacity.min(left);
        }
    }
    Some(counts)
}

/// As [`local`], and every task inside one node: the first that has cores of its own for it.
fn unparted(capacities: &[Vec<usize>], threads: &[usize]) -> Option<Counts> {
    let mut left: Vec<&[usize]> = capacities.iter().map(Vec::as_slice).collect();
    let mut counts = vec![vec![0; capacities.len()]; threads.len()];
    for (row, &number) in counts.iter_mut().zip(threads) {
        let (group, cores) =
            left.iter().enumerate().find_map(|(group, cores)| Some((group, needed(cores, number)?)))?;
        left[group] = &left[group][cores..];
        row[group] = number;
    }
    Some(counts)
}

/// The threads of each node where every core of the machine has one before any has a second one, and so on.
fn by_level(capacities: &[Vec<usize>], strategy: Strategy, threads: usize) -> Option<Vec<usize>> {
    let at = |level: usize| -> Vec<usize> {
        let of_node = |cores: &Vec<usize>| cores.iter().map(|capacity| level.min(*capacity)).sum();
        capacities.iter().map(of_node).collect()
    };
    let most = capacities.iter().flatten().copied().max()?;
    let level = (1..=most).find(|level| at(*level).iter().sum::<usize>() >= threads)?;
    let below = at(level - 1);
    let room: Vec<usize> = at(level).iter().zip(&below).map(|(all, below)| all - below).collect();
    let rest = [threads - below.iter().sum::<usize>()];
    let more = match strategy {
        Strategy::Local => counts::local(&room, &rest),
        _ => counts::distributed(&room, &rest),
    };
    Some(below.iter().zip(&more[0]).map(|(below, more)| below + more).collect())
}

/// Other threads by task and node for a plan in which tasks meet on a core while others idle, the one to be preferred first.
pub fn elsewhere(capacities: &[Vec<usize>], strategy: Strategy, threads: &[usize]) -> Vec<Counts> {
    let by_level = by_level(capacities, strategy, threads.iter().sum());
    match strategy {
        Strategy::Local => {
            let whole = [unparted(capacities, threads), local(capacities, threads)];
            let by_level = by_level.map(|totals| counts::local(&totals, threads));
            whole.into_iter().chain([by_level]).flatten().collect()
        }
        _ => by_level.map(|totals| counts::distributed(&totals, threads)).into_iter().collect(),
    }
}

/// What a strategy is asked for before tasks have cores of their own, the less the better: a task as even over the nodes as can be,
/// or few nodes and few tasks that are parted.
pub fn cost(strategy: Strategy, counts: &Counts) -> (usize, usize) {
    let spread = |row: &Vec<usize>| row.iter().max().unwrap_or(&0) - row.iter().min().unwrap_or(&0);
    let groups = counts.first().map_or(0, Vec::len);
    let parts = counts.iter().flatten().filter(|number| **number > 0).count();
    let nodes = (0..groups).filter(|k| counts.iter().any(|row| row[*k] > 0)).count();
    match strategy {
        Strategy::Distributed => (counts.iter().map(spread).max().unwrap_or(0), 0),
        _ => (nodes, parts),
    }
}

/// `plain`, the threads by task and node of a strategy that does not look at cores, or a better plan of whole cores:
/// - local: on no more nodes, and parting no more tasks, since near memory is worth more than a core for oneself;
/// - distributed: in which every task is as even over the nodes, for which it is asked.
///
/// `free`: how many threads a task has is ours to choose.
pub fn whole(capacities: &[Vec<usize>], strategy: Strategy, free: bool, plain: Counts) -> Counts {
    let threads: Vec<usize> = plain.iter().map(|row| row.iter().sum()).collect();
    let dealt = || {
        let inside = || if strategy == Strategy::Local { dealt_inside(capacities, &plain) } else { None };
        let everywhere = dealt(capacities, strategy, threads.len());
        everywhere.filter(|counts| cost(strategy, counts) <= cost(strategy, &plain)).or_else(inside)
    };
    let own = || if strategy == Strategy::Local { local(capacities, &threads) } else { None };
    let better = free.then(dealt).flatten().or_else(own);
    match better {
        Some(better) if cost(strategy, &better) <= cost(strategy, &plain) => better,
        _ => plain,
    }
}

/// The CPUs of each node dealt in whole cores to the tasks that `plain` has there; `None` where it parts a task.
fn dealt_inside(capacities: &[Vec<usize>], plain: &Counts) -> Option<Counts> {
    let mut counts: Counts = plain.iter().map(|row| vec![0; row.len()]).collect();
    for (group, cores) in capacities.iter().enumerate() {
        let tasks: Vec<usize> = (0..plain.len()).filter(|task| plain[*task][group] > 0).collect();
        if tasks.is_empty() {
            continue;
        }
        for (task, number) in tasks.iter().zip(dealt_in(cores, tasks.len())?) {
            counts[*task][group] = number;
        }
    }
    let parted = plain.iter().any(|row| row.iter().filter(|number| **number > 0).count() > 1);
    let sizes: Vec<usize> = counts.iter().map(|row| row.iter().sum()).collect();
    (!parted && alike(&sizes, capacities.iter().flatten())).then_some(counts)
}

/// All CPUs dealt to tasks in whole cores: within one core of each other. `None` where that cannot be: too many tasks, or
/// cores of such different capacities that the same number of them is not the same.
fn dealt(capacities: &[Vec<usize>], strategy: Strategy, tasks: usize) -> Option<Counts> {
    let cores: Vec<usize> = capacities.iter().map(Vec::len).collect();
    let total: usize = cores.iter().sum();
    let by_core = match strategy {
        Strategy::Local if tasks <= total => counts::local(&cores, &even(total, tasks)),
        Strategy::Distributed if tasks <= total => counts::distributed(&cores, &even(total, tasks)),
        _ => return None,
    };
    let counts = in_cpus(capacities, &by_core);
    let sizes: Vec<usize> = counts.iter().map(|row| row.iter().sum()).collect();
    alike(&sizes, capacities.iter().flatten()).then_some(counts)
}

/// The same for the tasks of one node: the CPUs of each.
pub fn dealt_in(capacities: &[usize], tasks: usize) -> Option<Vec<usize>> {
    if tasks > capacities.len() {
        return None;
    }
    let by_core: Counts = even(capacities.len(), tasks).into_iter().map(|number| vec![number]).collect();
    let sizes: Vec<usize> = in_cpus(&[capacities.to_vec()], &by_core).into_iter().flatten().collect();
    alike(&sizes, capacities.iter()).then_some(sizes)
}

/// From numbers of cores to the CPUs that are on them.
fn in_cpus(capacities: &[Vec<usize>], by_core: &Counts) -> Counts {
    let mut at = vec![0; capacities.len()];
    let mut cpus = |group: usize, number: usize| {
        let begin = at[group];
        at[group] += number;
        capacities[group][begin..begin + number].iter().sum()
    };
    by_core
        .iter()
        .map(|row| row.iter().enumerate().map(|(group, number)| cpus(group, *number)).collect())
        .collect()
}

/// No task has more than another by more than a core.
fn alike<'a>(sizes: &[usize], capacities: impl Iterator<Item = &'a usize>) -> bool {
    let spread = sizes.iter().max().unwrap_or(&0) - sizes.iter().min().unwrap_or(&0);
    spread <= capacities.max().copied().unwrap_or(0)
}
