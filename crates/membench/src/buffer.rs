//! Memory on a node: bound before it is touched, touched by threads near it, and checked afterwards.

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use numawise_facts::BufferPages;
use numawise_linux::calls::{affinity, pages};
use numawise_units::{Bytes, CpuId, NodeId, Pid};

use crate::clock;
use crate::error::{CellError, without_number};
use crate::kernels::{self, Line};
use crate::system::System;

/// Lines are filled alike in chunks of this size, so that the sum over any whole number of chunks is known.
pub const CHUNK: usize = 4096 / size_of::<Line>();
/// Pages of which the node is asked for.
const SAMPLE: usize = 1024;
/// Pieces of 2 MiB that are worth measuring with in any case.
const LEAST_SLOW: usize = 4;
/// Alignment where the kernel does not tell of huge pages.
const ALIGNMENT: usize = 2 << 20;

/// How pages come to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// Bound by a policy.
    Bound,
    /// Policies are forbidden: where a thread of the node touches them first.
    FirstTouch,
}

/// Memory that is given back when it is dropped.
#[derive(Debug)]
pub struct Buffer {
    base: *mut u8,
    mapped: usize,
    start: *mut Line,
    lines: usize,
    pub node: NodeId,
    pub pages: BufferPages,
    /// As so many buffers, each in another place of the memory, it may be used: see [`Buffer::part`].
    pub parts: usize,
}

// SAFETY: an owned mapping; whoever uses its lines from several threads says so where it does.
unsafe impl Send for Buffer {}
// SAFETY: a shared buffer gives out addresses only.
unsafe impl Sync for Buffer {}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, which ends with its owner.
        unsafe { pages::unmap(self.base, self.mapped) };
    }
}

/// Pages that a buffer should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagesRequest {
    Huge,
    Base,
}

/// How far and how long memory is touched.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    pub wanted: Bytes,
    /// Below this it is stopped only when patience is at an end.
    pub least: Bytes,
    pub seconds: f64,
    /// Seconds after which [`LEAST_SLOW`] is enough: on an emulated machine, which moves some MB/s.
    pub patience: f64,
    pub stop: &'a AtomicBool,
}

impl Buffer {
    /// Memory of this node, all of it touched by threads on `cpus`, filled by [`kernels::fill`] chunk by chunk, and seen to lie
    /// where it should.
    ///
    /// # Errors
    /// The reason of the cells that cannot be measured.
    pub fn on(
        node: NodeId,
        placing: Placing,
        request: PagesRequest,
        effort: Effort<'_>,
        cpus: &[CpuId],
        system: &System,
    ) -> Result<Buffer, CellError> {
        let mut buffer = Buffer::reserve(node, request, effort.wanted, system)?;
        if placing == Placing::Bound {
            // SAFETY: the buffer's own range.
            let bound = unsafe { pages::bind(buffer.start.cast(), buffer.bytes().0 as usize, node) };
            bound.map_err(|error| CellError::NotBound { node, problem: without_number(&error) })?;
        }
        buffer.populate(effort, cpus)?;
        buffer.verify_residency(system, placing)?;
        buffer.record_pages(request, system);
        Ok(buffer)
    }

    /// Addresses without memory yet.
    fn reserve(
        node: NodeId,
        request: PagesRequest,
        wanted: Bytes,
        system: &System,
    ) -> Result<Buffer, CellError> {
        let huge = system.huge_page();
        let alignment = huge.map_or(ALIGNMENT, |(size, _)| size);
        let bytes = wanted.0 as usize / (CHUNK * size_of::<Line>()) * (CHUNK * size_of::<Line>());
        let failed = |error: io::Error| CellError::NoAddresses {
            bytes: Bytes(bytes as u64),
            problem: without_number(&error),
        };
        let reserved = request == PagesRequest::Huge
            && bytes.is_multiple_of(alignment)
            && huge.is_some_and(|(size, _)| system.reserved_free(node, size) >= (bytes / size) as u64);
        if let Some(base) = reserved.then(|| pages::map(bytes, true).ok()).flatten() {
            let start = base.cast::<Line>();
            let lines = bytes / size_of::<Line>();
            return Ok(Buffer {
                base,
                mapped: bytes,
                start,
                lines,
                node,
                pages: BufferPages::Reserved,
                parts: 1,
            });
        }
        let mapped = bytes + alignment;
        let base = pages::map(mapped, false).map_err(failed)?;
        let start = base.wrapping_add(base.align_offset(alignment)).cast::<Line>();
        let lines = bytes / size_of::<Line>();
        // SAFETY: the aligned part of the mapping. A kernel without transparent huge pages refuses, and has base pages.
        let _ = unsafe { pages::advise_huge(start.cast(), bytes, request == PagesRequest::Huge) };
        Ok(Buffer { base, mapped, start, lines, node, pages: BufferPages::Small, parts: 1 })
    }

