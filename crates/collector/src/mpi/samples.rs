//! Draws single calls, so that from what all ranks of a call drew follows how long each of them waited in it.
//!
//! The n-th collective call on a communicator is the same one in all its ranks, and the n-th message from one rank to another is so in both.
//! A hash of these numbers decides, so that all draw the same. When the table is full, half of it goes, again by the hash: ranks that did
//! that more often have a part of what the others have.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

use numawise_wire::snapshot::{CallSample, FIRST_CALLS, Header, SAMPLES, SampleKind, Site};

use super::communicators::Comm;
use super::frame::Frame;
use crate::process;
use crate::system::SavedErrno;
pub use crate::trace::mixed;

/// Most places for the first calls of their sites.
const FIRST: u32 = 240;

/// A call is drawn when these bits of its key are zeros; all ones from below.
static MASK: AtomicU64 = AtomicU64::new(0);
/// Where these bits are.
const BITS_AT: u32 = 32;
static USED: AtomicU32 = AtomicU32::new(0);
static FIRST_USED: AtomicU32 = AtomicU32::new(0);
static WRITING: AtomicBool = AtomicBool::new(false);

/// In a child of fork.
pub fn begin_child() {
    MASK.store(0, Relaxed);
    USED.store(0, Relaxed);
    FIRST_USED.store(0, Relaxed);
    WRITING.store(false, Relaxed);
}

/// A call that is over.
#[derive(Clone, Copy)]
pub struct Ended<'a> {
    pub frame: &'a Frame,
    pub site: Option<&'a Site>,
    pub ticks: u64,
    /// When a receive began that it waits for; 0: it waits for none.
    pub posted: u64,
}

/// A blocking collective call; gives what tells it in all its ranks. Alone, nobody waits: 0.
#[inline]
pub fn collective(comm: Comm, ended: Ended<'_>) -> u64 {
    let Some((members, number)) = comm.next_collective() else { return 0 };
    // A rank waits for those of the other group only.
    if comm.is_inter() {
        return mixed(members, number);
    }
    let is_first = ended.site.is_some_and(|site| site.count.load(Relaxed) < FIRST_CALLS);
    let key = mixed(members, number);
    if is_first || is_drawn(key, MASK.load(Relaxed)) {
        keep(SampleKind::Collective, key, is_first, ended);
    }
    key
}

/// What tells a collective call in all its ranks that no sample is kept of: it begins what another one ends, or needs all ranks for what is no
/// data of the program's. Alone, nobody waits: 0.
#[inline]
pub fn collective_key(comm: Comm) -> u64 {
    comm.next_collective().map_or(0, |(members, number)| mixed(members, number))
}

/// A wait for a request of which other ranks cannot tell what it waited for: by its own number at its site.
#[inline]
pub fn other_wait(ended: Ended<'_>) {
    let Some(site) = ended.site else { return };
    let number = site.count.load(Relaxed);
    let key = mixed(site.address.load(Relaxed) ^ 0x7761_6974_0000_0000, number);
    let is_first = number < FIRST_CALLS;
    if is_first || is_drawn(key, MASK.load(Relaxed)) {
        keep(SampleKind::OtherWait, key, is_first, ended);
    }
}

/// A message from or to a rank of the world, by its number.
#[inline]
pub fn of_message(kind: SampleKind, message: Option<(u32, u64)>, ended: Ended<'_>) {
    if let (Some((rank, number)), Some(header)) = (message, process::header()) {
        self::message(kind, header, rank, number, ended);
    }
}

/// A message from `from` to `to`, the `number`-th of them.
#[inline]
fn message(kind: SampleKind, header: &Header, peer: u32, number: u64, ended: Ended<'_>) {
    let own = u64::from(header.rank.load(Relaxed));
    let peer = u64::from(peer);
    let is_sent = matches!(kind, SampleKind::Send | SampleKind::SendWait);
    let pair = if is_sent { own << 32 | peer } else { peer << 32 | own };
    let key = mixed(pair ^ 0x6d65_7373_0000_0000, number);
    let is_first = number <= FIRST_CALLS;
    if is_first || is_drawn(key, MASK.load(Relaxed)) {
        keep(kind, key, is_first, ended);
    }
}

#[inline]
fn is_drawn(key: u64, mask: u64) -> bool {
    key >> BITS_AT & mask == 0
}

#[cold]
#[inline(never)]
fn keep(kind: SampleKind, key: u64, is_first: bool, ended: Ended<'_>) {
    let Some(site) = ended.site else { return };
    // Another thread writes, or a signal came while this one did: the call is not kept.
    if WRITING.swap(true, Ordering::Acquire) {
        return;
    }
    let _errno = SavedErrno::new();
    if let Some(samples) = process::call_samples() {
        put(samples, kind, key, is_first, site, ended);
    }
    WRITING.store(false, Ordering::Release);
}

fn put(
    samples: &[CallSample],
    kind: SampleKind,
    key: u64,
    is_first: bool,
    site: &Site,
    Ended { frame, ticks, posted, .. }: Ended<'_>,
) {
    let is_first = is_first && FIRST_USED.load(Relaxed) < FIRST;
    if USED.load(Relaxed) as usize == SAMPLES {
        thin_out(samples);
    }
    if !is_first && !is_drawn(key, MASK.load(Relaxed)) {
        return;
    }
    let used = USED.load(Relaxed);
    let Some(sample) = samples.get(used as usize) else { return };
    sample.begin.store(frame.since, Relaxed);
    sample.ticks.store(ticks, Relaxed);
    sample.posted.store(posted, Relaxed);
    sample.address.store(site.address.load(Relaxed), Relaxed);
    sample.call.store(site.call.load(Relaxed), Relaxed);
    sample.communicator.store(site.communicator.load(Relaxed), Relaxed);
    sample.kind.store(kind as u16, Relaxed);
    sample.is_first.store(u16::from(is_first), Relaxed);
    sample.key.store(key, Relaxed);
    USED.store(used + 1, Relaxed);
    FIRST_USED.store(FIRST_USED.load(Relaxed) + u32::from(is_first), Relaxed);
}

/// Half of those that were drawn by their keys go.
fn thin_out(samples: &[CallSample]) {
    let mask = MASK.load(Relaxed) << 1 | 1;
    MASK.store(mask, Relaxed);
    let mut kept = 0;
    for sample in samples {
        if sample.is_first.load(Relaxed) == 0 && !is_drawn(sample.key.load(Relaxed), mask) {
            continue;
        }
        if let Some(place) = samples.get(kept) {
            copy(sample, place);
        }
        kept += 1;
    }
    samples.iter().skip(kept).for_each(|sample| sample.key.store(0, Relaxed));
    USED.store(kept as u32, Relaxed);
}

fn copy(from: &CallSample, to: &CallSample) {
    if core::ptr::eq(from, to) {
        return;
    }
    // A reader of a process that is killed here finds no half of two.
    to.key.store(0, Relaxed);
    to.begin.store(from.begin.load(Relaxed), Relaxed);
    to.ticks.store(from.ticks.load(Relaxed), Relaxed);
    to.posted.store(from.posted.load(Relaxed), Relaxed);
    to.address.store(from.address.load(Relaxed), Relaxed);
    to.call.store(from.call.load(Relaxed), Relaxed);
    to.communicator.store(from.communicator.load(Relaxed), Relaxed);
    to.kind.store(from.kind.load(Relaxed), Relaxed);
    to.is_first.store(from.is_first.load(Relaxed), Relaxed);
    to.key.store(from.key.load(Relaxed), Relaxed);
}
