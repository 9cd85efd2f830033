use super::{MemoryPiece, as_plugin_sees, guest_physical};
use crate::EmulatedMachine;
use std::fmt::Write as _;

/// A machine whose first node has all CPUs, by the memory of its nodes.
fn machine(memory_mib: &[u64]) -> EmulatedMachine {
    let mut text = String::from("summary = \"a test\"\ndistances = [");
    for from in 0..memory_mib.len() {
        let row: Vec<u8> = (0..memory_mib.len()).map(|to| if from == to { 10 } else { 20 }).collect();
        write!(text, "{row:?}, ").unwrap();
    }
    text += "]\n";
    for (node, mib) in memory_mib.iter().enumerate() {
        let cpus = if *mib == 0 || node == 0 { format!("cpus = [{node}]\n") } else { String::new() };
        write!(text, "[[node]]\n{cpus}memory_mib = {mib}\n").unwrap();
    }
    EmulatedMachine::parse("test", &text).unwrap()
}

fn pieces(pieces: Vec<MemoryPiece>) -> Vec<(u32, u64, u64)> {
    pieces.into_iter().map(|p| (p.node, p.addresses.start >> 20, p.addresses.end >> 20)).collect()
}

#[test]
fn small_machines_lie_below_the_hole() {
    let machine = machine(&[768, 768]);
    assert_eq!(pieces(guest_physical(&machine)), [(0, 0, 768), (1, 768, 1536)]);
}

#[test]
fn just_below_2816_mib_nothing_moves_and_from_there_on_2_gib_stay() {
    let below = machine(&[1408, 1407]);
    assert_eq!(pieces(guest_physical(&below)), [(0, 0, 1408), (1, 1408, 2815)]);
    let above = machine(&[1408, 1408]);
    assert_eq!(pieces(guest_physical(&above)), [(0, 0, 1408), (1, 1408, 2048), (1, 4096, 4864)]);
}

#[test]
fn nodes_wholly_above_the_hole_and_on_its_edge_move_whole() {
    let machine = machine(&[2048, 1024, 1024]);
    assert_eq!(pieces(guest_physical(&machine)), [(0, 0, 2048), (1, 4096, 5120), (2, 5120, 6144)]);
}

#[test]
fn the_first_node_may_be_the_one_that_is_split() {
    let machine = machine(&[3072, 256]);
    assert_eq!(pieces(guest_physical(&machine)), [(0, 0, 2048), (0, 4096, 5120), (1, 5120, 5376)]);
}

#[test]
fn a_node_without_memory_has_no_piece() {
    let machine = machine(&[512, 0, 512]);
    assert_eq!(pieces(guest_physical(&machine)), [(0, 0, 512), (2, 512, 1024)]);
    assert_eq!(pieces(as_plugin_sees(&machine)), [(0, 0, 512), (2, 1024, 1536)]);
}

#[test]
fn the_plugin_sees_each_block_at_twice_its_offset() {
    let machine = machine(&[2048, 1024, 256]);
    assert_eq!(pieces(as_plugin_sees(&machine)), [(0, 0, 2048), (1, 4096, 5120), (2, 6144, 6400)]);
}
