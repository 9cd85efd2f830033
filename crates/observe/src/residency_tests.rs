use numawise_facts::{PageUse, ResidencySample};

use super::*;
use crate::fixture::{PID, Tree};

const PLENTY: Nanoseconds = Nanoseconds(10_000_000_000);
static GO: AtomicBool = AtomicBool::new(false);

fn ms(ms: u64) -> Nanoseconds {
    Nanoseconds(ms * 1_000_000)
}

/// A tree with `nodes` and a process with `kib` of private memory.
fn tree(nodes: &str, kib: u64) -> Tree {
    let tree = Tree::new();
    tree.write("sys/devices/system/node/has_memory", nodes);
    process(&tree, 100, kib, "7f00 default anon=3 dirty=3 N0=1 N1=2 kernelpagesize_kB=4\n");
    tree
}

fn process(tree: &Tree, pid: i32, kib: u64, numa_maps: &str) {
    let status = format!("Name:\tx\nVmHWM:\t{kib} kB\nVmRSS:\t{kib} kB\nRssAnon:\t{kib} kB\n");
    tree.write(&format!("proc/{pid}/status"), &status);
    tree.write(&format!("proc/{pid}/maps"), "1000-3000 rw-p 0 00:00 0\n");
    tree.write(&format!("proc/{pid}/numa_maps"), numa_maps);
}

fn residency_sampler(tree: &Tree, method: Method) -> ResidencySampler {
    ResidencySampler::new(tree.roots(), method, 100, 7)
}

fn round(sampler: &mut ResidencySampler, alive: &[Pid], at: Nanoseconds) {
    for _ in 0..1000 {
        if sampler.step(alive, at, PLENTY, PLENTY, &GO) == SampleProgress::Complete {
            return;
        }
    }
    panic!("the sample does not end");
}

/// The sample of the trial, if it ended now.
fn merged(sampler: &ResidencySampler) -> Reading<ResidencySample> {
    sampler.result().map(|kept| kept.merged())
}

fn nodes(sampler: &ResidencySampler) -> Vec<(u32, u64)> {
    let result = merged(sampler);
    let pages = result.measured().unwrap_or_else(|| panic!("{result:?}"));
    pages.by_node.iter().map(|(node, bytes)| (node.0, bytes.0)).collect()
}

fn why(sampler: &ResidencySampler) -> String {
    merged(sampler).reason().map_or_else(String::new, ToString::to_string)
}

#[test]
fn with_one_node_all_is_there() {
    for list in ["0\n", "3\n"] {
        let tree = tree(list, 40);
        let mut sampler = residency_sampler(&tree, Method::Auto);
        assert!(sampler.one_node());
        round(&mut sampler, &[PID], ms(5));
        assert_eq!(nodes(&sampler), [(list.trim().parse().unwrap(), 40 << 10)]);
        let sample = merged(&sampler);
        assert_eq!(sample.measured().unwrap().method, "one node");
        assert!(sample.measured().unwrap().memory.reason().is_some(), "neither use nor policy was read");
        assert_eq!(sampler.peak, Some(Bytes::kib(40)));
    }
}

#[test]
fn numa_maps_are_summed_over_processes() {
    let tree = tree("0-1\n", 12);
    process(
        &tree,
        200,
        8,
        "7f00 default anon=2 N1=2 kernelpagesize_kB=4\n7f01 default file=/lib N0=9 kernelpagesize_kB=4\n",
    );
    let mut sampler = residency_sampler(&tree, Method::Auto);
    round(&mut sampler, &[PID, Pid(200)], ms(5));
    assert_eq!(nodes(&sampler), [(0, 4096), (1, 4 * 4096)]);
    let result = merged(&sampler);
    let pages = result.measured().unwrap();
    assert_eq!((pages.method.as_str(), pages.pages_seen, pages.at), ("numa_maps", 5, ms(5)));
    // All that is resident, the pages of files too.
    let memory = pages.memory.measured().unwrap();
    let uses: Vec<_> = memory.by_use.iter().map(|(of, node, bytes)| (*of, node.0, bytes.0 >> 12)).collect();
    assert_eq!(uses, [(PageUse::Private, 0, 1), (PageUse::Private, 1, 4), (PageUse::File, 0, 9)]);
    let largest: Vec<_> = memory.largest.iter().map(|mapping| mapping.resident().0 >> 12).collect();
    assert_eq!((largest, memory.mappings), (vec![9, 3, 2], 3));
}

