//! Calls that start and complete requests: what must be seen before MPI changes it, and what their statuses say after.

use core::ffi::c_int;
use core::ptr::NonNull;

use numawise_wire::snapshot::{SampleKind, ThreadSlot, ThreadTables};
use numawise_wire::trace::{CallKind, RecordKind};

use super::abi::Abi;
use super::amount::Accepted;
use super::communicators::{self, Comm};
use super::frame::Frame;
use super::requests::{self, Awaited, End, Request};
use super::samples::{self, Ended};
use super::table::{Amount, Call, Effect, Role, Sizes};
use super::{peers, sizes, status, windows};
use crate::system;
use crate::thread::{Local, SCRATCH_BYTES};
use crate::trace::{self, Message};

/// Requests of one call that are looked at.
const MOST: usize = 2048;
/// Bytes of the longest status.
const STATUS: usize = 32;

/// Memory of a thread for calls with many requests.
struct Scratch {
    handles: [u64; MOST],
    statuses: [u8; MOST * STATUS],
}

/// Whether the call completes requests that are given as an array.
fn is_of_many(effect: Effect) -> bool {
    matches!(effect, Effect::WaitAll | Effect::TestAll | Effect::WaitAny | Effect::TestAny | Effect::WaitSome)
}

/// Keeps the handles that the call will change, and gives it a place for statuses where the program wants none.
pub fn prepare(abi: &Abi, call: &Call, frame: &mut Frame, local: &Local) {
    // Others have a request too, which is written only, or a number that is not one of requests.
    if !is_of_many(call.effect) && !matches!(call.effect, Effect::Wait | Effect::Test | Effect::RequestFree) {
        return;
    }
    let Some(array) =
        call.place(Role::Request).map(|place| frame.argument(place)).filter(|array| *array != 0)
    else {
        return;
    };
    if !is_of_many(call.effect) {
        // SAFETY: the program gives the address of a handle.
        frame.handle = unsafe { abi.stored(array, 0) };
        frame.watch();
        let ours = (&raw mut frame.status).expose_provenance();
        return replace_status(abi, call, frame, ours);
    }
    let number = call.place(Role::Number).map_or(0, |place| frame.argument(place) as c_int);
    let Ok(number) = usize::try_from(number) else { return };
    if number == 0 {
        return;
    }
    if number > MOST {
        // They are forgotten, since their handles will be those of others.
        for k in 0..number {
            // SAFETY: the program gives so many handles.
            requests::look(unsafe { abi.stored(array, k) }, End::Freed);
        }
        return requests::too_many();
    }
    let Some(mut scratch) = scratch(local) else { return };
    // SAFETY: see `scratch`.
    let scratch = unsafe { scratch.as_mut() };
    for (k, handle) in scratch.handles.iter_mut().take(number).enumerate() {
        // SAFETY: the program gives so many handles.
        *handle = unsafe { abi.stored(array, k) };
    }
    frame.watch();
    let ours = if matches!(call.effect, Effect::WaitAny | Effect::TestAny) {
        (&raw mut frame.status).expose_provenance()
    } else {
        (&raw mut scratch.statuses).expose_provenance()
    };
    replace_status(abi, call, frame, ours);
}

fn replace_status(abi: &Abi, call: &Call, frame: &mut Frame, ours: usize) {
    if let Some(place) = call.place(Role::Status)
        && frame.argument(place) == abi.ignore
    {
        frame.set_argument(place, ours);
    }
}

const _: () = assert!(size_of::<Scratch>() <= SCRATCH_BYTES);

/// This thread's own, in which zeros are a value; one call at a time uses it.
fn scratch(local: &Local) -> Option<NonNull<Scratch>> {
    let mut scratch = local.mpi_scratch.get();
    if scratch.is_null() {
        scratch = system::memory(SCRATCH_BYTES)?.cast();
        local.mpi_scratch.set(scratch);
    }
    NonNull::new(scratch.cast())
}

/// Where what is found is noted.
pub struct Notes<'a> {
    pub slot: &'a ThreadSlot,
    pub tables: &'a ThreadTables,
    pub local: &'a Local,
}

/// The handle of a window or of a message, where the call has one that it reads.
fn object(abi: &Abi, call: &Call, frame: &Frame) -> Option<u64> {
    match call.effect {
        Effect::Receive | Effect::Matched if call.place(Role::Indices).is_some() => Some(frame.handle),
        _ if call.sizes == Sizes::OneSided => {
            call.place(Role::Window).map(|place| abi.passed(frame.argument(place)))
        }
        _ => None,
    }
}

/// The communicator of a call that has none among its arguments, that of its window or of its message, and when that was matched.
pub fn communicator(abi: &Abi, call: &Call, frame: &Frame) -> Option<(u16, u64)> {
    let end = if call.sizes == Sizes::OneSided { End::Stays } else { End::Freed };
    object(abi, call, frame)
        .and_then(|object| requests::look(object, end))
        .map(|request| (request.comm, request.begun))
}

