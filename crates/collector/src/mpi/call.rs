//! What is done before and after each call.

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{NO_COMMUNICATOR, SampleKind, Site, ThreadSlot, ThreadState, ThreadTables};
use numawise_wire::trace::RecordKind;

use super::amount::Accepted;
use super::communicators::{self, Comm};
use super::completion::Notes;
use super::frame::{Frame, REGISTERS};
use super::generated::TABLE;
use super::samples::{self, Ended};
use super::sites::{self, SiteKey};
use super::table::{Amount, Call, Effect, Role, Sizes};
use super::{abi, completion, library, peers, process as mpi_process, requests, sizes, sources, status};
use crate::phase;
use crate::process;
use crate::python;
use crate::system::SavedErrno;
use crate::thread::{self, Local, add};
use crate::trace::{self, EndedCall, Message};

/// What the wrapper does next; in two registers.
#[repr(C)]
pub struct Next {
    real: usize,
    /// Words of arguments that lie on the stack; negative: nothing is done after the call, so it is a jump.
    words: isize,
}

const JUMP: isize = -1;

/// # Safety
/// Called by the wrapper, with the frame that it made.
pub unsafe extern "C" fn before(frame: *mut Frame) -> Next {
    // SAFETY: the wrapper's own, and nobody else's.
    let frame = unsafe { &mut *frame };
    let (layer, number) = (frame.layer(), frame.call());
    let (Some(real), Some(call)) = (library::real(layer, number, frame.site), TABLE.get(number)) else {
        return Next { real: library::nothing(), words: JUMP };
    };
    let jump = Next { real, words: JUMP };
    let local = thread::local();
    if is_inside(local.mpi_frame.get(), frame) {
        if call.effect == Effect::CommFree && layer < library::FIRST_FORTRAN {
            // By a function of the program that another call runs: the handle may stand for another one afterwards.
            communicators::retire(freed(call, frame));
        }
        return jump;
    }
    if layer >= library::FIRST_FORTRAN {
        if is_inside(local.fortran_frame.get(), frame) || call.effect == Effect::Control {
            return jump;
        }
        local.fortran_site.set(frame.site);
        local.fortran_frame.set(frame.address());
        frame.begin();
        // The error at the end, and the lengths of strings behind it.
        return Next { real, words: words(call.arguments + 1 + call.strings) };
    }
    let Some(slot) = thread::current() else { return jump };
    abi::learn(frame.site);
    if call.effect == Effect::Control {
        control(call, frame, slot);
        return jump;
    }
    prepare(call, frame, local);
    begin(slot, frame, local);
    if matches!(call.effect, Effect::Finalize | Effect::Abort) {
        mpi_process::begin(call.effect, frame);
    }
    Next { real, words: words(call.arguments) }
}

fn words(arguments: u8) -> isize {
    usize::from(arguments).saturating_sub(REGISTERS) as isize
}

/// Whether a call is made by the one whose frame lies at `outer`, which is in progress.
#[inline]
fn is_inside(outer: usize, frame: &Frame) -> bool {
    // SAFETY: it was a frame of this thread, deeper in the stack than which we are.
    outer != 0 && frame.address() < outer && unsafe { Frame::is_alive(outer) }
}

/// Whether what has its frame at this address is called by MPI, or by what MPI calls.
#[inline]
pub fn is_within_call(address: usize) -> bool {
    let outer = thread::local().mpi_frame.get();
    // SAFETY: as in `is_inside`.
    outer != 0 && address < outer && unsafe { Frame::is_alive(outer) }
}

#[inline]
fn begin(slot: &ThreadSlot, frame: &mut Frame, local: &Local) {
    frame.begin();
    local.mpi_frame.set(frame.address());
    let previous = slot.state.load(Relaxed);
    // A call that was left by an exception or longjmp has not gone back to what was before.
    let left = previous == ThreadState::Mpi as u32;
    frame.previous = if left { ThreadState::Useful as u64 } else { previous.into() };
    let at = site(frame, local);
    if slot.last_site.load(Relaxed) >> NEAR != at >> NEAR {
        note_file(at);
    }
    slot.last_call.store(frame.call() as u32 + 1, Relaxed);
    slot.last_site.store(at, Relaxed);
    frame.since = thread::switch(slot, ThreadState::Mpi);
}

