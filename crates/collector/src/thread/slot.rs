//! Gives each thread a slot of the file when it is first seen, and closes it when the thread ends.

use core::ffi::{c_int, c_void};
use core::mem::offset_of;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

use numawise_wire::snapshot::{ThreadSlot, ThreadState, ThreadTables};

use super::cpu;
use super::local::{REGIONS_BYTES, SCRATCH_BYTES, local};
use super::state::change;
use super::surroundings;
use super::word::add;
use crate::process::{self, Watched};
use crate::system::{self, SavedErrno};
use crate::{sandbox, time};

/// 1 + the key whose destructor tells that a thread ends.
static KEY: AtomicU32 = AtomicU32::new(0);

/// What others do when a thread ends, before its time is charged.
pub type AtEnd = fn(&ThreadSlot, u64);
static AT_END: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Makes the key, early: the C library allocates nothing for the first ones.
pub fn register_end(at_end: AtEnd) {
    AT_END.store(at_end as *mut c_void, Relaxed);
    numawise_guest::cpu::look();
    let mut key = 0;
    // SAFETY: the key is written by the call, and the function is never unloaded.
    if unsafe { libc::pthread_key_create(&mut key, Some(ended)) } == 0 {
        KEY.store(key.wrapping_add(1), Relaxed);
    }
}

/// The calling thread's slot, which it is given now where it has none. `None` where nothing is watched.
#[inline]
pub fn current<'a>() -> Option<&'a ThreadSlot> {
    let local = local();
    if local.generation.get() == process::generation() {
        // SAFETY: a slot that was given in this generation of the process stays mapped as long as the process.
        return unsafe { local.slot.get().as_ref() };
    }
    first_seen()
}

#[cold]
#[inline(never)]
fn first_seen<'a>() -> Option<&'a ThreadSlot> {
    let _errno = SavedErrno::new();
    let local = local();
    let watched = process::watched();
    if local.generation.get() == process::generation() {
        // A child that was just begun: its thread has its slot.
        // SAFETY: as in `current`.
        return unsafe { local.slot.get().as_ref() };
    }
    if watched.is_none() && process::begins() {
        return None;
    }
    // In between a signal handler may come here: it finds a thread without a slot.
    local.slot.set(core::ptr::null());
    local.trace.set(core::ptr::null());
    local.generation.set(process::generation());
    if sandbox::is_quiet() {
        let header = watched?.header;
        header.threads.fetch_add(1, Relaxed);
        header.threads_dropped.fetch_add(1, Relaxed);
        return None;
    }
    let slot = claim(&watched?)?;
    begin(slot);
    local.slot.set(slot);
    Some(slot)
}

/// [`ThreadSlot::ready`] of a slot whose tables have pages, and of one for whose tables there is no memory.
const READY: u32 = 2;
const NO_TABLES: u32 = 3;

/// Whether a thread's tables are in use: it was seen in MPI or OpenMP.
#[inline]
pub fn has_tables(slot: &ThreadSlot) -> bool {
    slot.ready.load(Relaxed) == READY
}

/// The tables of the calling thread; `None` where the disk has no place for them.
#[inline]
pub fn tables(slot: &ThreadSlot) -> Option<&ThreadTables> {
    if slot.ready.load(Relaxed) == READY { Some(&slot.tables) } else { first_tables(slot) }
}

#[cold]
fn first_tables(slot: &ThreadSlot) -> Option<&ThreadTables> {
    let _errno = SavedErrno::new();
    if slot.ready.load(Relaxed) == NO_TABLES
        || !process::reserve((&raw const slot.tables).cast(), size_of::<ThreadTables>())
    {
        slot.ready.store(NO_TABLES, Relaxed);
        return None;
    }
    slot.ready.store(READY, Relaxed);
    Some(&slot.tables)
}

/// A slot that nobody had, else one whose thread has ended.
fn claim<'a>(watched: &Watched<'a>) -> Option<&'a ThreadSlot> {
    let header = watched.header;
    let fresh =
        header.slots.fetch_update(SeqCst, SeqCst, |used| (used < watched.threads).then_some(used + 1));
    let slot = match fresh {
        Ok(number) => watched.open_slot(number).filter(|slot| {
            let usable = process::reserve((&raw const **slot).cast(), offset_of!(ThreadSlot, tables));
            slot.owned.store(u32::from(usable), Relaxed);
            usable
        }),
        Err(_) => (0..watched.threads).filter_map(|number| watched.slot(number)).find(|slot| {
            slot.ready.load(Relaxed) > 0 && slot.owned.compare_exchange(0, 1, SeqCst, Relaxed).is_ok()
        }),
    };
    header.threads.fetch_add(1, Relaxed);
    if slot.is_none() {
        header.threads_dropped.fetch_add(1, Relaxed);
    }
    slot
}