/// The handle that a call changes, and where that is: what `communicator` and `freed` need later.
pub fn keep_handle(abi: &Abi, call: &Call, frame: &mut Frame) {
    let role = if call.effect == Effect::WindowFree { Role::Window } else { Role::Indices };
    let address = call.place(role).map_or(0, |place| frame.argument(place));
    // SAFETY: the program gives the address of a handle; a null pointer is its error, which MPI finds.
    frame.handle = if address == 0 { 0 } else { unsafe { abi.stored(address, 0) } };
}

/// A window was made, or a message matched; `key` tells the window in all its ranks.
fn made(accepted: &Accepted, awaited: Awaited, role: Role, comm: u16, key: u64) {
    let Accepted { abi, call, frame, .. } = accepted;
    let came = call.place(Role::Flag).is_none_or(|place| {
        // SAFETY: MPI has written an int there.
        unsafe { core::ptr::with_exposed_provenance::<c_int>(frame.argument(place)).read() != 0 }
    });
    if let Some(place) = call.place(role).filter(|_| came) {
        // SAFETY: MPI has written a handle there.
        let handle = unsafe { abi.stored(frame.argument(place), 0) };
        requests::insert(
            handle,
            Request {
                awaited,
                comm,
                rank: -1,
                sent: 0,
                received: 0,
                number: key,
                begun: frame.since,
                extra: 0,
            },
        );
    }
}

/// The call gave a request of a message to a rank of the world with this number, or, where calls are traced, of a collective call; or one of which
/// nothing is noted: then one that had its handle before, and ended where we did not see it, is gone.
#[inline]
pub fn sent_or_forgotten(abi: &Abi, call: &Call, frame: &Frame, message: Option<(u32, u64)>) {
    let Some(place) = call.place(Role::Request) else { return };
    let is_noted = message.is_some() || trace::is_on() && call.begins_collective();
    if !is_noted && !requests::any() {
        return;
    }
    // SAFETY: MPI has written a handle there.
    let handle = unsafe { abi.stored(frame.argument(place), 0) };
    if is_noted {
        requests::insert_where_room(handle, message, frame.since);
    } else {
        requests::look(handle, End::Freed);
    }
}

/// A request was begun: gives what the call itself has handed over and taken in. `key`: see [`made`]; or it tells a persistent collective call.
pub fn begun(
    accepted: &Accepted,
    notes: &Notes,
    (comm, key): (u16, u64),
    (sent, received): (u64, u64),
) -> (u64, u64) {
    let Accepted { abi, call, frame, .. } = accepted;
    let awaited = match call.effect {
        Effect::Receive => Awaited::Receive,
        Effect::Read => Awaited::Read,
        Effect::PersistentReceive => Awaited::PersistentReceive,
        Effect::PersistentSend => Awaited::PersistentSend,
        Effect::PersistentCollective => Awaited::PersistentCollective,
        Effect::Probe => {
            made(accepted, Awaited::Message, Role::Indices, comm, 0);
            return (sent, received);
        }
        Effect::Window => {
            made(accepted, Awaited::Window, Role::Window, comm, key);
            return (sent, received);
        }
        Effect::Ready => {
            ready(accepted, notes);
            return (sent, received);
        }
        _ => {
            if call.place(Role::Window).is_some() {
                windows::step(accepted, notes.slot, is_vain(call, frame));
            }
            return (sent, received);
        }
    };
    let mut rank = accepted.rank(Role::Destination).unwrap_or(-1);
    let mut number = match awaited {
        Awaited::PersistentSend => accepted.rank(Role::Tag).map_or(0, |tag| tag.cast_unsigned().into()),
        Awaited::PersistentCollective => {
            rank = accepted.rank(Role::Root).unwrap_or(-1);
            key
        }
        _ => 0,
    };
    if awaited == Awaited::Receive
        && call.sent == Amount::Nothing
        && let Some(source) = Some(rank).filter(|rank| *rank >= 0)
        && let Some(world) = communicators::by_number(comm).and_then(|comm| Comm::in_world(comm, source))
        && let Some(found) = peers::posted(notes.slot, notes.tables, world)
    {
        (rank, number) = (world.cast_signed(), found);
    }
    if let Some(place) = call.place(Role::Request) {
        // SAFETY: MPI has written a handle there.
        let handle = unsafe { abi.stored(frame.argument(place), 0) };
        let partitions = || call.place(Role::Number).map_or(0, |place| frame.argument(place) as u32);
        let is_collective = awaited == Awaited::PersistentCollective;
        let extra = if is_collective { frame.call() as u64 } else { partitions().into() };
        let begun = frame.since;
        requests::insert(handle, Request { awaited, comm, rank, sent, received, number, begun, extra });
    }
    // What is persistent hands over when it is started.
    if matches!(awaited, Awaited::Receive | Awaited::Read) { (sent, received) } else { (0, 0) }
}

