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

/// How many neighbouring cores each task gets for itself: as many as its threads are a part of all threads. `None` where
/// there are not enough cores for that, unless some had more threads than they have when tasks meet.
pub fn blocks(capacities: &[usize], wanted: &[usize]) -> Option<Vec<usize>> {
    let mut left = wanted.iter().sum::<usize>();
    let capacity_at = |level: usize| capacities.iter().map(|capacity| level.min(*capacity)).sum::<usize>();
    let level = (0..=capacities.iter().copied().max()?).find(|level| capacity_at(*level) >= left)?;
    let capacities: Vec<usize> = capacities.iter().map(|capacity| level.min(*capacity)).collect();
    let mut rest = capacities.as_slice();
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

/// `plain`, the threads by task and node of a strategy that does not look at cores, or a better plan of whole cores:
/// - local: on no more nodes, and parting no more tasks, since near memory is worth more than a core for oneself;
/// - distributed: in which every task is as even over the nodes, for which it is asked.
///
/// `free`: how many threads a task has is ours to choose.
pub fn whole(capacities: &[Vec<usize>], strategy: Strategy, free: bool, plain: Counts) -> Counts {
    let threads: Vec<usize> = plain.iter().map(|row| row.iter().sum()).collect();
    let better = if free { dealt(capacities, strategy, threads.len()) } else { None };
    let better =
        better.or_else(|| if strategy == Strategy::Local { local(capacities, &threads) } else { None });
    let parts = |counts: &Counts| counts.iter().flatten().filter(|number| **number > 0).count();
    let nodes =
        |counts: &Counts| (0..capacities.len()).filter(|k| counts.iter().any(|row| row[*k] > 0)).count();
    let far = |counts: &Counts| (nodes(counts), parts(counts));
    let spread = |row: &Vec<usize>| row.iter().max().unwrap_or(&0) - row.iter().min().unwrap_or(&0);
    let uneven = |counts: &Counts| counts.iter().map(spread).max();
    match better {
        Some(better) if strategy == Strategy::Local && far(&better) <= far(&plain) => better,
        Some(better) if strategy == Strategy::Distributed && uneven(&better) <= uneven(&plain) => better,
        _ => plain,
    }
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
