//! How many threads of each task go to each node, and which CPUs they get there.

use numawise_units::CpuId;

use crate::usable::{Group, Place};

#[cfg(test)]
mod tests;

/// Threads by task and node: `counts[task][group]`.
pub type Counts = Vec<Vec<usize>>;

/// `total` in `parts` that differ by at most one, the larger ones first; each at least 1.
pub fn even(total: usize, parts: usize) -> Vec<usize> {
    (0..parts).map(|part| (total / parts + usize::from(part < total % parts)).max(1)).collect()
}

/// A node is filled before the next; when all are full, again from the first.
pub fn local(room: &[usize], threads: &[usize]) -> Counts {
    let mut counts = vec![vec![0; room.len()]; threads.len()];
    let (mut group, mut used) = (0, 0);
    for (task, &number) in threads.iter().enumerate() {
        for _ in 0..number {
            while used == room[group] {
                (group, used) = ((group + 1) % room.len(), 0);
            }
            counts[task][group] += 1;
            used += 1;
        }
    }
    counts
}

/// Every task even over all nodes; what is left over goes where the fewest threads are.
pub fn distributed(room: &[usize], threads: &[usize]) -> Counts {
    let mut counts = vec![vec![0; room.len()]; threads.len()];
    let mut load = vec![0; room.len()];
    let mut rounds = 1; // how often each CPU may be used so far
    for (task, &number) in threads.iter().enumerate() {
        for _ in 0..number {
            let free = |load: &[usize], rounds: usize| {
                let with_room = (0..room.len()).filter(|&group| load[group] < room[group] * rounds);
                with_room.min_by_key(|&group| (counts[task][group], load[group], group))
            };
            let group = free(&load, rounds).unwrap_or_else(|| {
                rounds += 1;
                free(&load, rounds).unwrap_or(0)
            });
            counts[task][group] += 1;
            load[group] += 1;
        }
    }
    counts
}

/// Each task inside one node. `threads` is how many each task has; without it a task has its share of its node.
pub fn semi(room: &[usize], tasks: usize, threads: Option<usize>) -> Counts {
    let mut tasks_of = vec![0; room.len()];
    for _ in 0..tasks {
        let size = threads.unwrap_or(1);
        let fits = |&group: &usize| (tasks_of[group] + 1) * size <= room[group];
        let fitting = (0..room.len()).filter(fits).min_by_key(|&group| (tasks_of[group], group));
        // Nowhere is room for a whole task: where it gets the largest share of a CPU for each thread.
        let fullest = |group: usize| (tasks_of[group] + 1) * 1_000_000 / room[group];
        let group = fitting.or_else(|| (0..room.len()).min_by_key(|&group| (fullest(group), group)));
        tasks_of[group.unwrap_or(0)] += 1;
    }
    let mut counts = Counts::new();
    for (group, &number) in tasks_of.iter().enumerate().filter(|(_, number)| **number > 0) {
        let sizes = threads.map_or_else(|| even(room[group], number), |threads| vec![threads; number]);
        for size in sizes {
            let mut row = vec![0; room.len()];
            row[group] = size;
            counts.push(row);
        }
    }
    counts
}

/// The CPU of each thread of each task: node by node, and inside a node one thread for each core first.
pub fn assign(groups: &[Group], counts: &Counts) -> Vec<Vec<CpuId>> {
    let mut tasks = vec![Vec::new(); counts.len()];
    for (k, group) in groups.iter().enumerate() {
        let mut wanted: Vec<usize> = counts.iter().map(|row| row[k]).collect();
        let mut left: usize = wanted.iter().sum();
        let mut task = 0;
        while left > 0 {
            let number = left.min(group.cpus.len());
            left -= number;
            // The order of `cpus` says which are taken; cut core by core, tasks have cores of their own.
            let mut chosen: Vec<(usize, Place)> = group.cpus[..number].iter().copied().enumerate().collect();
            chosen.sort_by_key(|(_, place)| (place.core, place.round));
            let mut rest = chosen.as_slice();
            while !rest.is_empty() {
                let (mine, others) = rest.split_at(wanted[task].min(rest.len()));
                let mut mine = mine.to_vec();
                mine.sort_by_key(|(order, _)| *order);
                tasks[task].extend(mine.iter().map(|(_, place)| place.cpu));
                wanted[task] -= mine.len();
                if wanted[task] == 0 {
                    task += 1;
                }
                rest = others;
            }
        }
    }
    tasks
}
