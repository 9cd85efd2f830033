use numawise_facts::{MemoryKind, NodeWeight, Package, Strategy};

use super::*;
use crate::sample;

fn set<T: numawise_units::Id>(list: &str) -> numawise_units::IdSet<T> {
    list.parse().unwrap()
}

/// Two packages of four CPUs, two to a core and two cores to an L2, one L3 for all of the package, HBM beside the first.
fn machine() -> Machine {
    let mut machine = sample::two_sockets();
    for cpu in &mut machine.cpus {
        (cpu.core, cpu.smt) = (cpu.id.0 / 2, cpu.id.0 % 2);
    }
    machine.packages = vec![Package { index: 0, cpus: set("0-3") }, Package { index: 1, cpus: set("4-7") }];
    let cache = |level, cpus: &str| Cache { level, size: Bytes::mib(u64::from(level)), cpus: set(cpus) };
    machine.caches =
        vec![cache(1, "0-1"), cache(1, "2-3"), cache(2, "0-3"), cache(3, "0-3"), cache(3, "4-7")];
    let mut hbm = machine.nodes[0].clone();
    (hbm.id, hbm.kind, hbm.cpus, hbm.near) = (NodeId(2), MemoryKind::Hbm, set(""), set("0-3"));
    machine.nodes.push(hbm);
    machine.allowed_nodes = set("0-2");
    machine
}

fn task(task: u32, threads: &[&str], memory: MemoryPlan) -> TaskPlacement {
    let threads: Vec<CpuSet> = threads.iter().map(|cpus| set(cpus)).collect();
    let cpus = threads.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    TaskPlacement { task: TaskId(task), cpus, threads, memory, gpus: Vec::new() }
}

fn placed(binding: ThreadBinding, tasks: Vec<TaskPlacement>) -> Placement {
    Placement { strategy: Strategy::Local, binding, tasks, warnings: vec![] }
}

#[test]
fn what_lies_in_what() {
    let drawn = picture(&machine(), None);
    assert_eq!((drawn.cpus, drawn.placed, drawn.apart), (8, None, vec![]));
    let indices: Vec<_> = drawn.packages.iter().map(|package| package.index).collect();
    assert_eq!(indices, [Some(0), Some(1)]);
    let first = &drawn.packages[0].nodes[0];
    let memory: Vec<_> = first.memory.iter().map(|memory| (memory.node.0, memory.kind)).collect();
    assert_eq!(
        memory,
        [(0, MemoryKind::Dram), (2, MemoryKind::Hbm)],
        "HBM stands beside the CPUs that it is near"
    );
    let [l3] = first.groups.as_slice() else { panic!("{:?}", first.groups) };
    assert_eq!(l3.cache.map(|cache| (cache.level, cache.is_shared_beyond)), Some((3, false)));
    let [l2] = l3.inside.as_slice() else { panic!("{l3:?}") };
    assert_eq!(l2.cache.map(|cache| cache.level), Some(2), "an L1 is one core's own, and is not drawn");
    let cpus: Vec<Vec<u32>> =
        l2.cores.iter().map(|core| core.cpus.iter().map(|cpu| cpu.cpu.0).collect()).collect();
    assert_eq!(cpus, [vec![0, 1], vec![2, 3]]);
}

#[test]
fn what_no_package_and_no_node_has_is_drawn_all_the_same() {
    let mut odd = machine();
    odd.packages.truncate(1);
    odd.cpus[7].node = None;
    odd.nodes[2].near = set("0-7");
    let drawn = picture(&odd, None);
    let [_, rest] = drawn.packages.as_slice() else { panic!("{:?}", drawn.packages) };
    assert_eq!(rest.index, None);
    let nodes: Vec<_> = rest.nodes.iter().map(|node| (node.node, node.cpus.to_string())).collect();
    assert_eq!(nodes, [(Some(NodeId(1)), "4-6".to_owned()), (None, "7".to_owned())]);
    assert_eq!(
        drawn.apart.iter().map(|memory| memory.node.0).collect::<Vec<_>>(),
        [2],
        "near all: beside none"
    );
}

#[test]
fn a_node_of_two_packages_has_its_memory_once() {
    let mut wide = machine();
    wide.cpus.iter_mut().for_each(|cpu| cpu.node = Some(NodeId(0)));
    wide.nodes[0].cpus = set("0-7");
    (wide.nodes[1].cpus, wide.nodes[1].near) = (set(""), set(""));
    let drawn = picture(&wide, None);
    let of = |k: usize| (drawn.packages[k].nodes[0].is_continued, drawn.packages[k].nodes[0].memory.len());
    assert_eq!([of(0), of(1)], [(false, 2), (true, 0)]);
}