#[test]
fn a_segment_counts_once_however_many_processes_have_mapped_it() {
    let tree = tree("0-1\n", 12);
    let line = |pages: u64, mapmax: &str| {
        format!(
            "7f00 default anon=3 dirty=3 N0=3 kernelpagesize_kB=4\n\
             7f90 bind:1 file=/dev/zero\\040(deleted) dirty={pages}{mapmax} N1={pages} kernelpagesize_kB=4\n"
        )
    };
    // The parent has touched all of it, each child half; every page is mapped twice, a header three times.
    process(&tree, 100, 400, &line(1024, " mapmax=3"));
    process(&tree, 200, 400, &line(513, " mapmax=3"));
    process(&tree, 300, 400, &line(513, " mapmax=3"));
    for (pid, kib) in [(100, 2048), (200, 1024), (300, 1024)] {
        let rollup = format!("Rss: 9999 kB\nPss: 9999 kB\nPss_Shmem: {kib} kB\n");
        tree.write(&format!("proc/{pid}/smaps_rollup"), &rollup);
    }
    let mut sampler = residency_sampler(&tree, Method::NumaMaps);
    round(&mut sampler, &[PID, Pid(200), Pid(300)], ms(5));
    assert_eq!(nodes(&sampler), [(0, 9 * 4096)], "private memory only");
    let result = merged(&sampler);
    let sample = result.measured().unwrap();
    let pages = |bytes: Bytes| bytes.0.div_ceil(4096);
    let shared = sample.shared.measured().unwrap();
    assert_eq!(shared.iter().map(|(node, bytes)| (node.0, pages(*bytes))).collect::<Vec<_>>(), [(1, 1024)]);
    let memory = sample.memory.measured().unwrap();
    let uses: Vec<_> = memory.by_use.iter().map(|(of, node, bytes)| (*of, node.0, pages(*bytes))).collect();
    assert_eq!(uses, [(PageUse::Private, 0, 9), (PageUse::Shared, 1, 1024)]);
    let bound = memory.by_policy.iter().find(|share| share.policy == "bind:1").unwrap();
    assert_eq!((bound.mappings, pages(bound.by_node[0].1)), (3, 1024));
    let listed = memory.largest.iter().filter(|mapping| mapping.used_for == PageUse::Shared).count();
    assert_eq!(listed, 1);
    // When one is left, what it has is all that is seen.
    tree.remove("proc/200");
    tree.remove("proc/300");
    let mut sampler = residency_sampler(&tree, Method::NumaMaps);
    round(&mut sampler, &[PID], ms(6));
    let alone = merged(&sampler).measured().unwrap().shared.clone();
    assert_eq!(alone, Reading::Measured(vec![(NodeId(1), Bytes(1024 * 4096))]));
}