/// Addresses that have all higher bits in common are mostly in one file: 16 MiB.
const NEAR: u32 = 24;

/// The file of a call is known when the call returns; it may be the one in which the process ends.
#[cold]
#[inline(never)]
fn note_file(address: u64) {
    let _errno = SavedErrno::new();
    if let Some(header) = process::header() {
        process::note_module(header, address as usize);
    }
}

/// The address to which the program's own call returns: in a Fortran interface that to which the interface does, and what stands for the
/// line of a program in Python.
#[inline]
fn site(frame: &Frame, local: &Local) -> u64 {
    let is_fortran = is_inside(local.fortran_frame.get(), frame);
    let address = if is_fortran { local.fortran_site.get() } else { frame.site };
    python::site(address, local) as u64
}

/// What must be seen before the call changes it, and a status of ours where the program wants none.
#[inline]
fn prepare(call: &Call, frame: &mut Frame, local: &Local) {
    let Some(abi) = abi::abi() else { return };
    if call.received == Amount::Status
        && let Some(place) = call.place(Role::Status)
        && frame.argument(place) == abi.ignore
    {
        frame.status = [0; 4];
        let ours = (&raw mut frame.status).expose_provenance();
        frame.set_argument(place, ours);
    }
    match call.effect {
        Effect::Nothing => {}
        Effect::CommFree => {
            frame.handle = freed(call, frame);
        }
        Effect::Matched | Effect::Receive | Effect::WindowFree => completion::keep_handle(abi, call, frame),
        _ if requests::any() && call.place(Role::Request).is_some() => {
            completion::prepare(abi, call, frame, local);
        }
        _ => {}
    }
}

/// The communicator that a call frees, or 0.
fn freed(call: &Call, frame: &Frame) -> u64 {
    let address = call.place(Role::Communicator).map_or(0, |place| frame.argument(place));
    match abi::abi() {
        // SAFETY: the program gives the address of a handle; a null pointer is its error, which MPI finds.
        Some(abi) if address != 0 => unsafe { abi.stored(address, 0) },
        _ => 0,
    }
}

/// # Safety
/// Called by the wrapper, with the frame that it made.
pub unsafe extern "C" fn after(frame: *mut Frame) {
    // SAFETY: as in `before`.
    let frame = unsafe { &mut *frame };
    frame.end();
    let local = thread::local();
    if frame.layer() >= library::FIRST_FORTRAN {
        local.fortran_frame.set(0);
        return;
    }
    // Else MPI has called a function of the program meanwhile, and that MPI.
    let is_last = local.mpi_frame.replace(0) == frame.address();
    let Some(call) = TABLE.get(frame.call()) else { return };
    // A child that was forked within the call has a file of its own, and no begin of the call in it.
    let Some(slot) = thread::current() else { return };
    let now = thread::leave(slot, frame.previous as u32);
    let ticks = now.saturating_sub(frame.since);
    if let Some(tables) = thread::tables(slot) {
        let is_noted = is_last && slot.last_call.load(Relaxed) == frame.call() as u32 + 1;
        let address = if is_noted { slot.last_site.load(Relaxed) } else { site(frame, local) };
        note(call, frame, (slot, tables), address, ticks);
    }
    if matches!(call.effect, Effect::Init | Effect::Finalize | Effect::Session) && succeeded(frame) {
        mpi_process::end(call, frame, now);
    }
    process::note_time(now);
}

/// A one-sided call: what it puts is sent, what it gets is fetched, for the other side does not take part.
fn one_sided(accepted: &Accepted, notes: &Notes, sent: u64) -> (u64, u64) {
    let Accepted { call, comm, .. } = accepted;
    let received = accepted.received();
    let Some(rank) = accepted.rank(Role::Destination).filter(|rank| *rank >= 0) else { return (0, 0) };
    let rank = comm.and_then(|comm| Comm::in_world(comm, rank));
    if call.sent != Amount::Nothing {
        peers::sent(notes.slot, notes.tables, rank, sent);
    }
    if received > 0 {
        peers::fetched(notes.slot, notes.tables, rank, received);
    }
    (sent, received)
}