fn begin(slot: &ThreadSlot) {
    let now = time::now();
    let thread = system::thread();
    let start = local().start.get() as u64;
    let is_same = slot.lives.load(Relaxed) == 0 || slot.start.load(Relaxed) == start;
    slot.start.store(if is_same { start } else { 0 }, Relaxed);
    add(&slot.earlier, slot.end.load(Relaxed).saturating_sub(slot.begin.load(Relaxed)));
    add(&slot.earlier_processor, slot.processor_nanoseconds.load(Relaxed));
    slot.processor_nanoseconds.store(0, Relaxed);
    slot.run_delay.store(0, Relaxed);
    surroundings::note_mask(slot, 0);
    cpu::note(slot);
    slot.thread.store(thread.cast_unsigned(), Relaxed);
    slot.main.store(u32::from(thread == system::process()), Relaxed);
    surroundings::note_begin(slot);
    slot.begin.store(now, Relaxed);
    slot.end.store(0, Relaxed);
    slot.row.store(0, Relaxed);
    slot.since.store(now, Relaxed);
    slot.state.store(ThreadState::Useful as u32, Relaxed);
    slot.lives.store(slot.lives.load(Relaxed).wrapping_add(1), Relaxed);
    slot.ready.store(slot.ready.load(Relaxed).max(1), Relaxed);
    if let Some(key) = KEY.load(Relaxed).checked_sub(1) {
        // SAFETY: the key was made; the value is not looked at, but must not be null.
        unsafe { libc::pthread_setspecific(key, (&raw const *slot).cast()) };
    }
}

/// Closes the slot of the calling thread, which may yet come again.
pub fn end_current() {
    let local = local();
    if local.generation.get() != process::generation() {
        return;
    }
    // SAFETY: as in `current`.
    let Some(slot) = (unsafe { local.slot.get().as_ref() }) else { return };
    let now = time::now();
    let at_end = AT_END.load(Relaxed);
    if !at_end.is_null() {
        // SAFETY: a function of this type was stored.
        let at_end: AtEnd = unsafe { core::mem::transmute(at_end) };
        at_end(slot, now);
    }
    cpu::note(slot);
    let state = slot.state.load(Relaxed);
    change(slot, state, state, now);
    slot.end.store(now, Relaxed);
    if sandbox::is_quiet() {
        return;
    }
    surroundings::note_switches(slot);
    surroundings::note_processor(slot, libc::CLOCK_THREAD_CPUTIME_ID);
    surroundings::note_end(slot, slot.thread.load(Relaxed).cast_signed());
}

/// Notes the processor time of threads that live on while the process ends.
pub fn note_living() {
    /// Bits of the kernel's number of a thread's clock: of one thread, as the scheduler counts.
    const OF_A_THREAD: c_int = 4 | 2;
    let Some(watched) = process::watched().filter(|_| !sandbox::is_quiet()) else { return };
    for number in 0..watched.header.slots.load(Relaxed) {
        let Some(slot) = watched.slot(number) else { continue };
        if slot.owned.load(Relaxed) == 0 || slot.end.load(Relaxed) != 0 {
            continue;
        }
        let clock = !slot.thread.load(Relaxed).cast_signed() << 3 | OF_A_THREAD;
        surroundings::note_processor(slot, clock);
        surroundings::note_end(slot, slot.thread.load(Relaxed).cast_signed());
    }
}

/// Run by the C library at the end of a thread, also of one that is cancelled.
unsafe extern "C" fn ended(_: *mut c_void) {
    let _errno = SavedErrno::new();
    end_current();
    let local = local();
    if local.generation.get() == process::generation()
        // SAFETY: as in `current`.
        && let Some(slot) = unsafe { local.slot.get().as_ref() }
    {
        slot.owned.store(0, SeqCst);
    }
    local.slot.set(core::ptr::null());
    for (place, bytes) in [(&local.mpi_scratch, SCRATCH_BYTES), (&local.regions, REGIONS_BYTES)] {
        let memory = place.replace(core::ptr::null_mut());
        if !memory.is_null() && !sandbox::is_quiet() {
            // SAFETY: memory that this thread mapped, of that length.
            unsafe { libc::munmap(memory.cast(), bytes) };
        }
    }
    // Should it be seen again, it gets a slot again.
    local.generation.set(0);
}
