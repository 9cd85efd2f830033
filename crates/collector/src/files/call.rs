//! What is done before and after each call.

use core::ffi::c_int;
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{FileOperation, Flag, ThreadSlot};

use super::frame::Frame;
use super::table::{Effect, FileCall};
use super::{descriptors, next, streams, table};
use crate::thread::{self, add};
use crate::{mpi, process, sandbox, time, trace};

/// What the wrapper does next; in two registers.
#[repr(C)]
pub struct Next {
    real: usize,
    /// 0: nothing is done after the call, so it is a jump.
    comes_back: usize,
}

/// # Safety
/// Called by the wrapper, with the frame that it made.
pub unsafe extern "C" fn before(frame: *mut Frame) -> Next {
    // SAFETY: the wrapper's own, and nobody else's.
    let frame = unsafe { &mut *frame };
    let number = frame.number as usize;
    let jump = Next { real: next::real(number), comes_back: 0 };
    let Some(call) = table::call(number) else { return jump };
    // We would ask what a descriptor is.
    if sandbox::is_quiet() {
        return jump;
    }
    // Nothing is watched, or this is a child of a bare clone, which has no file yet.
    if process::header().is_none() || process::generation() == 0 {
        return jump;
    }
    frame.descriptor = descriptor(call, frame);
    let forgets = forgets(call.effect);
    if forgets && frame.descriptor >= 0 && !descriptors::is_known(frame.descriptor) {
        return jump;
    }
    frame.since = time::now();
    let counts = counts(call, frame);
    frame.counts = counts.into();
    Next { comes_back: usize::from(counts || forgets), ..jump }
}

/// The descriptor that a call is about; -1 where it is not about one that was open before.
fn descriptor(call: &FileCall, frame: &Frame) -> c_int {
    match call.effect {
        Effect::Read(at)
        | Effect::Write(at)
        | Effect::Copy { to: at, .. }
        | Effect::Sync(at)
        | Effect::Change(at)
        | Effect::Close(at)
        | Effect::Replace(at) => frame.int(at),
        Effect::StreamRead | Effect::StreamWrite | Effect::StreamClose => {
            streams::descriptor(frame.argument(0))
        }
        Effect::SyncAll | Effect::Open | Effect::OpenStream | Effect::CloseRange | Effect::CloseFrom => -1,
    }
}

/// Whether a descriptor is something else after the call.
fn forgets(effect: Effect) -> bool {
    matches!(
        effect,
        Effect::Close(_) | Effect::Replace(_) | Effect::CloseRange | Effect::CloseFrom | Effect::StreamClose
    )
}

/// Whether the time of the call counts: it is on a file, and not MPI's.
fn counts(call: &FileCall, frame: &Frame) -> bool {
    let is_file = |descriptor| descriptors::is_file(descriptor, frame.since);
    let of_file = match call.effect {
        Effect::Copy { from, .. } => is_file(frame.descriptor) || is_file(frame.int(from)),
        Effect::SyncAll | Effect::Open | Effect::OpenStream => true,
        Effect::Replace(_) | Effect::CloseRange | Effect::CloseFrom => false,
        _ => is_file(frame.descriptor),
    };
    of_file && !mpi::is_within_call(frame.address()) && thread::current().is_some()
}

/// # Safety
/// Called by the wrapper, with the frame that it made.
pub unsafe extern "C" fn after(frame: *mut Frame) {
    // SAFETY: as in `before`.
    let frame = unsafe { &mut *frame };
    let Some(call) = table::call(frame.number as usize) else { return };
    match call.effect {
        Effect::Close(_) | Effect::Replace(_) | Effect::StreamClose => descriptors::forget(frame.descriptor),
        Effect::CloseRange => descriptors::forget_all(frame.argument(0) as u32, frame.argument(1) as u32),
        Effect::CloseFrom => descriptors::forget_all(frame.int(0).max(0).cast_unsigned(), u32::MAX),
        _ => {}
    }
    // The call may have waited while another thread asked for a sandbox.
    if frame.counts == 0 || sandbox::is_quiet() {
        return;
    }
    let now = time::now();
    let ended = Ended { ticks: now.saturating_sub(frame.since), bytes: bytes(frame.result), now };
    if let Some(slot) = thread::current() {
        note(call, frame, slot, &ended);
    }
    process::note_time(now);
}

/// A call that has returned.
struct Ended {
    ticks: u64,
    /// As its result says.
    bytes: u64,
    now: u64,
}

/// What a function that reads or writes gave; nothing where it failed.
fn bytes(result: usize) -> u64 {
    u64::try_from(result.cast_signed()).unwrap_or(0)
}

fn note(call: &FileCall, frame: &Frame, slot: &ThreadSlot, ended: &Ended) {
    let &Ended { ticks, now, .. } = ended;
    // What took long, for a file, may be one that waited for somebody: the descriptor was closed unseen.
    let is_still =
        |descriptor| ticks < time::ticks_in_ten_milliseconds() / 8 || descriptors::ask(descriptor, now);
    let on = frame.descriptor;
    match call.effect {
        Effect::Read(_) | Effect::StreamRead if is_still(on) => {
            put(slot, FileOperation::Read, ended);
        }
        Effect::Write(_) | Effect::StreamWrite if is_still(on) => {
            put(slot, FileOperation::Write, ended);
        }
        Effect::Copy { from, .. } => {
            let is_to_file = descriptors::is_file(on, now);
            if is_to_file {
                put(slot, FileOperation::Write, ended);
            }
            if descriptors::is_file(frame.int(from), now) {
                // The time is that of one of both.
                put(
                    slot,
                    FileOperation::Read,
                    &Ended { ticks: if is_to_file { 0 } else { ticks }, ..*ended },
                );
            }
        }
        Effect::Sync(_) | Effect::SyncAll => put(slot, FileOperation::Sync, &Ended { bytes: 0, ..*ended }),
        Effect::Change(_) | Effect::Close(_) | Effect::StreamClose => {
            put(slot, FileOperation::Manage, &Ended { bytes: 0, ..*ended });
        }
        Effect::Open => opened(slot, frame.result as c_int, ended),
        Effect::OpenStream => opened(slot, streams::descriptor(frame.result), ended),
        _ => {}
    }
}

/// Opening counts where it gave a file.
fn opened(slot: &ThreadSlot, descriptor: c_int, ended: &Ended) {
    if descriptor >= 0 && descriptors::ask(descriptor, ended.now) {
        put(slot, FileOperation::Manage, &Ended { bytes: 0, ..*ended });
    }
}

fn put(slot: &ThreadSlot, operation: FileOperation, &Ended { ticks, bytes, now }: &Ended) {
    let Some(calls) = slot.files.get(operation as usize) else { return };
    add(&calls.count, 1);
    add(&calls.ticks, ticks);
    add(&calls.bytes, bytes);
    if ticks > calls.longest.load(Relaxed) {
        calls.longest.store(ticks, Relaxed);
    }
    trace::file(slot, operation, ticks, now);
    late(operation, bytes);
}

/// What is read and written when the kernel's account has been read at the end of the process: streams are written at exit.
fn late(operation: FileOperation, bytes: u64) {
    let Some(header) =
        process::header().filter(|header| header.flags.load(Relaxed) & Flag::Ended as u32 != 0)
    else {
        return;
    };
    let place = match operation {
        FileOperation::Read => header.io_end.first(),
        FileOperation::Write => header.io_end.get(1),
        FileOperation::Sync | FileOperation::Manage => None,
    };
    if let Some(place) = place.filter(|place| place.load(Relaxed) != 0) {
        place.fetch_add(bytes, Relaxed);
    }
}
