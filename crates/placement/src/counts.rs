//! How many threads of each task go to each node.

use numawise_units::Arrange;

/// Threads by task and node: `counts[task][group]`.
pub type Counts = Vec<Vec<usize>>;

/// `total` in `parts` that differ by at most one, the larger ones first; each at least 1.
pub fn even(total: usize, parts: usize) -> Vec<usize> {
    (0..parts).map(|part| (total / parts + usize::from(part < total % parts)).max(1)).collect()
}

/// A node is filled before the next; when all are full, again from the first.
pub fn local(capacity: &[usize], threads: &[usize]) -> Counts {
    let mut counts = vec![vec![0; capacity.len()]; threads.len()];
    let (mut group, mut used) = (0, 0);
    for (row, &number) in counts.iter_mut().zip(threads) {
        let mut left = number;
        while left > 0 {
            if used == capacity[group] {
                (group, used) = ((group + 1) % capacity.len(), 0);
            }
            let here = left.min(capacity[group] - used);
            row[group] += here;
            used += here;
            left -= here;
        }
    }
    counts
}

/// Every task even over all nodes; what is left over goes where the fewest threads are.
pub fn distributed(capacity: &[usize], threads: &[usize]) -> Counts {
    let mut counts = vec![vec![0; capacity.len()]; threads.len()];
    let mut load = vec![0; capacity.len()];
    let mut rounds = 1; // how often each CPU may be used so far
    for (row, &number) in counts.iter_mut().zip(threads) {
        let mut left = number;
        while left > 0 {
            let free = |group: usize| capacity[group] * rounds - load[group];
            let open: Vec<usize> = (0..capacity.len()).filter(|&group| free(group) > 0).collect();
            let Some(least) = open.iter().map(|&group| row[group]).min() else {
                rounds += 1;
                continue;
            };
            // Thread by thread, each goes where the task has the fewest, then where all tasks have. Those nodes where it has
            // the fewest get one each in turn, so that as many turns as nothing else changes are one step.
            let (mut level, above): (Vec<usize>, Vec<usize>) =
                open.into_iter().partition(|&group| row[group] == least);
            let gap = above.iter().map(|&group| row[group] - least).min().unwrap_or(usize::MAX);
            let free_least = level.iter().map(|&group| free(group)).min().unwrap_or(0);
            let turns = (left / level.len()).min(gap).min(free_least);
            if turns == 0 {
                level.arrange_by_key(|&group| (load[group], group));
                level.truncate(left);
            }
            for group in &level {
                row[*group] += turns.max(1);
                load[*group] += turns.max(1);
            }
            left -= turns.max(1) * level.len();
        }
    }
    counts
}
