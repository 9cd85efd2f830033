//! The reader of the calls that the collector writes down one by one.

use std::collections::BTreeMap;

use numawise_analyse::{RunParts, run_snapshot};
use numawise_facts::{Activity, SourcePlaces};
use numawise_units::Nanoseconds;
use numawise_wire::snapshot::VERSION;
use numawise_wire::trace::{CHUNK_BYTES, ChunkState, HEADER_BYTES, Header, MAGIC, RECORDS};

use super::activity::recorded;
use crate::{Read, Reader};

pub(crate) const READERS: [Reader; 2] = [
    Reader {
        name: "trace-part",
        read: trace_part,
        corpus: &["crates/observe/testdata/trace"],
        words: &[
            "\u{1}", "\u{2}", "\u{3}", "\u{4}", "\u{5}", "\u{6}", "\u{7}", "\u{8}", "\u{9}", "\u{a}", "\u{b}",
        ],
        inputs: 3000,
    },
    Reader {
        name: "trace-taken",
        read: trace_taken,
        corpus: &["crates/observe/testdata/trace-taken"],
        words: &["\u{1f}", "\u{80}", "\u{ff}\u{ff}"],
        inputs: 3000,
    },
];

/// Bytes of a record.
const RECORD: usize = 40;

/// The input is the records of a thread of the recorded rank; what it says is analysed too.
fn trace_part(input: &[u8]) -> Read {
    let mut bytes = vec![0; HEADER_BYTES + CHUNK_BYTES];
    let records = (input.len() / RECORD).min(RECORDS);
    let mut put = |at: usize, content: &[u8]| {
        if let Some(place) = bytes.get_mut(at..at + content.len()) {
            place.copy_from_slice(content);
        }
    };
    put(0, &MAGIC.to_ne_bytes());
    put(8, &VERSION.to_ne_bytes());
    put(12, &1u32.to_ne_bytes());
    put(16, &1u32.to_ne_bytes());
    put(std::mem::offset_of!(Header, states), &[ChunkState::Held as u8]);
    put(HEADER_BYTES, &1u32.to_ne_bytes());
    put(HEADER_BYTES + 4, &(records as u32).to_ne_bytes());
    put(HEADER_BYTES + 64, input.get(..records * RECORD).unwrap_or_default());
    Read::of(numawise_observe::activity::parse_with_trace(&recorded(), Some(&bytes)), sane)
}

/// The input is a file of chunks that were taken from the trace of a process.
fn trace_taken(input: &[u8]) -> Read {
    let records = numawise_observe::activity::count_taken(input);
    Read::of(records, |records| (*records > input.len() as u64).then(|| format!("{records} records")))
}

/// What makes no sense in the tables of a rank.
fn sane(activity: &Activity) -> Option<String> {
    let trace = activity.threads.measured().into_iter().flatten().find_map(|thread| thread.trace.clone())?;
    if trace.calls.iter().any(|call| call.end < call.begin || call.site as usize >= trace.sites.len()) {
        return Some("a call of no site, or that ends before it begins".to_owned());
    }
    if trace.spans.iter().any(|span| span.end < span.begin || span.of as usize >= trace.names.len()) {
        return Some("a span of no name, or that ends before it begins".to_owned());
    }
    let machines = BTreeMap::new();
    let tables = run_snapshot(&RunParts {
        activities: std::slice::from_ref(activity),
        merged: None,
        places: &SourcePlaces::new(),
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        trace_part: None,
        machines: &machines,
    });
    let trace = tables.trace?;
    let drawn = trace.ranks.iter().map(|rank| rank.times.total().0).max()?;
    (drawn > trace.span.0).then(|| format!("{drawn} ns of a span of {}", trace.span))
}
