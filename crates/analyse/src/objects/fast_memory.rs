//! Which objects to put into the fast memory of a machine, where not all of them fit.

use std::collections::BTreeMap;

use numawise_facts::memory::MemoryKind;
use numawise_facts::objects::ObjectKind;
use numawise_facts::{Machine, Reading};
use numawise_stats::proportion;
use numawise_tables::objects::{ChosenObject, FastMemoryChoice, ObjectRow, ShareInterval};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::knapsack::{Choice, Item, best};

/// Objects from which is chosen, those with the most time: the rest has next to nothing of it.
const CANDIDATES: usize = 100;
/// Steps of the search. A hundred objects of a program take less than 20,000; where values follow sizes, all of these are taken: 0.05 s
/// (200,000 steps of such a hundred took 2.2 ms).
const STEPS: u32 = 5_000_000;
/// The same for the question whether one object belongs to the choice for certain, which is asked for each of them.
const STEPS_OF_ONE: u32 = 100_000;

/// The objects that fit together and have the most time, where the machine has fast memory.
pub fn choice(machine: &Machine, rows: &[ObjectRow], time: &Reading<u64>) -> Reading<FastMemoryChoice> {
    into_space(space(machine, &users(rows)), rows, time)
}

/// The same for a space that is known.
pub fn into_space(
    space: Reading<(NodeSet, Bytes)>,
    rows: &[ObjectRow],
    time: &Reading<u64>,
) -> Reading<FastMemoryChoice> {
    space.and_then(|(nodes, capacity)| {
        time.clone().and_then(|samples| {
            let candidates: Vec<(usize, ShareInterval)> = candidates(rows);
            let chosen = chosen(rows, &candidates, capacity);
            let all: f64 = chosen.taken.iter().map(|k| candidates[*k].1.value.0).sum();
            let bytes = chosen.taken.iter().map(|k| rows[candidates[*k].0].bytes.0).sum();
            let share = proportion(all * samples as f64, samples as f64);
            let Some(share) = share else { return Reading::unavailable("there are no samples") };
            Reading::Measured(FastMemoryChoice {
                nodes,
                capacity,
                bytes: Bytes(bytes),
                memory_time: ShareInterval {
                    value: Ratio(share.value),
                    low: Ratio(share.low),
                    high: Ratio(share.high),
                },
                candidates: candidates.len() as u64,
                is_best: chosen.is_best,
                chosen: each(rows, &candidates, &chosen, capacity),
            })
        })
    })
}

/// A node has a part in the use of memory with so much of the time: a thread that starts others may be anywhere.
const TAKES_PART: f64 = 0.05;

/// The nodes from which objects are used.
fn users(rows: &[ObjectRow]) -> NodeSet {
    let mut by_node: BTreeMap<NodeId, f64> = BTreeMap::new();
    for row in rows {
        let (Some(time), Some(used)) = (row.memory_time.measured(), row.used.measured()) else { continue };
        for of in &used.nodes {
            if let Some(node) = of.node {
                *by_node.entry(node).or_default() += time.value.0 * of.share.0;
            }
        }
    }
    by_node.into_iter().filter(|(_, share)| *share >= TAKES_PART).map(|(node, _)| node).collect()
}

/// The fast nodes that may be used, and what is free there: those near to CPUs of the users, as `--objects-to hbm` has it, since fast memory
/// of another socket is behind a link. All of them where it is not known what they are near to.
fn space(machine: &Machine, users: &NodeSet) -> Reading<(NodeSet, Bytes)> {
    let is_usable = |node: &&numawise_facts::Node| {
        node.kind == MemoryKind::Hbm && machine.allowed_nodes.contains(node.id)
    };
    let is_near = |node: &&numawise_facts::Node| {
        let mut nodes = machine.nodes.iter().filter(|other| users.contains(other.id));
        nodes.any(|other| other.cpus.intersects(&node.near))
    };
    let usable: Vec<_> = machine.nodes.iter().filter(is_usable).collect();
    let near: Vec<_> = usable.iter().copied().filter(is_near).collect();
    let fast = if near.is_empty() { usable } else { near };
    let nodes: NodeSet = fast.iter().map(|node| node.id).collect();
    if fast.is_empty() {
        return Reading::unavailable(
            "the machine has no memory that is known to be fast, or it may not be used",
        );
    }
    free(machine, &nodes).and_then(|bytes| Reading::Measured((nodes, bytes)))
}

/// What is free on these nodes; of recorded machines what they have.
pub fn free(machine: &Machine, nodes: &NodeSet) -> Reading<Bytes> {
    let these = machine.nodes.iter().filter(|node| nodes.contains(node.id));
    let free = these.filter_map(|node| node.free.measured().or(node.memory.measured()));
    match free.copied().reduce(|all, one| Bytes(all.0.saturating_add(one.0))) {
        Some(bytes) => Reading::Measured(bytes),
        None => Reading::unavailable("it is not known how much memory is free there"),
    }
}

/// Rows that can be put somewhere, with their time. They are in the order of it.
fn candidates(rows: &[ObjectRow]) -> Vec<(usize, ShareInterval)> {
    let timed = rows.iter().enumerate().filter(|(_, row)| can_be_put(row));
    timed
        .filter_map(|(k, row)| Some((k, *row.memory_time.measured()?)))
        .filter(|(_, time)| time.value.0 > 0.0)
        .take(CANDIDATES)
        .collect()
}

/// Whether it is memory that can be put somewhere by itself.
pub fn can_be_put(row: &ObjectRow) -> bool {
    matches!(row.kind, ObjectKind::Heap | ObjectKind::Mapped | ObjectKind::Shared | ObjectKind::Global)
        && row.bytes.0 > 0
}

fn chosen(rows: &[ObjectRow], candidates: &[(usize, ShareInterval)], capacity: Bytes) -> Choice {
    let item = |(row, time): &(usize, ShareInterval)| Item { value: time.value.0, size: rows[*row].bytes.0 };
    best(&candidates.iter().map(item).collect::<Vec<_>>(), capacity.0, STEPS)
}

/// Those that were chosen, each with whether it is for certain.
fn each(
    rows: &[ObjectRow],
    candidates: &[(usize, ShareInterval)],
    choice: &Choice,
    capacity: Bytes,
) -> Vec<ChosenObject> {
    let fits_all = candidates.iter().map(|(row, _)| u128::from(rows[*row].bytes.0)).sum::<u128>()
        <= u128::from(capacity.0);
    let is_certain = |one: usize| {
        if fits_all {
            return true;
        }
        let item = |(k, (row, time)): (usize, &(usize, ShareInterval))| Item {
            value: if k == one { time.low.0 } else { time.high.0 },
            size: rows[*row].bytes.0,
        };
        let items: Vec<Item> = candidates.iter().enumerate().map(item).collect();
        let again = best(&items, capacity.0, STEPS_OF_ONE);
        again.is_best && again.taken.contains(&one)
    };
    let of = |k: &usize| ChosenObject { row: candidates[*k].0, is_certain: is_certain(*k) };
    choice.taken.iter().map(of).collect()
}