/// Sampled before its child has the segment mapped, the parent has all of it for its own.
#[test]
fn a_part_that_was_read_before_another_process_shared_it_is_not_kept() {
    let tree = tree("0-1\n", 12);
    let shared_by = |pid: i32, mapmax: &str, kib: u64| {
        let lines = format!(
            "7f00 default anon=3 dirty=3 N0=3 kernelpagesize_kB=4\n\
             7f90 default file=/dev/zero\\040(deleted) dirty=1024{mapmax} N1=1024 kernelpagesize_kB=4\n"
        );
        process(&tree, pid, 400, &lines);
        tree.write(&format!("proc/{pid}/smaps_rollup"), &format!("Pss: 9999 kB\nPss_Shmem: {kib} kB\n"));
    };
    let shared = |sampler: &ResidencySampler| {
        let sample = merged(sampler).measured().cloned().unwrap();
        sample.shared.measured().unwrap().iter().map(|(_, bytes)| bytes.0 >> 10).sum::<u64>()
    };
    let mut sampler = residency_sampler(&tree, Method::NumaMaps);
    shared_by(100, "", 4096);
    round(&mut sampler, &[PID], ms(5));
    assert_eq!(shared(&sampler), 4096);
    shared_by(100, " mapmax=2", 2048);
    shared_by(200, " mapmax=2", 2048);
    // The child's turn comes while the parent's part is still the one that was read first.
    while sampler.latest.len() < 2 {
        sampler.step(&[Pid(200), PID], ms(6), PLENTY, Nanoseconds(1), &GO);
    }
    assert_eq!(sampler.outdated, [PID]);
    round(&mut sampler, &[Pid(200), PID], ms(7));
    assert!(sampler.outdated.is_empty());
    assert_eq!(shared(&sampler), 4096, "each page once");
    // What is outdated takes the place of what is not only when it is clearly larger.
    sampler.most = Bytes::mib(64);
    assert!(!sampler.is_better(Bytes::mib(62)), "less, and no better known");
    sampler.outdated = vec![PID];
    assert!(!sampler.is_better(Bytes::mib(64)) && sampler.is_better(Bytes::mib(66)));
    sampler.outdated.clear();
    assert!(sampler.is_better(Bytes::mib(63)));
}

#[test]
fn policies_are_summed_over_processes() {
    let tree = tree("0-1\n", 12);
    process(
        &tree,
        200,
        8,
        "7f00 interleave:0-1 anon=4 N0=2 N1=2 kernelpagesize_kB=4\n7f01 default anon=1 N0=1\n",
    );
    let mut sampler = residency_sampler(&tree, Method::Auto);
    round(&mut sampler, &[PID, Pid(200)], ms(5));
    let result = merged(&sampler);
    let memory = result.measured().unwrap().memory.measured().unwrap();
    let policies: Vec<_> = memory
        .by_policy
        .iter()
        .map(|share| (share.policy.as_str(), share.mappings, share.by_node.clone()))
        .collect();
    let on = |pages: [u64; 2]| vec![(NodeId(0), Bytes(pages[0] << 12)), (NodeId(1), Bytes(pages[1] << 12))];
    assert_eq!(policies, [("default", 2, on([2, 2])), ("interleave:0-1", 1, on([2, 2]))]);
}

#[test]
fn the_sample_with_the_most_memory_is_kept_and_of_like_ones_the_latest() {
    let tree = tree("0-1\n", 12);
    let mut sampler = residency_sampler(&tree, Method::NumaMaps);
    for (at, node0, node1, kept_at) in
        [(1, 50, 50, 1), (2, 99, 0, 2), (3, 98, 0, 3), (4, 90, 0, 3), (5, 0, 98, 5), (6, 1, 0, 5)]
    {
        let text = format!("7f00 default anon={} N0={node0} N1={node1} kernelpagesize_kB=4\n", node0 + node1);
        process(&tree, 100, 400, &text);
        round(&mut sampler, &[PID], ms(at));
        assert_eq!(merged(&sampler).measured().unwrap().at, ms(kept_at), "sample {at}");
    }
    assert_eq!(nodes(&sampler), [(1, 98 * 4096)]);
}

#[test]
fn a_process_that_ended_counts_no_more() {
    let tree = tree("0-1\n", 12);
    process(&tree, 200, 400, "7f00 default anon=90 N1=90 kernelpagesize_kB=4\n");
    let mut sampler = residency_sampler(&tree, Method::Auto);
    round(&mut sampler, &[Pid(200)], ms(1));
    round(&mut sampler, &[PID], ms(2));
    assert_eq!(nodes(&sampler), [(1, 90 * 4096)], "the earlier one was larger");
    assert_eq!(sampler.latest.len(), 1);
}

#[test]
fn a_process_that_vanishes_or_is_a_zombie_is_no_problem() {
    let tree = tree("0-1\n", 12);
    tree.write("proc/300/status", "Name:\tx\nState:\tZ (zombie)\n");
    let mut sampler = residency_sampler(&tree, Method::Auto);
    round(&mut sampler, &[Pid(300), Pid(999)], ms(1));
    assert!(why(&sampler).contains("ended before its pages were sampled"));
    // It goes while it is being sampled.
    assert_eq!(sampler.begin(PID, ms(2), PLENTY).unwrap(), None);
    tree.remove("proc/100");
    tree.write("proc/100/gone", "");
    sampler.advance();
    assert!(sampler.problem.is_none());
}

