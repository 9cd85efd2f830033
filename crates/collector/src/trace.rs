//! The trace of the process, where it is asked for: each call of MPI with its messages, regions and waits of OpenMP, phases, and calls on files, in a
//! file of its own.
//!
//! A thread fills a chunk of the file and then asks for the next one; no two threads write one. Numawise takes chunks away that are full, and
//! their places serve again. Where there is none, what comes later is counted. Nothing is compressed here, and nobody waits.

use core::ffi::{c_int, c_void};
use core::fmt::Write;
use core::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed, compiler_fence,
};

use numawise_guest::memory::{Text, limit, map, reserve, unmap};
use numawise_wire::snapshot::{FileOperation, SITES, Site, THREADS_AT, ThreadSlot, VERSION};
use numawise_wire::trace::{
    BYTES, CALLS, CHUNK_BYTES, CallKind, Chunk, ChunkState, HEADER_BYTES, Header, LOOKED_AT,
    LOST_BETWEEN_LOOKS, MAGIC, MOST_CHUNKS, Record, RecordKind, WindowStep, file_bytes,
};

use crate::thread::local;
use crate::{process, sandbox, system, time};

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;

/// Null where nothing is traced.
static MAPPING: AtomicPtr<Header> = AtomicPtr::new(core::ptr::null_mut());
/// Places for chunks that were asked for; 0: nothing is traced.
static ASKED_FOR: AtomicU32 = AtomicU32::new(0);

/// [`CallKind`]s that are left out, and [`SHORT`].
static LEFT_OUT: AtomicU32 = AtomicU32::new(0);
/// In [`LEFT_OUT`]: calls that are short are, too.
const SHORT: u32 = 1 << 31;
/// Calls are short below so many nanoseconds.
static SHORT_NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// Reads in the environment whether a trace is wanted, and of what.
pub fn look_up() {
    if let Some(([kept, nanoseconds, from, until], is_numbered)) = system::variable(CALLS).and_then(numbers) {
        NUMBERED.store(is_numbered, Relaxed);
        SHORT_NANOSECONDS.store(nanoseconds, Relaxed);
        LEFT_OUT.store(!(kept as u32) & !SHORT | if nanoseconds > 0 { SHORT } else { 0 }, Relaxed);
        if from > 0 || until < u64::MAX {
            let since_boot = |moment: u64| {
                let ahead = moment.saturating_sub(time::realtime_nanoseconds());
                time::kernel_nanoseconds().saturating_add(ahead)
            };
            WANTED_FROM.store(if from > 0 { since_boot(from) } else { 0 }, Relaxed);
            WANTED_UNTIL.store(since_boot(until), Relaxed);
        }
    }
    let chunks = system::number(BYTES).unwrap_or(0) / CHUNK_BYTES as u64;
    ASKED_FOR.store(chunks.min(MOST_CHUNKS as u64) as u32, Relaxed);
}

/// Those of [`CALLS`], and whether ends are numbered.
fn numbers(text: &[u8]) -> Option<([u64; 4], bool)> {
    let mut rest = core::str::from_utf8(text).ok()?;
    let mut all = [0; 5];
    for place in &mut all {
        let (one, behind) = rest.split_once(',').unwrap_or((rest, ""));
        *place = one.parse().ok()?;
        rest = behind;
    }
    let [kept, nanoseconds, numbered, from, until] = all;
    Some(([kept, nanoseconds, from, until], numbered == 1))
}

/// From when and until when records are wanted, by the monotonic clock; 0: all are.
static WANTED_FROM: AtomicU64 = AtomicU64::new(0);
static WANTED_UNTIL: AtomicU64 = AtomicU64::new(0);

/// Only records of some time are wanted.
fn is_timed() -> bool {
    WANTED_UNTIL.load(Relaxed) != 0
}

/// Records of this moment are wanted. What there is from the first such moment on stays.
fn is_wanted(header: &Header) -> bool {
    let now = time::kernel_nanoseconds();
    if now < WANTED_FROM.load(Relaxed) {
        return false;
    }
    header.frozen.store(1, Relaxed);
    now < WANTED_UNTIL.load(Relaxed)
}

