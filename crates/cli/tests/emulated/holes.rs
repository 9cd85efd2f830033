//! A node without memory, and one without CPUs.

use std::sync::LazyLock;

use crate::probe::with_probe;
use crate::shared::{Answered, answers, ask};
use crate::topics::placement::{self, Plan};
use crate::topics::{library, machine};

const PLANS: [Plan; 1] = [("--place local --threads 2 --nodes 1 --memory bind", "2-3", "bind", "0", &[0])];

static GUEST: LazyLock<Answered> = LazyLock::new(|| {
    let topics = vec![machine::read(), placement::asked(&PLANS), library::asked(false)];
    ask("holes", |machine| library::with_programs(with_probe(machine), false), topics)
});

#[test]
fn emulated_machine_is_read_as_it_is() {
    let Some(of) = answers(&GUEST, machine::MACHINE) else { return };
    machine::is_as_it_is(of, &["NW213", "NW214"]);
}

#[test]
fn emulated_plans_are_what_the_kernel_reports() {
    let Some((_, run)) = answers(&GUEST, placement::PLACEMENT) else { return };
    placement::plans_are_what_the_kernel_reports(run, &PLANS);
}

/// Of one node nobody knows the kind.
#[test]
fn emulated_memory_of_the_library_is_where_it_is_asked_for() {
    let Some((_, run)) = answers(&GUEST, library::LIBRARY) else { return };
    let expected = "nodes: 1 of ordinary memory, 0 of fast memory, 0 wrong\n";
    library::memory_and_threads_are_where_they_are_asked_for(run, expected);
}
