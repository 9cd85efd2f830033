use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::point::Factor;
use numawise_facts::{Cpu, Source};
use numawise_units::{CpuId, CpuSet};

use super::*;

/// A machine by hand: for each node its CPUs, its memory in MiB, its kind.
fn machine(nodes: &[(&str, u64, MemoryKind)]) -> Machine {
    let sets: Vec<CpuSet> = nodes.iter().map(|(cpus, ..)| cpus.parse().unwrap()).collect();
    let cpus = sets.iter().enumerate().flat_map(|(node, set)| {
        set.iter().map(move |id| Cpu {
            id,
            node: Some(NodeId(node as u32)),
            package: None,
            core: id.0,
            smt: 0,
            efficiency: Reading::unavailable("all alike"),
        })
    });
    let node = |(k, (cpus, mib, kind)): (usize, &(&str, u64, MemoryKind))| Node {
        id: NodeId(k as u32),
        cpus: cpus.parse().unwrap(),
        near: cpus.parse().unwrap(),
        memory: Reading::Measured(Bytes::mib(*mib)),
        free: Reading::unavailable("by hand"),
        kind: *kind,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("by hand"),
    };
    let with_memory = nodes.iter().enumerate().filter(|(_, (_, mib, _))| *mib > 0);
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: vec![],
        nodes: nodes.iter().enumerate().map(node).collect(),
        cpus: cpus.collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: sets.iter().fold(CpuSet::new(), |all, set| all.union(set)),
        allowed_nodes: with_memory.map(|(k, _)| NodeId(k as u32)).collect(),
        limits: vec![],
    }
}

fn needs(threads: Option<u32>, mib: Option<u64>) -> ProgramNeeds {
    let memory = mib.map_or(Reading::unavailable("not run yet"), |mib| Reading::Measured(Bytes::mib(mib)));
    ProgramNeeds {
        threads,
        memory,
        one_metric_file: false,
        pinning_library: true,
        seen: FirstRunPlaces::default(),
        pages: FirstRunPages::unknown(),
        near: None,
    }
}

fn ids(design: &StudyDesign) -> Vec<&str> {
    design.points.iter().map(|point| point.id.0.as_str()).collect()
}

fn pairs(design: &StudyDesign) -> Vec<(&str, &str, ContrastRole)> {
    design.pairs.iter().map(|p| (p.from.0.as_str(), p.to.0.as_str(), p.role)).collect()
}

const DRAM: MemoryKind = MemoryKind::Dram;

#[test]
fn two_sockets_show_every_contrast() {
    let design = plan(&machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]), &needs(None, Some(100)));
    assert_eq!(ids(&design), ["os", "all-nodes", "interleave", "one-node", "remote", "copies"]);
    assert_eq!(
        pairs(&design),
        [
            ("os", "all-nodes", ContrastRole::BothWays),
            ("os", "interleave", ContrastRole::BothWays),
            ("os", "one-node", ContrastRole::GainOnly),
            ("one-node", "remote", ContrastRole::BothWays),
            ("os", "copies", ContrastRole::Unjudged),
        ]
    );
    assert_eq!(design.not_tried, []);
    let threads: Vec<_> = design.points.iter().map(|p| p.request.threads.unwrap()).collect();
    assert_eq!(threads, [8, 8, 8, 4, 4, 4]);
    assert_eq!(design.points[5].request.tasks, 2);
}

#[test]
fn threads_that_fit_into_one_node_compare_filled_with_spread() {
    let design = plan(&machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]), &needs(Some(4), None));
    assert!(pairs(&design).contains(&("os", "one-node", ContrastRole::BothWays)));
    assert!(pairs(&design).contains(&("one-node", "all-nodes", ContrastRole::BothWays)));
}

#[test]
fn one_node_tries_pinning_alone_and_says_so() {
    let design = plan(&machine(&[("0-1", 1000, DRAM)]), &needs(None, Some(100)));
    assert_eq!(ids(&design), ["os", "pinned"]);
    assert_eq!(design.not_tried, [StudyNotice::OneMemoryNode.into()]);
}

