//! Tasks inside of nodes, and which CPUs the threads of each task get in a node.

use std::iter;

use numawise_units::{Arrange, CpuId};

use crate::cores;
use crate::counts::{Counts, even};
use crate::usable::{Group, Place};

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;

/// Each task inside one node. `threads` is how many each task has; without it a task has its share of its node. `capacities` are
/// those of the cores of each node.
pub fn semi(capacities: &[Vec<usize>], tasks: usize, threads: Option<usize>) -> Counts {
    let capacity: Vec<usize> = capacities.iter().map(|cores| cores.iter().sum()).collect();
    let mut tasks_of = vec![0; capacity.len()];
    for _ in 0..tasks {
        let size = threads.unwrap_or(1);
        let emptiest = |fits: &dyn Fn(usize) -> bool| {
            (0..capacity.len()).filter(|&group| fits(group)).min_by_key(|&group| (tasks_of[group], group))
        };
        // First where it has cores of its own.
        let own = |group: usize| cores::fits(&capacities[group], iter::repeat_n(size, tasks_of[group] + 1));
        let fitting =
            emptiest(&own).or_else(|| emptiest(&|group| (tasks_of[group] + 1) * size <= capacity[group]));
        // No node has CPUs for a whole task: where it gets the largest share of a CPU for each thread.
        let fullest = |group: usize| (tasks_of[group] + 1) * 1_000_000 / capacity[group];
        let group = fitting.or_else(|| (0..capacity.len()).min_by_key(|&group| (fullest(group), group)));
        tasks_of[group.unwrap_or(0)] += 1;
    }
    let mut counts = Counts::new();
    for (group, &number) in tasks_of.iter().enumerate().filter(|(_, number)| **number > 0) {
        let share =
            || cores::dealt_in(&capacities[group], number).unwrap_or_else(|| even(capacity[group], number));
        let sizes = threads.map_or_else(share, |threads| vec![threads; number]);
        for size in sizes {
            let mut row = vec![0; capacity.len()];
            row[group] = size;
            counts.push(row);
        }
    }
    counts
}

/// How the CPUs that are taken in a node are shared among its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Every task gets cores of its own where there are enough, side by side, and there one thread on each before any has two.
    Apart,
    /// Neighbouring cores belong together, and no core is left behind with a free CPU: tasks may meet on one.
    ByCore,
    /// One task after the other along the order, as a pinning step asks for.
    InOrder,
}

/// The CPU of each thread of each task: node by node, and inside a node in the order of its CPUs.
pub fn assign(groups: &[Group], counts: &Counts, cut: Cut) -> Vec<Vec<CpuId>> {
    let mut tasks: Vec<Vec<CpuId>> = counts.iter().map(|row| Vec::with_capacity(row.iter().sum())).collect();
    for (k, group) in groups.iter().enumerate() {
        let mut wanted: Vec<usize> = counts.iter().map(|row| row[k]).collect();
        let mut left: usize = wanted.iter().sum();
        if cut == Cut::Apart && left <= group.cpus.len() && apart(group, &wanted, &mut tasks) {
            continue;
        }
        let mut task = 0;
        let whole = chosen(group, left.min(group.cpus.len()), cut);
        while left > 0 {
            // The order of `cpus` says which are taken; what is left over after the last full turn may be fewer.
            let part;
            let chosen = if left < whole.len() {
                part = chosen(group, left, cut);
                &part
            } else {
                &whole
            };
            left -= chosen.len();
            let mut rest = chosen.as_slice();
            while !rest.is_empty() {
                while wanted[task] == 0 {
                    task += 1;
                }
                let (mine, others) = rest.split_at(wanted[task].min(rest.len()));
                let mut mine = mine.to_vec();
                mine.arrange_by_key(|(order, _)| *order);
                tasks[task].extend(mine.iter().map(|(_, place)| place.cpu));
                wanted[task] -= mine.len();
                rest = others;
            }
        }
    }
    tasks
}

/// Gives each task cores of its own; false where there are not enough, and where every thread finds a core anyway: then the
/// first cores are taken, which are the fastest.
fn apart(group: &Group, wanted: &[usize], tasks: &mut [Vec<CpuId>]) -> bool {
    let cores = cores::of(group);
    if wanted.iter().sum::<usize>() <= cores.len() {
        return false;
    }
    let capacities: Vec<usize> = cores.iter().map(Vec::len).collect();
    let Some(lengths) = cores::blocks(&capacities, wanted) else { return false };
    let mut cores = cores.into_iter();
    for ((task, &number), length) in tasks.iter_mut().zip(wanted).zip(lengths) {
        let mut mine: Vec<(usize, Place)> = cores.by_ref().take(length).flatten().collect();
        mine.arrange_by_key(|(order, _)| *order);
        task.extend(mine.iter().take(number).map(|(_, place)| place.cpu));
    }
    true
}

/// The first `number` CPUs of a node with their positions, in the order in which tasks take them.
fn chosen(group: &Group, number: usize, cut: Cut) -> Vec<(usize, Place)> {
    let mut chosen: Vec<(usize, Place)> = group.cpus[..number].iter().copied().enumerate().collect();
    if cut != Cut::InOrder {
        chosen.arrange_by_key(|(_, place)| (place.core, place.round));
    }
    chosen
}
