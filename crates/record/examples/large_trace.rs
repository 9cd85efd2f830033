//! A large trace made of a small one: `large_trace SMALL.trace LARGE.trace EVENTS` repeats what lies between `MPI_Init` and `MPI_Finalize` until there
//! are so many calls and ends of messages. It needs no more memory than the small one.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use numawise_facts::activity::{ThreadTrace, TracedCall, TracedKind};
use numawise_record::{Existing, read_watched_run, save_watched_run, trace_parts};
use numawise_units::Nanoseconds;
use rusqlite::{Connection, params};

/// Calls of a part of a record.
const CALLS: usize = 1 << 16;

/// A thread of the large one, as far as it is written.
struct Thread {
    of: [i64; 2],
    small: Arc<ThreadTrace>,
    all: ThreadTrace,
    part: i64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, events] = words.as_slice() else { panic!("expected SMALL.trace LARGE.trace EVENTS") };
    let events: usize = events.parse().expect("a number");
    let mut run = read_watched_run(Path::new(from)).expect("a trace");
    let mut threads = Vec::new();
    for (number, process) in (0..).zip(&mut run.processes) {
        for (place, thread) in (0..).zip(process.threads.measured_mut().into_iter().flatten()) {
            let Some(small) = thread.trace.clone() else { continue };
            let names = || ThreadTrace { sites: small.sites.clone(), ..ThreadTrace::default() };
            let all = names();
            thread.trace = Some(Arc::new(names()));
            threads.push(Thread { of: [number, place], small, all, part: 0 });
        }
    }
    let small = || threads.iter().map(|thread| &thread.small);
    let of_small: usize = small().map(|trace| trace.calls.len() + trace.messages.len()).sum();
    let first = small().filter_map(|trace| trace.calls.first()).map(|call| call.end.0).min().expect("a call");
    let last = small().filter_map(|trace| trace.calls.last()).map(|call| call.begin.0).max().expect("a call");
    let (times, length) = ((events / of_small).max(1) as u64, last - first);
    save_watched_run(Path::new(to), &run, Existing::IsReplaced).expect("a new file");
    let file = Connection::open(to).expect("the new file");
    file.execute_batch("PRAGMA synchronous = OFF; BEGIN").expect("a transaction");
    for time in 0..times {
        for thread in &mut threads {
            thread.repeat((time, times), length);
            let is_last = time + 1 == times;
            if thread.all.calls.len() >= CALLS || is_last {
                thread.write(&file, is_last);
            }
        }
    }
    file.execute_batch("COMMIT").expect("room on the disk");
}

impl Thread {
    fn repeat(&mut self, (time, times): (u64, u64), length: u64) {
        let by = time * length;
        let mut messages = self.small.messages.iter();
        for call in &self.small.calls {
            let own = messages.by_ref().take(call.messages as usize);
            let name = self.small.sites.get(call.site as usize).map_or("", |site| site.call.as_str());
            let is_edge =
                (name.starts_with("MPI_Init") && time > 0) || (name == "MPI_Finalize" && time + 1 < times);
            if is_edge {
                own.for_each(drop);
                continue;
            }
            let later = |moment: Nanoseconds| moment + Nanoseconds(by);
            self.all.messages.extend(own.map(|of| {
                let mut of = *of;
                of.posted = later(of.posted);
                of
            }));
            let kind = match call.kind {
                TracedKind::Collective { key, root } => {
                    let key = key.get().wrapping_add(time.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    TracedKind::Collective { key: NonZeroU64::new(key).unwrap_or(NonZeroU64::MIN), root }
                }
                other => other,
            };
            self.all.calls.push(TracedCall { kind, begin: later(call.begin), end: later(call.end), ..*call });
        }
    }

    /// Whole parts, and of the last ones the rest.
    fn write(&mut self, file: &Connection, is_last: bool) {
        let sites = serde_json::to_string(&self.all.sites).expect("sites as JSON");
        let whole = if is_last { self.all.calls.len() } else { self.all.calls.len() / CALLS * CALLS };
        let rest = self.all.calls.split_off(whole);
        let messages: usize = self.all.calls.iter().map(|call| call.messages as usize).sum();
        let rest_of_messages = self.all.messages.split_off(messages);
        for blob in trace_parts(&self.all) {
            let sites = if self.part == 0 { sites.as_str() } else { "" };
            let [process, thread] = self.of;
            let row = params![process, thread, self.part, sites, blob];
            file.execute("INSERT OR REPLACE INTO traces VALUES (?1, ?2, ?3, ?4, ?5)", row).expect("a row");
            self.part += 1;
        }
        (self.all.calls, self.all.messages) = (rest, rest_of_messages);
    }
}