#[test]
fn one_cpu_leaves_nothing_to_try() {
    let design = plan(&machine(&[("3", 1000, DRAM)]), &needs(None, None));
    assert_eq!((ids(&design), design.pairs.len()), (vec!["os"], 0));
    assert_eq!(design.not_tried, [StudyNotice::OneCpu.into(), StudyNotice::OneMemoryNode.into()]);
}

#[test]
fn hbm_is_tried_when_the_program_fits() {
    let nodes =
        [("0-1", 1000, DRAM), ("2-3", 1000, DRAM), ("", 100, MemoryKind::Hbm), ("", 100, MemoryKind::Hbm)];
    let fits = plan(&machine(&nodes), &needs(None, Some(150)));
    assert!(ids(&fits).contains(&"hbm"));
    let too_large = plan(&machine(&nodes), &needs(None, Some(190)));
    assert!(!ids(&too_large).contains(&"hbm"));
    let reason = NotTriedReason::DoesNotFit {
        needs: Bytes::mib(190),
        nodes: "2-3".parse().unwrap(),
        capacity: Bytes::mib(180),
    };
    let why = StudyNotice::NotTried { placements: PlacementGroup::HighBandwidthMemory, reason };
    assert!(too_large.not_tried.contains(&why.into()), "{:?}", too_large.not_tried);
}

#[test]
fn what_does_not_fit_into_a_node_is_not_put_there() {
    let design = plan(&machine(&[("0-3", 100, DRAM), ("4-7", 100, DRAM)]), &needs(None, Some(150)));
    assert_eq!(ids(&design), ["os", "all-nodes", "interleave"]);
    assert_eq!(design.not_tried.len(), 2, "{:?}", design.not_tried);
}

#[test]
fn forbidden_policies_leave_the_contrasts_of_cpus() {
    let mut forbidden = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM), ("", 1000, MemoryKind::Hbm)]);
    forbidden.limits = vec![numawise_facts::notice::MachineNotice::PolicyCallsForbidden];
    let design = plan(&forbidden, &needs(None, Some(10)));
    assert_eq!(ids(&design), ["os", "all-nodes", "one-node", "copies"]);
    assert!(design.points.iter().all(|point| point.request.memory == MemoryRequest::Default));
    let groups = [PlacementGroup::InterleavedAndRemote, PlacementGroup::HighBandwidthMemory];
    let why = groups.map(|placements| {
        Notice::from(StudyNotice::NotTried { placements, reason: NotTriedReason::PoliciesForbidden })
    });
    assert_eq!(design.not_tried, why);
}

#[test]
fn a_node_without_memory_is_not_the_one_node() {
    let design =
        plan(&machine(&[("0-3", 0, DRAM), ("4-7", 1000, DRAM), ("8-9", 1000, DRAM)]), &needs(None, Some(10)));
    let one = design.points.iter().find(|point| point.id.0 == "one-node").unwrap();
    assert_eq!(one.request.nodes, Some(NodeSet::single(NodeId(1))));
}

#[test]
fn memory_from_one_node_only_leaves_no_memory_contrasts() {
    let mut one = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    one.allowed_nodes = NodeSet::single(NodeId(0));
    let design = plan(&one, &needs(None, Some(10)));
    assert!(!ids(&design).contains(&"remote") && !ids(&design).contains(&"interleave"));
    let reason = NotTriedReason::OnlyMemoryOf { nodes: NodeSet::single(NodeId(0)) };
    let placements = PlacementGroup::InterleavedAndRemote;
    assert_eq!(design.not_tried, [StudyNotice::NotTried { placements, reason }.into()]);
}

#[test]
fn one_node_with_cpus_can_still_take_remote_memory() {
    let mut narrow = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    narrow.allowed_cpus = [CpuId(4), CpuId(5)].into_iter().collect();
    assert_eq!(ids(&plan(&narrow, &needs(None, None))), ["os", "pinned", "remote"]);
}

