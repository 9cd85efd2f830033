//! A large trace made of a small one: `large_trace SMALL.trace LARGE.trace EVENTS` repeats what lies between `MPI_Init` and `MPI_Finalize` until there
//! are so many calls and ends of messages.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use numawise_facts::activity::{ThreadTrace, TracedCall, TracedKind};
use numawise_record::{Existing, read_watched_run, save_watched_run};
use numawise_units::Nanoseconds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, events] = words.as_slice() else { panic!("expected SMALL.trace LARGE.trace EVENTS") };
    let events: usize = events.parse().expect("a number");
    let mut run = read_watched_run(Path::new(from)).expect("a trace");
    let threads = run.processes.iter().flat_map(|process| process.threads.measured().into_iter().flatten());
    let traces: Vec<&ThreadTrace> = threads.filter_map(|thread| thread.trace.as_deref()).collect();
    let small: usize = traces.iter().map(|trace| trace.calls.len() + trace.messages.len()).sum();
    let (begin, end) = (|call: &TracedCall| call.end.0, |call: &TracedCall| call.begin.0);
    let first = traces.iter().filter_map(|trace| trace.calls.first().map(begin)).min().expect("a call");
    let last = traces.iter().filter_map(|trace| trace.calls.last().map(end)).max().expect("a call");
    let (times, length) = ((events / small).max(1) as u64, last - first);
    for process in &mut run.processes {
        for thread in process.threads.measured_mut().into_iter().flatten() {
            let Some(trace) = thread.trace.as_mut().map(Arc::make_mut) else { continue };
            *trace = repeated(trace, times, length);
        }
    }
    save_watched_run(Path::new(to), &run, Existing::IsReplaced).expect("a new file");
}

fn repeated(of: &ThreadTrace, times: u64, length: u64) -> ThreadTrace {
    let mut all = ThreadTrace { sites: of.sites.clone(), names: of.names.clone(), ..ThreadTrace::default() };
    for time in 0..times {
        let by = Nanoseconds(time * length);
        let mut one = of.clone();
        one.each_moment(|moment| *moment = *moment + by);
        let mut messages = one.messages.iter();
        for call in one.calls {
            let own = messages.by_ref().take(call.messages as usize);
            let name = of.sites.get(call.site as usize).map_or("", |site| site.call.as_str());
            let is_edge =
                (name.starts_with("MPI_Init") && time > 0) || (name == "MPI_Finalize" && time + 1 < times);
            if is_edge {
                own.for_each(drop);
                continue;
            }
            all.messages.extend(own);
            let kind = match call.kind {
                TracedKind::Collective { key, root } => {
                    let key = key.get().wrapping_add(time.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    TracedKind::Collective { key: NonZeroU64::new(key).unwrap_or(NonZeroU64::MIN), root }
                }
                other => other,
            };
            all.calls.push(TracedCall { kind, ..call });
        }
        all.spans.extend(one.spans);
    }
    all
}
