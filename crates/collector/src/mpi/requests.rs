//! Requests of which something is to be noted when they are started or completed: how long a message was is known only then. And
//! the communicators of windows and of matched messages.
//!
//! A thread may complete what another began, so the table is one for the process, behind a lock that is held for some
//! ten nanoseconds; who does not get it soon goes without, and says so.

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, Ordering::Relaxed};

use numawise_wire::snapshot::NO_COMMUNICATOR;

use super::samples::mixed;
use crate::process;

/// What a request is of.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Awaited {
    Receive = 1,
    Read = 2,
    PersistentReceive = 3,
    PersistentSend = 4,
    PersistentCollective = 5,
    /// No request: a message that was matched, or a window. Their handles are no others' while they live.
    Message = 6,
    Window = 7,
    /// A message that was sent: only what its wait waits for is to be known.
    Send = 8,
    /// A collective call: the same.
    Collective = 9,
}

/// What is noted of a request.
#[derive(Clone, Copy)]
pub struct Request {
    pub awaited: Awaited,
    /// The communicator's number; `NO_COMMUNICATOR` for none.
    pub comm: u16,
    /// The rank to which a persistent send goes, in its communicator; of a persistent collective call its root there, negative: none; of a message with a
    /// number, the other rank in the world.
    pub rank: i32,
    /// Bytes that each start hands over and takes in.
    pub sent: u64,
    pub received: u64,
    /// The message's number between the two ranks, 0: not known; of a persistent send, its tag with the partitions above it that are not ready; of a persistent collective call what tells it in all ranks
    /// since it was started last, of a window the same since it was made.
    pub number: u64,
    /// When the call began that gave the request, or started it last, in ticks; 0 where it is persistent, and not started.
    pub begun: u64,
    /// Of a persistent collective call, the call that made it; of a persistent message, its partitions, 0: it has none; of a window, how many fences
    /// it has had.
    pub extra: u64,
}

struct Place {
    /// 0: free. 1: was taken.
    handle: AtomicU64,
    what: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    number: AtomicU64,
    begun: AtomicU64,
    extra: AtomicU64,
}

const PLACES: usize = 4096;
/// Messages that were sent, and collective calls, take no more: the bytes of others would be lost.
const MOST_WITH_SENDS: usize = PLACES / 2;
/// How far from the place that its hash gives a request may lie.
const FARTHEST: usize = 64;
const FREE: u64 = 0;
const TAKEN: u64 = 1;

static TABLE: [Place; PLACES] = [const {
    Place {
        handle: AtomicU64::new(FREE),
        what: AtomicU64::new(0),
        sent: AtomicU64::new(0),
        received: AtomicU64::new(0),
        number: AtomicU64::new(0),
        begun: AtomicU64::new(0),
        extra: AtomicU64::new(0),
    }
}; PLACES];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static BUSY: AtomicBool = AtomicBool::new(false);

/// Whether there is any request to look for.
#[inline]
pub fn any() -> bool {
    COUNT.load(Relaxed) > 0
}

fn lock() -> bool {
    const TRIES: usize = 10_000;
    (0..TRIES).any(|_| {
        let got = !BUSY.swap(true, Ordering::Acquire);
        if !got {
            core::hint::spin_loop();
        }
        got
    })
}

fn unlock() {
    BUSY.store(false, Ordering::Release);
}

