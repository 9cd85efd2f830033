use std::vec;
use std::vec::Vec;

use super::header::Header;
use super::reader::{SnapshotFile, SnapshotFileError, bytes_in_use};
use super::*;

const SLOTS: usize = 2;

/// A file as the collector begins it, with two slots.
fn begun() -> Vec<u8> {
    let mut bytes = vec![0; file_bytes(SLOTS)];
    put(&mut bytes, core::mem::offset_of!(Header, magic), &MAGIC.to_ne_bytes());
    put(&mut bytes, core::mem::offset_of!(Header, version), &VERSION.to_ne_bytes());
    let parts = [
        (MODULES_AT, size_of::<Module>(), MODULES),
        (COMMUNICATORS_AT, size_of::<Communicator>(), COMMUNICATORS),
        (THREADS_AT, size_of::<ThreadSlot>(), SLOTS),
    ];
    for (k, (offset, stride, capacity)) in parts.into_iter().enumerate() {
        let at = core::mem::offset_of!(Header, parts) + 16 * k;
        put(&mut bytes, at, &(offset as u64).to_ne_bytes());
        put(&mut bytes, at + 8, &(stride as u32).to_ne_bytes());
        put(&mut bytes, at + 12, &(capacity as u32).to_ne_bytes());
    }
    bytes
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn error(bytes: &[u8]) -> SnapshotFileError {
    SnapshotFile::parse(bytes).map(|_| ()).unwrap_err()
}

#[test]
fn a_file_that_was_begun_is_read_and_has_no_threads() {
    let bytes = begun();
    let file = SnapshotFile::parse(&bytes).unwrap();
    assert_eq!(file.threads().count(), 0);
    assert_eq!(file.rank(), None);
    assert_eq!(file.nanoseconds_per_tick(), None);
}

#[test]
fn a_site_is_read_with_the_name_of_its_call() {
    let mut bytes = begun();
    put(&mut bytes, core::mem::offset_of!(Header, slots), &1u32.to_ne_bytes());
    put(&mut bytes, THREADS_AT + core::mem::offset_of!(ThreadSlot, lives), &1u32.to_ne_bytes());
    put(&mut bytes, THREADS_AT + core::mem::offset_of!(ThreadSlot, sites_used), &1u32.to_ne_bytes());
    let site =
        THREADS_AT + core::mem::offset_of!(ThreadSlot, tables) + core::mem::offset_of!(ThreadTables, sites);
    let send = MPI_CALLS.split('\0').position(|name| name == "MPI_Send").unwrap() as u16;
    put(&mut bytes, site + core::mem::offset_of!(Site, call), &send.to_ne_bytes());
    put(&mut bytes, site + core::mem::offset_of!(Site, count), &7u64.to_ne_bytes());
    let file = SnapshotFile::parse(&bytes).unwrap();
    let sites: Vec<_> = file.threads().flat_map(|thread| thread.sites()).collect();
    assert_eq!((sites.len(), sites[0].call, sites[0].count), (1, "MPI_Send", 7));
}

#[test]
fn what_is_broken_is_told_with_its_place() {
    let whole = begun();
    assert_eq!(error(&whole[..100]), SnapshotFileError::Short { at: 0, needed: HEADER_BYTES, found: 100 });
    let mut used = whole.clone();
    put(&mut used, core::mem::offset_of!(Header, slots), &2u32.to_ne_bytes());
    assert_eq!(bytes_in_use(&used), used.len());
    assert_eq!(
        error(&used[..used.len() - 1]),
        SnapshotFileError::Short { at: THREADS_AT, needed: whole.len(), found: whole.len() - 1 }
    );
    let broken = |at: usize, value: &[u8]| {
        let mut bytes = whole.clone();
        put(&mut bytes, at, value);
        error(&bytes)
    };
    assert_eq!(broken(0, &[0; 8]), SnapshotFileError::Magic { found: 0 });
    assert_eq!(
        broken(core::mem::offset_of!(Header, version), &9u32.to_ne_bytes()),
        SnapshotFileError::Version { found: 9, expected: VERSION }
    );
    let parts = core::mem::offset_of!(Header, parts);
    for (at, field) in [(8, "stride"), (12, "capacity")] {
        assert!(
            matches!(broken(parts + at, &[0xff; 4]), SnapshotFileError::Part { field: found, .. } if found == field)
        );
    }
    assert!(matches!(broken(parts, &[0xff; 8]), SnapshotFileError::Short { .. }));
    let slots = core::mem::offset_of!(Header, slots);
    assert_eq!(
        broken(slots, &3u32.to_ne_bytes()),
        SnapshotFileError::Used { at: slots, what: "slots", found: 3, most: SLOTS }
    );
}

#[test]
fn no_byte_that_changes_makes_the_reader_panic() {
    let mut bytes = begun();
    put(&mut bytes, core::mem::offset_of!(Header, slots), &2u32.to_ne_bytes());
    for at in (0..HEADER_BYTES / 4).chain(THREADS_AT..THREADS_AT + 400) {
        for value in [0x00, 0x7f, 0xff] {
            let before = core::mem::replace(&mut bytes[at], value);
            if let Ok(file) = SnapshotFile::parse(&bytes) {
                file.threads().for_each(|thread| {
                    thread.sites().for_each(drop);
                    thread.peers().for_each(drop);
                });
                file.modules().for_each(drop);
                file.communicators().for_each(drop);
                file.nanoseconds_per_tick();
            }
            bytes[at] = before;
        }
    }
}
