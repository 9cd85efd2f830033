//! Eight nodes with a CPU each.

use std::sync::LazyLock;

use testbed::Mpi;

use crate::probe::with_probe;
use crate::shared::{Answered, answers, ask};
use crate::topics::machine;
use crate::topics::placement::{self, Plan};
use crate::topics::ranks::{self, Request};

const PLANS: [Plan; 2] = [
    (
        "--place distributed --threads 8 --memory interleave",
        "0-7",
        "interleave",
        "0-7",
        &[0, 1, 2, 3, 4, 5, 6, 7],
    ),
    ("-C 5 -m 3", "5", "bind", "3", &[3]),
];

const REQUESTS: [Request; 2] =
    [(8, "--place semi --memory bind", Mpi::Mpich), (4, "--place distributed --memory remote", Mpi::OpenMpi)];

static GUEST: LazyLock<Answered> = LazyLock::new(|| {
    let mut topics = vec![machine::read(), placement::asked(&PLANS)];
    if ranks::are_here() {
        topics.push(ranks::asked(&REQUESTS));
    }
    ask("eight-nodes", |machine| ranks::launchers(with_probe(machine)), topics)
});

#[test]
fn emulated_machine_is_read_as_it_is() {
    let Some(of) = answers(&GUEST, machine::MACHINE) else { return };
    machine::is_as_it_is(of, &[]);
}

#[test]
fn emulated_plans_are_what_the_kernel_reports() {
    let Some((_, run)) = answers(&GUEST, placement::PLACEMENT) else { return };
    placement::plans_are_what_the_kernel_reports(run, &PLANS);
}

#[test]
fn emulated_ranks_are_where_the_plan_says() {
    if !ranks::are_here() {
        return;
    }
    let Some(of) = answers(&GUEST, ranks::RANKS) else { return };
    ranks::are_where_the_plan_says(of, &REQUESTS);
}
