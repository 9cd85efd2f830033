//! What of a trace is no call: parts of a thread's, as those of its calls.

use numawise_facts::activity::{SpanKind, SpanName, ThreadTrace, TracedSpan};
use numawise_units::packed::{Packed, Unpacked};
use numawise_units::{Nanoseconds, Pid};
use rusqlite::{Connection, Transaction, params};

use super::{deflated, inflated};
use crate::cell::{Cells, Parsed};
use crate::valid::Flaw;
use crate::write;

/// Spans of a part.
const SPANS: usize = 1 << 16;
/// Parts of a thread.
const MOST_PARTS: usize = 1 << 16;
/// Constructs of a thread, phases of its process, and kinds of calls on files.
const MOST_NAMES: usize = 1024;

pub fn insert(
    transaction: &Transaction<'_>,
    (process, thread): (i64, i64),
    trace: &ThreadTrace,
) -> rusqlite::Result<()> {
    let mut row = transaction.prepare_cached("INSERT INTO spans VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (part, spans) in span_parts(trace).enumerate() {
        let names = if part == 0 { write::json(&trace.names)? } else { String::new() };
        row.execute(params![process, thread, part as i64, names, spans])?;
    }
    Ok(())
}

/// The spans of a trace as a record keeps them.
pub fn span_parts(trace: &ThreadTrace) -> impl Iterator<Item = Vec<u8>> {
    trace.spans.chunks(SPANS).map(|spans| deflated(&packed(spans).into_bytes()))
}

fn packed(spans: &[TracedSpan]) -> Packed {
    let mut out = Packed::default();
    out.number(spans.len() as u64);
    let mut at = 0;
    for span in spans {
        let kind = match span.kind {
            SpanKind::Region { .. } => 0,
            SpanKind::Worked { .. } => 1,
            // The name says which.
            SpanKind::Waited | SpanKind::File => 2,
            SpanKind::Phase => 3,
        };
        out.number(u64::from(span.of) << 2 | kind);
        out.difference(at, span.begin.0);
        out.number(span.end.0.saturating_sub(span.begin.0));
        match span.kind {
            SpanKind::Region { threads, waits_since } => {
                out.difference(span.end.0, waits_since.0);
                out.number(threads.into());
            }
            SpanKind::Worked { master, begun } => {
                out.difference(span.begin.0, begun.0);
                out.number(master.0.cast_unsigned().into());
            }
            SpanKind::Waited | SpanKind::Phase | SpanKind::File => {}
        }
        at = span.end.0;
    }
    out
}

/// Into the trace of a thread.
pub fn read(connection: &Connection, (process, thread): (i64, i64), trace: &mut ThreadTrace) -> Parsed<()> {
    let mut query = connection.prepare_cached(
        "SELECT part, names, spans FROM spans WHERE process = ?1 AND thread = ?2 ORDER BY part",
    )?;
    let mut rows = query.query([process, thread])?;
    let mut part = 0usize;
    while let Some(row) = rows.next()? {
        let cells = Cells::of("spans", row);
        if cells.int::<usize>("part")? != part || part == MOST_PARTS {
            return Err(cells.flaw("part", "numbers from 0 without a gap"));
        }
        if part == 0 {
            let names: Vec<SpanName> = cells.json("names")?;
            if names.len() > MOST_NAMES {
                return Err(cells.flaw("names", "at most 1024 constructs and phases"));
            }
            trace.names = names;
        }
        let blob = row.get_ref("spans")?.as_blob().unwrap_or_default();
        if add_span_part(blob, trace).is_none() {
            let found = format!("{} bytes", blob.len());
            return Err(
                Flaw::new(cells.place("spans"), found, "spans of names that are there, packed").into()
            );
        }
        part += 1;
    }
    Ok(())
}

/// Adds the next part to a trace that has its names. Nothing where the blob does not hold what it should.
pub fn add_span_part(blob: &[u8], trace: &mut ThreadTrace) -> Option<()> {
    let mut room = Vec::new();
    let mut all = Unpacked::of(inflated(blob, &mut room)?);
    let spans = all.number().filter(|spans| *spans <= SPANS as u64)?;
    let mut at = 0;
    for _ in 0..spans {
        let head = all.number()?;
        let of = u32::try_from(head >> 2).ok().filter(|of| (*of as usize) < trace.names.len())?;
        let begin = all.difference(at)?;
        let end = begin.checked_add(all.number()?)?;
        let kind = match head & 3 {
            0 => {
                let waits_since = Nanoseconds(all.difference(end)?);
                SpanKind::Region { threads: u32::try_from(all.number()?).ok()?, waits_since }
            }
            1 => {
                let begun = Nanoseconds(all.difference(begin)?);
                SpanKind::Worked { master: Pid(i32::try_from(all.number()?).ok()?), begun }
            }
            2 if matches!(trace.names.get(of as usize), Some(SpanName::File(_))) => SpanKind::File,
            2 => SpanKind::Waited,
            _ => SpanKind::Phase,
        };
        trace.spans.push(TracedSpan { of, begin: Nanoseconds(begin), end: Nanoseconds(end), kind });
        at = end;
    }
    all.is_empty().then_some(())
}
