use super::*;
use crate::testing::{cpus, dram, machine, memory_only, nodes, two_sockets, with_hbm};
use numawise_facts::notice::MachineNotice;

fn request(policy: &str) -> PlacementRequest {
    PlacementRequest { memory: policy.parse().unwrap(), ..PlacementRequest::as_the_os_does() }
}

fn planned(machine: &Machine, policy: &str, on: &str) -> Result<String, String> {
    let on = cpus(on);
    let first = on.first().into_iter().collect();
    Planner::new(machine, &request(policy))
        .plan(&on, &first, &mut Vec::new())
        .map(|plan| plan.to_string())
        .map_err(|error| error.to_string())
}

fn warnings(machine: &Machine, policy: &str, on: &str) -> Vec<Notice> {
    let mut warnings = Vec::new();
    Planner::new(machine, &request(policy)).plan(&cpus(on), &CpuSet::new(), &mut warnings).unwrap();
    warnings
}

#[test]
fn named_nodes_are_taken_as_they_are() {
    for policy in ["bind:1", "preferred:1", "preferred-many:0-1", "interleave:1", "weighted:0-1"] {
        assert_eq!(planned(&two_sockets(), policy, "0").unwrap(), policy);
    }
    assert_eq!(planned(&two_sockets(), "local", "0").unwrap(), "local");
    assert_eq!(planned(&two_sockets(), "default", "0").unwrap(), "default");
}

#[test]
fn without_a_list_the_cpus_decide() {
    let machine = two_sockets();
    assert_eq!(planned(&machine, "bind", "1,5").unwrap(), "bind:0");
    assert_eq!(planned(&machine, "bind", "0-3").unwrap(), "bind:0-1");
    assert_eq!(planned(&machine, "preferred", "2-3").unwrap(), "preferred:1");
    assert_eq!(planned(&machine, "interleave", "0").unwrap(), "interleave:0-1");
    assert_eq!(planned(&machine, "weighted", "0").unwrap(), "weighted:0-1");
}

#[test]
fn a_node_without_memory_borrows_the_nearest() {
    let mut bare = dram(1, 1, &[&[1]]);
    bare.mib = 0;
    let machine =
        machine(&[dram(0, 0, &[&[0]]), bare, dram(2, 3, &[&[2]]), memory_only(3, 1, MemoryKind::Hbm)]);
    assert_eq!(planned(&machine, "bind", "1").unwrap(), "bind:0", "ordinary memory, though HBM is nearer");
    let error = planned(&machine, "bind:1", "1").unwrap_err();
    assert_eq!(error, "node 1 has no memory; nodes with memory that may be used are 0,2-3");
}

#[test]
fn hbm_and_cxl_are_not_ordinary() {
    let machine = machine(&[
        dram(0, 0, &[&[0]]),
        memory_only(1, 0, MemoryKind::Dram),
        memory_only(2, 0, MemoryKind::Hbm),
        memory_only(3, 0, MemoryKind::Cxl),
        memory_only(4, 0, MemoryKind::Gpu),
        memory_only(5, 0, MemoryKind::Unknown),
    ]);
    assert_eq!(planned(&machine, "interleave", "0").unwrap(), "interleave:0-1");
}

#[test]
fn high_bandwidth_memory_with_cpus_is_the_only_memory_and_so_ordinary() {
    let mut only = dram(0, 0, &[&[0]]);
    only.kind = MemoryKind::Hbm;
    let machine = machine(&[only]);
    assert_eq!(planned(&machine, "interleave", "0").unwrap(), "interleave:0");
    assert_eq!(planned(&machine, "hbm", "0").unwrap(), "bind:0");
}

#[test]
fn hbm_is_the_nearest_by_attachment_or_by_distance() {
    let mut machine = with_hbm();
    assert_eq!(planned(&machine, "hbm", "0").unwrap(), "bind:2");
    assert_eq!(planned(&machine, "hbm", "3").unwrap(), "bind:3");
    assert_eq!(planned(&machine, "hbm", "0,3").unwrap(), "bind:2-3");
    for node in &mut machine.nodes {
        node.near = node.cpus.clone();
    }
    assert_eq!(planned(&machine, "hbm", "3").unwrap(), "bind:3");
    for node in &mut machine.nodes {
        node.distances = Reading::unavailable("no SLIT");
    }
    assert_eq!(planned(&machine, "hbm", "3").unwrap(), "bind:2-3", "nothing tells them apart");
}

