//! Two sockets with ordinary memory, and ranks that launchers of MPI start there.

use std::sync::LazyLock;

use testbed::{EmulatedMachine, Guest, Mpi};

use crate::probe::with_probe;
use crate::shared::{Answered, Topic, answers, ask};
use crate::topics::ranks::{self, Request};
use crate::topics::{snapshot, threads};

const REQUESTS: [Request; 3] = [
    (2, "--place semi --memory bind", Mpi::OpenMpi),
    (4, "--place local --memory local", Mpi::Mpich),
    (2, "--place distributed --memory interleave", Mpi::Mpich),
];

/// What can be asked where these launchers are.
static GUEST: LazyLock<Answered> = LazyLock::new(|| {
    let mut topics: Vec<Topic> = Vec::new();
    if snapshot::is_here() {
        topics.extend([threads::of_ranks(), snapshot::asked()]);
    }
    if ranks::are_here() {
        topics.extend([ranks::asked(&REQUESTS), ranks::under_launchers()]);
    }
    ask("two-socket", with_all, topics)
});

fn with_all(machine: &EmulatedMachine) -> Guest<'_> {
    let guest = ranks::launchers(with_probe(machine)).tool("numactl");
    if snapshot::is_here() { snapshot::with_programs(guest) } else { guest }
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
fn emulated_launchers_bind_as_they_are_told() {
    if !ranks::are_here() {
        return;
    }
    let Some(of) = answers(&GUEST, ranks::LAUNCHERS) else { return };
    ranks::launchers_bind_as_they_are_told(of);
}

#[test]
fn emulated_threads_of_ranks_stay_where_the_plan_wants_them() {
    if !snapshot::is_here() {
        return;
    }
    let Some((_, run)) = answers(&GUEST, threads::THREADS_OF_RANKS) else { return };
    threads::of_ranks_stay_where_the_plan_wants_them(run);
}

#[test]
fn emulated_ranks_share_move_and_are_too_many_or_not() {
    if !snapshot::is_here() {
        return;
    }
    let Some((_, run)) = answers(&GUEST, snapshot::SNAPSHOT) else { return };
    snapshot::ranks_share_move_and_are_too_many_or_not(run);
}
