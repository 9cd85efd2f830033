use numawise_facts::notice::StudyNotice;
use numawise_facts::{Notice, Observation};
use numawise_tables::{PlacedWell, VerdictKind};

use super::*;
use crate::sample::{observation, see, two_node_check};
use crate::{analyse, decided};

/// A check in which nothing makes a difference, with the policies that its points have.
fn check() -> Study {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    for point in &mut study.header.points {
        let plan = |mode, nodes: &str| MemoryPlan::new(mode, nodes.parse().unwrap());
        let (cpus, memory) = match point.id.0.as_str() {
            "one-node" => ("0-3", plan(MemoryMode::Bind, "0")),
            "remote" => ("0-3", plan(MemoryMode::Bind, "1")),
            "interleave" => ("0-7", plan(MemoryMode::Interleave, "0-1")),
            "all-nodes" => ("0-7", MemoryPlan::new(MemoryMode::Local, NodeSet::new())),
            _ => continue,
        };
        point.placement.tasks[0].cpus = cpus.parse().unwrap();
        point.placement.tasks[0].memory = memory;
    }
    study
}

/// What numa_maps shows: memory in MiB by use and node, and by policy and node.
fn seen(by_use: &[(PageUse, u32, u64)], by_policy: &[(&str, u32, u64)]) -> Observation {
    let private: Vec<(u32, u64)> = by_use
        .iter()
        .filter(|(used_for, ..)| !matches!(used_for, PageUse::File | PageUse::Shared))
        .map(|(_, node, mib)| (*node, *mib))
        .collect();
    let mut seen = observation(&private, &[(0, 1)]);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    let by_use =
        by_use.iter().map(|(used_for, node, mib)| (*used_for, NodeId(*node), Bytes::mib(*mib))).collect();
    let mut memory = MemorySnapshot { by_use, ..MemorySnapshot::default() };
    for (policy, node, mib) in by_policy {
        memory.by_policy.push(PolicyShare {
            policy: (*policy).to_owned(),
            mappings: 1,
            by_node: vec![(NodeId(*node), Bytes::mib(*mib))],
        });
    }
    sample.memory = Reading::Measured(memory);
    seen
}

fn astray(study: &Study, id: &str) -> Option<MemoryAstray> {
    not_obeyed(study, study.header.point(&id.into()).unwrap())
}

/// The program binds its 200 MiB to node 1 itself, whatever it is started with; the rest follows.
fn binds_itself(study: &mut Study) {
    for (id, policy) in [
        ("one-node", "bind:0"),
        ("remote", "bind:1"),
        ("interleave", "interleave:0-1"),
        ("all-nodes", "local"),
    ] {
        let node = u32::from(id == "remote");
        let own =
            if id == "remote" { vec![(policy, 1, 203)] } else { vec![("bind:1", 1, 200), (policy, node, 3)] };
        see(study, id, &seen(&[(PageUse::Private, 1, 200), (PageUse::Heap, node, 3)], &own));
    }
}

#[test]
fn a_program_that_binds_its_memory_itself_leaves_nothing_to_conclude() {
    let mut study = check();
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::NotAffected);
    binds_itself(&mut study);
    let found = astray(&study, "one-node").unwrap();
    assert!((found.against.0 - 200.0 / 203.0).abs() < 1e-9 && found.runs == 6, "{found:?}");
    assert_eq!(
        found.deciders,
        [MemoryDecider { by: DecidedBy::Policy("bind:1".to_owned()), bytes: Bytes::mib(200) }]
    );
    assert!(astray(&study, "interleave").is_some() && astray(&study, "all-nodes").is_some());
    assert_eq!(astray(&study, "remote"), None, "asked and found are the same there");
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::Undecided);
    assert!(matches!(&analysis.verdict.placed_well, PlacedWell::NotDecided { points } if points.len() == 3));
    let contrasts: Vec<&str> = analysis.contrasts.iter().map(|c| c.to.0.as_str()).collect();
    assert_eq!(contrasts, ["copies"], "no other contrast has two points that were obeyed");
    let told = analysis.verdict.caveats.iter().filter(|notice| notice.code() == "NW520").count();
    assert_eq!(told, 3, "{:?}", analysis.verdict.caveats);
    assert!(decided(&study, &[]), "more of the same would show nothing");
}

