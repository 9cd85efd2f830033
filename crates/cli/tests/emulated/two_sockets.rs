//! Two sockets with ordinary memory. What launchers of MPI start has a guest of its own: `two_sockets_ranks`.

use std::sync::LazyLock;

use testbed::{EmulatedMachine, Guest};

use crate::probe::with_probe;
use crate::shared::{Answered, answers, ask};
use crate::topics::peers::{self, Pair};
use crate::topics::placement::{self, Plan};
use crate::topics::{checks, fields, launcher, library, machine, objects_to, residency, threads, weights};

const NAME: &str = "two-socket";

const PLANS: [Plan; 6] = [
    ("-C 2 -m 0", "2", "bind", "0", &[0]),
    ("-N 1 -l", "2-3", "local", "", &[1]),
    ("--place local --memory bind --threads 2 --nodes 1", "2-3", "bind", "1", &[1]),
    ("--place local --memory remote --threads 2", "0-1", "bind", "1", &[1]),
    ("--place distributed --memory interleave", "0-3", "interleave", "0-1", &[0, 1]),
    ("-C 0 -p 1", "0", "preferred", "1", &[1]),
];

/// CPUs of one node where there is no policy: pages go where the program happens to run.
const PAIRS: [Pair; 14] = [
    ("taskset -c 2,3", "--cpus 2-3"),
    ("taskset -c 1,3 numactl -m 0", "--cpus 1,3 --memory bind:0"),
    ("taskset -c 2", "--cpus 2"),
    ("hwloc-bind node:1 --", "--cpus node:1"),
    ("hwloc-bind node:1.core:0 --", "--cpus node:1.core:0"),
    ("hwloc-bind --strict --membind node:0 --cpubind node:1 --", "--cpus node:1 --memory bind:0"),
    ("hwloc-bind --mempolicy interleave --membind node:0-1 --", "--memory interleave:0-1"),
    ("numactl -C 0,2 -i all", "-C 0,2 -i all"),
    ("numactl -N 1 --balancing -m 0,1", "-N 1 --balancing -m 0,1"),
    ("numactl --preferred-many=1", "--preferred-many=1"),
    ("numactl -C 1,3 -m 1", "-C 1,3 -m 1"),
    ("numactl -N 1 -p 0", "-N 1 -p 0"),
    ("numactl -C +0-1 -l", "-C +0-1 -l"),
    ("numactl --cpunodebind=!0 --membind=all", "--cpunodebind=!0 --membind=all"),
];

static GUEST: LazyLock<Answered> = LazyLock::new(|| {
    ask(
        NAME,
        with_all,
        vec![
            machine::read(),
            machine::limited(),
            placement::asked(&PLANS),
            peers::asked(&PAIRS),
            peers::in_a_cgroup(),
            launcher::bound(),
            threads::placed(),
            threads::sizes_of_pages(),
            residency::looked_at(RESERVED, REGIONS, FREED),
            residency::moved(),
            residency::placed(),
            weights::written(),
            library::asked(true),
            fields::watched(),
            checks::dry(),
        ],
    )
});

fn with_all(machine: &EmulatedMachine) -> Guest<'_> {
    let guest = objects_to::with_heap(fields::with_sources(with_probe(machine)));
    library::with_programs(peers::tools(guest).tool("numastat"), true)
}

/// Two nodes that are reserved huge pages each, so that sizes of pages are mixed.
const RESERVED: &str = "for n in 0 1; do echo 4 > /sys/devices/system/node/node$n/hugepages/hugepages-2048kB/nr_hugepages; done; ";
const FREED: &str = "; for n in 0 1; do echo 0 > /sys/devices/system/node/node$n/hugepages/hugepages-2048kB/nr_hugepages; done";
const REGIONS: &str = "20:bind:2 12:interleave:3 6:preferred:1 4:bind:2:huge 4:interleave:3:huge 3:default:0";

#[test]
fn emulated_machine_is_read_as_it_is() {
    let Some(of) = answers(&GUEST, machine::MACHINE) else { return };
    machine::is_as_it_is(of, &[]);
}

#[test]
fn emulated_limits_are_named() {
    let Some((_, run)) = answers(&GUEST, machine::LIMITS) else { return };
    machine::limits_are_named(run);
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
fn emulated_peer_numactl_gives_the_same_in_a_cgroup() {
    let Some((_, run)) = answers(&GUEST, peers::IN_A_CGROUP) else { return };
    peers::are_alike_in_a_cgroup(run);
}

#[test]
fn emulated_ranks_respect_what_the_launcher_bound() {
    let Some((_, run)) = answers(&GUEST, launcher::LAUNCHER) else { return };
    launcher::what_the_launcher_bound_is_respected(run);
}

#[test]
fn emulated_threads_stay_where_the_plan_wants_them() {
    let Some((_, run)) = answers(&GUEST, threads::THREADS) else { return };
    threads::stay_where_the_plan_wants_them(run);
}

#[test]
fn emulated_balancing_and_sizes_of_pages() {
    let Some((_, run)) = answers(&GUEST, threads::SIZES_OF_PAGES) else { return };
    threads::balancing_and_sizes_of_pages(run);
}

#[test]
fn emulated_where_agrees_with_numastat_and_move_pages() {
    let Some((_, run)) = answers(&GUEST, residency::WHERE) else { return };
    residency::agrees(run);
}

#[test]
fn emulated_memory_of_a_running_process_goes_to_another_node() {
    let Some((_, run)) = answers(&GUEST, residency::MOVED) else { return };
    residency::goes_to_another_node_and_back(run);
}

#[test]
fn emulated_a_running_process_goes_to_another_node_and_its_memory_by_the_line_that_is_shown() {
    let Some((_, run)) = answers(&GUEST, residency::PLACED) else { return };
    residency::goes_to_another_node_and_its_memory_by_the_line_that_is_shown(run);
}

#[test]
fn emulated_weighted_interleaving_follows_the_weights() {
    let Some((_, run)) = answers(&GUEST, weights::WEIGHTS) else { return };
    weights::pages_follow_the_weights(run);
}

#[test]
fn emulated_memory_and_threads_of_the_library_are_where_they_are_asked_for() {
    library::say_if_without_tbb();
    let Some((_, run)) = answers(&GUEST, library::LIBRARY) else { return };
    let expected = "nodes: 2 of ordinary memory, 0 of fast memory, 0 wrong\n";
    library::memory_and_threads_are_where_they_are_asked_for(run, expected);
}

#[test]
fn emulated_fields_of_iso3dfd_are_named_and_their_first_touch_is_that_of_the_option() {
    let Some((_, run)) = answers(&GUEST, fields::FIELDS_OF_ISO3DFD) else { return };
    fields::fields_are_named_and_their_first_touch_is_that_of_the_option(run);
}

/// Who asks for more threads than CPUs is held against as many.
#[test]
fn emulated_checks_would_try_each_placement_and_as_many_threads_as_cpus() {
    let Some((_, run)) = answers(&GUEST, checks::CHECKS) else { return };
    let [many, fitting] = [0, 1].map(|k| checks::would_try(&run[k]));
    assert_eq!(
        fitting,
        ["os", "all-nodes", "interleave", "one-node", "remote", "copies"],
        "{}",
        run[1].stdout
    );
    assert!(many.contains(&"fewer-threads") && !fitting.contains(&"fewer-threads"), "{}", run[0].stdout);
}