#[inline]
fn succeeded(frame: &Frame) -> bool {
    frame.result as u32 == 0
}

#[inline]
fn note(call: &Call, frame: &Frame, (slot, tables): (&ThreadSlot, &ThreadTables), address: u64, ticks: u64) {
    let local = thread::local();
    let accepted = abi::abi().filter(|_| succeeded(frame));
    let handle = match (accepted, call.place(Role::Communicator)) {
        (Some(_), Some(_)) if call.effect == Effect::CommFree => {
            communicators::known(frame.handle).map_or(0, |_| frame.handle)
        }
        (Some(abi), Some(place)) => abi.passed(frame.argument(place)),
        _ => 0,
    };
    let key = SiteKey { call: frame.call() as u16, address, handle };
    let site = sites::site(slot, tables, key);
    let (mut sent, mut received) = (0, 0);
    let (mut key, mut root) = (0, None);
    if accepted.is_none() && call.is_among_all() {
        count_failed(call, frame);
    }
    if let Some(abi) = accepted {
        // Who has more sites than places still counts its collective calls as the other ranks do.
        let of_site = site.map_or_else(
            || communicators::known(handle).unwrap_or(NO_COMMUNICATOR),
            |site| site.communicator.load(Relaxed),
        );
        let (number, matched) = completion::communicator(abi, call, frame).unwrap_or((of_site, 0));
        let accepted = Accepted { abi, call, frame, handle, comm: communicators::by_number(number) };
        let notes = Notes { slot, tables, local };
        let ended = Ended { frame, site, ticks, posted: 0 };
        let message;
        (sent, received, message) = bytes(&accepted, &notes, ended, matched);
        if let Some(comm) = accepted.comm {
            if call.sizes == Sizes::Collective && call.is_blocking() {
                key = samples::collective(comm, ended);
            } else if call.is_among_all() {
                key = samples::collective_key(comm);
            }
            root = if key == 0 { None } else { accepted.root() };
            if key != 0 && trace::is_on() {
                sources::tell_once(slot, &accepted, comm);
            }
        }
        if call.effect == Effect::Nothing && call.sizes != Sizes::Nothing {
            completion::sent_or_forgotten(abi, call, frame, message);
        } else if call.effect != Effect::Nothing {
            (sent, received) = with_requests(&accepted, &notes, (number, key), (sent, received), ended);
        }
        if call.sizes != Sizes::Nothing && !is_counted_later(call) && !accepted.is_to_nobody() {
            sizes::count(slot, call.sizes, if sent == 0 { received } else { sent });
        }
        if call.effect == Effect::CommFree {
            communicators::retire(frame.handle);
        }
    }
    let ended = || EndedCall {
        site,
        number: frame.call(),
        begin: frame.since,
        ticks,
        // Nobody waits before it is started.
        key: if call.effect == Effect::PersistentCollective { 0 } else { key },
        root,
        bytes: sent.wrapping_add(received),
        is_vain: accepted.is_some() && completion::is_vain(call, frame),
    };
    trace::call(slot, ended, || call.kind());
    count(slot, site, ticks, (sent, received));
}

/// Adds a call to the sums of its site.
#[inline]
fn count(slot: &ThreadSlot, site: Option<&Site>, ticks: u64, (sent, received): (u64, u64)) {
    match site {
        Some(site) => {
            add(&site.count, 1);
            add(&site.ticks, ticks);
            if site.longest.load(Relaxed) < ticks {
                site.longest.store(ticks, Relaxed);
            }
            if sent != 0 {
                add(&site.sent, sent);
            }
            if received != 0 {
                add(&site.received, received);
            }
        }
        None => {
            add(&slot.dropped.site_calls, 1);
            add(&slot.dropped.site_ticks, ticks);
        }
    }
}