/// After a call that starts or completes requests: the bytes that it hands over and takes in.
pub fn ended(abi: &Abi, call: &Call, frame: &Frame, notes: &Notes, ended: Ended<'_>) -> (u64, u64) {
    let argument = |role| call.place(role).map_or(0, |place| frame.argument(place));
    // SAFETY: MPI has written an int there.
    let int = |role| unsafe { core::ptr::with_exposed_provenance::<c_int>(argument(role)).read() };
    let number = usize::try_from(argument(Role::Number) as c_int).unwrap_or(0);
    match call.effect {
        Effect::Start => started(abi, argument(Role::Request), 1, notes, frame.since),
        Effect::StartAll => started(abi, argument(Role::Request), number, notes, frame.since),
        Effect::Wait if !frame.is_watched() => {
            samples::other_wait(ended);
            (0, 0)
        }
        _ if !frame.is_watched() => (0, 0),
        Effect::RequestFree => {
            requests::look(frame.handle, End::Freed);
            (0, 0)
        }
        Effect::Test if int(Role::Flag) == 0 => (0, 0),
        Effect::Test => (0, completed(abi, frame.handle, argument(Role::Status), notes).bytes),
        Effect::Wait => {
            let Completed { bytes, message, posted } =
                completed(abi, frame.handle, argument(Role::Status), notes);
            match message {
                Some((kind, rank, number)) => {
                    samples::of_message(kind, Some((rank, number)), Ended { posted, ..ended });
                }
                None => samples::other_wait(ended),
            }
            (0, bytes)
        }
        effect if is_of_many(effect) => {
            let Some(scratch) = scratch(notes.local) else { return (0, 0) };
            // SAFETY: see `scratch`.
            let scratch = unsafe { scratch.as_ref() };
            let statuses = argument(Role::Status);
            let one = |index: usize, status: usize| {
                let handle = scratch.handles.get(..number).and_then(|handles| handles.get(index));
                handle
                    .map_or(0, |handle| completed(abi, *handle, statuses + status * abi.status, notes).bytes)
            };
            let received = match effect {
                Effect::TestAll | Effect::TestAny if int(Role::Flag) == 0 => 0,
                Effect::WaitAll | Effect::TestAll => {
                    (0..number).map(|k| one(k, k)).fold(0, u64::wrapping_add)
                }
                // MPI_UNDEFINED is negative.
                Effect::WaitAny | Effect::TestAny => {
                    usize::try_from(int(Role::Index)).map_or(0, |index| one(index, 0))
                }
                _ => some(int(Role::Index), argument(Role::Indices), one),
            };
            (0, received)
        }
        _ => (0, 0),
    }
}

/// Whether a call that asks for what has come found nothing.
pub fn is_vain(call: &Call, frame: &Frame) -> bool {
    let role = match call.effect {
        Effect::WaitSome if call.place(Role::Status).is_some() => Role::Index,
        _ if call.place(Role::Flag).is_some() => Role::Flag,
        _ => return false,
    };
    let Some(place) = call.place(role).map(|place| frame.argument(place)).filter(|place| *place != 0) else {
        return false;
    };
    // SAFETY: MPI has written an int there.
    let found = unsafe { core::ptr::with_exposed_provenance::<c_int>(place).read() };
    found == 0
}

fn some(count: c_int, indices: usize, one: impl Fn(usize, usize) -> u64) -> u64 {
    let indices = core::ptr::with_exposed_provenance::<c_int>(indices);
    (0..usize::try_from(count).unwrap_or(0))
        .map(|k| {
            // SAFETY: MPI has written so many indices.
            let index = unsafe { indices.add(k).read() };
            usize::try_from(index).map_or(0, |index| one(index, k))
        })
        .fold(0, u64::wrapping_add)
}

/// A persistent message goes.
fn sent(request: &Request, notes: &Notes) {
    let comm = communicators::by_number(request.comm);
    trace::message(notes.slot, RecordKind::Sent, || Message {
        posted: request.begun,
        communicator: name_of(request),
        bytes: request.sent,
        tag: request.number as i32,
        peer: comm.and_then(|comm| Comm::in_world(comm, request.rank)),
    });
}

/// What the communicator has in all its ranks. Messages with partitions match among themselves (MPI 4.1, section 4.2.1).
fn name_of(request: &Request) -> u64 {
    const WITH_PARTITIONS: u64 = 0x7061_7274_0000_0000;
    match communicators::by_number(request.comm).map_or(0, Comm::common_name) {
        name if name != 0 && request.extra != 0 => (name ^ WITH_PARTITIONS).max(1),
        name => name,
    }
}

