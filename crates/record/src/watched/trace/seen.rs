//! What was seen of traced threads from outside.

use numawise_facts::activity::{SeenThread, ThreadTrace};
use numawise_units::packed::{Packed, Unpacked};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{deflated, inflated};
use crate::cell::Parsed;
use crate::valid::Flaw;

/// Changes of a thread.
const MOST: u64 = 1 << 16;

pub fn insert(
    transaction: &Transaction<'_>,
    (process, thread): (i64, i64),
    trace: &ThreadTrace,
) -> rusqlite::Result<()> {
    let Some(seen) = &trace.seen else { return Ok(()) };
    let mut row = transaction.prepare_cached("INSERT INTO seen VALUES (?1, ?2, ?3)")?;
    row.execute(params![process, thread, seen_part(seen)])?;
    Ok(())
}

/// What was seen of a thread as a record keeps it.
pub fn seen_part(seen: &SeenThread) -> Vec<u8> {
    let mut out = Packed::default();
    out.number(seen.looks);
    out.number(seen.changes.len() as u64);
    let mut at = 0;
    for change in &seen.changes {
        let [before, end, rest @ ..]: [u64; 6] = (*change).into();
        out.difference(at, before);
        out.number(end.saturating_sub(before));
        rest.into_iter().for_each(|number| out.number(number));
        at = end;
    }
    deflated(&out.into_bytes())
}

/// Into the trace of a thread.
pub fn read(connection: &Connection, (process, thread): (i64, i64), trace: &mut ThreadTrace) -> Parsed<()> {
    let mut query =
        connection.prepare_cached("SELECT changes FROM seen WHERE process = ?1 AND thread = ?2")?;
    let blob = query.query_row([process, thread], |row| {
        row.get_ref("changes").map(|cell| cell.as_blob().map(<[u8]>::to_vec).unwrap_or_default())
    });
    let Some(blob) = blob.optional()? else { return Ok(()) };
    if add_seen_part(&blob, trace).is_none() {
        let found = format!("{} bytes", blob.len());
        return Err(Flaw::new("seen.changes".to_owned(), found, "changes of a thread, packed").into());
    }
    Ok(())
}

/// Nothing where the blob does not hold what it should.
pub fn add_seen_part(blob: &[u8], trace: &mut ThreadTrace) -> Option<()> {
    let mut room = Vec::new();
    let mut all = Unpacked::of(inflated(blob, &mut room)?);
    let looks = all.number()?;
    let changes = all.number().filter(|changes| *changes <= MOST)?;
    let mut seen = SeenThread { looks, changes: Vec::new() };
    let mut at = 0;
    for _ in 0..changes {
        let before = all.difference(at)?;
        let end = before.checked_add(all.number()?)?;
        let [kind, from, to, much] = [all.number()?, all.number()?, all.number()?, all.number()?];
        seen.changes.push([before, end, kind, from, to, much].try_into().ok()?);
        at = end;
    }
    trace.seen = Some(seen);
    all.is_empty().then_some(())
}