/// Whether ends of messages are numbered.
static NUMBERED: AtomicBool = AtomicBool::new(false);

/// How many ends of messages had this sum of what tells them from others. Two of a sum would match wrongly: 64 bits of SplitMix64 are enough.
struct Channel {
    /// 0: free.
    sum: AtomicU64,
    ends: AtomicU64,
}

static CHANNELS: [Channel; 4096] =
    [const { Channel { sum: AtomicU64::new(0), ends: AtomicU64::new(0) } }; 4096];
/// Places that are looked at.
const FARTHEST: usize = 32;

/// The number of the next end with this sum, from 1 on; 0 where there is no place for it.
fn number(sum: u64) -> u64 {
    for step in 0..FARTHEST {
        let Some(place) = CHANNELS.get((sum as usize).wrapping_add(step) % CHANNELS.len()) else { return 0 };
        let found = place.sum.load(Relaxed);
        let is_ours = found == sum
            || found == 0
                && match place.sum.compare_exchange(0, sum, Relaxed, Relaxed) {
                    Ok(_) => true,
                    Err(found) => found == sum,
                };
        if is_ours {
            return place.ends.fetch_add(1, Relaxed) + 1;
        }
    }
    0
}

/// A child of fork counts anew.
pub fn begin_child() {
    // Else they are zeros, and have no pages.
    let numbered = CHANNELS.iter().filter(|_| NUMBERED.load(Relaxed));
    for place in numbered {
        place.sum.store(0, Relaxed);
        place.ends.store(0, Relaxed);
    }
}

/// Makes the file of a process, beside its snapshot file, of which `stem` is the path up to the dot.
pub fn begin(stem: &[u8]) {
    // A child of fork has no part in its parent's.
    MAPPING.store(core::ptr::null_mut(), Relaxed);
    let chunks = (ASKED_FOR.load(Relaxed) as usize).min(within_limits());
    if chunks == 0 || sandbox::is_quiet() {
        return;
    }
    let mut path = Text::new();
    if !path.push(stem) || path.write_str(numawise_wire::trace::SUFFIX).is_err() {
        return;
    }
    let Some(name) = path.c_text() else { return };
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
    let file = system::open(name, flags, 0o600);
    if file < 0 {
        return;
    }
    let mapped = mapped(file, file_bytes(chunks));
    system::close(file);
    let Some(header) = mapped else {
        // SAFETY: the name ends with a zero.
        unsafe { libc::unlink(name.as_ptr()) };
        return;
    };
    header.version.store(VERSION, Relaxed);
    header.chunks.store(chunks as u32, Relaxed);
    header.wanted_until.store(WANTED_UNTIL.load(Relaxed), Relaxed);
    header.keeps_last.store(is_timed().into(), Relaxed);
    header.magic.store(MAGIC, Ordering::Release);
    MAPPING.store((&raw const *header).cast_mut(), Relaxed);
}

/// A file beyond the limit would bring a signal that ends the program, and its address space is not to be used up.
fn within_limits() -> usize {
    let (file, space) = (limit(libc::RLIMIT_FSIZE), limit(libc::RLIMIT_AS));
    let space = if space == usize::MAX { usize::MAX } else { space / 8 };
    file.min(space).saturating_sub(HEADER_BYTES) / CHUNK_BYTES
}

fn mapped<'a>(file: c_int, bytes: usize) -> Option<&'a Header> {
    // SAFETY: the file is ours, and the mapping is new. Its zeros are a value of the header.
    unsafe {
        if libc::syscall(libc::SYS_ftruncate, file, bytes) != 0 {
            return None;
        }
        // Chunks open when they are given out: a program that locks its memory gets no pages for the others.
        let mapping = map(core::ptr::null_mut(), bytes, libc::PROT_NONE, Some(file), 0)?;
        if !open(mapping, HEADER_BYTES) {
            unmap(mapping, bytes);
            return None;
        }
        libc::madvise(mapping, bytes, libc::MADV_DONTDUMP);
        libc::madvise(mapping, bytes, libc::MADV_NOHUGEPAGE);
        mapping.cast::<Header>().as_ref()
    }
}