#[test]
fn what_is_tried_on_one_node_is_tried_where_the_memory_is() {
    let machine = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    let on = |fixed: [u64; 2], memory: [u64; 2]| {
        let places = |mib: [u64; 2]| vec![(NodeId(0), Bytes::mib(mib[0])), (NodeId(1), Bytes::mib(mib[1]))];
        let seen = FirstRunPlaces { fixed: places(fixed), memory: places(memory), cpu_time: Vec::new() };
        let design = plan(&machine, &ProgramNeeds { seen, ..needs(Some(4), Some(100)) });
        let one = design.points.iter().find(|point| point.id.0 == "one-node").unwrap();
        let said =
            design.not_tried.iter().any(|n| matches!(n, Notice::Study(StudyNotice::OtherNodes { .. })));
        (one.request.nodes.as_ref().unwrap().to_string(), said)
    };
    let tried = |node: &str, said| (node.to_owned(), said);
    assert_eq!(on([0, 0], [0, 0]), tried("0", false), "nothing was seen");
    assert_eq!(on([0, 0], [50, 50]), tried("0", false), "nothing is said by as much on both");
    assert_eq!(on([2, 0], [10, 90]), tried("1", true), "code of libraries decides nothing");
    assert_eq!(on([0, 60], [90, 60]), tried("1", true), "a page cache stays, other memory follows");
    assert_eq!(on([0, 60], [90, 600]), tried("1", true));
    assert_eq!(on([3, 0], [2, 3]), tried("0", false), "nor do files of a shell, where little else was seen");
    assert_eq!(on([0, 5], [8, 5]), tried("1", true));
}

/// Half of the threads fit onto the node: only a gain is looked for there, and it is the placement that can bring one.
#[test]
fn where_memory_stays_on_a_node_that_node_is_the_last_to_be_left_out() {
    let machine = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    let kept = |fixed: u64, threads: u32| {
        let on_one = |mib: u64| vec![(NodeId(1), Bytes::mib(mib))];
        let seen = FirstRunPlaces { fixed: on_one(fixed), memory: on_one(60), cpu_time: Vec::new() };
        let design = plan(&machine, &ProgramNeeds { seen, ..needs(Some(threads), Some(100)) });
        let left = crate::fitting(design, Nanoseconds(1_000_000_000), 5, Nanoseconds(10_000_000_000));
        ids(&left).join(" ")
    };
    for threads in [1, 8] {
        assert_eq!(kept(60, threads), "os one-node");
        assert_eq!(kept(0, threads), "os all-nodes");
    }
}

#[test]
fn cpu_time_tells_the_node_where_memory_does_not() {
    let machine = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    let design = |memory: [u64; 2], seconds: [u64; 2]| {
        let cpu_time = vec![
            (NodeId(0), Nanoseconds(seconds[0] * 1_000_000_000)),
            (NodeId(1), Nanoseconds(seconds[1] * 1_000_000_000)),
        ];
        let memory = vec![(NodeId(0), Bytes::mib(memory[0])), (NodeId(1), Bytes::mib(memory[1]))];
        let seen = FirstRunPlaces { fixed: Vec::new(), memory, cpu_time };
        plan(&machine, &ProgramNeeds { seen, ..needs(Some(2), Some(100)) })
    };
    let node = |design: &StudyDesign| {
        let one = design.points.iter().find(|point| point.id.0 == "one-node").unwrap();
        one.request.nodes.as_ref().unwrap().to_string()
    };
    let told = design([50, 50], [1, 9]);
    assert_eq!(node(&told), "1");
    let reason = NodeReason::CpuTime { share: Ratio(0.9) };
    assert!(told.not_tried.contains(&StudyNotice::OtherNodes { tried: NodeId(1), reason }.into()));
    assert_eq!(node(&design([90, 10], [1, 9])), "0", "memory says more");
    assert_eq!(node(&design([50, 50], [5, 5])), "0");
    assert_eq!(node(&design([50, 50], [0, 0])), "0");
    assert_eq!(node(&design([1, 0], [1, 9])), "0");
    assert_eq!(node(&design([0, 0], [1, 9])), "1", "memory that was not seen says nothing");
}

