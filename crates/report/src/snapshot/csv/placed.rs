//! Columns of what was seen of threads from outside.

use numawise_facts::Reading;
use numawise_tables::snapshot::{PlacedChange, PlacedMark};

use super::super::trace::{amount_of, placed_word};
use super::{Value, known_seconds, read, text};

pub fn mark(of: &PlacedMark) -> Vec<Value> {
    let (cpus, nodes) = match of.what {
        PlacedChange::Cpu { from, to, nodes } => (Some((from.0, to.0)), nodes),
        PlacedChange::Memory { from, to, .. } => (None, Some((from, to))),
        PlacedChange::Faults(_) | PlacedChange::NoCpu(_) => (None, None),
    };
    let known =
        |of: Option<u32>, why: &'static str| of.map_or_else(|| Reading::unavailable(why), Reading::Measured);
    let cpu =
        |name, of: Option<u32>| read(name, "", &known(of, "it is no change of the CPU"), u32::to_string);
    let node = |name, of: Option<u32>| {
        read(name, "", &known(of, "it has no node, or that is not known"), u32::to_string)
    };
    vec![
        text("rank", of.rank.to_string()),
        text("thread", of.thread.to_string()),
        known_seconds("begin_seconds", of.begin),
        known_seconds("end_seconds", of.end),
        text("what", placed_word(&of.what)),
        cpu("from_cpu", cpus.map(|(from, _)| from)),
        cpu("to_cpu", cpus.map(|(_, to)| to)),
        node("from_node", nodes.map(|(from, _)| from.0)),
        node("to_node", nodes.map(|(_, to)| to.0)),
        read("amount", "", &amount_of(of), Clone::clone),
    ]
}
