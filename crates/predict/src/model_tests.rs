use numawise_facts::MemoryPlan;

use super::*;
use crate::machine::{TWO_SOCKETS, capacities};
use crate::shape::Counts;

fn program() -> Program {
    let prior = Prior::new(&capacities(&TWO_SOCKETS, true), 0.0);
    Program {
        serial: 0.0,
        sync: 0.0,
        imbalance: 0.0,
        held: 0.0,
        sharpness: 4.0,
        limit: f64::INFINITY,
        turbo: 0.0,
        patterns: [1.0, 0.0, 0.0],
        ..prior.program(&[0.0; FIGURES])
    }
}

fn shape(threads: [f64; 2]) -> PointShape {
    let counts = threads.into_iter().enumerate().filter(|(_, threads)| *threads > 0.0);
    let counts: Counts = counts.map(|(node, threads)| (node, (threads, 1.0))).collect();
    let machine = capacities(&TWO_SOCKETS, true);
    PointShape::of_counts(&machine, &counts, 0, 2, &MemoryPlan::default_policy()).unwrap()
}

#[test]
fn a_node_that_is_full_gives_no_more_to_more_threads_and_another_node_does() {
    let bound = Program { bandwidth: 0.999, latency: 0.0, overlap: 8.0, ..program() };
    let (few, many) = (bound.time(&shape([7.0, 0.0])), bound.time(&shape([22.0, 0.0])));
    assert!((many / few - 0.85).abs() < 0.05, "the corner is round: {}", many / few);
    let spread = bound.time(&shape([11.0, 11.0]));
    assert!((1.85..=2.0).contains(&(many / spread)), "{}", many / spread);
    assert_eq!(
        bound.terms(&shape([22.0, 0.0])).fullest_memory,
        Some(Part::Memory(numawise_units::NodeId(0)))
    );
}

#[test]
fn memory_of_the_first_thread_is_a_link_away_from_the_others() {
    let own = Program { bandwidth: 0.9, latency: 0.0, ..program() };
    let first = Program { patterns: [0.0, 1.0, 0.0], ..own };
    let at = shape([11.0, 11.0]);
    assert!(first.time(&at) > 1.5 * own.time(&at));
    assert!(first.terms(&at).fullest_link.is_some());
    assert_eq!(first.time(&shape([11.0, 0.0])), own.time(&shape([11.0, 0.0])));
}

#[test]
fn computing_scales_as_amdahl_says_and_the_shares_add_up() {
    let computes = Program { serial: 0.1, bandwidth: 1e-9, latency: 0.0, time: 1.0, ..program() };
    let at = shape([5.0, 5.0]);
    assert!((computes.time(&at) - (0.1 + 0.09)).abs() < 1e-6, "{}", computes.time(&at));
    let terms = program().terms(&at);
    let sum = terms.serial
        + terms.compute
        + terms.latency
        + terms.limit
        + terms.core
        + terms.memory
        + terms.link
        + terms.sync;
    assert!((sum - 1.0).abs() < 1e-9, "{terms:?}");
    assert_eq!(terms.time, program().time(&at));
}

#[test]
fn threads_that_share_a_core_are_slower_each_and_faster_together() {
    let one = program();
    assert_eq!(one.speed(1.0), 1.0);
    assert!(one.speed(2.0) > 0.5 && one.speed(2.0) < 1.0);
}

#[test]
fn no_more_threads_work_than_a_limit_allows() {
    let free = Program { bandwidth: 1e-9, latency: 0.0, time: 1.0, ..program() };
    let limited = Program { limit: 4.0, ..free };
    let at = shape([10.0, 10.0]);
    assert!((free.time(&at) - 0.05).abs() < 1e-6, "{}", free.time(&at));
    assert!((limited.time(&at) - 0.25).abs() < 0.005, "{}", limited.time(&at));
    assert!((limited.terms(&at).limit - 0.8).abs() < 0.01, "{:?}", limited.terms(&at));
    assert_eq!(free.terms(&at).limit, 0.0);
}

#[test]
fn caches_of_more_cores_hold_more() {
    let sweeps = Program { bandwidth: 0.999, latency: 0.0, overlap: 8.0, ..program() };
    let held = Program { held: 0.9, holding: 8.0, suddenness: 6.0, ..sweeps };
    let gain = |threads: f64| sweeps.time(&shape([threads, 0.0])) / held.time(&shape([threads, 0.0]));
    assert!((gain(1.0) - 1.0).abs() < 1e-3, "the time with one thread is what it is");
    assert!(gain(4.0) < 1.05 && gain(16.0) > 5.0, "{} {}", gain(4.0), gain(16.0));
}

#[test]
fn who_is_free_takes_what_waits_for_the_link() {
    let fixed =
        Program { bandwidth: 0.999, latency: 0.0, is_static: 1.0, patterns: [0.0, 1.0, 0.0], ..program() };
    let taken = Program { is_static: 0.0, ..fixed };
    let over_link = shape([4.0, 18.0]);
    assert!(taken.time(&over_link) < 0.9 * fixed.time(&over_link));
    let own = Program { patterns: [1.0, 0.0, 0.0], ..fixed };
    let apart = own.time(&shape([11.0, 11.0])) / Program { is_static: 0.0, ..own }.time(&shape([11.0, 11.0]));
    assert!((apart - 1.0).abs() < 1e-6, "nobody waits for a link: {apart}");
}

#[test]
fn a_core_reads_interleaved_memory_node_after_node() {
    let mut machine = capacities(&TWO_SOCKETS, true);
    machine.saturating.value = 1.5;
    let at = |nodes: &[u32]| {
        let nodes = nodes.iter().map(|node| numawise_units::NodeId(*node)).collect();
        let memory = MemoryPlan::new(numawise_facts::MemoryMode::Interleave, nodes);
        PointShape::of_counts(&machine, &Counts::from([(0, (1.0, 1.0))]), 0, 1, &memory).unwrap()
    };
    let loads = Program {
        bandwidth: 0.999,
        latency: 0.0,
        overlap: 8.0,
        sharpness: 30.0,
        saturating: 1.5,
        ..program()
    };
    let (local, remote) = (loads.time(&at(&[0])), loads.time(&at(&[1])));
    assert!(remote > 1.3 * local, "the link gives less than a core takes: {local} {remote}");
    let mean = 0.5 * (local + remote);
    assert!((loads.time(&at(&[0, 1])) / mean - 1.0).abs() < 0.02, "{}", loads.time(&at(&[0, 1])) / mean);
}
