//! Rows of the calling thread's table of constructs: found, or claimed when a construct is met first.

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;

use core::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::Release};

use numawise_wire::snapshot::openmp::{
    ConstructKind, ConstructRow, DEEPEST, LoopSchedule, OTHERS, OTHERS_KEY, OpenMp, ROOT, ROOT_KEY,
    ROW_INDEX, ROWS,
};

use crate::process;

/// Places of the index that are looked at before a construct goes to [`OTHERS`].
const PROBES: u32 = 64;

/// A construct within what it stands in.
#[derive(Clone, Copy)]
pub struct Place {
    pub key: u64,
    pub address: u64,
    pub parent: u64,
    pub kind: ConstructKind,
    pub schedule: LoopSchedule,
    pub depth: u16,
    /// [`numawise_wire::snapshot::openmp::TOLD_BY_OMPT`] or 0.
    pub marks: u16,
}

impl Place {
    /// A construct at `address` in what has the key `parent` and the depth `depth`.
    #[inline(always)]
    pub fn inside(parent: u64, depth: u16, kind: ConstructKind, address: usize) -> Place {
        let (parent, depth) = if depth >= DEEPEST { (OTHERS_KEY, DEEPEST) } else { (parent, depth) };
        let address = address as u64;
        let key = key(address, parent, kind);
        Place { key, address, parent, kind, schedule: LoopSchedule::Unknown, depth: depth + 1, marks: 0 }
    }
}

/// The identity of a construct; neither 0 nor one of the fixed ones.
#[inline(always)]
fn key(address: u64, parent: u64, kind: ConstructKind) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (address ^ parent.rotate_left(23) ^ ((kind as u64) << 56)).wrapping_mul(ODD);
    (mixed ^ (mixed >> 29)) | 1 << 63
}

/// Adds to a number that the calling thread alone writes.
#[inline(always)]
pub fn add(to: &AtomicU64, value: u64) {
    to.store(to.load(Relaxed).wrapping_add(value), Relaxed);
}

/// Raises a number that the calling thread alone writes.
#[inline(always)]
pub fn raise(to: &AtomicU64, value: u64) {
    if value > to.load(Relaxed) {
        to.store(value, Relaxed);
    }
}

/// A row by its number; one out of range, which nobody makes, is the one of the others.
#[inline(always)]
pub fn row(part: &OpenMp, number: u32) -> &ConstructRow {
    part.rows.get(number as usize).unwrap_or(&part.rows[OTHERS as usize])
}

/// Claims the rows that every thread has.
pub fn prepare(part: &OpenMp) {
    for (number, key, kind) in
        [(ROOT, ROOT_KEY, ConstructKind::Root), (OTHERS, OTHERS_KEY, ConstructKind::Others)]
    {
        let row = row(part, number);
        row.kind.store(kind as u64, Relaxed);
        row.key.store(key, Relaxed);
    }
    if part.rows_used.load(Relaxed) < 2 {
        part.rows_used.store(2, Relaxed);
    }
}

/// The number of a construct's row.
#[inline(always)]
pub fn find(part: &OpenMp, place: &Place) -> u32 {
    find_key(part, place.key, place)
}

/// As [`find`], for a key that is `place`'s: `place` is not looked at where the construct is known.
#[inline(always)]
pub fn find_key(part: &OpenMp, key: u64, place: &Place) -> u32 {
    let number = u32::from(part.index[(key >> 24) as usize & (ROW_INDEX - 1)].load(Relaxed));
    if number != 0 && row(part, number).key.load(Relaxed) == key { number } else { search(part, place) }
}

/// Where the index leads.
enum Found {
    Row(u32),
    /// To a free place of the index.
    Free(usize),
    /// To other constructs only.
    Others,
}

/// Whether a construct has a row.
pub fn has(part: &OpenMp, key: u64) -> bool {
    matches!(look_up(part, key), Found::Row(_))
}

fn look_up(part: &OpenMp, key: u64) -> Found {
    for step in 0..PROBES {
        let at = ((key >> 24) as usize).wrapping_add(step as usize) & (ROW_INDEX - 1);
        match u32::from(part.index[at].load(Relaxed)) {
            0 => return Found::Free(at),
            number if row(part, number).key.load(Relaxed) == key => return Found::Row(number),
            _ => {}
        }
    }
    Found::Others
}

#[cold]
fn search(part: &OpenMp, place: &Place) -> u32 {
    let number = part.rows_used.load(Relaxed);
    match look_up(part, place.key) {
        Found::Row(number) => number,
        Found::Free(at) if (number as usize) < ROWS => {
            let row = row(part, number);
            row.address.store(place.address, Relaxed);
            row.parent.store(place.parent, Relaxed);
            let kind = place.kind as u64
                | (place.schedule as u64) << 16
                | u64::from(place.depth) << 32
                | u64::from(place.marks) << 48;
            row.kind.store(kind, Relaxed);
            // Last: who sees the key sees the rest.
            row.key.store(place.key, Release);
            part.rows_used.store(number + 1, Relaxed);
            part.index[at].store(number as u8, Relaxed);
            if let Some(header) = process::header().filter(|_| place.address != 0) {
                process::note_module(header, place.address as usize);
            }
            number
        }
        Found::Free(_) | Found::Others => {
            add(&part.dropped, 1);
            OTHERS
        }
    }
}