#[test]
fn a_broken_file_is_said_and_the_other_way_tried() {
    for text in ["7f00 default anon=x\n", "garbage\n", "7f00 default anon=1 N0=1x"] {
        let tree = tree("0-1\n", 12);
        process(&tree, 100, 12, text);
        let mut sampler = residency_sampler(&tree, Method::Auto);
        round(&mut sampler, &[PID], ms(1));
        // There is no live process behind a tree of files: both ways have failed.
        assert!(why(&sampler).contains("numa_maps reads"), "{}", why(&sampler));
        round(&mut sampler, &[PID], ms(2));
        assert_eq!(
            sampler.failed,
            [(PID, PageSource::NumaMaps), (PID, PageSource::MovePages)],
            "each noted once"
        );
    }
}

#[test]
fn an_expensive_walk_waits_until_it_is_paid_for() {
    // What a walk costs goes by the number of pages, and pages are larger on other machines.
    let tree = tree("0-1\n", (1 << 18) * (pages::page_size().0 / 1024));
    let mut sampler = residency_sampler(&tree, Method::NumaMaps);
    let estimate = loop {
        match sampler.step(&[PID], ms(1), ms(1), ms(1), &GO) {
            // On a slow machine the slice may be over before the walk is thought of.
            SampleProgress::Needs(Nanoseconds(0)) => {}
            SampleProgress::Needs(estimate) => break estimate,
            SampleProgress::Complete => panic!("a walk of 2^18 pages in 1 ms"),
        }
    };
    assert!(estimate > ms(5), "{estimate}");
    assert!(merged(&sampler).measured().is_none());
    while sampler.step(&[PID], ms(9), estimate, ms(1), &GO) != SampleProgress::Complete {}
    assert_eq!(merged(&sampler).measured().unwrap().at, ms(9));
}

#[test]
fn the_cheaper_way_is_chosen_and_walks_are_learned_from() {
    let mut costs = Costs::new(Method::Auto);
    assert_eq!(costs.choose(Bytes::mib(1), Bytes::mib(1), 2000), PageSource::NumaMaps);
    assert_eq!(costs.choose(Bytes::mib(4096), Bytes::mib(4096), 2000), PageSource::MovePages);
    assert_eq!(costs.choose(Bytes::mib(1), Bytes::mib(256), 2000), PageSource::NumaMaps);
    assert_eq!(costs.choose(Bytes::mib(1), Bytes::mib(4096), 2000), PageSource::MovePages);
    let before = costs.walk(Bytes::mib(64));
    // Huge pages: a walk costs next to nothing.
    for _ in 0..40 {
        costs.learn_walk(Bytes::mib(4096), Nanoseconds(100_000));
    }
    assert!(costs.walk(Bytes::mib(64)) < Nanoseconds(before.0 / 10));
    assert_eq!(costs.choose(Bytes::mib(4096), Bytes::mib(4096), 2000), PageSource::NumaMaps);
    // A single disturbed walk does not raise the estimate out of all proportion.
    let before = costs.walk(Bytes::mib(64));
    costs.learn_walk(Bytes::mib(64), ms(1000));
    assert!(costs.walk(Bytes::mib(64)).0 <= 2 * before.0);
}

#[test]
fn nodes_of_the_machine() {
    for (list, only) in [("0\n", Some(0)), ("0-1\n", None), ("2\n", Some(2)), ("\n", None), ("junk", None)] {
        assert_eq!(tree(list, 1).roots().only_node(), only.map(NodeId), "{list:?}");
    }
    // A kernel without NUMA.
    let bare = Tree::new();
    assert_eq!(bare.roots().only_node(), None);
    bare.write("sys/devices/system/cpu/online", "0");
    assert_eq!(bare.roots().only_node(), Some(NodeId(0)));
}