fn places(handle: u64) -> impl Iterator<Item = usize> {
    let begin = ((handle ^ handle >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
    (0..FARTHEST).map(move |step| begin.wrapping_add(step) % PLACES)
}

/// A request that was begun. One with the same handle is gone: MPI does not give it twice.
pub fn insert(handle: u64, request: Request) {
    if handle <= TAKEN || !lock() {
        return dropped();
    }
    let mut found = None;
    for place in places(handle).filter_map(|number| TABLE.get(number)) {
        match place.handle.load(Relaxed) {
            other if other == handle => {
                found = Some((place, false));
                break;
            }
            FREE => {
                found = found.or(Some((place, true)));
                break;
            }
            TAKEN => found = found.or(Some((place, true))),
            _ => {}
        }
    }
    if let Some((place, is_new)) = found {
        let comm_and_kind = u64::from(request.comm) << 8 | request.awaited as u64;
        place.what.store(u64::from(request.rank.cast_unsigned()) << 32 | comm_and_kind, Relaxed);
        place.sent.store(request.sent, Relaxed);
        place.received.store(request.received, Relaxed);
        place.number.store(request.number, Relaxed);
        place.begun.store(request.begun, Relaxed);
        place.extra.store(request.extra, Relaxed);
        place.handle.store(handle, Relaxed);
        // Only who has the lock changes it.
        COUNT.store(COUNT.load(Relaxed).wrapping_add(usize::from(is_new)), Relaxed);
    }
    unlock();
    if found.is_none() && !matches!(request.awaited, Awaited::Send | Awaited::Collective) {
        dropped();
    }
}

/// A message that was sent with a request, as its rank and its number; or a collective call. Where there is no room, a request that had its handle
/// before is gone all the same.
pub fn insert_where_room(handle: u64, message: Option<(u32, u64)>, begun: u64) {
    if handle <= TAKEN || COUNT.load(Relaxed) >= MOST_WITH_SENDS {
        look(handle, End::Freed);
        return;
    }
    let awaited = if message.is_some() { Awaited::Send } else { Awaited::Collective };
    let (rank, number) = message.map_or((-1, 0), |(rank, number)| (rank.cast_signed(), number));
    let comm = NO_COMMUNICATOR;
    insert(handle, Request { awaited, comm, rank, sent: 0, received: 0, number, begun, extra: 0 });
}

fn start(place: &Place, begin: u64) {
    place.begun.store(begin, Relaxed);
    let number = place.number.load(Relaxed);
    if place.what.load(Relaxed) as u8 == Awaited::PersistentCollective as u8 && number != 0 {
        // Ranks may start several in another order, and each as often as the others.
        place.number.store(mixed(number, 1), Relaxed);
    }
    if place.what.load(Relaxed) as u8 == Awaited::PersistentSend as u8 {
        place.number.store(place.extra.load(Relaxed) << 32 | number & 0xffff_ffff, Relaxed);
    }
}

fn ready(place: &Place, begin: u64, partitions: u64) {
    if place.what.load(Relaxed) as u8 != Awaited::PersistentSend as u8 {
        return;
    }
    let number = place.number.load(Relaxed);
    let left = (number >> 32).saturating_sub(partitions);
    place.number.store(left << 32 | number & 0xffff_ffff, Relaxed);
    if left == 0 {
        // What was sent is sent now.
        place.begun.store(begin, Relaxed);
    }
}

/// What was noted of a request, before what becomes of it changes that; a start, or partitions that are ready, have changed it.
pub fn look(handle: u64, end: End) -> Option<Request> {
    if handle <= TAKEN || !any() || !lock() {
        return None;
    }
    let mut found = None;
    for (number, place) in places(handle).filter_map(|number| TABLE.get(number).map(|place| (number, place)))
    {
        match place.handle.load(Relaxed) {
            FREE => break,
            other if other == handle => {
                match end {
                    End::Started { begin } => start(place, begin),
                    End::Ready { begin, partitions } => ready(place, begin, partitions),
                    _ => {}
                }
                found = read(place);
                let persists = found.is_some_and(|request| {
                    use Awaited::{Collective, Read, Receive, Send};
                    !matches!(request.awaited, Receive | Read | Send | Collective)
                });
                match end {
                    End::Fenced => place.extra.store(place.extra.load(Relaxed).wrapping_add(1), Relaxed),
                    // A call may complete it again, which ends nothing.
                    End::Completed if persists => place.begun.store(0, Relaxed),
                    End::Completed | End::Freed => forget(number, place),
                    End::Stays | End::Started { .. } | End::Ready { .. } => {}
                }
                break;
            }
            _ => {}
        }
    }
    unlock();
    found
}

/// What becomes of a request that is looked for.
#[derive(Clone, Copy)]
pub enum End {
    Stays,
    /// It is persistent, and was started by a call that began then.
    Started {
        begin: u64,
    },
    /// Of a message that was started, by a call that began then.
    Ready {
        begin: u64,
        partitions: u64,
    },
    /// A window that has had one fence more.
    Fenced,
    /// It is forgotten, unless it is persistent.
    Completed,
    /// It is forgotten.
    Freed,
}

fn read(place: &Place) -> Option<Request> {
    let what = place.what.load(Relaxed);
    let awaited = match what as u8 {
        1 => Awaited::Receive,
        2 => Awaited::Read,
        3 => Awaited::PersistentReceive,
        4 => Awaited::PersistentSend,
        5 => Awaited::PersistentCollective,
        6 => Awaited::Message,
        7 => Awaited::Window,
        8 => Awaited::Send,
        9 => Awaited::Collective,
        _ => return None,
    };
    Some(Request {
        awaited,
        comm: (what >> 8) as u16,
        rank: (what >> 32) as i32,
        sent: place.sent.load(Relaxed),
        received: place.received.load(Relaxed),
        number: place.number.load(Relaxed),
        begun: place.begun.load(Relaxed),
        extra: place.extra.load(Relaxed),
    })
}

/// Frees a place, and those before it that were only kept since it was there.
fn forget(number: usize, place: &Place) {
    COUNT.store(COUNT.load(Relaxed).wrapping_sub(1), Relaxed);
    let is_free =
        |number: usize| TABLE.get(number % PLACES).is_some_and(|place| place.handle.load(Relaxed) == FREE);
    if !is_free(number + 1) {
        return place.handle.store(TAKEN, Relaxed);
    }
    place.handle.store(FREE, Relaxed);
    for step in 1..FARTHEST {
        match TABLE.get((number + PLACES - step) % PLACES) {
            Some(before) if before.handle.load(Relaxed) == TAKEN => before.handle.store(FREE, Relaxed),
            _ => break,
        }
    }
}

#[cold]
fn dropped() {
    if let Some(header) = process::header() {
        header.requests_dropped.fetch_add(1, Relaxed);
    }
}

/// Requests of one call were too many to be looked at.
pub fn too_many() {
    dropped();
}

/// In a child of fork: MPI is not to be used there, and who had the lock is in the parent.
pub fn begin_child() {
    unlock();
}
