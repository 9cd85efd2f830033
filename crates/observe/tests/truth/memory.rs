//! How much memory there was, and on which nodes.

use numawise_facts::PageUse;
use numawise_units::NodeId;

use super::*;

fn total(seen: &Observation) -> f64 {
    let Some(pages) = seen.pages.measured() else {
        panic!("no residency sample: {:?}", seen.pages.reason());
    };
    pages.by_node.iter().map(|(_, bytes)| bytes.0 as f64).sum()
}

/// What is seen of a program that has so much memory, once a residency sample is there.
fn with_residency_sample(mode: &str, mib: u64, options: &Options) -> Observation {
    let program = start(&format!("{mode} {mib} 600000"));
    let is_there = |seen: &Observation| seen.pages.measured().is_some();
    watch_until(&[program.pid()], options, "a residency sample", is_there)
}

#[test]
fn memory_is_known_within_5_percent_by_every_method() {
    let truth = (64u64 << 20) as f64;
    for method in [Method::Auto, Method::NumaMaps, Method::MovePages] {
        let options = Options { method, ..generous() };
        let seen = with_residency_sample("memory", 64, &options);
        let total = total(&seen);
        assert!((total / truth - 1.0).abs() < 0.05, "{method:?}: {total} of {truth}: {:?}", seen.pages);
        // Nobody waited for it: its peak is what was sampled.
        assert!(*seen.usage.peak_memory.measured().unwrap() >= Bytes::mib(64));
        let pages = seen.pages.measured().unwrap();
        assert!(pages.at < seen.sampler.span, "{} of {}", pages.at, seen.sampler.span);
        assert!(!pages.method.is_empty());
    }
}

#[test]
fn the_sample_of_a_trial_shows_use_policy_and_mapping() {
    let options = Options { method: Method::NumaMaps, ..generous() };
    let seen = with_residency_sample("interleaved", 48, &options);
    let pages = seen.pages.measured().unwrap();
    let memory = pages.memory.measured().unwrap_or_else(|| panic!("{pages:#?}"));
    let sum = |by_node: &[(NodeId, Bytes)]| by_node.iter().map(|(_, bytes)| bytes.0).sum::<u64>();
    let policy = memory.by_policy.iter().find(|share| share.policy == "interleave:0");
    let policy = policy.unwrap_or_else(|| panic!("{memory:#?}"));
    assert_eq!((policy.mappings, sum(&policy.by_node)), (1, 48 << 20));
    let largest = &memory.largest[0];
    assert_eq!((largest.used_for, largest.policy.as_str()), (PageUse::Private, "interleave:0"));
    assert_eq!(largest.resident(), Bytes::mib(48));
    assert!(memory.largest.len() <= 8 && memory.largest.len() as u64 <= memory.mappings);
    // The same pass over the same lines: every page of the program's own is in one of these uses.
    let own = [PageUse::Huge, PageUse::Heap, PageUse::Stack, PageUse::Private];
    let uses = memory.by_use.iter().filter(|(used_for, ..)| own.contains(used_for));
    assert_eq!(uses.map(|(.., bytes)| bytes.0).sum::<u64>(), sum(&pages.by_node));
}

/// A parent and four children have it mapped, so that their sum is twice what is there.
#[test]
fn shared_memory_counts_once_by_every_method() {
    let truth = (48u64 << 20) as f64;
    for method in [Method::Auto, Method::NumaMaps, Method::MovePages] {
        let options = Options { method, ..generous() };
        let seen = with_residency_sample("segment", 48, &options);
        let pages = seen.pages.measured().unwrap();
        if pages.method == "one node" {
            continue;
        }
        let shared = pages.shared.measured().unwrap_or_else(|| panic!("{method:?}: {pages:#?}"));
        let total: f64 = shared.iter().map(|(_, bytes)| bytes.0 as f64).sum();
        assert!((total / truth - 1.0).abs() < 0.05, "{method:?}: {total} of {truth}: {pages:#?}");
        let private: u64 = pages.by_node.iter().map(|(_, bytes)| bytes.0).sum();
        assert!(private < 24 << 20, "{method:?}: {private} bytes of private memory");
        if let Some(memory) = pages.memory.measured() {
            let uses = memory.by_use.iter().filter(|(used_for, ..)| *used_for == PageUse::Shared);
            let used: f64 = uses.map(|(.., bytes)| bytes.0 as f64).sum();
            assert!((used / truth - 1.0).abs() < 0.05, "{method:?}: {used} of {truth}: {memory:#?}");
        }
    }
}

#[test]
fn a_sample_by_move_pages_says_why_it_has_no_policies() {
    let options = Options { method: Method::MovePages, ..generous() };
    let seen = with_residency_sample("interleaved", 48, &options);
    let pages = seen.pages.measured().unwrap();
    match pages.memory.reason() {
        Some(reason) => assert!(reason.to_string().contains("move_pages"), "{reason}"),
        // Where the call is forbidden numa_maps is read instead.
        None => assert_eq!(pages.method, "numa_maps"),
    }
}

#[test]
fn both_ways_of_counting_agree_on_the_nodes() {
    // One program under two watches: where there are several nodes, a second one might run and take its memory elsewhere.
    let program = start("memory 32 600000");
    let shares = [Method::NumaMaps, Method::MovePages].map(|method| {
        let options = Options { method, ..generous() };
        let is_there = |seen: &Observation| seen.pages.measured().is_some();
        let seen = watch_until(&[program.pid()], &options, "a residency sample", is_there);
        let all = total(&seen);
        let pages = seen.pages.measured().unwrap().clone();
        pages.by_node.into_iter().map(|(node, bytes)| (node, bytes.0 as f64 / all)).collect::<Vec<_>>()
    });
    for (node, share) in &shares[0] {
        let other = shares[1].iter().find(|(other, _)| other == node).map_or(0.0, |(_, share)| *share);
        assert!((share - other).abs() < 0.05, "{shares:?}");
    }
}

#[test]
fn the_peak_of_a_small_program_is_not_ours() {
    // `ru_maxrss` outlives execve: make our own peak large, then start something small.
    let ours = vec![1u8; 256 << 20];
    std::hint::black_box(&ours);
    let (seen, ..) = watch(actor("spin 20"), &generous());
    match seen.usage.peak_memory.measured() {
        Some(peak) => assert!(*peak < Bytes::mib(100), "{peak}"),
        None => assert!(seen.usage.peak_memory.reason().unwrap().to_string().contains("inherits")),
    }
}
