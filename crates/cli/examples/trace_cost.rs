//! What it costs to read a trace, and to find who waited for whom: `trace_cost FILE.trace...` prints events (calls, and ends of messages) a second.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use numawise_analyse::{RunParts, run_snapshot};
use numawise_facts::WatchedRun;
use numawise_record::read_watched_run;
use numawise_units::Nanoseconds;

/// Calls, and ends of messages.
fn events(run: &WatchedRun) -> u64 {
    let threads = run.processes.iter().flat_map(|process| process.threads.measured().into_iter().flatten());
    let traces = threads.filter_map(|thread| thread.trace.as_deref());
    traces.map(|trace| (trace.calls.len() + trace.messages.len()) as u64).sum()
}

fn main() {
    for path in std::env::args().skip(1) {
        let begun = Instant::now();
        let mut run = read_watched_run(Path::new(&path)).expect("a trace");
        let reading = begun.elapsed().as_secs_f64();
        let events = events(&run);
        let analyse = |run: &WatchedRun| {
            let begun = Instant::now();
            let machines = BTreeMap::new();
            let tables = run_snapshot(&RunParts {
                trace_part: None,
                activities: &run.processes,
                merged: None,
                places: &run.places,
                asked: None,
                exit: None,
                unwatched: Nanoseconds(0),
                machines: &machines,
            });
            std::hint::black_box(tables);
            begun.elapsed().as_secs_f64()
        };
        let all = analyse(&run);
        for process in &mut run.processes {
            let threads = process.threads.measured_mut();
            threads.into_iter().flatten().for_each(|thread| thread.trace = None);
        }
        let without = analyse(&run);
        let rate = |seconds: f64| events as f64 / seconds.max(1e-9) / 1e6;
        println!(
            "{path}: {events} events; reading {reading:.3} s ({:.1} M/s); analysing {:.3} s ({:.1} M/s), of other tables {without:.3} s",
            rate(reading),
            all - without,
            rate(all - without)
        );
    }
}