#[test]
fn both_nodes_that_hold_files_are_tried() {
    let machine = machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]);
    let design = |fixed: [u64; 2]| {
        let places = |mib: [u64; 2]| vec![(NodeId(0), Bytes::mib(mib[0])), (NodeId(1), Bytes::mib(mib[1]))];
        let seen = FirstRunPlaces { fixed: places(fixed), memory: places([100, 100]), cpu_time: Vec::new() };
        plan(&machine, &ProgramNeeds { seen, ..needs(Some(2), Some(100)) })
    };
    let both = design([40, 60]);
    assert_eq!(ids(&both), ["os", "all-nodes", "interleave", "one-node", "one-node-0", "remote", "copies"]);
    assert!(pairs(&both).contains(&("os", "one-node-0", ContrastRole::GainOnly)));
    let one = both.points.iter().find(|point| point.id.0 == "one-node").unwrap();
    assert_eq!(one.request.nodes.as_ref().unwrap().to_string(), "1", "the node with more comes first");
    assert!(!both.not_tried.iter().any(|n| matches!(n, Notice::Study(StudyNotice::OtherNodes { .. }))));
    for fixed in [[25, 75], [10, 12], [0, 60]] {
        assert!(!ids(&design(fixed)).iter().any(|id| id.starts_with("one-node-")), "{fixed:?}");
    }
}

#[test]
fn more_threads_than_cpus_are_held_against_as_many() {
    let machine = machine(&[("0-3", 1024, DRAM), ("4-7", 1024, DRAM)]);
    let cpus = machine.allowed_cpus.len() as u32;
    let as_many = plan(&machine, &needs(Some(cpus), Some(100)));
    assert!(!as_many.points.iter().any(|point| point.id.0 == "fewer-threads"));
    let more = plan(&machine, &needs(Some(2 * cpus), Some(100)));
    let fewer = more.points.iter().find(|point| point.id.0 == "fewer-threads").unwrap();
    assert_eq!((fewer.levels.threads, fewer.role), (cpus, PointRole::Diagnosis));
    assert_eq!(more.points[0].levels.differing(&fewer.levels), [Factor::Threads]);
    let pair = more.pairs.iter().find(|pair| pair.to.0 == "fewer-threads").unwrap();
    assert_eq!((pair.from.0.as_str(), pair.role), ("os", ContrastRole::Unjudged));
}

#[test]
fn where_no_placement_can_be_tried_nothing_else_is() {
    // The verdict would rest on it.
    let one_cpu = machine(&[("0", 1024, DRAM)]);
    assert_eq!(ids(&plan(&one_cpu, &needs(Some(4), Some(100)))), ["os"]);
}

/// Copies that write over each other's results say nothing.
#[test]
fn copies_are_not_tried_where_they_share_the_file_of_the_metric() {
    let design = plan(
        &machine(&[("0-3", 1000, DRAM), ("4-7", 1000, DRAM)]),
        &ProgramNeeds { one_metric_file: true, ..needs(None, Some(100)) },
    );
    assert!(design.points.iter().all(|point| point.id.0 != "copies"));
    let reason = NotTriedReason::OneMetricFile;
    let notice = StudyNotice::NotTried { placements: PlacementGroup::CopyPerNode, reason };
    assert!(design.not_tried.contains(&notice.into()), "{:?}", design.not_tried);
}
#[test]
fn pages_of_the_other_size_and_pages_that_stay_differ_from_the_system_in_that_only() {
    let machine = machine(&[("0-3", 4096, DRAM), ("4-7", 4096, DRAM)]);
    let pages = FirstRunPages {
        given_to: Reading::Measured("madvise".to_owned()),
        huge: Reading::Measured(Bytes(0)),
        balancing: Reading::Measured("1".to_owned()),
        moved: Reading::Measured(Bytes::mib(50)),
    };
    let with = |pages: &FirstRunPages| ProgramNeeds { pages: pages.clone(), ..needs(Some(4), Some(1000)) };
    let design = plan(&machine, &with(&pages));
    let levels = |id: &str| &design.points.iter().find(|point| point.id.0 == id).unwrap().levels;
    assert_eq!(levels("os").differing(levels("huge-pages")), [Factor::Pages]);
    assert_eq!(levels("os").differing(levels("pages-not-moved")), [Factor::Balancing]);
    for id in ["huge-pages", "pages-not-moved"] {
        assert!(pairs(&design).contains(&("os", id, ContrastRole::Unjudged)), "{id}");
    }
    let small = FirstRunPages {
        given_to: Reading::Measured("always".to_owned()),
        huge: Reading::Measured(Bytes::mib(990)),
        moved: Reading::Measured(Bytes(0)),
        ..pages.clone()
    };
    let design = plan(&machine, &with(&small));
    assert_eq!(ids(&design).last(), Some(&"small-pages"));
    assert!(!ids(&design).contains(&"pages-not-moved"));
    let never = FirstRunPages { given_to: Reading::Measured("never".to_owned()), ..small };
    let never = FirstRunPages { huge: Reading::Measured(Bytes(0)), ..never };
    let design = plan(&machine, &with(&never));
    let reason = NotTriedReason::TransparentHugePagesOff;
    let notice = StudyNotice::NotTried { placements: PlacementGroup::HugePages, reason };
    assert!(design.not_tried.contains(&notice.into()), "{:?}", design.not_tried);
}