#[test]
fn memory_that_obeys_is_no_matter_however_little_lies_elsewhere() {
    for (id, by_use) in [
        ("one-node", vec![(PageUse::Heap, 0, 100), (PageUse::Private, 1, 5), (PageUse::File, 1, 90)]),
        ("remote", vec![(PageUse::Heap, 1, 100), (PageUse::Stack, 0, 1)]),
        ("interleave", vec![(PageUse::Heap, 0, 220), (PageUse::Heap, 1, 180)]),
        // Where first touch put it, any node is right.
        ("all-nodes", vec![(PageUse::Heap, 1, 100)]),
        // Too little to say anything: stacks and the loader.
        ("one-node", vec![(PageUse::Heap, 1, 3)]),
        // Eight huge pages of eight threads may all be on one node.
        ("interleave", vec![(PageUse::Heap, 1, 16)]),
    ] {
        let mut study = check();
        let mut seen = seen(&by_use, &[]);
        seen.usage.peak_memory = Reading::Measured(Bytes::mib(100));
        if by_use[0].2 < 20 {
            seen.usage.peak_memory = Reading::Measured(Bytes::mib(4));
        }
        see(&mut study, id, &seen);
        assert_eq!(astray(&study, id), None, "{id}: {by_use:?}");
    }
}

#[test]
fn without_numa_maps_the_nodes_alone_show_it_and_nobody_is_blamed() {
    let mut study = check();
    see(&mut study, "one-node", &observation(&[(0, 10), (1, 90)], &[(0, 1)]));
    let found = astray(&study, "one-node").unwrap();
    assert_eq!((found.against, found.deciders.as_slice()), (Ratio(0.9), &[][..]));
    let point = study.header.point(&"one-node".into()).unwrap();
    assert!(unseen(&study, point).is_some());
}

#[test]
fn shared_memory_decides_also_where_pages_were_only_sampled() {
    let mut study = check();
    let mut sampled = observation(&[(0, 20)], &[(0, 1)]);
    let Reading::Measured(sample) = &mut sampled.pages else { panic!() };
    sample.shared = Reading::Measured(vec![(NodeId(1), Bytes::mib(80))]);
    see(&mut study, "one-node", &sampled);
    let found = astray(&study, "one-node").unwrap();
    let expected = MemoryDecider { by: DecidedBy::Use(PageUse::Shared, None), bytes: Bytes::mib(80) };
    assert_eq!((found.against, found.deciders), (Ratio(0.8), vec![expected]));
}

#[test]
fn a_sample_that_came_too_early_shows_nothing() {
    let mut study = check();
    let mut early = seen(&[(PageUse::Heap, 1, 10)], &[]);
    early.usage.peak_memory = Reading::Measured(Bytes::mib(4000));
    see(&mut study, "one-node", &early);
    assert_eq!(astray(&study, "one-node"), None);
}

#[test]
fn most_runs_decide_not_one() {
    let mut study = check();
    see(&mut study, "one-node", &seen(&[(PageUse::Heap, 0, 100)], &[]));
    let one = study.trials.iter_mut().find(|trial| trial.point.0 == "one-node").unwrap();
    one.observation = Reading::Measured(seen(&[(PageUse::Heap, 1, 100)], &[]));
    assert_eq!(astray(&study, "one-node"), None);
}

#[test]
fn shared_memory_huge_pages_and_files_decide_by_themselves() {
    for used_for in [PageUse::Shared, PageUse::Huge] {
        let mut study = check();
        see(
            &mut study,
            "one-node",
            &seen(&[(used_for, 1, 300), (PageUse::Heap, 0, 30)], &[("bind:0", 1, 330)]),
        );
        let found = astray(&study, "one-node").unwrap();
        let expected = MemoryDecider { by: DecidedBy::Use(used_for, None), bytes: Bytes::mib(300) };
        assert_eq!(found.deciders, [expected]);
    }
    for (name, decides) in [
        ("/data/mesh.h5", true),
        ("/opt/mkl/libmkl.so.2", false),
        ("/usr/bin/python3.12", false),
        ("/usr/lib/locale/locale-archive", false),
        ("/data/lib.db", true),
    ] {
        let mut study = check();
        let mut seen = seen(&[(PageUse::File, 1, 300), (PageUse::Heap, 0, 30)], &[]);
        seen.usage.peak_memory = Reading::Measured(Bytes::mib(100));
        let Reading::Measured(sample) = &mut seen.pages else { panic!() };
        let Reading::Measured(memory) = &mut sample.memory else { panic!() };
        memory.largest.push(MappingSnapshot {
            address: 0x7f00_0000_0000,
            used_for: PageUse::File,
            policy: "bind:0".to_owned(),
            page: Bytes(4096),
            by_node: vec![(NodeId(1), Bytes::mib(300))],
            file: Some(name.to_owned()),
        });
        see(&mut study, "one-node", &seen);
        let by = astray(&study, "one-node").map(|found| found.deciders[0].by.clone());
        assert_eq!(by, decides.then(|| DecidedBy::Use(PageUse::File, Some(name.to_owned()))));
    }
}

