//! Two sockets, and a small node of high-bandwidth memory without CPUs beside each.

use std::sync::LazyLock;

use testbed::{EmulatedMachine, Guest, Mpi};

use crate::probe::with_probe;
use crate::shared::{Answered, answers, ask};
use crate::topics::peers::{self, Pair};
use crate::topics::placement::{self, Plan};
use crate::topics::ranks::{self, Request};
use crate::topics::{checks, launcher, library, machine, objects_to, residency, weights};

const PLANS: [Plan; 2] = [
    ("--place local --threads 2 --memory hbm", "0-1", "bind", "2", &[2]),
    ("--place distributed --memory hbm", "0-3", "bind", "2-3", &[2, 3]),
];

const PAIRS: [Pair; 7] = [
    ("numactl -N 1 -m 3", "--place local --nodes 1 --no-pin --memory hbm"),
    ("numactl -N 0 -m 2", "-N 0 -m 2"),
    ("numactl -i 0,2", "-i 0,2"),
    ("numactl -p 3", "-p 3"),
    ("numactl -C 0 -P 2,3", "-C 0 -P 2,3"),
    ("numactl -C 3 -P 2,3", "-C 3 -P 2,3"),
    ("hwloc-bind -p --strict --membind node:2 --cpubind node:0 --", "--cpus node:0 --memory bind:2"),
];

const REQUESTS: [Request; 2] =
    [(2, "--place semi --memory hbm", Mpi::Mpich), (4, "--place local --memory preferred", Mpi::OpenMpi)];

static GUEST: LazyLock<Answered> = LazyLock::new(|| {
    let mut topics = vec![
        // First, since others write weights.
        launcher::weights_of_now(),
        weights::of_bandwidths(),
        machine::read(),
        placement::asked(&PLANS),
        peers::asked(&PAIRS),
        residency::looked_at("", "16:bind:8 9:interleave:c 5:bind:1", ""),
        objects_to::put(),
        library::asked(false),
        checks::dry(),
        weights::of_a_profile(),
    ];
    if ranks::are_here() {
        topics.push(ranks::asked(&REQUESTS));
    }
    ask("hbm", with_all, topics)
});

fn with_all(machine: &EmulatedMachine) -> Guest<'_> {
    let guest = objects_to::with_arrays(ranks::launchers(with_probe(machine)));
    let guest = peers::tools(weights::with_profile(guest)).tool("numastat");
    library::with_programs(guest, false)
}

#[test]
fn emulated_machine_is_read_as_it_is() {
    let Some(of) = answers(&GUEST, machine::MACHINE) else { return };
    machine::is_as_it_is(of, &["NW214"]);
    assert_eq!(machine::kinds(of.1), ["dram", "dram", "hbm", "hbm"], "{}", of.1[0].stdout);
}

#[test]
fn emulated_plans_are_what_the_kernel_reports() {
    let Some((_, run)) = answers(&GUEST, placement::PLACEMENT) else { return };
    placement::plans_are_what_the_kernel_reports(run, &PLANS);
}

#[test]
fn emulated_peers_give_the_same() {
    let Some((_, run)) = answers(&GUEST, peers::PEERS) else { return };
    peers::are_alike(run, &PAIRS);
}

#[test]
fn emulated_ranks_are_where_the_plan_says() {
    if !ranks::are_here() {
        return;
    }
    let Some(of) = answers(&GUEST, ranks::RANKS) else { return };
    ranks::are_where_the_plan_says(of, &REQUESTS);
}

#[test]
fn emulated_where_sees_high_bandwidth_memory() {
    let Some((_, run)) = answers(&GUEST, residency::WHERE) else { return };
    residency::agrees(run);
}

#[test]
fn emulated_weights_are_compared_and_written() {
    let Some((_, run)) = answers(&GUEST, launcher::WEIGHTS_OF_NOW) else { return };
    launcher::weights_are_compared_and_written(run);
}

#[test]
fn emulated_global_weights_are_those_of_the_bandwidths() {
    let Some((_, run)) = answers(&GUEST, weights::OF_BANDWIDTHS) else { return };
    weights::are_those_of_the_bandwidths(run);
}

#[test]
fn emulated_weights_and_kinds_go_by_a_saved_profile() {
    let Some((_, run)) = answers(&GUEST, weights::OF_A_PROFILE) else { return };
    weights::weights_and_kinds_go_by_a_saved_profile(run);
}

#[test]
fn emulated_chosen_objects_lie_in_the_fast_memory_and_others_do_not() {
    let Some((_, run)) = answers(&GUEST, objects_to::OBJECTS_TO) else { return };
    objects_to::chosen_objects_lie_in_the_fast_memory_and_others_do_not(run);
}

/// Two nodes of 256 MiB, of which the kernel takes some.
#[test]
fn emulated_memory_of_the_library_is_where_it_is_asked_for() {
    let Some((_, run)) = answers(&GUEST, library::LIBRARY) else { return };
    let expected = "nodes: 2 of ordinary memory, 2 of fast memory, 0 wrong\n";
    library::memory_and_threads_are_where_they_are_asked_for(run, expected);
}

#[test]
fn emulated_checks_would_try_the_high_bandwidth_memory() {
    let Some((_, run)) = answers(&GUEST, checks::CHECKS) else { return };
    assert!(checks::would_try(&run[1]).contains(&"hbm"), "{}", run[1].stdout);
}