#[test]
fn what_is_no_placement_goes_first_when_time_is_short() {
    let machine = machine(&[("0-3", 4096, DRAM), ("4-7", 4096, DRAM)]);
    let pages = FirstRunPages {
        given_to: Reading::Measured("madvise".to_owned()),
        huge: Reading::Measured(Bytes(0)),
        ..FirstRunPages::unknown()
    };
    let design = plan(&machine, &ProgramNeeds { pages, ..needs(Some(4), Some(1000)) });
    let all = design.points.len() as u64;
    let second = numawise_units::Nanoseconds(1_000_000_000);
    let left = numawise_units::Nanoseconds(second.0 * 5 * (all - 1));
    let kept = crate::fitting(design, second, 5, left);
    assert!(!ids(&kept).contains(&"huge-pages") && ids(&kept).contains(&"remote"), "{:?}", ids(&kept));
}

/// Four nodes of two CPUs, each farther from node 0 the higher its number but for node 2, which is the farthest.
fn four_nodes() -> Machine {
    let mut machine =
        machine(&[("0-1", 1000, DRAM), ("2-3", 1000, DRAM), ("4-5", 500, DRAM), ("6-7", 1000, DRAM)]);
    let distances = [[10, 12, 32, 20], [12, 10, 32, 20], [32, 32, 10, 32], [20, 20, 32, 10]];
    for (node, distances) in machine.nodes.iter_mut().zip(distances) {
        node.distances = Reading::Measured(distances.to_vec());
    }
    machine
}

fn near(name: &str, cpus: &str, needs: ProgramNeeds) -> ProgramNeeds {
    let device = NearDevice { name: name.parse().unwrap(), cpus: cpus.parse().unwrap() };
    ProgramNeeds { near: Some(device), ..needs }
}

/// Points with their nodes, their CPUs where only some of a node are taken, and the device that chose them.
fn placed(design: &StudyDesign) -> Vec<String> {
    let text = |point: &PlannedPoint| {
        let level = &point.levels.placement;
        let nodes = level.nodes.as_ref().map_or("all".to_owned(), ToString::to_string);
        let cpus = level.cpus.as_ref().map_or(String::new(), |cpus| format!(" cpus {cpus}"));
        let near = level.near.as_ref().map_or(String::new(), |device| format!(" near {device}"));
        format!("{} {nodes}{cpus}{near}", point.id)
    };
    let special =
        design.points.iter().filter(|point| ["near", "far", "remote", "one-node"].contains(&&*point.id.0));
    special.map(text).collect()
}

#[test]
fn near_to_a_device_is_compared_with_the_farthest_node() {
    let design = plan(&four_nodes(), &near("gpu:0", "2-3", needs(Some(2), Some(100))));
    assert_eq!(placed(&design), ["near 1 near gpu:0", "far 2", "remote 1 near gpu:0"]);
    for pair in [
        ("os", "near", ContrastRole::BothWays),
        ("near", "all-nodes", ContrastRole::BothWays),
        ("near", "far", ContrastRole::BothWays),
        ("near", "remote", ContrastRole::BothWays),
    ] {
        assert!(pairs(&design).contains(&pair), "{pair:?}");
    }
    let levels = |id: &str| &design.points.iter().find(|point| point.id.0 == id).unwrap().levels;
    assert_eq!(levels("near").differing(levels("far")), [Factor::Placement]);
    assert_eq!(levels("near").differing(levels("remote")), [Factor::Memory]);
    let role = |id: &str| design.points.iter().find(|point| point.id.0 == id).unwrap().role;
    assert_eq!((role("near"), role("far")), (PointRole::Candidate, PointRole::Diagnosis));
}

