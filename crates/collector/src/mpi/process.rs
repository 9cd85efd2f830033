//! The begin and the end of MPI in the process.

use core::ffi::{CStr, c_int};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::ranks::WORLD_VARIABLES;
use numawise_wire::snapshot::{Flag, Header, MpiKind};

use super::frame::Frame;
use super::table::{Call, Effect, Role};
use super::{abi, functions, library};
use crate::phase::hash;
use crate::system::{self, SavedErrno};
use crate::{proc, process, sandbox, thread};

/// Before the real function: of what may not come back.
pub fn begin(effect: Effect, frame: &Frame) {
    let Some(header) = process::header() else { return };
    match effect {
        Effect::Finalize => {
            let [begin, _] = &header.mpi_finalize;
            begin.store(frame.since, Relaxed);
            note_use(&header.mpi_use[1]);
        }
        Effect::Abort => {
            process::set_flag(Flag::MpiAborted);
            process::note_surroundings(header);
            process::note_time_now();
        }
        _ => {}
    }
}

/// After a call that succeeded, at `now`.
pub fn end(call: &Call, frame: &Frame, now: u64) {
    let _errno = SavedErrno::new();
    let Some(header) = process::header() else { return };
    match call.effect {
        Effect::Init => initialised(header, call, frame, now),
        Effect::Session => process::set_flag(Flag::MpiInitialised),
        Effect::Finalize => {
            let [_, end] = &header.mpi_finalize;
            end.store(now, Relaxed);
            process::set_flag(Flag::MpiFinalised);
            process::note_time_now();
        }
        _ => {}
    }
}

fn initialised(header: &Header, call: &Call, frame: &Frame, now: u64) {
    let [begin, end] = &header.mpi_init;
    // A second call is an error of the program that MPI may accept.
    if end.load(Relaxed) == 0 {
        begin.store(frame.since, Relaxed);
        end.store(now, Relaxed);
        note_use(&header.mpi_use[0]);
    }
    // SAFETY: MPI_Init_thread has written an int there.
    let level = call
        .place(Role::Indices)
        .map(|place| unsafe { *core::ptr::with_exposed_provenance::<c_int>(frame.argument(place)) });
    header.thread_level.store(level.unwrap_or(0).cast_unsigned(), Relaxed);
    if abi::abi().is_some() {
        // SAFETY: the functions are of these types, and the handle is valid since MPI_Init has returned.
        let (rank, size) =
            unsafe { (functions::COMM_RANK.number(abi::world()), functions::COMM_SIZE.number(abi::world())) };
        header.rank.store(rank.unwrap_or(0).cast_unsigned(), Relaxed);
        header.world.store(size.unwrap_or(0).cast_unsigned(), Relaxed);
        header.world_name.store(world_name(), Relaxed);
    }
    process::set_flag(Flag::MpiInitialised);
    let found = loaded();
    if found.open_mpi && found.mpich {
        process::set_flag(Flag::SeveralMpis);
    }
    process::note_time_now();
}

/// What the first thread computed so far, and how long it waited for a CPU, where it is the one that calls.
fn note_use([processor, run_delay]: &[AtomicU64; 2]) {
    if sandbox::is_quiet() {
        return;
    }
    let _errno = SavedErrno::new();
    let Some(slot) = thread::current().filter(|slot| slot.main.load(Relaxed) != 0) else { return };
    let time = numawise_syscalls::clock(libc::CLOCK_THREAD_CPUTIME_ID).ok();
    let delay = proc::run_delay(slot.thread.load(Relaxed).cast_signed());
    if let Some((time, delay)) = time.zip(delay) {
        processor.store(time.saturating_add(1), Relaxed);
        run_delay.store(delay.saturating_add(1), Relaxed);
    }
}

/// For [`Header::world_name`].
fn world_name() -> u64 {
    WORLD_VARIABLES.into_iter().find_map(system::variable).map_or(0, |name| hash(name) | 1)
}

/// Notes the file of an MPI of which no call was seen: it is known then that one is loaded. Not in children of fork, whose parent may
/// have held a lock of the loader.
pub fn note_if_not_called(header: &Header) {
    let is_called = header.mpi.load(Relaxed) != MpiKind::None as u32;
    if !is_called && header.flags.load(Relaxed) & Flag::Forked as u32 == 0 {
        loaded().within.into_iter().for_each(|address| process::note_module(header, address));
    }
}

/// MPIs that are loaded.
struct Mpis {
    open_mpi: bool,
    mpich: bool,
    /// An address in one of them.
    within: Option<usize>,
}

fn loaded() -> Mpis {
    let mut found = Mpis { open_mpi: false, mpich: false, within: None };
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut core::ffi::c_void) -> c_int {
    // SAFETY: the loader gives a live struct with a path, or none, and `data` is the pointer that we gave.
    let (info, path, found) = unsafe {
        let name = (*info).dlpi_name;
        let path = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        (&*info, path, &mut *data.cast::<Mpis>())
    };
    let file = path.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    found.open_mpi |= file.starts_with(b"libmpi.so.40");
    found.mpich |= file.starts_with(b"libmpich.so") || file.starts_with(b"libmpi.so.12");
    if found.within.is_none() && (file.starts_with(b"libmpi.so") || file.starts_with(b"libmpich.so")) {
        found.within = library::begin(info);
    }
    0
}