    /// Touches and fills from the start, piece by piece, with a thread on each CPU; ends early when time is up and the least is
    /// there. The buffer is then as large as what was touched.
    fn populate(&mut self, effort: Effort<'_>, cpus: &[CpuId]) -> Result<(), CellError> {
        let piece = ALIGNMENT / size_of::<Line>();
        let pieces = self.lines.div_ceil(piece);
        let least = (effort.least.0 as usize / size_of::<Line>()).div_ceil(piece);
        let (next, began) = (AtomicUsize::new(0), clock::now());
        let (this, next) = (&*self, &next);
        let work = move |cpu: CpuId| -> Result<(), CellError> {
            affinity::pin(cpu).map_err(|error| CellError::of_pinning(cpu, &error))?;
            loop {
                let (took, got) = (clock::now() - began, next.load(Relaxed));
                let late = took > effort.seconds && got >= least;
                let slow = took > effort.patience && got >= LEAST_SLOW;
                if late || slow || effort.stop.load(Relaxed) {
                    return Ok(());
                }
                let at = next.fetch_add(1, Relaxed);
                if at >= pieces {
                    return Ok(());
                }
                let length = piece.min(this.lines - at * piece);
                // SAFETY: each piece is taken by one thread, and lies in the buffer.
                let lines = unsafe { std::slice::from_raw_parts_mut(this.start.add(at * piece), length) };
                lines.chunks_mut(CHUNK).for_each(kernels::fill);
            }
        };
        let results: Vec<Result<(), CellError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = cpus.iter().map(|&cpu| scope.spawn(move || work(cpu))).collect();
            let crashed = || Err(CellError::TouchCrashed);
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| crashed())).collect()
        });
        // One CPU that went offline leaves its pieces to the others.
        if !results.iter().any(Result::is_ok) {
            return Err(results.into_iter().find_map(Result::err).unwrap_or(CellError::NoCpuToTouch));
        }
        self.lines = self.lines.min(next.load(Relaxed).min(pieces) * piece);
        if self.lines == 0 {
            return Err(CellError::Stopped);
        }
        Ok(())
    }

    /// Whether the pages lie on the node. Where nothing tells, a bound buffer is believed.
    fn verify_residency(&self, system: &System, placing: Placing) -> Result<(), CellError> {
        let page = pages::page_size().0 as usize;
        let all = self.bytes().0 as usize / page;
        let count = all.min(SAMPLE);
        let sample: Vec<usize> = (0..count).map(|k| self.start.addr() + k * all / count * page).collect();
        let mut elsewhere: Vec<(i64, u64)> = Vec::new();
        let mut nodes = vec![0; sample.len()];
        let counted = match pages::page_nodes(Pid(0), &sample, &mut nodes) {
            Ok(()) => {
                nodes.iter().for_each(|&node| add(&mut elsewhere, i64::from(node), 1));
                true
            }
            Err(_) => system.numa_maps(self.start.addr()).is_some_and(|counts| {
                counts.iter().for_each(|(node, pages)| add(&mut elsewhere, i64::from(node.0), *pages));
                true
            }),
        };
        let all: u64 = elsewhere.iter().map(|(_, pages)| pages).sum();
        elsewhere.retain(|(node, _)| *node != i64::from(self.node.0));
        match elsewhere.iter().max_by_key(|(_, pages)| *pages) {
            None if counted || placing == Placing::Bound => Ok(()),
            None => Err(CellError::ResidencyUnknown),
            Some((node, _)) if *node < 0 => Err(CellError::PagesUnknown { error: -node }),
            Some(&(node, pages)) => Err(CellError::PagesElsewhere { pages, all, node }),
        }
    }

    /// What pages it came to.
    fn record_pages(&mut self, request: PagesRequest, system: &System) {
        if request == PagesRequest::Huge && self.pages == BufferPages::Small {
            let huge = system.transparent(self.start.addr());
            // The last piece may be left over: nine tenths are huge pages as good as all.
            if huge.is_some_and(|huge| huge >= self.bytes().0 / 10 * 9) {
                self.pages = BufferPages::Transparent;
            }
        }
    }

    pub fn bytes(&self) -> Bytes {
        Bytes((self.lines * size_of::<Line>()) as u64)
    }

    /// Lines of a part: whole huge pages, where there are such.
    pub fn part_lines(&self) -> usize {
        if self.parts == 1 {
            return self.lines;
        }
        let (lines, piece) = (self.lines / self.parts, ALIGNMENT / size_of::<Line>());
        if lines >= piece { lines / piece * piece } else { lines / CHUNK * CHUNK }
    }

    pub fn part_bytes(&self) -> Bytes {
        Bytes((self.part_lines() * size_of::<Line>()) as u64)
    }

    /// Where a part begins.
    pub fn part(&self, nth: usize) -> *mut Line {
        self.start.wrapping_add(nth * self.part_lines())
    }

    /// All lines, for one who has the buffer for itself.
    pub fn lines(&mut self) -> &mut [Line] {
        // SAFETY: touched memory of our own, borrowed as the buffer is.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.lines) }
    }
}

fn add(counts: &mut Vec<(i64, u64)>, node: i64, pages: u64) {
    match counts.iter_mut().find(|(known, _)| *known == node) {
        Some((_, count)) => *count += pages,
        None => counts.push((node, pages)),
    }
}

/// Whether the kernel lets us bind memory, tried with one page.
pub fn placing(node: NodeId) -> Placing {
    let bytes = pages::page_size().0 as usize;
    let Ok(page) = pages::map(bytes, false) else { return Placing::Bound };
    // SAFETY: a page of our own.
    let bound = unsafe { pages::bind(page, bytes, node) };
    // SAFETY: nothing uses it.
    unsafe { pages::unmap(page, bytes) };
    match bound.map_err(|error| error.raw_os_error()) {
        Err(Some(libc::EPERM | libc::ENOSYS | libc::EACCES)) => Placing::FirstTouch,
        _ => Placing::Bound,
    }
}