/// Opens a part of the mapping and gets pages for it; false where that fails.
fn open(place: *mut c_void, bytes: usize) -> bool {
    if sandbox::is_quiet() {
        return false;
    }
    // SAFETY: a part of our mapping that nobody uses.
    let opened = unsafe { libc::mprotect(place, bytes, libc::PROT_READ | libc::PROT_WRITE) } == 0;
    opened && reserve(place, bytes)
}

/// Whether calls are traced.
#[inline]
pub fn is_on() -> bool {
    !MAPPING.load(Relaxed).is_null()
}

/// The place for the next record of the thread that has this slot, which counts when [`put`] has written it.
#[inline]
fn next<'a>(slot: &ThreadSlot) -> Option<(&'a Chunk, &'a Record)> {
    // SAFETY: null, or a chunk of a mapping that stays as long as the process.
    let chunk = unsafe { local().trace.get().cast::<Chunk>().as_ref() };
    match chunk {
        Some(chunk) => match chunk.records.get(chunk.used.load(Relaxed) as usize) {
            Some(record) => Some((chunk, record)),
            None => first_of_chunk(slot),
        },
        None => first_of_chunk(slot),
    }
}

#[inline]
fn put(slot: &ThreadSlot, words: [u64; 5]) {
    let is_putting = &local().is_putting;
    is_putting.set(1);
    compiler_fence(Ordering::SeqCst);
    if let Some((chunk, record)) = next(slot) {
        record.0.iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
        chunk.used.store(chunk.used.load(Relaxed) + 1, Ordering::Release);
    }
    compiler_fence(Ordering::SeqCst);
    is_putting.set(0);
}

#[cold]
#[inline(never)]
fn first_of_chunk<'a>(slot: &ThreadSlot) -> Option<(&'a Chunk, &'a Record)> {
    let _errno = system::SavedErrno::new();
    // SAFETY: null, or a mapping that stays as long as the process.
    let header = unsafe { MAPPING.load(Relaxed).as_ref() }?;
    let_go();
    // What has a look at many places costs more than what it is for.
    let is_due = header.lost.load(Relaxed).is_multiple_of(LOST_BETWEEN_LOOKS);
    let may_look = if is_timed() {
        is_wanted(header) && (is_due || header.cut_since.load(Relaxed) == 0)
    } else {
        is_due
    };
    let Some((chunk, number)) = may_look.then(|| free(header)).flatten() else {
        let now = slot.since.load(Relaxed);
        if header.lost.fetch_add(1, Relaxed) == 0 {
            header.lost_since.store(now, Relaxed);
        }
        if header.frozen.load(Relaxed) == 0 {
            header.lost_until.store(now, Relaxed);
        } else {
            let _ = header.cut_since.compare_exchange(0, now, Relaxed, Relaxed);
        }
        return None;
    };
    // What was in it before is not this thread's.
    chunk.used.store(0, Ordering::Release);
    chunk.number.store(number, Relaxed);
    chunk.slot.store(number_of(slot) + 1, Ordering::Release);
    local().trace.set((&raw const *chunk).cast());
    chunk.records.first().map(|record| (chunk, record))
}

/// A chunk that nobody has, with the number that it is given. One that was in use before has its pages: 16 new ones take 18 to 40 us.
fn free(header: &Header) -> Option<(&Chunk, u64)> {
    let number = header.asked.fetch_add(1, Relaxed);
    let places = header.chunks.load(Relaxed);
    let opened = u64::from(header.opened.load(Relaxed).min(places));
    let take = |place: usize, from: ChunkState| {
        let state = header.states.get(place)?;
        let is_ours = state.load(Relaxed) == from as u8
            && state.compare_exchange(from as u8, ChunkState::Held as u8, Ordering::Acquire, Relaxed).is_ok();
        is_ours.then(|| (&raw const *header).cast::<u8>().wrapping_add(file_bytes(place)).cast::<Chunk>())
    };
    let mut some = (0..LOOKED_AT.min(opened)).map(|step| (number.wrapping_add(step) % opened) as usize);
    let chunk = some.find_map(|place| take(place, ChunkState::Free)).or_else(|| {
        let next = header.opened.fetch_update(Relaxed, Relaxed, |used| (used < places).then_some(used + 1));
        // One that cannot be opened stays held: nobody looks at it again. In a sandbox it is not tried.
        take(next.ok()? as usize, ChunkState::New).filter(|chunk| open(chunk.cast_mut().cast(), CHUNK_BYTES))
    })?;
    // SAFETY: it lies in the mapping, is open, and belongs to this thread alone; zeros are a value of the type.
    unsafe { chunk.as_ref() }.map(|chunk| (chunk, number))
}

