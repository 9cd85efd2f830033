//! What a watch has seen, process by process.

use std::collections::BTreeMap;

use numawise_facts::activity::{ProcessSurroundings, SeenChange, SeenThread};
use numawise_facts::{ObservedProcess, ObservedThread, Reading};
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::stat::TaskStat;
use numawise_units::{Arrange, Nanoseconds, Pid};

use crate::sampler::SamplerResults;

/// True for a process that is there and has not ended; one that has stays there until somebody waits for it.
pub fn is_running(roots: &Roots, pid: Pid) -> bool {
    let mut buffer = Vec::new();
    let read = read_path(&roots.process(pid).join("stat"), &mut buffer);
    read.is_ok() && TaskStat::parse(&buffer).is_ok_and(|stat| !matches!(stat.state, 'Z' | 'X'))
}

/// All processes that were seen, in the order of their numbers; `begun` is when watching began.
pub(crate) fn all(seen: &SamplerResults, begun: Nanoseconds, why: &str) -> Vec<ObservedProcess> {
    let mut threads: BTreeMap<Pid, Vec<ObservedThread>> = BTreeMap::new();
    for thread in seen.table.seen() {
        let run_delay = match thread.run_delay() {
            Some(delay) => Reading::Measured(delay),
            None => Reading::unavailable("this kernel does not count run delay (schedstat)"),
        };
        let mut of = SeenThread { looks: thread.samples.into(), ..thread.seen.clone() };
        if thread.tid == thread.pid {
            let moved = seen.each.get(thread.pid).map_or(&[][..], |of| of.moved.as_slice());
            let moment = |at: Nanoseconds| begun + at;
            let moved = moved.iter().map(|change| SeenChange {
                before: moment(change.before),
                at: moment(change.at),
                what: change.what,
            });
            of.changes.extend(moved);
            of.changes.arrange_by_key(|change| change.at);
        }
        let one = ObservedThread { observation: thread.observation(), run_delay, seen: of };
        threads.entry(thread.pid).or_default().push(one);
    }
    let one = |(pid, alive): (&Pid, &Nanoseconds)| {
        let mut threads = threads.remove(pid).unwrap_or_default();
        threads.sort_by_key(|thread| thread.observation.tid);
        let of = seen.each.get(*pid);
        ObservedProcess {
            pid: *pid,
            alive: *alive,
            threads,
            surroundings: match of {
                Some(of) => of.surroundings(begun, why),
                None => ProcessSurroundings::unavailable(why.to_owned()),
            },
            io: match of.and_then(|of| of.io) {
                Some(io) => Reading::Measured(io),
                None => Reading::unavailable("the kernel's account of it could not be read while it ran"),
            },
        }
    };
    seen.table.alive.iter().map(one).collect()
}
