use numawise_units::NodeSet;

use super::*;
use crate::machine::{TWO_SOCKETS, capacities};

fn shape(threads: [f64; 2], memory: &MemoryPlan) -> Result<PointShape, NoShape> {
    let machine = capacities(&TWO_SOCKETS, true);
    let counts = threads.into_iter().enumerate().filter(|(_, threads)| *threads > 0.0);
    let counts: Counts = counts.map(|(node, threads)| (node, (threads, 1.0))).collect();
    PointShape::of_counts(&machine, &counts, 0, 4, memory)
}

fn bound_to(nodes: &[u32]) -> MemoryPlan {
    let nodes: NodeSet = nodes.iter().map(|node| NodeId(*node)).collect();
    MemoryPlan::new(MemoryMode::Bind, nodes)
}

#[test]
fn first_touch_leaves_open_whose_memory_it_is() {
    let shape = shape([3.0, 1.0], &MemoryPlan::default_policy()).unwrap();
    let (node, at_first) = shape.first_node.unwrap();
    assert_eq!((node, at_first), (NodeId(0), [0.75, 1.0, 0.75]));
    let local = shape.memories.iter().find(|load| load.part == Part::Memory(NodeId(0))).unwrap();
    assert_eq!(local.time, [0.75, 1.0, 0.75]);
    let over = shape.links.iter().find(|load| load.part == Part::Link(NodeId(1), NodeId(0))).unwrap();
    assert_eq!(over.time[0], 0.0, "local memory needs no link");
    assert!(over.time[1] > over.time[2]);
}

#[test]
fn a_policy_decides_whoever_touches_first() {
    let interleaved = MemoryPlan::new(MemoryMode::Interleave, bound_to(&[0, 1]).nodes);
    let both = shape([2.0, 0.0], &interleaved).unwrap();
    assert_eq!(both.first_node, None);
    assert!(both.memories.iter().all(|load| load.time == [0.5; 3]), "{:?}", both.memories);
    let remote = shape([2.0, 0.0], &bound_to(&[1])).unwrap();
    assert_eq!(remote.groups[0].latency, [1.7; 3]);
    assert_eq!(remote.givers, [NodeId(1)]);
}

#[test]
fn a_part_that_is_never_the_fullest_is_left_out() {
    let mut loads = Vec::new();
    let load = |node, time| Load { part: Part::Memory(NodeId(node)), time };
    add(&mut loads, load(0, [1.0, 0.0, 0.5]));
    add(&mut loads, load(1, [0.5, 0.0, 0.5]));
    assert_eq!(loads.len(), 1);
    add(&mut loads, load(2, [0.0, 1.0, 0.0]));
    assert_eq!(loads.len(), 2);
    add(&mut loads, load(3, [2.0, 2.0, 2.0]));
    assert_eq!(loads.len(), 1);
}

#[test]
fn what_cannot_be_told_has_its_reason() {
    let weighted = MemoryPlan::new(MemoryMode::WeightedInterleave, bound_to(&[0, 1]).nodes);
    assert_eq!(shape([1.0, 0.0], &weighted), Err(NoShape::WeightsUnknown));
    let mut machine = capacities(&TWO_SOCKETS, true);
    machine.nodes[1].is_unknown = true;
    let counts = Counts::from([(0, (1.0, 1.0))]);
    let of = PointShape::of_counts(&machine, &counts, 0, 1, &bound_to(&[1]));
    assert_eq!(of, Err(NoShape::MemoryUnknown(NodeId(1))));
    assert!(of.unwrap_err().reason().contains("node 1"));
    assert!(PointShape::of(&machine, &Placement::of_nothing()).is_err());
}