#[test]
fn policies_are_read_as_the_kernel_writes_them() {
    let plan = |mode, nodes: &str| MemoryPlan::new(mode, nodes.parse().unwrap());
    assert!(is_asked(&plan(MemoryMode::Bind, "0-1"), "bind=static:0-1"));
    assert!(is_asked(&plan(MemoryMode::WeightedInterleave, "0-1"), "weighted interleave:0-1"));
    assert!(is_asked(&plan(MemoryMode::Local, ""), "default"));
    for policy in ["bind:1", "default", "bind", "interleave:0", "", ":", "bind:x", "prefer:0"] {
        assert!(!is_asked(&plan(MemoryMode::Bind, "0"), policy), "{policy}");
    }
}

#[test]
fn the_notice_says_what_was_asked_and_found() {
    let mut study = check();
    see(&mut study, "one-node", &seen(&[(PageUse::Heap, 1, 100)], &[]));
    let notices = analyse(&study).verdict.caveats;
    let expected = StudyNotice::MemoryNotObeyed {
        point: "one-node".into(),
        asked: MemoryPlan::new(MemoryMode::Bind, NodeSet::single(NodeId(0))),
        against: Ratio(1.0),
        found: vec![(NodeId(1), Bytes::mib(100))],
        trials: 6,
    };
    assert_eq!(notices, [Notice::from(expected)]);
}

/// What numa_maps showed of five programs of 64 MiB (of 8 MiB: huge pages) that were started with `bind` on one node, in MiB: their
/// memory by use, a mapped file, and the policy of the mapping. The node is the one that they were recorded with, or another.
#[test]
fn recorded_programs_are_judged_by_where_their_pages_are() {
    let recorded = [
        ("own mbind", PageUse::Private, 64, None, Some(DecidedBy::Policy("bind:1".to_owned()))),
        ("shm_open", PageUse::Shared, 64, None, Some(DecidedBy::Use(PageUse::Shared, None))),
        (
            "mmap of a file in the page cache",
            PageUse::File,
            64,
            Some("/tmp/data"),
            Some(DecidedBy::Use(PageUse::File, Some("/tmp/data".to_owned()))),
        ),
        ("MAP_HUGETLB", PageUse::Huge, 8, None, Some(DecidedBy::Use(PageUse::Huge, None))),
        // `read` copies: the page cache is no mapping of the process, so that nothing is seen of it.
        ("read of a file", PageUse::Private, 1, None, None),
    ];
    for (program, used_for, mib, file, decider) in recorded {
        for node in [0, 1] {
            let own = program == "own mbind";
            let policy = if own { format!("bind:{node}") } else { "bind:0".to_owned() };
            let mut run = seen(&[(used_for, node, mib), (PageUse::File, 0, 1)], &[(&policy, node, mib)]);
            let Reading::Measured(sample) = &mut run.pages else { panic!() };
            let Reading::Measured(memory) = &mut sample.memory else { panic!() };
            memory.largest.extend(file.map(|file| MappingSnapshot {
                address: 0x7f00_0000_0000,
                used_for,
                policy,
                page: Bytes(4096),
                by_node: vec![(NodeId(node), Bytes::mib(mib))],
                file: Some(file.to_owned()),
            }));
            run.usage.peak_memory = Reading::Measured(Bytes::mib(mib + 2));
            let mut study = check();
            see(&mut study, "one-node", &run);
            let expected = decider.clone().filter(|_| node == 1);
            let first = astray(&study, "one-node").map(|astray| astray.deciders[0].by.clone());
            assert_eq!(first, expected, "{program} with its memory on node {node}");
        }
    }
}