/// A collective call that failed here, and perhaps in no other rank: it has its number all the same.
#[cold]
fn count_failed(call: &Call, frame: &Frame) {
    let handle = abi::abi()
        .zip(call.place(Role::Communicator))
        .map_or(0, |(abi, place)| abi.passed(frame.argument(place)));
    let comm = communicators::known(handle).and_then(communicators::by_number);
    comm.into_iter().for_each(|comm| {
        comm.next_collective();
    });
}

/// Whether the size of the message is counted when it comes, or when it is sent again and again.
fn is_counted_later(call: &Call) -> bool {
    use Effect::{PersistentCollective, PersistentReceive, PersistentSend, Read, Receive};
    match call.effect {
        // A message goes at once too, where one is received with it.
        Receive => call.sent == Amount::Nothing,
        Read | PersistentReceive | PersistentSend | PersistentCollective => true,
        _ => false,
    }
}

/// What becomes of the bytes where the call begins or completes requests.
fn with_requests(
    accepted: &Accepted,
    notes: &Notes,
    comm: (u16, u64),
    bytes: (u64, u64),
    ended: Ended<'_>,
) -> (u64, u64) {
    let (sent, received) = completion::begun(accepted, notes, comm, bytes);
    let Accepted { abi, call, frame, .. } = accepted;
    let (more_sent, more_received) = completion::ended(abi, call, frame, notes, ended);
    (sent.wrapping_add(more_sent), received.wrapping_add(more_received))
}

/// The bytes sent and received, which are counted by peers too, and the message that was sent: the rank in the world, and its number.
///
/// `matched`: when a call began that matched the message before; 0: none did.
#[inline]
fn bytes(
    accepted: &Accepted,
    notes: &Notes,
    ended: Ended<'_>,
    matched: u64,
) -> (u64, u64, Option<(u32, u64)>) {
    let Accepted { abi, call, frame, comm, .. } = accepted;
    let Notes { slot, tables, .. } = notes;
    let sent = match call.sent {
        Amount::Nothing => 0,
        _ => accepted.sent(),
    };
    let mut message = None;
    if call.sizes == Sizes::Send
        && call.effect != Effect::PersistentSend
        && let Some(rank) = accepted.rank(Role::Destination)
        && rank >= 0
    {
        let peer = comm.and_then(|comm| comm.in_world(rank));
        message = peers::sent(slot, tables, peer, sent);
        trace::message(slot, RecordKind::Sent, || Message {
            posted: frame.since,
            communicator: comm.map_or(0, Comm::common_name),
            bytes: sent,
            tag: accepted.rank(Role::Tag).unwrap_or(0),
            peer,
        });
        samples::of_message(SampleKind::Send, message, ended);
    }
    if call.sizes == Sizes::OneSided {
        let (sent, received) = one_sided(accepted, notes, sent);
        return (sent, received, None);
    }
    let received = match (call.received, call.place(Role::Status)) {
        (Amount::Status, Some(place)) => {
            let status = frame.argument(place);
            // SAFETY: MPI has filled it: it was no sentinel, or ours took its place.
            let arrived = unsafe { status::read(abi, status) };
            if call.sizes != Sizes::File && arrived.source >= 0 {
                let rank = comm.and_then(|comm| Comm::in_world(comm, arrived.source));
                let number = peers::received(slot, tables, rank, arrived.bytes);
                trace::message(slot, RecordKind::Received, || Message {
                    posted: if matched == 0 { frame.since } else { matched },
                    communicator: comm.map_or(0, Comm::common_name),
                    bytes: arrived.bytes,
                    tag: arrived.tag,
                    peer: rank,
                });
                if call.is_blocking() {
                    samples::of_message(SampleKind::Receive, number, ended);
                }
                if call.sizes == Sizes::Send {
                    sizes::count(slot, Sizes::Receive, arrived.bytes);
                }
            }
            arrived.bytes
        }
        (Amount::Nothing, _) => 0,
        _ => accepted.received(),
    };
    (sent, received, message)
}

/// `MPI_Pcontrol(level, ...)`: the program's own phases.
fn control(call: &Call, frame: &Frame, slot: &ThreadSlot) {
    let (Some(header), Some(place)) = (process::header(), call.place(Role::Indices)) else { return };
    phase::control(header, slot, (frame.argument(place) as u32).cast_signed());
}