#[test]
fn of_several_devices_the_node_that_the_first_run_used_counts() {
    let seen = FirstRunPlaces {
        memory: vec![(NodeId(3), Bytes::mib(90)), (NodeId(0), Bytes::mib(10))],
        ..FirstRunPlaces::default()
    };
    let both = |seen| near("gpu", "0-1,6-7", ProgramNeeds { seen, ..needs(Some(2), Some(100)) });
    let design = plan(&four_nodes(), &both(seen));
    assert_eq!(placed(&design), ["near 3 near gpu", "far 2", "remote 3 near gpu"]);
    let others = |notice: &Notice| matches!(notice, Notice::Study(StudyNotice::OtherNodes { .. }));
    assert!(!design.not_tried.iter().any(others), "another node was tried: {:?}", design.not_tried);
    assert_eq!(placed(&plan(&four_nodes(), &both(FirstRunPlaces::default())))[0], "near 0 near gpu");
}

#[test]
fn some_cpus_of_a_node_are_all_that_is_near() {
    let design = plan(&four_nodes(), &near("gpu:1", "3", needs(None, None)));
    assert_eq!(placed(&design), ["near 1 cpus 3 near gpu:1", "far 2", "remote 1 cpus 3 near gpu:1"]);
    let threads = |id: &str| design.points.iter().find(|point| point.id.0 == id).unwrap().request.threads;
    assert_eq!((threads("near"), threads("far")), (Some(1), Some(1)), "as many on both");
}

#[test]
fn a_far_node_without_room_is_named() {
    let design = plan(&four_nodes(), &near("gpu:0", "2-3", needs(Some(2), Some(600))));
    assert_eq!(placed(&design), ["near 1 near gpu:0", "remote 1 near gpu:0"]);
    let small = |notice: &Notice| {
        matches!(notice, Notice::Study(StudyNotice::NotTried {
            placements: PlacementGroup::FarFromDevice,
            reason: NotTriedReason::DoesNotFit { nodes, .. },
        }) if nodes.contains(NodeId(2)))
    };
    assert!(design.not_tried.iter().any(small), "{:?}", design.not_tried);
}

#[test]
fn that_no_far_node_has_as_many_cpus_is_said() {
    let mut machine = four_nodes();
    machine.allowed_cpus = "0,2-4,6".parse().unwrap();
    let design = plan(&machine, &near("gpu:0", "2-3", needs(Some(2), Some(100))));
    assert_eq!(placed(&design), ["near 1 near gpu:0", "remote 1 near gpu:0"]);
    let reason = NotTriedReason::NoFarNode { threads: 2 };
    let left_out = StudyNotice::NotTried { placements: PlacementGroup::FarFromDevice, reason };
    assert!(design.not_tried.contains(&left_out.clone().into()), "{:?}", design.not_tried);
    let one = plan(&machine, &near("gpu:0", "2-3", needs(Some(1), Some(100))));
    assert!(!one.not_tried.contains(&left_out.into()) && placed(&one).contains(&"far 2".to_owned()));
}

#[test]
fn what_is_near_to_all_nodes_or_has_no_memory_there_changes_nothing() {
    let plain = plan(&four_nodes(), &needs(Some(2), Some(100)));
    let everywhere = plan(&four_nodes(), &near("nic", "0,2-7", needs(Some(2), Some(100))));
    assert_eq!(everywhere, plain);
    let mut machine = four_nodes();
    machine.allowed_nodes = "0".parse().unwrap();
    let design = plan(&machine, &near("gpu:0", "2-3", needs(Some(2), Some(100))));
    assert_eq!(placed(&design), ["one-node 0"]);
    let only = NotTriedReason::OnlyMemoryOf { nodes: "0".parse().unwrap() };
    let left_out = StudyNotice::NotTried { placements: PlacementGroup::OneNode, reason: only };
    assert!(design.not_tried.contains(&left_out.into()), "{:?}", design.not_tried);
}