/// The calling thread needs no more of its chunk.
pub fn let_go() {
    let chunk: *const Chunk = local().trace.replace(core::ptr::null()).cast();
    let header: *const Header = MAPPING.load(Relaxed);
    if chunk.is_null() || header.is_null() {
        return;
    }
    let place = chunk.addr().wrapping_sub(header.addr() + HEADER_BYTES) / CHUNK_BYTES;
    // SAFETY: a mapping that stays as long as the process.
    let state = unsafe { header.as_ref() }.and_then(|header| header.states.get(place));
    state.into_iter().for_each(|state| state.store(ChunkState::LetGo as u8, Ordering::Release));
}

/// Which slot of the snapshot file it is.
fn number_of(slot: &ThreadSlot) -> u32 {
    let begin = process::header().map_or(0, |header| (&raw const *header).addr());
    let at = (&raw const *slot).addr().wrapping_sub(begin).wrapping_sub(THREADS_AT);
    (at / size_of::<ThreadSlot>()) as u32
}

/// 1 + the number of a site in the tables of its thread.
fn number_of_site(slot: &ThreadSlot, site: Option<&Site>) -> u64 {
    let Some(site) = site else { return 0 };
    let begin = slot.tables.sites.as_ptr().addr();
    let number = (&raw const *site).addr().wrapping_sub(begin) / size_of::<Site>();
    if number < SITES { number as u64 + 1 } else { 0 }
}

const KIND_BITS: u32 = 8;
const CALL_BITS: u32 = 16;

/// A call that has returned.
pub struct EndedCall<'a> {
    pub site: Option<&'a Site>,
    pub number: usize,
    pub begin: u64,
    pub ticks: u64,
    /// Of a call that needs all ranks of its communicator; 0: of none.
    pub key: u64,
    pub root: Option<i32>,
    pub bytes: u64,
    /// It asked whether something has come, and nothing had.
    pub is_vain: bool,
}

/// `of` is asked only where calls are traced, and `kind` where some are left out: none of what begins and ends MPI is.
#[inline]
pub fn call<'a>(
    slot: &ThreadSlot,
    of: impl FnOnce() -> EndedCall<'a>,
    kind: impl FnOnce() -> Option<CallKind>,
) {
    if !is_on() {
        return;
    }
    let of = &of();
    if LEFT_OUT.load(Relaxed) != 0 && kind().is_some_and(|kind| is_left_out(of, kind)) {
        return left_out(slot, of);
    }
    let site = number_of_site(slot, of.site) << KIND_BITS;
    let number = of.number as u64;
    if of.is_vain {
        return poll(slot, of, site, number);
    }
    let root = of.root.map_or(0, |root| u64::from(root.cast_unsigned().wrapping_add(1)));
    let last = root << 32 | site | RecordKind::Call as u64;
    put(slot, [of.begin, of.ticks, of.key, of.bytes << CALL_BITS | number, last]);
}

/// The last record of the thread, where it is in the chunk that it fills.
fn last<'a>() -> Option<&'a Record> {
    // SAFETY: as in `next`.
    let chunk = unsafe { local().trace.get().cast::<Chunk>().as_ref() }?;
    let used = chunk.used.load(Relaxed).checked_sub(1)?;
    chunk.records.get(used as usize)
}

/// Whether calls of a kind are written down.
#[inline]
fn is_kept(kind: CallKind) -> bool {
    is_on() && LEFT_OUT.load(Relaxed) & kind as u32 == 0
}