#[test]
fn where_there_is_no_hbm_the_kinds_that_are_there_are_named() {
    let error = planned(&two_sockets(), "hbm", "0").unwrap_err();
    assert!(error.contains("no high-bandwidth memory") && error.contains("node 1 is dram"), "{error}");
    let mut machine = with_hbm();
    machine.allowed_nodes = nodes("0-1");
    assert!(planned(&machine, "hbm", "0").is_err());
}

#[test]
fn remote_is_the_farthest() {
    let far = machine(&[dram(0, 0, &[&[0]]), dram(1, 1, &[&[1]]), dram(2, 2, &[&[2]]), dram(3, 3, &[&[3]])]);
    assert_eq!(planned(&far, "remote", "0").unwrap(), "bind:3");
    assert_eq!(planned(&far, "remote", "3").unwrap(), "bind:0");
    assert_eq!(planned(&far, "remote", "0,1").unwrap(), "bind:3");
    assert_eq!(planned(&far, "remote", "1,2").unwrap(), "bind:0", "of equals the lowest");
    assert!(warnings(&far, "remote", "0").is_empty());
}

#[test]
fn remote_memory_of_another_kind_comes_with_a_warning() {
    assert_eq!(planned(&with_hbm(), "remote", "0").unwrap(), "bind:1", "DRAM before HBM");
    let quad = machine(&[dram(0, 0, &[&[0]]), memory_only(1, 0, MemoryKind::Hbm)]);
    assert_eq!(planned(&quad, "remote", "0").unwrap(), "bind:1");
    let expected = PlanNotice::FarthestIsOfOtherKind { node: NodeId(1), kind: MemoryKind::Hbm };
    assert_eq!(warnings(&quad, "remote", "0"), [expected.into()]);
}

#[test]
fn remote_without_distances_says_so() {
    let mut machine = two_sockets();
    machine.nodes[0].distances = Reading::unavailable("no SLIT");
    let expected = PlanNotice::FarthestWithoutDistances { node: NodeId(1) };
    assert_eq!(warnings(&machine, "remote", "0"), [expected.into()]);
}

#[test]
fn nothing_is_remote_on_one_node_or_from_all_nodes() {
    let one = machine(&[dram(0, 0, &[&[0], &[1]])]);
    let error = planned(&one, "remote", "0").unwrap_err();
    assert!(error.contains("node 0 is the only one with memory"), "{error}");
    let error = planned(&two_sockets(), "remote", "0-7").unwrap_err();
    assert!(
        error.contains("are on all nodes with memory (0-1)") && error.contains("keep the task on some"),
        "{error}"
    );
}

#[test]
fn forbidden_nodes_are_named_with_the_limit() {
    let mut machine = two_sockets();
    machine.allowed_nodes = nodes("0");
    machine.limits.push(MachineNotice::CgroupMemory {
        allowed: nodes("0"),
        with_memory: nodes("0-1"),
        cgroup_file: Some("cpuset.mems".to_owned()),
        file: "status".to_owned(),
    });
    let first = CpuSet::single(CpuId(0));
    let error = Planner::new(&machine, &request("bind:1")).plan(&first, &first, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "node 1 may not be used for memory; allowed are 0");
    assert_eq!(error.limits(), machine.limits, "the limit is named");
    assert_eq!(planned(&machine, "bind", "2").unwrap(), "bind:0", "its own node is forbidden");
    let error = planned(&machine, "interleave:0,7", "0").unwrap_err();
    assert_eq!(error, "node 7 does not exist on this machine; it has nodes 0-1");
    machine.allowed_nodes = nodes("");
    for policy in ["bind", "interleave", "remote", "preferred"] {
        assert!(planned(&machine, policy, "0").unwrap_err().contains("no node with memory"), "{policy}");
    }
}

#[test]
fn memory_of_a_device_or_of_which_nothing_is_known_is_taken_by_name_only() {
    for kind in [MemoryKind::Gpu, MemoryKind::Unknown] {
        let machine = machine(&[dram(0, 0, &[&[0]]), dram(8, 1, &[&[1]]), memory_only(252, 2, kind)]);
        assert_eq!(planned(&machine, "interleave", "0").unwrap(), "interleave:0,8");
        assert_eq!(planned(&machine, "weighted", "0").unwrap(), "weighted:0,8");
        assert_eq!(planned(&machine, "remote", "0").unwrap(), "bind:8");
        assert_eq!(planned(&machine, "interleave:252", "0").unwrap(), "interleave:252");
        assert_eq!(
            planned(&machine, "remote", "0-1").unwrap_err(),
            "no memory remote from CPUs 0-1 is known to be a processor's: that of node 252 is a GPU's, or nothing is known of \
             it, and it is used by name only"
        );
    }
}
