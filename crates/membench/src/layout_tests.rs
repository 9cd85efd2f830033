use numawise_facts::Depth;
use numawise_units::NodeSet;

use numawise_facts::AttributeKind;

use super::*;
use crate::fixture;

fn layout(name: &str) -> Layout {
    Layout::of(&fixture::machine(name), &fixture::request(Depth::Quick))
}

fn nodes<'a>(ids: impl Iterator<Item = &'a NodeId>) -> String {
    ids.copied().collect::<NodeSet>().to_string()
}

#[test]
fn every_core_has_one_thread_and_every_memory_a_column() {
    let layout = layout("two-socket-smt.xml");
    assert_eq!(nodes(layout.rows.iter().map(|row| &row.node)), "0-1");
    let machine = fixture::machine("two-socket-smt.xml");
    for row in &layout.rows {
        assert!(row.cores().iter().all(|&cpu| machine.cpu(cpu).unwrap().smt == 0));
        let cores: std::collections::BTreeSet<u32> =
            machine.cpus.iter().filter(|cpu| cpu.node == Some(row.node)).map(|cpu| cpu.core).collect();
        assert_eq!(cores.len(), row.cores().len());
        assert_eq!(row.local, Some(row.node));
        assert_eq!(row.farthest, Some(NodeId(1 - row.node.0)));
    }
    assert_eq!(layout.pairs(), 4);
}

#[test]
fn memory_without_cpus_is_a_column_and_cpus_without_memory_a_row() {
    let hbm = layout("hbm-by-figures.xml");
    assert!(hbm.columns.len() > hbm.rows.len(), "{hbm:?}");
    let holes = layout("holes.xml");
    let without = holes.rows.iter().find(|row| row.local.is_some_and(|local| local != row.node)).unwrap();
    assert!(holes.columns.iter().all(|column| column.node != without.node));
    assert!(holes.with_local_memory().all(|row| row.node != without.node));
}

#[test]
fn what_we_may_not_use_stays_with_its_reason() {
    let mut machine = fixture::machine("two-socket-smt.xml");
    machine.allowed_nodes = NodeSet::single(NodeId(0));
    machine.allowed_cpus = machine.node(NodeId(1)).unwrap().cpus.clone();
    let layout = Layout::of(&machine, &fixture::request(Depth::Full));
    assert_eq!((layout.rows.len(), layout.columns.len(), layout.pairs()), (2, 2, 1));
    let refusal = layout.refusal(&layout.rows[1], &layout.columns[1]).unwrap().to_string();
    assert!(refusal.contains("memory of node 1"), "{refusal}");
    let refusal = layout.refusal(&layout.rows[0], &layout.columns[0]).unwrap().to_string();
    assert!(refusal.contains("CPUs of node 0"), "{refusal}");
    assert_eq!(layout.refusal(&layout.rows[1], &layout.columns[0]), None);
    assert_eq!(layout.rows[1].local, Some(NodeId(0)), "the nearest that may be used");
    assert_eq!(layout.fillers(NodeId(0), &machine), layout.rows[1].cores());
}

#[test]
fn only_the_nodes_asked_for_are_there() {
    let mut request = fixture::request(Depth::Quick);
    request.nodes = NodeSet::single(NodeId(1));
    let layout = Layout::of(&fixture::machine("two-socket-smt.xml"), &request);
    assert_eq!(layout.pairs(), 1);
    request.nodes = NodeSet::single(NodeId(77));
    assert_eq!(Layout::of(&fixture::machine("two-socket-smt.xml"), &request).pairs(), 0);
}

#[test]
fn the_firmware_is_asked_for_the_mixs_own_kind() {
    let mut machine = fixture::machine("two-socket-smt.xml");
    let initiator = machine.nodes[0].cpus.clone();
    let add = |machine: &mut Machine, kind, value| {
        machine.attributes.push(Attribute::declared(kind, initiator.clone(), NodeId(1), value));
    };
    machine.attributes.clear();
    let of =
        |machine: &Machine, mix| declared(machine, NodeId(0), NodeId(1), mix).measured().map(|rate| rate.0);
    assert_eq!(of(&machine, Mix::Read), None);
    add(&mut machine, AttributeKind::ReadBandwidth, 7000);
    machine.attributes[0].origin = numawise_facts::AttributeOrigin::Measured;
    assert_eq!(of(&machine, Mix::Read), None, "what was measured declares nothing");
    machine.attributes.clear();
    add(&mut machine, AttributeKind::ReadBandwidth, 5000);
    assert_eq!((of(&machine, Mix::Read), of(&machine, Mix::Triad)), (Some(5e9), None));
    add(&mut machine, AttributeKind::Bandwidth, 4000);
    assert_eq!((of(&machine, Mix::Triad), of(&machine, Mix::NonTemporalWrite)), (Some(4e9), Some(4e9)));
    add(&mut machine, AttributeKind::WriteBandwidth, 3000);
    assert_eq!(of(&machine, Mix::NonTemporalWrite), Some(3e9));
    assert_eq!(declared(&machine, NodeId(1), NodeId(1), Mix::Read).measured(), None);
    assert_eq!(declared(&machine, NodeId(9), NodeId(1), Mix::Read).measured(), None);
}