#[test]
fn threads_are_held_or_move_and_memory_goes_where_the_policy_sends_it() {
    let machine = machine();
    let interleave = MemoryPlan::new(MemoryMode::Interleave, set("0-1"));
    let bind = MemoryPlan::new(MemoryMode::Bind, set("2"));
    let tasks = vec![task(0, &["0", "2"], interleave), task(1, &["4", "4-5"], bind)];
    let drawn = picture(&machine, Some(&placed(ThreadBinding::Pinned, tasks)));
    let [first, second] = [&drawn.packages[0].nodes[0], &drawn.packages[1].nodes[0]];
    assert_eq!(
        (first.held, first.held_tasks.as_slice(), first.moving_tasks.as_slice()),
        (2, &[TaskId(0)][..], &[][..])
    );
    assert_eq!((second.held, second.moving_tasks.as_slice()), (1, &[TaskId(1)][..]));
    let cpus: Vec<&CpuPicture> = second.groups[0].cores.iter().flat_map(|core| &core.cpus).collect();
    assert_eq!((cpus[0].held.as_slice(), cpus[0].moving), (&[(TaskId(1), 0)][..], Some((TaskId(1), 1))));
    let planned = |memory: &MemoryPicture| -> Vec<(u32, MemoryMode, Option<f64>)> {
        let one = |one: &PlannedMemory| (one.tasks[0].0, one.mode, one.share.map(|share| share.0));
        memory.planned.iter().map(one).collect()
    };
    assert_eq!(planned(&first.memory[0]), [(0, MemoryMode::Interleave, Some(0.5))]);
    assert_eq!(planned(&first.memory[1]), [(1, MemoryMode::Bind, None)]);
    assert_eq!(drawn.placed.unwrap().seen, None, "nobody ran it");
}

#[test]
fn weights_and_first_touch_are_kept_apart() {
    let machine = machine();
    let weight = |node, weight| NodeWeight { node: NodeId(node), weight };
    let weighted = MemoryPlan {
        weights: vec![weight(0, 3), weight(1, 1)],
        ..MemoryPlan::new(MemoryMode::WeightedInterleave, set("0-1"))
    };
    let tasks = vec![task(0, &["4-7"], weighted), task(1, &["4-7"], MemoryPlan::default_policy())];
    let drawn = picture(&machine, Some(&placed(ThreadBinding::Free, tasks)));
    let of = |k: usize| -> Vec<(Vec<TaskId>, Option<f64>)> {
        let planned = &drawn.packages[k].nodes[0].memory[0].planned;
        planned.iter().map(|one| (one.tasks.clone(), one.share.map(|share| share.0))).collect()
    };
    assert_eq!(of(0), [(vec![TaskId(0)], Some(0.75))]);
    assert_eq!(
        of(1),
        [(vec![TaskId(0)], Some(0.25)), (vec![TaskId(1)], None)],
        "first touch: where its CPUs are"
    );
    let moving = drawn.packages[1].nodes[0].groups[0].cores[0].cpus[0].moving;
    assert_eq!(moving, Some((TaskId(0), 2)));
}

#[test]
fn a_check_draws_the_baseline_and_what_is_better_with_what_was_seen() {
    let mut study = sample::two_node_check(1.0, 1.0, 0.5, 1.1, 1.5, 1.1);
    sample::see(&mut study, "os", &sample::first_touch_by_one());
    let analysis = crate::analyse(&study);
    let drawn: Vec<_> = analysis.pictures.iter().map(|one| (one.point.0.as_str(), one.role)).collect();
    assert_eq!(drawn, [("os", PictureRole::Baseline), ("interleave", PictureRole::Recommended)]);
    let summary = analysis.points.iter().find(|point| point.id.0 == "os").unwrap();
    let pages = summary.pages.measured().unwrap();
    let all: u64 = pages.iter().map(|(_, bytes)| bytes.0).sum();
    let memory = |node: u32| {
        let nodes = analysis.pictures[0].picture.packages.iter().flat_map(|package| &package.nodes);
        let memory = nodes.flat_map(|node| &node.memory).find(|memory| memory.node.0 == node).unwrap();
        memory.seen.clone().unwrap()
    };
    for (node, bytes) in pages {
        let share = Ratio(bytes.0 as f64 / all as f64);
        assert_eq!(memory(node.0), Reading::Measured(MemorySeen { bytes: *bytes, share }));
    }
    // Of what nobody looked at there is a reason, and no zero.
    let unseen = &analysis.pictures[1].picture.packages[0].nodes[0].memory[0].seen;
    assert!(unseen.as_ref().unwrap().reason().is_some(), "{unseen:?}");
}

#[test]
fn a_check_without_a_better_placement_draws_the_best_of_the_others() {
    let study = sample::two_node_check(1.0, 1.0, 1.2, 1.1, 1.5, 1.1);
    let drawn: Vec<_> =
        crate::analyse(&study).pictures.into_iter().map(|one| (one.point.0, one.role)).collect();
    assert_eq!(drawn[0], ("os".to_owned(), PictureRole::Baseline));
    assert_eq!(drawn[1].1, PictureRole::Best);
}
