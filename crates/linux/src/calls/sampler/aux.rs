//! The buffer into which the processor of one CPU writes the accesses that it samples itself (SPE), beside a ring in which the kernel tells where.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;

use super::Ring;
use super::ticks::TimerNow;
use crate::spe::{Written, operations};

#[cfg(test)]
#[path = "aux_tests.rs"]
mod tests;

/// Bytes of the buffer, at least a page: a thousand accesses, which are there after a second or when the thread leaves its CPU.
const BUFFER: usize = 64 << 10;
/// Pages of the ring beside it: a record takes 64 bytes.
const RING_PAGES: usize = 1;
/// Where aux_tail, aux_offset and aux_size lie in struct perf_event_mmap_page.
const AUX_TAIL: usize = 1064;
const AUX_OFFSET: usize = 1072;
const AUX_SIZE: usize = 1080;

#[derive(Debug)]
pub struct AuxRing {
    ring: Ring,
    buffer: *mut u8,
    bytes: usize,
    has_known_sources: bool,
}

// SAFETY: the mapping is used by one at a time, as all that reads it takes `&mut self`.
unsafe impl Send for AuxRing {}

impl AuxRing {
    /// # Errors
    /// Where the kernel does not let us map it.
    pub fn map(event: File, cpu: usize, has_known_sources: bool) -> io::Result<AuxRing> {
        let ring = Ring::map(event, cpu, &mut { RING_PAGES })?;
        let (offset, bytes) = (ring.page + ring.bytes, BUFFER.max(ring.page));
        ring.word(AUX_OFFSET).store(offset as u64, Ordering::Relaxed);
        ring.word(AUX_SIZE).store(bytes as u64, Ordering::Release);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let event = ring.event.as_raw_fd();
        // SAFETY: a new mapping, which nobody else knows.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                libc::MAP_SHARED,
                event,
                offset as libc::off_t,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(AuxRing { ring, buffer: mapping.cast(), bytes, has_known_sources })
    }

    /// Hands over what is there, each access as a record of a load.
    pub fn drain(&mut self, each: &mut impl FnMut(&[u8])) {
        let mut all = Vec::new();
        self.ring.drain(&mut |record: &[u8]| all.extend(Written::parse(record)));
        let now = TimerNow::read();
        for written in all {
            // SAFETY: the mapping has so many bytes, and the kernel does not write in this part until the tail has passed it.
            let buffer = unsafe { std::slice::from_raw_parts(self.buffer, self.bytes) };
            hand_over(buffer, &written, now, self.has_known_sources, each);
            self.ring.word(AUX_TAIL).store(written.offset.wrapping_add(written.bytes), Ordering::Release);
        }
    }
}

/// The operations of one part of a buffer, which may go over its end.
fn hand_over(
    buffer: &[u8],
    written: &Written,
    now: Option<TimerNow>,
    has_known_sources: bool,
    each: &mut impl FnMut(&[u8]),
) {
    let length = buffer.len() as u64;
    let begin = (written.offset % length) as usize;
    // No more than the buffer holds, whatever is told.
    let bytes = written.bytes.min(length) as usize;
    let (first, rest) = (bytes.min(buffer.len() - begin), bytes.saturating_sub(buffer.len() - begin));
    let piece = [&buffer[begin..begin + first], &buffer[..rest]].concat();
    operations(&piece, written.offset, |operation| {
        let at = now.zip(operation.ticks).map_or(written.at, |(now, ticks)| now.at(ticks, written.at));
        each(&operation.record(written, at, has_known_sources));
    });
    if written.is_truncated {
        each(&lost(written));
    }
}

/// PERF_RECORD_LOST: of one record at least, as nobody tells how many.
fn lost(of: &Written) -> Vec<u8> {
    const LOST: u64 = 2;
    const BYTES: u64 = 56;
    let who = u64::from(of.process.0.cast_unsigned()) | u64::from(of.thread.0.cast_unsigned()) << 32;
    [LOST | BYTES << 48, 0, 1, who, of.at.0, u64::from(of.cpu.0), 0]
        .into_iter()
        .flat_map(u64::to_ne_bytes)
        .collect()
}

impl Drop for AuxRing {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { libc::munmap(self.buffer.cast(), self.bytes) };
    }
}