/// What other ranks have to know of has its record before that of the call, or a key. Of a kind that is left out it has none in any rank.
#[cold]
fn is_left_out(of: &EndedCall<'_>, kind: CallKind) -> bool {
    use RecordKind::{CollectiveDone, Part, Received, SendDone, Sent, Window};
    let before = last().and_then(|Record([.., last])| RecordKind::from_word(last.load(Relaxed)));
    if matches!(before, Some(CollectiveDone | Part | Received | SendDone | Sent | Window)) {
        return false;
    }
    let left_out = LEFT_OUT.load(Relaxed);
    left_out & kind as u32 != 0 || left_out & SHORT != 0 && of.key == 0 && !of.is_vain && is_short(of.ticks)
}

/// No call is, before the rate of the ticks is known.
fn is_short(ticks: u64) -> bool {
    time::nanoseconds_in(ticks).is_some_and(|passed| passed < SHORT_NANOSECONDS.load(Relaxed))
}

/// One more at the place of the last record, where that is of such calls in the same millisecond.
fn left_out(slot: &ThreadSlot, of: &EndedCall<'_>) {
    let kind = RecordKind::LeftOut as u64;
    let end = of.begin.wrapping_add(of.ticks);
    let longest = time::ticks_in_ten_milliseconds() / 10;
    match last() {
        Some(Record([begin, ticks, until, count, word]))
            if word.load(Relaxed) == kind && end.wrapping_sub(begin.load(Relaxed)) < longest =>
        {
            ticks.store(ticks.load(Relaxed).wrapping_add(of.ticks), Relaxed);
            until.store(end, Relaxed);
            count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
        }
        _ => put(slot, [of.begin, of.ticks, end, 1, kind]),
    }
}

/// One more at the place of the last record, where that is of the same site.
fn poll(slot: &ThreadSlot, of: &EndedCall<'_>, site: u64, number: u64) {
    let kind = site | RecordKind::Polls as u64;
    let end = of.begin.wrapping_add(of.ticks);
    match last() {
        Some(Record([_, ticks, until, count, word])) if word.load(Relaxed) == kind => {
            ticks.store(ticks.load(Relaxed).wrapping_add(of.ticks), Relaxed);
            until.store(end, Relaxed);
            count.store(count.load(Relaxed).wrapping_add(1 << CALL_BITS), Relaxed);
        }
        _ => put(slot, [of.begin, of.ticks, end, 1 << CALL_BITS | number, kind]),
    }
}

/// A message of the call that ends next.
pub struct Message {
    /// When the call began that sent it or asked for it.
    pub posted: u64,
    /// What its communicator has in all its ranks; 0: not known.
    pub communicator: u64,
    pub bytes: u64,
    pub tag: i32,
    /// The other rank in the world; one that is not in it is not traced.
    pub peer: Option<u32>,
}

/// `of` is asked only where calls are traced.
#[inline]
pub fn message(slot: &ThreadSlot, kind: RecordKind, of: impl FnOnce() -> Message) {
    if !is_kept(CallKind::PointToPoint) {
        return;
    }
    let of = of();
    let Some(peer) = of.peer else { return };
    let ends = u64::from(of.tag.cast_unsigned()) << 32 | u64::from(peer);
    let mut number_of_end = 0;
    if NUMBERED.load(Relaxed) {
        number_of_end = number(mixed(mixed(of.communicator, ends), kind as u64));
    }
    put(slot, [of.posted, of.communicator, of.bytes, ends, number_of_end << KIND_BITS | kind as u64]);
}

/// A number in which all bits depend on all of both (the end of SplitMix64); not 0.
#[inline]
pub fn mixed(one: u64, two: u64) -> u64 {
    let mut mixed = one ^ two.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) | 1
}

/// The call that ends next waited for the request of a message that was sent by one that began at `sent`.
#[inline]
pub fn send_done(slot: &ThreadSlot, sent: u64) {
    if sent != 0 && is_kept(CallKind::PointToPoint) {
        put(slot, [sent, 0, 0, 0, RecordKind::SendDone as u64]);
    }
}

