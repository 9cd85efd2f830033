use super::*;
use crate::testing::{cpus as set, dram, machine, two_sockets};

fn order(groups: &[Group]) -> Vec<(Option<u32>, Vec<u32>)> {
    let list = |group: &Group| group.cpus.iter().map(|place| place.cpu.0).collect();
    groups.iter().map(|group| (group.node.map(|node| node.0), list(group))).collect()
}

#[test]
fn groups_are_nodes_with_cores_first() {
    let machine = two_sockets();
    assert_eq!(
        order(&groups(&machine, &set("0-7"), &CpuChoice::default())),
        [(Some(0), vec![0, 1, 4, 5]), (Some(1), vec![2, 3, 6, 7])]
    );
    assert_eq!(
        order(&groups(&machine, &set("4,6-7"), &CpuChoice::default())),
        [(Some(0), vec![4]), (Some(1), vec![6, 7])]
    );
}

#[test]
fn four_threads_a_core_and_gaps_in_numbers() {
    let machine = machine(&[dram(8, 0, &[&[0, 1, 2, 3], &[8, 9, 10, 11]])]);
    assert_eq!(
        order(&groups(&machine, &machine.allowed_cpus, &CpuChoice::default())),
        [(Some(8), vec![0, 8, 1, 9, 2, 10, 3, 11])]
    );
}

#[test]
fn a_node_across_packages_is_one_group() {
    let mut machine = machine(&[dram(0, 0, &[&[0], &[1], &[2], &[3]])]);
    machine.cpus[2].package = Some(1);
    machine.cpus[3].package = Some(1);
    assert_eq!(
        order(&groups(&machine, &machine.allowed_cpus, &CpuChoice::default())),
        [(Some(0), vec![0, 1, 2, 3])]
    );
}