/// Partitions may go: with the last one, the message is sent.
fn ready(accepted: &Accepted, notes: &Notes) {
    let Accepted { abi, call, frame, .. } = accepted;
    let Some(place) = call.place(Role::Request) else { return };
    let partitions = match (accepted.rank(Role::Number), accepted.rank(Role::Index)) {
        (Some(first), Some(last)) => i64::from(last) - i64::from(first) + 1,
        (Some(number), None) => number.into(),
        _ => 1,
    };
    let end = End::Ready { begin: frame.since, partitions: u64::try_from(partitions).unwrap_or(0) };
    let request = requests::look(abi.passed(frame.argument(place)), end);
    let is_sent =
        |of: &Request| of.awaited == Awaited::PersistentSend && of.rank >= 0 && of.number >> 32 == 0;
    request.filter(is_sent).into_iter().for_each(|request| sent(&request, notes));
}

/// `begin`: when the call began that started them.
fn started(abi: &Abi, array: usize, number: usize, notes: &Notes, begin: u64) -> (u64, u64) {
    let mut sum = (0u64, 0u64);
    for k in 0..number {
        // SAFETY: MPI has started so many requests; their handles stay.
        let handle = unsafe { abi.stored(array, k) };
        let Some(request) = requests::look(handle, End::Started { begin }) else { continue };
        match request.awaited {
            Awaited::PersistentSend if request.rank >= 0 => {
                let comm = communicators::by_number(request.comm);
                let rank = comm.and_then(|comm| Comm::in_world(comm, request.rank));
                peers::sent(notes.slot, notes.tables, rank, request.sent);
                if request.extra == 0 {
                    sent(&request, notes);
                }
                sizes::count(notes.slot, Sizes::Send, request.sent);
            }
            Awaited::PersistentCollective => {
                let what = (request.extra as u16, request.comm);
                let of = (begin, request.number);
                trace::part(notes.slot, CallKind::Collective, of, what, request.rank);
                sizes::count(notes.slot, Sizes::Collective, request.sent);
            }
            _ => continue,
        }
        sum = (sum.0.wrapping_add(request.sent), sum.1.wrapping_add(request.received));
    }
    sum
}

/// What a request that completed was of.
#[derive(Default)]
struct Completed {
    /// That came.
    bytes: u64,
    /// The rank in the world, and the number of the message, where both ranks count it alike.
    message: Option<(SampleKind, u32, u64)>,
    /// When a receive began, in ticks.
    posted: u64,
}

fn completed(abi: &Abi, handle: u64, status: usize, notes: &Notes) -> Completed {
    let nothing = Completed::default();
    let Some(request) = requests::look(handle, End::Completed) else { return nothing };
    let sizes = match request.awaited {
        Awaited::Receive | Awaited::PersistentReceive => Sizes::Receive,
        Awaited::Read => Sizes::File,
        Awaited::Send => {
            trace::send_done(notes.slot, request.begun);
            let message = (SampleKind::SendWait, request.rank.cast_unsigned(), request.number);
            return Completed { message: Some(message), ..nothing };
        }
        Awaited::PersistentSend => {
            trace::send_done(notes.slot, request.begun);
            return nothing;
        }
        Awaited::Collective | Awaited::PersistentCollective => {
            // Of what was started now, the number in all ranks.
            trace::collective_done(notes.slot, request.begun, request.number);
            return nothing;
        }
        _ => return nothing,
    };
    if request.number != 0 {
        peers::taken_in(notes.slot, notes.tables, request.rank.cast_unsigned());
    }
    // SAFETY: MPI has filled it: it was no sentinel, or ours took its place.
    let arrived = unsafe { status::read(abi, status) };
    let mut message = None;
    if sizes == Sizes::Receive {
        // From nobody: nothing was awaited.
        if arrived.source < 0 {
            return nothing;
        }
        let comm = communicators::by_number(request.comm);
        let rank = comm.and_then(|comm| Comm::in_world(comm, arrived.source));
        trace::message(notes.slot, RecordKind::Received, || Message {
            posted: request.begun,
            communicator: name_of(&request),
            bytes: arrived.bytes,
            tag: arrived.tag,
            peer: rank,
        });
        let number = peers::received(notes.slot, notes.tables, rank, arrived.bytes);
        // Receives that complete in another order than that in which they began have others' messages under their numbers.
        message = number
            .filter(|(_, number)| *number == request.number)
            .map(|(rank, number)| (SampleKind::ReceiveWait, rank, number));
    }
    sizes::count(notes.slot, sizes, arrived.bytes);
    Completed { bytes: arrived.bytes, message, posted: request.begun }
}