/// A parallel region of this many threads that the thread opened and has ended; it waited there since `waits_since`.
pub fn region(slot: &ThreadSlot, [begin, waits_since, end]: [u64; 3], row: u32, team: u32) {
    if is_on() {
        let waited = end.saturating_sub(waits_since);
        span(slot, RecordKind::Region, [begin, end, waited, 0], u64::from(team) << 32 | u64::from(row));
    }
}

/// What the thread did in a region that the thread of the number `master` opened at `begun`.
pub fn worked(slot: &ThreadSlot, [begun, begin, end]: [u64; 3], master: u32) {
    if is_on() {
        span(slot, RecordKind::Worked, [begin, end, begun, master.into()], slot.row.load(Relaxed).into());
    }
}

/// The thread has waited in OpenMP, in what it is in. What is shorter than a microsecond is left out: a lock that is free would fill the file.
pub fn waited(slot: &ThreadSlot, end: u64) {
    let begin = slot.since.load(Relaxed);
    if is_long(end.saturating_sub(begin)) {
        span(slot, RecordKind::Waited, [begin, end, 0, 0], slot.row.load(Relaxed).into());
    }
}

/// More than a microsecond.
fn is_long(ticks: u64) -> bool {
    ticks > time::ticks_in_ten_milliseconds() / 10_000
}

/// The thread was in a call on a file. What is shorter than a microsecond is in the sums only. In a handler of a signal that came while the thread put
/// something into its trace, nothing is.
pub fn file(slot: &ThreadSlot, operation: FileOperation, ticks: u64, end: u64) {
    if is_on() && is_long(ticks) && local().is_putting.get() == 0 {
        let begin = end.saturating_sub(ticks);
        span(slot, RecordKind::File, [begin, end, 0, 0], operation as u64 + 1);
    }
}

/// The phase of this number begins or ends.
pub fn phase(slot: &ThreadSlot, kind: RecordKind, moment: u64, number: usize) {
    if is_on() {
        span(slot, kind, [moment, moment, 0, 0], number as u64 + 1);
    }
}

/// `of` has its end in place of its ticks.
fn span(slot: &ThreadSlot, kind: RecordKind, of: [u64; 4], row: u64) {
    let [begin, end, third, fourth] = of;
    let team = row >> 32 << 32;
    let last = team | (row & 0xffff) << KIND_BITS | kind as u64;
    put(slot, [begin, end.saturating_sub(begin), third, fourth, last]);
}

/// The next call ends a collective call that was begun by one which began at `begun`; `key`: of what [`part`] told.
pub fn collective_done(slot: &ThreadSlot, begun: u64, key: u64) {
    if begun != 0 && is_kept(CallKind::Collective) {
        put(slot, [begun, key, 0, 0, RecordKind::CollectiveDone as u64]);
    }
}

/// The next call, which began at `begin`, takes part in a collective call that has this key in all ranks, 0 where they do not know of one another,
/// and is what the call of this number on this communicator is.
pub fn part(
    slot: &ThreadSlot,
    kind: CallKind,
    (begin, key): (u64, u64),
    (call, communicator): (u16, u16),
    root: i32,
) {
    if key != 0 && is_kept(kind) {
        let root = u64::from(root.cast_unsigned().wrapping_add(1)) << 32;
        let what = u64::from(communicator) << 32 | u64::from(call);
        put(slot, [begin, key, 0, what, root | RecordKind::Part as u64]);
    }
}

/// The next call, which began at `begin`, gets data of this rank of the world, and so do all of its kind on its communicator.
pub fn source(slot: &ThreadSlot, begin: u64, rank: u32) {
    put(slot, [begin, 0, 0, rank.into(), RecordKind::Source as u64]);
}

/// The next call, which began at `begin`, is a step on a window, with this rank of the world.
pub fn window(slot: &ThreadSlot, begin: u64, window: u64, step: WindowStep, rank: u32) {
    if window != 0 && is_kept(CallKind::OneSided) {
        let what = (step as u64) << 32 | u64::from(rank);
        put(slot, [begin, window, 0, what, RecordKind::Window as u64]);
    }
}
